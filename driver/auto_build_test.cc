#include "driver/auto_build.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "base/error.h"
#include "driver/default_plugins.h"
#include "runtime/tensor.h"

namespace lathe::driver {
namespace {

using runtime::Tensor;

std::vector<ir::NodeRef> Product(int64_t n) {
  const te::Tensor a = te::Placeholder({ir::Int(n), ir::Int(n)}, DataType::Float(32), "A");
  const te::Tensor b = te::Placeholder({ir::Int(n), ir::Int(n)}, DataType::Float(32), "B");
  const ir::IterVar k = te::ReduceAxis(ir::Int(0), ir::Int(n), "k");
  const te::Tensor c = te::Compute(
      {ir::Int(n), ir::Int(n)},
      [&](const te::Indices& i) {
        return te::Sum(te::At(a, {i[0], k->var}) * te::At(b, {k->var, i[1]}), {k});
      },
      "C");
  return {a, b, c};
}

TEST(AutoBuild, NeedsNoSchedule) {
  UseDefaultPlugins();
  const std::string folder = testing::TempDir() + "/auto";
  std::filesystem::remove_all(folder);
  for (int round = 0; round < 2; ++round) {
    CompileCache cache({folder, 1 << 24});
    const auto module = AutoBuild(Product(50), "product", target::ParseTarget("llvm"), {}, &cache);
    ASSERT_TRUE(module.ok()) << module.status();
    EXPECT_EQ(cache.hits(), round);
    Tensor a = *Tensor::Empty({50, 50}, DataType::Float(32)),
           b = *Tensor::Empty({50, 50}, DataType::Float(32)),
           c = *Tensor::Empty({50, 50}, DataType::Float(32));
    for (int i = 0; i < 2500; ++i) {
      a.HostData<float>()[i] = static_cast<float>(i % 7);
      b.HostData<float>()[i] = static_cast<float>(i % 5);
    }
    ASSERT_TRUE(module->GetFunction("product")->TryCall(a, b, c).ok());
    for (int i = 0; i < 50; ++i) {
      for (int j = 0; j < 50; ++j) {
        float sum = 0;
        for (int k = 0; k < 50; ++k)
          sum += a.HostData<float>()[i * 50 + k] * b.HostData<float>()[k * 50 + j];
        ASSERT_EQ(c.HostData<float>()[i * 50 + j], sum) << i << ", " << j;
      }
    }
  }
}

TEST(AutoBuild, WantsAnOutput) {
  UseDefaultPlugins();
  const te::Tensor a = te::Placeholder({ir::Int(4)}, DataType::Float(32), "A");
  try {
    static_cast<void>(AutoBuild({a}, "nothing", target::ParseTarget("llvm"), {}, nullptr).ok());
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_EQ(error.name(), "auto-build-no-output");
  }
}

}  // namespace
}  // namespace lathe::driver
