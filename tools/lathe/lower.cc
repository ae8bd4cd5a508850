// `lathe lower`: prints the loops of a program file, at any stage and after any pass.
#include <algorithm>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "driver/compile.h"
#include "driver/lower_device.h"
#include "driver/time_limit.h"
#include "ir/text/printer.h"
#include "lower/pipeline.h"
#include "runtime/status.h"
#include "schedule/loop_nest.h"
#include "tools/lathe/files.h"
#include "tools/lathe/program.h"

namespace lathe::cli {
namespace {

constexpr Option kOptions[] = {
    {"--stage", "STAGE",
     "what to print: scheduled (as the schedule says), tile (the default) or flat (what CPUs "
     "take; with --target, what the target's code generator gets)"},
    {"--target", "TARGET",
     "lower for this target, as `cuda -arch=sm_90`: its kernels, and the code that launches them"},
    {"--print-after", "PASS",
     "print the module after this pass, or after each (all) that changes it; may be given several "
     "times"},
    {"--short", nullptr, "without types, for reading"},
    {"--time-passes", nullptr, "print each pass's time to standard error"},
    {"--list-passes", nullptr, "list the passes in order, and stop"},
    {"--list-options", nullptr, "list the passes' options, and stop"},
    kPassOption,
    kDisableOption,
    kVerifyOption,
    kTimeLimitOption,
};

void ListPasses() {
  const std::vector<lower::Pass> every = lower::EveryPass();
  const size_t for_hosts = lower::AllPasses().size();
  for (size_t i = 0; i < every.size(); ++i) {
    if (i == for_hosts) std::printf("\nfor kernels (--target):\n");
    std::printf("%-18s %s\n", every[i].name, every[i].what);
  }
}

void ListOptions() {
  for (const lower::OptionInfo& option : lower::AllOptions()) {
    std::printf("%-26s %s (default %lld)\n", option.name, option.what,
                static_cast<long long>(option.fallback));
  }
}

ir::Stage StageOf(const Arguments& arguments) {
  const std::string text = arguments.Get("--stage", "");
  for (ir::Stage stage : {ir::Stage::kScheduled, ir::Stage::kTile, ir::Stage::kFlat}) {
    if (text == ir::StageName(stage)) return stage;
  }
  // The requested passes may be anywhere in the pipeline. The target's passes come last.
  const auto needs_all = {"--print-after", "--time-passes", "--target"};
  if (text.empty()) {
    return std::any_of(needs_all.begin(), needs_all.end(),
                       [&](const char* option) { return arguments.Has(option); })
               ? ir::Stage::kFlat
               : ir::Stage::kTile;
  }
  throw UsageError(Diagnostic{.name = "cli-bad-value",
                              .message = "there is no stage `" + text + "`",
                              .expected = "scheduled, tile or flat",
                              .found = "`" + text + "`",
                              .help = "`lathe help lower` says what they are"});
}

// The modules to print at the end: one without a name, or those of the host and the device.
using Parts = std::vector<std::pair<std::string, ir::Module>>;

Parts ForTarget(const ir::Module& tiles, const Arguments& arguments,
                const lower::PassContext& context) {
  if (!arguments.Has("--target")) {
    const ir::Module checked = lower::RunPasses(tiles, lower::TargetPasses(), context);
    return {{"", lower::RunPasses(checked, lower::FlatPasses(), context)}};
  }
  const target::Target target = TargetOf(arguments);
  if (!driver::TakesKernels(target)) return {{"", driver::LowerForTarget(tiles, target, context)}};
  const driver::DeviceModules made =
      driver::LowerForDevice(tiles, target, driver::HostOf(target), context);
  return {{"host", made.host}, {"device", made.device}};
}

absl::Status Run(const Arguments& arguments) {
  const driver::TimeLimit limit(TimeLimitOf(arguments));
  if (arguments.Has("--list-passes") || arguments.Has("--list-options")) {
    if (arguments.Has("--list-passes")) ListPasses();
    if (arguments.Has("--list-options")) ListOptions();
    return absl::OkStatus();
  }
  if (arguments.positional().empty()) {
    throw UsageError(Diagnostic{.name = "cli-argument-count",
                                .message = "`lathe lower` needs a program file",
                                .expected = "1 argument",
                                .found = "0",
                                .help = "`lathe help lower` shows an example"});
  }
  const ir::Stage stage = StageOf(arguments);
  lower::PassContext context = MakePassContext(arguments);
  const std::vector<std::string> wanted = arguments.All("--print-after");
  bool all = false;
  for (const std::string& name : wanted) {
    if (name == "all")
      all = true;
    else
      RequirePass(name);
  }
  ir::PrintOptions print;
  print.color = arguments.color();
  print.short_form = arguments.Has("--short");
  auto show = [&](const ir::Module& module) {
    std::fputs((ir::ToText(module, print) + "\n").c_str(), stdout);
  };

  double total = 0;
  context.after_pass = [&](const lower::Pass& pass, const ir::Module& before,
                           const ir::Module& after, double seconds) {
    total += seconds;
    if (arguments.Has("--time-passes"))
      std::fprintf(stderr, "%-18s %10.3f ms\n", pass.name, seconds * 1e3);
    bool named = false;
    for (const std::string& name : wanted) named = named || name == pass.name;
    const bool unchanged = before.same_as(after);
    if (!named && !(all && !unchanged)) {
      if (all) std::printf("# after %s: unchanged\n", pass.name);
      return;
    }
    std::printf("# after %s%s\n", pass.name, unchanged ? ": unchanged" : "");
    show(after);
  };

  LATHE_ASSIGN_OR_RETURN(LoadedProgram program, LoadProgram(arguments.positional()[0]));
  const schedule::Loaded& loaded = program.loaded;
  Parts parts;
  if (stage == ir::Stage::kScheduled) {
    const ir::Func func = schedule::LowerSchedule(loaded.schedule, loaded.args, loaded.name);
    parts = {{"", ir::MakeModule({func})}};
    if (context.verify) ir::VerifyModule(parts[0].second, stage);
  } else {
    const ir::Module tiles = driver::Lower(loaded.schedule, loaded.args, loaded.name, context);
    parts = stage == ir::Stage::kTile ? Parts{{"", tiles}} : ForTarget(tiles, arguments, context);
  }
  if (arguments.Has("--time-passes"))
    std::fprintf(stderr, "%-18s %10.3f ms\n", "total", total * 1e3);
  if (wanted.empty() && !(arguments.Has("--time-passes") && !arguments.Has("--stage"))) {
    for (const auto& [of, module] : parts) {
      if (!of.empty()) std::printf("# for the %s\n", of.c_str());
      show(module);
    }
  }
  return absl::OkStatus();
}

}  // namespace

const Command kLower = {
    .name = "lower",
    .arguments = "PROGRAM",
    .what = "print a program's loops, at any stage and after any pass",
    .details =
        "PROGRAM is a program file, `-` for standard input. Without --target no plugin is needed. "
        "What is printed\n"
        "is a module of loops: the parsers of C++ and Python read it again (but not with --short "
        "or --color, or two\n"
        "parts). The commands take the program that it was made of.\n",
    .example =
        "  lathe lower examples/programs/gemm_tiled.lathe --stage=scheduled --short\n"
        "  lathe lower examples/programs/gemm_tiled.lathe --print-after=vectorize\n"
        "  lathe lower examples/primitives/bind.lathe --target='cuda -arch=sm_90'\n"
        "  lathe lower examples/programs/gemm_tiled.lathe --time-passes\n",
    .options = kOptions,
    .fewest = 0,
    .most = 1,
    .run = Run,
};

}  // namespace lathe::cli
