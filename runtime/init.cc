#include "runtime/init.h"

#include "base/error.h"
#include "runtime/artifact/artifact_module.h"
#include "runtime/cpu_device.h"
#include "runtime/device_api.h"
#include "runtime/device_words.h"
#include "runtime/plugin_loader/plugin_loader.h"

namespace lathe::runtime {
namespace {

bool RegisterAll() {
  for (const absl::Status& status :
       {RegisterDeviceAPI(CpuDeviceAPI()), RegisterArtifactLoaders(), RegisterDeviceWords()})
    LATHE_CHECK(status.ok()) << status.message();
  PluginLoader::Global();
  return true;
}

}  // namespace

void Initialize() {
  static const bool done = RegisterAll();
  static_cast<void>(done);
}

}  // namespace lathe::runtime
