#include "tests/opencl/on_device.h"

#include "driver/compile.h"
#include "driver/default_plugins.h"
#include "plugins/host/target.h"
#include "runtime/device.h"
#include "runtime/module.h"
#include "schedule/loop_nest.h"

namespace lathe::opencl_tests {

void UsePlugins() { driver::UseDefaultPlugins(); }

std::string CheckOnDevice(const schedule::Schedule& schedule, const prove::Inputs& inputs,
                          const std::vector<std::vector<int64_t>>& sizes,
                          const std::string& target) {
  const ir::Module loops = driver::Lower(schedule, inputs.args, "f", {});
  const auto module = driver::Build(loops, plugins::ParseTarget(target), {});
  if (!module.ok()) return std::string(module.status().message());
  const runtime::Function function = module->FindFunction("f");
  const ir::Func func = schedule::LowerSchedule(schedule, inputs.args, "f");
  for (const std::vector<int64_t>& one : sizes) {
    try {
      prove::Run run(func, inputs, one);
      run.Expect();
      run.Call(function, runtime::Device::Parse("opencl"));
    } catch (const prove::Failed& failed) {
      std::string source;
      for (const runtime::Module& import : (*module)->imports())
        if (const auto text = import->Source("source"); text.ok()) source += *text;
      return failed.where + ": " + failed.detail + "\n" + source;
    }
  }
  return "";
}

std::string CheckOnDevice(const schedule::Schedule& schedule, const std::vector<ir::NodeRef>& args,
                          const std::vector<ir::Var>& vars,
                          const std::vector<std::vector<int64_t>>& sizes,
                          const std::string& target) {
  prove::Inputs inputs;
  inputs.args = args;
  inputs.size_vars = vars;
  inputs.seed = 5;
  return CheckOnDevice(schedule, inputs, sizes, target);
}

}  // namespace lathe::opencl_tests
