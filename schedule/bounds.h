// Bound inference: the range of every axis of every stage, from what is read.
//
// Stages are visited from the outputs back. A stage computes the union of what its readers need
// within the loop it is attached to; everything follows from evaluating the readers' indices over
// interval sets (arith/region.h). The method is the classic one of loop-nest schedulers; S1-S12 and
// S45, S46 of the semantics list say where it is easy to get wrong.
#pragma once

#include <unordered_map>

#include "arith/analyzer.h"
#include "schedule/schedule.h"

namespace lathe::schedule {

// Root axes have the domain they must cover ([min, min + extent) in the tensor's own coordinates);
// derived axes and loops start at 0 (S6). Keyed by identity.
class Bounds {
 public:
  const Range& operator[](const IterVar& axis) const;
  bool Has(const IterVar& axis) const { return ranges_.count(axis.get()) != 0; }
  void Set(const IterVar& axis, Range range) { ranges_[axis.get()] = {axis, std::move(range)}; }
  // Beyond this range of an operation's axis nothing is needed, and what it reads is not there: the
  // columns that a scan computes, for what is part of it. Null: the axis's domain.
  const Range* Limit(const IterVar& axis) const {
    auto it = limits_.find(axis.get());
    return it == limits_.end() ? nullptr : &it->second;
  }
  void SetLimit(const IterVar& axis, Range range) { limits_[axis.get()] = std::move(range); }
  const std::unordered_map<const ir::Node*, std::pair<IterVar, Range>>& all() const {
    return ranges_;
  }

 private:
  std::unordered_map<const ir::Node*, std::pair<IterVar, Range>> ranges_;
  std::unordered_map<const ir::Node*, Range> limits_;
};

// For a normalized schedule (see normalize.h).
Bounds InferBounds(const Schedule& schedule);

// What a stage computes of an output within the loops around it, a range per dimension: for a
// tensorized stage what all calls of its intrinsic cover together. The memory it needs there.
std::vector<Range> ComputedRegion(const Stage& stage, const Bounds& bounds, int64_t output);

// The memory scope of a stage's outputs: its own, or from the threads around it: none -> global,
// block -> shared, thread -> local (S10).
std::string StorageScope(const Stage& stage);

// The thread axis that the leaf's loop runs on; null for other loops. A leaf that is bound, of a
// stage whose memory each thread of that axis has for itself and that lies within a loop over the
// axis, has none: every thread computes what it needs by itself, so that the loop is a plain one
// over that (S45).
const std::string* ThreadTag(const Stage& stage, const IterVar& leaf);

}  // namespace lathe::schedule
