// The bytes of one cache entry:
//
//   "LATHECC1"  key (16)  u32 kind size  u32 label size  u64 bytes size
//   kind  label  bytes  digest (16)
//
// Little endian. The digest covers everything before it. If the format changes, change the magic.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "driver/cache/store.h"

namespace lathe::driver {

std::string EncodeEntry(const Digest& key, const CacheEntry& entry);
// Returns nothing, and sets `reason`, if the bytes are not the complete entry of that key. Any
// input is safe.
std::optional<CacheEntry> DecodeEntry(std::string_view file, const Digest& key,
                                      std::string* reason);

}  // namespace lathe::driver
