// Compiled models as `lathe run`, `bench`, `profile` and `compare` use them: from an artefact, or
// compiled in this process from a model file.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "graph/build.h"
#include "graph/import/model_file.h"
#include "runtime/graph/executor.h"
#include "runtime/module.h"
#include "tools/lathe/command.h"

namespace lathe::cli {

struct Model {
  runtime::Module module;
  std::shared_ptr<const runtime::graph::Executable> executable;
  std::string path;
  const runtime::graph::Plan& plan() const { return executable->plan(); }
};

// Is it a file as `lathe compile` writes it (by its suffix), not a program or a model?
bool IsArtifact(const std::string& path);
// The plan of a loaded module that --function names, or the only one. Fails as FindExecutable does,
// and with `model-plan` if there are several.
absl::StatusOr<Model> ModelOf(const runtime::Module& module, const std::string& path,
                              const Arguments& arguments);
// Loads an artefact, or compiles a model file for this machine; `inputs` are shapes of a model that
// leaves some open, `notes` gets why which layouts were chosen. Shows progress. Fails with
// `model-plan` if an artefact has no plan, and as LoadModuleFile, LoadGraphFile and
// BuildGraphModule do.
absl::StatusOr<Model> LoadModel(const Arguments& arguments, const graph::ModelInputs& inputs,
                                std::vector<std::string>* notes = nullptr);

// The name of the output; "output 1" if the plan has none for it.
std::string OutputName(const runtime::graph::Plan& plan, size_t index);
// "float32[?, 3, 224, 224]": `?` is an extent that runs choose.
std::string TensorText(const runtime::graph::Plan& plan, int32_t tensor);
// The extents of a tensor of the plan; -1 for those that runs choose.
std::vector<int64_t> ExtentsOf(const runtime::graph::Plan& plan, int32_t tensor);

inline constexpr Option kThreadsOption = {"--threads", "N", "threads that parallel loops use"};
// Applies --threads. Throws UsageError `cli-bad-value`.
void UseThreads(const Arguments& arguments);

}  // namespace lathe::cli
