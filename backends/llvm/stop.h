// Leaving LLVM half way, where the compilation is to end (base/poll.h).
//
// LLVM knows no exceptions. What is asked between its passes remembers what Poll threw, makes LLVM
// leave out what it had still to do, and throws it when LLVM has returned: everything is destroyed
// as usual, and what was made is thrown away. Within a pass nobody asks.
#pragma once

#include <exception>

#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/PassInstrumentation.h"

namespace lathe::llvm_backend {

// One compilation's; on its thread.
class Stop {
 public:
  // Whether the compilation is to end; from then on it is.
  bool Asked();
  // Throws what ended it, if anything did.
  void Throw() const {
    if (why_) std::rethrow_exception(why_);
  }
  // Passes of the pipeline are left out once it is to end. Outlives the pipeline.
  void Watch(llvm::PassInstrumentationCallbacks& callbacks);

 private:
  std::exception_ptr why_;
};

// A pass manager for code generation that asks after each pass over a function. Once the
// compilation is to end, the function at hand counts as defined elsewhere, for which no code is
// made, and those behind it lose their bodies.
class StoppablePasses final : public llvm::legacy::PassManagerBase {
 public:
  explicit StoppablePasses(Stop& stop) : stop_(stop) {}
  void add(llvm::Pass* pass) override;
  void run(llvm::Module& module) { passes_.run(module); }

 private:
  Stop& stop_;
  llvm::legacy::PassManager passes_;
};

}  // namespace lathe::llvm_backend
