// Two LLVMs in one process: the LLVM plugin's own (19, linked into it) and PoCL's (15, a library),
// in both orders.
#include <fstream>
#include <string>

#include "runtime/plugin_loader/plugin_loader.h"
#include "tests/opencl/scale.h"

namespace lathe::opencl_tests {
namespace {

bool IsMapped(const std::string& library) {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);)
    if (line.find(library) != std::string::npos) return true;
  return false;
}

bool LlvmPluginIsLoaded() {
  for (const runtime::PluginInfo& info : runtime::PluginLoader::Global().List())
    if (info.manifest.name == "llvm") return info.state == runtime::PluginState::kLoaded;
  return false;
}

// Counting the devices loads PoCL. Running a kernel runs its compiler.
void UsePocl() { ASSERT_EQ(*(*runtime::GetDeviceAPI(OpenCl()))->Count(), 1); }

void UseLlvm() {
  const Scale scale;
  const ir::Module loops =
      driver::Lower(schedule::CreateSchedule({scale.b->op}), {scale.a, scale.b}, "scale", {});
  const auto object =
      driver::Compile(loops, target::ParseTarget("llvm"), plugins::OutputKind::kObject, {});
  ASSERT_TRUE(object.ok()) << object.status();
}

// Host code compiled by one LLVM launches kernels that the other LLVM compiles.
void UseBoth() {
  const auto module = Scale().Build();
  ASSERT_TRUE(module.ok()) << module.status();
  std::vector<float> values(1000);
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i);
  const runtime::Tensor a = OnDevice(values), b = OnDevice(std::vector<float>(1000));
  const auto called = module->FindFunction("scale").TryCall(a, b);
  ASSERT_TRUE(called.ok()) << called.status();
  const std::vector<float> got = ToHost(b);
  for (size_t i = 0; i < values.size(); ++i) ASSERT_EQ(got[i], values[i] * 2 + 1) << i;
}

// Each test runs in a process of its own, because nothing is unloaded.
TEST(Coexistence, PoclsLlvmFirst) {
  driver::UseDefaultPlugins();
  UsePocl();
  EXPECT_TRUE(IsMapped("libLLVM-15"));
  EXPECT_FALSE(LlvmPluginIsLoaded());
  UseLlvm();
  EXPECT_TRUE(LlvmPluginIsLoaded());
  UseBoth();
}

TEST(Coexistence, TheLlvmPluginFirst) {
  driver::UseDefaultPlugins();
  EXPECT_FALSE(IsMapped("libLLVM-15"));
  UseLlvm();
  EXPECT_TRUE(LlvmPluginIsLoaded());
  EXPECT_FALSE(IsMapped("libLLVM-15"));
  UsePocl();
  EXPECT_TRUE(IsMapped("libLLVM-15"));
  UseBoth();
}

}  // namespace
}  // namespace lathe::opencl_tests
