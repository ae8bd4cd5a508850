// Vectors of a map side by side.
#pragma once

#include "llvm/IR/PassManager.h"

namespace lathe::llvm_backend {

// Reorders a block that computes and stores several vectors one after the other, as an unrolled
// vectorized loop does, so that they advance together: the first step of each, then the second of
// each.
//
// A step of such a chain waits some four cycles for the one before it. A processor finds the next
// vector's steps by itself if they stand near enough: with a chain of twenty steps of exp the
// waiting ones fill its scheduler first, and it reaches a half to two thirds of its rate. LLVM
// leaves steps in the order in which they come.
//
// As many chains advance together as registers hold. Loads pass earlier vectors' stores only where
// they cannot meet.
class InterleavePass : public llvm::PassInfoMixin<InterleavePass> {
 public:
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

}  // namespace lathe::llvm_backend
