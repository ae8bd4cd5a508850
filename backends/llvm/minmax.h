// The larger and the smaller of two floats on x86.
#pragma once

#include "llvm/IR/PassManager.h"

namespace lathe::llvm_backend {

// ir::Max and ir::Min, and LLVM's maxnum and minnum, take the other operand of a NaN. The
// instruction of x86 (maxps) takes its second operand where one is NaN, so that they cost three
// instructions. Where one operand is known to be a number one is enough: that operand becomes the
// second.
//
// A reduction's accumulator is: it begins as an infinity, and the larger of a number and anything
// is a number.
class MinMaxPass : public llvm::PassInfoMixin<MinMaxPass> {
 public:
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

}  // namespace lathe::llvm_backend
