// `lathe bench`: how long a model takes.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <numeric>

#include "runtime/json.h"
#include "runtime/status.h"
#include "runtime/thread_pool.h"
#include "tools/lathe/files.h"
#include "tools/lathe/graph.h"
#include "tools/lathe/measure.h"
#include "tools/lathe/model_inputs.h"
#include "tools/lathe/printable.h"
#include "tools/lathe/program.h"
#include "tools/lathe/progress.h"
#include "tools/lathe/records.h"

namespace lathe::cli {
namespace {

using Clock = std::chrono::steady_clock;

constexpr Option kOptions[] = {
    kInputValueOption,
    kWarmupOption,
    {"--repeat", "N", "runs that are measured; default: as many as --seconds allows, at least 10"},
    {"--seconds", "S", "how long to measure (2)"},
    kThreadsOption,
    {"--json", nullptr, "print the figures as JSON, all times in seconds"},
    {"--output", "FILE", "write the figures there", 'o'},
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

// Seconds of each run, in order.
absl::StatusOr<std::vector<double>> Measure(const Arguments& arguments, Prepared& prepared) {
  Progress progress;
  const int64_t warmup = arguments.Integer("--warmup", 3, 0, 1 << 20);
  for (int64_t i = 0; i < warmup; ++i) LATHE_RETURN_IF_ERROR(prepared.context->Run());
  const int64_t repeat = arguments.Integer("--repeat", 0, 1, 1 << 24);
  const double limit = arguments.Number("--seconds", 2, 0.001, 86400);
  std::vector<double> seconds;
  const Clock::time_point begin = Clock::now();
  auto last_shown = begin;
  for (;;) {
    const Clock::time_point before = Clock::now();
    LATHE_RETURN_IF_ERROR(prepared.context->Run());
    const Clock::time_point after = Clock::now();
    seconds.push_back(std::chrono::duration<double>(after - before).count());
    const auto count = static_cast<int64_t>(seconds.size());
    const double passed = std::chrono::duration<double>(after - begin).count();
    if (repeat > 0 ? count >= repeat : passed >= limit && count >= 10) return seconds;
    if (after - last_shown > std::chrono::milliseconds(200)) {
      progress.Show(std::to_string(count) + " runs");
      last_shown = after;
    }
  }
}

absl::Status Run(const Arguments& arguments) {
  LATHE_ASSIGN_OR_RETURN(Prepared prepared, Prepare(arguments));
  LATHE_ASSIGN_OR_RETURN(std::vector<double> seconds, Measure(arguments, prepared));
  std::ranges::sort(seconds);
  const double mean =
      std::accumulate(seconds.begin(), seconds.end(), 0.0) / static_cast<double>(seconds.size());
  const std::pair<const char*, double> figures[] = {{"median", Percentile(seconds, 0.5)},
                                                    {"min", seconds.front()},
                                                    {"mean", mean},
                                                    {"p90", Percentile(seconds, 0.9)},
                                                    {"p99", Percentile(seconds, 0.99)},
                                                    {"max", seconds.back()}};
  const runtime::graph::Plan& plan = prepared.model.plan();
  std::string text;
  if (arguments.Has("--json")) {
    runtime::Json object = runtime::Json::Object();
    object.Set("model", prepared.model.path);
    object.Set("threads", runtime::NumThreads());
    object.Set("runs", static_cast<int64_t>(seconds.size()));
    for (const auto& [name, value] : figures) object.Set(name, value);
    text = object.Dump(2) + "\n";
  } else {
    text = "model    " + Printable(prepared.model.path) + "\n";
    for (size_t i = 0; i < prepared.inputs.size(); ++i) {
      text += "input    " + Printable(plan.inputs[i].name) + ": " + prepared.inputs[i].ToString() +
              "\n";
    }
    text += "threads  " + std::to_string(runtime::NumThreads()) + "\n";
    text += "runs     " + std::to_string(seconds.size()) + "\n";
    for (const auto& [name, value] : figures)
      text += std::string(name) + std::string(9 - std::string_view(name).size(), ' ') +
              TimeText(value) + "\n";
  }
  return WriteOutput(arguments.Get("--output", "-"), text);
}

}  // namespace

const Command kBench = {
    .name = "bench",
    .arguments = "ARTEFACT|MODEL",
    .what = "measure how long a model takes",
    .details =
        "Inputs that --input does not give are random. A model file is compiled first, which is "
        "not "
        "measured.\n"
        "Percentiles are times of runs: 99 of 100 runs take no longer than p99.\n",
    .example =
        "  lathe bench model.so\n"
        "  lathe bench resnet.onnx --input data=random:1x3x224x224 --threads 1 --seconds 5\n"
        "  lathe bench model.so --json -o figures.json\n",
    .options = kOptions,
    .fewest = 1,
    .most = 1,
    .run = Run,
};

}  // namespace lathe::cli
