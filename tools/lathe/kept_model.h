// Models as an earlier run compiled them, kept whole in the compile cache: code, plan and packed
// weights are one file, which is mapped. A second run reads the model's file for its digest only.
#pragma once

#include <ctime>
#include <optional>
#include <string>
#include <vector>

#include "base/digest.h"
#include "graph/import/model_file.h"
#include "runtime/module.h"
#include "tools/lathe/command.h"
#include "tools/lathe/graph.h"

namespace lathe::cli {

// What is kept for a model file, its options and targets. Problems with the cache are reported, and
// never make a command fail.
class KeptModel {
 public:
  // Without a cache (--no-cache), and if --records or --lock name files, nothing is found or kept.
  KeptModel(const Arguments& arguments, const graph::ModelFormat& format,
            const graph::ModelInputs& inputs, const GraphBuild& build);

  std::optional<runtime::Module> Find();
  // Keeps `made`, unless it is too large, or one of the files changed since this object was made:
  // then it is not sure which contents were compiled.
  void Keep(const runtime::Module& made, const std::vector<std::string>& external_files);

 private:
  std::optional<Digest> KeyOf(const std::vector<std::string>& external_files) const;

  driver::CompileCache* const cache_;
  const GraphBuild& build_;
  const std::string path_;
  const std::string folder_;  // of path_, with a slash behind it; "": the current one
  const timespec started_;
  std::string content_;  // all that decides the result, but external files; "": nothing is kept
};

}  // namespace lathe::cli
