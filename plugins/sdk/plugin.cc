#include "plugins/sdk/plugin.h"

#include <cstring>
#include <map>

#include "plugins/sdk/manifest.h"

namespace lathe::sdk {
namespace {

template <class Table, class Implementation>
struct Entry {
  Table table;
  std::unique_ptr<Implementation> implementation;
};

// Everything that the plugin registered. Made at the first init, never destroyed.
class Registered final : public Plugin {
 public:
  explicit Registered(const lathe_plugin_context& context)
      : name_(context.name), version_(context.version), folder_(context.folder) {}

  void Device(const std::string& kind, std::unique_ptr<DeviceAPI> device) override {
    const lathe_device_api table = internal::DeviceTable(device.get());
    devices_[kind] = {table, std::move(device)};
  }
  void Module(const std::string& kind, ModuleLoader load, ModuleProbe probe) override {
    auto entry = std::make_unique<internal::ModuleKind>();
    entry->load = std::move(load);
    entry->probe = std::move(probe);
    const lathe_module_api table = internal::ModuleTable(entry.get());
    modules_[kind] = {table, std::move(entry)};
  }
  void CodeGen(const std::string& kind, std::unique_ptr<CodeGenerator> generator) override {
    const lathe_codegen_api table = internal::CodeGenTable(generator.get());
    generators_[kind] = {table, std::move(generator)};
  }
  void OnShutdown(std::function<void()> shutdown) override { shutdown_ = std::move(shutdown); }

  const std::string& name() const override { return name_; }
  const std::string& version() const override { return version_; }
  const std::string& folder() const override { return folder_; }

  const void* Find(const char* id, const char* kind) const {
    if (std::strcmp(id, LATHE_DEVICE_INTERFACE) == 0) return FindIn(devices_, kind);
    if (std::strcmp(id, LATHE_MODULE_INTERFACE) == 0) return FindIn(modules_, kind);
    if (std::strcmp(id, LATHE_CODEGEN_INTERFACE) == 0) return FindIn(generators_, kind);
    return nullptr;
  }
  void Shutdown() {
    if (auto shutdown = std::exchange(shutdown_, nullptr)) shutdown();
  }

 private:
  template <class Map>
  static const void* FindIn(const Map& map, const char* kind) {
    const auto found = map.find(kind);
    return found == map.end() ? nullptr : &found->second.table;
  }

  std::string name_, version_, folder_;
  std::map<std::string, Entry<lathe_device_api, DeviceAPI>> devices_;
  std::map<std::string, Entry<lathe_module_api, internal::ModuleKind>> modules_;
  std::map<std::string, Entry<lathe_codegen_api, CodeGenerator>> generators_;
  std::function<void()> shutdown_;
};

// The host serialises init and shutdown, and calls neither during other entries.
Registered* g_registered = nullptr;

int Init(const lathe_plugin_context* context, lathe_value* error) noexcept {
  return internal::Guard(error, [&] {
    if (g_registered != nullptr) return;
    static const std::string& origin =
        *new std::string("plugin " + std::string(context->name) + " " + context->version);
    internal::SetOrigin(origin.c_str());
    auto registered = std::make_unique<Registered>(*context);
    RegisterPlugin(*registered);
    g_registered = registered.release();
  });
}

int Shutdown(lathe_value* error) noexcept {
  return internal::Guard(error, [&] {
    if (g_registered != nullptr) g_registered->Shutdown();
  });
}

const void* GetInterface(const char* id, const char* kind) noexcept {
  return g_registered == nullptr ? nullptr : g_registered->Find(id, kind);
}

}  // namespace
}  // namespace lathe::sdk

extern "C" LATHE_EXPORT const lathe_plugin* lathe_plugin_query_v1(const lathe_host* host) {
  // The members up to `log` belong to version 1.0, the oldest host that this SDK supports.
  if (host == nullptr || host->struct_size < sizeof(lathe_host)) return nullptr;
  lathe::sdk::internal::SetHost(host);
  static const lathe_plugin plugin = {
      sizeof(lathe_plugin), LATHE_ABI_MAJOR,       LATHE_ABI_MINOR,
      LATHE_VERSION,        lathe_plugin_manifest, lathe_plugin_manifest_size,
      lathe::sdk::Init,     lathe::sdk::Shutdown,  lathe::sdk::GetInterface,
  };
  return &plugin;
}
