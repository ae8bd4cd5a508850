#include "tests/cuda/reference.h"

#include <cstring>

#include "base/float_formats.h"

namespace lathe {

namespace {

// A lane's 2 x 2 elements of c over 16 steps of k: what `cuda.mma_*` claim.
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

}  // namespace

bool CallCuda(const ir::ExternCall& call) {
  if (call.name == "lathe_mma_f16" || call.name == "lathe_mma_bf16") {
    Mma(call, call.name == "lathe_mma_f16" ? DataType::Float(16) : DataType::BFloat16());
    return true;
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
