// Fuzzes metadata: any bytes give a value or a status; a value that is written and read again is
// equal.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/error.h"
#include "runtime/cpu_features.h"
#include "runtime/metadata.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace lathe::runtime;  // NOLINT(google-build-using-namespace)
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  CheckTargetRunsHere(text).IgnoreError();
  const auto metadata = Metadata::FromJson(text);
  if (!metadata.ok()) return 0;
  for (const FunctionMetadata& function : metadata->functions)
    LATHE_CHECK(!function.Signature().empty());
  const std::string written = metadata->ToJson();
  const auto again = Metadata::FromJson(written);
  LATHE_CHECK(again.ok()) << again.status().message();
  LATHE_CHECK(again->ToJson() == written);
  return 0;
}
