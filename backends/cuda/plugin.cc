// The plugin: registers the classes for each kind.

#include "backends/cuda/codegen.h"
#include "backends/cuda/device.h"
#include "backends/cuda/module.h"
#include "backends/cuda/toolkit.h"
#include "base/poll.h"
#include "plugins/sdk/sdk.h"

void lathe::sdk::RegisterPlugin(Plugin& plugin) {
  SetPoll(sdk::Poll);
  plugin.Device("cuda", cuda::MakeCudaDevice());
  plugin.Device("cuda_host", cuda::MakePinnedDevice());
  plugin.Module("cuda", cuda::LoadCudaModule, cuda::ProbeCudaModule);
  plugin.CodeGen("cuda", cuda::MakeCudaCodeGen());
  // A release may contain NVIDIA's compiler in this folder.
  cuda::AddToolkitFolder(plugin.folder() + "/cuda");
}
