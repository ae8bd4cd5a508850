// LLVM's optimiser over a generated module.
#pragma once

namespace llvm {
class Module;
class TargetMachine;
}  // namespace llvm

namespace lathe::llvm_backend {

class Stop;

// Optimises the module in place; `level` 0 to 3 as in -O. Functions that are `optnone` stay as they
// are. Not thread-safe for one module or one machine.
//
// A module whose functions call none of each other's code (what schedules become: bodies of loops
// that the runtime calls) is optimised function by function. LLVM's own pipeline looks at the
// module as a whole several times, for inlining and for constants that pass between functions, and
// repeats passes over what inlining brought. Modules with calls or imported code get that one.
//
// Ends early once `stop` says so; the module is then of no use.
void Optimize(llvm::Module& module, llvm::TargetMachine& machine, int level, Stop& stop);

}  // namespace lathe::llvm_backend
