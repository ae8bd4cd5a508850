// `lathe tune MODEL`: the kernels of a model, one after the other, those first that promise most.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/poll.h"
#include "driver/auto_build.h"
#include "runtime/status.h"
#include "target/canonical.h"
#include "tools/lathe/files.h"
#include "tools/lathe/graph.h"
#include "tools/lathe/measure.h"
#include "tools/lathe/printable.h"
#include "tools/lathe/progress.h"
#include "tools/lathe/tuning.h"
#include "tune/task_scheduler.h"

namespace lathe::cli {
namespace {

constexpr int64_t kTrialsForEach = 64;

// A kernel of the model, and its search.
struct Kernel {
  std::string name;
  int64_t calls = 0;
  std::unique_ptr<KernelTuning> tuning;
  KernelTuning::Verdict verdict;
};

// One `lathe tune MODEL`.
class ModelTuning {
 public:
  ModelTuning(const Arguments& arguments, TuningGround& ground)
      : arguments_(arguments), ground_(ground) {}

  // Measures the kernels' default schedules, of those of the main device. Those without choices,
  // or whose sizes runs choose, stay as they are.
  absl::Status Take(std::vector<graph::CountedKernel> kernels,
                    const graph::GraphBuildOptions& options) {
    int64_t device = 0, dynamic = 0, fixed = 0;
    for (size_t i = 0; i < kernels.size(); ++i) {
      const graph::KernelProgram& kernel = kernels[i].kernel;
      progress_.Show("measuring kernel " + std::to_string(i + 1) + " of " +
                     std::to_string(kernels.size()) + " as it is: " + kernel.name);
      PollNow();
      if (kernel.device != options.main_device || !kernel.sizes.empty()) {
        ++(kernel.sizes.empty() ? device : dynamic);
        continue;
      }
      LATHE_ASSIGN_OR_RETURN(driver::ProgramToCompile otherwise,
                             driver::AutoProgram(kernel.args, kernel.name, kernels[i].target,
                                                 options.context, options.cache));
      LATHE_ASSIGN_OR_RETURN(otherwise.target, target::CanonicalTarget(kernels[i].target));
      absl::StatusOr<tune::ScheduleSpace> made = SpaceOf(arguments_, otherwise);
      if (!made.ok() && runtime::StatusName(made.status()) == "tune-no-knobs") {
        ++fixed;
        continue;
      }
      LATHE_RETURN_IF_ERROR(made.status());
      absl::StatusOr<std::vector<tune::RunArgument>> reference = tune::MakeArguments(kernel.args);
      if (!reference.ok()) {
        Leave(kernel.name, reference.status());
        continue;
      }
      auto tuning = std::make_unique<KernelTuning>(ground_, *std::move(made), std::move(otherwise),
                                                   *std::move(reference));
      if (const absl::Status begun = tuning->Begin(); !begun.ok()) {
        if (runtime::StatusName(begun) != "tune-default-failed") return begun;
        Leave(kernel.name, begun);
        continue;
      }
      kernels_.push_back({kernel.name, kernels[i].calls, std::move(tuning), {}});
    }
    progress_.Clear();
    std::printf("kernels    %zu, of which %zu can be tuned", kernels.size(), kernels_.size());
    if (fixed > 0) std::printf("; %lld leave no choice", static_cast<long long>(fixed));
    if (dynamic > 0) std::printf("; %lld have sizes of runs", static_cast<long long>(dynamic));
    if (device > 0) std::printf("; %lld are for another device", static_cast<long long>(device));
    std::printf("\ndefault    %s for all calls of a run\n", TimeText(Total()).c_str());
    std::fflush(stdout);
    return absl::OkStatus();
  }

  absl::Status Search() {
    begin_ = std::chrono::steady_clock::now();
    tune::SearchOptions options = ground_.SearchOptions();
    options.same_failures = static_cast<int64_t>(options.batch);
    seconds_ = options.seconds;
    int64_t most = options.trials;
    if (seconds_ <= 0 && !arguments_.Has("--trials"))
      most = kTrialsForEach * static_cast<int64_t>(kernels_.size());
    std::vector<tune::TaskScheduler::Task> tasks;
    for (const Kernel& kernel : kernels_)
      tasks.push_back({static_cast<double>(kernel.calls), kernel.tuning->otherwise_cost()});
    tune::TaskScheduler scheduler(tasks);
    while (trials_ < most) {
      const std::chrono::duration<double> since = std::chrono::steady_clock::now() - begin_;
      if (seconds_ > 0 && since.count() >= seconds_) break;
      const std::optional<size_t> next = scheduler.Next();
      if (!next) break;
      Kernel& kernel = kernels_[*next];
      options.trials = std::min<int64_t>(static_cast<int64_t>(options.batch), most - trials_);
      options.seconds = seconds_ > 0 ? seconds_ - since.count() : 0;
      const absl::StatusOr<tune::Found> found =
          kernel.tuning->Search(options, [&](const tune::Trial& trial) { Tell(kernel, trial); });
      if (!found.ok()) {
        // The candidates of one kernel fail, not the search.
        if (runtime::StatusName(found.status()) != "tune-same-failure" || device_lost_)
          return found.status();
        Leave(kernel.name, found.status());
        scheduler.End(*next);
        continue;
      }
      scheduler.Learn(*next, found->trials + found->known, kernel.tuning->best_cost());
      if (found->ended == "every point was tried") scheduler.End(*next);
    }
    progress_.Clear();
    std::printf("trials     %lld, %lld of them failed\n", static_cast<long long>(trials_),
                static_cast<long long>(failures_));
    return absl::OkStatus();
  }

  // Which kernels are faster indeed; a line for each, those first that save most.
  absl::Status Judge() {
    double before = 0, after = 0;
    for (Kernel& kernel : kernels_) {
      progress_.Show("measuring the best of " + kernel.name + " again");
      LATHE_ASSIGN_OR_RETURN(kernel.verdict, kernel.tuning->Judge());
      before += static_cast<double>(kernel.calls) * kernel.verdict.otherwise;
      after += static_cast<double>(kernel.calls) * kernel.verdict.best;
    }
    progress_.Clear();
    std::vector<const Kernel*> faster;
    for (const Kernel& kernel : kernels_) {
      if (Saved(kernel) > 0) faster.push_back(&kernel);
    }
    std::sort(faster.begin(), faster.end(),
              [](const Kernel* a, const Kernel* b) { return Saved(*a) > Saved(*b); });
    for (const Kernel* const kernel : faster) {
      std::printf(
          "  %-44s %3lld x  %10s -> %10s  %.2f times as fast\n", kernel->name.c_str(),
          static_cast<long long>(kernel->calls), TimeText(kernel->verdict.otherwise).c_str(),
          TimeText(kernel->verdict.best).c_str(), kernel->verdict.otherwise / kernel->verdict.best);
      for (const std::string& change : kernel->tuning->Changes())
        std::printf("      %s\n", change.c_str());
    }
    std::printf(
        "best       %zu of %zu kernels are faster than by default, measured again: %s -> "
        "%s for all calls\n",
        faster.size(), kernels_.size(), TimeText(before).c_str(), TimeText(after).c_str());
    return absl::OkStatus();
  }

  // Records of the kernels that are faster, into a new journal at `path`.
  absl::Status Write(const std::string& path) const {
    LATHE_ASSIGN_OR_RETURN(const std::unique_ptr<tune::Journal> journal, tune::Journal::Open(path));
    std::vector<std::string> lines;
    for (const Kernel& kernel : kernels_) {
      if (Saved(kernel) <= 0) continue;
      tune::Record record = tune::RecordFor(kernel.tuning->Best());
      record.seconds = kernel.verdict.seconds;
      record.machine = ground_.machine();
      record.tuner = TunerName(arguments_);
      lines.push_back(tune::ToText(record));
    }
    return journal->Append(lines);
  }

 private:
  static double Saved(const Kernel& kernel) {
    return static_cast<double>(kernel.calls) * (kernel.verdict.otherwise - kernel.verdict.best);
  }
  // Seconds of all calls, by what is known now.
  double Total() const {
    double total = 0;
    for (const Kernel& kernel : kernels_)
      total += static_cast<double>(kernel.calls) * kernel.tuning->best_cost();
    return total;
  }

  // A kernel that is not searched (any more), and why.
  void Leave(const std::string& kernel, const absl::Status& why) {
    progress_.Clear();
    std::fprintf(stderr, "note: %s is left as it is: %s\n", Printable(kernel).c_str(),
                 Printable(std::string(why.message())).c_str());
  }

  void Tell(const Kernel& kernel, const tune::Trial& trial) {
    ++trials_;
    device_lost_ =
        trial.measured.failure && trial.measured.failure->kind == tune::FailureKind::kDevice;
    failures_ += trial.measured.failure ? 1 : 0;
    progress_.Show("trial " + std::to_string(trials_) + ", " + std::to_string(failures_) +
                   " failed; " + TimeText(Total()) + " for all calls; now " + kernel.name +
                   TimeLeft(begin_, seconds_));
  }

  const Arguments& arguments_;
  TuningGround& ground_;
  Progress progress_;
  std::vector<Kernel> kernels_;
  int64_t trials_ = 0, failures_ = 0;
  std::chrono::steady_clock::time_point begin_;  // of the search
  double seconds_ = 0;                           // that it may take; 0: any
  bool device_lost_ = false;
};

}  // namespace

absl::Status TuneModel(const Arguments& arguments) {
  LATHE_ASSIGN_OR_RETURN(const LoadedGraph loaded,
                         LoadGraphFile(arguments.positional()[0], arguments));
  const auto [target, options] = GraphBuildOf(arguments);
  std::vector<graph::CountedKernel> kernels =
      graph::KernelsOf(loaded.module, loaded.function, target, options);
  LATHE_ASSIGN_OR_RETURN(const std::unique_ptr<TuningGround> ground,
                         TuningGround::Open(arguments, options.main_device));
  ModelTuning tuning(arguments, *ground);
  LATHE_RETURN_IF_ERROR(tuning.Take(std::move(kernels), options));
  LATHE_RETURN_IF_ERROR(tuning.Search());
  LATHE_RETURN_IF_ERROR(tuning.Judge());
  std::printf("records    in %s; the same command goes on from there\n", ground->log().c_str());
  if (!arguments.Has("--output")) return absl::OkStatus();
  const std::string out = arguments.Get("--output");
  LATHE_ASSIGN_OR_RETURN(PartialOutput output, PartialOutput::Create(out));
  LATHE_RETURN_IF_ERROR(tuning.Write(output.path()));
  LATHE_RETURN_IF_ERROR(output.Commit());
  std::printf("written    %s: `lathe compile %s --records %s -o MODEL.so`\n", out.c_str(),
              arguments.positional()[0].c_str(), out.c_str());
  return absl::OkStatus();
}

}  // namespace lathe::cli
