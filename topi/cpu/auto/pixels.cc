#include "topi/cpu/auto/pixels.h"

#include <algorithm>

#include "ir/names.h"
#include "ir/walk.h"
#include "schedule/primitives/primitives.h"
#include "topi/cpu/interleave.h"
#include "topi/cpu/loops.h"

namespace lathe::topi::cpu {
namespace {

using ir::IterVar;

constexpr int64_t kMostChannels = 4;

// The one access of a compute that only copies one tensor's elements; else null.
const Access* CopyOf(const Facts& facts) {
  if (facts.pattern != Pattern::kMap || facts.compute == nullptr) return nullptr;
  const ir::ComputeOp& compute = *facts.compute;
  const bool copies = compute.body.size() == 1 && compute.axis.size() == 2 &&
                      ir::As<ir::Load>(compute.body[0]) != nullptr && facts.accesses.size() == 1;
  return copies ? &facts.accesses[0] : nullptr;
}

bool IsAxis(const ir::Expr& index, const IterVar& axis) {
  return ir::As<ir::VarNode>(index) != nullptr && index.get() == axis->var.get();
}

// z[i, j] = t[j, i]
bool IsTurned(const Facts& facts) {
  const Access* access = CopyOf(facts);
  return access != nullptr && access->indices.size() == 2 &&
         IsAxis(access->indices[0], facts.compute->axis[1]) &&
         IsAxis(access->indices[1], facts.compute->axis[0]);
}

bool AreChannels(const IterVar& axis) {
  const int64_t* extent = ir::AsConstInt(axis->domain->extent);
  return extent != nullptr && *extent >= 2 && *extent <= kMostChannels;
}

// planes[c, p] = x[p, c] for an input x of the program.
bool IsDeinterleaving(const Facts& facts) {
  return IsTurned(facts) && AreChannels(facts.compute->axis[0]) &&
         ir::As<ir::PlaceholderOp>(facts.accesses[0].tensor->op) != nullptr;
}

// The compute's axis over pixels: the first axis of the root, the last axis of all others.
const IterVar& PixelAxis(const Facts& facts) {
  const auto& axes = facts.compute->axis;
  return IsTurned(facts) && AreChannels(axes.back()) ? axes.front() : axes.back();
}

// Bits of the widest value that the body computes, without indices.
int WidestBits(const ir::ComputeOp& compute) {
  int bits = 8;
  ir::PreOrder(compute.body[0], [&](const ir::Node& node) {
    if (ir::IsExpr(&node))
      bits = std::max(bits, static_cast<const ir::ExprNode&>(node).dtype.bits());
    return ir::As<ir::Load>(&node) == nullptr;
  });
  return bits;
}

}  // namespace

bool IsInterleaving(const Facts& facts, const target::Machine& machine) {
  if (!IsTurned(facts) || !AreChannels(facts.compute->axis[1])) return false;
  const int64_t* pixels = ir::AsConstInt(facts.compute->axis[0]->domain->extent);
  const DataType dtype = facts.compute->body[0]->dtype;
  if (pixels == nullptr || dtype.bits() < 8 || !dtype.is_scalar()) return false;
  return *pixels > 0 && PixelsAtATime(*pixels, dtype, machine) >= 4;
}

bool IsPlanes(const Facts& facts, const Facts& reader, const Access& access) {
  if (facts.pattern != Pattern::kMap || facts.compute->body.size() != 1) return false;
  const auto& axes = facts.compute->axis;
  if (axes.empty() || axes.size() > 2 || (axes.size() == 2 && !AreChannels(axes[0]))) return false;
  const IterVar& pixel = PixelAxis(reader);
  if (ExtentOf(axes.back()) != ExtentOf(pixel) || !IsAxis(access.indices.back(), pixel))
    return false;
  // If the channel depended on the pixel's number, all channels would be needed.
  return axes.size() == 1 || ir::AsConstInt(access.indices[0]) != nullptr ||
         ir::As<ir::VarNode>(access.indices[0]) != nullptr;
}

void SchedulePixels(const StageWork& root, const std::vector<StageWork>& members) {
  schedule::Stage& stage = root.stage();
  const ir::ComputeOp& copy = *root.facts.compute;
  const DataType dtype = root.tensor->dtype();
  const int64_t lanes = PixelsAtATime(ExtentOf(copy.axis[0]), dtype, root.machine);
  auto [at, lane] = schedule::Split(stage, copy.axis[0], lanes);
  const double pixels = static_cast<double>(ExtentOf(copy.axis[0]));
  double work = root.facts.work;
  for (const StageWork& member : members)
    work += member.facts.work * (member.facts.cost.has_function ? 20 : 2);
  if (WorthThreads(work)) {
    auto [piece, within] =
        schedule::Split(stage, at,
                        root.config.Ask({"default.pixel_piece", 64, 1, 1 << 16,
                                         "vectors of pixels that a thread takes at once"}));
    schedule::Parallel(stage, piece);
    StreamResults(stage, piece,
                  static_cast<int64_t>(pixels) * ExtentOf(copy.axis[1]) * dtype.bytes(),
                  root.machine);
    at = within;
  }
  schedule::Tensorize(stage, lane, Interleave(lanes, ExtentOf(copy.axis[1]), dtype));
  for (const StageWork& member : members) {
    const ir::ComputeOp& compute = *member.facts.compute;
    schedule::Stage& planes = member.stage();
    schedule::SetScope(planes, ir::memory_scope::kLocal);
    schedule::ComputeAt(planes, stage, at);
    if (IsDeinterleaving(member.facts)) {
      schedule::Tensorize(planes, compute.axis[0],
                          Deinterleave(lanes, ExtentOf(compute.axis[0]), member.tensor->dtype()));
      continue;
    }
    if (compute.axis.size() == 2) schedule::Unroll(planes, compute.axis[0]);
    const int64_t wide = root.machine.vector_bytes * 8 / WidestBits(compute);
    VectorizeRow(planes, compute.axis.back(), std::min(lanes, std::max<int64_t>(1, wide)));
  }
}

}  // namespace lathe::topi::cpu
