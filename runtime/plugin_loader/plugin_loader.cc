#include "runtime/plugin_loader/plugin_loader.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <utility>

#include "base/error.h"
#include "base/trusted_file.h"
#include "runtime/device.h"
#include "runtime/device_api.h"
#include "runtime/function.h"
#include "runtime/module.h"
#include "runtime/plugin_loader/host_table.h"
#include "runtime/plugin_loader/plugin_device.h"
#include "runtime/plugin_loader/plugin_module.h"
#include "runtime/plugin_loader/plugin_open.h"
#include "runtime/plugin_loader/plugin_search.h"
#include "runtime/plugin_loader/probe.h"
#include "runtime/registry.h"
#include "runtime/status.h"

namespace lathe::runtime {
namespace {

struct Prefix {
  PluginKind what;
  std::string_view text;
  std::string_view noun;
};
constexpr Prefix kPrefixes[] = {
    {PluginKind::kDevice, "device_api.", "device kind"},
    {PluginKind::kModule, "module.load.", "module kind"},
    {PluginKind::kTarget, "codegen.", "target kind"},
};

const Prefix& PrefixOf(PluginKind what) { return kPrefixes[static_cast<int>(what)]; }

std::vector<std::string> KindsOf(const Manifest& manifest, PluginKind what) {
  std::vector<std::string> kinds;
  if (what == PluginKind::kDevice) {
    for (const ManifestDevice& device : manifest.devices) kinds.push_back(device.kind);
  } else if (what == PluginKind::kModule) {
    for (const ManifestModule& module : manifest.modules) kinds.push_back(module.kind);
  } else {
    kinds = manifest.target_kinds;
  }
  return kinds;
}

bool Provides(const Manifest& manifest, PluginKind what, std::string_view kind) {
  const std::vector<std::string> kinds = KindsOf(manifest, what);
  return std::find(kinds.begin(), kinds.end(), kind) != kinds.end();
}

// The registry names for the plugin's factories.
std::vector<std::string> RegisteredNames(const Manifest& manifest) {
  std::vector<std::string> names;
  for (const Prefix& prefix : kPrefixes) {
    for (const std::string& kind : KindsOf(manifest, prefix.what))
      names.push_back(std::string(prefix.text) + kind);
  }
  return names;
}

// Registers the kind's name, so that devices can be named before the plugin is loaded.
absl::StatusOr<int32_t> RegisterKind(const ManifestDevice& device) {
  int32_t code = device.dlpack;
  if (int32_t known = 0; code == 0 && FindDeviceKind(device.kind, &known)) code = known;
  return RegisterDeviceKind(device.kind, code);
}

struct Entry {
  PluginInfo info;
  bool named = false;  // the user named it: Load(path), or a file in LATHE_PLUGIN_PATH
  std::unique_ptr<PluginIdentity> identity;
  OpenedPlugin opened;
};

}  // namespace

struct PluginLoader::State {
  PluginOptions options;
  std::vector<std::string> folders;
  std::vector<std::unique_ptr<Entry>>
      entries;                 // in the order of the search; entries are never moved or removed
  std::vector<Entry*> loaded;  // in the order of loading
  bool searched = false, warned = false;
  std::mutex mutex;       // guards all members above; not held while foreign code runs
  std::mutex load_mutex;  // serialises init and shutdown; taken before `mutex`

  Entry* Add(const std::string& path, const char* found_by, bool named);
  Entry* AddFromSearchPath(const std::string& part);
  void Search();
  absl::Status LoadEntry(Entry* entry);
  absl::Status Probe(const Entry& entry);
  absl::StatusOr<OpenedPlugin> Try(Entry* entry);
  void Warn(const Distrust& distrust);
  absl::Status Register(Entry* entry);
  absl::StatusOr<Entry*> Choose(PluginKind what, std::string_view kind);
  absl::Status Missing(PluginKind what, std::string_view kind) const;
  std::vector<std::string> Places() const;
};

const char* PluginStateName(PluginState state) {
  switch (state) {
    case PluginState::kFound:
      return "found";
    case PluginState::kLoaded:
      return "loaded";
    case PluginState::kDisabled:
      return "disabled";
    case PluginState::kShutDown:
      return "shut down";
  }
  return "";
}

std::string PluginInfo::Title() const {
  if (!manifest.name.empty()) return manifest.name + " " + manifest.version;
  return path.substr(path.rfind('/') + 1);
}

PluginOptions PluginOptions::Default() {
  PluginOptions options;
  // The variable is ignored in a program that has more rights than its caller.
  const char* probe = secure_getenv("LATHE_PLUGIN_PROBE");
  options.probe = probe == nullptr || std::string_view(probe) != "0";
  options.verdict_folder = VerdictCache::DefaultFolder();
  const char* path = secure_getenv("LATHE_PLUGIN_PATH");
  options.search_path = path == nullptr ? "" : path;
  options.installation_folder = FindInstallationFolder();
  return options;
}

PluginLoader& PluginLoader::Global() {
  static PluginLoader* loader = [] {
    auto* made = new PluginLoader(PluginOptions::Default());
    made->List();  // some 50 us per plugin; afterwards their device kinds have names
    AddGlobalResolver([made](std::string_view name) -> absl::Status {
      for (const Prefix& prefix : kPrefixes) {
        if (name.starts_with(prefix.text))
          return made->LoadKind(prefix.what, name.substr(prefix.text.size()));
      }
      return absl::OkStatus();
    });
    return made;
  }();
  return *loader;
}

PluginLoader::PluginLoader(PluginOptions options) : state_(std::make_unique<State>()) {
  state_->options = std::move(options);
}

PluginLoader::~PluginLoader() {
  // Loaded entries are kept: the registry points to them.
  static auto& parked = *new std::vector<std::unique_ptr<Entry>>;
  static std::mutex& mutex = *new std::mutex;
  std::lock_guard lock(mutex);
  for (auto& entry : state_->entries) {
    if (entry->identity != nullptr) parked.push_back(std::move(entry));
  }
}

// Checks that code in the file may be run at all.
absl::Status CheckTrust(const std::string& path) {
  static const auto* const self =
      new std::string(FileOfCode(reinterpret_cast<const void*>(&CheckTrust)));
  FileProblem problem;
  const FileHandle file = OpenFile(path, &problem);
  if (!problem.ok()) {
    return MakeStatus(absl::StatusCode::kNotFound, "file-unreadable",
                      {"cannot read ", path, ": ", problem.text});
  }
  const Distrust distrust = DistrustOf(file, path, *self);
  if (distrust.ok()) return absl::OkStatus();
  return MakeStatus(
      absl::StatusCode::kPermissionDenied, "plugin-untrusted",
      {"the code in ", path, " is not run: ", distrust.text, "\nhelp: ", distrust.help});
}

// Makes an entry for the file, unless there is one. NULL if the file is not a plugin and the user
// did not name it.
Entry* PluginLoader::State::Add(const std::string& path, const char* found_by, bool named) {
  const std::string real = RealPath(path);
  for (const auto& entry : entries) {
    if (entry->info.path == (real.empty() ? path : real)) {
      entry->named |= named;
      return entry.get();
    }
  }
  auto entry = std::make_unique<Entry>();
  entry->info.path = real.empty() ? path : real;
  entry->info.found_by = found_by;
  entry->named = named;
  absl::StatusOr<Manifest> manifest =
      real.empty() ? MakeStatus(absl::StatusCode::kNotFound, "file-unreadable",
                                {"cannot read ", path, ": ", std::strerror(errno)})
                   : ReadManifest(real);
  if (manifest.ok()) {
    entry->info.manifest = *std::move(manifest);
    entry->info.reason = CheckTrust(real);
    if (entry->info.reason.ok()) entry->info.reason = CheckManifestFits(entry->info.manifest);
    for (const ManifestDevice& device : entry->info.manifest.devices) {
      if (!entry->info.reason.ok()) break;
      entry->info.reason = RegisterKind(device).status();
    }
  } else {
    // A folder may also contain libraries that plugins use; these are skipped.
    if (!named && StatusName(manifest.status()) == "plugin-no-manifest") return nullptr;
    entry->info.reason = manifest.status();
  }
  if (!entry->info.reason.ok()) entry->info.state = PluginState::kDisabled;
  entries.push_back(std::move(entry));
  return entries.back().get();
}

// Adds one file that LATHE_PLUGIN_PATH names. A problem with the path is reported at once, because
// nobody may ever ask for the kinds that the file would provide.
Entry* PluginLoader::State::AddFromSearchPath(const std::string& part) {
  const size_t known = entries.size();
  Entry* entry = nullptr;
  if (part[0] == '/') {
    entry = Add(part, "LATHE_PLUGIN_PATH", true);
  } else {
    for (const auto& other : entries) {
      if (other->info.path == part) return other.get();
    }
    entries.push_back(std::make_unique<Entry>());
    entry = entries.back().get();
    entry->info.path = part;
    entry->info.found_by = "LATHE_PLUGIN_PATH";
    entry->info.state = PluginState::kDisabled;
    entry->info.reason = MakeStatus(
        absl::StatusCode::kInvalidArgument, "plugin-path-relative",
        {"LATHE_PLUGIN_PATH: `", part,
         "` depends on the current folder, which may be anybody's, and is not looked at\nhelp: "
         "name it from the root: LATHE_PLUGIN_PATH=\"$PWD/",
         part, "\""});
  }
  const std::string_view name = StatusName(entry->info.reason);
  if (entries.size() > known && (name == "plugin-path-relative" || name == "file-unreadable")) {
    HostTable()->log(LATHE_LOG_WARNING, "LATHE_PLUGIN_PATH",
                     std::string(entry->info.reason.message()).c_str());
  }
  return entry;
}

void PluginLoader::State::Search() {
  if (searched) return;
  searched = true;
  const auto add_folder = [&](const std::string& folder, const char* found_by) {
    for (const std::string& file : SharedLibrariesIn(folder)) Add(file, found_by, false);
  };
  for (const std::string& part : SplitPath(options.search_path)) {
    part[0] == '/' && IsFolder(part) ? add_folder(part, "LATHE_PLUGIN_PATH")
                                     : static_cast<void>(AddFromSearchPath(part));
  }
  for (const std::string& folder : folders) add_folder(folder, "folder");
  if (!options.installation_folder.empty()) add_folder(options.installation_folder, "installation");
}

std::vector<std::string> PluginLoader::State::Places() const {
  std::vector<std::string> places = SplitPath(options.search_path);
  places.insert(places.end(), folders.begin(), folders.end());
  // `bazel run` also puts the installation's folder into LATHE_PLUGIN_PATH; it is listed only once.
  if (!options.installation_folder.empty() &&
      std::find(places.begin(), places.end(), options.installation_folder) == places.end())
    places.push_back(options.installation_folder);
  return places;
}

// Verdicts that others could have written are not used; the warning is given once.
void PluginLoader::State::Warn(const Distrust& distrust) {
  if (distrust.ok() || std::exchange(warned, true)) return;
  const absl::Status said =
      MakeStatus(absl::StatusCode::kPermissionDenied, "plugin-verdict-untrusted",
                 {"what probes of plugins found is not remembered: ", distrust.text,
                  "\nhelp: ", distrust.help});
  HostTable()->log(LATHE_LOG_WARNING, "plugins.verdicts", std::string(said.message()).c_str());
}

absl::Status PluginLoader::State::Probe(const Entry& entry) {
  if (!options.probe) return absl::OkStatus();
  const VerdictCache cache(options.verdict_folder);
  LATHE_ASSIGN_OR_RETURN(const std::string digest, ContentDigest(entry.info.path, LATHE_VERSION));
  absl::Status verdict;
  Distrust distrust;
  const bool found = cache.Find(digest, &verdict, &distrust);
  Warn(distrust);
  if (found) {
    if (verdict.ok()) return verdict;
    return MakeStatus(verdict.code(), StatusName(verdict),
                      {StatusText(verdict), "\nhelp: remembered from an earlier probe; remove ",
                       cache.FileOf(digest), " to probe again"});
  }
  verdict = RunInChild(options.probe_time_limit, [&](const ProbePhase& phase) -> absl::Status {
    const LentMemory before = CurrentlyLent();
    LATHE_ASSIGN_OR_RETURN(
        const OpenedPlugin opened,
        OpenPlugin(entry.info.path, FolderOf(entry.info.path), entry.info.manifest, phase));
    phase("shutdown");
    lathe_value error{};
    if (opened.plugin.shutdown(&error) != 0)
      return TakePluginError(&error, "plugin " + entry.info.Title());
    const LentMemory after = CurrentlyLent();
    if (after.pieces <= before.pieces) return absl::OkStatus();
    return MakeStatus(
        absl::StatusCode::kInternal, "plugin-leaks",
        {"plugin `", entry.info.Title(), "` was shut down and still holds ",
         std::to_string(after.bytes - before.bytes), " bytes of the host's memory in ",
         std::to_string(after.pieces - before.pieces), " pieces"});
  });
  cache.Store(digest, verdict, &distrust);
  Warn(distrust);
  return verdict;
}

absl::Status PluginLoader::State::Register(Entry* entry) {
  const Manifest& manifest = entry->info.manifest;
  const PluginIdentity* identity = entry->identity.get();
  for (size_t i = 0; i < manifest.devices.size(); ++i) {
    const ManifestDevice& device = manifest.devices[i];
    LATHE_ASSIGN_OR_RETURN(const int32_t code, RegisterKind(device));
    // Never destroyed, as the registry requires.
    LATHE_RETURN_IF_ERROR(
        RegisterDeviceAPI(MakePluginDevice(identity, code, entry->opened.devices[i]).release()));
  }
  for (size_t i = 0; i < manifest.modules.size(); ++i) {
    const ManifestModule& module = manifest.modules[i];
    const auto* kind =
        new PluginModuleKind{identity, module.kind, module.serial, entry->opened.modules[i]};
    const std::string name = "module.load." + module.kind;
    LATHE_RETURN_IF_ERROR(RegisterGlobal(
        name, Function::From(
                  [kind](std::string_view bytes) { return LoadPluginModule(kind, bytes); }, name)));
  }
  for (size_t i = 0; i < manifest.target_kinds.size(); ++i) {
    auto* codegen = new PluginCodeGen{identity, manifest.target_kinds[i], entry->opened.targets[i]};
    const std::string name = "codegen." + manifest.target_kinds[i];
    LATHE_RETURN_IF_ERROR(RegisterGlobal(
        name, Function::From([codegen] { return static_cast<void*>(codegen); }, name)));
  }
  return absl::OkStatus();
}

// Probes and opens the plugin. After a temporary failure the entry is unchanged, so that the next
// look-up tries again. A refusal, or an `init` that failed in this process, disables the plugin.
absl::StatusOr<OpenedPlugin> PluginLoader::State::Try(Entry* entry) {
  PluginInfo& info = entry->info;
  absl::Status status = CheckTrust(info.path);  // it may have changed since it was found
  bool for_good = !status.ok();
  if (status.ok()) {
    status = Probe(*entry);
    for_good = IsRefusal(status);
  }
  if (status.ok()) {
    absl::StatusOr<OpenedPlugin> opened =
        OpenPlugin(info.path, FolderOf(info.path), info.manifest, [](const char*) {});
    if (opened.ok()) return opened;
    status = opened.status();
    for_good = StatusName(status) != "plugin-not-loadable";
  }
  std::lock_guard lock(mutex);
  if (for_good) info.state = PluginState::kDisabled;
  info.reason = status;
  return status;
}

// The caller holds load_mutex.
absl::Status PluginLoader::State::LoadEntry(Entry* entry) {
  {
    std::lock_guard lock(mutex);
    if (entry->info.state == PluginState::kLoaded) return absl::OkStatus();
    if (entry->info.state == PluginState::kDisabled) return entry->info.reason;
    if (entry->info.state == PluginState::kShutDown) return entry->identity->CheckAlive();
  }
  const std::vector<std::string> names = RegisteredNames(entry->info.manifest);
  for (const std::string& name : names) {
    if (!FindGlobal(name)) continue;
    return MakeStatus(
        absl::StatusCode::kAlreadyExists, "plugin-duplicate-kind",
        {"plugin `", entry->info.Title(), "` (", entry->info.path, ") provides `", name,
         "`, which is in use already\nhelp: name the plugin you want before the "
         "kind is first used"});
  }
  LATHE_ASSIGN_OR_RETURN(entry->opened, Try(entry));
  entry->identity = std::make_unique<PluginIdentity>();
  entry->identity->origin = "plugin " + entry->info.Title();
  entry->identity->folder = FolderOf(entry->info.path);
  entry->identity->survives_forks = entry->info.manifest.survives_forks;
  const absl::Status status = Register(entry);
  if (!status.ok()) {
    for (const std::string& name : names) RemoveGlobal(name);
    // The identity is kept, because wrappers may point to it.
  }
  std::lock_guard lock(mutex);
  entry->info.state = status.ok() ? PluginState::kLoaded : PluginState::kDisabled;
  entry->info.reason = status;
  if (status.ok()) {
    entry->info.sdk_version = entry->opened.plugin.sdk_version;
    loaded.push_back(entry);
  }
  return status;
}

absl::Status PluginLoader::Load(const std::string& path) {
  std::lock_guard loading(state_->load_mutex);
  Entry* entry = nullptr;
  {
    std::lock_guard lock(state_->mutex);
    entry = state_->Add(path, "named", true);
  }
  return state_->LoadEntry(entry);
}

absl::Status PluginLoader::Declare(std::string_view text) {
  LATHE_ASSIGN_OR_RETURN(Manifest manifest, Manifest::Parse(text));
  LATHE_RETURN_IF_ERROR(CheckManifestFits(manifest));
  std::lock_guard lock(state_->mutex);
  state_->Search();
  Entry* mine = nullptr;
  for (const auto& entry : state_->entries) {
    const Manifest& other = entry->info.manifest;
    if (entry->info.path.empty() && other.name == manifest.name) {
      mine = entry.get();
      continue;
    }
    for (const Prefix& prefix : kPrefixes) {
      for (const std::string& kind : KindsOf(manifest, prefix.what)) {
        if (!Provides(other, prefix.what, kind)) continue;
        return MakeStatus(absl::StatusCode::kAlreadyExists, "plugin-duplicate-kind",
                          {prefix.noun, " `", kind, "` is provided by plugin `",
                           entry->info.Title(), "` already\nhelp: take another name"});
      }
    }
  }
  if (mine == nullptr) {
    state_->entries.push_back(std::make_unique<Entry>());
    mine = state_->entries.back().get();
  }
  mine->info.found_by = "process";
  mine->info.state = PluginState::kLoaded;
  mine->info.sdk_version = LATHE_VERSION;
  mine->info.manifest = std::move(manifest);
  return absl::OkStatus();
}

void PluginLoader::AddFolder(const std::string& folder) {
  std::lock_guard lock(state_->mutex);
  state_->folders.push_back(folder);
  state_->searched = false;
}

std::vector<PluginInfo> PluginLoader::List() {
  std::lock_guard lock(state_->mutex);
  state_->Search();
  std::vector<PluginInfo> infos;
  for (const auto& entry : state_->entries) infos.push_back(entry->info);
  return infos;
}

std::vector<std::string> PluginLoader::SearchedPlaces() const {
  std::lock_guard lock(state_->mutex);
  return state_->Places();
}

absl::Status PluginLoader::State::Missing(PluginKind what, std::string_view kind) const {
  std::vector<std::string> known;
  for (const auto& entry : entries) {
    for (std::string& one : KindsOf(entry->info.manifest, what)) known.push_back(std::move(one));
  }
  const std::vector<std::string> places = Places(), near = NearestNames(kind, known);
  return MakeStatus(
      absl::StatusCode::kNotFound, "plugin-missing",
      {"no plugin provides ", PrefixOf(what).noun, " `", kind, "`\nnote: looked in ",
       places.empty() ? "no folder: LATHE_PLUGIN_PATH is not set" : QuotedList(places),
       "\nfound: ", known.empty() ? "no plugin with one" : QuotedList(known),
       near.empty() ? "\nhelp: put the plugin's folder on LATHE_PLUGIN_PATH"
                    : "\nhelp: did you mean ",
       near.empty() ? "" : QuotedList(near), near.empty() ? "" : "?"});
}

// The caller holds `mutex`.
absl::StatusOr<Entry*> PluginLoader::State::Choose(PluginKind what, std::string_view kind) {
  Search();
  std::vector<Entry*> usable, named;
  const Entry* disabled = nullptr;
  for (const auto& entry : entries) {
    if (!Provides(entry->info.manifest, what, kind)) continue;
    if (entry->info.state == PluginState::kDisabled) {
      disabled = entry.get();
      continue;
    }
    if (entry->info.state == PluginState::kLoaded) return entry.get();
    usable.push_back(entry.get());
    if (entry->named) named.push_back(entry.get());
  }
  const std::vector<Entry*>& chosen = named.empty() ? usable : named;
  if (chosen.size() == 1) return chosen[0];
  if (chosen.empty() && disabled == nullptr) return Missing(what, kind);
  const std::string_view noun = PrefixOf(what).noun;
  if (chosen.empty()) {
    return MakeStatus(
        disabled->info.reason.code(), "plugin-disabled",
        {noun, " `", kind, "` is provided by plugin `", disabled->info.Title(), "` (",
         disabled->info.path, "), which is disabled\nnote: ", disabled->info.reason.ToString()});
  }
  std::vector<std::string> paths;
  for (const Entry* entry : chosen) paths.push_back(entry->info.path);
  return MakeStatus(
      absl::StatusCode::kFailedPrecondition, "plugin-duplicate-kind",
      {noun, " `", kind, "` is provided by several plugins\nfound: ", QuotedList(paths),
       "\nhelp: name one, by Load(path) or as a file in LATHE_PLUGIN_PATH"});
}

absl::StatusOr<PluginInfo> PluginLoader::Provider(PluginKind what, std::string_view kind) {
  std::lock_guard lock(state_->mutex);
  LATHE_ASSIGN_OR_RETURN(const Entry* entry, state_->Choose(what, kind));
  return entry->info;
}

absl::Status PluginLoader::LoadKind(PluginKind what, std::string_view kind) {
  std::lock_guard loading(state_->load_mutex);
  Entry* entry = nullptr;
  {
    std::lock_guard lock(state_->mutex);
    LATHE_ASSIGN_OR_RETURN(entry, state_->Choose(what, kind));
  }
  return state_->LoadEntry(entry);
}

absl::Status PluginLoader::Shutdown() {
  std::lock_guard loading(state_->load_mutex);
  std::vector<Entry*> loaded;
  {
    std::lock_guard lock(state_->mutex);
    loaded = state_->loaded;
  }
  absl::Status first;
  for (auto at = loaded.rbegin(); at != loaded.rend(); ++at) {
    Entry* entry = *at;
    if (entry->identity->shut_down.exchange(true)) continue;
    lathe_value error{};
    if (entry->opened.plugin.shutdown(&error) != 0) {
      const absl::Status status = TakePluginError(&error, entry->identity->origin);
      if (first.ok()) first = status;
    }
    std::lock_guard lock(state_->mutex);
    entry->info.state = PluginState::kShutDown;
  }
  return first;
}

}  // namespace lathe::runtime
