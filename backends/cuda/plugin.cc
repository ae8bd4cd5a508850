// The plugin's shell: which classes serve which kinds.

#include "backends/cuda/device.h"
#include "plugins/sdk/sdk.h"

void lathe::sdk::RegisterPlugin(Plugin& plugin) {
  plugin.Device("cuda", cuda::MakeCudaDevice());
  plugin.Device("cuda_host", cuda::MakePinnedDevice());
}
