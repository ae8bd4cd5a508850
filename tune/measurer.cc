#include "tune/measurer.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <optional>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/poll.h"
#include "base/thread.h"
#include "runtime/cancel.h"
#include "runtime/error_object.h"
#include "runtime/start_thread.h"
#include "runtime/status.h"
#include "tune/argument_layouts.h"

namespace lathe::tune {
namespace {

// For how long the calling thread sleeps at most before it looks whether it is interrupted.
constexpr auto kLook = std::chrono::milliseconds(50);

BuildResult BuildBy(const MeasurerOptions& options, const driver::ProgramToCompile& candidate,
                    const BuildLimits& limits) {
  return options.build ? options.build(candidate, limits) : BuildCandidate(candidate, limits);
}

// Calls `run` with the arguments in the candidate's layouts.
RunResult WithArguments(ArgumentLayouts& layouts, const driver::ProgramToCompile& candidate,
                        absl::FunctionRef<RunResult(std::span<const RunArgument>)> run) {
  const absl::StatusOr<std::vector<RunArgument>> arguments = layouts.For(candidate);
  if (arguments.ok()) return run(*arguments);
  return {{}, Failure{FailureKind::kError, std::string(arguments.status().message())}};
}

}  // namespace

// One call of Measure: its threads, and what they hand over.
class Measurer::Run {
 public:
  Run(std::span<const driver::ProgramToCompile> candidates, std::span<const RunArgument> arguments,
      size_t most_waiting)
      : candidates_(candidates), layouts_(arguments), most_waiting_(most_waiting) {}
  ~Run() {
    stop_.Cancel();
    {
      const std::lock_guard lock(mutex_);
      stopped_ = true;
    }
    changed_.notify_all();
    for (Thread& thread : threads_) thread.join();
  }

  // One thread that builds and one that runs, or throws "thread-refused". If the system refuses
  // more, these do the work.
  void Start(const std::vector<std::unique_ptr<Runner>>& runners, const MeasurerOptions& options) {
    const size_t builders = static_cast<size_t>(std::max(options.builders, 1));
    threads_.reserve(builders + runners.size());
    for (size_t i = 0; i < std::max(builders, runners.size()); ++i) {
      absl::Status started;
      if (i < builders) started = Add("compiling candidates", [this, &options] { Build(options); });
      if (started.ok() && i < runners.size())
        started = Add("running candidates", [this, &runner = *runners[i]] { RunOn(runner); });
      if (started.ok()) continue;
      if (i == 0) runtime::ThrowStatus(started);
      return;
    }
  }

  // The next that is finished; nullopt after the last one.
  std::optional<std::pair<size_t, Measured>> Next() {
    PollNow();  // also if the next one is there at once, again and again
    std::unique_lock lock(mutex_);
    if (told_ == candidates_.size()) return std::nullopt;
    while (finished_.empty() && !problem_) {
      changed_.wait_for(lock, kLook);
      lock.unlock();
      PollNow();
      lock.lock();
    }
    if (finished_.empty()) std::rethrow_exception(problem_);
    return TakeFinished();
  }
  // The next that is there already.
  std::optional<std::pair<size_t, Measured>> NextFinished() {
    const std::lock_guard lock(mutex_);
    if (finished_.empty()) return std::nullopt;
    return TakeFinished();
  }

 private:
  // Needs the lock.
  std::pair<size_t, Measured> TakeFinished() {
    std::pair<size_t, Measured> next = std::move(finished_.front());
    finished_.pop_front();
    ++told_;
    return next;
  }

  struct Built {
    size_t index;
    BuildResult result;
    int lost = 0;  // sessions that were lost with it
  };

  template <class Work>
  absl::Status Add(std::string_view what, Work work) {
    LATHE_ASSIGN_OR_RETURN(Thread thread,
                           runtime::StartThread(what, [this, work] { Guard(work); }));
    threads_.push_back(std::move(thread));
    return absl::OkStatus();
  }

  // An error of a thread is the caller's. An interruption of `stop_` is nobody's.
  template <class Work>
  void Guard(const Work& work) {
    const runtime::CancelScope scope(stop_);
    try {
      work();
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!stopped_ && !problem_) problem_ = std::current_exception();
    }
    changed_.notify_all();
  }

  void Build(const MeasurerOptions& options) {
    for (;;) {
      size_t index = 0;
      {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [this] {
          return stopped_ || begun_ == candidates_.size() || waiting_.size() < most_waiting_;
        });
        if (stopped_ || begun_ == candidates_.size()) return;
        index = begun_++;
      }
      BuildResult result = BuildBy(options, candidates_[index], options.limits);
      const std::lock_guard lock(mutex_);
      if (result.failure) {
        Finish(index, {{}, std::move(result.failure), result.seconds, result.nodes});
      } else {
        waiting_.push_back({index, std::move(result)});
      }
      changed_.notify_all();
    }
  }

  void RunOn(Runner& runner) {
    for (;;) {
      if (!WaitForWork()) return;
      // Without a candidate in hand: a tracker may have no device until another runner of this
      // search gives its own back.
      if (!runner.is_open())
        runner.Open().IgnoreError();  // the candidate's attempt says what it is
      std::optional<Built> built = Take();
      if (!built) continue;
      changed_.notify_all();  // a builder may go on
      const driver::ProgramToCompile& candidate = candidates_[built->index];
      RunResult ran =
          WithArguments(layouts_, candidate, [&](std::span<const RunArgument> arguments) {
            return runner.RunOnce(built->result.code.module_kind, built->result.code.bytes,
                                  candidate.name, arguments);
          });
      const bool lost = ran.failure && ran.failure->kind == FailureKind::kDevice;
      const std::lock_guard lock(mutex_);
      if (lost && ++built->lost < runner.attempts()) {
        waiting_.push_front(*std::move(built));  // for whoever has a device
      } else {
        Finish(built->index, {std::move(ran.seconds), std::move(ran.failure), built->result.seconds,
                              built->result.nodes});
      }
      changed_.notify_all();
    }
  }

  // Until a candidate waits. False: there are no more.
  bool WaitForWork() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock,
                  [this] { return stopped_ || !waiting_.empty() || ended_ == candidates_.size(); });
    return !stopped_ && !waiting_.empty();
  }
  std::optional<Built> Take() {
    const std::lock_guard lock(mutex_);
    if (waiting_.empty()) return std::nullopt;
    Built built = std::move(waiting_.front());
    waiting_.pop_front();
    return built;
  }

  // With the lock.
  void Finish(size_t index, Measured measured) {
    finished_.emplace_back(index, std::move(measured));
    ++ended_;
  }

  const std::span<const driver::ProgramToCompile> candidates_;
  ArgumentLayouts layouts_;
  const size_t most_waiting_;
  runtime::Cancellation stop_;

  std::mutex mutex_;  // what follows
  std::condition_variable changed_;
  size_t begun_ = 0, ended_ = 0, told_ = 0;
  std::deque<Built> waiting_;
  std::deque<std::pair<size_t, Measured>> finished_;
  std::exception_ptr problem_;
  bool stopped_ = false;

  std::vector<Thread> threads_;
};

Measurer::Measurer(std::vector<std::unique_ptr<Runner>> runners, MeasurerOptions options)
    : runners_(std::move(runners)), options_(options) {
  if (runners_.empty())
    throw Error(Diagnostic{.name = "tune-no-device",
                           .message = "nothing can be measured without a device",
                           .expected = "a runner for each device",
                           .found = "none",
                           .help = "name a device, a server or a tracker"});
}

void Measurer::Measure(std::span<const driver::ProgramToCompile> candidates,
                       std::span<const RunArgument> arguments,
                       absl::FunctionRef<void(size_t index, const Measured& measured)> done,
                       size_t most_nodes) {
  MeasurerOptions options = options_;
  options.limits.most_nodes = most_nodes;
  Run run(candidates, arguments, runners_.size());
  run.Start(runners_, options);
  const auto next = [&] {
    try {
      return run.Next();
    } catch (...) {
      // What was measured before an interruption is not lost.
      while (const auto finished = run.NextFinished()) done(finished->first, finished->second);
      throw;
    }
  };
  while (const auto one = next()) done(one->first, one->second);
}

std::vector<Measured> Measurer::MeasureByTurns(std::span<const driver::ProgramToCompile> candidates,
                                               std::span<const RunArgument> arguments, int rounds) {
  std::vector<BuildResult> built;
  std::vector<Measured> measured(candidates.size());
  for (size_t i = 0; i < candidates.size(); ++i) {
    built.push_back(BuildBy(options_, candidates[i], options_.limits));
    measured[i].failure = built[i].failure;
    measured[i].build_seconds = built[i].seconds;
    measured[i].nodes = built[i].nodes;
  }
  // A device that is there: another one may not be lent before that one is given back.
  const auto open = std::find_if(runners_.begin(), runners_.end(),
                                 [](const auto& runner) { return runner->is_open(); });
  Runner& runner = open == runners_.end() ? *runners_[0] : **open;
  ArgumentLayouts layouts(arguments);
  for (int round = 0; round < rounds; ++round) {
    for (size_t i = 0; i < candidates.size(); ++i) {
      if (measured[i].failure) continue;
      RunResult ran = WithArguments(layouts, candidates[i], [&](std::span<const RunArgument> own) {
        return runner.Run(built[i].code.module_kind, built[i].code.bytes, candidates[i].name, own);
      });
      measured[i].failure = std::move(ran.failure);
      if (measured[i].failure) {
        measured[i].seconds.clear();
      } else {
        measured[i].seconds.push_back(MedianOf(ran.seconds));
      }
    }
  }
  return measured;
}

}  // namespace lathe::tune
