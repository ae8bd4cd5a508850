#include "base/digest.h"

#include <bit>
#include <charconv>
#include <cstdio>
#include <cstring>

namespace lathe {
namespace {

// Odd constants: the first 64 bits of the fractions of the square roots of 2, 3, 5 and 7.
constexpr uint64_t kA = 0x6a09e667f3bcc909, kB = 0xbb67ae8584caa73b;
constexpr uint64_t kC = 0x3c6ef372fe94f82b, kD = 0xa54ff53a5f1d36f1;

uint64_t LoadLittle(const char* at) {
  uint64_t word;
  std::memcpy(&word, at, 8);
  if constexpr (std::endian::native == std::endian::big) word = __builtin_bswap64(word);
  return word;
}

uint64_t Rotate(uint64_t word, int by) { return (word << by) | (word >> (64 - by)); }

// Multiplications by odd numbers and xor-shifts are bijections, so no state is lost between blocks.
uint64_t Mix(uint64_t word) {
  word = (word ^ (word >> 32)) * kC;
  word = (word ^ (word >> 29)) * kD;
  return word ^ (word >> 32);
}

}  // namespace

Digest DigestOf(std::string_view bytes) {
  // Four lanes of 8 bytes, so that the multiplications overlap.
  uint64_t lane[4] = {kA, kB, kC, kD};
  const auto block = [&lane](const char* at) {
    for (int i = 0; i < 4; ++i)
      lane[i] = Rotate(lane[i] ^ (LoadLittle(at + 8 * i) * kA), 27) * kB + kD;
  };
  size_t at = 0;
  for (; at + 32 <= bytes.size(); at += 32) block(bytes.data() + at);
  char tail[32] = {};
  if (at < bytes.size()) std::memcpy(tail, bytes.data() + at, bytes.size() - at);
  block(tail);
  const auto size = static_cast<uint64_t>(bytes.size());
  Digest digest;
  digest.low = Mix(lane[0] + Rotate(lane[1], 17) + size * kC);
  digest.high = Mix(lane[2] + Rotate(lane[3], 23) + size * kD);
  // Each half depends on all lanes.
  digest.low = Mix(digest.low ^ (digest.high * kA));
  digest.high = Mix(digest.high ^ (digest.low * kB) ^ Mix(lane[1] ^ Rotate(lane[3], 31)));
  return digest;
}

std::string Digest::ToString() const {
  char text[40];
  std::snprintf(text, sizeof(text), "%016llx%016llx", static_cast<unsigned long long>(high),
                static_cast<unsigned long long>(low));
  return text;
}

bool Digest::Parse(std::string_view text, Digest* out) {
  if (text.size() != 32) return false;
  const auto half = [](std::string_view digits, uint64_t* number) {
    const char* end = digits.data() + digits.size();
    const auto [stopped, error] = std::from_chars(digits.data(), end, *number, 16);
    return error == std::errc() && stopped == end;
  };
  Digest digest;
  if (!half(text.substr(0, 16), &digest.high) || !half(text.substr(16), &digest.low)) return false;
  *out = digest;
  return true;
}

}  // namespace lathe
