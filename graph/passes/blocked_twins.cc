#include "graph/passes/blocked_twins.h"

#include <algorithm>

#include "base/planted_graphs.h"

namespace lathe::graph {

using ir::Expr;
using ir::GraphVar;

int64_t RoundUp(int64_t value, int64_t step) { return (value + step - 1) / step * step; }

std::string Blocked(const std::string& letters, int64_t block) {
  return letters + std::to_string(block) + "c";
}

GraphVar Twins::Plain(const Twin& twin, const std::string& name) {
  const std::vector<Expr>& shape = ShapeOf(twin.var);
  const std::string whole_name = twin.IsPadded() ? "" : name;
  GraphVar plain;
  if (ir::IsOne(shape[2]) && ir::IsOne(shape[3])) {
    std::vector<Expr> whole(4, Int64(1));
    whole[0] = shape[0];
    whole[twin.channels_at()] = shape[1] * shape[4];
    plain = b_.Call("reshape", {twin.var}, {{"newshape", ShapeAttr(std::move(whole))}}, whole_name);
  } else {
    plain = b_.Call("layout_transform", {twin.var},
                    {{"src_layout", StringAttr(Blocked("NCHW", twin.block()))},
                     {"dst_layout", StringAttr(twin.plain)}},
                    whole_name);
  }
  if (twin.IsPadded()) {
    plain = b_.Call("strided_slice", {plain},
                    {{"begin", IntsAttr({0})},
                     {"end", IntsAttr({twin.channels})},
                     {"axes", IntsAttr({static_cast<int64_t>(twin.channels_at())})}},
                    name);
  }
  return plain;
}

GraphVar Twins::InBlocks(const GraphVar& var, const std::string& plain, int64_t block) {
  const Twin twin = Of(var);
  const bool usable = twin && twin.plain == plain;
  if (usable && (twin.block() == block || Planted(PlantedGraphBug::kResidualInOwnBlocks)))
    return twin.var;
  const int64_t channels = Number(var, plain.find('C')), whole = RoundUp(channels, block);
  if (usable && twin.padded_channels() == whole) {
    return b_.Call("layout_transform", {twin.var},
                   {{"src_layout", StringAttr(Blocked("NCHW", twin.block()))},
                    {"dst_layout", StringAttr(Blocked("NCHW", block))}});
  }
  if (block == 1 && plain == "NCHW")
    return b_.Call("expand_dims", {var}, {{"axis", IntAttr(4)}}, var->name);
  return b_.Call(
      "layout_transform", {Padded(var, plain.find('C'), channels, whole)},
      {{"src_layout", StringAttr(plain)}, {"dst_layout", StringAttr(Blocked("NCHW", block))}});
}

GraphVar Twins::Padded(const GraphVar& var, size_t dimension, int64_t from, int64_t to) {
  if (from == to) return var;
  std::vector<int64_t> widths(2 * ShapeOf(var).size(), 0);
  const bool before = Planted(PlantedGraphBug::kZerosBeforeChannels);
  widths[2 * dimension + (before ? 0 : 1)] = to - from;
  return b_.Call("nn.pad", {var}, {{"pad_width", IntsAttr(std::move(widths))}}, var->name);
}

GraphVar Twins::PerChannel(const GraphVar& vector, const Twin& twin) {
  const int64_t whole = twin.padded_channels();
  GraphVar filled = vector;
  if (twin.IsPadded()) {
    if (ShapeOf(vector).size() != 1)
      filled = b_.Call("reshape", {vector}, {{"newshape", IntsAttr({twin.channels})}});
    filled = Padded(filled, 0, twin.channels, whole);
  }
  return b_.Call("reshape", {filled},
                 {{"newshape", IntsAttr({whole / twin.block(), 1, 1, twin.block()})}},
                 vector->name);
}

std::vector<int64_t> Twins::Blocks() const {
  std::vector<int64_t> blocks;
  for (int64_t block = 2 * lanes_; block >= std::max(lanes_ / 4, 4); block /= 2)
    blocks.push_back(block);
  return blocks;
}

int64_t Twins::VectorsOf(int64_t channels, int64_t block) const {
  return RoundUp(channels, block) / block * std::max<int64_t>(1, block / lanes_);
}

int64_t Twins::BlockFor(int64_t channels) const {
  int64_t best = 0;
  if (channels < Blocks().back()) return 0;
  for (const int64_t block : Blocks()) {
    const int64_t vectors = VectorsOf(channels, block),
                  least = best == 0 ? vectors + 1 : VectorsOf(channels, best);
    const bool fuller = channels % block == 0 && best != 0 && channels % best != 0;
    if (vectors < least || (vectors == least && fuller)) best = block;
  }
  return best;
}

}  // namespace lathe::graph
