#include "bench/tuning/ground.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <climits>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "base/error.h"
#include "driver/auto_build.h"
#include "ir/text/printer.h"
#include "runtime/rpc/connect.h"
#include "runtime/status.h"
#include "schedule/trace.h"
#include "target/canonical.h"
#include "target/machine_of.h"
#include "tune/builder.h"
#include "tune/reference.h"
#include "tune/sketch_space.h"

namespace lathe::bench {
namespace {

using driver::ProgramToCompile;
using std::chrono::steady_clock;

template <class T>
T Take(absl::StatusOr<T> value) {
  runtime::ThrowIfError(value.status());
  return *std::move(value);
}

std::vector<TunedKernel> Wanted(std::vector<TunedKernel> kernels, const TuningOptions& options) {
  std::erase_if(kernels, [&](const TunedKernel& kernel) { return !options.Wants(kernel.name); });
  return kernels;
}

std::unique_ptr<tune::Tuner> TunerOf(const std::string& name, const tune::Space& space,
                                     uint64_t seed) {
  if (name == "random") return tune::NewRandomTuner(space, seed);
  return tune::NewGeneticTuner(space, {}, seed);
}

}  // namespace

bool TuningOptions::Wants(const std::string& kernel) const {
  return kernels.empty() ||
         std::any_of(kernels.begin(), kernels.end(),
                     [&](const std::string& prefix) { return kernel.rfind(prefix, 0) == 0; });
}

TuningGround::TuningGround(const TuningOptions& options) : options_(options) {
  target_ = Take(target::CanonicalTarget(target::ParseTarget("llvm")));
  setenv("LATHE_NUM_THREADS", std::to_string(options.threads).c_str(), 1);  // workers inherit it
  runtime::rpc::ServerOptions server;
  char path[PATH_MAX];
  const ssize_t size = readlink("/proc/self/exe", path, sizeof path);
  server.worker = {std::string(path, size > 0 ? static_cast<size_t>(size) : 0), "worker"};
  server.supervisor.machine = runtime::rpc::ThisMachine();
  server.supervisor.max_sessions = 2;  // the measurer's, and a runner of a section's own
  server_ = Take(runtime::rpc::Server::Start(std::move(server)));
  std::vector<std::unique_ptr<tune::Runner>> runners;
  runners.push_back(NewRunner());
  measurer_.emplace(std::move(runners), tune::MeasurerOptions{});
}

TuningGround::~TuningGround() = default;

std::unique_ptr<tune::Runner> TuningGround::NewRunner() {
  tune::RunOptions options;  // as `lathe tune` has them
  options.timer.repeat = 5;
  options.timer.min_repeat_ms = 5;
  return std::make_unique<tune::Runner>(
      [this]() -> absl::StatusOr<Ref<runtime::Session>> {
        runtime::rpc::ConnectOptions connect;
        connect.port = server_->port();
        LATHE_ASSIGN_OR_RETURN(Ref<runtime::rpc::RemoteSession> session,
                               runtime::rpc::Connect(std::move(connect)));
        return Ref<runtime::Session>(std::move(session));
      },
      kDLCPU, 0, options);
}

Ready TuningGround::WithKnobs(const TunedKernel& kernel) const {
  tune::ScheduleSpace made =
      Take(tune::MakeScheduleSpace(kernel.args, "kernel", target_, {}, nullptr));
  ProgramToCompile otherwise = made.make(made.otherwise);
  return {kernel.name, std::move(made), std::move(otherwise),
          Take(tune::MakeArguments(kernel.args))};
}

Ready TuningGround::WithSketch(const TunedKernel& kernel) const {
  ProgramToCompile otherwise =
      Take(driver::AutoProgram(kernel.args, "kernel", target_, {}, nullptr));
  otherwise.target = target_;
  tune::ScheduleSpace made =
      Take(tune::MakeSketchSpace(kernel.args, "kernel", target_, {}, nullptr));
  const tune::Point first = made.otherwise;
  return {kernel.name,
          std::move(made),
          std::move(otherwise),
          Take(tune::MakeArguments(kernel.args)),
          {first}};
}

std::vector<TunedKernel> TuningGround::Templates() const {
  return Wanted(TemplateKernels(target::MachineOf(target_)), options_);
}

std::vector<TunedKernel> TuningGround::Others() const { return Wanted(OtherKernels(), options_); }

std::vector<Tried> TuningGround::Search(const Ready& kernel, const std::string& tuner,
                                        int64_t trials) {
  const std::string withheld = TextOf(kernel.otherwise);
  const tune::Template make = [&](const tune::Point& point) {
    ProgramToCompile program = kernel.made.make(point);
    if (TextOf(program) == withheld)
      throw Error(Diagnostic{.name = "bench-withheld", .message = "this is the default schedule"});
    return program;
  };
  tune::SearchOptions options;
  options.trials = trials;
  options.seconds = 60 * options_.minutes;
  options.batch = 8;
  options.same_failures = 0;
  if (tuner != "random") options.first = kernel.first;
  options.most_nodes = std::max(tune::kMostNodes, 2 * tune::BuildCandidate(kernel.otherwise).nodes);
  const std::unique_ptr<tune::Tuner> chooser = TunerOf(tuner, kernel.made.space, options_.seed);
  std::vector<Tried> tried;
  int64_t failed = 0;
  double best = INFINITY;
  const auto begun = steady_clock::now();
  const auto told = [&](const tune::Trial& trial) {
    const std::chrono::duration<double> since = steady_clock::now() - begun;
    tried.push_back({trial.point, trial.cost, since.count(), trial.measured.build_seconds});
    failed += trial.measured.failure ? 1 : 0;
    best = std::min(best, trial.cost);
    if (tried.size() % 50 == 0)
      std::fprintf(stderr, "%s, %s: %zu of %lld trials, %lld failed, %.0f s, best %.4f ms\n",
                   kernel.name.c_str(), tuner.c_str(), tried.size(), static_cast<long long>(trials),
                   static_cast<long long>(failed), since.count(), best * 1e3);
  };
  const tune::Found found = Take(tune::Search(kernel.made.space, make, *chooser, *measurer_,
                                              kernel.arguments, nullptr, options, told));
  std::fprintf(stderr, "%s, %s: ended: %s; %lld points refused as too large, %lld known programs\n",
               kernel.name.c_str(), tuner.c_str(), found.ended.c_str(),
               static_cast<long long>(found.refused), static_cast<long long>(found.known));
  return tried;
}

double TuningGround::AgainstDefault(const Ready& kernel, const std::vector<Tried>& tried,
                                    int64_t trials) {
  std::vector<ProgramToCompile> programs = {kernel.otherwise};
  for (const tune::Point& point : BestOf(tried, static_cast<size_t>(trials), 3))
    programs.push_back(kernel.made.make(point));
  if (programs.size() == 1) return 0;
  const std::vector<double> costs = ByTurns(kernel, programs);
  return costs[0] / *std::min_element(costs.begin() + 1, costs.end());
}

std::vector<double> TuningGround::ByTurns(const Ready& kernel,
                                          const std::vector<ProgramToCompile>& programs) {
  std::vector<double> costs;
  for (const tune::Measured& measured :
       measurer_->MeasureByTurns(programs, kernel.arguments, options_.quick ? 3 : 9))
    costs.push_back(tune::MedianOf(measured.seconds));
  return costs;
}

std::string TextOf(const ProgramToCompile& program) {
  return ir::ToText(schedule::ToProgram(program.schedule, program.args, program.name));
}

std::vector<tune::Point> BestOf(const std::vector<Tried>& tried, size_t trials, size_t most) {
  std::vector<std::pair<double, tune::Point>> order;
  for (size_t i = 0; i < std::min(trials, tried.size()); ++i)
    if (std::isfinite(tried[i].cost)) order.emplace_back(tried[i].cost, tried[i].point);
  std::sort(order.begin(), order.end());
  std::vector<tune::Point> best;
  for (size_t i = 0; i < std::min(most, order.size()); ++i) best.push_back(order[i].second);
  return best;
}

double Quantile(std::vector<double> numbers, double share) {
  if (numbers.empty()) return NAN;
  std::sort(numbers.begin(), numbers.end());
  return numbers[static_cast<size_t>(share * static_cast<double>(numbers.size() - 1) + 0.5)];
}

double GeometricMean(const std::vector<double>& numbers) {
  double sum = 0;
  for (const double number : numbers) sum += std::log(number);
  return numbers.empty() ? NAN : std::exp(sum / static_cast<double>(numbers.size()));
}

}  // namespace lathe::bench
