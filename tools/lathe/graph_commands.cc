#include "tools/lathe/graph_commands.h"

#include <cstdio>
#include <filesystem>
#include <optional>
#include <set>

#include "driver/compile.h"
#include "driver/time_limit.h"
#include "graph/check/bisect.h"
#include "graph/check/check_passes.h"
#include "graph/explain/explain.h"
#include "graph/passes/fuse.h"
#include "ir/structural.h"
#include "ir/text/printer.h"
#include "runtime/graph/plan_module.h"
#include "runtime/status.h"
#include "tools/lathe/bisect_report.h"
#include "tools/lathe/files.h"
#include "tools/lathe/graph.h"
#include "tools/lathe/model_header.h"
#include "tools/lathe/program.h"
#include "tools/lathe/progress.h"
#include "tools/lathe/records.h"

namespace lathe::cli {
namespace {

// Prints the graph after the passes that --print-after names.
void PrintAfter(const std::set<std::string>& wanted, std::string_view pass,
                const graph::GraphFuncRef& before, const graph::GraphFuncRef& after) {
  const bool all = wanted.contains("all");
  if (!all && !wanted.contains(std::string(pass))) return;
  if (all && ir::StructuralEqual(before, after)) return;
  std::printf("// after %s\n%s\n\n", std::string(pass).c_str(),
              ir::ToText(after, {.max_data = 0}).c_str());
}

// The file of --header, named as its class.
absl::Status WriteHeader(const Arguments& arguments, const std::string& function,
                         const runtime::Module& made) {
  if (!arguments.Has("--header")) return absl::OkStatus();
  const std::string path = arguments.Get("--header");
  const std::filesystem::path source(arguments.positional()[0]);
  // The code may be for another machine: only the plan is looked at.
  const runtime::graph::Plan* plan = runtime::graph::FindPlan(made, function);
  LATHE_CHECK(plan != nullptr) << "BuildGraphModule made it";
  return WriteOutput(path, HeaderOf(*plan, {.source = source.filename().string(),
                                            .name = std::filesystem::path(path).stem().string(),
                                            .symbol = arguments.Get("--symbol")}));
}

std::string TextOf(const ir::GraphModule& module) {
  return ir::ToText(module, {.max_data = size_t{1} << 30}) + "\n";
}

// Throws UsageError if `lathe compile` of a graph has no way to do what the arguments say.
void CheckCompileArguments(const Arguments& arguments) {
  if (arguments.positional().size() != 1) {
    throw UsageError(Diagnostic{.name = "cli-argument-count",
                                .message = "a graph is compiled alone",
                                .expected = "one file",
                                .found = std::to_string(arguments.positional().size()),
                                .help = "functions that belong together stand in one file"});
  }
  for (const char* option : {"--schedule", "--knob", "--list-knobs", "--time"}) {
    if (!arguments.Has(option)) continue;
    throw UsageError(Diagnostic{.name = "cli-bad-value",
                                .message = std::string("`") + option + "` is for program files",
                                .expected = "options of graphs: --opt-level, --disable, --check",
                                .found = option,
                                .help = "leave it out"});
  }
  const std::string out = arguments.Get("--output");
  const bool is_text = out.ends_with(".lathe");
  const bool only_prints = out.empty() && arguments.Has("--print-after");
  if (!is_text && !only_prints && !out.ends_with(".o") && !out.ends_with(".so") &&
      !out.ends_with(".tar")) {
    throw UsageError(Diagnostic{.name = "cli-unknown-suffix",
                                .message = "cannot tell from `" + out + "` what to write",
                                .expected = "`-o OUT` with OUT ending in .o, .so, .tar or .lathe",
                                .found = out.empty() ? "nothing" : "`" + out + "`",
                                .help = "`lathe help compile` shows an example"});
  }
  if (arguments.Has("--symbol") && !out.ends_with(".o")) {
    throw UsageError(Diagnostic{.name = "cli-bad-value",
                                .message = "`--symbol` names the symbol of an object",
                                .expected = "an output that ends in .o",
                                .found = "`" + out + "`",
                                .help = "leave `--symbol` out, or write a .o"});
  }
}

}  // namespace

absl::Status CompileGraphFile(const Arguments& arguments) {
  CheckCompileArguments(arguments);
  const std::string out = arguments.Get("--output");
  const bool is_text = out.ends_with(".lathe");
  const bool only_prints = out.empty() && arguments.Has("--print-after");
  Progress progress;
  progress.Show("reading " + arguments.positional()[0]);
  LATHE_ASSIGN_OR_RETURN(LoadedGraph loaded, LoadGraphFile(arguments.positional()[0], arguments));
  const driver::TimeLimit limit(TimeLimitOf(arguments));
  auto [target, options] = GraphBuildOf(arguments, &progress);
  options.threads = static_cast<int>(arguments.Integer("--jobs", 0, 1, 1024));
  const std::set<std::string> wanted = PrintAfterOf(arguments);
  std::optional<graph::PassCheck> check;
  if (arguments.Has("--check")) {
    const std::vector<int64_t> sizes =
        graph::ChooseSizes(*FunctionOf(loaded), ExtentsOf(arguments));
    check.emplace(loaded.module, loaded.function, sizes, /*seed=*/1);
  }
  options.passed = [&](std::string_view pass) {
    progress.Show(pass == "fuse" ? "compiling kernels" : "after " + std::string(pass));
  };
  const auto look = [&](std::string_view pass, const graph::GraphFuncRef& before,
                        const graph::GraphFuncRef& after) {
    if (after->name != loaded.function) return;
    PrintAfter(wanted, pass, before, after);
    if (check && !ir::StructuralEqual(before, after)) check->After(pass, after);
  };
  if (check || !wanted.empty()) options.after_pass = look;
  if (is_text || only_prints) {
    RefuseRecords(arguments);  // kernels are not made
    const ir::GraphModule optimized = graph::OptimizeGraph(loaded.module, target, options);
    for (const graph::GraphFuncRef& func : optimized->functions) {
      look("fuse", func, graph::Fuse(*func, optimized));
    }
    if (only_prints) return absl::OkStatus();
    return WriteOutput(out == "-.lathe" ? "-" : out, TextOf(optimized));
  }
  LATHE_RETURN_IF_ERROR(runtime::graph::RegisterGraph());
  LATHE_ASSIGN_OR_RETURN(const std::unique_ptr<TunedKernels> tuned,
                         TunedKernels::Use(arguments, &options, &progress));
  LATHE_ASSIGN_OR_RETURN(const runtime::Module made,
                         graph::BuildGraphModule(std::move(loaded.module), loaded.function, target,
                                                 options, loaded.function));
  progress.Clear();
  LATHE_RETURN_IF_ERROR(tuned->Finish());
  if (check) std::fprintf(stderr, "%d passes: same results\n", check->passes());
  LATHE_ASSIGN_OR_RETURN(PartialOutput output, PartialOutput::Create(out));
  LATHE_RETURN_IF_ERROR(output.Named(driver::ExportLibrary(
      made, output.path(),
      {.compiler = arguments.Get("--cc"), .symbol = arguments.Get("--symbol")})));
  LATHE_RETURN_IF_ERROR(WriteHeader(arguments, loaded.function, made));
  return output.Commit();
}

absl::Status BisectGraphFile(const Arguments& arguments) {
  if (arguments.positional().size() != 1 || arguments.Has("--wrong")) {
    throw UsageError(Diagnostic{.name = "cli-argument-count",
                                .message = "a graph is searched with random inputs",
                                .expected = "the graph alone; `--extent NAME=VALUE` gives sizes",
                                .found = "further arguments",
                                .help = "leave them out; `--seed N` changes the inputs"});
  }
  LATHE_ASSIGN_OR_RETURN(const LoadedGraph loaded,
                         LoadGraphFile(arguments.positional()[0], arguments));
  const graph::GraphFuncRef& func = FunctionOf(loaded);
  const std::vector<int64_t> sizes = graph::ChooseSizes(*func, ExtentsOf(arguments));
  const graph::Values inputs = graph::RandomInputs(
      *func, sizes, static_cast<uint64_t>(arguments.Integer("--seed", 1, 0, INT64_MAX)));
  const auto [target, options] = GraphBuildOf(arguments);
  LATHE_ASSIGN_OR_RETURN(
      const driver::BisectReport report,
      graph::BisectGraph(loaded.module, loaded.function, inputs, target, options));
  Print(report);
  return report.changed ? Culprit(report.stages.back().name) : absl::OkStatus();
}

absl::Status ExplainGraphFile(const Arguments& arguments) {
  const std::string output = arguments.Get("--output", "");
  if (arguments.Get("--format", "text") != "text" || output.ends_with(".json") ||
      output.ends_with(".html")) {
    throw UsageError(Diagnostic{.name = "cli-bad-value",
                                .message = "graphs are explained as text",
                                .expected = "--format text, or an output that ends in neither "
                                            ".json nor .html",
                                .found = "another format",
                                .help = "`lathe view MODEL -o PAGE.html` makes a page of it"});
  }
  LATHE_ASSIGN_OR_RETURN(const LoadedGraph loaded,
                         LoadGraphFile(arguments.positional()[0], arguments));
  auto [target, options] = GraphBuildOf(arguments);
  LATHE_ASSIGN_OR_RETURN(
      const std::string text,
      graph::ExplainGraph(loaded.module, loaded.function, target,
                          {.build = std::move(options), .sizes = ExtentsOf(arguments)}));
  return WriteOutput(output.empty() ? "-" : output, text);
}

}  // namespace lathe::cli
