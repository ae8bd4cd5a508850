// Any bytes as a stored verdict on a plugin: they are refused, or read as a verdict that reads back
// as it is written.
#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "base/error.h"
#include "runtime/plugin_loader/probe.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace lathe::runtime;  // NOLINT(google-build-using-namespace)
  if (size > 16 << 10) return 0;   // Find does not read more
  absl::Status verdict, again;
  if (!ReadVerdict(std::string(reinterpret_cast<const char*>(data), size), &verdict)) return 0;
  LATHE_CHECK(verdict.ok() || IsRefusal(verdict));
  LATHE_CHECK(ReadVerdict(VerdictText(verdict), &again));
  LATHE_CHECK(again.code() == verdict.code());
  LATHE_CHECK(again.message() == verdict.message().substr(0, 8000));
  return 0;
}
