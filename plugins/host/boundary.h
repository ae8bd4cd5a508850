// Records the requests to a code generator, and runs them again.
#pragma once

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "plugins/host/codegen.h"

namespace lathe::plugins {

// With LATHE_DUMP_BOUNDARY=folder: writes the request to a new folder in it,
// "<process>-<number>-<target kind>":
//   request.json     target, plugin, output kind, options, shapes of the constants
//   ir.bin           the binary IR
//   constant-N.bin   elements of constant N
// Does nothing if the variable is not set. Fails with `boundary-dump` if it cannot write.
absl::Status DumpRequest(const target::Target& target, const std::string& target_text,
                         const CompileInput& input);

// A request that was read from a folder.
struct RecordedRequest {
  std::string target;
  std::string plugin;
  std::string ir;
  OutputKind output = OutputKind::kModule;
  std::string options;
  struct Constant {
    DLDataType dtype;
    std::vector<int64_t> shape;
    std::string data;
  };
  std::vector<Constant> constants;
};

// The folder may have any content: fails with `boundary-read`.
absl::StatusOr<RecordedRequest> ReadRequest(const std::string& folder);

// Makes the same request again, with the plugin that provides the target now.
absl::StatusOr<CompileOutput> Replay(const std::string& folder);

}  // namespace lathe::plugins
