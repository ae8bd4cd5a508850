// A device whose work-groups have at most 64 work-items (POCL_MAX_WORK_GROUP_SIZE), and kernels
// with more.
#include <string>

#include "base/error.h"
#include "tests/opencl/scale.h"

namespace lathe::opencl_tests {
namespace {

using runtime::StatusName;

TEST(SmallDevice, KernelsAreRefusedBeforeTheyAreMade) {
  driver::UseDefaultPlugins();
  const auto most = (*runtime::GetDeviceAPI(OpenCl()))->Attribute(0, "max_threads_per_block");
  ASSERT_TRUE(most.ok()) << most.status();
  ASSERT_EQ(most->As<int64_t>(), 64);
  try {
    Scale(128).Build().IgnoreError();
    ADD_FAILURE() << "a kernel for 128 work-items was made";
  } catch (const Error& error) {
    EXPECT_EQ(error.name(), "device-limit");
    EXPECT_NE(std::string(error.what()).find("64"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("128"), std::string::npos) << error.what();
  }
  const auto module = Scale(64).Build();
  ASSERT_TRUE(module.ok()) << module.status();
  const runtime::Tensor b = OnDevice({0, 0, 0});
  const auto done = module->FindFunction("scale").TryCall(OnDevice({1, 2, 3}), b);
  ASSERT_TRUE(done.ok()) << done.status();
  EXPECT_EQ(ToHost(b), (std::vector<float>{3, 5, 7}));
}

// Compiled for a larger device, as the target's attributes say. This device refuses it.
TEST(SmallDevice, WhatWasCompiledForAnotherIsRefusedAtTheLaunch) {
  driver::UseDefaultPlugins();
  const auto module = Scale(128).Build(" -max-threads-per-block=256");
  ASSERT_TRUE(module.ok()) << module.status();
  const absl::Status status =
      module->FindFunction("scale").TryCall(OnDevice({1}), OnDevice({1})).status();
  EXPECT_EQ(StatusName(status), "device-limit") << status;
  EXPECT_NE(status.message().find("takes 64"), std::string::npos) << status;
}

}  // namespace
}  // namespace lathe::opencl_tests
