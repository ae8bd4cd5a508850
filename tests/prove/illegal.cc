#include "tests/prove/illegal.h"

#include <algorithm>

#include "base/error.h"
#include "ir/structural.h"
#include "lower/pipeline.h"
#include "schedule/loop_nest.h"
#include "tests/prove/illegal_requests.h"
#include "tests/prove/random.h"
#include "tests/prove/run.h"

namespace lathe::prove {
namespace {

using schedule::Schedule;

void Expect(const IllegalKind& kind, const std::string& found) {
  if (std::find(kind.expected.begin(), kind.expected.end(), found) == kind.expected.end())
    throw Failed{std::string("illegal:") + kind.what,
                 "expected " + kind.expected[0] + ", found " + found};
}

}  // namespace

std::vector<std::string> IllegalKinds() {
  std::vector<std::string> names;
  for (const IllegalKind& kind : IllegalRequests()) names.emplace_back(kind.what);
  return names;
}

void CheckIllegal(const Schedule& schedule, const std::vector<ir::NodeRef>& args, uint64_t seed,
                  std::map<std::string, int64_t>* counts) {
  Random random(seed);
  // Ends, because some request always applies: an operation of no schedule, for example.
  for (;;) {
    Schedule copy = schedule::CopySchedule(schedule);
    const IllegalKind& kind = IllegalRequests()[random.Below(IllegalRequests().size())];
    Asking ask{copy, random};
    const size_t steps = copy->trace.size();
    std::string refused;
    try {
      kind.ask(ask);
    } catch (const DoesNotApply&) {
      continue;
    } catch (const Error& e) {
      refused = e.name();
    }
    if (counts != nullptr) ++(*counts)[kind.what];
    if (!refused.empty()) {
      Expect(kind, refused);
      // A request that is refused at once must change nothing. A request of two steps may have done
      // its first step.
      if (copy->trace.size() == steps &&
          !ir::StructuralEqual(schedule::LowerSchedule(schedule, args, "f"),
                               schedule::LowerSchedule(copy, args, "f"), true))
        throw Failed{std::string("illegal:") + kind.what, "a refused request changed the loops"};
      return;
    }
    if (kind.at_once) Expect(kind, "nothing: it was accepted");
    try {
      const ir::Func func = schedule::LowerSchedule(copy, args, "f");
      lower::RunPasses(ir::MakeModule({func}), lower::AllPasses(), {});
    } catch (const Error& e) {
      // Other steps may forbid the same, as with an unrolled loop that should be pipelined.
      static const std::vector<std::string> others = {
          "pipeline-refused", "schedule-rolling-refused", "schedule-prefetch-refused",
          "schedule-tensorize-illegal", "schedule-predicate-refused"};
      if (std::find(others.begin(), others.end(), e.name()) == others.end()) Expect(kind, e.name());
      return;
    }
    if (!kind.may_vanish) Expect(kind, "nothing: it was accepted");
    return;
  }
}

}  // namespace lathe::prove
