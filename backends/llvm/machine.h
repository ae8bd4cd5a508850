// Targets: what `llvm -mtriple= -mcpu= -mattr= -mfloat-abi= -opt-level= -vector-width=` means to
// LLVM.
//
// `-mtriple=` (alias `-target=`) absent: this machine. `-mcpu=` absent or `native`: this machine's
// processor where the triple is this machine's, else the architecture's baseline. Thread-safe.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "backends/llvm/module_emitter.h"
#include "plugins/sdk/target.h"

namespace llvm {
class TargetMachine;
}

namespace lathe::llvm_backend {

// A machine to compile for. One per compilation: LLVM's is not for several threads.
struct Machine {
  Machine();
  Machine(Machine&&) noexcept;
  Machine& operator=(Machine&&) noexcept;
  ~Machine();

  std::unique_ptr<llvm::TargetMachine> llvm;
  std::string triple;
  MachineTraits traits;
  int opt_level = 3;
};

// The target with triple, processor, features (those of the processor included), vector width and
// optimisation level spelled out; a fixed point. Attributes that mean nothing to LLVM stay. Throws
// Error as MakeMachine does.
sdk::Target CanonicalTarget(sdk::Target target);

// Throws Error: `llvm-unknown-triple`, `llvm-unknown-cpu`, `llvm-unknown-feature`,
// `llvm-bad-option`, each naming the nearest known ones.
Machine MakeMachine(const sdk::Target& target);

// As MakeMachine, or one for the same target that GiveBack kept: LLVM takes most of a millisecond
// to make one and to read the processor's features with it. Thread-safe; a machine belongs to one
// compilation at a time.
Machine TakeMachine(const sdk::Target& target);
// For `target`'s next compilation. Give back only machines of compilations that came to their end.
void GiveBack(const sdk::Target& target, Machine machine);

// The architectures that this plugin makes code for, as triples begin: "x86_64", "aarch64", ...
std::vector<std::string> KnownArchitectures();

}  // namespace lathe::llvm_backend
