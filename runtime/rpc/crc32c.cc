#include "runtime/rpc/crc32c.h"

#include <array>
#include <cstddef>
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

bool HasInstruction() {
  static const bool has = __builtin_cpu_supports("sse4.2") != 0;
  return has;
}

__attribute__((target("sse4.2"))) uint32_t ByInstruction(uint32_t crc, const char* at,
                                                         size_t size) {
  uint64_t wide = crc;
  for (; size >= 8; at += 8, size -= 8) {
    uint64_t word = 0;
    std::memcpy(&word, at, 8);
    wide = _mm_crc32_u64(wide, word);
  }
  auto narrow = static_cast<uint32_t>(wide);
  for (; size > 0; ++at, --size) narrow = _mm_crc32_u8(narrow, static_cast<unsigned char>(*at));
  return narrow;
}

#elif defined(__aarch64__)

bool HasInstruction() {
  static const bool has = (getauxval(AT_HWCAP) & HWCAP_CRC32) != 0;
  return has;
}

__attribute__((target("crc"))) uint32_t ByInstruction(uint32_t crc, const char* at, size_t size) {
  for (; size >= 8; at += 8, size -= 8) {
    uint64_t word = 0;
    std::memcpy(&word, at, 8);
    crc = __crc32cd(crc, word);
  }
  for (; size > 0; ++at, --size) crc = __crc32cb(crc, static_cast<unsigned char>(*at));
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
