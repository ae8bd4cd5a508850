// `lathe tune`: searches for fast schedules of a program or a model, here or on another machine.
#include <cstdio>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "driver/auto_build.h"
#include "driver/build_module.h"
#include "driver/lower_device.h"
#include "ir/text/printer.h"
#include "runtime/status.h"
#include "schedule/trace.h"
#include "target/canonical.h"
#include "tools/lathe/files.h"
#include "tools/lathe/graph.h"
#include "tools/lathe/measure.h"
#include "tools/lathe/program.h"
#include "tools/lathe/progress.h"
#include "tools/lathe/remote_call.h"
#include "tools/lathe/tuning.h"

namespace lathe::cli {
namespace {

constexpr Option kOptions[] = {
    kTargetOption,
    kFunctionOption,
    kInputShapeOption,
    kOptLevelOption,
    {"--trials", "N",
     "candidates that are measured, at most (64, of a model 64 for each kernel; with --minutes "
     "any number)"},
    {"--minutes", "M", "ends after so many minutes"},
    {"--space", "NAME",
     "knobs (the default): choices of the schedule that is made for the target; sketch: schedules "
     "that "
     "follow from the program alone, for operators without a schedule of their own"},
    {"--tuner", "NAME",
     "genetic (the default): new candidates from the best so far; random; or grid: every point in "
     "its order"},
    {"--seed", "N", "the same seed gives the same candidates (1)"},
    {"--log", "FILE", "records of all trials are appended to it (tune.jsonl)"},
    {"--output", "FILE",
     "writes the program with the best schedule found; of a model, the records for --records of "
     "`lathe compile`",
     'o'},
    {"--timeout", "SECONDS", "for each candidate: to compile it, and to run it (10)"},
    {"--builders", "N", "candidates that are compiled at once (1)"},
    kHostOption,
    kTrackerOption,
    {"--key", "KEY", "with --tracker: the kind of device"},
    {"--secret-file", "FILE", "if the other side has a secret"},
    kPassOption,
    kDisableOption,
};

// Searches, and tells about it.
absl::Status TuneProgram(KernelTuning& tuning, const tune::SearchOptions& options) {
  Progress progress;
  LATHE_RETURN_IF_ERROR(tuning.Begin());
  std::printf("default    %s\n", TimeText(tuning.otherwise_cost()).c_str());
  std::fflush(stdout);  // of a pipe, too: the search takes long
  int64_t trials = 0, failures = 0;
  const auto begin = std::chrono::steady_clock::now();
  double best = tuning.otherwise_cost();
  LATHE_ASSIGN_OR_RETURN(
      const tune::Found found, tuning.Search(options, [&](const tune::Trial& trial) {
        ++trials;
        failures += trial.measured.failure ? 1 : 0;
        if (trial.cost < best) {
          best = trial.cost;
          progress.Clear();
          std::printf("trial %-4lld %s, %.2f of the default: %s\n", static_cast<long long>(trials),
                      TimeText(trial.cost).c_str(), trial.cost / tuning.otherwise_cost(),
                      tuning.space().ConfigOf(trial.point).Dump().c_str());
          std::fflush(stdout);
        }
        const std::string of =
            options.trials == INT64_MAX ? "" : " of " + std::to_string(options.trials);
        progress.Show("trial " + std::to_string(trials) + of + ", " + std::to_string(failures) +
                      " failed" + TimeLeft(begin, options.seconds));
      }));
  progress.Clear();
  std::printf("trials     %lld, %lld of them failed, %lld more were known; ended: %s\n",
              static_cast<long long>(found.trials), static_cast<long long>(found.failures),
              static_cast<long long>(found.known), found.ended.c_str());
  std::fflush(stdout);
  progress.Show("measuring the best again");
  LATHE_ASSIGN_OR_RETURN(const KernelTuning::Verdict verdict, tuning.Judge());
  progress.Clear();
  if (verdict.best >= verdict.otherwise) {
    std::printf("best       the default: nothing faster was found\n");
    return absl::OkStatus();
  }
  std::printf("best       %s, measured again; the default %s: %.2f times as fast\n",
              TimeText(verdict.best).c_str(), TimeText(verdict.otherwise).c_str(),
              verdict.otherwise / verdict.best);
  for (const std::string& change : tuning.Changes()) std::printf("  %s\n", change.c_str());
  return absl::OkStatus();
}

absl::Status Run(const Arguments& arguments) {
  const std::string& path = arguments.positional()[0];
  CheckTuning(arguments);
  if (HasGraph(path)) return TuneModel(arguments);
  LATHE_ASSIGN_OR_RETURN(const LoadedProgram read, LoadProgram(path));
  const target::Target target = TargetOf(arguments);
  LATHE_ASSIGN_OR_RETURN(
      driver::ProgramToCompile otherwise,
      driver::AutoProgram(read.loaded.args, read.loaded.name, target, MakePassContext(arguments),
                          &driver::CompileCache::Default()));
  LATHE_ASSIGN_OR_RETURN(otherwise.target, target::CanonicalTarget(target));
  otherwise.context.note = {};  // nobody wrote the hints of candidates
  LATHE_ASSIGN_OR_RETURN(tune::ScheduleSpace made, SpaceOf(arguments, otherwise));
  LATHE_ASSIGN_OR_RETURN(std::vector<tune::RunArgument> reference,
                         tune::MakeArguments(read.loaded.args));
  LATHE_ASSIGN_OR_RETURN(
      const std::unique_ptr<TuningGround> ground,
      TuningGround::Open(arguments, driver::TakesKernels(target) ? target.schema->device : "cpu"));
  std::printf("%s", made.space.ToString().c_str());
  std::fflush(stdout);
  KernelTuning tuning(*ground, std::move(made), std::move(otherwise), std::move(reference));
  LATHE_RETURN_IF_ERROR(TuneProgram(tuning, ground->SearchOptions()));
  std::printf("records    in %s; the same command goes on from there\n", ground->log().c_str());
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

absl::Status RunTune(const std::vector<std::string>& words) {
  const std::string part = words.empty() ? "" : words[0];
  if (part == "records") return RunWords(kTuneRecords, std::span(words).subspan(1));
  if (part == "report") return RunWords(kTuneReport, std::span(words).subspan(1));
  Command search = kTune;
  search.run_words = nullptr;
  return RunWords(search, words);
}

}  // namespace

const Command kTune = {
    .name = "tune",
    .arguments = "PROGRAM|MODEL, or: records FILE..., report LOG...",
    .what = "search for fast schedules of a program or a model",
    .details =
        "Tries settings of the knobs of the schedule that is made for the target (`lathe compile "
        "PROGRAM\n"
        "--list-knobs`); a schedule in PROGRAM is ignored. Each candidate is compiled, compared "
        "with the\n"
        "program without a schedule on random inputs, and measured, in processes of their own: "
        "one that\n"
        "crashes or hangs is a failed trial. Every finished trial is in the log, also after "
        "Ctrl-C, and is\n"
        "not measured again there. In the end the best are measured again, by turns with the "
        "default.\n"
        "Of a model or a graph the kernels that it is compiled to are tuned, those first of which "
        "most is\n"
        "expected for a run: `lathe compile MODEL --records FILE` uses what --output wrote.\n"
        "`lathe tune records FILE...` shows what is in logs, `lathe tune report LOG...` makes a "
        "page of "
        "it.\n",
    .example =
        "  lathe tune examples/programs/gemm_tiled.lathe --trials 100 -o tuned.lathe\n"
        "  lathe run tuned.lathe random random --time\n"
        "  lathe tune mobilenet.onnx --minutes 10 -o mobilenet.jsonl\n"
        "  lathe compile mobilenet.onnx --records mobilenet.jsonl -o mobilenet.so\n"
        "  lathe tune gemm.lathe --target \"llvm -mtriple=aarch64-linux-gnu\" --tracker "
        "10.0.0.7:9190 --key rk3399\n",
    .options = kOptions,
    .fewest = 1,
    .most = 1,
    .run = Run,
    .run_words = RunTune,
};

}  // namespace lathe::cli
