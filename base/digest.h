// A fast 128-bit fingerprint of bytes. It detects damage and finds equal contents. It is not
// cryptographic: it does not resist an attacker who wants a collision.
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
  // The reverse of ToString. Returns false if `text` is not a digest; `*out` is unchanged then.
  static bool Parse(std::string_view text, Digest* out);
};

// The digest of `bytes`. Module files store digests, so the result is the same on every machine and
// in every version.
Digest DigestOf(std::string_view bytes);

}  // namespace lathe
