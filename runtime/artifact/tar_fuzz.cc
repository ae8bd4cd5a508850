// Fuzzes tar archives.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "runtime/artifact/tar.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace lathe::runtime;  // NOLINT(google-build-using-namespace)
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  (void)LooksLikeTar(bytes);
  const auto entries = ReadTar(bytes, "fuzzed");
  if (!entries.ok()) return 0;
  for (const TarEntry& entry : *entries) {
    if (!IsPlainEntryName(entry.name)) std::abort();
    const char* begin = entry.contents.data();
    if (begin < bytes.data() || begin + entry.contents.size() > bytes.data() + bytes.size())
      std::abort();
  }
  return 0;
}
