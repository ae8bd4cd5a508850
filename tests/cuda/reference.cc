#include "tests/cuda/reference.h"

namespace lathe {

bool CallCuda(const ir::ExternCall& call) {
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
