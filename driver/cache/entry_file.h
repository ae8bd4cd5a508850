// The bytes of one cache entry:
//
//   "LATHECC1"  key (16)  u32 kind size  u32 label size  u64 bytes size
//   kind  label  bytes  digest (16)
//
// Little endian; the digest is of everything before it. A change of the form takes another magic.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "driver/cache/store.h"

namespace lathe::driver {

std::string EncodeEntry(const Digest& key, const CacheEntry& entry);
// Nothing, with the reason, where the bytes are not the whole entry of that key. Any bytes are
// fine.
std::optional<CacheEntry> DecodeEntry(std::string_view file, const Digest& key,
                                      std::string* reason);

}  // namespace lathe::driver
