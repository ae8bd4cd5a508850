// prove: runs random programs under random schedules. `tools/prove --help` lists the flags.
#include <unistd.h>

#include <charconv>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string_view>

#include "driver/cache/compile_cache.h"
#include "driver/default_plugins.h"
#include "tests/prove/graphs/planted_graphs.h"
#include "tests/prove/graphs/prove_graphs.h"
#include "tests/prove/planted.h"
#include "tests/prove/prove.h"

namespace {

constexpr const char* kUsage = R"(usage: prove [--seed=S] [--programs=N] [--compile=PERCENT]
             [--passes=PERCENT] [--kernels=PERCENT] [--failures=N] [--skip=N] [--show] [--quiet]
       prove --planted [--seed=S] [--bug=NAME] [--graphs=N]     in a build with --config=planted
       prove --replay=FILE [--compile=PERCENT] [--threads]     one program file, or a graph
       prove --graphs=N [--seed=S] [--failures=N] [--skip=N] [--show] [--quiet]      random graphs
)";

// Reads the number behind `flag`=. Returns false if `argument` is another flag or no number.
bool Number(std::string_view argument, std::string_view flag, int64_t* out) {
  if (!argument.starts_with(flag)) return false;
  argument.remove_prefix(flag.size());
  const auto [end, error] =
      std::from_chars(argument.data(), argument.data() + argument.size(), *out);
  return error == std::errc() && end == argument.data() + argument.size();
}

volatile std::sig_atomic_t interrupted = 0;

// Prints a line about every two seconds. Returns false after Ctrl-C.
class Progress {
 public:
  Progress(int64_t programs, bool quiet, const char* what = "programs")
      : programs_(programs), quiet_(quiet), what_(what) {}
  bool operator()(int64_t done) {
    const auto now = std::chrono::steady_clock::now();
    if (!quiet_ && now - shown_ > std::chrono::seconds(2)) {
      shown_ = now;
      std::cerr << "prove: " << done << " of " << programs_ << " " << what_ << "\n";
    }
    return interrupted == 0;
  }

 private:
  int64_t programs_;
  bool quiet_;
  const char* what_;
  std::chrono::steady_clock::time_point shown_ = std::chrono::steady_clock::now();
};

// Kernels are kept while the process runs: both optimisation levels share most of them.
class KernelCache {
 public:
  KernelCache() : cache_({.folder = Folder()}) {}
  ~KernelCache() { std::filesystem::remove_all(Folder()); }
  KernelCache(const KernelCache&) = delete;
  KernelCache& operator=(const KernelCache&) = delete;
  lathe::driver::CompileCache* get() { return &cache_; }

 private:
  static std::filesystem::path Folder() {
    return std::filesystem::temp_directory_path() / ("lathe-prove-" + std::to_string(getpid()));
  }
  lathe::driver::CompileCache cache_;
};

int ProveGraphs(const lathe::prove::ProveOptions& given, bool quiet,
                lathe::prove::graphs::ProveGraphsOptions options, bool planted,
                const std::string& bug) {
  KernelCache cache;
  options.seed = given.seed;
  options.skip = given.skip;
  options.most_failures = given.most_failures;
  options.show = given.show;
  options.cache = cache.get();
  options.go_on = Progress(options.graphs, quiet || planted, "graphs");
  if (planted) return FindPlantedInGraphs(options, bug, std::cout) ? 0 : 1;
  lathe::prove::graphs::GraphReport report;
  lathe::prove::graphs::ProveGraphs(options, report, std::cout);
  Print(report, std::cout);
  if (interrupted != 0) std::cout << "interrupted\n";
  return interrupted != 0 ? 130 : report.failures == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  lathe::prove::ProveOptions options;
  lathe::prove::graphs::ProveGraphsOptions graphs;
  graphs.graphs = 0;
  bool planted = false, quiet = false, threads = false;
  std::string bug, replay;
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    int64_t number = 0;
    if (Number(argument, "--seed=", &number)) {
      options.seed = static_cast<uint64_t>(number);
    } else if (Number(argument, "--programs=", &number)) {
      options.programs = number;
    } else if (Number(argument, "--graphs=", &number)) {
      graphs.graphs = number;
    } else if (Number(argument, "--passes=", &number)) {
      options.passes_percent = static_cast<int>(number);
    } else if (Number(argument, "--failures=", &number)) {
      options.most_failures = number;
    } else if (Number(argument, "--compile=", &number)) {
      options.compile_percent = static_cast<int>(number);
    } else if (Number(argument, "--skip=", &number)) {
      options.skip = number;
    } else if (Number(argument, "--kernels=", &number)) {
      options.kernels_percent = static_cast<int>(number);
    } else if (argument == "--planted") {
      planted = true;
    } else if (argument == "--show") {
      options.show = true;
    } else if (argument == "--threads") {
      threads = true;
    } else if (argument == "--quiet") {
      quiet = true;
    } else if (argument.starts_with("--bug=")) {
      bug = argument.substr(6);
    } else if (argument.starts_with("--replay=")) {
      replay = argument.substr(9);
    } else {
      std::cerr << "prove: unknown argument `" << argument << "`\n" << kUsage;
      return 2;
    }
  }
  std::signal(SIGINT, [](int) { interrupted = 1; });
  lathe::driver::UseDefaultPlugins();
  if (!replay.empty()) {
    std::ifstream file(replay);
    if (!file) {
      std::cerr << "prove: cannot read `" << replay << "`\n";
      return 2;
    }
    std::stringstream text;
    text << file.rdbuf();
    if (lathe::prove::graphs::IsGraphText(text.str())) {
      return lathe::prove::graphs::ReplayGraph(text.str(), nullptr, std::cout) ? 0 : 1;
    }
    return lathe::prove::Replay(text.str(), options.compile_percent > 0, threads, std::cout) ? 0
                                                                                             : 1;
  }
  if (graphs.graphs > 0) return ProveGraphs(options, quiet, graphs, planted, bug);
  options.go_on = Progress(options.programs, quiet || planted);
  if (planted) return lathe::prove::FindPlanted(options, bug, std::cout) ? 0 : 1;
  lathe::prove::Report report;
  lathe::prove::Prove(options, report, std::cout);
  Print(report, std::cout);
  if (interrupted != 0) std::cout << "interrupted\n";
  if (interrupted != 0) return 130;
  const bool enough = report.programs >= lathe::prove::kEnoughPrograms;
  return report.failures == 0 && (!enough || BelowFloor(report).empty()) ? 0 : 1;
}
