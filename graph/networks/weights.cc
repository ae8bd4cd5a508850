#include "graph/networks/weights.h"

#include <span>
#include <utility>

#include "base/blob_memory.h"

namespace lathe::graph {

// SplitMix64 [Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014].
ir::GraphVar RandomWeights::Make(const std::string& name, const std::vector<int64_t>& shape,
                                 float spread, float centre) {
  size_t count = 1;
  for (const int64_t extent : shape) count *= static_cast<size_t>(extent);
  BlobMemory memory(count * sizeof(float));
  for (float& value : std::span(reinterpret_cast<float*>(memory.data()), count)) {
    state_ += 0x9e3779b97f4a7c15u;
    uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    z ^= z >> 31;
    const float unit = static_cast<float>(z >> 40) / static_cast<float>(1 << 23) - 1;  // [-1, 1)
    value = centre + spread * unit;
  }
  return builder_.Constant(name, DataType::Float(32), shape, std::move(memory).Finish());
}

}  // namespace lathe::graph
