// LLVM's optimiser over a generated module.
#pragma once

namespace llvm {
class Module;
class TargetMachine;
}  // namespace llvm

namespace lathe::llvm_backend {

class Stop;

// Optimises the module in place; `level` is 0 to 3 as in -O. Functions with the attribute `optnone`
// stay as they are. Not thread-safe for one module or one machine.
//
// If no function of the module calls the code of another one, the functions are optimised one by
// one. That is the usual case: schedules become loop bodies that the runtime calls. LLVM's own
// pipeline walks over the whole module several times, for inlining and for constants that pass
// between functions, and repeats passes after inlining. It is used for modules with calls or
// imported code.
//
// Ends early once `stop` says so; the module is then of no use.
void Optimize(llvm::Module& module, llvm::TargetMachine& machine, int level, Stop& stop);

}  // namespace lathe::llvm_backend
