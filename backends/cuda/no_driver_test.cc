// The plugin on machines without a driver or a device: it loads, and reports what is missing. Each
// case runs in a separate process, because the driver is searched only once per process.

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "runtime/device_api.h"
#include "runtime/init.h"
#include "runtime/status.h"
#include "runtime/tensor.h"

namespace lathe::cuda {
namespace {

using runtime::Device;
using runtime::StatusName;

// Exits with 0 if the device reports `reason`.
void Expect(const char* driver, const char* reason) {
  setenv("LATHE_PLUGIN_PATH", std::filesystem::absolute("backends/cuda/liblathe_cuda.so").c_str(),
         1);
  setenv("LATHE_CACHE_DIR", getenv("TEST_TMPDIR"), 1);
  setenv("LATHE_CUDA_DRIVER", driver, 1);
  runtime::Initialize();
  auto api = runtime::GetDeviceAPI(Device::Parse("cuda").kind);
  EXPECT_TRUE(api.ok()) << api.status();
  EXPECT_EQ((*api)->Count().value(), 0);
  const absl::Status missing = (*api)->MakeCurrent(0);
  EXPECT_EQ(StatusName(missing), "cuda-no-driver") << missing;
  EXPECT_NE(missing.message().find(reason), std::string_view::npos) << missing;
  EXPECT_NE(missing.message().find("LATHE_CUDA_DRIVER"), std::string_view::npos) << missing;
  const auto tensor = runtime::Tensor::Empty({4}, DataType::Float(32), Device::Parse("cuda:0"));
  EXPECT_EQ(StatusName(tensor.status()), "device-no-such-id") << tensor.status();
  const auto pinned =
      runtime::Tensor::Empty({4}, DataType::Float(32), Device::Parse("cuda_host:0"));
  EXPECT_EQ(StatusName(pinned.status()), "device-no-such-id") << pinned.status();
  std::exit(testing::Test::HasFailure() ? 1 : 0);
}

TEST(NoDriver, IsSaid) {
  EXPECT_EXIT(Expect("/nowhere/libcuda.so.1", "/nowhere/libcuda.so.1"), testing::ExitedWithCode(0),
              "");
}

TEST(NoDriver, ALibraryThatIsNoDriverIsSaid) {
  // It has no cuInit.
  EXPECT_EXIT(Expect("libm.so.6", "no function `cuInit`"), testing::ExitedWithCode(0), "");
}

TEST(NoDriver, NoDeviceIsSaid) {
  setenv("LATHE_FAKE_CUDA_DEVICES", "0", 1);
  const std::string path = std::filesystem::absolute("backends/cuda/fake/libcuda.so.1");
  EXPECT_EXIT(Expect(path.c_str(), "no CUDA-capable device"), testing::ExitedWithCode(0), "");
}

TEST(NoDriver, NoLibraryIsTakenFromTheCurrentFolder) {
  EXPECT_EXIT(Expect("backends/cuda/fake/libcuda.so.1", "depends on the current folder"),
              testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace lathe::cuda
