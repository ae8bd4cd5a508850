#include "backends/llvm/stop.h"

#include "base/poll.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Module.h"
#include "llvm/Pass.h"

namespace lathe::llvm_backend {
namespace {

class AskPass final : public llvm::FunctionPass {
 public:
  explicit AskPass(Stop& stop) : FunctionPass(kId), stop_(stop) {}
  void getAnalysisUsage(llvm::AnalysisUsage& usage) const override { usage.setPreservesAll(); }
  llvm::StringRef getPassName() const override { return "Lathe asks whether to go on"; }

  bool runOnFunction(llvm::Function& function) override {
    if (function.hasAvailableExternallyLinkage() || !stop_.Asked()) return false;
    // Passes over machine code leave such functions out, others those that must not be optimised.
    function.setLinkage(llvm::GlobalValue::AvailableExternallyLinkage);
    function.addFnAttr(llvm::Attribute::NoInline);
    function.addFnAttr(llvm::Attribute::OptimizeNone);
    auto behind = function.getIterator();
    const auto end = function.getParent()->end();
    for (++behind; behind != end; ++behind) behind->deleteBody();
    return true;
  }

 private:
  static char kId;
  Stop& stop_;
};
char AskPass::kId = 0;

}  // namespace

bool Stop::Asked() {
  if (why_) return true;
  try {
    PollNow();
  } catch (...) {
    why_ = std::current_exception();
  }
  return why_ != nullptr;
}

void Stop::Watch(llvm::PassInstrumentationCallbacks& callbacks) {
  callbacks.registerShouldRunOptionalPassCallback(
      [this](llvm::StringRef, llvm::Any) { return !Asked(); });
}

void StoppablePasses::add(llvm::Pass* pass) {
  const bool of_functions = pass->getPassKind() == llvm::PT_Function;
  passes_.add(pass);
  if (of_functions) passes_.add(new AskPass(stop_));
}

}  // namespace lathe::llvm_backend
