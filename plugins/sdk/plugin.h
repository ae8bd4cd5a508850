// A vendor writes one function, RegisterPlugin, which states the class for each kind.
//
//   void lathe::sdk::RegisterPlugin(Plugin& plugin) {
//     plugin.Device("acme", std::make_unique<AcmeDevice>());
//     plugin.Module("acme", LoadAcmeModule);
//     plugin.CodeGen("acme", std::make_unique<AcmeCodeGen>());
//   }
//
// The kinds are those of the manifest. The SDK supplies the exported symbol, the version fields and
// all C tables; no exception of the vendor's code leaves the library.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "plugins/sdk/codegen.h"
#include "plugins/sdk/device.h"
#include "plugins/sdk/module.h"
#include "plugins/sdk/value.h"

namespace lathe::sdk {

class Plugin {
 public:
  virtual ~Plugin() = default;

  // Call each once per kind. The objects live until the process ends: no static destructor destroys
  // them.
  virtual void Device(const std::string& kind, std::unique_ptr<DeviceAPI> device) = 0;
  virtual void Module(const std::string& kind, ModuleLoader load, ModuleProbe probe = nullptr) = 0;
  virtual void CodeGen(const std::string& kind, std::unique_ptr<CodeGenerator> generator) = 0;
  // Called once when the host shuts down, if it does: join threads, release devices.
  virtual void OnShutdown(std::function<void()> shutdown) = 0;

  // From the manifest; and the folder of the plugin's file.
  virtual const std::string& name() const = 0;
  virtual const std::string& version() const = 0;
  virtual const std::string& folder() const = 0;
};

// Defined by the vendor. Called once, when the host first uses the plugin. It may throw: the plugin
// is then disabled with that reason.
void RegisterPlugin(Plugin& plugin);

}  // namespace lathe::sdk
