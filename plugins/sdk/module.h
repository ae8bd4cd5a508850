// ModuleNode: the class a compiled module derives from, and what loads one.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "lathe/abi/module.h"
#include "plugins/sdk/value.h"

namespace lathe::sdk {

// A loaded module. Thread-safe unless the manifest says "serial". It lives until the host and every
// function handed out have let go of it.
class ModuleNode {
 public:
  virtual ~ModuleNode() = default;

  // Empty where there is no such name. The function may use `this`: the SDK keeps the module alive.
  virtual Function GetFunction(std::string_view name) = 0;
  // Bytes that the loader takes. The default throws `module-not-saved` (LATHE_UNIMPLEMENTED).
  virtual std::string Save();
  // See lathe_module_api.describe; "" where there is nothing.
  virtual std::string Describe(std::string_view what);
};

struct ProbeResult {
  lathe_probe_verdict verdict = LATHE_PROBE_OK;
  std::string reason;
};

// Makes a module of bytes, which are borrowed and may be damaged; throws sdk::Error then.
using ModuleLoader = std::function<std::unique_ptr<ModuleNode>(std::string_view bytes)>;
// Looks without loading.
using ModuleProbe = std::function<ProbeResult(std::string_view bytes)>;

namespace internal {

struct ModuleKind {
  ModuleLoader load;
  ModuleProbe probe;  // may be empty
};

// The C table whose calls go to `kind`, which must outlive it.
lathe_module_api ModuleTable(ModuleKind* kind);

}  // namespace internal
}  // namespace lathe::sdk
