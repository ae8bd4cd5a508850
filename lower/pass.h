// Passes and the driver that runs them: each pass is timed, can be dumped, and can be verified.
//
// A pass is a free function in a file of its own; a pipeline is a table of passes
// (lower/pipeline.h).
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "ir/module.h"
#include "ir/verifier.h"
#include "target/machine.h"

namespace lathe::lower {

class PassContext;
struct WorkspaceUse;  // lower/workspace.h

struct Pass {
  const char* name;
  const char* what;  // one line for `lathe lower --list-passes`
  ir::Module (*run)(const ir::Module&, const PassContext&);
  ir::Stage after;  // the stage that the module has reached afterwards
};

// The options of one compilation, set at the API and then passed down; nothing is global. Read-only
// while a pipeline runs, so that several threads may use one context.
class PassContext {
 public:
  // Sets an option by name ("unroll.max_steps"); unknown names are refused. Option() knows the
  // defaults.
  void Set(const std::string& option, int64_t value);
  int64_t Option(std::string_view option) const;
  // Everything that influences the result of a compilation, as text: options that were set,
  // disabled passes. If two contexts have equal texts, and `device` and `supports` are null in
  // both, they compile equal modules in the same way.
  std::string Fingerprint() const;

  // The keys by which rules for intrinsics are chosen (lower/intrinsics.h), the most specific
  // first.
  std::vector<std::string> target_keys = {"cpu"};
  // The features of the target's processor beyond its architecture's baseline ("avx512f",
  // "dotprod").
  std::set<std::string, std::less<>> features;
  // The device for which kernels are made; null if there is none (lower/device/device_limits.h).
  std::shared_ptr<const target::Machine> device;
  std::set<std::string, std::less<>> disabled;  // passes to leave out, by name
  bool verify = false;                          // verify after each pass
  // True if the target has an operation on an element type: "arithmetic", "cast" (between it and
  // wider types), "vector". Null: the target has all operations.
  std::function<bool(std::string_view operation, DataType dtype)> supports;
  // Called after each pass, with the module before and after it.
  std::function<void(const Pass&, const ir::Module& before, const ir::Module& after,
                     double seconds)>
      after_pass;
  // The user's own passes: called after each pass with its result; compilation continues with the
  // returned module. It must keep the rules of the module's stage.
  std::function<ir::Module(const Pass&, const ir::Module&)> user_passes;
  // Called with the time of each step of a compilation, from the schedule to the loaded module;
  // `who` is "schedule", "pass", "driver" or "plugin". Several threads may call it at once.
  // driver::CompileTimes collects and prints the times.
  std::function<void(std::string_view who, std::string_view step, double seconds)> timed;
  // Called with the scratch memory of each host function, once per lowering.
  std::function<void(const WorkspaceUse&)> workspace;
  // Called for each hint of a schedule that is found to have no effect (lower/hint_notes.h); null:
  // nobody is told. driver::Lower finds them.
  std::function<void(const Diagnostic&)> note;
  // Seconds that each call of the driver with this context may take; 0: as long as it takes.
  // Then it ends with `compile-time-limit` (driver/time_limit.h), thrown as runtime::CallError.
  double time_limit = 0;
  // From when on it counts; by default from each call on. For work that is several calls.
  std::chrono::steady_clock::time_point time_begun = {};
  // Code generators work in a process of their own: where they end it, as LLVM does where memory
  // runs out, the call fails with `out-of-memory` or `compile-child-ended`
  // (docs/design/isolate.md).
  bool isolate = false;
  // Asked at each pass border; true ends the compilation with Error "compile-cancelled" (Ctrl-C).
  std::function<bool()> cancelled;

 private:
  std::map<std::string, int64_t, std::less<>> options_;
};

struct OptionInfo {
  const char* name;
  int64_t fallback;
  const char* what;
};
std::span<const OptionInfo> AllOptions();

// What this thread's compilation is at, for those who end it. Lives on the stack.
class Step {
 public:
  // The texts outlive it.
  Step(const char* who, const char* what) : who_(who), what_(what), outer_(current_) {
    current_ = this;
  }
  ~Step() { current_ = outer_; }
  Step(const Step&) = delete;
  Step& operator=(const Step&) = delete;

  // Such as "pass `simplify`"; "" where there is none.
  static std::string Current() {
    return current_ == nullptr ? "" : std::string(current_->who_) + " `" + current_->what_ + "`";
  }

 private:
  static inline constinit thread_local const Step* current_ = nullptr;
  const char *who_, *what_;
  const Step* outer_;
};

// Calls `timed`, if it is set, with the time from construction to destruction.
class TimedStep {
 public:
  TimedStep(const PassContext& context, const char* who, const char* step)
      : at_(who, step),
        context_(context),
        who_(who),
        step_(step),
        start_(context.timed ? std::chrono::steady_clock::now()
                             : std::chrono::steady_clock::time_point()) {}
  TimedStep(const TimedStep&) = delete;
  TimedStep& operator=(const TimedStep&) = delete;
  ~TimedStep() {
    if (!context_.timed) return;
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start_;
    context_.timed(who_, step_, took.count());
  }

 private:
  const Step at_;
  const PassContext& context_;
  const char *who_, *step_;
  std::chrono::steady_clock::time_point start_;
};

// Throws the errors of the passes, and InternalError if verification fails after a pass.
ir::Module RunPasses(ir::Module module, std::span<const Pass> passes, const PassContext& context);

// `change` applied to each function.
template <class F>
ir::Module MapFunctions(const ir::Module& module, F change) {
  std::vector<ir::Func> functions;
  for (const ir::Func& func : module->functions) functions.push_back(change(func));
  return ir::WithFunctions(module, std::move(functions));
}

}  // namespace lathe::lower
