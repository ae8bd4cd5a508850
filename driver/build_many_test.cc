#include "driver/build_many.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <map>
#include <string>
#include <thread>

#include "base/error.h"
#include "driver/build_module.h"
#include "driver/compile_times.h"
#include "driver/default_plugins.h"
#include "runtime/tensor.h"
#include "schedule/primitives/primitives.h"
#include "te/operation.h"

namespace lathe::driver {
namespace {

using runtime::Tensor;

// y[i] = x[i] + x[i]^2 + ... with `terms` terms: a different program for each number of terms.
ProgramToCompile Powers(int terms) {
  const ir::Var n = ir::MakeSizeVar("n");
  const te::Tensor x = te::Placeholder({n}, DataType::Float(32), "x");
  const te::Tensor y = te::Compute(
      {n},
      [&](const te::Indices& i) {
        ir::Expr value = ir::Float(0), power = ir::Float(1);
        for (int k = 0; k < terms; ++k) {
          power = power * te::At(x, {i[0]});
          value = value + power;
        }
        return value;
      },
      "y");
  schedule::Schedule s = schedule::CreateSchedule({y->op});
  auto [outer, inner] = schedule::Split(s[y], schedule::AxisOf(y, 0), 16);
  schedule::Vectorize(s[y], inner);
  schedule::Parallel(s[y], outer);
  return {s, {x, y}, "powers", target::ParseTarget("llvm"), {}};
}

std::vector<ProgramToCompile> Programs() {
  UseDefaultPlugins();
  std::vector<ProgramToCompile> programs;
  for (int terms = 1; terms <= 12; ++terms) programs.push_back(Powers(terms));
  return programs;
}

TEST(BuildMany, BuildsEachInOrder) {
  const std::vector<ProgramToCompile> programs = Programs();
  const auto modules = BuildMany(programs, nullptr, 4);
  ASSERT_EQ(modules.size(), programs.size());
  for (size_t i = 0; i < modules.size(); ++i) {
    ASSERT_TRUE(modules[i].ok());
    Tensor x = *Tensor::Empty({20}, DataType::Float(32));
    Tensor y = *Tensor::Empty({20}, DataType::Float(32));
    for (int k = 0; k < 20; ++k) x.HostData<float>()[k] = 1;
    ASSERT_TRUE(modules[i]->GetFunction("powers")->TryCall(x, y).ok());
    for (int k = 0; k < 20; ++k) EXPECT_EQ(y.HostData<float>()[k], static_cast<float>(i + 1));
  }
}

TEST(BuildMany, ThreadsDoNotChangeTheBytes) {
  const std::vector<ProgramToCompile> programs = Programs();
  const auto one = CompileMany(programs, plugins::OutputKind::kObject, nullptr, 1);
  for (const int threads : {2, 5, 0}) {
    const auto many = CompileMany(programs, plugins::OutputKind::kObject, nullptr, threads);
    for (size_t i = 0; i < one.size(); ++i) {
      ASSERT_TRUE(one[i].ok() && many[i].ok());
      EXPECT_TRUE(one[i]->bytes == many[i]->bytes)
          << "program " << i << " on " << threads << " threads";
    }
  }
}

// The same programs at once, through one cache: each is compiled or found, and correct.
TEST(BuildMany, SharesACache) {
  std::vector<ProgramToCompile> programs = Programs();
  const std::vector<ProgramToCompile> again = Programs();
  programs.insert(programs.end(), again.begin(), again.end());
  const std::string folder = testing::TempDir() + "/shared";
  std::filesystem::remove_all(folder);
  CompileCache cache({folder, 1 << 24});
  for (const auto& module : BuildMany(programs, &cache, 4)) EXPECT_TRUE(module.ok());
  EXPECT_EQ(cache.hits() + cache.misses(), static_cast<int64_t>(programs.size()));
  const int64_t before = cache.misses();
  for (const auto& module : BuildMany(programs, &cache, 4)) EXPECT_TRUE(module.ok());
  EXPECT_EQ(cache.misses(), before);
}

TEST(BuildMany, TheFirstErrorIsThrownAtTheEnd) {
  std::vector<ProgramToCompile> programs = Programs();
  for (const size_t i : {3U, 7U}) {
    programs[i].context.cancelled = [] { return true; };
  }
  try {
    BuildMany(programs, nullptr, 3);
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_EQ(error.name(), "compile-cancelled");
  }
  EXPECT_TRUE(BuildMany({}, nullptr).empty());
}

// Ctrl-C arrives as an exception of `cancelled`, on the caller's thread alone. It is what the
// caller gets, although another thread has the program with the smaller number.
TEST(BuildMany, WhatEndsTheWorkIsThrown) {
  struct CtrlC {};
  const std::thread::id caller = std::this_thread::get_id();
  std::atomic<bool> begun{false}, stopped{false};
  std::vector<ProgramToCompile> programs = Programs();
  for (size_t i = 0; i < programs.size(); ++i) {
    programs[i].name += std::to_string(i);
    programs[i].context.cancelled = [&, i]() -> bool {
      if (i == 0) return false;  // somebody else's number is smaller than mine
      while (!begun) std::this_thread::yield();
      stopped = true;
      throw CtrlC();
    };
    programs[i].context.after_pass = [&](const auto&...) {
      if (std::this_thread::get_id() == caller) return;
      begun = true;
      while (!stopped) std::this_thread::yield();
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    };
  }
  EXPECT_THROW((void)CompileTogether(programs, plugins::OutputKind::kObject, {.threads = 2}),
               CtrlC);
}

TEST(CompileTimes, HasEveryStep) {
  UseDefaultPlugins();
  CompileTimes times;
  ProgramToCompile program = Powers(3);
  times.Watch(&program.context);
  ASSERT_TRUE(BuildProgram(program, nullptr).ok());
  std::map<std::string, int> seen;
  for (const CompileTimes::Step& step : times.Steps()) {
    EXPECT_GE(step.seconds, 0) << step.what;
    ++seen[step.who];
  }
  EXPECT_EQ(seen["schedule"], 1);
  EXPECT_GT(seen["pass"], 15);
  EXPECT_EQ(seen["plugin"], 4) << "machine, generate, optimize, emit";
  EXPECT_EQ(seen["driver"], 3) << "verify, encode, load";
  EXPECT_GT(times.Seconds("plugin"), 0);
  EXPECT_LE(times.Seconds("plugin"), times.Seconds());
  const std::string text = times.ToString();
  for (const char* part : {"optimize", "simplify_final", "the rest", "total", "peak memory"})
    EXPECT_NE(text.find(part), std::string::npos) << part << " in\n" << text;
  EXPECT_GT(PeakMemory(), 1 << 20);
}

}  // namespace
}  // namespace lathe::driver
