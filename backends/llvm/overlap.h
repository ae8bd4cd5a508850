// Replaces overlapping loads of a stencil's neighbours.
#pragma once

#include "llvm/IR/PassManager.h"

namespace lathe::llvm_backend {

// A stencil loads x[j], x[j + 1] and x[j + 2] as whole vectors. If vectors are as long as a cache
// line, nearly all of these loads cross a line boundary and cost two accesses each: the loads take
// longer than the sums. This pass keeps those loads of a block that together cover the bytes of
// all, about one for each line, and makes each other load from two kept ones by a shuffle. It reads
// no byte that was not read before.
//
// For vectors of 64 bytes on x86. Loads are joined only if no instruction between them can write
// the memory that they read.
class OverlapPass : public llvm::PassInfoMixin<OverlapPass> {
 public:
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

}  // namespace lathe::llvm_backend
