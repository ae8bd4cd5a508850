#include "tools/lathe/tuning.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "runtime/rpc/connect.h"
#include "runtime/rpc/server.h"
#include "runtime/status.h"
#include "te/workload_key.h"
#include "tools/lathe/outputs.h"
#include "tools/lathe/remote.h"
#include "tools/lathe/remote_call.h"
#include "tune/sketch_space.h"

namespace lathe::cli {

using tune::Point;

// A server of this process, whose workers run candidates; or the other machine of --host or
// --tracker.
class TuningGround::Devices {
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

namespace {

// Else the space has nothing in common with the default schedule.
bool IsKnobs(const Arguments& arguments) { return arguments.Get("--space", "knobs") == "knobs"; }

uint64_t SeedOf(const Arguments& arguments) {
  return static_cast<uint64_t>(arguments.Integer("--seed", 1, 0, INT64_MAX));
}

std::unique_ptr<tune::Tuner> TunerOf(const Arguments& arguments, const tune::Space& space) {
  const std::string name = TunerName(arguments);
  if (name == "random") return tune::NewRandomTuner(space, SeedOf(arguments));
  if (name == "grid") return tune::NewGridTuner(space);
  return tune::NewGeneticTuner(space, {}, SeedOf(arguments));
}

std::string LogOf(const Arguments& arguments) { return arguments.Get("--log", "tune.jsonl"); }

tune::SearchOptions SearchOptionsOf(const Arguments& arguments) {
  tune::SearchOptions options;
  options.seconds = 60 * arguments.Number("--minutes", 0, 1e-3, 1e6);
  const int64_t most = options.seconds > 0 ? INT64_MAX : 64;
  options.trials = arguments.Integer("--trials", most, 1, INT64_MAX);
  options.batch = 8;
  return options;
}

double TimeoutOf(const Arguments& arguments) { return arguments.Number("--timeout", 10, 0.1, 1e6); }

int BuildersOf(const Arguments& arguments) {
  return static_cast<int>(arguments.Integer("--builders", 1, 1, 256));
}

}  // namespace

std::string TunerName(const Arguments& arguments) {
  std::string name = arguments.Get("--tuner", "genetic");
  if (name == "random" || name == "genetic" || name == "grid") return name;
  throw UsageError(Diagnostic{.name = "cli-bad-value",
                              .message = "there is no tuner `" + name + "`",
                              .expected = "genetic, random or grid",
                              .found = "`" + name + "`",
                              .help = "`lathe tune --help` says what each does"});
}

void CheckTuning(const Arguments& arguments) {
  (void)SearchOptionsOf(arguments);
  (void)TimeoutOf(arguments);
  (void)BuildersOf(arguments);
  (void)TunerName(arguments);
  (void)SeedOf(arguments);
  if (!arguments.Has("--output") || !AreOneFile(arguments.Get("--output"), LogOf(arguments)))
    return;
  throw UsageError(Diagnostic{.name = "cli-bad-value",
                              .message = "option `--output` names the log, which it would replace",
                              .expected = "two files",
                              .found = "`" + arguments.Get("--output") + "`",
                              .help = "choose another name for one of `--output` and `--log`"});
}

TuningGround::TuningGround(const Arguments& arguments)
    : arguments_(arguments), log_(LogOf(arguments)) {}
TuningGround::~TuningGround() = default;

absl::StatusOr<std::unique_ptr<TuningGround>> TuningGround::Open(const Arguments& arguments,
                                                                 const std::string& device) {
  std::unique_ptr<TuningGround> ground(new TuningGround(arguments));
  LATHE_ASSIGN_OR_RETURN(ground->journal_, tune::Journal::Open(ground->log_));
  LATHE_ASSIGN_OR_RETURN(ground->devices_, Devices::Open(arguments));
  const double timeout = TimeoutOf(arguments);
  tune::RunOptions run;
  run.timer.repeat = 5;
  run.timer.min_repeat_ms = 5;
  run.timeout = timeout;
  std::vector<std::unique_ptr<tune::Runner>> runners;
  runners.push_back(std::make_unique<tune::Runner>(
      [devices = ground->devices_.get()] { return devices->Session(); },
      runtime::DeviceKindFromName(device), 0, run));
  tune::MeasurerOptions options;
  options.limits.seconds = timeout;
  options.builders = BuildersOf(arguments);
  ground->measurer_.emplace(std::move(runners), options);
  LATHE_RETURN_IF_ERROR(tune::ReadJournal(ground->log_, [&](std::string_view text, int64_t) {
                          absl::StatusOr<tune::Record> record = tune::RecordFromText(text);
                          if (record.ok() && record->machine == ground->machine())
                            ground->known_[record->workload].push_back(*std::move(record));
                        }).status());
  return ground;
}

std::string TuningGround::machine() const { return devices_->machine(); }

const std::vector<tune::Record>& TuningGround::known(const std::string& workload) const {
  static const std::vector<tune::Record> none;
  const auto at = known_.find(workload);
  return at == known_.end() ? none : at->second;
}

tune::SearchOptions TuningGround::SearchOptions() const {
  tune::SearchOptions options = SearchOptionsOf(arguments_);
  options.machine = machine();
  return options;
}

std::string TimeLeft(std::chrono::steady_clock::time_point begin, double seconds) {
  if (seconds <= 0) return "";
  const std::chrono::duration<double> since = std::chrono::steady_clock::now() - begin;
  const auto left = static_cast<int64_t>(std::max(seconds - since.count(), 0.0));
  return ", " +
         (left >= 60 ? std::to_string(left / 60) + " min " + std::to_string(left % 60) + " s"
                     : std::to_string(left) + " s") +
         " left";
}

KernelTuning::KernelTuning(TuningGround& ground, tune::ScheduleSpace made,
                           driver::ProgramToCompile otherwise,
                           std::vector<tune::RunArgument> reference)
    : ground_(ground),
      made_(std::move(made)),
      otherwise_(std::move(otherwise)),
      reference_(std::move(reference)),
      tuner_(TunerOf(ground.arguments(), made_.space)) {}

absl::Status KernelTuning::Begin() {
  tune::Failure failure;
  LATHE_ASSIGN_OR_RETURN(otherwise_cost_, CostOf(otherwise_, &failure));
  if (!std::isfinite(otherwise_cost_))
    return runtime::MakeStatus(
        absl::StatusCode::kFailedPrecondition, "tune-default-failed",
        {"`", otherwise_.name,
         "` with its own schedule cannot be measured: ", tune::NameOf(failure.kind), "\n",
         failure.message, "\nhelp: --timeout gives it more time"});
  best_cost_ = otherwise_cost_;
  const std::string workload =
      te::WorkloadKey(otherwise_.args, otherwise_.target.ToString()).ToString();
  for (const tune::Record& record : ground_.known(workload)) {
    const auto point = made_.space.PointOf(record.knobs);
    // A device that was lost says nothing.
    if (!point.ok() || (record.failure && record.failure->kind == tune::FailureKind::kDevice))
      continue;
    known_[*point] = record.cost();
    if (record.cost() < best_cost_) {
      best_cost_ = record.cost();
      best_ = *point;
    }
  }
  if (IsKnobs(ground_.arguments())) known_[made_.otherwise] = otherwise_cost_;
  return absl::OkStatus();
}

absl::StatusOr<tune::Found> KernelTuning::Search(
    const tune::SearchOptions& options, const std::function<void(const tune::Trial& trial)>& told) {
  tune::SearchOptions own = options;
  own.known = known_;
  own.programs = &programs_;
  own.most_nodes = most_nodes_;
  if (!std::exchange(begun_, true) && known_.count(made_.otherwise) == 0)
    own.first.push_back(made_.otherwise);
  LATHE_ASSIGN_OR_RETURN(
      tune::Found found,
      tune::Search(made_.space, made_.make, *tuner_, ground_.measurer(), reference_,
                   &ground_.journal(), own, [&](const tune::Trial& trial) {
                     known_[trial.point] = trial.cost;
                     told(trial);
                   }));
  if (found.best && found.cost < best_cost_ &&
      (!IsKnobs(ground_.arguments()) || *found.best != made_.otherwise)) {
    best_ = *found.best;
    best_cost_ = found.cost;
  }
  return found;
}

absl::StatusOr<double> KernelTuning::CostOf(const driver::ProgramToCompile& program,
                                            tune::Failure* failure) {
  tune::Record record;
  ground_.measurer().Measure({&program, 1}, reference_,
                             [&](size_t, const tune::Measured& measured) {
                               record.seconds = measured.seconds;
                               record.failure = measured.failure;
                               // A program that is large by default may be so in other ways.
                               most_nodes_ = std::max(tune::kMostNodes, 2 * measured.nodes);
                             });
  if (!record.failure) return record.cost();
  *failure = *record.failure;
  if (failure->kind != tune::FailureKind::kDevice) return std::numeric_limits<double>::infinity();
  return absl::UnavailableError(failure->message);  // which has its name
}

absl::StatusOr<KernelTuning::Verdict> KernelTuning::Judge() {
  constexpr int kRounds = 5;
  constexpr size_t kBest = 4;
  Verdict verdict{otherwise_cost_, otherwise_cost_, {}};
  if (!best_) return verdict;
  const bool knobs = IsKnobs(ground_.arguments());
  std::vector<std::pair<double, Point>> order;
  for (const auto& [point, cost] : known_)
    if (std::isfinite(cost) && point != *best_ && !(knobs && point == made_.otherwise))
      order.emplace_back(cost, point);
  std::sort(order.begin(), order.end());
  std::vector<Point> points = {*best_};
  for (size_t i = 0; i < order.size() && points.size() < kBest; ++i)
    points.push_back(order[i].second);
  std::vector<driver::ProgramToCompile> programs = {otherwise_};
  for (const Point& point : points) programs.push_back(made_.make(point));
  const std::vector<tune::Measured> measured =
      ground_.measurer().MeasureByTurns(programs, reference_, kRounds);
  for (const tune::Measured& one : measured) {
    if (one.failure && one.failure->kind == tune::FailureKind::kDevice)
      return absl::UnavailableError(one.failure->message);  // which has its name
  }
  verdict.best = verdict.otherwise = tune::MedianOf(measured[0].seconds);
  best_.reset();
  // One that failed now, though it did not before, is not relied on: its cost is infinite.
  for (size_t i = 0; i < points.size(); ++i) {
    const double cost = tune::MedianOf(measured[i + 1].seconds);
    if (cost >= verdict.best) continue;
    verdict.best = cost;
    verdict.seconds = measured[i + 1].seconds;
    best_ = points[i];
  }
  return verdict;
}

std::vector<std::string> KernelTuning::Changes() const {
  std::vector<std::string> changes;
  const bool knobs = IsKnobs(ground_.arguments());
  for (size_t i = 0; best_ && i < best_->size(); ++i) {
    const tune::Knob& knob = made_.space.knobs()[i];
    const uint32_t own = (*best_)[i];
    if (knobs && own == made_.otherwise[i]) continue;
    std::string change = knob.name + ": " + knob.candidates[own].Dump();
    if (knobs) change += " instead of " + knob.candidates[made_.otherwise[i]].Dump();
    changes.push_back(std::move(change));
  }
  return changes;
}

absl::StatusOr<tune::ScheduleSpace> SpaceOf(const Arguments& arguments,
                                            const driver::ProgramToCompile& otherwise) {
  const std::string space = arguments.Get("--space", "knobs");
  driver::CompileCache* const cache = &driver::CompileCache::Default();
  if (space == "knobs")
    return tune::MakeScheduleSpace(otherwise.args, otherwise.name, otherwise.target,
                                   otherwise.context, cache);
  if (space == "sketch")
    return tune::MakeSketchSpace(otherwise.args, otherwise.name, otherwise.target,
                                 otherwise.context, cache);
  throw UsageError(Diagnostic{.name = "cli-bad-value",
                              .message = "there is no space `" + space + "`",
                              .expected = "knobs or sketch",
                              .found = "`" + space + "`",
                              .help = "`lathe tune --help` says what each is"});
}

}  // namespace lathe::cli
