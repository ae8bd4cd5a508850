// Queries about lowered functions: are they well-formed, how much memory do they need, can a device
// run them?
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/error.h"
#include "ir/verifier.h"
#include "ir/walk.h"
#include "lower/device/split_device.h"
#include "lower/device/verify_memory.h"
#include "lower/memory_use.h"
#include "lower/pipeline.h"
#include "python/ffi/ffi.h"
#include "python/ffi/traits.h"
#include "target/machine.h"

namespace lathe::python {
namespace {

using runtime::Value;
using Values = std::vector<Value>;

// False if `check` throws an Error with one of the names. Other errors pass through.
template <class F>
bool Holds(const std::vector<std::string>& names, F check) {
  try {
    check();
  } catch (const Error& error) {
    for (const std::string& name : names) {
      if (error.name() == name) return false;
    }
    throw;
  }
  return true;
}

// [[limit, number]...]: limits of blocks (max_threads_per_block, ...) or of an axis (max_thread_x,
// ...).
target::Machine MachineOf(const Values& constraints) {
  std::map<std::string, int64_t> axes;
  for (const char* axis : {"x", "y", "z"}) {
    axes[std::string("blockIdx.") + axis] = 0;
    axes[std::string("threadIdx.") + axis] = 0;
  }
  target::Machine machine;
  for (const Value& item : constraints) {
    const auto pair = item.As<Values>();
    const auto name = pair.at(0).As<std::string>();
    const auto most = pair.at(1).As<int64_t>();
    if (name.starts_with("max_thread_") && name.size() == 12 &&
        axes.count("threadIdx." + name.substr(11)) != 0) {
      axes["threadIdx." + name.substr(11)] = most;
    } else if (name == "max_threads_per_block" || name == "max_shared_memory_per_block" ||
               name == "max_vector_bytes") {
      machine.limits[name] = most;
    } else {
      throw Error(Diagnostic{.name = "unknown-limit",
                             .message = "there is no limit `" + name + "`",
                             .expected = "max_threads_per_block, max_shared_memory_per_block, "
                                         "max_vector_bytes, max_thread_x, max_thread_y, "
                                         "max_thread_z or max_kernels"});
    }
  }
  for (const auto& [tag, max] : axes) machine.axes.push_back({tag, max});
  return machine;
}

bool DeviceRuns(const ir::Func& func, const Values& constraints, int64_t most_kernels) {
  lower::PassContext context;
  context.device = std::make_shared<target::Machine>(MachineOf(constraints));
  const ir::Func on_device =
      ir::WithAttr(func, "device_type", ir::Int(static_cast<int64_t>(kDLCUDA)));
  int64_t kernels = 0;
  const bool within = Holds({"device-limit", "device-axis", "device-scope"}, [&] {
    const ir::Module split =
        lower::RunPasses(ir::MakeModule({on_device}), lower::DevicePasses(), context);
    for (const ir::Func& made : split->functions) kernels += lower::IsKernel(made) ? 1 : 0;
  });
  return within && (most_kernels < 0 || kernels <= most_kernels);
}

}  // namespace

void RegisterAnalysis() {
  // Is every variable and buffer defined once, before its uses, in a scope that contains them?
  Def("analysis.verify_ssa", [](const ir::Func& func) {
    return Holds({"verify-undefined", "verify-redefined"},
                 [&] { ir::VerifyFunc(func, ir::Stage::kScheduled); });
  });
  Def("analysis.verify_memory", [](const ir::Func& func) {
    return Holds({"unbound-device-loop", "memory-misplaced"},
                 [&] { lower::VerifyMemory(ir::MakeModule({func}), {}); });
  });
  Def("analysis.device_runs", DeviceRuns);
  Def("analysis.workspace_bytes", lower::WorkspaceBytes);
  Def("analysis.constant_bytes", lower::ConstantBytes);
  // [[buffer, statement]...]
  Def("analysis.access_ancestors", [](const ir::Func& func) {
    Values pairs;
    for (const auto& [buffer, stmt] : lower::AccessAncestors(func)) {
      Values pair;
      pair.emplace_back(buffer);
      pair.emplace_back(stmt);
      pairs.emplace_back(std::move(pair));
    }
    return pairs;
  });
}

}  // namespace lathe::python
