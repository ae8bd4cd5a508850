// Descriptions of kernels are encoded as bytes. Launches are read, or refused with a named error.
#include "plugins/sdk/kernel.h"

#include <bit>
#include <vector>

#include "gtest/gtest.h"
#include "plugins/sdk/ir.h"

namespace lathe::sdk {
namespace {

constexpr int32_t kDevice = kDLExtDev;

Kernel Example() {
  return {"f_kernel0",
          {{"A"}, {"n", {kDLInt, 32, 1}}, {"scale", {kDLFloat, 16, 1}}, {"on", {kDLBool, 8, 1}}},
          {"blockIdx.x", "acme.core", "threadIdx.y"},
          true};
}

lathe_value Pointer(void* pointer) { return {LATHE_VALUE_POINTER, 0, {.v_pointer = pointer}}; }
lathe_value Int(int64_t value) { return {LATHE_VALUE_INT, 0, {.v_int = value}}; }
lathe_value Float(double value) { return {LATHE_VALUE_FLOAT, 0, {.v_float = value}}; }
lathe_value View(DLTensor* tensor) { return {LATHE_VALUE_DLTENSOR, 0, {.v_dltensor = tensor}}; }

std::vector<lathe_value> Arguments(void* data) {
  return {Pointer(data), Int(-7), Float(1.5), Int(1), Int(64), Int(4), Int(8), Int(256)};
}

std::string NameOfError(const std::vector<lathe_value>& values) {
  Launch launch;
  try {
    ReadLaunch(Example(), Args(values.data(), static_cast<int32_t>(values.size())), kDevice,
               &launch);
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("f_kernel0"), std::string::npos) << error.what();
    return error.name();
  }
  return "no error";
}

TEST(Kernel, TravelsInBytes) {
  Writer out("K");
  WriteKernel(Example(), &out);
  const std::string bytes = out.Take();
  Reader in("K", bytes);
  const Kernel back = ReadKernel(&in);
  EXPECT_TRUE(in.done());
  EXPECT_EQ(back.name, "f_kernel0");
  ASSERT_EQ(back.params.size(), 4u);
  EXPECT_TRUE(back.params[0].is_pointer());
  EXPECT_EQ(back.params[2].dtype.bits, 16);
  EXPECT_EQ(back.launch, Example().launch);
  EXPECT_TRUE(back.dynamic_shared);
  for (size_t size = 1; size < bytes.size(); ++size) {
    Reader cut("K", std::string_view(bytes).substr(0, size));
    EXPECT_THROW(ReadKernel(&cut), Error) << size;
  }
}

TEST(Kernel, LaunchesAreRead) {
  int memory = 0;
  const std::vector<lathe_value> values = Arguments(&memory);
  Launch launch;
  ReadLaunch(Example(), Args(values.data(), static_cast<int32_t>(values.size())), kDevice, &launch);
  EXPECT_EQ(launch.values,
            (std::vector<uint64_t>{reinterpret_cast<uintptr_t>(&memory), 0xfffffff9, 0x3e00, 1}));
  EXPECT_EQ(launch.extents, (std::vector<int64_t>{64, 4, 8}));
  EXPECT_EQ(launch.blocks, (std::array<int64_t, 3>{64, 1, 1}));
  EXPECT_EQ(launch.threads, (std::array<int64_t, 3>{1, 8, 1}));
  EXPECT_EQ(launch.dynamic_shared_bytes, 256);
  EXPECT_EQ(launch.device_id, -1);
}

TEST(Kernel, TensorsOfTheDeviceStandForTheirFirstElement) {
  float memory[4];
  int64_t shape[] = {2};
  DLTensor tensor{
      memory, {static_cast<DLDeviceType>(kDevice), 3}, 1, {kDLFloat, 32, 1}, shape, nullptr, 8};
  std::vector<lathe_value> values = Arguments(nullptr);
  values[0] = View(&tensor);
  Launch launch;
  ReadLaunch(Example(), Args(values.data(), static_cast<int32_t>(values.size())), kDevice, &launch);
  EXPECT_EQ(launch.values[0], reinterpret_cast<uintptr_t>(memory + 2));
  EXPECT_EQ(launch.device_id, 3);
  tensor.device = {kDLCPU, 0};
  EXPECT_EQ(NameOfError(values), "kernel-host-pointer");
  tensor.device = {kDLCUDA, 0};
  EXPECT_EQ(NameOfError(values), "kernel-host-pointer");
}

TEST(Kernel, IsReadFromTheIr) {
  const ir::Var a = ir::MakeVar("A", DataType::Handle()), n = ir::MakeVar("n");
  const ir::Func plain = ir::MakeFunc("k", {a, n}, ir::Nop());
  try {
    KernelOf(*plain);
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.name(), "not-a-kernel");
  }
  const ir::Func marked =
      ir::WithAttr(ir::WithAttr(plain, "calling_convention", ir::String("kernel")), "launch",
                   ir::String("blockIdx.x threadIdx.x"));
  const Kernel kernel = KernelOf(*marked);
  EXPECT_TRUE(kernel.params[0].is_pointer());
  EXPECT_EQ(kernel.params[1].dtype.bits, 32);
  EXPECT_EQ(kernel.launch, (std::vector<std::string>{"blockIdx.x", "threadIdx.x"}));
  EXPECT_FALSE(kernel.dynamic_shared);
  const ir::Buffer dynamic = ir::MakeBuffer("D", DataType::UInt(8), {ir::Int(4)}, "shared.dyn");
  EXPECT_TRUE(KernelOf(*ir::WithBody(marked, ir::MakeAllocate(dynamic, ir::Nop()))).dynamic_shared);
}

TEST(Kernel, RefusalsNameWhatWasPassed) {
  std::vector<lathe_value> values = Arguments(nullptr);
  values[1].kind = LATHE_VALUE_STRING;
  Launch launch;
  try {
    ReadLaunch(Example(), Args(values.data(), static_cast<int32_t>(values.size())), kDevice,
               &launch);
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("`n` is of type int32; a string was passed"),
              std::string::npos)
        << error.what();
  }
}

TEST(Kernel, WrongLaunchesAreRefused) {
  const std::vector<lathe_value> right = Arguments(nullptr);
  EXPECT_EQ(NameOfError(right), "no error");
  EXPECT_EQ(NameOfError({right.begin(), right.end() - 1}), "kernel-wrong-count");
  auto with = [&](size_t i, lathe_value value) {
    std::vector<lathe_value> values = right;
    values[i] = value;
    return NameOfError(values);
  };
  EXPECT_EQ(with(0, Int(8)), "kernel-wrong-argument");
  EXPECT_EQ(with(1, Float(1)), "kernel-wrong-argument");
  EXPECT_EQ(with(1, Int(int64_t{1} << 31)), "kernel-wrong-argument");
  EXPECT_EQ(with(2, Pointer(nullptr)), "kernel-wrong-argument");
  EXPECT_EQ(with(4, Int(0)), "kernel-launch");
  EXPECT_EQ(with(7, Int(-1)), "kernel-launch");
}

}  // namespace
}  // namespace lathe::sdk
