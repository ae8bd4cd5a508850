// Loads that overlap, of a stencil's neighbours.
#pragma once

#include "llvm/IR/PassManager.h"

namespace lathe::llvm_backend {

// A stencil loads x[j], x[j + 1] and x[j + 2] as whole vectors. With vectors as long as a cache
// line all but one kind lie across two lines, and each of those costs two accesses: the loads take
// longer than the sums. This pass keeps those of a block that together cover what the others load,
// about one for each line, and makes the others of two of them by shuffles. Every byte that is read
// was read before.
//
// For vectors of 64 bytes on x86. Loads join only if nothing between them can write what they read.
class OverlapPass : public llvm::PassInfoMixin<OverlapPass> {
 public:
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

}  // namespace lathe::llvm_backend
