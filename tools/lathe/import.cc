// `lathe import`: a model of another format becomes a graph with its weights in one file.
#include <cstdio>

#include "graph/import/lathe_file.h"
#include "ir/constants.h"
#include "ir/walk.h"
#include "runtime/status.h"
#include "tools/lathe/files.h"
#include "tools/lathe/graph.h"
#include "tools/lathe/progress.h"

namespace lathe::cli {
namespace {

constexpr Option kOptions[] = {
    {"--output", "OUT", "the file to write; its name ends in .lathe", 'o'},
    kInputShapeOption,
    kProductsOption,
    kFunctionOption,
};

void PrintSummary(const LoadedGraph& loaded) {
  const ir::GraphFunc& func = *FunctionOf(loaded);
  for (const ir::GraphVar& param : func.params)
    std::printf("input:   %s: %s\n", param->name.c_str(), graph::TypeText(param->type).c_str());
  for (const std::string& output : loaded.outputs) std::printf("output:  %s\n", output.c_str());
  std::printf("result:  %s\n", graph::TypeText(func.result_type).c_str());
  size_t bytes = 0;
  ir::ForEach<ir::Constant>(loaded.module,
                            [&](const ir::Constant& constant) { bytes += constant.data->size(); });
  std::printf("graph:   %zu bindings, %.1f MB of constants\n", func.body->bindings.size(),
              static_cast<double>(bytes) / 1e6);
}

absl::Status Run(const Arguments& arguments) {
  const std::string out = arguments.Get("--output");
  if (!out.ends_with(".lathe")) {
    throw UsageError(Diagnostic{.name = "cli-unknown-suffix",
                                .message = "an imported model is written to a .lathe file",
                                .expected = "`-o OUT` with OUT ending in .lathe",
                                .found = out.empty() ? "nothing" : "`" + out + "`",
                                .help = "`lathe compile` takes the model, too"});
  }
  Progress progress;
  progress.Show("reading " + arguments.positional()[0]);
  LATHE_ASSIGN_OR_RETURN(const LoadedGraph loaded,
                         LoadGraphFile(arguments.positional()[0], arguments));
  progress.Show("writing " + out);
  LATHE_ASSIGN_OR_RETURN(PartialOutput output, PartialOutput::Create(out));
  const FileProblem problem = graph::WriteLatheFile(loaded.module, output.path());
  if (!problem.ok()) return WriteFailed(out, problem.text);
  LATHE_RETURN_IF_ERROR(output.Commit());
  progress.Clear();
  PrintSummary(loaded);
  return absl::OkStatus();
}

}  // namespace

const Command kImport = {
    .name = "import",
    .arguments = "MODEL -o OUT.lathe",
    .what = "read a model of ONNX, TFLite or TensorFlow into a file of our own",
    .details =
        "MODEL is a file of ONNX, TFLite or TensorFlow; OUT.lathe is a graph of Lathe's operators, "
        "with its weights. Every "
        "command that\n"
        "takes OUT.lathe takes the model, too: import it to look at it, to fix its sizes, or to "
        "read it faster.\n"
        "Sizes that the model leaves open stay open, unless --input says what they are. Operators "
        "that cannot\n"
        "be imported are listed all at once.\n",
    .example =
        "  lathe import resnet.onnx -o resnet.lathe\n"
        "  lathe import resnet.onnx -o resnet.lathe --input data=1x3x224x224:float32\n"
        "  lathe import bert.onnx -o bert.lathe --input ids=1,words --input mask=1,words\n",
    .options = kOptions,
    .fewest = 1,
    .most = 1,
    .run = Run,
};

}  // namespace lathe::cli
