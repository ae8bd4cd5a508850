#include "graph/networks/weights.h"

#include <memory>
#include <string_view>

namespace lathe::graph {

// SplitMix64 [Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014].
ir::GraphVar RandomWeights::Make(const std::string& name, const std::vector<int64_t>& shape,
                                 float spread, float centre) {
  size_t count = 1;
  for (const int64_t extent : shape) count *= static_cast<size_t>(extent);
  auto values = std::make_shared<std::vector<float>>(count);
  for (float& value : *values) {
    state_ += 0x9e3779b97f4a7c15u;
    uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    z ^= z >> 31;
    const float unit = static_cast<float>(z >> 40) / static_cast<float>(1 << 23) - 1;  // [-1, 1)
    value = centre + spread * unit;
  }
  const std::string_view bytes(reinterpret_cast<const char*>(values->data()), count * 4);
  return builder_.Constant(name, DataType::Float(32), shape, Blob::View(bytes, [values] {}));
}

}  // namespace lathe::graph
