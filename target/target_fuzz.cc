// Any text as a target string gives a target or an error.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "base/error.h"
#include "target/target_text.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  try {
    const lathe::target::TargetText target =
        lathe::target::ParseTargetText({reinterpret_cast<const char*>(data), size});
    const lathe::target::TargetText again = lathe::target::ParseTargetText(target.ToString());
    if (again.kind != target.kind || again.attributes != target.attributes) std::abort();
  } catch (const lathe::Error&) {
  }
  return 0;
}
