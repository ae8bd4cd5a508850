#include "tests/cuda/reference.h"

#include <cstring>
#include <stdexcept>
#include <string>
#include <utility>

#include "base/float_formats.h"

namespace lathe {

namespace {

// A lane's 2 x 2 elements of c over 16 steps of k: what `cuda.mma_*` claims.
void Mma(const ir::ExternCall& call, DataType type) {
  const auto element = [&](size_t operand, int64_t at) {
    uint16_t bits = 0;
    std::memcpy(&bits, static_cast<const char*>(call.args[operand].data) + at * 2, 2);
    return DecodeFloat(bits, type);
  };
  const int64_t lda = call.args[2].lanes[0].i, ldb = call.args[4].lanes[0].i;
  auto* c = static_cast<float*>(call.args[0].data);
  for (int64_t i = 0; i < 2; ++i) {
    for (int64_t j = 0; j < 2; ++j) {
      for (int64_t k = 0; k < 16; ++k)
        c[i * 2 + j] += static_cast<float>(element(1, i * lda + k) * element(3, k * ldb + j));
    }
  }
}

// A lane's [rows / 16][2][columns / 8][2] elements of a warp's tile, over 16 steps of k.
void MmaTile(const ir::ExternCall& call, DataType type, int64_t rows, int64_t columns) {
  const auto element = [&](size_t operand, int64_t at) {
    if (static_cast<size_t>(at) * 2 + 2 > call.args[operand].bytes)
      throw std::runtime_error("mma reads beyond its operand");
    uint16_t bits = 0;
    std::memcpy(&bits, static_cast<const char*>(call.args[operand].data) + at * 2, 2);
    return DecodeFloat(bits, type);
  };
  const int64_t lda = call.args[2].lanes[0].i, ldb = call.args[4].lanes[0].i;
  auto* c = static_cast<float*>(call.args[0].data);
  for (int64_t row = 0; row < rows; row += 8) {
    for (int64_t j = 0; j < columns / 8; ++j) {
      for (int64_t p = 0; p < 2; ++p, ++c) {
        for (int64_t k = 0; k < 16; ++k)
          *c += static_cast<float>(element(1, row * lda + k) * element(3, k * ldb + j * 8 + p));
      }
    }
  }
}

// A thread's 2 x columns / 8 x 2 elements of c over 64 steps of k, as `cuda.wgmma_*` claims. Rows
// of the operands lie 64 elements apart, and the thread's own row comes first.
void Wgmma(const ir::ExternCall& call, DataType type, int64_t columns) {
  const auto row = [&](size_t operand, int64_t at, int64_t k) {
    if (static_cast<size_t>(at * 64 + k) * 2 + 2 > call.args[operand].bytes)
      throw std::runtime_error("wgmma reads beyond its operand");
    uint16_t bits = 0;
    std::memcpy(&bits, static_cast<const char*>(call.args[operand].data) + (at * 64 + k) * 2, 2);
    return DecodeFloat(bits, type);
  };
  auto* c = static_cast<float*>(call.args[0].data);
  for (int64_t h = 0; h < 2; ++h) {
    for (int64_t j = 0; j < columns / 8; ++j) {
      for (int64_t p = 0; p < 2; ++p, ++c) {
        for (int64_t k = 0; k < 64; ++k)
          *c += static_cast<float>(row(1, h * 8, k) * row(2, j * 8 + p, k));
      }
    }
  }
}

}  // namespace

bool CallCuda(const ir::ExternCall& call) {
  if (call.name == "lathe_mma_f16" || call.name == "lathe_mma_bf16") {
    Mma(call, call.name == "lathe_mma_f16" ? DataType::Float(16) : DataType::BFloat16());
    return true;
  }
  for (const char* type : {"f16", "bf16"}) {
    for (const auto& [rows, columns] : {std::pair{32, 32}, {64, 32}, {64, 64}}) {
      if (call.name != std::string("lathe_mma_") + type + "_m" + std::to_string(rows) + "n" +
                           std::to_string(columns))
        continue;
      MmaTile(call, *type == 'f' ? DataType::Float(16) : DataType::BFloat16(), rows, columns);
      return true;
    }
    for (const int64_t columns : {64, 128, 256}) {
      if (call.name != std::string("lathe_wgmma_") + type + "_n" + std::to_string(columns))
        continue;
      Wgmma(call, *type == 'f' ? DataType::Float(16) : DataType::BFloat16(), columns);
      return true;
    }
  }
  if (call.name != "__dp4a" || call.args.size() != 3) return false;
  const auto a = static_cast<uint32_t>(call.args[0].lanes[0].i),
             b = static_cast<uint32_t>(call.args[1].lanes[0].i);
  int64_t sum = call.args[2].lanes[0].i;
  for (int shift = 0; shift < 32; shift += 8)
    sum += static_cast<int8_t>(a >> shift) * static_cast<int8_t>(b >> shift);
  call.result[0].i = static_cast<int32_t>(sum);
  return true;
}

}  // namespace lathe
