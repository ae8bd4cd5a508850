// A short life of a plugin through its C tables alone: devices used, code compiled, a module
// loaded, saved, dropped. Forced failures, counters and threads are tried on it.
#pragma once

#include <string>

#include "tools/plugin_test/library.h"

namespace lathe::kit {

struct SessionInput {
  std::string ir;      // SmallIr
  std::string target;  // TargetTextOf
};
SessionInput MakeSessionInput(const Subject& subject);

// All of it. On failure everything made before is given back, and the status says what failed.
absl::Status RunSession(const Library& library, const SessionInput& input);

// Its steps.
absl::Status UseDevice(const Library& library);
// `*module_bytes` and `*kind` are what the code generator made.
absl::Status CompileOnce(const Library& library, const SessionInput& input, std::string* bytes,
                         std::string* kind);
absl::Status UseModule(const Library& library, const std::string& bytes);

}  // namespace lathe::kit
