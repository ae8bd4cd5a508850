// The meaning of `llvm -mtriple= -mcpu= -mattr= -mfloat-abi= -opt-level= -vector-width=` for LLVM.
//
// Without `-mtriple=` (alias `-target=`) the target is this machine. Without `-mcpu=`, or with
// `native`, the processor is this machine's if the triple is this machine's, else the
// architecture's baseline. Thread-safe.
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

// A machine to compile for. Each compilation needs its own: LLVM's class is not thread-safe.
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

// The target with triple, processor, features (including those of the processor), vector width and
// optimisation level written out. Applying it twice changes nothing more. Attributes that LLVM does
// not use stay. Throws Error as MakeMachine does.
sdk::Target CanonicalTarget(sdk::Target target);

// Throws Error: `llvm-unknown-triple`, `llvm-unknown-cpu`, `llvm-unknown-feature`,
// `llvm-bad-option`, each naming the nearest known ones.
Machine MakeMachine(const sdk::Target& target);

// Like MakeMachine, but reuses a machine for the same target that GiveBack kept: LLVM takes most of
// a millisecond to make one and to read the processor's features. Thread-safe. A machine belongs to
// one compilation at a time.
Machine TakeMachine(const sdk::Target& target);
// Keeps the machine for the next compilation for `target`. Only for machines of compilations that
// finished.
void GiveBack(const sdk::Target& target, Machine machine);

// The architectures that this plugin generates code for, as the first part of a triple: "x86_64",
// "aarch64", ...
std::vector<std::string> KnownArchitectures();

}  // namespace lathe::llvm_backend
