// `lathe explain`: describes, stage by stage, what a schedule does to a program.
#include "driver/explain/explain.h"
#include "runtime/status.h"
#include "tools/lathe/files.h"
#include "tools/lathe/graph.h"
#include "tools/lathe/graph_commands.h"
#include "tools/lathe/program.h"

namespace lathe::cli {
namespace {

constexpr Option kOptions[] = {
    {"--extent", "NAME=VALUE", "a value for a symbolic extent, so that figures become numbers"},
    {"--format", "FORMAT", "text (the default), json or html"},
    {"--output", "FILE", "write there; .json and .html choose the format (graphs: text)", 'o'},
    kFunctionOption,
    kInputShapeOption,
    kOptLevelOption,
    kDisableOption,
    kNoCacheOption,
};

bool EndsWith(const std::string& text, std::string_view end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

absl::Status Run(const Arguments& arguments) {
  if (HasGraph(arguments.positional()[0])) return ExplainGraphFile(arguments);
  const std::string output = arguments.Get("--output", "");
  const std::string format = arguments.Get("--format", EndsWith(output, ".html")   ? "html"
                                                       : EndsWith(output, ".json") ? "json"
                                                                                   : "text");
  if (format != "text" && format != "json" && format != "html") {
    throw UsageError(Diagnostic{.name = "cli-bad-value",
                                .message = "there is no format `" + format + "`",
                                .expected = "text, json or html",
                                .found = "`" + format + "`",
                                .help = "`lathe explain PROGRAM -o page.html` writes a page"});
  }
  driver::ExplainOptions options;
  for (const std::string& pair : arguments.All("--extent")) {
    const auto [name, value] = SplitInteger("--extent", pair, "for example --extent n=1024");
    if (value < 0) {
      throw UsageError(Diagnostic{.name = "cli-bad-value",
                                  .message = "--extent " + pair,
                                  .expected = "NAME=VALUE with a value >= 0",
                                  .found = std::to_string(value),
                                  .help = "for example --extent n=1024"});
    }
    options.sizes[name] = value;
  }
  LATHE_ASSIGN_OR_RETURN(LoadedProgram program, LoadProgram(arguments.positional()[0]));
  const schedule::Loaded& loaded = program.loaded;
  const driver::Explanation explanation =
      driver::Explain(loaded.schedule, loaded.args, loaded.name, options);
  const std::string text = format == "html" ? ToHtml(explanation)
                           : format == "json"
                               ? ToJson(explanation).Dump(2) + "\n"
                               : ToText(explanation, output.empty() && arguments.color());
  return WriteOutput(output.empty() ? "-" : output, text);
}

}  // namespace

const Command kExplain = {
    .name = "explain",
    .arguments = "PROGRAM",
    .what = "say what a schedule makes of a program, stage by stage",
    .details =
        "For each stage: where it is computed, which region and why, its buffer, its loops, what "
        "each "
        "level of them\n"
        "touches and how many operations that serves, and which guards remain and why. PROGRAM is "
        "a "
        "program file,\n"
        "`-` for standard input. Of a graph: the blocks of channels that convolutions have and the "
        "ones they do not,\n"
        "groups of operators, their kernels, and for each step its tensors with their places in "
        "memory.\n",
    .example =
        "  lathe explain examples/programs/softmax.lathe --extent n=1080 --extent m=1920\n"
        "  lathe explain examples/programs/gemm_tiled.lathe -o gemm.html\n"
        "  lathe explain network.lathe --extent n=16      # a graph\n",
    .options = kOptions,
    .fewest = 1,
    .most = 1,
    .run = Run,
};

}  // namespace lathe::cli
