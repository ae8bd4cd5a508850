// PluginLoader: finds plugins, lists them without loading, loads one when what it provides is first
// used.
//
// Where it looks, in this order: Load(path); each entry of LATHE_PLUGIN_PATH (':' between them; a
// folder means its *.so, sorted; a file means itself); folders that AddFolder named; the
// installation's plugin folder, beside this library. What is found is known by its manifest alone.
// Loading happens on the first look-up, in the registry, of "device_api.<kind>",
// "module.load.<kind>" or "codegen.<target>", which is where the plugin's factories then stand.
//
// Entries of LATHE_PLUGIN_PATH are absolute, and a plugin's file is one that only the user and root
// can have written (base/trusted_file.h); what is refused is listed with the reason.
//
// A plugin is first tried in a child process (probe.h), once per content of its file. One that
// fails never takes the process down. Where it will fail each time it is *disabled*, with the
// reason kept; what may pass, such as a crash or too little memory, is tried again by the next
// look-up. A loaded plugin is never unloaded.
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
  kFound,     // known by its manifest
  kLoaded,    // in use
  kDisabled,  // PluginInfo::reason says why
  kShutDown,
};
// "found", "loaded", "disabled", "shut down".
const char* PluginStateName(PluginState state);

struct PluginInfo {
  std::string path;      // absolute, links resolved; empty where Declare made it
  std::string found_by;  // "named", "LATHE_PLUGIN_PATH", "folder", "installation", "process"
  Manifest manifest;     // empty where it could not be read
  PluginState state = PluginState::kFound;
  absl::Status reason;      // OK unless disabled, or found and its last trial failed
  std::string sdk_version;  // once loaded

  // "acme 1.2", or the file's name where there is no manifest.
  std::string Title() const;
};

struct PluginOptions {
  bool probe = true;  // LATHE_PLUGIN_PROBE=0 turns it off, for processes that may not fork
  std::chrono::milliseconds probe_time_limit{10000};
  std::string verdict_folder;       // where verdicts are kept; "" for this process only
  std::string search_path;          // as LATHE_PLUGIN_PATH
  std::string installation_folder;  // "" for none

  // From the environment and from where this library lies.
  static PluginOptions Default();
};

enum class PluginKind { kDevice, kModule, kTarget };

// What "codegen.<target>", called without arguments, points to (a POINTER value); lives as long as
// the process.
struct PluginCodeGen {
  const PluginIdentity* identity;
  std::string kind;
  lathe_codegen_api table;  // a checked copy: `compile` is there
};

// Thread-safe.
class PluginLoader {
 public:
  // The process's own; made, and hooked into the registry, by the first call.
  static PluginLoader& Global();

  explicit PluginLoader(PluginOptions options);
  PluginLoader(const PluginLoader&) = delete;
  PluginLoader& operator=(const PluginLoader&) = delete;
  ~PluginLoader();

  // Loads the plugin in a file. Named so, it is preferred to others of the same kinds that are not
  // loaded yet. Fails with the reason for which it is disabled, or with `plugin-duplicate-kind`
  // where one of its kinds is in use already.
  absl::Status Load(const std::string& path);
  // A plugin within this process: its targets are known from now on, as if a file had this
  // manifest. The caller puts what it provides into the registry, under the names a plugin's have.
  // A manifest of the same name declared here before is replaced. Fails with `manifest-malformed`,
  // with what CheckManifestFits says, and with `plugin-duplicate-kind` where another plugin
  // provides one of its kinds.
  absl::Status Declare(std::string_view manifest);
  // One more folder to look in, before the installation's.
  void AddFolder(const std::string& folder);

  // All that can be found, in the order of the search, those named first. Loads nothing.
  std::vector<PluginInfo> List();
  // The folders and files looked at, for messages.
  std::vector<std::string> SearchedPlaces() const;

  // What LoadKind would load or has loaded, and what it fails with; loads nothing.
  absl::StatusOr<PluginInfo> Provider(PluginKind what, std::string_view kind);
  // Loads the plugin that provides a kind. OK where it is loaded already. Fails with
  // `plugin-missing` (where it looked, what there is), `plugin-duplicate-kind` (which ones; name
  // one), `plugin-disabled` (the reason).
  absl::Status LoadKind(PluginKind what, std::string_view kind);

  // Shuts all loaded plugins down, last one first, and gives the first failure. What they provided
  // answers `plugin-shut-down` from then on. Call it before the process ends, while no work runs;
  // not calling it is fine too.
  absl::Status Shutdown();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace lathe::runtime
