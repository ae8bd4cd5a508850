#include "runtime/session/cache_flush.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <numeric>
#include <vector>

#include "runtime/registry.h"
#include "runtime/session/session.h"
#include "runtime/status.h"
#include "runtime/tensor.h"

namespace lathe::runtime {
namespace {

#if defined(__x86_64__) || defined(__aarch64__)
TEST(CacheFlush, KeepsTheContents) {
  LocalSession();
  const Function flush = FindExported(kCacheFlush).value();
  std::vector<int16_t> numbers(1000);
  std::iota(numbers.begin(), numbers.end(), 0);
  const std::vector<int16_t> before = numbers;
  // Backwards in rows and with gaps in columns; then as a whole; then nothing.
  int64_t shape[] = {10, 50}, strides[] = {-100, 2}, none[] = {0, 50};
  DLTensor view{numbers.data() + 900, {kDLCPU, 0}, 2, {kDLInt, 16, 1}, shape, strides, 0};
  DLTensor empty{nullptr, {kDLCPU, 0}, 2, {kDLInt, 16, 1}, none, nullptr, 0};
  DLTensor elsewhere = view;
  elsewhere.device.device_type = kDLCUDA;
  elsewhere.data = nullptr;
  const DLTensor *viewed = &view, *nothing = &empty, *gpu = &elsewhere;
  flush(viewed, viewed, 7, "text", nothing, gpu, Value());
  flush();
  EXPECT_EQ(numbers, before);
}
#else
TEST(CacheFlush, IsRefusedWhereAProgramCannot) {
  LocalSession();
  const absl::Status status = FindExported(kCacheFlush)->TryCall().status();
  EXPECT_EQ(StatusName(status), "cache-flush-unsupported");
}
#endif

#if defined(__x86_64__)
// Nanoseconds of reading one byte of each line, in an order that hardware does not foresee.
double Read(const std::vector<unsigned char>& bytes) {
  const size_t lines = bytes.size() / 64;
  size_t at = 0;
  const auto begin = std::chrono::steady_clock::now();
  for (size_t i = 0; i < lines; ++i) {
    const volatile unsigned char* byte = &bytes[at * 64];
    at = (at * 5 + 17 + *byte) % lines;  // the bytes are 0: each address waits for the last read
  }
  return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - begin).count();
}

TEST(CacheFlush, EvictsAllButTheFirst) {
  LocalSession();
  const Function flush = FindExported(kCacheFlush).value();
  std::vector<unsigned char> first(256 * 64), second(256 * 64);
  int64_t shape[] = {256 * 64};
  DLTensor one{first.data(), {kDLCPU, 0}, 1, {kDLUInt, 8, 1}, shape, nullptr, 0};
  DLTensor two = one;
  two.data = second.data();
  // Memory takes tens of times longer than the caches. The median of many pairs is far from noise.
  std::vector<double> kept, evicted;
  for (int i = 0; i < 101; ++i) {
    Read(first);
    Read(second);
    flush(static_cast<const DLTensor*>(&one), static_cast<const DLTensor*>(&two));
    kept.push_back(Read(first));
    evicted.push_back(Read(second));
  }
  std::nth_element(kept.begin(), kept.begin() + 50, kept.end());
  std::nth_element(evicted.begin(), evicted.begin() + 50, evicted.end());
  EXPECT_GT(evicted[50], 1.5 * kept[50]);
}
#endif

}  // namespace
}  // namespace lathe::runtime
