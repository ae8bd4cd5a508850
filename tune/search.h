// A search: a tuner proposes points of a space, a template makes programs of them, a measurer
// measures these, and a journal keeps everything.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "driver/cache/compile_cache.h"
#include "tune/journal.h"
#include "tune/measurer.h"
#include "tune/record.h"
#include "tune/space.h"
#include "tune/tuner.h"

namespace lathe::tune {

// Makes the program of a point. A thrown Error is the point's failure (FailureKind::kSchedule).
using Template = std::function<driver::ProgramToCompile(const Point& point)>;

struct SearchOptions {
  int64_t trials = 1000;
  double seconds = 0;      // for the whole search; 0: no limit. What is under way is finished
  int64_t early_stop = 0;  // ends after so many trials without a better one; 0: does not
  size_t batch = 16;       // points that are measured before the tuner learns from them
  // So many failures one after the other, of one kind and with one message, end the search: nothing
  // would be different the next time.
  int64_t same_failures = 10;
  // BuildLimits::most_nodes. Candidates that are larger are no trials: the tuner learns that they
  // are bad, and nobody is told. kInARow of them with nothing between end the search, too.
  size_t most_nodes = 0;
  std::string machine;  // for records: where candidates run
  // Points that were measured before, and their costs: the tuner learns them where it proposes
  // them, and they are not measured again.
  std::map<Point, double> known;
  // The same for programs, by the digest of their text: this search adds to it. Null: a search
  // knows its own programs alone.
  std::map<std::string, double>* programs = nullptr;
  std::vector<Point> first;  // measured before the tuner proposes any, which learns them
};

inline constexpr int64_t kInARow = 1000;

struct Trial {
  Point point;
  Measured measured;
  double cost = 0;  // seconds, the median of the samples; infinite if it failed
};

struct Found {
  std::optional<Point> best;
  double cost = 0;  // of `best`
  int64_t trials = 0, failures = 0;
  int64_t known = 0;    // points that were not measured again: their program was measured before
  int64_t refused = 0;  // points whose program is too large
  // Why: "trials", "seconds", "early stop", "every point was tried", "no other program was found"
  // (by kInARow points).
  std::string ended;
};

// A record of a program, without what measuring tells: workload, target, program, runtime, when.
Record RecordFor(const driver::ProgramToCompile& program);

// Points of one program, as there are where knobs do not matter, are one trial: the others cost
// what that did. Calls `told` after each trial, when its record is on the disk (`journal`, unless
// null). Fails with `tune-same-failure`, which has that failure's message, and as Journal::Append
// does; an interruption of the caller (base/poll.h) is thrown. Records of trials that are done stay
// in every case.
absl::StatusOr<Found> Search(const Space& space, const Template& make, Tuner& tuner,
                             Measurer& measurer, std::span<const RunArgument> arguments,
                             Journal* journal, const SearchOptions& options,
                             absl::FunctionRef<void(const Trial& trial)> told);

}  // namespace lathe::tune
