#include "tests/check/check_device.h"

#include <cstring>

#include "base/error.h"
#include "ir/intrinsic_names.h"
#include "ir/names.h"
#include "ir/text/printer.h"
#include "ir/walk.h"
#include "lathe/abi/names.h"
#include "lower/constants.h"
#include "lower/device/split_device.h"
#include "lower/pipeline.h"
#include "schedule/loop_nest.h"
#include "te/evaluator.h"
#include "tests/check/check_passes.h"

namespace lathe::lower {

namespace {

// True if blocks synchronise in a nest that is not a kernel yet; the interpreter cannot run that.
bool BlocksMeetInNest(const ir::Module& module) {
  bool meet = false;
  for (const ir::Func& func : module->functions) {
    if (func->attrs.count(ir::func_attr::kCallingConvention) != 0) continue;
    ir::ForEach<ir::Call>(func, [&](const ir::Call& call) {
      const auto* scope =
          call.op == ir::intrinsic::kBarrier ? ir::As<ir::StringImm>(call.args[0]) : nullptr;
      meet = meet || (scope != nullptr && scope->value == ir::memory_scope::kGlobal);
    });
  }
  return meet;
}

}  // namespace

std::string CheckDevice(const schedule::Schedule& schedule, const std::vector<ir::NodeRef>& args,
                        const std::vector<int64_t>& sizes, PassContext context, ir::Module* split,
                        uint64_t seed) {
  ir::Module module =
      GatherConstants(ir::MakeModule({schedule::LowerSchedule(schedule, args, "f")}));
  const ir::Func func = module->functions[0];
  // Programs that cannot be a kernel are refused on the way, before anything runs.
  std::vector<std::pair<std::string, ir::Module>> stages = {{"loop nest", module}};
  context.verify = true;
  context.after_pass = [&](const Pass& pass, const ir::Module&, const ir::Module& after, double) {
    stages.emplace_back(std::string("after ") + pass.name, after);
  };
  module = RunPasses(module, TilePasses(), context);
  module = RunPasses(module, DevicePasses(), context);
  if (split != nullptr) *split = module;
  // Lowers the kernels towards `flat` and keeps the host code, which calls the kernels in the same
  // way.
  const SplitModules parts = Separate(module);
  context.after_pass = [&](const Pass& pass, const ir::Module&, const ir::Module& after, double) {
    std::vector<ir::Func> all = parts.host->functions;
    all.insert(all.end(), after->functions.begin(), after->functions.end());
    stages.emplace_back(std::string("kernels after ") + pass.name,
                        ir::MakeModule(all, module->attrs));
  };
  RunPasses(parts.device, KernelPasses(), context);

  TestArguments expected = MakeArguments(func, sizes, seed);
  te::Evaluate(args, expected.values);
  ir::Module before;
  for (const auto& [where, now] : stages) {
    if (BlocksMeetInNest(now) || (before && before.same_as(now))) continue;
    before = now;
    for (uint64_t interleaving : {uint64_t{0}, seed | 1}) {
      TestArguments got = MakeArguments(func, sizes, seed);
      ir::InterpretOptions options;
      options.interleaving = interleaving;
      if (context.device && context.device->Limit(LATHE_PROPERTY_WARP_SIZE) != 0)
        options.warp_size = static_cast<int>(context.device->Limit(LATHE_PROPERTY_WARP_SIZE));
      try {
        ir::Interpret(now, "f", got.values, options);
      } catch (const std::exception& e) {
        return where + ": " + e.what() + "\n" + ir::ToText(now);
      }
      if (got.memory != expected.memory) return where + ": other values\n" + ir::ToText(now);
    }
  }
  return "";
}

}  // namespace lathe::lower
