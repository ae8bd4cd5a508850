#include "lower/flatten.h"

#include <limits>
#include <unordered_map>

#include "arith/analyzer.h"
#include "base/error.h"
#include "ir/names.h"
#include "ir/rewrite.h"
#include "ir/walk.h"

namespace lathe::lower {
namespace {

using namespace ir;  // NOLINT: the nodes' names, in this file only

// True if an offset into the buffer may exceed 2^31. Only constant extents below that are safe;
// rank 1 with unit stride needs no product.
bool NeedsWideOffsets(const BufferNode& buffer) {
  if (buffer.elem_offset || !buffer.strides.empty()) return true;
  if (buffer.shape.size() <= 1) return false;
  __int128 total = 1;
  for (const Expr& extent : buffer.shape) {
    const int64_t* value = AsConstInt(extent);
    if (value == nullptr) return true;
    total *= *value;
    if (total > std::numeric_limits<int32_t>::max()) return true;
  }
  return false;
}

Expr Widened(const Expr& e, bool wide) {
  if (!wide || e->dtype.bits() == 64) return e;
  const DataType t = e->dtype.is_scalar() ? DataType::Int(64) : DataType::Int(64, e->dtype.lanes());
  if (const auto* ramp = As<Ramp>(e))
    return MakeRamp(Widened(ramp->base, true), Widened(ramp->stride, true), t.lanes());
  if (const auto* broadcast = As<Broadcast>(e))
    return MakeBroadcast(Widened(broadcast->value, true), t.lanes());
  return MakeCast(t, e);
}

// Memory that is one row of elements, in spite of its axis separators.
bool IsLinear(const BufferNode& buffer) {
  const std::string scope = ScopeOf(buffer);
  for (const char* linear :
       {memory_scope::kGlobal, memory_scope::kShared, memory_scope::kLocal, memory_scope::kWarp}) {
    if (scope == linear || scope.starts_with(std::string(linear) + ".")) return true;
  }
  return false;
}

// For each dimension of flat memory, the first of the buffer's dimensions in it; and the total
// number.
std::vector<size_t> GroupsOf(const BufferNode& buffer) {
  std::vector<size_t> begins = {0};
  if (!IsLinear(buffer)) {
    for (const Expr& at : buffer.axis_separators)
      begins.push_back(static_cast<size_t>(*AsConstInt(at)));
  }
  begins.push_back(buffer.shape.size());
  return begins;
}

// A compact buffer with some of the dimensions.
Buffer Group(const BufferNode& buffer, size_t begin, size_t end) {
  LATHE_CHECK(buffer.strides.empty() && !buffer.elem_offset)
      << "buffer `" << buffer.name << "` has axis separators and strides or an offset";
  return MakeBuffer(buffer.name, buffer.dtype,
                    {buffer.shape.begin() + static_cast<std::ptrdiff_t>(begin),
                     buffer.shape.begin() + static_cast<std::ptrdiff_t>(end)});
}

std::vector<Expr> StridesOf(const BufferNode& buffer, bool wide) {
  if (!buffer.strides.empty()) return buffer.strides;
  std::vector<Expr> strides(buffer.shape.size());
  Expr stride = Const(1, wide ? DataType::Int(64) : DataType::Int(32));
  for (size_t d = buffer.shape.size(); d-- > 0;) {
    strides[d] = stride;
    stride = stride * Widened(buffer.shape[d], wide);
  }
  return strides;
}

// The number of elements that the buffer spans.
Expr SpanOf(const BufferNode& buffer) {
  const bool wide = NeedsWideOffsets(buffer);
  if (buffer.strides.empty()) {
    Expr total = Const(1, wide ? DataType::Int(64) : DataType::Int(32));
    for (const Expr& extent : buffer.shape) total = total * Widened(extent, wide);
    return buffer.elem_offset ? total + Widened(buffer.elem_offset, wide) : total;
  }
  Expr last = buffer.elem_offset ? Widened(buffer.elem_offset, true) : Const(0, DataType::Int(64));
  bool may_be_empty = false;
  for (size_t d = 0; d < buffer.shape.size(); ++d) {
    const int64_t* extent = AsConstInt(buffer.shape[d]);
    may_be_empty = may_be_empty || extent == nullptr || *extent <= 0;
    last = last + (Widened(buffer.shape[d], true) - 1) * Widened(buffer.strides[d], true);
  }
  // For a buffer without elements, the strides mean nothing.
  return may_be_empty ? MakeMax(last + 1, Const(0, DataType::Int(64))) : last + 1;
}

class Flattener final : public Mutator {
 public:
  Flattener() : Mutator(Memo::kPerRoot) {}

 protected:
  NodeRef Enter(const NodeRef& node) override {
    const auto* buffer = As<BufferNode>(node);
    if (buffer == nullptr) return nullptr;
    const bool flat = buffer->shape.size() == 1 && buffer->strides.empty() && !buffer->elem_offset;
    if (flat) return node;
    const std::vector<size_t> groups = GroupsOf(*buffer);
    std::vector<Expr> shape, separators;
    for (size_t g = 0; g + 1 < groups.size(); ++g) {
      const Expr span =
          groups.size() == 2 ? SpanOf(*buffer) : SpanOf(*Group(*buffer, groups[g], groups[g + 1]));
      shape.push_back(analyzer_.Simplify(span));
      if (g > 0) separators.push_back(Int(static_cast<int64_t>(g)));
    }
    Buffer made = CopyBuffer(Buffer(buffer), [&](BufferNode& copy) {
      copy.shape = shape;
      copy.strides.clear();
      copy.elem_offset = nullptr;
      copy.axis_separators = separators;
    });
    flattened_[made.get()] = Buffer(buffer);
    return made;
  }

  NodeRef Leave(const NodeRef&, NodeRef after) override {
    if (const auto* load = As<Load>(after)) {
      auto it = flattened_.find(load->source.get());
      return it == flattened_.end()
                 ? after
                 : NodeRef(MakeLoad(load->source, Offsets(*it->second, load->indices), load->mask));
    }
    if (const auto* fetch = As<Prefetch>(after)) {
      auto it = flattened_.find(fetch->buffer.get());
      if (it == flattened_.end()) return after;
      std::vector<Expr> first;
      for (const Range& range : fetch->bounds) first.push_back(range->min);
      const Expr offset = ElementOffset(*it->second, first);
      return MakePrefetch(fetch->buffer, {MakeRange(offset, Const(1, offset->dtype))});
    }
    if (const auto* store = As<Store>(after)) {
      auto it = flattened_.find(store->buffer.get());
      return it == flattened_.end()
                 ? after
                 : NodeRef(MakeStore(store->buffer, store->value,
                                     Offsets(*it->second, store->indices), store->mask));
    }
    return after;
  }

 private:
  // The quotient and the remainder of a fused loop become that loop again, which vectors can
  // follow.
  Expr Offset(const BufferNode& buffer, const std::vector<Expr>& indices) {
    const Expr offset = ElementOffset(buffer, indices);
    bool has_remainder = false;
    ForEach<FloorMod>(offset, [&](const FloorMod&) { has_remainder = true; });
    return has_remainder ? analyzer_.Simplify(offset) : offset;
  }

  // One index per dimension of flat memory.
  std::vector<Expr> Offsets(const BufferNode& buffer, const std::vector<Expr>& indices) {
    const std::vector<size_t> groups = GroupsOf(buffer);
    if (groups.size() == 2) return {Offset(buffer, indices)};
    std::vector<Expr> out;
    for (size_t g = 0; g + 1 < groups.size(); ++g) {
      out.push_back(Offset(*Group(buffer, groups[g], groups[g + 1]),
                           {indices.begin() + static_cast<std::ptrdiff_t>(groups[g]),
                            indices.begin() + static_cast<std::ptrdiff_t>(groups[g + 1])}));
    }
    return out;
  }

  arith::Analyzer analyzer_;
  std::unordered_map<const Node*, Buffer> flattened_;  // rank-1 buffer -> the original
};

}  // namespace

Expr ElementOffset(const BufferNode& buffer, const std::vector<Expr>& indices) {
  const bool wide = NeedsWideOffsets(buffer);
  const DataType t = wide ? DataType::Int(64) : DataType::Int(32);
  Expr offset = buffer.elem_offset ? Widened(buffer.elem_offset, wide) : Const(0, t);
  const std::vector<Expr> strides = StridesOf(buffer, wide);
  for (size_t d = 0; d < indices.size(); ++d) {
    const Expr index = Widened(indices[d], wide);
    const Expr stride = Widened(strides[d], wide);
    if (const auto* ramp = As<Ramp>(index)) {
      // Stays a ramp, so that code generators see unit strides.
      offset = MakeRamp(offset + ramp->base * stride, ramp->stride * stride, index->dtype.lanes());
    } else {
      offset = offset + index * stride;
    }
  }
  return offset;
}

Module Flatten(const Module& module, const PassContext&) {
  return MapFunctions(module, [](const Func& func) { return Flattener().RunOn(func); });
}

}  // namespace lathe::lower
