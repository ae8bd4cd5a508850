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
  const std::unordered_map<const ir::Node*, std::pair<IterVar, Range>>& all() const {
    return ranges_;
  }

 private:
  std::unordered_map<const ir::Node*, std::pair<IterVar, Range>> ranges_;
};

// For a normalized schedule (see normalize.h).
Bounds InferBounds(const Schedule& schedule);

// The memory scope of a stage's outputs: its own, or from the threads around it: none -> global,
// block -> shared, thread -> local (S10).
std::string StorageScope(const Stage& stage);

// The thread axis that the leaf's loop runs on; null for other loops. A leaf that is bound, of a
// stage whose memory each thread of that axis has for itself and that lies within a loop over the
// axis, has none: every thread computes what it needs by itself, so that the loop is a plain one
// over that (S45).
const std::string* ThreadTag(const Stage& stage, const IterVar& leaf);

}  // namespace lathe::schedule
