#include "graph/concatenation.h"

#include "graph/op.h"

namespace lathe::graph {

std::optional<std::vector<uint64_t>> PartOffsets(const ir::GraphCall& call) {
  constexpr uint64_t kAlignment = 64;  // runtime/graph/plan.h
  std::vector<uint64_t> offsets;
  uint64_t end = 0;
  int64_t axis = Attrs(GetOp(call.op), call.attrs).Int("axis");
  for (const ir::GraphVar& arg : call.args) {
    const auto& type = static_cast<const ir::TensorType&>(*arg->type);
    if (axis < 0) axis += static_cast<int64_t>(type.shape.size());
    auto bytes = static_cast<uint64_t>(type.dtype.bytes());
    for (size_t d = 0; d < type.shape.size(); ++d) {
      const int64_t* extent = ir::AsConstInt(type.shape[d]);
      if (extent == nullptr || *extent < 0 || (static_cast<int64_t>(d) < axis && *extent != 1) ||
          __builtin_mul_overflow(bytes, static_cast<uint64_t>(*extent), &bytes))
        return std::nullopt;
    }
    if (end % kAlignment != 0) return std::nullopt;
    offsets.push_back(end);
    if (__builtin_add_overflow(end, bytes, &end)) return std::nullopt;
  }
  return offsets;
}

}  // namespace lathe::graph
