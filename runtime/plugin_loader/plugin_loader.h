// PluginLoader: finds plugins, lists them without loading, and loads one when its device, module or
// code generator is first used.
//
// It searches in this order: Load(path); each entry of LATHE_PLUGIN_PATH (separated by ':'; of a
// folder all *.so, sorted; of a file itself); folders from AddFolder; the installation's plugin
// folder, beside this library. Only the manifests of the found files are read. A plugin is loaded
// on the first look-up, in the registry, of "device_api.<kind>", "module.load.<kind>" or
// "codegen.<target>"; its factories are registered under these names.
//
// Entries of LATHE_PLUGIN_PATH must be absolute, and only the user and root may have been able to
// write a plugin's file (base/trusted_file.h). A refused file is listed with the reason.
//
// A plugin is first tried in a child process (probe.h), once per content of its file, so that a
// failing plugin never ends this process. If it would fail each time, it is *disabled*, and the
// reason is kept. After a failure that may be temporary, such as a crash or too little memory, the
// next look-up tries again. A loaded plugin is never unloaded.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lathe/abi/codegen.h"
#include "runtime/plugin_loader/manifest.h"
#include "runtime/plugin_loader/plugin_identity.h"

namespace lathe::runtime {

enum class PluginState {
  kFound,     // its manifest was read
  kLoaded,    // in use
  kDisabled,  // PluginInfo::reason says why
  kShutDown,
};
// "found", "loaded", "disabled", "shut down".
const char* PluginStateName(PluginState state);

struct PluginInfo {
  std::string path;      // absolute, links resolved; empty where Declare made it
  std::string found_by;  // "named", "LATHE_PLUGIN_PATH", "folder", "installation", "process"
  Manifest manifest;     // empty if it could not be read
  PluginState state = PluginState::kFound;
  absl::Status reason;      // OK unless disabled or the last try failed
  std::string sdk_version;  // once loaded

  // "acme 1.2", or the file's name if there is no manifest.
  std::string Title() const;
};

struct PluginOptions {
  bool probe = true;  // LATHE_PLUGIN_PROBE=0 turns it off, for processes that may not fork
  std::chrono::milliseconds probe_time_limit{10000};
  std::string verdict_folder;       // where verdicts are kept; "" for this process only
  std::string search_path;          // as LATHE_PLUGIN_PATH
  std::string installation_folder;  // "" for none

  // Taken from the environment and from the folder of this library.
  static PluginOptions Default();
};

enum class PluginKind { kDevice, kModule, kTarget };

// "codegen.<target>", called without arguments, returns a pointer to this (a POINTER value); it is
// valid as long as the process.
struct PluginCodeGen {
  const PluginIdentity* identity;
  std::string kind;
  lathe_codegen_api table;  // a checked copy: `compile` is there
};

// Thread-safe.
class PluginLoader {
 public:
  // The loader of this process; the first call makes it and adds it to the registry's resolvers.
  static PluginLoader& Global();

  explicit PluginLoader(PluginOptions options);
  PluginLoader(const PluginLoader&) = delete;
  PluginLoader& operator=(const PluginLoader&) = delete;
  ~PluginLoader();

  // Loads the plugin in a file. A plugin named in this way is preferred to others of the same kinds
  // that are not loaded yet. Fails with the reason if the plugin is disabled, or with
  // `plugin-duplicate-kind` if one of its kinds is in use already.
  absl::Status Load(const std::string& path);
  // Declares a plugin within this process: its targets are known from now on, as if a file had this
  // manifest. The caller registers its functions under the same names as a plugin's. A manifest of
  // the same name that was declared before is replaced. Fails with `manifest-malformed`, with the
  // errors of CheckManifestFits, and with `plugin-duplicate-kind` if another plugin provides one of
  // its kinds.
  absl::Status Declare(std::string_view manifest);
  // Adds one more folder to search, before the installation's.
  void AddFolder(const std::string& folder);

  // All plugins that can be found, in the order of the search, named ones first. Loads nothing.
  std::vector<PluginInfo> List();
  // The folders and files that were searched, for messages.
  std::vector<std::string> SearchedPlaces() const;

  // The plugin that LoadKind would load or has loaded; fails as LoadKind does; loads nothing.
  absl::StatusOr<PluginInfo> Provider(PluginKind what, std::string_view kind);
  // Loads the plugin that provides a kind. OK if it is loaded already. Fails with `plugin-missing`
  // (with the places searched and the kinds found), `plugin-duplicate-kind` (with the candidates;
  // name one of them), `plugin-disabled` (with the reason).
  absl::Status LoadKind(PluginKind what, std::string_view kind);

  // Shuts down all loaded plugins, the last one first, and returns the first failure. From then on,
  // their functions return `plugin-shut-down`. Call it before the process ends, while no work runs;
  // not calling it is allowed, too.
  absl::Status Shutdown();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace lathe::runtime
