#include "topi/cpu/auto/panels.h"

#include <algorithm>
#include <string>

#include "arith/analyzer.h"
#include "arith/linear.h"
#include "ir/names.h"
#include "ir/walk.h"
#include "schedule/primitives/primitives.h"
#include "topi/cpu/loops.h"

namespace lathe::topi::cpu {

using ir::Tensor;
using schedule::AxisOf;
using schedule::Stage;

std::optional<PanelAxis> PanelAxisOf(const ir::ComputeOp& compute,
                                     const std::vector<Access>& accesses, size_t operand,
                                     size_t vector_axis) {
  const Access& access = accesses[operand];
  // The product of a matrix with itself: a panel would hold what both sides read.
  const auto reads_it = [&](const Access& other) { return other.tensor.same_as(access.tensor); };
  if (std::ranges::count_if(accesses, reads_it) > 1) return std::nullopt;
  const ir::Var vector = compute.axis[vector_axis]->var;
  arith::Analyzer analyzer;
  std::optional<PanelAxis> found;
  for (size_t i = 0; i < access.indices.size(); ++i) {
    if (!ir::UsesVar(access.indices[i], vector)) continue;
    const auto linear = arith::DetectLinear(access.indices[i], {vector}, &analyzer);
    const int64_t* stride = linear ? ir::AsConstInt(linear->coefficients[0]) : nullptr;
    if (found || stride == nullptr || *stride < 1) return std::nullopt;
    found = PanelAxis{i, *stride};
  }
  return found;
}

Tensor CopyPanel(schedule::Schedule& s, const Tensor& operand, const ir::Op& reader, Stage* at,
                 const ir::IterVar& axis, const PanelAxis& along, int64_t lanes) {
  const Tensor panel = schedule::CacheRead(s, operand, ir::memory_scope::kGlobal, {reader});
  Stage& stage = s[panel];
  if (at != nullptr) schedule::ComputeAt(stage, *at, axis);
  const size_t last = operand->shape().size() - 1;
  if (along.dimension == last && along.stride == 1) {
    VectorizeRow(stage, AxisOf(panel, last), lanes);
    return panel;
  }
  std::vector<std::string> map;
  for (size_t i = 0; i <= last; ++i) {
    if (i != along.dimension) map.push_back("d" + std::to_string(i));
  }
  const std::string name = "d" + std::to_string(along.dimension);
  const std::string stride = std::to_string(along.stride);
  if (along.stride != 1) map.push_back(name + " % " + stride);
  map.push_back(along.stride == 1 ? name : name + " // " + stride);
  schedule::TransformLayout(s, panel, map);
  if (along.dimension == last) {
    // Whole vectors of each remainder, taken from the row by shuffles.
    auto [outer, inner] = schedule::Split(stage, AxisOf(panel, last), along.stride);
    schedule::Reorder(stage, {inner, outer});
    VectorizeRow(stage, outer, lanes);
    return panel;
  }
  // Reads in rows, writes in columns, so that each cache line is fetched once.
  auto [outer, inner] = schedule::Split(stage, AxisOf(panel, last), lanes);
  schedule::Reorder(stage, {outer, AxisOf(panel, along.dimension), inner});
  schedule::Unroll(stage, inner);
  return panel;
}

}  // namespace lathe::topi::cpu
