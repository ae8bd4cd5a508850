// ModuleNode: the base class of compiled modules; and the functions that load them.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "lathe/abi/module.h"
#include "plugins/sdk/value.h"

namespace lathe::sdk {

// A loaded module. Must be thread-safe unless the manifest says "serial". It lives until the host
// and all its functions have released it.
class ModuleNode {
 public:
  virtual ~ModuleNode() = default;

  // Empty if there is no such name. The function may use `this`: the SDK keeps the module alive.
  virtual Function GetFunction(std::string_view name) = 0;
  // The bytes that the loader accepts. The default throws `module-not-saved` (LATHE_UNIMPLEMENTED).
  virtual std::string Save();
  // See lathe_module_api.describe; "" if there is nothing.
  virtual std::string Describe(std::string_view what);
};

struct ProbeResult {
  lathe_probe_verdict verdict = LATHE_PROBE_OK;
  std::string reason;
};

// Makes a module from bytes, which are borrowed. Throws sdk::Error if they are damaged.
using ModuleLoader = std::function<std::unique_ptr<ModuleNode>(std::string_view bytes)>;
// Checks the bytes without loading them.
using ModuleProbe = std::function<ProbeResult(std::string_view bytes)>;

namespace internal {

struct ModuleKind {
  ModuleLoader load;
  ModuleProbe probe;  // may be empty
};

// The C table that calls `kind`, which must outlive it.
lathe_module_api ModuleTable(ModuleKind* kind);

}  // namespace internal
}  // namespace lathe::sdk
