// A plugin opened by hand: its table, its interfaces, with a host that the check chooses.
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

// dlopen and the entry point; nothing of the plugin has been called.
absl::StatusOr<lathe_plugin_query> OpenQuery(const std::string& path);

// Queried with a host and initialised.
class Library {
 public:
  // `host` is KitHost() where NULL.
  static absl::StatusOr<Library> Open(const Subject& subject, const lathe_host* host = nullptr);

  const lathe_plugin& plugin() const { return *plugin_; }
  // The first of the manifest's kinds; NULL where it has none.
  const lathe_device_api* device() const;
  const lathe_module_api* module() const;
  const lathe_codegen_api* codegen() const;
  // Calls it; an error becomes a status.
  absl::Status Shutdown() const;

 private:
  const lathe_plugin* plugin_ = nullptr;
  const Subject* subject_ = nullptr;
};

// Init as the host calls it, with the subject's name, version and folder.
absl::Status Init(const lathe_plugin& plugin, const Subject& subject);

// The first target with its defaults, as the host writes it; "" where there is none.
std::string TargetTextOf(const Subject& subject);

// A kernel or function at the first target's stage, as bytes: what raw checks have compiled. ""
// where the manifest has no target. Needs no plugin.
std::string SmallIr(const Subject& subject);

}  // namespace lathe::kit
