// Wrong uses and device failures: each ends in a diagnostic with a name.
#include <dlfcn.h>
#include <stdlib.h>

#include <filesystem>
#include <string>

#include "base/error.h"
#include "ir/intrinsic.h"
#include "tests/opencl/scale.h"

namespace lathe::opencl_tests {
namespace {

using runtime::Module;
using runtime::StatusName;
using runtime::Tensor;

constexpr int kDeviceNotAvailable = -2, kOutOfResources = -5, kInvalidKernel = -48;

void Fault(const char* function, int code, int times = 1) {
  static void* const library = dlopen(getenv("LATHE_OPENCL_LIBRARY"), RTLD_NOW);
  ASSERT_NE(library, nullptr) << dlerror();
  reinterpret_cast<void (*)(const char*, int, int)>(dlsym(library, "lathe_fault"))(function, code,
                                                                                   times);
}

class Errors : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    setenv("LATHE_OPENCL_LIBRARY",
           std::filesystem::absolute("tests/opencl/faults/libfaults.so").c_str(), 1);
    setenv("POCL_DEVICES", "pthread basic", 1);
    driver::UseDefaultPlugins();
  }
};

template <class F>
std::string NameOfError(F f) {
  try {
    f();
  } catch (const Error& error) {
    return error.name();
  }
  return "no error";
}

Module Built(const Scale& scale, const std::string& attributes = "") {
  auto module = scale.Build(attributes);
  EXPECT_TRUE(module.ok()) << module.status();
  return *module;
}

absl::Status Call(const Module& module, const Tensor& a, const Tensor& b) {
  return module.FindFunction("scale").TryCall(a, b).status();
}

TEST_F(Errors, WorksOtherwise) {
  const Tensor b = OnDevice({0, 0, 0});
  ASSERT_TRUE(Call(Built(Scale()), OnDevice({1, 2, 3}), b).ok());
  EXPECT_EQ(ToHost(b), (std::vector<float>{3, 5, 7}));
}

TEST_F(Errors, UnknownTargetAttribute) {
  EXPECT_EQ(NameOfError([] { target::ParseTarget("opencl -max-threads=3"); }),
            "target-unknown-attribute");
}

TEST_F(Errors, OutOfDeviceMemory) {
  const auto tensor = Tensor::Empty({int64_t{1} << 50}, DataType::Float(32), OpenCl());
  EXPECT_EQ(StatusName(tensor.status()), "device-out-of-memory");
  EXPECT_NE(tensor.status().message().find("4503599627370496 bytes"), std::string::npos)
      << tensor.status();
  Fault("clCreateBuffer", kOutOfResources);
  EXPECT_EQ(StatusName(Tensor::Empty({64}, DataType::Float(32), OpenCl()).status()),
            "device-out-of-memory");
  EXPECT_TRUE(Tensor::Empty({64}, DataType::Float(32), OpenCl()).ok());
}

TEST_F(Errors, AKernelThatDoesNotBuild) {
  const Module module = Built(Scale(32, DataType::Float(32), [](const ir::Expr& x) {
    return ir::MakeCall(DataType::Float(32), "call_pure_extern",
                        {ir::String("no_such_function"), x});
  }));
  const absl::Status status = Call(module, OnDevice({1}), OnDevice({1}));
  EXPECT_EQ(StatusName(status), "opencl-build-failed");
  // The error holds the compiler's log, and the source line that the log names.
  const std::string text(status.message());
  EXPECT_NE(text.find("no_such_function"), std::string::npos) << text;
  EXPECT_NE(text.find("const float t = no_such_function(A["), std::string::npos) << text;
  EXPECT_NE(text.find("import_c adds the source"), std::string::npos) << text;
  EXPECT_EQ(StatusName(Call(Built(Scale(), " -build-options=-no-such-option"), OnDevice({1}),
                            OnDevice({1}))),
            "opencl-build-failed");
}

// The device's compiler says what is wrong with an imported source.
TEST_F(Errors, AnImportThatDoesNotBuild) {
  Scale scale;
  schedule::Pragma(scale.s[scale.b], scale.s[scale.b].leaf_axes[0], "import_c",
                   "float halve(float x) { return no_such_variable; }");
  const absl::Status status = Call(Built(scale), OnDevice({1}), OnDevice({1}));
  EXPECT_EQ(StatusName(status), "opencl-build-failed");
  EXPECT_NE(std::string(status.message()).find("no_such_variable"), std::string::npos) << status;
  Scale other;
  schedule::Pragma(other.s[other.b], other.s[other.b].leaf_axes[0], "import_llvm", "");
  EXPECT_EQ(NameOfError([&] { other.Build().IgnoreError(); }), "import-unsupported");
}

TEST_F(Errors, ArraysElsewhere) {
  const Module module = Built(Scale());
  const Tensor here = OnDevice({1, 2}), host = *Tensor::Empty({2}, DataType::Float(32));
  EXPECT_EQ(StatusName(Call(module, here, host)), "call-argument-device");
  EXPECT_EQ(StatusName(Call(module, here, OnDevice({1, 2}, 1))), "call-argument-device");
  const runtime::Function kernel = module->imports()[0].FindFunction("scale_kernel0");
  ASSERT_TRUE(kernel);
  EXPECT_EQ(StatusName(kernel.TryCall(here, host, 2, 1, 32, 0).status()), "kernel-host-pointer");
  // A pointer to host memory, and memory of another device.
  int64_t place = 0;
  void* pointer = &place;
  EXPECT_EQ(StatusName(kernel.TryCall(here, pointer, 2, 1, 32, 0).status()),
            "opencl-foreign-memory");
  const Tensor there = OnDevice({1, 2}, 1);
  EXPECT_EQ(StatusName(kernel.TryCall(here, there.dl().data, 2, 1, 32, 0).status()),
            "opencl-wrong-device");
}

TEST_F(Errors, TypesThatTheDeviceLacks) {
  const DataType half = DataType::Float(16);
  const Tensor a = *Tensor::Empty({4}, half, OpenCl()), b = *Tensor::Empty({4}, half, OpenCl());
  const auto has = (*runtime::GetDeviceAPI(OpenCl()))->Attribute(0, "fp16");
  ASSERT_TRUE(has.ok());
  const auto native = Scale(32, half).Build("", "opencl-fp16");
  ASSERT_TRUE(native.ok()) << native.status();
  // PoCL lacks float16 on most processors. Where it has float16, the kernel runs.
  EXPECT_EQ(StatusName(Call(*native, a, b)), has->As<bool>() ? "" : "opencl-no-fp16");
  EXPECT_EQ(StatusName(Call(Built(Scale(32, half)), a, b)), "");
  EXPECT_EQ(StatusName(Scale(32, DataType::Float(64)).Build(" -fp64=0").status()),
            "opencl-no-fp64");
}

TEST_F(Errors, KernelsBeyondTheLimits) {
  EXPECT_EQ(NameOfError([] { Scale(64).Build(" -max-threads-per-block=32").IgnoreError(); }),
            "device-limit");
  // If the target names no limits, the device's limits apply.
  const auto most = (*runtime::GetDeviceAPI(OpenCl()))->Attribute(0, "max_threads_per_block");
  ASSERT_TRUE(most.ok()) << most.status();
  const auto threads = most->As<int64_t>();
  EXPECT_EQ(NameOfError([&] { Scale(2 * threads).Build().IgnoreError(); }), "device-limit");
  EXPECT_EQ(StatusName(Call(Built(Scale(threads)), OnDevice({1}), OnDevice({1}))), "");
}

// Limits that the target's attributes name are checked before a kernel is made (S44). The device
// checks the rest at the launch.
TEST_F(Errors, SharedMemoryBeyondTheLimits) {
  const auto build = [](const std::string& attributes, const char* scope) {
    const te::Tensor a = te::Placeholder({ir::Int(1 << 24)}, DataType::Float(32), "A");
    const te::Tensor b = te::Compute(
        {ir::Int(1 << 24)}, [&](const te::Indices& i) { return te::At(a, {i[0]}); }, "B");
    schedule::Schedule s = schedule::CreateSchedule({b->op});
    const te::Tensor cached = schedule::CacheRead(s, a, scope, {b->op});
    auto [io, ii] = schedule::Split(s[b], schedule::AxisOf(b, 0), 1 << 24);
    schedule::Bind(s[b], io, schedule::ThreadAxis("blockIdx.x"));
    schedule::ComputeAt(s[cached], s[b], io);
    (void)ii;
    return driver::Build(driver::Lower(s, {a, b}, "f", {}),
                         target::ParseTarget("opencl" + attributes), {});
  };
  for (const char* scope : {"shared", "shared.dyn"}) {
    EXPECT_EQ(
        NameOfError([&] { build(" -max-shared-memory-per-block=65536", scope).IgnoreError(); }),
        "device-limit")
        << scope;
  }
  EXPECT_EQ(NameOfError([&] { build("", "shared.dyn").IgnoreError(); }), "device-limit");
  // Compiled for a device with more shared memory.
  const auto module = build(" -max-shared-memory-per-block=1073741824", "shared.dyn");
  ASSERT_TRUE(module.ok()) << module.status();
  const int64_t shape[] = {1 << 24};
  const Tensor a = *Tensor::Empty(shape, DataType::Float(32), OpenCl()),
               b = *Tensor::Empty(shape, DataType::Float(32), OpenCl());
  const absl::Status status = module->FindFunction("f").TryCall(a, b).status();
  EXPECT_EQ(StatusName(status), "device-limit") << status;
  EXPECT_NE(status.message().find("max_shared_memory_per_block is 67108864"), std::string::npos)
      << status;
}

TEST_F(Errors, MemoryThatCannotBe) {
  runtime::DeviceAPI* api = *runtime::GetDeviceAPI(OpenCl());
  EXPECT_EQ(StatusName(api->Alloc(0, {.bytes = 64, .alignment = 1 << 20}).status()),
            "opencl-alignment");
  EXPECT_EQ(StatusName(api->Alloc(0, {.scope = "shared", .bytes = 64}).status()),
            "device-no-such-scope");
  const int64_t odd[] = {3, 5};
  EXPECT_EQ(
      StatusName(
          api->Alloc(0, {.scope = "texture", .bytes = 60, .dtype = {kDLFloat, 32, 1}, .shape = odd})
              .status()),
      "opencl-image");
}

TEST_F(Errors, EventsAndCopiesThatCannotBe) {
  runtime::DeviceAPI* api = *runtime::GetDeviceAPI(OpenCl());
  void* event = *api->NewEvent(0);
  EXPECT_EQ(StatusName(api->SyncEvent(0, event)), "opencl-event");
  EXPECT_TRUE(api->FreeEvent(0, event).ok());
  // Strided images are refused. The runtime's own copy would avoid this by a detour.
  const int64_t shape[] = {2, 4};
  const auto image = Tensor::Empty(shape, DataType::Float(32), OpenCl(), "texture");
  ASSERT_TRUE(image.ok()) << image.status();
  float memory[16] = {};
  int64_t strides[] = {8, 1};
  DLTensor host = image->dl();
  host.data = memory;
  host.strides = strides;
  host.device = {kDLCPU, 0};
  EXPECT_EQ(StatusName(api->Copy(host, image->dl(), nullptr)), "opencl-copy-unsupported");
}

TEST_F(Errors, WhatTheDriverRefuses) {
  const Module module = Built(Scale());
  const Tensor a = OnDevice({1}), b = OnDevice({1});
  Fault("clSetKernelArg", kInvalidKernel);
  const absl::Status status = Call(module, a, b);
  EXPECT_EQ(StatusName(status), "opencl-error");
  EXPECT_NE(status.message().find("CL_INVALID_KERNEL (-48)"), std::string::npos) << status;
  EXPECT_TRUE(Call(module, a, b).ok());
}

// This test is last, because a lost device stays lost. The other device keeps working.
TEST_F(Errors, TheDeviceIsLost) {
  runtime::DeviceAPI* api = *runtime::GetDeviceAPI(OpenCl());
  const Module module = Built(Scale());
  {
    const Tensor a = OnDevice({1}, 1), b = OnDevice({1}, 1);
    ASSERT_TRUE(Call(module, a, b).ok());
    Fault("clFinish", kDeviceNotAvailable);
    const absl::Status status = api->SyncStream(1, nullptr);
    EXPECT_EQ(StatusName(status), "device-lost");
    EXPECT_NE(status.message().find("scale_kernel0"), std::string::npos) << status;
    EXPECT_EQ(StatusName(api->SyncStream(1, nullptr)), "device-lost");
    EXPECT_EQ(StatusName(api->Health(1)), "device-lost");
    EXPECT_EQ(StatusName(Call(module, a, b)), "device-lost");
    EXPECT_EQ(StatusName(Tensor::Empty({4}, DataType::Float(32), OpenCl(1)).status()),
              "device-lost");
  }
  EXPECT_TRUE(Call(module, OnDevice({1}), OnDevice({1})).ok());
}

}  // namespace
}  // namespace lathe::opencl_tests
