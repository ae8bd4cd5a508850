// CodeGenerator: the base class of code generators.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lathe/abi/codegen.h"
#include "plugins/sdk/target.h"
#include "plugins/sdk/value.h"

namespace lathe::sdk {

// Borrowed for the call.
struct CompileRequest {
  std::string_view ir;  // the binary form; `//plugins/sdk:ir` has a decoder
  const Target& target;
  lathe_output_kind output = LATHE_OUTPUT_MODULE;
  const DLTensor* const* constants = nullptr;
  uint32_t num_constants = 0;
  std::string_view options;
  // As in lathe_compile_request; null if the code must contain all constants.
  const char* const* constant_symbols = nullptr;
};

struct StageTime {
  std::string stage;  // at most 23 bytes
  double seconds = 0;
};

struct CompileResult {
  std::string output;
  std::string module_kind;       // with module and object: the kind of the module loader
  std::string consumed;          // empty, or one char per constant: '1' if the code contains it
  std::string log;               // warnings, which the host shows to the user
  std::vector<StageTime> times;  // with the option LATHE_OPTION_TIME
};

// One per target kind, for the life of the process. Called from several threads at once. Throw
// sdk::Error (or lathe::Error) for failures.
class CodeGenerator {
 public:
  virtual ~CodeGenerator() = default;

  // The target with everything written out. The default changes nothing.
  virtual Target Canonical(Target target);
  // "" if the IR can be compiled, else the reason. Must be cheap. The default accepts all IR and
  // leaves the check to Compile.
  virtual std::string Check(std::string_view ir, const Target& target);
  // Throws `output-unsupported` (see UnsupportedOutput) for an output kind that it does not
  // support.
  virtual CompileResult Compile(const CompileRequest& request) = 0;
  // Links several objects into one file. The default throws `link-unsupported`
  // (LATHE_UNIMPLEMENTED): the host links then.
  virtual std::string Link(const std::vector<std::string_view>& objects, const Target& target,
                           lathe_output_kind output);

 protected:
  [[noreturn]] static void UnsupportedOutput(const CompileRequest& request);
};

namespace internal {

// The C table that calls `generator`, which must outlive it.
lathe_codegen_api CodeGenTable(CodeGenerator* generator);

}  // namespace internal
}  // namespace lathe::sdk
