// A plugin opened without the runtime: its table and its interfaces, with a host that the check
// chooses.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "lathe/abi/codegen.h"
#include "lathe/abi/device.h"
#include "lathe/abi/module.h"
#include "lathe/abi/plugin.h"
#include "tools/plugin_test/check.h"
#include "tools/plugin_test/kit_host.h"

namespace lathe::kit {

// Loads the plugin and finds its entry point. Calls no function of the plugin.
absl::StatusOr<lathe_plugin_query> OpenQuery(const std::string& path);

// A plugin that was queried with a host and initialised.
class Library {
 public:
  // If `host` is null, KitHost() is used.
  static absl::StatusOr<Library> Open(const Subject& subject, const lathe_host* host = nullptr);

  const lathe_plugin& plugin() const { return *plugin_; }
  // These are for the first kind in the manifest; null if it has none.
  const lathe_device_api* device() const;
  const lathe_module_api* module() const;
  const lathe_codegen_api* codegen() const;
  // Calls the plugin's shutdown. An error becomes a status.
  absl::Status Shutdown() const;

 private:
  const lathe_plugin* plugin_ = nullptr;
  const Subject* subject_ = nullptr;
};

// Calls init as the host does, with the subject's name, version and folder.
absl::Status Init(const lathe_plugin& plugin, const Subject& subject);

// The text of the first target with its defaults, as the host writes it; "" if there is none.
std::string TargetTextOf(const Subject& subject);

// The binary IR of a kernel or function at the first target's stage, which checks without the
// driver compile. "" if the manifest has no target. Needs no plugin.
std::string SmallIr(const Subject& subject);

}  // namespace lathe::kit
