#include "driver/lower_device.h"

#include <memory>

#include "base/error.h"
#include "driver/compile.h"
#include "driver/metadata.h"
#include "driver/target_context.h"
#include "ir/imports.h"
#include "ir/names.h"
#include "ir/rewrite.h"
#include "ir/walk.h"
#include "lower/constants.h"
#include "lower/device/split_device.h"
#include "lower/pipeline.h"
#include "runtime/device.h"
#include "target/host_target.h"
#include "target/machine_of.h"

namespace lathe::driver {
namespace {

int32_t DeviceTypeOf(const target::Target& target) {
  int32_t type = 0;
  const std::string& kind = target.schema->device;
  return runtime::FindDeviceKind(kind, &type) ? type : runtime::DeriveDeviceKind(kind);
}

// Adds to the kernels' metadata how they are launched.
void DescribeLaunches(const ir::Module& kernels, runtime::Metadata* metadata) {
  for (runtime::FunctionMetadata& described : metadata->functions) {
    const ir::Func kernel = ir::FindFunc(kernels, described.name);
    described.launch = lower::LaunchTags(kernel);
    ir::ForEach<ir::Allocate>(kernel->body, [&](const ir::Allocate& allocate) {
      if (allocate.buffer->scope == ir::memory_scope::kSharedDynamic)
        described.dynamic_shared = true;
    });
  }
}

// Makes parallel host loops around launches serial. A device takes its work from one queue, and
// each thread of the pool would have its own current device and stream.
ir::Module WithoutParallelLaunches(const ir::Module& host) {
  std::vector<ir::Func> functions;
  for (const ir::Func& func : host->functions) {
    functions.push_back(
        ir::WithBody(func, ir::Rewrite(func->body, [](const ir::For& loop) -> ir::Stmt {
                       if (loop.for_kind != ir::ForKind::kParallel) return nullptr;
                       return ir::MakeFor(loop.var, loop.min, loop.extent, ir::ForKind::kSerial,
                                          loop.body, "", loop.annotations);
                     })));
  }
  return ir::WithFunctions(host, std::move(functions));
}

}  // namespace

target::Target HostOf(const target::Target& device) {
  return device.host != nullptr ? *device.host : target::HostTarget();
}

bool TakesKernels(const target::Target& target) { return !target.schema->machine.axes.empty(); }

DeviceModules LowerForDevice(const ir::Module& module, const target::Target& device,
                             const target::Target& host, const lower::PassContext& context) {
  if (!TakesKernels(device)) {
    throw Error(Diagnostic{.name = "target-without-threads",
                           .message = "target `" + device.kind + "` takes no kernels",
                           .expected = "a target with thread axes, such as `cuda` or `opencl`",
                           .found = "a machine without axes",
                           .help = "compile for this target alone, without a host"});
  }
  LATHE_CHECK(!WantsEntries(device, context)) << "kernels are launched, not entered";
  const std::string& kind = device.schema->device;
  std::vector<ir::Func> functions;
  const ir::Module imported = lower::GatherConstants(ir::GatherImports(module));
  CheckImports(imported, device);
  const ir::Module gathered = WithWrites(imported, host);
  for (const ir::Func& func : gathered->functions) {
    ir::Func on_device =
        ir::WithAttr(func, ir::func_attr::kDeviceType, ir::Int(DeviceTypeOf(device)));
    if (!device.schema->machine.pointer_arithmetic)
      on_device = ir::WithAttr(on_device, ir::func_attr::kOpaquePointers, ir::Bool(true));
    functions.push_back(std::move(on_device));
  }
  lower::PassContext for_device = ContextFor(device, context);
  for_device.device = std::make_shared<const target::Machine>(target::MachineOf(device));
  const ir::Module whole = lower::RunPasses(ir::MakeModule(std::move(functions), gathered->attrs),
                                            lower::TargetPasses(), for_device);
  const ir::Module split = lower::RunPasses(whole, lower::DevicePasses(), for_device);
  const auto [both_part, kernels] = lower::Separate(split);
  const ir::Module device_part = lower::DropUnusedConstants(kernels);
  // Only the kernels use the imports.
  const ir::Module host_part = lower::DropUnusedConstants(
      ir::MakeModule(both_part->functions, ir::WithoutImports(both_part->attrs)));

  // Arguments are described before the split, because after it the host code only launches the code
  // that stores.
  runtime::Metadata about_host = DescribeModule(module, host);
  about_host.devices = {"cpu"};
  if (kind != "cpu") about_host.devices.push_back(kind);
  for (runtime::FunctionMetadata& func : about_host.functions) func.device = kind;
  runtime::Metadata about_device = DescribeModule(device_part, device);
  about_device.devices = {kind};
  for (runtime::FunctionMetadata& func : about_device.functions) func.device = kind;
  DescribeLaunches(device_part, &about_device);

  auto lowered = [](const ir::Module& part, const target::Target& target,
                    std::span<const lower::Pass> passes, const lower::PassContext& options) {
    if (target.schema->stage == target::ContractStage::kTile) return part;
    return lower::RunPasses(part, passes, options);
  };
  const ir::Module for_host =
      lowered(WithMetadata(WithoutParallelLaunches(host_part), about_host), host,
              lower::FlatPasses(), NotingWorkspace(ContextFor(host, context), &about_host));
  return {WithMetadata(for_host, about_host), lowered(WithMetadata(device_part, about_device),
                                                      device, lower::KernelPasses(), for_device)};
}

}  // namespace lathe::driver
