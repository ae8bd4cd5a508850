// Runs compiled candidates on a device, through a session: whether they do what they should, and
// how long they take.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "runtime/session/session.h"
#include "runtime/tensor.h"
#include "runtime/timer.h"
#include "tune/record.h"

namespace lathe::tune {

// A parameter of the kernel, in calling order, by a compact tensor of the host.
struct RunArgument {
  runtime::Tensor tensor;  // what an input has, or what an output must have after a call
  bool output = false;
  double tolerance = 0;  // of an output: |found - wanted| <= tolerance * max(1, |wanted|)
};

struct RunOptions {
  runtime::TimerOptions timer;  // `go_on` and `preprocess` are not used
  // A function that the session exports (runtime/session/cache_flush.h), called with the arguments
  // before each sample; "" for none.
  std::string preprocess;
  double timeout = 10;  // seconds, for all that a candidate does on the device
  bool check = true;    // compare the outputs, once, before the time is measured
  // Sessions that are tried if one is lost for a reason that says nothing about the candidate.
  int attempts = 3;
};

struct RunResult {
  std::vector<double> seconds;  // of one call, each sample; empty if there is a failure
  std::optional<Failure> failure;
};

// Uses one session until that is lost, then opens another one: a candidate that crashes or hangs
// costs its session. Not thread-safe: use a runner for each device.
class Runner {
 public:
  using OpenSession = std::function<absl::StatusOr<Ref<runtime::Session>>()>;

  // `kind`, `id`: of the session's device, for example kDLCPU and 0.
  Runner(OpenSession open, int32_t kind, int32_t id, RunOptions options);
  ~Runner();

  // `code` is a module as it is saved, for the session's machine, and `module_kind` its loader
  // (driver::Compiled); `function` is called. Around each output lies memory that nobody may
  // change. Every failure is the result's, of these kinds: build (it cannot be loaded, or has no
  // such function), crash, timeout, out-of-memory, wrong-answer (also: it wrote outside of its
  // outputs), error (the call failed with a message), device. Throws only what ends the caller's
  // own work (base/poll.h).
  RunResult Run(std::string_view module_kind, std::string_view code, std::string_view function,
                std::span<const RunArgument> arguments);
  // The same in one session: if that is lost, the failure is `device`, and another runner may try.
  RunResult RunOnce(std::string_view module_kind, std::string_view code, std::string_view function,
                    std::span<const RunArgument> arguments);

  // Whether there is a session. Open waits for one, which a tracker may lend much later.
  bool is_open() const { return static_cast<bool>(session_); }
  absl::Status Open();
  int attempts() const { return options_.attempts; }

 private:
  // One attempt, within the limit of time. An error without a failure in the result is the
  // session's.
  absl::Status Try(std::string_view module_kind, std::string_view code, std::string_view function,
                   std::span<const RunArgument> arguments, RunResult* result);
  absl::Status Measure(std::string_view module_kind, std::string_view code,
                       std::string_view function, std::span<const RunArgument> arguments,
                       RunResult* result);

  const OpenSession open_;
  const int32_t kind_, id_;
  const RunOptions options_;
  Ref<runtime::Session> session_;  // null before the first candidate, and after it was lost
};

}  // namespace lathe::tune
