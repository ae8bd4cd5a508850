// Random programs on random threads for the target cuda: whatever lowers must compile. Here CUDA's
// compiler checks that the kernels are valid CUDA C++. The interpreter checks what they compute
// (tests/prove).
#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>
#include <map>
#include <string>

#include "backends/cuda/image.h"
#include "backends/cuda/machine_code.h"
#include "base/error.h"
#include "driver/compile.h"
#include "driver/default_plugins.h"
#include "driver/lower_device.h"
#include "ir/binary.h"
#include "plugins/host/codegen.h"
#include "runtime/status.h"
#include "target/target.h"
#include "tests/prove/kernels.h"
#include "tests/prove/random_program.h"
#include "tests/prove/random_schedule.h"

namespace lathe {
namespace {

TEST(RandomCuda, ProgramsOnThreadsCompile) {
  setenv("LATHE_CUDA_DRIVER", "none", 1);  // nothing here needs a device
  setenv("LATHE_CACHE_DIR", getenv("TEST_TMPDIR"), 1);
  cuda::UsePinnedToolkit();
  driver::UseDefaultPlugins();
  const char* count_text = std::getenv("LATHE_CUDA_PROGRAMS");
  const char* seed_text = std::getenv("LATHE_CUDA_SEED");
  const int64_t count = count_text == nullptr ? 60 : std::atoll(count_text);
  const auto first = static_cast<uint64_t>(seed_text == nullptr ? 1 : std::atoll(seed_text));
  const char* archs[] = {"sm_75", "sm_80", "sm_90a", "sm_100"};
  int64_t compiled = 0;
  std::map<std::string, int64_t> refused;
  for (uint64_t seed = first; seed < first + static_cast<uint64_t>(count); ++seed) {
    SCOPED_TRACE("LATHE_CUDA_SEED=" + std::to_string(seed));
    const prove::TestProgram program = prove::RandomProgram(seed);
    schedule::Schedule s = schedule::CreateSchedule(program.outputs);
    prove::ScheduleCounts counts;
    prove::ApplyKernelSteps(s, seed, &counts);
    auto codegen =
        plugins::CodeGen::For(target::ParseTarget("cuda -arch=" + std::string(archs[seed % 4])),
                              ir::kBinaryVersion, ir::kBinaryVersion);
    ASSERT_TRUE(codegen.ok()) << codegen.status();
    try {
      const driver::DeviceModules modules =
          driver::LowerForDevice(driver::Lower(s, program.args, "f", {}), codegen->target(),
                                 target::ParseTarget("llvm"), {});
      auto made = codegen->Compile({.ir = ir::EncodeModule(modules.device)});
      const std::string name = made.ok() ? "" : std::string(runtime::StatusName(made.status()));
      // Private memory without a constant size, which C++ does not have.
      if (name == "c-source-unsupported") {
        ++refused[name];
        continue;
      }
      EXPECT_TRUE(made.ok()) << made.status();
      if (!made.ok()) continue;
      const cuda::Image image = cuda::ReadImage(made->bytes);
      for (const auto& [kernel, used] : cuda::ReadResources(image.log))
        EXPECT_LE(used.registers, 255) << kernel;
      compiled += image.kernels.empty() ? 0 : 1;
    } catch (const Error& e) {
      EXPECT_TRUE(prove::MayRefuseOnDevice(e.name())) << e.what();
      ++refused[e.name()];
    }
  }
  for (const auto& [name, times] : refused)
    std::cout << "refused: " << name << " " << times << "\n";
  std::cout << compiled << " of " << count << " compiled\n";
  EXPECT_GT(compiled * 5, count * 2);
}

}  // namespace
}  // namespace lathe
