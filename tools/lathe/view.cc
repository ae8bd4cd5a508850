// `lathe view`: a compiled model as a page.
#include "runtime/status.h"
#include "tools/lathe/files.h"
#include "tools/lathe/graph.h"
#include "tools/lathe/model_inputs.h"
#include "tools/lathe/model_page.h"
#include "tools/lathe/program.h"

namespace lathe::cli {
namespace {

constexpr Option kOptions[] = {
    {"--output", "PAGE", "the page to write; its name ends in .html", 'o'},
    kInputValueOption,
    kGraphTargetOption,
    kFunctionOption,
    kOptLevelOption,
    kPassOption,
    kDisableOption,
    kVerifyOption,
    kTimeLimitOption,
    kIsolateOption,
    kNoCacheOption,
};

absl::Status Run(const Arguments& arguments) {
  const std::string out = arguments.Get("--output");
  if (!out.ends_with(".html")) {
    throw UsageError(Diagnostic{.name = "cli-unknown-suffix",
                                .message = "a model is shown as a page of HTML",
                                .expected = "`-o PAGE` with PAGE ending in .html",
                                .found = out.empty() ? "nothing" : "`" + out + "`",
                                .help = "`lathe explain` prints text"});
  }
  LATHE_ASSIGN_OR_RETURN(const graph::ModelInputs shapes, ShapesGiven(arguments));
  ModelPage page;
  LATHE_ASSIGN_OR_RETURN(const Model model, LoadModel(arguments, shapes, &page.notes));
  LATHE_ASSIGN_OR_RETURN(page.shapes, InputShapesFor(arguments, model.plan()));
  page.title = arguments.positional()[0];
  page.target = model.module->metadata().target;
  LATHE_ASSIGN_OR_RETURN(const std::string text, ToHtml(model, page));
  return WriteOutput(out, text);
}

}  // namespace

const Command kView = {
    .name = "view",
    .arguments = "ARTEFACT|MODEL -o PAGE.html",
    .what = "show a compiled model as a page: graph, kernels, layouts, memory",
    .details =
        "The page needs nothing but a browser: no network, no other files. It has the graph of the "
        "groups that one\n"
        "kernel computes, each step with its tensors, their layouts as shapes, the arena over "
        "time, "
        "and for a model\n"
        "file why the layouts were chosen. Extents that the model leaves open need a value.\n",
    .example =
        "  lathe view model.so -o model.html\n"
        "  lathe view bert.onnx -o bert.html --input ids=random:1x128\n",
    .options = kOptions,
    .fewest = 1,
    .most = 1,
    .run = Run,
};

}  // namespace lathe::cli
