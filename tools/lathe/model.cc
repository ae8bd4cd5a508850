#include "tools/lathe/model.h"

#include <optional>

#include "driver/time_limit.h"
#include "runtime/graph/plan_module.h"
#include "runtime/status.h"
#include "runtime/thread_pool.h"
#include "tools/lathe/graph.h"
#include "tools/lathe/kept_model.h"
#include "tools/lathe/program.h"
#include "tools/lathe/progress.h"
#include "tools/lathe/records.h"

namespace lathe::cli {
namespace {

using runtime::MakeStatus;
using runtime::graph::Plan;
using runtime::graph::PlanSize;

absl::Status NoPlan(const std::string& path, const std::string& what, const std::string& expected,
                    const std::string& help) {
  return MakeStatus(absl::StatusCode::kFailedPrecondition, "model-plan",
                    "`" + path + "` " + what + "\n  expected: " + expected + "\n  help: " + help);
}

}  // namespace

bool IsArtifact(const std::string& path) {
  return path.ends_with(".o") || path.ends_with(".so") || path.ends_with(".tar");
}

absl::StatusOr<Model> ModelOf(const runtime::Module& module, const std::string& path,
                              const Arguments& arguments) {
  const std::vector<std::string> names = runtime::graph::PlanNames(module);
  if (names.empty()) {
    return NoPlan(path, "has no compiled model", "what `lathe compile` makes of a model",
                  "`lathe run` calls functions of other artefacts");
  }
  const std::string wanted = arguments.Get("--function", names.size() == 1 ? names[0] : "main");
  LATHE_ASSIGN_OR_RETURN(std::shared_ptr<const runtime::graph::Executable> executable,
                         runtime::graph::FindExecutable(module, wanted));
  return Model{module, std::move(executable), path};
}

absl::StatusOr<Model> LoadModel(const Arguments& arguments, const graph::ModelInputs& inputs,
                                std::vector<std::string>* notes) {
  const std::string& path = arguments.positional()[0];
  LATHE_RETURN_IF_ERROR(runtime::graph::RegisterGraph());
  if (IsArtifact(path)) {
    RefuseRecords(arguments);
    const absl::StatusOr<runtime::Module> module = runtime::LoadModuleFile(path);
    if (!module.ok()) return AsEnvironment(module.status());
    return ModelOf(*module, path, arguments);
  }
  Progress progress;
  progress.Show("reading " + path);
  const driver::TimeLimit limit(TimeLimitOf(arguments));
  LATHE_ASSIGN_OR_RETURN(const graph::ModelFormat* format, graph::FormatOfFile(path));
  const bool takes_shapes = format != nullptr && format->takes_shapes;
  const graph::ModelInputs shapes = takes_shapes ? inputs : graph::ModelInputs{};
  GraphBuild build = GraphBuildOf(arguments, &progress);
  std::optional<KeptModel> kept;
  // Why passes decided as they did is known only if they run.
  if (format != nullptr && notes == nullptr) {
    kept.emplace(arguments, *format, shapes, build);
    if (const std::optional<runtime::Module> module = kept->Find())
      return ModelOf(*module, path, arguments);
  }
  LATHE_ASSIGN_OR_RETURN(LoadedGraph loaded, LoadGraphFile(path, arguments, shapes));
  graph::GraphBuildOptions& options = build.options;
  std::vector<std::string> said;
  options.note = [&said, say = options.note](const std::string& text) {
    said.push_back(text);
    if (say) say(text);
  };
  options.passed = [&](std::string_view pass) {
    progress.Show(pass == "fuse" ? "compiling kernels" : "after " + std::string(pass));
  };
  if (notes != nullptr) options.explain = [&](const std::string& line) { notes->push_back(line); };
  LATHE_ASSIGN_OR_RETURN(const std::unique_ptr<TunedKernels> tuned,
                         TunedKernels::Use(arguments, &options, &progress));
  LATHE_ASSIGN_OR_RETURN(const runtime::Module module,
                         graph::BuildGraphModule(std::move(loaded.module), loaded.function,
                                                 build.host, options, loaded.function));
  LATHE_RETURN_IF_ERROR(tuned->Finish());
  if (kept) kept->Keep(module, loaded.external_files, said);
  LATHE_ASSIGN_OR_RETURN(std::shared_ptr<const runtime::graph::Executable> executable,
                         runtime::graph::FindExecutable(module, loaded.function));
  return Model{module, std::move(executable), path};
}

std::string OutputName(const Plan& plan, size_t index) {
  const std::string& name = plan.tensors[static_cast<size_t>(plan.outputs[index])].name;
  return name.empty() ? "output " + std::to_string(index) : name;
}

std::vector<int64_t> ExtentsOf(const Plan& plan, int32_t tensor) {
  std::vector<int64_t> extents;
  for (const int32_t number : plan.tensors[static_cast<size_t>(tensor)].shape) {
    const PlanSize& size = plan.sizes[static_cast<size_t>(number)];
    extents.push_back(size.kind == PlanSize::Kind::kConstant ? size.value : -1);
  }
  return extents;
}

std::string TensorText(const Plan& plan, int32_t tensor) {
  std::string text;
  for (const int64_t extent : ExtentsOf(plan, tensor))
    text += (text.empty() ? "" : ", ") + (extent < 0 ? "?" : std::to_string(extent));
  return plan.tensors[static_cast<size_t>(tensor)].dtype.ToString() + "[" + text + "]";
}

void UseThreads(const Arguments& arguments) {
  if (arguments.Has("--threads"))
    runtime::SetNumThreads(static_cast<int>(arguments.Integer("--threads", 1, 1, 1024)));
}

}  // namespace lathe::cli
