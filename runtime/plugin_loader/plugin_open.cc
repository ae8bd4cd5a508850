#include "runtime/plugin_loader/plugin_open.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <initializer_list>
#include <string_view>

#include "runtime/plugin_loader/elf_sections.h"
#include "runtime/plugin_loader/host_table.h"
#include "runtime/status.h"

namespace lathe::runtime {
namespace {

constexpr uint64_t kMaxTableBytes = 64 << 10;

struct RequiredMember {
  const char* name;
  size_t offset;  // of a pointer member
};
#define LATHE_REQUIRED(table, member) \
  RequiredMember { #member, offsetof(table, member) }

absl::Status TooOldOrNew(const std::string& name, int64_t lowest, int64_t highest) {
  const std::string range = lowest == highest
                                ? std::to_string(lowest)
                                : std::to_string(lowest) + " to " + std::to_string(highest);
  const std::string found = "plugin `" + name + "` serves version " + range +
                            " of the plugin door, this Lathe " + LATHE_VERSION + " has version " +
                            std::to_string(LATHE_ABI_MAJOR);
  if (highest < LATHE_ABI_MAJOR) {
    return MakeStatus(absl::StatusCode::kFailedPrecondition, "plugin-too-old",
                      found + "\nhelp: rebuild the plugin with SDK " LATHE_VERSION);
  }
  return MakeStatus(
      absl::StatusCode::kFailedPrecondition, "plugin-too-new",
      found + "\nhelp: use a newer Lathe, or rebuild the plugin with SDK " LATHE_VERSION);
}

// Copies the first min(sizes) bytes of a table; the rest is zero.
template <class Table>
absl::StatusOr<Table> CopyTable(const void* raw, const std::string& plugin, const char* table_name,
                                std::initializer_list<RequiredMember> required) {
  Table table{};
  uint64_t size = 0;
  std::memcpy(&size, raw, sizeof(size));
  if (size < sizeof(size) || size > kMaxTableBytes) {
    return MakeStatus(absl::StatusCode::kInternal, "plugin-bad-table",
                      "plugin `" + plugin + "` gives " + table_name + " a struct_size of " +
                          std::to_string(size));
  }
  std::memcpy(&table, raw, std::min<uint64_t>(size, sizeof(Table)));
  for (const RequiredMember& member : required) {
    const void* pointer = nullptr;
    std::memcpy(&pointer, reinterpret_cast<const char*>(&table) + member.offset, sizeof(pointer));
    if (pointer == nullptr) {
      return MakeStatus(
          absl::StatusCode::kInternal, "plugin-missing-member",
          "plugin `" + plugin + "` lacks required member `" + member.name + "` of " + table_name);
    }
  }
  return table;
}

template <class Table>
absl::StatusOr<Table> GetTable(const lathe_plugin& plugin, const std::string& name, const char* id,
                               const std::string& kind, const char* table_name,
                               std::initializer_list<RequiredMember> required) {
  const void* raw = plugin.get_interface(id, kind.c_str());
  if (raw == nullptr) {
    return MakeStatus(absl::StatusCode::kInternal, "plugin-missing-interface",
                      "plugin `" + name + "` lists kind `" + kind +
                          "` in its manifest, but has no interface " + id + " for it");
  }
  return CopyTable<Table>(raw, name, table_name, required);
}

absl::Status CheckEmbeddedManifest(const lathe_plugin& plugin, const Manifest& manifest) {
  std::string_view embedded(plugin.manifest,
                            std::min<uint64_t>(plugin.manifest_size, kMaxManifestBytes));
  while (!embedded.empty() && embedded.back() == '\0') embedded.remove_suffix(1);
  if (embedded == manifest.text) return absl::OkStatus();
  return MakeStatus(absl::StatusCode::kInternal, "plugin-manifest-mismatch",
                    "plugin `" + manifest.name +
                        "` carries another manifest in its code than in its section " +
                        LATHE_MANIFEST_SECTION);
}

absl::Status ReadInterfaces(const Manifest& manifest, OpenedPlugin* opened) {
  for (const ManifestDevice& device : manifest.devices) {
    LATHE_ASSIGN_OR_RETURN(
        const lathe_device_api table,
        GetTable<lathe_device_api>(
            opened->plugin, manifest.name, LATHE_DEVICE_INTERFACE, device.kind, "lathe_device_api",
            {LATHE_REQUIRED(lathe_device_api, count), LATHE_REQUIRED(lathe_device_api, attribute),
             LATHE_REQUIRED(lathe_device_api, alloc), LATHE_REQUIRED(lathe_device_api, free),
             LATHE_REQUIRED(lathe_device_api, copy)}));
    opened->devices.push_back(table);
  }
  for (const ManifestModule& module : manifest.modules) {
    LATHE_ASSIGN_OR_RETURN(
        const lathe_module_api table,
        GetTable<lathe_module_api>(
            opened->plugin, manifest.name, LATHE_MODULE_INTERFACE, module.kind, "lathe_module_api",
            {LATHE_REQUIRED(lathe_module_api, load), LATHE_REQUIRED(lathe_module_api, get_function),
             LATHE_REQUIRED(lathe_module_api, drop)}));
    opened->modules.push_back(table);
  }
  for (const std::string& kind : manifest.target_kinds) {
    LATHE_ASSIGN_OR_RETURN(const lathe_codegen_api table,
                           GetTable<lathe_codegen_api>(
                               opened->plugin, manifest.name, LATHE_CODEGEN_INTERFACE, kind,
                               "lathe_codegen_api", {LATHE_REQUIRED(lathe_codegen_api, compile)}));
    opened->targets.push_back(table);
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status CheckManifestFits(const Manifest& manifest) {
  if (manifest.abi_lowest > LATHE_ABI_MAJOR || manifest.abi_highest < LATHE_ABI_MAJOR) {
    return TooOldOrNew(manifest.name, manifest.abi_lowest, manifest.abi_highest);
  }
  if (manifest.elf_machine != 0 && manifest.elf_machine != ThisElfMachine()) {
    return MakeStatus(absl::StatusCode::kFailedPrecondition, "plugin-wrong-machine",
                      "plugin `" + manifest.name + "` is built for " +
                          ElfMachineName(manifest.elf_machine) + ", this process is " +
                          ElfMachineName(ThisElfMachine()));
  }
  return absl::OkStatus();
}

absl::StatusOr<OpenedPlugin> OpenPlugin(const std::string& path, const std::string& folder,
                                        const Manifest& manifest, const ProbePhase& phase) {
  const std::string& name = manifest.name;
  phase("dlopen");
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    const char* why = dlerror();
    return MakeStatus(absl::StatusCode::kUnavailable, "plugin-not-loadable",
                      "plugin `" + name + "`: " + (why == nullptr ? "dlopen failed" : why));
  }
  phase(LATHE_PLUGIN_QUERY_SYMBOL);
  const auto query =
      reinterpret_cast<lathe_plugin_query>(dlsym(library, LATHE_PLUGIN_QUERY_SYMBOL));
  if (query == nullptr) {
    return MakeStatus(absl::StatusCode::kInternal, "plugin-no-entry",
                      "plugin `" + name + "` does not export " LATHE_PLUGIN_QUERY_SYMBOL);
  }
  const lathe_plugin* raw = query(HostTable());
  if (raw == nullptr) {
    return MakeStatus(absl::StatusCode::kFailedPrecondition, "plugin-refused",
                      "plugin `" + name + "` " + manifest.version +
                          " says that it cannot serve Lathe " LATHE_VERSION);
  }
  OpenedPlugin opened;
  LATHE_ASSIGN_OR_RETURN(
      opened.plugin,
      CopyTable<lathe_plugin>(
          raw, name, "lathe_plugin",
          {LATHE_REQUIRED(lathe_plugin, sdk_version), LATHE_REQUIRED(lathe_plugin, manifest),
           LATHE_REQUIRED(lathe_plugin, init), LATHE_REQUIRED(lathe_plugin, shutdown),
           LATHE_REQUIRED(lathe_plugin, get_interface)}));
  if (opened.plugin.abi_major != LATHE_ABI_MAJOR) {
    return TooOldOrNew(name, opened.plugin.abi_major, opened.plugin.abi_major);
  }
  LATHE_RETURN_IF_ERROR(CheckEmbeddedManifest(opened.plugin, manifest));

  phase("init");
  const lathe_plugin_context context = {sizeof(context), name.c_str(), manifest.version.c_str(),
                                        folder.c_str()};
  lathe_value error{};
  if (opened.plugin.init(&context, &error) != 0) {
    return TakePluginError(&error, "plugin " + name + " " + manifest.version);
  }
  phase("get_interface");
  LATHE_RETURN_IF_ERROR(ReadInterfaces(manifest, &opened));
  return opened;
}

}  // namespace lathe::runtime
