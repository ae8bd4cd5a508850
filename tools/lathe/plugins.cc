// `lathe plugins` and `lathe targets`: list plugins and targets without loading them, and replay
// recorded requests.
#include <cstdio>

#include "driver/default_plugins.h"
#include "plugins/host/boundary.h"
#include "plugins/host/list.h"
#include "runtime/status.h"
#include "tools/lathe/command.h"
#include "tools/lathe/files.h"

namespace lathe::cli {
namespace {

constexpr Option kJson = {"--json", nullptr, "as JSON"};

constexpr Option kPluginOptions[] = {
    kJson,
    {"--replay", "FOLDER",
     "make a request again that LATHE_DUMP_BOUNDARY recorded, and write the result to --output"},
    {"--output", "OUT", "where --replay writes; `-` is standard output", 'o'},
};
constexpr Option kTargetOptions[] = {kJson};

absl::Status Replay(const Arguments& arguments) {
  if (!arguments.Has("--output")) {
    throw UsageError(Diagnostic{.name = "cli-missing-value",
                                .message = "`--replay` needs an output",
                                .expected = "`--replay FOLDER -o OUT`",
                                .found = "no `-o`",
                                .help = "`-o -` writes to standard output"});
  }
  absl::StatusOr<plugins::CompileOutput> made = plugins::Replay(arguments.Get("--replay"));
  if (!made.ok()) return AsEnvironment(made.status());
  if (!made->log.empty()) std::fprintf(stderr, "%s\n", made->log.c_str());
  return WriteOutput(arguments.Get("--output"), made->bytes);
}

absl::Status RunPlugins(const Arguments& arguments) {
  driver::UseDefaultPlugins();
  if (arguments.Has("--replay")) return Replay(arguments);
  std::fputs(
      (arguments.Has("--json") ? plugins::ListPluginsJson() : plugins::ListPluginsText()).c_str(),
      stdout);
  return absl::OkStatus();
}

absl::Status RunTargets(const Arguments& arguments) {
  driver::UseDefaultPlugins();
  std::fputs(
      (arguments.Has("--json") ? plugins::ListTargetsJson() : plugins::ListTargetsText()).c_str(),
      stdout);
  return absl::OkStatus();
}

}  // namespace

const Command kPlugins = {
    .name = "plugins",
    .arguments = "",
    .what = "list the plugins found, what they provide, and why one is not used",
    .details =
        "Plugins are looked for in LATHE_PLUGIN_PATH (files and folders by their paths from the "
        "root, `:` between them), then\n"
        "among those that come with Lathe. Listing loads none.\n",
    .example =
        "  LATHE_PLUGIN_PATH=$PWD/build/libacme.so lathe plugins\n"
        "  LATHE_DUMP_BOUNDARY=requests lathe compile examples/programs/blur.lathe -o blur.o\n"
        "  lathe plugins --replay requests/1234-0-llvm -o again.o\n",
    .options = kPluginOptions,
    .fewest = 0,
    .most = 0,
    .run = RunPlugins,
};

const Command kTargets = {
    .name = "targets",
    .arguments = "",
    .what = "list the targets there are, with their attributes",
    .details =
        "A target string is a kind and its attributes: `llvm -mcpu=znver4 -mattr=+avx512f`.\n",
    .example =
        "  lathe targets\n"
        "  lathe targets --json\n",
    .options = kTargetOptions,
    .fewest = 0,
    .most = 0,
    .run = RunTargets,
};

}  // namespace lathe::cli
