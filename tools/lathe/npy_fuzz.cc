// Any bytes that a user passes to `lathe run` as .npy give a tensor or an error. A tensor that is
// written again reads as the same tensor.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

#include "runtime/init.h"
#include "tools/lathe/npy.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  [[maybe_unused]] static const bool ready = (lathe::runtime::Initialize(), true);
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto tensor = lathe::cli::DecodeNpy(bytes, "fuzz");
  if (!tensor.ok()) return 0;
  const auto written = lathe::cli::EncodeNpy(*tensor);
  if (!written.ok()) std::abort();  // every type that is read can be written
  const auto again = lathe::cli::DecodeNpy(*written, "again");
  if (!again.ok()) std::abort();
  const auto rewritten = lathe::cli::EncodeNpy(*again);
  if (!rewritten.ok() || *rewritten != *written) std::abort();
  return 0;
}
