// Any text gives an Error or a node. The node prints to a text that reads back to the same text.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "base/error.h"
#include "ir/text/parser.h"
#include "ir/text/printer.h"

namespace {

using namespace lathe;      // NOLINT
using namespace lathe::ir;  // NOLINT

template <class F>
void Check(std::string_view text, F parse) {
  std::string first;
  PrintOptions options;
  options.max_bytes = 1 << 20;
  options.declare_free = true;
  try {
    first = ToText(parse(text), options);
  } catch (const Error&) {
    return;
  }
  std::string second;
  try {
    second = ToText(parse(first), options);
  } catch (const Error& error) {
    if (error.name() == "text-too-deep")
      return;  // generic forms nest deeper than the forms that they replace
    std::fprintf(stderr, "does not read back: %s\n%s\n", error.what(), first.c_str());
    std::abort();
  }
  if (first != second) {
    std::fprintf(stderr, "changes:\n%s\n----\n%s\n", first.c_str(), second.c_str());
    std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size > 1 << 16) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  Check(text, [](std::string_view t) { return ParseModule(t); });
  Check(text, [](std::string_view t) { return ParseProgram(t); });
  Check(text, [](std::string_view t) { return ParseStmt(t); });
  Check(text, [](std::string_view t) { return ParseGraphModule(t); });
  return 0;
}
