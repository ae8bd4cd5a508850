// What tuning is worth and what it costs, beside the goals (docs/design/tuning.md).
//
//   bazel run --config=ci //bench/tuning -- --section=goals --kernels=gemm_256,softmax
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "bench/tuning/sections.h"
#include "driver/default_plugins.h"
#include "runtime/init.h"
#include "runtime/rpc/worker.h"
#include "runtime/thread_pool.h"

namespace lathe::bench {
namespace {

constexpr const char* kHelp =
    R"(usage: bazel run --config=ci //bench/tuning -- [OPTION...]

Searches for schedules and prints tables, a goal beside each figure; "!" marks what misses it.
Sections, all of them unless --section names some:
  goals        the best of 64 and of all trials against the default schedule, which is withheld
  others       operators that nobody wrote a template for: grouped_conv, conv3d, bilinear, attention
  spaces       distinct programs among random points; the median's time over the best's
  efficiency   200 trials of the genetic tuner against many random ones
  trials       wall time of a trial
  disturbance  how much compiling disturbs measuring

  --section=NAME,...   these sections
  --kernels=NAME,...   kernels whose names begin so
  --trials=N           of a search (500; of others, efficiency and trials at most 200)
  --minutes=M          ends each search by the clock
  --random=N           random trials of the section efficiency (1000; the goal says 5000)
  --points=N           random points of the section spaces (300)
  --measured=N         of these, how many are measured (60)
  --threads=N          of a kernel (1: on two cores one measures and one compiles)
  --tuner=NAME         genetic (the default) or random, of the sections goals and others
  --seed=N             (1)
  --quick              few trials: whether it works, not how good it is

Progress goes to standard error. Ctrl-C keeps the rows that are printed. No journal is written.

examples:
  bazel run --config=ci //bench/tuning -- --quick
  bazel run --config=ci //bench/tuning -- --section=goals --kernels=gemm,softmax --trials=64
  bazel run --config=ci //bench/tuning -- --section=efficiency --random=5000 --kernels=gemm_256
  bazel run --config=ci //bench/tuning -- --section=trials,disturbance --threads=2
)";

struct Section {
  const char* name;
  void (*run)(TuningGround& ground);
};
constexpr Section kSections[] = {{"goals", Goals},   {"others", Others},
                                 {"spaces", Spaces}, {"efficiency", Efficiency},
                                 {"trials", Trials}, {"disturbance", Disturbance}};

std::vector<std::string> Parts(std::string_view list) {
  std::vector<std::string> parts;
  while (!list.empty()) {
    const size_t comma = std::min(list.find(','), list.size());
    if (comma > 0) parts.emplace_back(list.substr(0, comma));
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
  return parts;
}

[[noreturn]] void Refuse(const std::string& what) {
  std::fprintf(stderr, "bench/tuning: %s; --help shows what there is\n", what.c_str());
  std::exit(2);
}

double Number(const std::string& option, const std::string& text) {
  char* end = nullptr;
  const double number = std::strtod(text.c_str(), &end);
  if (text.empty() || *end != 0 || !(number >= 0 && number <= 1e9))
    Refuse("--" + option + " needs a number, not `" + text + "`");
  return number;
}

void Set(TuningOptions& options, const std::string& name, const std::string& value) {
  const auto integer = [&] { return static_cast<int64_t>(Number(name, value)); };
  if (name == "section") {
    options.sections = Parts(value);
  } else if (name == "kernels") {
    options.kernels = Parts(value);
  } else if (name == "trials") {
    options.trials = integer();
  } else if (name == "minutes") {
    options.minutes = Number(name, value);
  } else if (name == "random") {
    options.random = integer();
  } else if (name == "points") {
    options.points = integer();
  } else if (name == "measured") {
    options.measured = integer();
  } else if (name == "threads") {
    options.threads = static_cast<int>(integer());
  } else if (name == "seed") {
    options.seed = static_cast<uint64_t>(integer());
  } else if (name == "tuner" && (value == "genetic" || value == "random")) {
    options.tuner = value;
  } else {
    Refuse("no option --" + name + "=" + value);
  }
}

TuningOptions OptionsOf(const std::vector<std::string>& arguments) {
  TuningOptions options;
  for (const std::string& argument : arguments) {
    if (argument != "--quick") continue;
    options.quick = true;  // other options change these
    options.trials = 12;
    options.random = 24;
    options.points = 40;
    options.measured = 8;
    options.kernels = {"gemm_256", "softmax_64KB", "bilinear"};
  }
  for (const std::string& argument : arguments) {
    if (argument == "--quick") continue;
    if (argument == "--help") {
      std::fputs(kHelp, stdout);
      std::exit(0);
    }
    const size_t equals = argument.find('=');
    if (argument.rfind("--", 0) != 0 || equals == std::string::npos)
      Refuse("no option `" + argument + "`");
    Set(options, argument.substr(2, equals - 2), argument.substr(equals + 1));
  }
  return options;
}

void Main(const TuningOptions& options) {
  driver::UseDefaultPlugins();
  TuningGround ground(options);
  for (const std::string& name : options.sections) {
    bool known = false;
    for (const Section& section : kSections) known = known || name == section.name;
    if (!known) Refuse("no section `" + name + "`");
  }
  std::printf("%s\n%d thread(s) for a kernel of %d\n", ground.target().ToString().c_str(),
              options.threads, runtime::NumThreads());
  for (const Section& section : kSections) {
    bool wanted = options.sections.empty();
    for (const std::string& name : options.sections) wanted = wanted || name == section.name;
    if (wanted) section.run(ground);
  }
}

[[noreturn]] void Work() {
  runtime::Initialize();
  const absl::Status end = runtime::rpc::RunWorker(runtime::rpc::kWorkerDescriptor);
  // Not exit: code that was loaded may have threads that run.
  std::fflush(nullptr);
  _exit(end.ok() ? 0 : 1);
}

}  // namespace
}  // namespace lathe::bench

int main(int argc, char** argv) {
  if (argc == 2 && std::string_view(argv[1]) == "worker") lathe::bench::Work();
  try {
    lathe::bench::Main(lathe::bench::OptionsOf({argv + 1, argv + argc}));
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
