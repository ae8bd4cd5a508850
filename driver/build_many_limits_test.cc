// Builds several programs at once while the system refuses threads.
#include <gtest/gtest.h>

#include "driver/build_many.h"
#include "driver/default_plugins.h"
#include "runtime/test_threads.h"
#include "te/operation.h"

namespace lathe::driver {
namespace {

ProgramToCompile Plus(int number) {
  const te::Tensor x = te::Placeholder({ir::Int(16)}, DataType::Float(32), "x");
  const te::Tensor y = te::Compute(
      {ir::Int(16)}, [&](const te::Indices& i) { return te::At(x, {i[0]}) + ir::Float(number); },
      "y");
  return {schedule::CreateSchedule({y->op}), {x, y}, "plus", target::ParseTarget("llvm"), {}};
}

TEST(BuildManyLimits, ThreadsThereAreDoTheWork) {
  using runtime::testing_threads::left;
  using runtime::testing_threads::refused;
  UseDefaultPlugins();
  std::vector<ProgramToCompile> programs;
  for (int i = 0; i < 6; ++i) programs.push_back(Plus(i));
  for (int possible : {0, 2}) {
    left = possible;
    refused = 0;
    const auto modules = BuildMany(programs, nullptr, 6);
    EXPECT_EQ(refused, 1);
    left = 1 << 30;
    ASSERT_EQ(modules.size(), programs.size());
    for (const auto& module : modules) EXPECT_TRUE(module.ok()) << module.status();
  }
}

}  // namespace
}  // namespace lathe::driver
