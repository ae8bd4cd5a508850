// Builds programs while the system refuses threads, and on threads with small stacks.
#include <gtest/gtest.h>
#include <pthread.h>

#include <functional>
#include <vector>

#include "driver/build_many.h"
#include "driver/default_plugins.h"
#include "runtime/status.h"
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

// Runs `work` on a thread whose stack LLVM outgrows with larger programs than these.
void OnASmallStack(std::function<void()> work) {
  pthread_attr_t small;
  ASSERT_EQ(pthread_attr_init(&small), 0);
  ASSERT_EQ(pthread_attr_setstacksize(&small, 128 << 10), 0);
  const auto run = [](void* self) -> void* {
    (*static_cast<std::function<void()>*>(self))();
    return nullptr;
  };
  pthread_t thread;
  ASSERT_EQ(pthread_create(&thread, &small, run, &work), 0);
  pthread_join(thread, nullptr);
}

TEST(BuildManyLimits, ACallersStackMayBeSmall) {
  using runtime::testing_threads::left;
  UseDefaultPlugins();
  const std::vector<ProgramToCompile> one = {Plus(1)};
  OnASmallStack([&] {
    const auto built = BuildMany(one, nullptr, 1);
    EXPECT_TRUE(built.at(0).ok()) << built[0].status();
  });
  // What LLVM needs is refused, too.
  OnASmallStack([&] {
    left = 0;
    const auto built = BuildMany(one, nullptr, 1);
    left = 1 << 30;
    EXPECT_EQ(runtime::StatusName(built.at(0).status()), "thread-refused");
  });
}

}  // namespace
}  // namespace lathe::driver
