// Models as an earlier run compiled them, kept whole in the compile cache: code, plan and packed
// weights are one file, which is mapped. A second run needs the digest of the model's file, which
// is remembered as long as the file is the same (driver/cache/file_digest.h).
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

  // Says what was said when the model was compiled (GraphBuildOptions::note).
  std::optional<runtime::Module> Find();
  // Keeps `made`, unless it is too large, or one of the files is not the one that it was when this
  // object was made: then it is not sure which contents were compiled. `notes` are what
  // GraphBuildOptions::note was called with.
  void Keep(const runtime::Module& made, const std::vector<std::string>& external_files,
            const std::vector<std::string>& notes);

 private:
  std::optional<Digest> KeyOf(const std::vector<std::string>& external_files) const;

  driver::CompileCache* const cache_;
  const GraphBuild& build_;
  const std::string path_;
  const std::string folder_;  // of path_, with a slash behind it; "": the current one
  const timespec started_;
  std::string stamp_;    // of the model's file, before its digest was computed
  std::string content_;  // all that decides the result, but external files; "": nothing is kept
};

}  // namespace lathe::cli
