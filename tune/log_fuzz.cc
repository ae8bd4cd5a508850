// Fuzzes the lines that tuning reads: AutoTVM's and our own. Any bytes give a record or a status,
// and what was read comes back.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/error.h"
#include "tune/autotvm_log.h"
#include "tune/record.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace lathe::tune;  // NOLINT(google-build-using-namespace)
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto line = LogRecordFromText(text); line.ok()) {
    const std::string written = ToLogText(*line);
    const auto again = LogRecordFromText(written);
    LATHE_CHECK(again.ok());
    LATHE_CHECK(ToLogText(*again) == written);
  }
  if (const auto record = RecordFromText(text); record.ok()) {
    const std::string written = ToText(*record);
    const auto again = RecordFromText(written);
    LATHE_CHECK(again.ok());
    LATHE_CHECK(ToText(*again) == written);
  }
  return 0;
}
