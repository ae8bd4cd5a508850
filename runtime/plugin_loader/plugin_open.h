// Opening one plugin: dlopen, handshake, init, and copies of its tables with every required member
// checked by name.
#pragma once

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lathe/abi/codegen.h"
#include "lathe/abi/device.h"
#include "lathe/abi/module.h"
#include "lathe/abi/plugin.h"
#include "runtime/plugin_loader/manifest.h"
#include "runtime/plugin_loader/probe.h"

namespace lathe::runtime {

// What an open plugin offers. The tables are copies of min(sizes), missing members NULL; index i
// belongs to entry i of the manifest's list.
struct OpenedPlugin {
  lathe_plugin plugin{};
  std::vector<lathe_device_api> devices;
  std::vector<lathe_module_api> modules;
  std::vector<lathe_codegen_api> targets;
};

// Whether this process could serve the plugin at all, from its manifest alone: `plugin-too-old`,
// `plugin-too-new`, `plugin-wrong-machine`.
absl::Status CheckManifestFits(const Manifest& manifest);

// Runs foreign code: call it in a child first (probe.h). A plugin once opened is never closed.
// Fails with `plugin-not-loadable` (what the dynamic loader says), `plugin-no-entry`,
// `plugin-refused`, `plugin-bad-table`, `plugin-missing-member`, `plugin-missing-interface`,
// `plugin-too-old`, `plugin-too-new`, `plugin-manifest-mismatch`, or what init says.
absl::StatusOr<OpenedPlugin> OpenPlugin(const std::string& path, const std::string& folder,
                                        const Manifest& manifest, const ProbePhase& phase);

}  // namespace lathe::runtime
