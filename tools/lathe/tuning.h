// What `lathe tune` does with each kernel, of a program file or of a model.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "tools/lathe/command.h"
#include "tune/journal.h"
#include "tune/measurer.h"
#include "tune/record.h"
#include "tune/reference.h"
#include "tune/schedule_space.h"
#include "tune/search.h"
#include "tune/tuner.h"

namespace lathe::cli {

// genetic, random or grid. Throws UsageError `cli-bad-value` for another --tuner.
std::string TunerName(const Arguments& arguments);

// Before any work: throws UsageError `cli-bad-value` if a number or the tuner is wrong, or if the
// log is the file of --output, which would replace it.
void CheckTuning(const Arguments& arguments);

// The devices of a search, how it measures on them, and where it writes.
class TuningGround {
 public:
  // `device`: the kind on which kernels run ("cpu", "opencl"). Opens a session, with a server of
  // this process or as --host or --tracker say, and the journal of --log, whose records of this
  // machine it reads.
  static absl::StatusOr<std::unique_ptr<TuningGround>> Open(const Arguments& arguments,
                                                            const std::string& device);
  TuningGround(const TuningGround&) = delete;
  ~TuningGround();

  const Arguments& arguments() const { return arguments_; }
  tune::Measurer& measurer() { return *measurer_; }
  tune::Journal& journal() { return *journal_; }
  const std::string& log() const { return log_; }
  // For records: where candidates run.
  std::string machine() const;
  // What the log has of a workload on this machine.
  const std::vector<tune::Record>& known(const std::string& workload) const;
  // As the arguments say: --trials, --minutes.
  tune::SearchOptions SearchOptions() const;

 private:
  class Devices;
  explicit TuningGround(const Arguments& arguments);

  const Arguments& arguments_;
  std::string log_;
  std::unique_ptr<Devices> devices_;
  std::unique_ptr<tune::Journal> journal_;
  std::optional<tune::Measurer> measurer_;
  std::map<std::string, std::vector<tune::Record>> known_;
};

// The search for the schedule of one kernel. Costs are seconds of a call.
class KernelTuning {
 public:
  // `otherwise`: the kernel with its default schedule. Throws UsageError `cli-bad-value` for a
  // --tuner that does not exist.
  KernelTuning(TuningGround& ground, tune::ScheduleSpace made, driver::ProgramToCompile otherwise,
               std::vector<tune::RunArgument> reference);

  // Measures the default schedule, and takes what the log has. Fails with `tune-default-failed`
  // if the default schedule cannot be measured, and if the device is lost.
  absl::Status Begin();
  // Goes on with the search, for so many trials (or as `options` says further).
  absl::StatusOr<tune::Found> Search(const tune::SearchOptions& options,
                                     const std::function<void(const tune::Trial& trial)>& told);
  // The best few against the default, measured again by turns: the first time may have been luck.
  struct Verdict {
    double best = 0, otherwise = 0;  // medians; equal if nothing faster was found
    std::vector<double> seconds;     // the best's samples
  };
  absl::StatusOr<Verdict> Judge();

  const tune::Space& space() const { return made_.space; }
  double otherwise_cost() const { return otherwise_cost_; }
  double best_cost() const { return best_cost_; }
  // The default, unless a faster one was found.
  driver::ProgramToCompile Best() const { return best_ ? made_.make(*best_) : otherwise_; }
  // "tile: 4 instead of 8" for each knob that the best one sets in another way; of a sketch, which
  // has nothing in common with the default schedule, "tile: 4" for each.
  std::vector<std::string> Changes() const;

 private:
  // Infinite if it fails: `failure` is why. Fails if the device is lost.
  absl::StatusOr<double> CostOf(const driver::ProgramToCompile& program, tune::Failure* failure);

  TuningGround& ground_;
  const tune::ScheduleSpace made_;
  const driver::ProgramToCompile otherwise_;
  const std::vector<tune::RunArgument> reference_;
  const std::unique_ptr<tune::Tuner> tuner_;
  std::map<tune::Point, double> known_;
  std::map<std::string, double> programs_;  // costs, by digest (tune::SearchOptions)
  double otherwise_cost_ = 0, best_cost_ = 0;
  size_t most_nodes_ = 0;
  std::optional<tune::Point> best_;
  bool begun_ = false;
};

// The space of a kernel that --space names, for the target of `otherwise`. Throws UsageError
// `cli-bad-value`; fails as MakeScheduleSpace and MakeSketchSpace do.
absl::StatusOr<tune::ScheduleSpace> SpaceOf(const Arguments& arguments,
                                            const driver::ProgramToCompile& otherwise);

// ", 2 min 5 s left" for progress; "" without a limit (0).
std::string TimeLeft(std::chrono::steady_clock::time_point begin, double seconds);

// `lathe tune MODEL`.
absl::Status TuneModel(const Arguments& arguments);
// `lathe tune records`, `lathe tune report`.
extern const Command kTuneRecords, kTuneReport;

}  // namespace lathe::cli
