#include "tune/search.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <utility>
#include <vector>

#include "base/digest.h"
#include "base/error.h"
#include "base/poll.h"
#include "ir/text/printer.h"
#include "runtime/status.h"
#include "schedule/canonical_trace.h"
#include "schedule/trace.h"
#include "te/workload_key.h"
#include "tune/record.h"

namespace lathe::tune {
namespace {

using driver::ProgramToCompile;

double Now() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

std::string TextOf(const ProgramToCompile& program) {
  return ir::ToText(schedule::ToProgram(program.schedule, program.args, program.name));
}

// One call of Search.
class Searcher {
 public:
  Searcher(const Space& space, const Template& make, Tuner& tuner, Measurer& measurer,
           std::span<const RunArgument> arguments, Journal* journal, const SearchOptions& options,
           absl::FunctionRef<void(const Trial& trial)> told)
      : space_(space),
        make_(make),
        tuner_(tuner),
        measurer_(measurer),
        arguments_(arguments),
        journal_(journal),
        options_(options),
        told_(told) {}

  absl::StatusOr<Found> Run() {
    found_.cost = std::numeric_limits<double>::infinity();
    if (!options_.first.empty()) LATHE_RETURN_IF_ERROR(Measure(options_.first));
    while (WhyEnd().empty()) {
      const auto left = static_cast<size_t>(options_.trials - found_.trials);
      const std::vector<Point> points = tuner_.Propose(std::min(options_.batch, left));
      if (points.empty()) {
        found_.ended = "every point was tried";
        return found_;
      }
      LATHE_RETURN_IF_ERROR(Measure(points));
    }
    found_.ended = WhyEnd();
    return found_;
  }

 private:
  // "" as long as it goes on.
  std::string WhyEnd() const {
    const std::chrono::duration<double> since = std::chrono::steady_clock::now() - begun_;
    if (found_.trials >= options_.trials) return "trials";
    if (options_.seconds > 0 && since.count() >= options_.seconds) return "seconds";
    if (options_.early_stop > 0 && found_.trials - best_trial_ >= options_.early_stop)
      return "early stop";
    if (stale_ >= kInARow) return "no other program was found";
    return "";
  }

  absl::Status Measure(const std::vector<Point>& points) {
    std::vector<ProgramToCompile> programs;
    std::vector<size_t> point_of;      // of a program
    std::vector<std::string> digests;  // of a program
    std::vector<double> costs(points.size(), std::numeric_limits<double>::infinity());
    std::vector<std::pair<size_t, std::string>> same;  // points with a program of this search's
    absl::Status status;
    const auto take = [&](size_t at, Measured measured, const ProgramToCompile* program) {
      if (status.ok()) status = Take(points[at], std::move(measured), program, &costs[at]);
    };
    for (size_t i = 0; i < points.size(); ++i) {
      if (const auto known = options_.known.find(points[i]); known != options_.known.end()) {
        ++found_.known;
        costs[i] = known->second;
        Compare(points[i], costs[i]);
        continue;
      }
      try {
        ProgramToCompile program = make_(points[i]);
        const std::string digest = DigestOf(TextOf(program)).ToString();
        if (!cost_of_.emplace(digest, std::numeric_limits<double>::infinity()).second) {
          ++found_.known;
          ++stale_;
          same.emplace_back(i, digest);
          continue;
        }
        programs.push_back(std::move(program));
        point_of.push_back(i);
        digests.push_back(digest);
      } catch (const Interruption&) {
        throw;
      } catch (const Error& error) {
        take(i, {{}, Failure{FailureKind::kSchedule, error.what()}, 0}, nullptr);
      }
    }
    LATHE_RETURN_IF_ERROR(status);
    const auto done = [&](size_t index, const Measured& measured) {
      if (measured.failure && measured.failure->kind == FailureKind::kTooLarge) {
        if (status.ok()) status = Refuse(*measured.failure);
        return;
      }
      refused_ = stale_ = 0;
      take(point_of[index], measured, &programs[index]);
      cost_of_[digests[index]] = costs[point_of[index]];
    };
    measurer_.Measure(programs, arguments_, done, options_.most_nodes);
    LATHE_RETURN_IF_ERROR(status);
    for (const auto& [at, digest] : same) costs[at] = cost_of_.at(digest);
    tuner_.Learn(points, costs);
    return absl::OkStatus();
  }

  // `program` is null if there is none; then there is no record.
  absl::Status Take(const Point& point, Measured measured, const ProgramToCompile* program,
                    double* cost) {
    Record record;
    record.seconds = measured.seconds;
    *cost = record.cost();
    if (program != nullptr && journal_ != nullptr) {
      record = RecordFor(*program);
      Complete(point, measured, &record);
      const std::string text = ToText(record);
      LATHE_RETURN_IF_ERROR(journal_->Append({&text, 1}));
    }
    ++found_.trials;
    Compare(point, *cost);
    const std::optional<Failure> failure = measured.failure;
    told_(Trial{point, std::move(measured), *cost});
    if (!failure) {
      same_ = 0;
      return absl::OkStatus();
    }
    ++found_.failures;
    const std::string what =
        std::string(NameOf(failure->kind)) + ": " + FirstLine(failure->message);
    same_ = what == last_failure_ ? same_ + 1 : 1;
    last_failure_ = what;
    if (options_.same_failures <= 0 || same_ < options_.same_failures) return absl::OkStatus();
    return SameFailure(same_, what, failure->message);
  }

  absl::Status Refuse(const Failure& failure) {
    ++found_.refused;
    if (++refused_ < kInARow || options_.same_failures <= 0) return absl::OkStatus();
    return SameFailure(refused_, failure.message, failure.message);
  }

  static absl::Status SameFailure(int64_t times, const std::string& what,
                                  const std::string& message) {
    return runtime::MakeStatus(
        absl::StatusCode::kFailedPrecondition, "tune-same-failure",
        {"the last ", std::to_string(times), " candidates failed in the same way: ", what,
         "\nhelp: mend that, or set same_failures to 0 to go on in spite of it\n", message});
  }

  void Compare(const Point& point, double cost) {
    if (cost >= found_.cost) return;
    found_.cost = cost;
    found_.best = point;
    best_trial_ = found_.trials;
  }

  static std::string FirstLine(const std::string& text) { return text.substr(0, text.find('\n')); }

  void Complete(const Point& point, const Measured& measured, Record* record) {
    record->knobs = space_.ConfigOf(point);
    record->seconds = measured.seconds;
    record->failure = measured.failure;
    record->machine = options_.machine;
    record->tuner = std::string(tuner_.name());
    record->build_seconds = measured.build_seconds;
  }

  const Space& space_;
  const Template& make_;
  Tuner& tuner_;
  Measurer& measurer_;
  const std::span<const RunArgument> arguments_;
  Journal* const journal_;
  const SearchOptions& options_;
  const absl::FunctionRef<void(const Trial& trial)> told_;

  const std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
  Found found_;
  int64_t best_trial_ = 0, same_ = 0, refused_ = 0;
  int64_t stale_ = 0;  // points in a row whose program was measured before
  std::map<std::string, double> own_;
  std::map<std::string, double>& cost_of_ =
      options_.programs != nullptr ? *options_.programs : own_;
  std::string last_failure_;
};

}  // namespace

Record RecordFor(const ProgramToCompile& program) {
  Record record;
  record.target = program.target.ToString();
  record.workload = te::WorkloadKey(program.args, record.target).ToString();
  record.program = ir::ToText(schedule::CanonicalWithTrace(
      schedule::ToProgram(program.schedule, program.args, program.name)));
  record.runtime = driver::kVersion;
  record.when = Now();
  return record;
}

absl::StatusOr<Found> Search(const Space& space, const Template& make, Tuner& tuner,
                             Measurer& measurer, std::span<const RunArgument> arguments,
                             Journal* journal, const SearchOptions& options,
                             absl::FunctionRef<void(const Trial& trial)> told) {
  return Searcher(space, make, tuner, measurer, arguments, journal, options, told).Run();
}

}  // namespace lathe::tune
