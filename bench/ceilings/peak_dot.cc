#include "bench/ceilings/peak_dot.h"

#if defined(__x86_64__)
#include <immintrin.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace lathe::bench {

#if defined(__x86_64__)
namespace {

// Enough chains to hide an instruction's latency.
constexpr int kChains = 12;

__attribute__((target("avx512f,avx512vnni"))) void Vnni512(int64_t rounds) {
  __m512i sums[kChains], a = _mm512_set1_epi32(0x01020304), b = a;
  for (__m512i& sum : sums) sum = _mm512_setzero_si512();
  for (int64_t r = 0; r < rounds; ++r) {
#pragma clang loop unroll(full)
    for (int c = 0; c < kChains; ++c) sums[c] = _mm512_dpbusd_epi32(sums[c], a, b);
    asm volatile("" : "+v"(a), "+v"(b));
  }
  for (__m512i& sum : sums) asm volatile("" : "+v"(sum));
}

__attribute__((target("avx2,avxvnni"))) void Vnni256(int64_t rounds) {
  __m256i sums[kChains], a = _mm256_set1_epi32(0x01020304), b = a;
  for (__m256i& sum : sums) sum = _mm256_setzero_si256();
  for (int64_t r = 0; r < rounds; ++r) {
#pragma clang loop unroll(full)
    for (int c = 0; c < kChains; ++c) sums[c] = _mm256_dpbusd_avx_epi32(sums[c], a, b);
    asm volatile("" : "+x"(a), "+x"(b));
  }
  for (__m256i& sum : sums) asm volatile("" : "+x"(sum));
}

__attribute__((target("avx512f,avx512bf16"))) void Bf512(int64_t rounds) {
  __m512 sums[kChains];
  __m512i bits = _mm512_set1_epi32(0x3f803f80);
  for (__m512& sum : sums) sum = _mm512_setzero_ps();
  for (int64_t r = 0; r < rounds; ++r) {
    const __m512bh a = (__m512bh)bits;
#pragma clang loop unroll(full)
    for (int c = 0; c < kChains; ++c) sums[c] = _mm512_dpbf16_ps(sums[c], a, a);
    asm volatile("" : "+v"(bits));
  }
  for (__m512& sum : sums) asm volatile("" : "+v"(sum));
}

// Four tiles of sums, two of each operand, as matrix products use them.
struct alignas(64) TileShapes {
  uint8_t palette = 1, start = 0, reserved[14] = {};
  uint16_t bytes[16] = {64, 64, 64, 64, 64, 64, 64, 64};
  uint8_t rows[16] = {16, 16, 16, 16, 16, 16, 16, 16};
};

__attribute__((target("amx-tile,amx-int8"))) void AmxInt8(int64_t rounds) {
  const TileShapes shapes;
  _tile_loadconfig(&shapes);
  for (int64_t r = 0; r < rounds; ++r) {
    _tile_dpbusd(0, 4, 6);
    _tile_dpbusd(1, 4, 7);
    _tile_dpbusd(2, 5, 6);
    _tile_dpbusd(3, 5, 7);
  }
  _tile_release();
}

__attribute__((target("amx-tile,amx-bf16"))) void AmxBf16(int64_t rounds) {
  const TileShapes shapes;
  _tile_loadconfig(&shapes);
  for (int64_t r = 0; r < rounds; ++r) {
    _tile_dpbf16ps(0, 4, 6);
    _tile_dpbf16ps(1, 4, 7);
    _tile_dpbf16ps(2, 5, 6);
    _tile_dpbf16ps(3, 5, 7);
  }
  _tile_release();
}

bool TilesGiven() { return syscall(SYS_arch_prctl, 0x1023, 18) == 0; }

}  // namespace

DotPeak BestInt8Peak() {
  __builtin_cpu_init();
  if (__builtin_cpu_supports("amx-int8") && TilesGiven())
    return {AmxInt8, int64_t{4} * 16 * 16 * 64 * 2, "tdpbusd"};
  if (__builtin_cpu_supports("avx512vnni")) return {Vnni512, kChains * 64 * 2, "vpdpbusd zmm"};
  if (__builtin_cpu_supports("avxvnni")) return {Vnni256, kChains * 32 * 2, "vpdpbusd ymm"};
  return {};
}

DotPeak BestBfloat16Peak() {
  __builtin_cpu_init();
  if (__builtin_cpu_supports("amx-bf16") && TilesGiven())
    return {AmxBf16, int64_t{4} * 16 * 16 * 32 * 2, "tdpbf16ps"};
  if (__builtin_cpu_supports("avx512bf16")) return {Bf512, kChains * 32 * 2, "vdpbf16ps zmm"};
  return {};
}
#else
DotPeak BestInt8Peak() { return {}; }
DotPeak BestBfloat16Peak() { return {}; }
#endif

}  // namespace lathe::bench
