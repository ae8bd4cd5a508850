// Compiles a module at stage `flat` to an object file, assembly, LLVM IR or bitcode. This is the
// plugin's code generator without the plugin interface (plugin.cc).
//
// Equal requests give equal bytes. Any number of threads may compile at once.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "ir/module.h"
#include "lathe/abi/dlpack.h"
#include "plugins/sdk/codegen.h"
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

// The time that each stage of one compilation took, in seconds.
struct StageTimes {
  double machine = 0;   // target machine
  double generate = 0;  // Lathe IR to LLVM IR
  double optimize = 0;  // LLVM's passes
  double emit = 0;      // instruction selection and writing
  std::vector<sdk::StageTime> List() const;
};

struct Compilation {
  std::string output;
  std::string consumed;  // one char per constant: '1' where the output contains it
  StageTimes times;
};

// The constants of a request. If `symbols` is not null and symbols[i] is not null, the code refers
// to constant i by that symbol and does not contain its bytes.
struct Constants {
  std::span<const DLTensor* const> tensors;
  const char* const* symbols = nullptr;
};

// Throws Error: the errors of machine.h for the target; `codegen-*` if the module breaks the rules
// of stage `flat` or contains an operation that this machine has no code for; `llvm-refused` if
// LLVM itself gives up.
Compilation Compile(const ir::Module& module, const sdk::Target& target, const Constants& constants,
                    Output output);

// Returns "" if Compile would succeed in making LLVM IR of the module, else the reason. Does not
// optimise or emit.
std::string Check(const ir::Module& module, const sdk::Target& target);

}  // namespace lathe::llvm_backend
