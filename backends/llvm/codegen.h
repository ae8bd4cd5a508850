// From a module at stage `flat` to an object file, assembly, LLVM IR or bitcode. The core of the
// plugin, without its door.
//
// Equal requests give equal bytes. Any number of threads may compile at once.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "ir/module.h"
#include "lathe/abi/dlpack.h"
#include "plugins/sdk/target.h"

namespace lathe::llvm_backend {  // not `llvm`: inside lathe that name would hide LLVM's own

enum class Output {
  kObject,    // relocatable, position independent; one exported symbol, lathe_artifact_v1
              // (abi/kernel.h)
  kAssembly,  // text
  kIr,        // LLVM IR as text, optimised as the object is
  kPlainIr,   // LLVM IR as text, as generated
  kBitcode,   // optimised
};

// Where the time of one compilation went, in milliseconds.
struct StageTimes {
  double machine = 0;   // target machine
  double generate = 0;  // Lathe IR to LLVM IR
  double optimize = 0;  // LLVM's passes
  double emit = 0;      // instruction selection and writing
  // A line for each: "time optimize 1.25".
  std::string ToString() const;
};

struct Compilation {
  std::string output;
  std::string consumed;  // one char per constant: 1 where the output holds it
  StageTimes times;
};

// Constants as a request brings them: where `symbols` is not null and symbols[i] neither, the code
// refers to constant i by that name and does not hold it.
struct Constants {
  std::span<const DLTensor* const> tensors;
  const char* const* symbols = nullptr;
};

// Throws Error: those of machine.h for the target; `codegen-*` where the module is not what stage
// `flat` promises or holds what this machine has no code for; `llvm-refused` where LLVM itself
// gives up.
Compilation Compile(const ir::Module& module, const sdk::Target& target, const Constants& constants,
                    Output output);

// "" where Compile would make LLVM IR of the module, else why not. Does not optimise or emit.
std::string Check(const ir::Module& module, const sdk::Target& target);

}  // namespace lathe::llvm_backend
