// Machines without OpenCL or without a driver. The plugin loads and compiles there, and says why it
// cannot run.
#include <string>
#include <string_view>

#include "plugins/host/codegen.h"
#include "tests/opencl/scale.h"

namespace lathe::opencl_tests {
namespace {

using runtime::StatusName;

TEST(NoOpenCl, CompilesAndSaysWhyItCannotRun) {
  driver::UseDefaultPlugins();
  const auto source = driver::Compile(Scale().Loops(), target::ParseTarget("opencl"),
                                      plugins::OutputKind::kSource, {});
  ASSERT_TRUE(source.ok()) << source.status();
  EXPECT_NE(source->find("__kernel"), std::string::npos);
  const auto module = Scale().Build();
  ASSERT_TRUE(module.ok()) << module.status();
  EXPECT_EQ(StatusName(runtime::Tensor::Empty({4}, DataType::Float(32), OpenCl()).status()),
            "device-no-such-id");
  const runtime::Function kernel = (*module)->imports()[0].FindFunction("scale_kernel0");
  void* nothing = nullptr;
  const absl::Status status = kernel.TryCall(nothing, nothing, 2, 1, 32, 0).status();
  EXPECT_EQ(StatusName(status), "opencl-unavailable");
  const std::string_view message = status.message();
  if (getenv("LATHE_TEST_NO_ICD") != nullptr) {
    EXPECT_NE(message.find("the OpenCL loader finds no driver"), std::string::npos) << status;
  } else {
    EXPECT_NE(message.find("no OpenCL library can be opened ("), std::string::npos) << status;
    EXPECT_NE(message.find("libOpenCL.so.1"), std::string::npos) << status;
  }
}

}  // namespace
}  // namespace lathe::opencl_tests
