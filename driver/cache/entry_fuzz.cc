// Any bytes as an entry of the compile cache: they are refused, or read as an entry that encodes to
// the same bytes.
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/digest.h"
#include "base/error.h"
#include "driver/cache/entry_file.h"
#include "runtime/artifact/bytes.h"

namespace {

void Try(const std::string& file, const lathe::Digest& key) {
  using namespace lathe::driver;  // NOLINT(google-build-using-namespace)
  std::string reason;
  const auto entry = DecodeEntry(file, key, &reason);
  LATHE_CHECK(entry.has_value() == reason.empty());
  if (!entry.has_value()) return;
  // Longer kinds and labels can be read, but are cut off when they are written.
  const bool cut_off = entry->kind.size() > 64 || entry->label.size() > 200;
  LATHE_CHECK(cut_off || EncodeEntry(key, *entry) == file);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using lathe::runtime::ReadLittle;
  std::string file(reinterpret_cast<const char*>(data), size);
  lathe::Digest key;
  if (size >= 24)
    key = {ReadLittle<uint64_t>(file.data() + 8), ReadLittle<uint64_t>(file.data() + 16)};
  Try(file, key);
  // Adds the correct digest, because without it most changed inputs would be refused at once.
  const lathe::Digest digest = lathe::DigestOf(file);
  for (uint64_t half : {digest.low, digest.high})
    for (int i = 0; i < 8; ++i) file += static_cast<char>(half >> (8 * i));
  Try(file, key);
  return 0;
}
