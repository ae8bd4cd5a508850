// Maximum and minimum of floats on x86 in one instruction.
#pragma once

#include "llvm/IR/PassManager.h"

namespace lathe::llvm_backend {

// If one operand is NaN, ir::Max and ir::Min, and LLVM's maxnum and minnum, return the other one.
// The instruction of x86 (maxps) returns its second operand if either is NaN, so maxnum costs three
// instructions. If one operand is known to be a number, one instruction is enough: that operand
// becomes the second.
//
// This holds for the accumulator of a reduction: it begins as an infinity, and the maximum of a
// number and anything is a number.
class MinMaxPass : public llvm::PassInfoMixin<MinMaxPass> {
 public:
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

}  // namespace lathe::llvm_backend
