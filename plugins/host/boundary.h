// Records the requests to a code generator, and runs them again.
#pragma once

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "plugins/host/codegen.h"

namespace lathe::plugins {

// With LATHE_DUMP_BOUNDARY=folder: writes the request to a new folder in it,
// "<process>-<number>-<target kind>", which no other process has, not even one of the same number
// in another container:
//   request.json     target, plugin, output kind, options, shapes and symbols of the constants
//   ir.bin           the binary IR
//   constant-N.bin   elements of constant N
// Does nothing if the variable is not set. Fails with `boundary-dump` if it cannot write.
absl::Status DumpRequest(const target::Target& target, const std::string& target_text,
                         const CompileInput& input);

// What request.json holds.
std::string RequestJson(const target::Target& target, const std::string& target_text,
                        const CompileInput& input);

// A request that was recorded.
struct RecordedRequest {
  std::string target;
  std::string plugin;
  std::string ir;
  OutputKind output = OutputKind::kModule;
  std::string options;
  struct Constant {
    DLDataType dtype;
    std::vector<int64_t> shape;
    std::string symbol;  // "" where code may not refer to it by one
    uint64_t bytes = 0;  // by element type and shape
    std::string data;
  };
  std::vector<Constant> constants;
};

// Reads request.json, of any content; the IR and the constants' data are left out. `where` names it
// in errors. Fails with `boundary-read`.
absl::Status ParseRequest(const std::string& json, const std::string& where,
                          RecordedRequest* request);
// The folder may have any content: fails with `boundary-read`.
absl::StatusOr<RecordedRequest> ReadRequest(const std::string& folder);

// Makes the request, with the plugin that provides the target now and reads a version of the IR in
// [oldest, newest]. Fails with `boundary-read` where a constant has another size than it says.
absl::StatusOr<CompileOutput> MakeRequest(RecordedRequest& request, int oldest, int newest);
// Makes that of a folder again. The IR is passed unchanged: the plugin reports whether it can read
// it.
absl::StatusOr<CompileOutput> Replay(const std::string& folder);

}  // namespace lathe::plugins
