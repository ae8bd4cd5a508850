// Fuzzes parameter files: any bytes give tensors or a status; what was read has the same bytes
// again.
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/error.h"
#include "runtime/graph/bytes.h"
#include "runtime/graph/params.h"
#include "runtime/init.h"

namespace lathe::runtime::graph {
namespace {

void Try(const std::string& bytes) {
  const absl::StatusOr<std::vector<NamedTensor>> tensors = DecodeParams(bytes);
  if (!tensors.ok()) return;
  LATHE_CHECK(EncodeParams(*tensors).value() == bytes);
}

}  // namespace
}  // namespace lathe::runtime::graph

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace lathe::runtime::graph;  // NOLINT(google-build-using-namespace)
  lathe::runtime::Initialize();
  std::string bytes(reinterpret_cast<const char*>(data), size);
  Try(bytes);
  // The descriptions alone, with a correct digest.
  PutDigest(bytes, lathe::DigestOf(bytes));
  Try(bytes);
  return 0;
}
