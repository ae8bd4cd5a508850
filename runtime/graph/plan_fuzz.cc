// Fuzzes plans: any bytes give a plan or a status; a plan that was read is sound, and has the same
// bytes again.
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/error.h"
#include "runtime/graph/bytes.h"
#include "runtime/graph/plan.h"
#include "runtime/graph/sizes.h"

namespace lathe::runtime::graph {
namespace {

void Try(const std::string& bytes) {
  const absl::StatusOr<Plan> plan = DecodePlan(bytes);
  if (!plan.ok()) return;
  LATHE_CHECK(CheckPlan(*plan).ok());
  LATHE_CHECK(EncodePlan(*plan) == bytes);
  LATHE_CHECK(KnownSizes(*plan).size() == plan->sizes.size());
}

}  // namespace
}  // namespace lathe::runtime::graph

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace lathe::runtime::graph;  // NOLINT(google-build-using-namespace)
  std::string bytes(reinterpret_cast<const char*>(data), size);
  Try(bytes);
  // Without a correct digest at the end, changed inputs would be refused at once.
  PutDigest(bytes, lathe::DigestOf(bytes));
  Try(bytes);
  return 0;
}
