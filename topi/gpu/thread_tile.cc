#include "topi/gpu/thread_tile.h"

#include "ir/tensor_op.h"

namespace lathe::topi::gpu {
namespace {

using cpu::Access;

constexpr int64_t kSides[] = {8, 4, 2, 1};
constexpr int64_t kVector = 4;

bool UsesReduction(const ir::ComputeOp& compute, const Access& access) {
  for (size_t k = compute.axis.size(); k < access.steps.size(); ++k) {
    if (access.Uses(k)) return true;
  }
  return false;
}

// The longest side of at most `limit` along an axis that moves `own` and not `other`.
TileSide SideOf(const ir::ComputeOp& compute, const Access& own, const Access& other,
                int64_t limit) {
  TileSide best;
  const size_t last = compute.axis.size() - 1;
  for (size_t axis = 0; axis < compute.axis.size(); ++axis) {
    const int64_t* extent = ir::AsConstInt(compute.axis[axis]->domain->extent);
    if (extent == nullptr || !own.Uses(axis) || other.Uses(axis)) continue;
    if (axis == last) {
      // Neighbouring threads have neighbouring results, and load what lies side by side. Only
      // vectors keep it so.
      const bool fits = own.IsContiguous(axis) && *extent % kVector == 0 && kVector <= limit;
      if (fits && best.count < kVector) best = {axis, kVector, true};
      continue;
    }
    for (const int64_t side : kSides) {
      if (side > limit || side <= best.count || *extent % side != 0) continue;
      best = {axis, side, false};
    }
  }
  return best;
}

}  // namespace

std::optional<ThreadTile> ChooseThreadTile(const ir::ComputeOp& compute,
                                           const std::vector<Access>& accesses,
                                           const TileLimits& limits) {
  if (compute.axis.empty() || compute.body.size() != 1) return std::nullopt;
  std::vector<const Access*> operands;
  for (const Access& access : accesses) {
    if (UsesReduction(compute, access)) operands.push_back(&access);
  }
  if (operands.size() != 2 || ir::SameTensor(operands[0]->tensor, operands[1]->tensor))
    return std::nullopt;
  int64_t results = 1;
  for (const ir::IterVar& axis : compute.axis) results *= cpu::ExtentOf(axis);
  // Products for each load.
  const auto value = [](const ThreadTile& tile) {
    const auto rows = static_cast<double>(tile.rows.count);
    const auto columns = static_cast<double>(tile.columns.count);
    return rows * columns / (rows + columns);
  };
  ThreadTile best;
  for (const int64_t rows : kSides) {
    for (const int64_t columns : kSides) {
      if (rows > limits.rows || columns > limits.columns) continue;
      const ThreadTile tile = {SideOf(compute, *operands[0], *operands[1], rows),
                               SideOf(compute, *operands[1], *operands[0], columns)};
      const int64_t size = tile.rows.count * tile.columns.count;
      if (value(tile) > value(best) && results / size >= limits.threads) best = tile;
    }
  }
  if (best.rows.count * best.columns.count == 1) return std::nullopt;
  return best;
}

}  // namespace lathe::topi::gpu
