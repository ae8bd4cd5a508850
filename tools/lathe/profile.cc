// `lathe profile`: where the time of a model goes, step by step.
#include <algorithm>
#include <cstdio>
#include <map>
#include <numeric>

#include "runtime/json.h"
#include "runtime/status.h"
#include "tools/lathe/files.h"
#include "tools/lathe/graph.h"
#include "tools/lathe/measure.h"
#include "tools/lathe/model_inputs.h"
#include "tools/lathe/model_page.h"
#include "tools/lathe/printable.h"
#include "tools/lathe/program.h"
#include "tools/lathe/progress.h"
#include "tools/lathe/records.h"

namespace lathe::cli {
namespace {

using runtime::Json;
using runtime::graph::ObservedStep;
using runtime::graph::Plan;

constexpr Option kOptions[] = {
    kInputValueOption,
    kWarmupOption,
    {"--repeat", "N", "runs that are measured (10)"},
    {"--rows", "N", "lines of the table (20)"},
    {"--html", "PAGE", "write a page: graph, steps, kernels, memory, with the times"},
    {"--trace", "FILE", "write the last run as a trace, which ui.perfetto.dev opens"},
    kThreadsOption,
    kResizeOption,
    kCropOption,
    kDivideOption,
    kMeanOption,
    kStdOption,
    kLayoutOption,
    kBgrOption,
    kGraphTargetOption,
    kFunctionOption,
    kOptLevelOption,
    kRecordsOption,
    kNoRecordsOption,
    kLockOption,
    kPassOption,
    kDisableOption,
    kVerifyOption,
    kTimeLimitOption,
    kIsolateOption,
    kNoCacheOption,
};

struct Profile {
  // Of each step of the plan: seconds in each run; a step in a loop has the sum of its rounds.
  std::vector<std::vector<double>> seconds;
  struct Event {
    int step;
    double begin, duration;  // seconds since the run's begin
  };
  std::vector<Event> last_run;
};

absl::StatusOr<Profile> Measure(const Arguments& arguments, Prepared& prepared) {
  Progress progress;
  progress.Show("measuring");
  const int64_t warmup = arguments.Integer("--warmup", 3, 0, 1 << 20);
  for (int64_t i = 0; i < warmup; ++i) LATHE_RETURN_IF_ERROR(prepared.context->Run());
  const auto repeat = static_cast<size_t>(arguments.Integer("--repeat", 10, 1, 1 << 20));
  Profile profile;
  profile.seconds.assign(prepared.model.plan().steps.size(), std::vector<double>(repeat, 0));
  for (size_t run = 0; run < repeat; ++run) {
    double now = 0;
    profile.last_run.clear();
    LATHE_RETURN_IF_ERROR(prepared.context->RunObserved([&](const ObservedStep& step) {
      const double duration = static_cast<double>(step.nanoseconds) * 1e-9;
      profile.seconds[static_cast<size_t>(step.index)][run] += duration;
      profile.last_run.push_back({step.index, now, duration});
      now += duration;
    }));
  }
  return profile;
}

std::string ResultOf(const Plan& plan, size_t step) {
  const runtime::graph::PlanStep& at = plan.steps[step];
  for (size_t i = 0; i < at.writes.size(); ++i) {
    if (at.writes[i] != 0) return plan.tensors[static_cast<size_t>(at.buffers[i])].name;
  }
  return "";
}

std::string Shortened(const std::string& text, size_t most) {
  const std::string shown = Printable(text);
  return shown.size() <= most ? shown : shown.substr(0, most - 3) + "...";
}

void PrintTable(const Arguments& arguments, const Plan& plan, const std::vector<double>& medians) {
  std::vector<size_t> order(medians.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::sort(order, [&](size_t a, size_t b) {
    return medians[a] != medians[b] ? medians[a] > medians[b] : a < b;
  });
  const double total = std::accumulate(medians.begin(), medians.end(), 0.0);
  const auto rows = static_cast<size_t>(arguments.Integer("--rows", 20, 1, 1 << 20));
  std::printf("%5s %12s %6s  %-28s %s\n", "step", "time", "part", "result", "operators");
  for (size_t i = 0; i < std::min(rows, order.size()); ++i) {
    const size_t step = order[i];
    std::printf("%5zu %12s %5.1f%%  %-28s %s\n", step, TimeText(medians[step]).c_str(),
                total > 0 ? 100 * medians[step] / total : 0,
                Shortened(ResultOf(plan, step), 28).c_str(),
                Shortened(StepText(plan.steps[step]), 60).c_str());
  }
  if (rows < order.size()) std::printf("      (%zu more steps)\n", order.size() - rows);
  std::printf("%5s %12s\n", "all", TimeText(total).c_str());
}

// The format of Chrome's traces, which Perfetto reads: times in microseconds.
std::string TraceOf(const Plan& plan, const Profile& profile) {
  Json events = Json::Array();
  for (const Profile::Event& event : profile.last_run) {
    const auto step = static_cast<size_t>(event.step);
    Json args = Json::Object();
    args.Set("step", int64_t{event.step});
    args.Set("operators", StepText(plan.steps[step]));
    args.Set("kernel", plan.steps[step].kernel);
    const std::string result = ResultOf(plan, step);
    Json each = Json::Object();
    each.Set("name", result.empty() ? StepText(plan.steps[step]) : result);
    each.Set("cat", "step");
    each.Set("ph", "X");
    each.Set("ts", event.begin * 1e6);
    each.Set("dur", event.duration * 1e6);
    each.Set("pid", 1);
    each.Set("tid", 1);
    each.Set("args", std::move(args));
    events.Append(std::move(each));
  }
  Json out = Json::Object();
  out.Set("traceEvents", std::move(events));
  out.Set("displayTimeUnit", "ns");
  return out.Dump() + "\n";
}

absl::Status Run(const Arguments& arguments) {
  ModelPage page;
  LATHE_ASSIGN_OR_RETURN(Prepared prepared, Prepare(arguments, &page.notes));
  LATHE_ASSIGN_OR_RETURN(Profile profile, Measure(arguments, prepared));
  const Plan& plan = prepared.model.plan();
  for (std::vector<double>& each : profile.seconds) {
    std::ranges::sort(each);
    page.seconds.push_back(Percentile(each, 0.5));
  }
  PrintTable(arguments, plan, page.seconds);
  if (arguments.Has("--trace"))
    LATHE_RETURN_IF_ERROR(WriteOutput(arguments.Get("--trace"), TraceOf(plan, profile)));
  if (!arguments.Has("--html")) return absl::OkStatus();
  for (const runtime::Tensor& input : prepared.inputs)
    page.shapes.emplace_back(input.shape().begin(), input.shape().end());
  page.title = arguments.positional()[0];
  page.target = prepared.model.module->metadata().target;
  LATHE_ASSIGN_OR_RETURN(const std::string text, ToHtml(prepared.model, page));
  return WriteOutput(arguments.Get("--html"), text);
}

}  // namespace

const Command kProfile = {
    .name = "profile",
    .arguments = "ARTEFACT|MODEL",
    .what = "show where the time of a model goes, step by step",
    .details =
        "A step is a group of operators that one kernel computes; its result has the name of the "
        "model's value. Times\n"
        "are medians over the runs. Inputs that --input does not give are random.\n",
    .example =
        "  lathe profile model.so --rows 10\n"
        "  lathe profile resnet.onnx --html profile.html --trace trace.json\n",
    .options = kOptions,
    .fewest = 1,
    .most = 1,
    .run = Run,
};

}  // namespace lathe::cli
