// Opens one plugin: dlopen, handshake, init, and copies of its tables with a check of every
// required member.
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

// The tables of an open plugin, copied with min(sizes); missing members are NULL. Index i belongs
// to entry i of the manifest's list.
struct OpenedPlugin {
  lathe_plugin plugin{};
  std::vector<lathe_device_api> devices;
  std::vector<lathe_module_api> modules;
  std::vector<lathe_codegen_api> targets;
};

// Checks by the manifest alone whether this process can use the plugin: `plugin-too-old`,
// `plugin-too-new`, `plugin-wrong-machine`.
absl::Status CheckManifestFits(const Manifest& manifest);

// Runs foreign code: call it in a child first (probe.h). An opened plugin is never closed. Fails
// with `plugin-not-loadable` (with the dynamic loader's message), `plugin-no-entry`,
// `plugin-refused`, `plugin-bad-table`, `plugin-missing-member`, `plugin-missing-interface`,
// `plugin-too-old`, `plugin-too-new`, `plugin-manifest-mismatch`, or with init's error.
absl::StatusOr<OpenedPlugin> OpenPlugin(const std::string& path, const std::string& folder,
                                        const Manifest& manifest, const ProbePhase& phase);

}  // namespace lathe::runtime
