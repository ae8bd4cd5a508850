// Tests the passes for devices one by one: text in, text out (testdata/*.txt).

#include <memory>

#include "lower/device/allreduce.h"
#include "lower/device/barriers.h"
#include "lower/device/device_limits.h"
#include "lower/device/shared_memory.h"
#include "lower/device/split_device.h"
#include "lower/device/thread_axes.h"
#include "lower/device/verify_memory.h"
#include "lower/device/virtual_threads.h"
#include "lower/device/warp_memory.h"
#include "tests/file_test/file_test.h"

int main(int argc, char** argv) {
  using namespace lathe;  // NOLINT: one table
  using lower::PassContext;
  using tests::FileTestOptions;
  auto pass = [](ir::Module (*run)(const ir::Module&, const PassContext&)) {
    return [run](const ir::NodeRef& node, const FileTestOptions& options) -> ir::NodeRef {
      PassContext context;
      auto machine = std::make_shared<target::Machine>();
      machine->axes = {{"blockIdx.x", 0}, {"threadIdx.x", 0}, {"threadIdx.y", 4}};
      machine->memory = {{.scope = "global"}, {.scope = "shared", .bytes = 256}};
      for (const auto& [name, value] : options) {
        if (name == "grid_barrier")
          machine->grid_barrier = value != "0";
        else
          machine->limits[name] = std::stoll(value);
      }
      context.device = machine;
      return run(ir::RefAs<ir::ModuleNode>(node), context);
    };
  };
  return tests::FileTestMain(argc, argv,
                             {{"allreduce", pass(lower::Allreduce)},
                              {"barriers", pass(lower::InsertBarriers)},
                              {"device-limits", pass(lower::CheckDeviceLimits)},
                              {"shared-memory", pass(lower::MergeSharedMemory)},
                              {"split-device", pass(lower::SplitDevice)},
                              {"thread-axes", pass(lower::ThreadAxes)},
                              {"verify-memory", pass(lower::VerifyMemory)},
                              {"virtual-threads", pass(lower::VirtualThreads)},
                              {"warp-memory", pass(lower::LowerWarpMemory)}});
}
