// What commands share about graphs.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "graph/build.h"
#include "graph/import/model_file.h"
#include "tools/lathe/command.h"
#include "tools/lathe/progress.h"

namespace lathe::cli {

// Does the file have a graph or a model of a format that is known (graph/import/model_file.h)? A
// file that is neither that nor a text counts as one, for the error that lists the formats. False
// for "-", for standard input is read once, and for what cannot be read.
bool HasGraph(const std::string& path);

struct LoadedGraph {
  ir::GraphModule module;                   // typed
  std::string function;                     // `main`, or the only one, or the one of --function
  std::vector<std::string> outputs;         // names, if the format has them
  std::vector<std::string> external_files;  // in the file's folder, that were read, too
};
// Reads a graph or a model, with the shapes of --input and the products of --products. Throws and
// fails as ImportModelFile does.
absl::StatusOr<LoadedGraph> LoadGraphFile(const std::string& path, const Arguments& arguments);
// The same with these shapes.
absl::StatusOr<LoadedGraph> LoadGraphFile(const std::string& path, const Arguments& arguments,
                                          const graph::ModelInputs& inputs);
// The function of a module.
const Ref<const ir::GraphFunc>& FunctionOf(const LoadedGraph& loaded);

// Reads `NAME=SHAPE[:TYPE]` of each --input: `x=1x3x224x224:float32`, `x=rows,3`. Throws UsageError
// `cli-bad-value`.
graph::ModelInputs InputShapesOf(const Arguments& arguments);
// "1x3x224x224" or "rows,3". False if it is no shape.
bool ParseModelShape(std::string_view text, std::vector<graph::ModelExtent>* shape);

// How a graph is built: --target (for several devices given several times: the first device runs
// what nothing else places), --opt-level, --disable and --no-cache; lowering passes and their
// options are those of MakePassContext. What a device cannot run is on the host, with a note on
// stderr; `progress` (may be null) makes place for it and must outlive the options. Throws
// UsageError `cli-bad-value`, `cli-unknown-pass`, and what ParseTarget and graph::SortTargets
// throw.
struct GraphBuild {
  target::Target host;
  graph::GraphBuildOptions options;
};
GraphBuild GraphBuildOf(const Arguments& arguments, Progress* progress = nullptr);
// The passes over graphs that --print-after names. Throws UsageError `cli-unknown-pass`.
std::set<std::string> PrintAfterOf(const Arguments& arguments);
// The values of --extent, by name. Throws UsageError `cli-bad-value`.
std::map<std::string, int64_t> ExtentsOf(const Arguments& arguments);

inline constexpr Option kFunctionOption = {
    "--function", "NAME", "of a graph: the function; default: `main`, or the only one"};
inline constexpr Option kInputShapeOption = {
    "--input", "NAME=SHAPE[:TYPE]",
    "of a model: the shape of an input, as 1x3x224x224 or batch,3,224,224 (a name is a size that "
    "runs choose), and its element type"};
inline constexpr Option kProductsOption = {
    "--products", "TYPE",
    "of a graph: convolutions and products of float32 are computed with operands of this type, "
    "bfloat16 or float16, and sums of float32. Softmax, norms and results stay in float32"};
inline constexpr Option kGraphTargetOption = {
    "--target", "TARGET",
    "what to compile for, as `llvm -mcpu=x86-64-v3`, `cuda` or `opencl`; default: llvm, for this "
    "machine. Of a graph, a target for the host and one for each device may be given"};
inline constexpr Option kOptLevelOption = {
    "--opt-level", "0..3",
    "of a graph: which passes over graphs run; default: 2; 3 "
    "adds Winograd's convolutions: faster, and rounded "
    "differently"};
inline constexpr Option kPrintAfterOption = {
    "--print-after", "PASS",
    "of a graph: print it after this pass over graphs, or after each (all) that changes it; may be "
    "given several times"};

}  // namespace lathe::cli
