// The first contact: query, table, init, interfaces, shutdown.
#include <cstring>

#include "tools/plugin_test/library.h"

namespace lathe::kit {
namespace {

// The plugin's table, before init.
absl::StatusOr<const lathe_plugin*> Query(const Subject& subject) {
  absl::StatusOr<lathe_plugin_query> query = OpenQuery(subject.path);
  if (!query.ok()) return query.status();
  const lathe_plugin* plugin = (*query)(KitHost());
  if (plugin == nullptr) return Failed("the query refuses today's host");
  return plugin;
}

absl::Status QueryIsPure(const Subject& subject) {
  absl::StatusOr<lathe_plugin_query> query = OpenQuery(subject.path);
  if (!query.ok()) return query.status();
  const lathe_plugin* first = (*query)(KitHost());
  KIT_RETURN_IF_ERROR(Require(first != nullptr, "the query refuses today's host"));
  KIT_RETURN_IF_ERROR(Require((*query)(KitHost()) == first, "a second query gives another table"));
  return Require(CurrentCounters().calls == 0, "the query asked the host for something");
}

absl::Status Versions(const Subject& subject) {
  absl::StatusOr<const lathe_plugin*> found = Query(subject);
  if (!found.ok()) return found.status();
  const lathe_plugin& plugin = **found;
  KIT_RETURN_IF_ERROR(Require(plugin.struct_size >= sizeof(lathe_plugin),
                              "struct_size is smaller than the table of version 1.0"));
  KIT_RETURN_IF_ERROR(Require(plugin.struct_size < 65536, "struct_size is absurd"));
  KIT_RETURN_IF_ERROR(
      Require(plugin.abi_major == LATHE_ABI_MAJOR, "abi_major is not that of the symbol"));
  return Require(plugin.sdk_version != nullptr && plugin.sdk_version[0] != '\0', "no sdk_version");
}

absl::Status SameManifest(const Subject& subject) {
  absl::StatusOr<const lathe_plugin*> found = Query(subject);
  if (!found.ok()) return found.status();
  const std::string_view text((*found)->manifest, (*found)->manifest_size);
  return Require(text == subject.manifest.text, "the table's manifest is not the section's");
}

absl::Status RequiredMembers(const Subject& subject) {
  absl::StatusOr<const lathe_plugin*> found = Query(subject);
  if (!found.ok()) return found.status();
  const lathe_plugin& plugin = **found;
  return Require(
      plugin.init != nullptr && plugin.shutdown != nullptr && plugin.get_interface != nullptr,
      "init, shutdown or get_interface is NULL");
}

absl::Status InitAndShutdown(const Subject& subject) {
  absl::StatusOr<Library> library = Library::Open(subject);
  return library.ok() ? library->Shutdown() : library.status();
}

absl::Status ShutdownTwice(const Subject& subject) {
  absl::StatusOr<Library> library = Library::Open(subject);
  if (!library.ok()) return library.status();
  KIT_RETURN_IF_ERROR(library->Shutdown());
  return library->Shutdown();
}

absl::Status InitAgain(const Subject& subject) {
  absl::StatusOr<Library> library = Library::Open(subject);
  if (!library.ok()) return library.status();
  KIT_RETURN_IF_ERROR(library->Shutdown());
  KIT_RETURN_IF_ERROR(Init(library->plugin(), subject));
  return library->Shutdown();
}

// Each kind in the manifest has its table, with the required functions.
absl::Status Interfaces(const Subject& subject) {
  absl::StatusOr<Library> library = Library::Open(subject);
  if (!library.ok()) return library.status();
  const lathe_plugin& plugin = library->plugin();
  auto check = [&](const char* id, const std::string& kind, auto members) -> absl::Status {
    const void* table = plugin.get_interface(id, kind.c_str());
    const std::string what = std::string(id) + " of `" + kind + "`";
    KIT_RETURN_IF_ERROR(Require(table != nullptr, what + " is listed and not there"));
    KIT_RETURN_IF_ERROR(Require(plugin.get_interface(id, kind.c_str()) == table, what + " moves"));
    return Require(members(table), what + " lacks a required member");
  };
  for (const auto& device : subject.manifest.devices) {
    KIT_RETURN_IF_ERROR(check(LATHE_DEVICE_INTERFACE, device.kind, [](const void* table) {
      const auto& t = *static_cast<const lathe_device_api*>(table);
      return t.struct_size >= sizeof(t) && t.count && t.attribute && t.alloc && t.free && t.copy;
    }));
  }
  for (const auto& module : subject.manifest.modules) {
    KIT_RETURN_IF_ERROR(check(LATHE_MODULE_INTERFACE, module.kind, [](const void* table) {
      const auto& t = *static_cast<const lathe_module_api*>(table);
      return t.struct_size >= sizeof(t) && t.load && t.get_function && t.drop;
    }));
  }
  for (const auto& target : subject.targets) {
    KIT_RETURN_IF_ERROR(check(LATHE_CODEGEN_INTERFACE, target.kind, [](const void* table) {
      const auto& t = *static_cast<const lathe_codegen_api*>(table);
      return t.struct_size >= sizeof(t) && t.compile != nullptr;
    }));
  }
  return library->Shutdown();
}

absl::Status UnknownInterfaces(const Subject& subject) {
  absl::StatusOr<Library> library = Library::Open(subject);
  if (!library.ok()) return library.status();
  const lathe_plugin& plugin = library->plugin();
  for (const char* id : {"", "lathe.device.2", "lathe.graph.1", "nonsense"})
    KIT_RETURN_IF_ERROR(Require(plugin.get_interface(id, subject.manifest.name.c_str()) == nullptr,
                                std::string("it claims interface `") + id + "`"));
  for (const char* id : {LATHE_DEVICE_INTERFACE, LATHE_MODULE_INTERFACE, LATHE_CODEGEN_INTERFACE})
    KIT_RETURN_IF_ERROR(Require(plugin.get_interface(id, "kind-of-nobody") == nullptr,
                                std::string("it claims a kind that it does not list, ") + id));
  return library->Shutdown();
}

}  // namespace

void AddHandshakeChecks(const Subject&, Checks* checks) {
  checks->push_back({"handshake", "query-is-pure", QueryIsPure});
  checks->push_back({"handshake", "versions", Versions});
  checks->push_back({"handshake", "same-manifest", SameManifest});
  checks->push_back({"handshake", "required-members", RequiredMembers});
  checks->push_back({"handshake", "init-and-shutdown", InitAndShutdown});
  checks->push_back({"handshake", "shutdown-twice", ShutdownTwice});
  checks->push_back({"handshake", "init-again", InitAgain});
  checks->push_back({"handshake", "interfaces", Interfaces});
  checks->push_back({"handshake", "unknown-interfaces", UnknownInterfaces});
}

}  // namespace lathe::kit
