// Whatever a user gives as a target string: a target, or an error.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "base/error.h"
#include "plugins/sdk/target.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  try {
    const lathe::sdk::Target target =
        lathe::sdk::ParseTarget({reinterpret_cast<const char*>(data), size});
    const lathe::sdk::Target again = lathe::sdk::ParseTarget(target.ToString());
    if (again.kind != target.kind || again.attributes != target.attributes) std::abort();
  } catch (const lathe::Error&) {
  }
  return 0;
}
