// Which stages are inlined into their readers. Internal to AutoSchedule.
#pragma once

#include <map>
#include <set>
#include <utility>
#include <vector>

#include "schedule/schedule.h"
#include "topi/cpu/auto/reads.h"

namespace lathe::topi::cpu {

class Inlining {
 public:
  // `reads` must outlive it.
  Inlining(schedule::Schedule s, const Reads& reads) : s_(std::move(s)), reads_(reads) {}

  // Inlines the stage if that is worth it. Readers come first: whether they are inlined decides
  // what can be done with the stages that they read.
  void TryInline(const ir::Op& op);
  bool IsInlined(const ir::Op& op) const { return places_of_.contains(op.get()); }
  // The stages that read `op` directly or through inlined stages. The number is how many of the
  // leading indices are the reader's own leading axes.
  std::vector<std::pair<ir::Op, size_t>> EffectiveReaders(const ir::Op& op, size_t prefix) const;

 private:
  // The places at which the stages that are computed read `op`, directly or through inlined stages.
  // A place is such a stage plus the accesses on the path from it, without elementwise ones.
  std::set<size_t> PlacesOf(const ir::Op& op);
  size_t PlaceAt(size_t from, const void* step) {
    return places_.try_emplace({from, step}, places_.size() + 1).first->second;
  }

  schedule::Schedule s_;
  const Reads& reads_;
  std::map<const ir::Node*, std::set<size_t>> places_of_;    // of inlined stages
  std::map<std::pair<size_t, const void*>, size_t> places_;  // (place so far, next step) -> place
};

}  // namespace lathe::topi::cpu
