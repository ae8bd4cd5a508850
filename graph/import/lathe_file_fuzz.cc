// Any bytes give a graph or an error. The head's digest is made right, so that what it protects is
// reached.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>

#include "base/digest.h"
#include "base/error.h"
#include "graph/import/lathe_file.h"

namespace lathe::graph {
namespace {

void Seal(std::string* bytes) {
  if (bytes->size() < 56) return;
  uint64_t graph = 0, count = 0;
  std::memcpy(&graph, bytes->data() + 24, 8);
  std::memcpy(&count, bytes->data() + 32, 8);
  const uint64_t left = bytes->size() - 56;
  if (count > left / 32 || graph > left - 32 * count) return;
  const uint64_t end = 40 + 32 * count + graph;
  const Digest digest = DigestOf(std::string_view(*bytes).substr(0, end));
  std::memcpy(bytes->data() + end, &digest.low, 8);
  std::memcpy(bytes->data() + end + 8, &digest.high, 8);
}

}  // namespace
}  // namespace lathe::graph

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  auto bytes = std::make_shared<std::string>(reinterpret_cast<const char*>(data), size);
  lathe::graph::Seal(bytes.get());
  try {
    lathe::graph::ReadLatheFile({*bytes, bytes}, "fuzz");
  } catch (const lathe::Error&) {
  }
  return 0;
}
