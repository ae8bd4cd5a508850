#include "tests/prove/kernels.h"

#include <algorithm>
#include <memory>

#include "base/error.h"
#include "ir/walk.h"
#include "lower/pipeline.h"
#include "schedule/loop_nest.h"
#include "tests/check/check_device.h"

namespace lathe::prove {
namespace {

// The name of the diagnostic with which lowering the module for a device ends; "" if it succeeds.
std::string Refused(const ir::Func& func, const lower::PassContext& context) {
  try {
    const ir::Module tile = lower::RunPasses(ir::MakeModule({func}), lower::TilePasses(), context);
    lower::RunPasses(tile, lower::DevicePasses(), context);
  } catch (const Error& e) {
    return e.name();
  }
  return "";
}

// Does the function have stores that always run, and threads of a block with a constant extent
// above one?
struct Shape {
  bool stores = false, threads = false;
};
Shape ShapeOf(const ir::Func& func) {
  Shape shape;
  bool symbolic = false;
  ir::PostOrder(func, [&](const ir::Node& node) {
    shape.stores = shape.stores || ir::As<ir::Store>(&node) != nullptr;
    const auto* loop = ir::As<ir::For>(&node);
    if (loop == nullptr) return;
    const int64_t* extent = ir::AsConstInt(loop->extent);
    symbolic = symbolic || extent == nullptr || *extent <= 0;
    if (loop->for_kind == ir::ForKind::kThread && loop->thread_tag == "threadIdx.x")
      shape.threads = shape.threads || (extent != nullptr && *extent > 1);
  });
  shape.stores = shape.stores && !symbolic;
  shape.threads = shape.threads && !symbolic;
  return shape;
}

std::shared_ptr<const target::Machine> MachineWith(std::map<std::string, int64_t> limits) {
  auto machine = std::make_shared<target::Machine>();
  machine->axes = {{"blockIdx.x", 0}, {"threadIdx.x", 0}, {"vthread", 0}};
  machine->limits = {limits.begin(), limits.end()};
  return machine;
}

}  // namespace

bool IsKernelRefusal(const std::string& name) {
  static const std::vector<std::string> names = {
      "allreduce-extent",   "barrier-divergent",  "unbound-device-loop",  "memory-misplaced",
      "vthread-extent",     "thread-axis-extent", "shared-memory-size",   "call-unbound-variable",
      "warp-memory-extent", "warp-memory-access", "private-memory-shared"};
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool MayRefuseOnDevice(const std::string& name) {
  return name.starts_with("schedule-") || IsKernelRefusal(name) || name == "device-limit" ||
         name == "vectorize-extent" || name == "unroll-extent";
}

bool IsKernel(const schedule::Schedule& schedule, const std::vector<ir::NodeRef>& args) {
  lower::PassContext device;
  device.device = MachineWith({{"warp_size", kWarp}});
  try {
    return Refused(schedule::LowerSchedule(schedule, args, "f"), device).empty();
  } catch (const Error&) {
    return false;
  }
}

void CheckKernels(const schedule::Schedule& schedule, const std::vector<ir::NodeRef>& args,
                  const std::vector<std::vector<int64_t>>& sizes, uint64_t seed,
                  std::map<std::string, int64_t>* illegal) {
  lower::PassContext device;
  device.device = MachineWith({{"warp_size", kWarp}});
  // The greatest sizes, and one set of the others.
  std::vector<std::vector<int64_t>> some = {sizes[0]};
  if (sizes.size() > 1) some.push_back(sizes[1 + seed % (sizes.size() - 1)]);
  for (const std::vector<int64_t>& one : some) {
    const std::string problem = lower::CheckDevice(schedule, args, one, device, nullptr, seed);
    if (!problem.empty()) throw Failed{"kernels", problem};
  }
  const ir::Func func = schedule::LowerSchedule(schedule, args, "f");
  if (ShapeOf(func).threads) {
    if (illegal != nullptr) ++(*illegal)["device too small"];
    lower::PassContext context;
    context.device = MachineWith({{"warp_size", kWarp}, {"max_threads_per_block", 1}});
    if (const std::string name = Refused(func, context); name != "device-limit")
      throw Failed{"illegal:device too small", "found " + (name.empty() ? "no error" : name)};
  }
  // The same program without a schedule.
  std::vector<ir::Op> outputs;
  for (const ir::NodeRef& arg : args) {
    const ir::Tensor tensor = ir::RefAs<ir::TensorNode>(arg);
    if (tensor && tensor->value_index == 0 && ir::As<ir::PlaceholderOp>(tensor->op) == nullptr)
      outputs.push_back(tensor->op);
  }
  const ir::Func plain = schedule::LowerSchedule(schedule::CreateSchedule(outputs), args, "f");
  if (ShapeOf(plain).stores) {
    if (illegal != nullptr) ++(*illegal)["no threads"];
    if (const std::string name = Refused(plain, {}); name != "unbound-device-loop")
      throw Failed{"illegal:no threads", "found " + (name.empty() ? "no error" : name)};
  }
}

}  // namespace lathe::prove
