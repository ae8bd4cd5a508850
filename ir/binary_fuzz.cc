// Any bytes give an Error or a node. The bytes of a node are canonical, and its text can be
// printed.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "base/error.h"
#include "ir/binary.h"
#include "ir/text/printer.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace lathe;      // NOLINT
  using namespace lathe::ir;  // NOLINT
  if (size > 1 << 16) return 0;
  NodeRef node;
  try {
    node = DecodeNode(std::string_view(reinterpret_cast<const char*>(data), size));
  } catch (const Error&) {
    return 0;
  }
  const EncodeOptions all{.keep_spans = true, .keep_private = true};
  const std::string bytes = EncodeNode(node, all);
  if (EncodeNode(DecodeNode(bytes), all) != bytes) {
    std::fprintf(stderr, "the bytes change\n");
    std::abort();
  }
  PrintOptions options;
  options.max_bytes = 1 << 20;
  try {
    ToText(node, options);
  } catch (const Error& error) {
    if (error.name() != "text-too-large") std::abort();
  }
  return 0;
}
