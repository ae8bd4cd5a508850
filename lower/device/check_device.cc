#include "lower/device/check_device.h"

#include <cstring>

#include "base/error.h"
#include "ir/printer.h"
#include "lower/check_passes.h"
#include "lower/device/split_device.h"
#include "lower/pipeline.h"
#include "schedule/loop_nest.h"
#include "te/evaluator.h"

namespace lathe::lower {

std::string CheckDevice(const schedule::Schedule& schedule, const std::vector<ir::NodeRef>& args,
                        const std::vector<int64_t>& sizes, PassContext context, ir::Module* split,
                        uint64_t seed) {
  ir::Module module = ir::MakeModule({schedule::LowerSchedule(schedule, args, "f")});
  TestArguments expected = MakeArguments(module->functions[0], sizes, seed);
  te::Evaluate(args, expected.values);
  std::string problem;
  auto check = [&](const ir::Module& now, const std::string& where) {
    if (!problem.empty()) return;
    for (uint64_t interleaving : {0, 1}) {
      TestArguments got = MakeArguments(module->functions[0], sizes, seed);
      ir::InterpretOptions options;
      options.interleaving = interleaving;
      if (context.device && context.device->limits.count("warp_size") != 0)
        options.warp_size = static_cast<int>(context.device->limits.at("warp_size"));
      try {
        ir::Interpret(now, "f", got.values, options);
        if (got.memory == expected.memory) continue;
        problem = where + ": other values\n" + ir::ToText(now);
      } catch (const std::exception& e) {
        problem = where + ": " + e.what() + "\n" + ir::ToText(now);
      }
      return;
    }
  };
  check(module, "loop nest");
  context.verify = true;
  context.after_pass = [&](const Pass& pass, const ir::Module&, const ir::Module& after, double) {
    check(after, std::string("after ") + pass.name);
  };
  module = RunPasses(module, TilePasses(), context);
  module = RunPasses(module, DevicePasses(), context);
  if (split != nullptr) *split = module;
  // Kernels on their way to `flat`, with the host as it is: kernels are called all the same.
  const SplitModules parts = Separate(module);
  context.after_pass = [&](const Pass& pass, const ir::Module&, const ir::Module& after, double) {
    std::vector<ir::Func> all = parts.host->functions;
    all.insert(all.end(), after->functions.begin(), after->functions.end());
    check(ir::MakeModule(all), std::string("kernels after ") + pass.name);
  };
  RunPasses(parts.device, KernelPasses(), context);
  return problem;
}

}  // namespace lathe::lower
