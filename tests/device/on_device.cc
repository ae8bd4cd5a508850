#include "tests/device/on_device.h"

#include "driver/compile.h"
#include "driver/default_plugins.h"
#include "lower/pass.h"
#include "plugins/host/tensor_intrinsics.h"
#include "runtime/device.h"
#include "runtime/device_api.h"
#include "runtime/module.h"
#include "schedule/loop_nest.h"
#include "target/target.h"

namespace lathe::device_tests {
namespace {

runtime::Device TheDevice() {
  const std::string target = kTested.target;
  return runtime::Device::Parse(target.substr(0, target.find(' ')));
}

}  // namespace

void UsePlugins() {
  driver::UseDefaultPlugins();
  const target::Target target = target::ParseTarget(kTested.target);
  plugins::RegisterTensorIntrinsics(*target.schema, target.plugin);
}

std::string WhyMissing() {
  const auto api = runtime::GetDeviceAPI(TheDevice());
  const absl::Status status = api.ok() ? (*api)->MakeCurrent(TheDevice().id) : api.status();
  return std::string(status.message());
}

void OnDevice::SetUp() {
  if (!kTested.may_be_missing) return;
  if (const std::string why = WhyMissing(); !why.empty())
    GTEST_SKIP() << "NOT RUN, no device for the target `" << kTested.target << "`: " << why;
}

std::string CheckOnDevice(const schedule::Schedule& schedule, const prove::Inputs& inputs,
                          const std::vector<std::vector<int64_t>>& sizes, bool checked) {
  lower::PassContext context;
  context.Set("check", checked ? 1 : 0);
  const ir::Module loops = driver::Lower(schedule, inputs.args, "f", context);
  const auto module = driver::Build(loops, target::ParseTarget(kTested.target), context);
  if (!module.ok()) return std::string(module.status().message());
  const runtime::Function function = module->FindFunction("f");
  const ir::Func func = schedule::LowerSchedule(schedule, inputs.args, "f");
  for (const std::vector<int64_t>& one : sizes) {
    try {
      prove::Run run(func, inputs, one);
      run.Expect();
      run.Call(function, TheDevice());
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
                          const std::vector<std::vector<int64_t>>& sizes) {
  prove::Inputs inputs;
  inputs.args = args;
  inputs.size_vars = vars;
  inputs.seed = 5;
  return CheckOnDevice(schedule, inputs, sizes);
}

}  // namespace lathe::device_tests
