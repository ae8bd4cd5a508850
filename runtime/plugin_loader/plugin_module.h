// Wraps a plugin's module table as the runtime's ModuleNode.
#pragma once

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "lathe/abi/module.h"
#include "runtime/module.h"
#include "runtime/plugin_loader/plugin_identity.h"

namespace lathe::runtime {

// The data that "module.load.<kind>" needs for a plugin's kind; valid as long as the process.
struct PluginModuleKind {
  const PluginIdentity* identity;
  std::string kind;
  bool serial;             // calls of one module must not overlap
  lathe_module_api table;  // a checked copy
};

// Probes the bytes, then loads them. Fails with `module-recompile` or `module-refused` and the
// plugin's reason, or with the plugin's error.
absl::StatusOr<Module> LoadPluginModule(const PluginModuleKind* kind, std::string_view bytes);

}  // namespace lathe::runtime
