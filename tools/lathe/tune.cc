// `lathe tune`: searches for a fast schedule of a program, here or on another machine.
#include <algorithm>
#include <cstdio>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "ir/text/printer.h"
#include "runtime/rpc/connect.h"
#include "runtime/rpc/server.h"
#include "runtime/status.h"
#include "schedule/trace.h"
#include "te/workload_key.h"
#include "tools/lathe/files.h"
#include "tools/lathe/measure.h"
#include "tools/lathe/program.h"
#include "tools/lathe/progress.h"
#include "tools/lathe/remote.h"
#include "tools/lathe/remote_call.h"
#include "tune/reference.h"
#include "tune/schedule_space.h"
#include "tune/search.h"

namespace lathe::cli {
namespace {

using runtime::MakeStatus;
using tune::Point;
using tune::Trial;

constexpr Option kOptions[] = {
    kTargetOption,
    {"--trials", "N", "candidates that are measured (64)"},
    {"--minutes", "M", "ends after so many minutes, whatever the trials"},
    {"--tuner", "NAME", "random (the default), genetic, or grid: every point in its order"},
    {"--seed", "N", "the same seed gives the same candidates (1)"},
    {"--log", "FILE", "records of all trials are appended to it (tune.jsonl)"},
    {"--output", "FILE", "writes the program with the best schedule found", 'o'},
    {"--timeout", "SECONDS", "for each candidate: to compile it, and to run it (10)"},
    {"--builders", "N", "candidates that are compiled at once (1)"},
    kHostOption,
    kTrackerOption,
    {"--key", "KEY", "with --tracker: the kind of device"},
    {"--secret-file", "FILE", "if the other side has a secret"},
    kPassOption,
    kDisableOption,
};

// A server of this process, whose workers run candidates; or the other machine of --host or
// --tracker.
class Devices {
 public:
  static absl::StatusOr<std::unique_ptr<Devices>> Open(const Arguments& arguments) {
    auto devices = std::make_unique<Devices>(arguments);
    if (!devices->remote_) {
      runtime::rpc::ServerOptions options;
      options.worker = OwnWorker();
      options.supervisor.machine = runtime::rpc::ThisMachine();
      LATHE_ASSIGN_OR_RETURN(devices->server_, runtime::rpc::Server::Start(std::move(options)));
    }
    LATHE_ASSIGN_OR_RETURN(devices->first_, devices->Connect());
    devices->machine_ = devices->first_->machine();
    return devices;
  }
  explicit Devices(const Arguments& arguments)
      : arguments_(arguments), remote_(arguments.Has("--host") || arguments.Has("--tracker")) {}

  absl::StatusOr<Ref<runtime::Session>> Session() {
    if (first_) return Ref<runtime::Session>(std::exchange(first_, nullptr));
    LATHE_ASSIGN_OR_RETURN(Ref<runtime::rpc::RemoteSession> session, Connect());
    return Ref<runtime::Session>(std::move(session));
  }
  // For records: where candidates run.
  std::string machine() const { return machine_.target + "; " + machine_.features; }

 private:
  absl::StatusOr<Ref<runtime::rpc::RemoteSession>> Connect() const {
    if (remote_) return OpenSession(arguments_);
    runtime::rpc::ConnectOptions options;
    options.port = server_->port();
    return runtime::rpc::Connect(std::move(options));
  }

  const Arguments& arguments_;
  const bool remote_;
  std::unique_ptr<runtime::rpc::Server> server_;
  Ref<runtime::rpc::RemoteSession> first_;
  runtime::rpc::Machine machine_;
};

// Proposes one point.
class OnePoint final : public tune::Tuner {
 public:
  explicit OnePoint(Point point) : points_{std::move(point)} {}
  std::string_view name() const override { return "default"; }
  std::vector<Point> Propose(size_t) override { return std::exchange(points_, {}); }
  void Learn(std::span<const Point>, std::span<const double>) override {}

 private:
  std::vector<Point> points_;
};

std::unique_ptr<tune::Tuner> TunerOf(const Arguments& arguments, const tune::Space& space) {
  const auto seed = static_cast<uint64_t>(arguments.Integer("--seed", 1, 0, INT64_MAX));
  const std::string name = arguments.Get("--tuner", "random");
  if (name == "random") return tune::NewRandomTuner(space, seed);
  if (name == "genetic") return tune::NewGeneticTuner(space, {}, seed);
  if (name == "grid") return tune::NewGridTuner(space);
  throw UsageError(Diagnostic{.name = "cli-bad-value",
                              .message = "there is no tuner `" + name + "`",
                              .expected = "random, genetic or grid",
                              .found = "`" + name + "`",
                              .help = "`lathe tune --help` says what each does"});
}

// One `lathe tune`.
class Tuning {
 public:
  Tuning(const Arguments& arguments, tune::ScheduleSpace made,
         std::vector<tune::RunArgument> reference, std::unique_ptr<Devices> devices,
         std::unique_ptr<tune::Journal> journal)
      : arguments_(arguments),
        made_(std::move(made)),
        reference_(std::move(reference)),
        devices_(std::move(devices)),
        journal_(std::move(journal)) {
    const double timeout = arguments.Number("--timeout", 10, 0.1, 1e6);
    tune::RunOptions run;
    run.timer.repeat = 5;
    run.timer.min_repeat_ms = 5;
    run.timeout = timeout;
    std::vector<std::unique_ptr<tune::Runner>> runners;
    runners.push_back(
        std::make_unique<tune::Runner>([this] { return devices_->Session(); }, kDLCPU, 0, run));
    tune::MeasurerOptions options;
    options.limits.seconds = timeout;
    options.builders = static_cast<int>(arguments.Integer("--builders", 1, 1, 256));
    measurer_.emplace(std::move(runners), options);
    options_.trials = arguments.Integer("--trials", 64, 1, INT64_MAX);
    options_.seconds = 60 * arguments.Number("--minutes", 0, 0, 1e6);
    options_.batch = 8;
    options_.machine = devices_->machine();
  }

  absl::Status Run(const std::string& log) {
    const std::unique_ptr<tune::Tuner> tuner = TunerOf(arguments_, made_.space);
    LATHE_RETURN_IF_ERROR(ReadKnown(log));
    LATHE_ASSIGN_OR_RETURN(default_cost_, CostOf(made_.otherwise));
    std::printf("default    %s\n", TimeText(default_cost_).c_str());
    options_.known[made_.otherwise] = default_cost_;
    LATHE_ASSIGN_OR_RETURN(
        const tune::Found found,
        tune::Search(made_.space, made_.make, *tuner, *measurer_, reference_, journal_.get(),
                     options_, [this](const Trial& trial) { Tell(trial); }));
    progress_.Clear();
    best_ = found.best && found.cost < default_cost_ ? *found.best : made_.otherwise;
    std::printf("trials     %lld, %lld of them failed, %lld more were known; ended: %s\n",
                static_cast<long long>(found.trials), static_cast<long long>(found.failures),
                static_cast<long long>(found.known), found.ended.c_str());
    return Judge();
  }
  driver::ProgramToCompile Best() const { return made_.make(best_); }

 private:
  // Measures one point, which is not in the journal, and waits for it.
  absl::StatusOr<double> CostOf(const Point& point) {
    OnePoint one(point);
    tune::SearchOptions options = options_;
    options.known.clear();
    options.trials = 1;
    options.seconds = 0;
    options.same_failures = 1;
    LATHE_ASSIGN_OR_RETURN(const tune::Found found,
                           tune::Search(made_.space, made_.make, one, *measurer_, reference_,
                                        nullptr, options, [](const Trial&) {}));
    return found.cost;
  }

  // What earlier runs measured of this program on this machine.
  absl::Status ReadKnown(const std::string& log) {
    const driver::ProgramToCompile program = made_.make(made_.otherwise);
    const std::string workload =
        te::WorkloadKey(program.args, program.target.ToString()).ToString();
    return tune::ReadJournal(log,
                             [&](std::string_view text, int64_t) {
                               const auto record = tune::RecordFromText(text);
                               if (!record.ok() || record->workload != workload ||
                                   record->machine != devices_->machine())
                                 return;
                               const auto point = made_.space.PointOf(record->knobs);
                               if (point.ok()) options_.known[*point] = record->cost();
                             })
        .status();
  }

  void Tell(const Trial& trial) {
    ++trials_;
    failures_ += trial.measured.failure ? 1 : 0;
    if (trial.cost < best_cost_) {
      best_cost_ = trial.cost;
      progress_.Clear();
      std::printf("trial %-4lld %s, %.2f of the default: %s\n", static_cast<long long>(trials_),
                  TimeText(trial.cost).c_str(), trial.cost / default_cost_,
                  made_.space.ConfigOf(trial.point).Dump().c_str());
      std::fflush(stdout);
    }
    progress_.Show("trial " + std::to_string(trials_) + " of " + std::to_string(options_.trials) +
                   ", " + std::to_string(failures_) + " failed");
  }

  // The best again, by turns with the default: the first time may have been luck.
  absl::Status Judge() {
    constexpr int kRounds = 5;
    std::vector<double> best, plain;
    for (int round = 0; round < kRounds && best_ != made_.otherwise; ++round) {
      LATHE_ASSIGN_OR_RETURN(plain.emplace_back(), CostOf(made_.otherwise));
      LATHE_ASSIGN_OR_RETURN(best.emplace_back(), CostOf(best_));
    }
    std::sort(best.begin(), best.end());
    std::sort(plain.begin(), plain.end());
    if (best.empty() || best[kRounds / 2] >= plain[kRounds / 2]) {
      best_ = made_.otherwise;
      std::printf("best       the default: nothing faster was found\n");
      return absl::OkStatus();
    }
    std::printf("best       %s, measured again; the default %s: %.2f times as fast\n",
                TimeText(best[kRounds / 2]).c_str(), TimeText(plain[kRounds / 2]).c_str(),
                plain[kRounds / 2] / best[kRounds / 2]);
    for (size_t i = 0; i < best_.size(); ++i) {
      const tune::Knob& knob = made_.space.knobs()[i];
      if (best_[i] == made_.otherwise[i]) continue;
      std::printf("  %s: %s instead of %s\n", knob.name.c_str(),
                  knob.candidates[best_[i]].Dump().c_str(),
                  knob.candidates[made_.otherwise[i]].Dump().c_str());
    }
    return absl::OkStatus();
  }

  const Arguments& arguments_;
  const tune::ScheduleSpace made_;
  const std::vector<tune::RunArgument> reference_;
  const std::unique_ptr<Devices> devices_;
  const std::unique_ptr<tune::Journal> journal_;
  std::optional<tune::Measurer> measurer_;
  tune::SearchOptions options_;
  Progress progress_;
  double default_cost_ = 0, best_cost_ = 1e300;
  int64_t trials_ = 0, failures_ = 0;
  Point best_;
};

absl::Status Run(const Arguments& arguments) {
  const std::string& path = arguments.positional()[0];
  LATHE_ASSIGN_OR_RETURN(const LoadedProgram read, LoadProgram(path));
  LATHE_ASSIGN_OR_RETURN(
      tune::ScheduleSpace made,
      tune::MakeScheduleSpace(read.loaded.args, read.loaded.name, TargetOf(arguments),
                              MakePassContext(arguments), &driver::CompileCache::Default()));
  LATHE_ASSIGN_OR_RETURN(std::vector<tune::RunArgument> reference,
                         tune::MakeArguments(read.loaded.args));
  const std::string log = arguments.Get("--log", "tune.jsonl");
  LATHE_ASSIGN_OR_RETURN(std::unique_ptr<tune::Journal> journal, tune::Journal::Open(log));
  LATHE_ASSIGN_OR_RETURN(std::unique_ptr<Devices> devices, Devices::Open(arguments));
  std::printf("%s", made.space.ToString().c_str());
  Tuning tuning(arguments, std::move(made), std::move(reference), std::move(devices),
                std::move(journal));
  LATHE_RETURN_IF_ERROR(tuning.Run(log));
  std::printf("records    in %s; the same command goes on from there\n", log.c_str());
  if (!arguments.Has("--output")) return absl::OkStatus();
  const driver::ProgramToCompile best = tuning.Best();
  const std::string out = arguments.Get("--output");
  LATHE_ASSIGN_OR_RETURN(PartialOutput file, PartialOutput::Create(out));
  LATHE_RETURN_IF_ERROR(
      file.Write(ir::ToText(schedule::ToProgram(best.schedule, best.args, best.name))));
  LATHE_RETURN_IF_ERROR(file.Commit());
  std::printf("written    %s: `lathe run %s ... --time`\n", out.c_str(), out.c_str());
  return absl::OkStatus();
}

}  // namespace

const Command kTune = {
    .name = "tune",
    .arguments = "PROGRAM",
    .what = "search for a fast schedule of a program",
    .details =
        "Tries settings of the knobs of the schedule that is made for the target (`lathe compile "
        "PROGRAM\n"
        "--list-knobs`); a schedule in PROGRAM is ignored. Each candidate is compiled, compared "
        "with the\n"
        "program without a schedule on random inputs, and measured, in processes of their own: "
        "one that\n"
        "crashes or hangs is a failed trial. Every finished trial is in the log, also after "
        "Ctrl-C, and is\n"
        "not measured again there. In the end the best is measured again, by turns with the "
        "default.\n",
    .example =
        "  lathe tune examples/programs/gemm_tiled.lathe --trials 100 -o tuned.lathe\n"
        "  lathe run tuned.lathe random random --time\n"
        "  lathe tune gemm.lathe --target \"llvm -mtriple=aarch64-linux-gnu\" --tracker "
        "10.0.0.7:9190 --key rk3399\n",
    .options = kOptions,
    .fewest = 1,
    .most = 1,
    .run = Run,
};

}  // namespace lathe::cli
