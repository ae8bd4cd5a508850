// Which features of a processor its intrinsics need. Internal to backends/llvm.
#pragma once

#include <string>

#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"

namespace lathe::llvm_backend {

// Throws Error "llvm-missing-feature" if the module calls a dot product or another of the known
// intrinsics and `machine` lacks its feature. LLVM itself would only say that it does not know how
// to lower some operation. `cpu` is the processor's name, for the message.
void RequireFeatures(const llvm::Module& module, const llvm::TargetMachine& machine,
                     const std::string& cpu);

}  // namespace lathe::llvm_backend
