// The kinds of illegal requests, which change a schedule or ask it to. Internal to illegal.h.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "schedule/schedule.h"
#include "tests/prove/random.h"

namespace lathe::prove {

// Thrown if a request does not apply to the schedule.
struct DoesNotApply {};

struct Asking {
  schedule::Schedule& schedule;
  Random& random;

  template <class Suits>
  schedule::Stage& AnyStage(Suits suits) {
    std::vector<schedule::Stage*> found;
    for (const Ref<schedule::Stage>& stage : schedule->stages) {
      if (suits(*stage)) found.push_back(stage.get());
    }
    if (found.empty()) throw DoesNotApply();
    return *random.Pick(found);
  }
  template <class Suits>
  std::pair<schedule::Stage*, ir::IterVar> AnyLeaf(Suits suits) {
    std::vector<std::pair<schedule::Stage*, ir::IterVar>> found;
    for (const Ref<schedule::Stage>& stage : schedule->stages) {
      if (stage->attach == schedule::AttachKind::kInline) continue;
      for (const ir::IterVar& leaf : stage->leaf_axes) {
        if (suits(*stage, leaf)) found.emplace_back(stage.get(), leaf);
      }
    }
    if (found.empty()) throw DoesNotApply();
    return random.Pick(found);
  }
};

// A kind of request.
struct IllegalKind {
  const char* what;
  void (*ask)(Asking& ask);
  std::vector<std::string> expected;  // any of these
  // Not an error if lowering drops the loop, because its nest never runs.
  bool may_vanish = false;
  // The request itself must be refused. A refusal by lowering is not enough.
  bool at_once = false;
};

const std::vector<IllegalKind>& IllegalRequests();

}  // namespace lathe::prove
