// A fast 128-bit fingerprint of bytes: finds damage, and equal contents. Not cryptographic: it does
// not resist somebody who wants a collision.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace lathe {

struct Digest {
  uint64_t low = 0;
  uint64_t high = 0;
  friend bool operator==(const Digest&, const Digest&) = default;
  // 32 hexadecimal digits.
  std::string ToString() const;
  // The reverse. False where `text` is no digest.
  static bool Parse(std::string_view text, Digest* out);
};

// The same on every machine and in every version: module files store it.
Digest DigestOf(std::string_view bytes);

}  // namespace lathe
