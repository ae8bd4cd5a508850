// Bound inference: computes the range of every axis of every stage from what readers need.
//
// Stages are visited from the outputs backwards. A stage computes the union of what its readers
// need within the loop to which it is attached; this follows from evaluating the readers' indices
// over interval sets (arith/region.h). It is the usual method of loop-nest schedulers; S1-S12, S45
// and S46 of the semantics list describe the difficult cases.
#pragma once

#include <unordered_map>

#include "arith/analyzer.h"
#include "schedule/schedule.h"

namespace lathe::schedule {

// Root axes have the domain that they must cover ([min, min + extent) in the tensor's own
// coordinates); derived axes and loops start at 0 (S6). Axes are keys by identity.
class Bounds {
 public:
  const Range& operator[](const IterVar& axis) const;
  bool Has(const IterVar& axis) const { return ranges_.count(axis.get()) != 0; }
  void Set(const IterVar& axis, Range range) { ranges_[axis.get()] = {axis, std::move(range)}; }
  // Beyond this range of an operation's axis nothing is needed, and the data that it would read
  // does not exist: for a part of a scan, the columns that the scan computes. Null: the limit is
  // the axis's domain.
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

// The schedule must be normalized (normalize.h).
Bounds InferBounds(const Schedule& schedule);

// The region of an output that a stage computes within the loops around it, a range per dimension;
// it is also the memory needed there. For a tensorized stage, the region that all calls of its
// intrinsic cover together.
std::vector<Range> ComputedRegion(const Stage& stage, const Bounds& bounds, int64_t output);

// The memory scope of a stage's outputs: the stage's own scope, or else by the threads around it:
// none -> global, block -> shared, thread -> local (S10).
std::string StorageScope(const Stage& stage);

// The tag of the thread axis on which the leaf's loop runs; null for other loops. A bound leaf has
// none if each thread of that axis has its own copy of the stage's memory and the stage is within a
// loop over the axis: then every thread computes all it needs by itself, in a plain loop (S45).
const std::string* ThreadTag(const Stage& stage, const IterVar& leaf);

}  // namespace lathe::schedule
