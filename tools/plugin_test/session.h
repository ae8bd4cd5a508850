// A short life of a plugin, through its C tables alone: it uses a device, compiles code, and loads,
// saves and drops a module. Checks run it with forced failures, counters and threads.
#pragma once

#include <string>

#include "tools/plugin_test/library.h"

namespace lathe::kit {

struct SessionInput {
  std::string ir;      // SmallIr
  std::string target;  // TargetTextOf
};
SessionInput MakeSessionInput(const Subject& subject);

// Runs all steps. On failure everything made before is released, and the status names the failure.
absl::Status RunSession(const Library& library, const SessionInput& input);

// The steps.
absl::Status UseDevice(const Library& library);
// `*bytes` and `*kind` are the output of the code generator, and the kind of its module.
absl::Status CompileOnce(const Library& library, const SessionInput& input, std::string* bytes,
                         std::string* kind);
absl::Status UseModule(const Library& library, const std::string& bytes);

}  // namespace lathe::kit
