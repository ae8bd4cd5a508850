// Any text as a program with a schedule gives an Error, or a schedule whose own program file
// replays to the same schedule. Nothing is lowered.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/error.h"
#include "ir/text/parser.h"
#include "ir/text/printer.h"
#include "ir/verifier.h"
#include "schedule/trace.h"

namespace {

using namespace lathe;  // NOLINT(google-build-using-namespace)

std::string Replayed(std::string_view text) {
  const ir::Program program = ir::ParseProgram(text);
  ir::VerifyProgram(*program);
  const schedule::Loaded loaded = schedule::FromProgram(program);
  ir::PrintOptions options;
  options.max_bytes = 1 << 20;
  return ir::ToText(schedule::ToProgram(loaded.schedule, loaded.args, loaded.name), options);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size > 1 << 14) return 0;
  std::string first;
  try {
    first = Replayed({reinterpret_cast<const char*>(data), size});
  } catch (const Error&) {
    return 0;
  }
  std::string second;
  try {
    second = Replayed(first);
  } catch (const Error& error) {
    std::fprintf(stderr, "does not replay: %s\n%s\n", error.what(), first.c_str());
    std::abort();
  }
  if (first != second) {
    std::fprintf(stderr, "changes:\n%s\n----\n%s\n", first.c_str(), second.c_str());
    std::abort();
  }
  return 0;
}
