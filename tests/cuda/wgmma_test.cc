// Emulates wgmma and TMA (descriptors, swizzle, registers of all 128 threads), and compares with
// what the tensor intrinsics claim about each thread alone. The two sides share only the operands
// and backends/cuda/wgmma.h.

#include "backends/cuda/wgmma.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "base/float_formats.h"
#include "tests/cuda/reference.h"

namespace lathe {
namespace {

constexpr uint32_t kRowBytes = 128;

// A block's shared memory.
struct SharedMemory {
  std::vector<uint8_t> bytes = std::vector<uint8_t>(128 << 10);

  // Address bits 4 to 6 are XORed with bits 7 to 9.
  static uint32_t Swizzled(uint32_t address) { return address ^ ((address >> 7 & 7) << 4); }

  // cp.async.bulk.tensor.2d with CU_TENSOR_MAP_SWIZZLE_128B: a box of rows x 64.
  void Load(uint32_t to, const uint16_t* box, uint32_t rows) {
    for (uint32_t i = 0; i < rows * 64; ++i) std::memcpy(&bytes[Swizzled(to + i * 2)], box + i, 2);
  }

  // Element (row, k) of a tile with 16 elements along k.
  double Element(uint64_t descriptor, uint32_t row, uint32_t k, DataType type) const {
    const auto start = static_cast<uint32_t>(descriptor & 0x3fff) << 4;
    const auto group = static_cast<uint32_t>(descriptor >> 32 & 0x3fff) << 4;
    EXPECT_EQ(descriptor >> 62, 1u) << "the swizzle of 128 bytes";
    EXPECT_EQ(descriptor >> 49 & 7, 0u) << "tiles begin at multiples of 1024 bytes";
    uint16_t bits = 0;
    std::memcpy(&bits, &bytes[Swizzled(start + row / 8 * group + row % 8 * kRowBytes + k * 2)], 2);
    return DecodeFloat(bits, type);
  }
};

// wgmma.mma_async.m64n<n>k16: registers of each thread, as drawn in the PTX ISA.
void Wgmma(const SharedMemory& memory, uint64_t a, uint64_t b, int n, DataType type,
           std::vector<std::vector<float>>* registers) {
  for (uint32_t t = 0; t < 128; ++t) {
    for (int i = 0; i < n / 2; ++i) {
      const auto at = static_cast<uint32_t>(i);
      const uint32_t row = t / 32 * 16 + t % 32 / 4 + at / 2 % 2 * 8,
                     column = at / 4 * 8 + t % 4 * 2 + at % 2;
      for (uint32_t k = 0; k < 16; ++k)
        (*registers)[t][at] += static_cast<float>(memory.Element(a, row, k, type) *
                                                  memory.Element(b, column, k, type));
    }
  }
}

class WgmmaTest : public testing::TestWithParam<std::tuple<const char*, int>> {};

TEST_P(WgmmaTest, DoesWhatEachThreadsIntrinsicClaims) {
  const auto [name, n] = GetParam();
  const DataType type = *name == 'f' ? DataType::Float(16) : DataType::BFloat16();
  std::mt19937 engine(7);
  std::uniform_int_distribution<int> small(-4, 4);  // sums are exact
  std::vector<uint16_t> a(64 * 64), b(static_cast<size_t>(n) * 64);
  for (auto* operand : {&a, &b}) {
    for (uint16_t& x : *operand) x = static_cast<uint16_t>(EncodeFloat(small(engine), type));
  }
  SharedMemory memory;
  // The second of several stages, and the rows of the second warpgroup.
  const uint32_t tile_a = 3 * 8192, tile_b = 65536;
  memory.Load(tile_a, a.data(), 64);
  for (uint32_t row = 0; row < static_cast<uint32_t>(n); row += 64)
    memory.Load(tile_b + row * kRowBytes, b.data() + row * 64, 64);

  std::vector<std::vector<float>> registers(128, std::vector<float>(static_cast<size_t>(n) / 2));
  for (uint32_t step = 0; step < 4; ++step) {
    // lathe_wgmma_* gets the same tile from the addresses of any thread.
    for (uint32_t t = 0; t < 128; ++t) {
      const uint32_t own_a = tile_a + cuda::lathe_wgmma_own_a(t) * 2,
                     own_b = tile_b + cuda::lathe_wgmma_own_b(t) * 2;
      ASSERT_EQ(own_a - cuda::lathe_wgmma_own_a(t) * 2, tile_a);
      ASSERT_EQ(own_b - cuda::lathe_wgmma_own_b(t) * 2, tile_b);
    }
    Wgmma(memory, cuda::lathe_wgmma_descriptor(tile_a) + step * 2,
          cuda::lathe_wgmma_descriptor(tile_b) + step * 2, n, type, &registers);
  }

  for (uint32_t t = 0; t < 128; ++t) {
    std::vector<float> c(static_cast<size_t>(n) / 2), got(c.size());
    const uint32_t own_a = cuda::lathe_wgmma_own_a(t), own_b = cuda::lathe_wgmma_own_b(t);
    const std::vector<ir::ExternCall::Argument> args = {
        {.type = DataType::Handle(), .lanes = {}, .data = c.data(), .bytes = c.size() * 4},
        {.type = DataType::Handle(),
         .lanes = {},
         .data = a.data() + own_a,
         .bytes = (a.size() - own_a) * 2},
        {.type = DataType::Handle(),
         .lanes = {},
         .data = b.data() + own_b,
         .bytes = (b.size() - own_b) * 2}};
    const std::string function = std::string("lathe_wgmma_") + name + "_n" + std::to_string(n);
    ASSERT_TRUE(CallCuda({.name = function, .type = DataType::Void(), .args = args, .result = {}}));
    for (int i = 0; i < n / 2; ++i)
      got[static_cast<size_t>(cuda::ElementOfRegister(i, n))] =
          registers[t][static_cast<size_t>(i)];
    ASSERT_EQ(got, c) << "thread " << t;
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, WgmmaTest, testing::Combine(testing::Values("f16", "bf16"), testing::Values(64, 128, 256)),
    [](const auto& info) {
      return std::string(std::get<0>(info.param)) + "_n" + std::to_string(std::get<1>(info.param));
    });

}  // namespace
}  // namespace lathe
