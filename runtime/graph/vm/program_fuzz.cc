// Fuzzes programs: any bytes give a program or a status; a program that was read is sound, has the
// same bytes again, and runs without a crash, whatever its code does with values of the wrong kind.
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/error.h"
#include "runtime/cancel.h"
#include "runtime/graph/bytes.h"
#include "runtime/graph/vm/machine.h"
#include "runtime/graph/vm/program.h"
#include "runtime/init.h"

namespace lathe::runtime::vm {
namespace {

// Programs without plans need no kernels and only little memory.
void Run(const Program& program) {
  if (!program.plans.empty()) return;
  const auto executable = ProgramExecutable::Create(program, Module());
  LATHE_CHECK(executable.ok());
  Machine machine(*executable, {.max_call_depth = 100, .max_registers = 10000});
  const Value scalar(Tensor::Empty({}, DataType::Bool()).value());
  for (const ProgramEntry& entry : program.entries) {
    Cancellation cancellation;
    cancellation.SetDeadline(std::chrono::steady_clock::now() + std::chrono::milliseconds(20));
    const CancelScope scope(cancellation);
    const std::vector<Value> args(entry.params.size(), scalar);
    const std::string& name = program.functions[static_cast<size_t>(entry.function)].name;
    (void)machine.Invoke(name, args).ok();
  }
}

void Try(const std::string& bytes) {
  const absl::StatusOr<Program> program = DecodeProgram(bytes);
  if (!program.ok()) return;
  LATHE_CHECK(CheckProgram(*program).ok());
  LATHE_CHECK(EncodeProgram(*program) == bytes);
  LATHE_CHECK(!ProgramText(*program).empty() || program->functions.empty());
  Run(*program);
}

}  // namespace
}  // namespace lathe::runtime::vm

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace lathe::runtime;  // NOLINT(google-build-using-namespace)
  Initialize();
  std::string bytes(reinterpret_cast<const char*>(data), size);
  vm::Try(bytes);
  // Without a correct digest at the end, changed inputs would be refused at once.
  graph::PutDigest(bytes, lathe::DigestOf(bytes));
  vm::Try(bytes);
  return 0;
}
