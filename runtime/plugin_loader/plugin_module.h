// A plugin's module table as the runtime's ModuleNode.
#pragma once

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "lathe/abi/module.h"
#include "runtime/module.h"
#include "runtime/plugin_loader/plugin_identity.h"

namespace lathe::runtime {

// What "module.load.<kind>" needs to know of a plugin's kind; lives as long as the process.
struct PluginModuleKind {
  const PluginIdentity* identity;
  std::string kind;
  bool serial;             // calls of one module must not overlap
  lathe_module_api table;  // a checked copy
};

// Probes, then loads. Fails with `module-recompile` or `module-refused` and the plugin's reason, or
// with what the plugin says.
absl::StatusOr<Module> LoadPluginModule(const PluginModuleKind* kind, std::string_view bytes);

}  // namespace lathe::runtime
