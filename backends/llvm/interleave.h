// Interleaves the computation of independent vectors.
#pragma once

#include "llvm/IR/PassManager.h"

namespace lathe::llvm_backend {

// Reorders a block that computes and stores several vectors one after the other, as an unrolled
// vectorized loop does, so that they advance together: the first step of each, then the second step
// of each.
//
// Each step of such a chain waits some four cycles for the step before it. A processor finds the
// steps of the next vector by itself only if they are near: in a chain of twenty steps of exp, the
// waiting steps fill the scheduler first, and the processor reaches a half to two thirds of its
// rate. LLVM keeps steps in the order in which they come.
//
// As many chains advance together as registers hold. A load moves before the store of another
// vector only if the two cannot overlap.
class InterleavePass : public llvm::PassInfoMixin<InterleavePass> {
 public:
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

}  // namespace lathe::llvm_backend
