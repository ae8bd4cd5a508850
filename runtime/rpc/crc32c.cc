#include "runtime/rpc/crc32c.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#if defined(__x86_64__)
#include <nmmintrin.h>
#elif defined(__aarch64__)
#include <arm_acle.h>
#include <asm/hwcap.h>
#include <sys/auxv.h>
#endif

namespace lathe::runtime::rpc {
namespace {

// kTables[k][b]: the checksum's change by byte b when k bytes follow it. After: M. Kounavis and
// F. Berry, "A Systematic Approach to Building High Performance Software-based CRC Generators",
// 2005.
constexpr std::array<std::array<uint32_t, 256>, 8> MakeTables() {
  constexpr uint32_t kPolynomial = 0x82f63b78;  // bits reversed
  std::array<std::array<uint32_t, 256>, 8> tables{};
  for (uint32_t byte = 0; byte < 256; ++byte) {
    uint32_t crc = byte;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) != 0 ? kPolynomial : 0);
    tables[0][byte] = crc;
  }
  for (size_t k = 1; k < 8; ++k) {
    for (uint32_t byte = 0; byte < 256; ++byte) {
      const uint32_t before = tables[k - 1][byte];
      tables[k][byte] = (before >> 8) ^ tables[0][before & 0xff];
    }
  }
  return tables;
}

constexpr auto kTables = MakeTables();

uint32_t ByTables(uint32_t crc, const char* at, size_t size) {
  for (; size >= 8; at += 8, size -= 8) {
    uint64_t word = 0;
    std::memcpy(&word, at, 8);
    word ^= crc;
    crc = 0;
    for (size_t byte = 0; byte < 8; ++byte) crc ^= kTables[7 - byte][word >> (8 * byte) & 0xff];
  }
  for (; size > 0; ++at, --size)
    crc = (crc >> 8) ^ kTables[0][(crc ^ static_cast<unsigned char>(*at)) & 0xff];
  return crc;
}

#if defined(__x86_64__)

#define CRC_TARGET __attribute__((target("sse4.2")))

bool HasInstruction() {
  static const bool has = __builtin_cpu_supports("sse4.2") != 0;
  return has;
}
CRC_TARGET inline uint32_t Add8(uint32_t crc, uint64_t word) {
  return static_cast<uint32_t>(_mm_crc32_u64(crc, word));
}
CRC_TARGET inline uint32_t Add1(uint32_t crc, uint8_t byte) { return _mm_crc32_u8(crc, byte); }

#elif defined(__aarch64__)

#define CRC_TARGET __attribute__((target("crc")))

bool HasInstruction() {
  static const bool has = (getauxval(AT_HWCAP) & HWCAP_CRC32) != 0;
  return has;
}
CRC_TARGET inline uint32_t Add8(uint32_t crc, uint64_t word) { return __crc32cd(crc, word); }
CRC_TARGET inline uint32_t Add1(uint32_t crc, uint8_t byte) { return __crc32cb(crc, byte); }

#endif

#ifdef CRC_TARGET

// The instruction's result comes after three cycles, and one may begin in each: three checksums are
// made at a time, of kStride bytes each. After: V. Gopal et al., "Fast CRC Computation for iSCSI
// Polynomial Using CRC32 Instruction", 2011.
constexpr size_t kStride = 4096;

// kShift[k][b]: the checksum after kStride bytes of zeros, if byte k of it was b and the others 0.
constexpr std::array<std::array<uint32_t, 256>, 4> MakeShift() {
  // A checksum is a vector of bits, and zeros are a linear map: its images of single bits.
  std::array<uint32_t, 32> map{};
  const auto apply = [&map](uint32_t crc) {
    uint32_t out = 0;
    for (size_t bit = 0; bit < 32; ++bit) out ^= (crc >> bit & 1) != 0 ? map[bit] : 0;
    return out;
  };
  for (size_t bit = 0; bit < 32; ++bit) {  // of one byte
    const uint32_t crc = uint32_t{1} << bit;
    map[bit] = (crc >> 8) ^ kTables[0][crc & 0xff];
  }
  for (size_t bytes = 1; bytes < kStride; bytes *= 2) {
    std::array<uint32_t, 32> twice{};
    for (size_t bit = 0; bit < 32; ++bit) twice[bit] = apply(map[bit]);
    map = twice;
  }
  std::array<std::array<uint32_t, 256>, 4> shift{};
  for (size_t k = 0; k < 4; ++k)
    for (uint32_t byte = 0; byte < 256; ++byte) shift[k][byte] = apply(byte << (8 * k));
  return shift;
}

constexpr auto kShift = MakeShift();

uint32_t Shift(uint32_t crc) {
  return kShift[0][crc & 0xff] ^ kShift[1][crc >> 8 & 0xff] ^ kShift[2][crc >> 16 & 0xff] ^
         kShift[3][crc >> 24];
}

inline uint64_t WordAt(const char* at) {
  uint64_t word = 0;
  std::memcpy(&word, at, 8);
  return word;
}

CRC_TARGET uint32_t ByInstruction(uint32_t crc, const char* at, size_t size) {
  for (; size >= 3 * kStride; size -= 3 * kStride, at += 3 * kStride) {
    uint32_t second = 0, third = 0;
    for (size_t i = 0; i < kStride; i += 8) {
      crc = Add8(crc, WordAt(at + i));
      second = Add8(second, WordAt(at + kStride + i));
      third = Add8(third, WordAt(at + 2 * kStride + i));
    }
    crc = Shift(Shift(crc) ^ second) ^ third;
  }
  for (; size >= 8; at += 8, size -= 8) crc = Add8(crc, WordAt(at));
  for (; size > 0; ++at, --size) crc = Add1(crc, static_cast<uint8_t>(*at));
  return crc;
}

#else

bool HasInstruction() { return false; }
uint32_t ByInstruction(uint32_t crc, const char* at, size_t size) {
  return ByTables(crc, at, size);
}

#endif

}  // namespace

uint32_t Crc32c(uint32_t crc, std::string_view bytes) {
  return ~(HasInstruction() ? ByInstruction(~crc, bytes.data(), bytes.size())
                            : ByTables(~crc, bytes.data(), bytes.size()));
}

uint32_t Crc32cByTables(uint32_t crc, std::string_view bytes) {
  return ~ByTables(~crc, bytes.data(), bytes.size());
}

}  // namespace lathe::runtime::rpc
