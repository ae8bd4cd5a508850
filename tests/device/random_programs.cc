// Runs random programs on random threads of a real device, and compares with te's evaluator.
#include <cstdlib>
#include <iostream>
#include <map>
#include <string>

#include "base/error.h"
#include "gtest/gtest.h"
#include "tests/device/on_device.h"
#include "tests/prove/kernels.h"
#include "tests/prove/random_program.h"
#include "tests/prove/random_schedule.h"

namespace lathe::device_tests {
namespace {

class Random : public OnDevice {};

TEST_F(Random, ProgramsOnThreads) {
  const char* count_text = std::getenv("LATHE_DEVICE_PROGRAMS");
  const char* seed_text = std::getenv("LATHE_DEVICE_SEED");
  const int64_t count = count_text == nullptr ? 60 : std::atoll(count_text);
  const auto first = static_cast<uint64_t>(seed_text == nullptr ? 1 : std::atoll(seed_text));
  int64_t ran = 0;
  std::map<std::string, int64_t> refused;
  for (uint64_t seed = first; seed < first + static_cast<uint64_t>(count); ++seed) {
    const prove::TestProgram program = prove::RandomProgram(seed);
    schedule::Schedule s = schedule::CreateSchedule(program.outputs);
    prove::ScheduleCounts counts;
    prove::ApplyKernelSteps(s, seed, &counts);
    prove::Inputs inputs;
    inputs.args = program.args;
    inputs.seed = seed;
    inputs.arithmetic = program.arithmetic;
    inputs.real_inputs = program.real_inputs;
    std::vector<int64_t> most, one, none;
    for (const auto& [var, value] : program.sizes) {
      inputs.size_vars.push_back(var);
      most.push_back(value);
      one.push_back(1);
      none.push_back(0);
    }
    std::vector<std::vector<int64_t>> sizes = {most};
    if (!most.empty()) sizes.insert(sizes.end(), {one, none});
    SCOPED_TRACE("LATHE_DEVICE_SEED=" + std::to_string(seed));
    try {
      const std::string problem = CheckOnDevice(s, inputs, sizes, seed % 3 == 0);
      // An OpenCL without float16, or private memory without a constant size.
      bool lacks = false;
      for (const char* name : {"opencl-no-fp16", "c-source-unsupported"}) {
        if (problem.find(name) == std::string::npos) continue;
        ++refused[name];
        lacks = true;
      }
      if (lacks) continue;
      EXPECT_EQ(problem, "");
      ++ran;
    } catch (const Error& e) {
      EXPECT_TRUE(prove::MayRefuseOnDevice(e.name())) << e.what();
      ++refused[e.name()];
    }
  }
  for (const auto& [name, times] : refused)
    std::cout << "refused: " << name << " " << times << "\n";
  std::cout << ran << " of " << count << " ran\n";
  EXPECT_GT(ran * 5, count * 2);
}

}  // namespace
}  // namespace lathe::device_tests
