// Host and device code for the target cuda, end to end on a machine without a GPU. The host code
// calls the fake driver, which reads the headers of the real machine code. To launch a kernel, the
// fake driver runs the same kernel in the interpreter's threads. te's evaluator gives the expected
// results.

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>

#include "backends/cuda/fake/fake_cuda.h"
#include "backends/cuda/machine_code.h"
#include "base/float_formats.h"
#include "driver/compile.h"
#include "driver/default_plugins.h"
#include "driver/lower_device.h"
#include "ir/binary.h"
#include "ir/interpreter/interpreter.h"
#include "lower/device/split_device.h"
#include "plugins/host/codegen.h"
#include "plugins/host/tensor_intrinsics.h"
#include "runtime/device_api.h"
#include "runtime/module.h"
#include "runtime/status.h"
#include "runtime/stream.h"
#include "runtime/tensor.h"
#include "target/target.h"
#include "tests/check/check_passes.h"
#include "tests/cuda/kernels.h"
#include "tests/cuda/reference.h"
#include "tests/cuda/run_case.h"

namespace lathe {
namespace {

using cuda::FakeCuda;
using cuda::FakeLaunch;
using cuda::FakeTensorMap;
using runtime::Device;
using runtime::Module;
using runtime::StatusName;
using runtime::Tensor;

constexpr const char* kDriver = "backends/cuda/fake/libcuda.so.1";

const FakeCuda& Fake() {
  static const FakeCuda* fake = [] {
    void* library = dlopen(kDriver, RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) std::abort();
    return reinterpret_cast<decltype(&lathe_fake_cuda)>(dlsym(library, "lathe_fake_cuda"))();
  }();
  return *fake;
}

// The kernels that the fake driver's callbacks run.
struct Kernels {
  ir::Module module;
  std::string problem;                         // of the last launch that failed
  std::vector<std::vector<int64_t>> launches;  // extents by tag, then dynamic shared bytes
  std::vector<FakeTensorMap> maps;             // of the last launch

  static CUresult Run(void* self, const FakeLaunch& launch) {
    auto& kernels = *static_cast<Kernels*>(self);
    try {
      kernels.Interpret(launch);
      return CUDA_SUCCESS;
    } catch (const std::exception& error) {
      kernels.problem = error.what();
      return CUDA_ERROR_ILLEGAL_ADDRESS;
    }
  }

  void Interpret(const FakeLaunch& launch) {
    const ir::Func kernel = ir::FindFunc(module, launch.kernel);
    const size_t own = kernel->params.size(), all = static_cast<size_t>(launch.num_params);
    maps.clear();
    for (size_t i = own; i < all && launch.param_bytes[i] == sizeof(CUtensorMap); ++i)
      std::memcpy(&maps.emplace_back(), launch.params[i], sizeof(FakeTensorMap));
    if (all != own + maps.size())
      throw std::runtime_error("the machine code has " + std::to_string(launch.num_params) +
                               " parameters");
    std::vector<ir::NodeRef> params, call = {ir::String(launch.kernel)};
    std::vector<ir::InterpValue> values;
    for (size_t i = 0; i < kernel->params.size(); ++i) {
      const auto* var = ir::As<ir::VarNode>(kernel->params[i]);
      uint64_t raw = 0;
      std::memcpy(&raw, launch.params[i], launch.param_bytes[i]);
      if (var->dtype.is_handle()) {
        const auto room = static_cast<int64_t>(Fake().room(launch.device, raw));
        const ir::Buffer buffer =
            ir::MakeBuffer(var->name, DataType::UInt(8), {ir::Int(room, DataType::Int(64))});
        params.push_back(buffer);
        values.push_back(
            ir::InterpTensor::Of(Fake().look(launch.device, raw, 1), DataType::UInt(8), {room}));
      } else {
        params.push_back(ir::MakeVar(var->name, var->dtype));
        if (static_cast<uint64_t>(var->dtype.bytes()) != launch.param_bytes[i])
          throw std::runtime_error("parameter `" + var->name + "` has another size");
        int64_t number = static_cast<int64_t>(raw);
        if (var->dtype.is_int() && var->dtype.bits() < 64)
          number = number << (64 - var->dtype.bits()) >> (64 - var->dtype.bits());
        values.push_back(var->dtype.is_float()
                             ? ir::InterpValue::Float(DecodeFloat(raw, var->dtype))
                             : ir::InterpValue::Int(number));
      }
      call.push_back(params.back());
    }
    std::vector<int64_t> extents;
    for (const std::string& tag : lower::LaunchTags(kernel)) {
      const auto axis = static_cast<size_t>(tag.back() - 'x');
      extents.push_back(tag.starts_with("blockIdx") ? launch.grid[axis] : launch.block[axis]);
    }
    extents.push_back(launch.shared_bytes);
    launches.push_back(extents);
    for (const int64_t extent : extents) call.push_back(ir::Int(extent, DataType::Int(64)));
    const ir::Func host = ir::MakeFunc(
        "host", params, ir::MakeEvaluate(ir::MakeCall(DataType::Int(32), "call_packed", call)));
    ir::InterpretOptions options;
    options.call_extern = CallCuda;
    options.check_initialized = false;  // the interpreter does not see what functions write
    ir::Interpret(ir::MakeModule({host, kernel}, module->attrs), "host", values, options);
  }
};

class EndToEnd : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    setenv("LATHE_CUDA_DRIVER", std::filesystem::absolute(kDriver).c_str(), 1);
    setenv("LATHE_FAKE_CUDA_DEVICES", "2", 1);
    setenv("LATHE_CACHE_DIR", getenv("TEST_TMPDIR"), 1);
    cuda::UsePinnedToolkit();
    driver::UseDefaultPlugins();
    const target::Target target = Target();
    plugins::RegisterTensorIntrinsics(*target.schema, target.plugin);
  }
  void SetUp() override { Fake().reset(2, 80, uint64_t{1} << 28); }

  static target::Target Target(const std::string& attributes = "") {
    return target::ParseTarget("cuda -arch=sm_80" + attributes);
  }

  // Registers the kernels of a case with the fake driver.
  std::unique_ptr<Kernels> Register(const ir::Module& loops, const target::Target& target) {
    auto codegen = plugins::CodeGen::For(target, ir::kBinaryVersion, ir::kBinaryVersion);
    EXPECT_TRUE(codegen.ok()) << codegen.status();
    auto kernels = std::make_unique<Kernels>();
    kernels->module =
        driver::LowerForDevice(loops, codegen->target(), target::ParseTarget("llvm"), {}).device;
    for (const ir::Func& kernel : kernels->module->functions)
      Fake().kernel(kernel->name.c_str(), Kernels::Run, kernels.get());
    return kernels;
  }
};

void RunCase(const Case& test, const Module& module, const ir::Module& loops,
             const std::string& device, Kernels& kernels) {
  EXPECT_EQ(CheckCase(test, module, loops, device), "") << kernels.problem;
}

TEST_F(EndToEnd, EveryCaseGivesWhatItsDefinitionSays) {
  for (const Case& test : AllCases()) {
    SCOPED_TRACE(test.name);
    const ir::Module loops = driver::Lower(test.schedule, test.args, test.name, {});
    const auto kernels = Register(loops, Target());
    auto module = driver::Build(loops, Target(), {});
    ASSERT_TRUE(module.ok()) << module.status();
    // On either device. Each device gets the code at its first launch.
    RunCase(test, *module, loops, "cuda:1", *kernels);
    EXPECT_EQ(Fake().counts().modules, 1);
    RunCase(test, *module, loops, "cuda:0", *kernels);
    EXPECT_EQ(Fake().counts().modules, 2);
    RunCase(test, *module, loops, "cuda:0", *kernels);
    EXPECT_EQ(Fake().counts().modules, 2);
    EXPECT_EQ(Fake().counts().launches, 3);
    *module = Module();
    EXPECT_EQ(Fake().counts().modules, 0) << "modules are unloaded with their owner";
    EXPECT_EQ(Fake().counts().allocations, 0);
    Fake().reset(2, 80, uint64_t{1} << 28);
  }
}

TEST_F(EndToEnd, WgmmaGetsTensorMaps) {
  for (const DataType type : {DataType::Float(16), DataType::BFloat16()}) {
    WgmmaOptions options;  // four blocks; one of two warpgroups
    options.type = type;
    if (type.is_bfloat16()) {
      options.columns = 128;
      options.groups = 2;
      options.stages = 3;
    }
    const Case test = WgmmaGemm("wgmma", options);
    const ir::Module loops = driver::Lower(test.schedule, test.args, test.name, {});
    const target::Target target = target::ParseTarget("cuda -arch=sm_90a");
    Fake().reset(2, 90, uint64_t{1} << 28);
    const auto kernels = Register(loops, target);
    auto module = driver::Build(loops, target, {});
    ASSERT_TRUE(module.ok()) << module.status();
    RunCase(test, *module, loops, "cuda:0", *kernels);
    ASSERT_EQ(kernels->maps.size(), 2u) << (*module)->imports().at(0)->Source("source").value();
    for (const FakeTensorMap& map : kernels->maps) {
      EXPECT_EQ(map.magic, FakeTensorMap::kMagic);
      EXPECT_EQ(map.shape[0], 128u);
      EXPECT_EQ(map.shape[1], 128u);
      EXPECT_EQ(map.row_bytes, 256u);
      EXPECT_EQ(map.box[0], 64u);
      EXPECT_EQ(map.box[1], 64u);
      EXPECT_EQ(map.swizzle, static_cast<uint32_t>(CU_TENSOR_MAP_SWIZZLE_128B));
      EXPECT_EQ(map.type,
                static_cast<uint32_t>(type.is_bfloat16() ? CU_TENSOR_MAP_DATA_TYPE_BFLOAT16
                                                         : CU_TENSOR_MAP_DATA_TYPE_FLOAT16));
    }
    EXPECT_NE(kernels->maps[0].address, kernels->maps[1].address);
    // What the driver refuses.
    Fake().fail("cuTensorMapEncodeTiled", CUDA_ERROR_INVALID_VALUE, 0);
    const DeviceArguments arguments(lower::MakeArguments(loops->functions[0], {}, 7), "cuda:0");
    const absl::Status refused = arguments.Call(*module, "wgmma");
    EXPECT_EQ(StatusName(refused), "cuda-tensor-map") << refused;
    EXPECT_NE(refused.message().find("rows of 128 elements"), std::string_view::npos) << refused;
  }
}

TEST_F(EndToEnd, TablesStandInTheKernel) {
  const Case test = TableLookup(200);
  const ir::Module loops = driver::Lower(test.schedule, test.args, test.name, {});
  const auto kernels = Register(loops, Target());
  auto module = driver::Build(loops, Target(), {});
  ASSERT_TRUE(module.ok()) << module.status();
  const std::string source = (*module)->imports().at(0)->Source("source").value();
  EXPECT_NE(source.find("static __device__ const unsigned int lathe_constant0[] = {1065353216u"),
            source.npos)
      << source;
  RunCase(test, *module, loops, "cuda:0", *kernels);
}

TEST_F(EndToEnd, LaunchesHaveTheScheduleExtents) {
  GemmOptions options;
  options.shared = "shared.dyn";
  const Case test = Gemm("gemm", options);
  const ir::Module loops = driver::Lower(test.schedule, test.args, test.name, {});
  const auto kernels = Register(loops, Target());
  auto module = driver::Build(loops, Target(), {});
  ASSERT_TRUE(module.ok()) << module.status();
  RunCase(test, *module, loops, "cuda:0", *kernels);
  ASSERT_EQ(kernels->launches.size(), 1u);
  // blockIdx.x, y, threadIdx.x, y; two tiles of 32 x 8 floats.
  EXPECT_EQ(kernels->launches[0], (std::vector<int64_t>{2, 2, 8, 8, 2 * 32 * 8 * 4}));
}

TEST_F(EndToEnd, KernelsAreFetchedOnceForEachDevice) {
  const Case test = Elementwise("add", DataType::Float(32), 4, 512);
  const ir::Module loops = driver::Lower(test.schedule, test.args, test.name, {});
  const auto kernels = Register(loops, Target());
  auto module = driver::Build(loops, Target(), {});
  ASSERT_TRUE(module.ok()) << module.status();
  EXPECT_EQ(Fake().counts().modules, 0);  // until the first launch
  RunCase(test, *module, loops, "cuda:0", *kernels);
  EXPECT_EQ(Fake().counts().modules, 1);
  // The next load of code and the next look-up of a kernel fail. cuda:0 needs neither again; cuda:1
  // meets both failures.
  Fake().fail("cuModuleLoadDataEx", CUDA_ERROR_OUT_OF_MEMORY, 0);
  Fake().fail("cuModuleGetFunction", CUDA_ERROR_NOT_FOUND, 0);
  RunCase(test, *module, loops, "cuda:0", *kernels);
  EXPECT_EQ(Fake().counts().modules, 1);
  const lower::TestArguments given = lower::MakeArguments(loops->functions[0], {}, 7);
  const DeviceArguments arguments(given, "cuda:1");
  EXPECT_FALSE(arguments.Call(*module, test.name).ok());
  EXPECT_FALSE(arguments.Call(*module, test.name).ok());
  RunCase(test, *module, loops, "cuda:1", *kernels);
  EXPECT_EQ(Fake().counts().modules, 2);
}

TEST_F(EndToEnd, PtxIsLoadedToo) {
  const Case test = Elementwise("add", DataType::Float(32), 4, 512);
  const ir::Module loops = driver::Lower(test.schedule, test.args, test.name, {});
  const target::Target target = Target(" -code=ptx");
  const auto kernels = Register(loops, target);
  auto module = driver::Build(loops, target, {});
  ASSERT_TRUE(module.ok()) << module.status();
  Fake().reset(2, 90, uint64_t{1} << 28);  // newer than the code
  for (const ir::Func& kernel : kernels->module->functions)
    Fake().kernel(kernel->name.c_str(), Kernels::Run, kernels.get());
  RunCase(test, *module, loops, "cuda:0", *kernels);
}

TEST_F(EndToEnd, ModulesAreSavedAndLoaded) {
  const Case test = Gemm("gemm", {});
  const ir::Module loops = driver::Lower(test.schedule, test.args, test.name, {});
  const auto kernels = Register(loops, Target());
  const std::string path = std::string(getenv("TEST_TMPDIR")) + "/gemm.so";
  {
    auto module = driver::Build(loops, Target(), {});
    ASSERT_TRUE(module.ok()) << module.status();
    const Module device = (*module)->imports().at(0);
    EXPECT_EQ(device->kind(), "cuda");
    EXPECT_EQ(device->metadata().functions.at(0).name, "gemm_kernel0");
    EXPECT_NE(device->Source("source")->find("__global__"), std::string::npos);
    ASSERT_TRUE(driver::ExportLibrary(*module, path).ok());
  }
  auto loaded = runtime::LoadModuleFile(path);
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  RunCase(test, *loaded, loops, "cuda:0", *kernels);
}

TEST_F(EndToEnd, StreamsCarryTheLaunches) {
  const Case test = Elementwise("add", DataType::Float(32), 4, 512);
  const ir::Module loops = driver::Lower(test.schedule, test.args, test.name, {});
  const auto kernels = Register(loops, Target());
  auto module = driver::Build(loops, Target(), {});
  ASSERT_TRUE(module.ok()) << module.status();
  const Device device = Device::Parse("cuda:0");
  auto stream = runtime::Stream::New(device);
  ASSERT_TRUE(stream.ok()) << stream.status();
  const lower::TestArguments given = lower::MakeArguments(loops->functions[0], {}, 7);
  const DeviceArguments arguments(given, "cuda:0");
  const auto kernel = (*module)->imports().at(0).FindFunction("add_kernel0");
  const std::vector<Tensor>& tensors = arguments.tensors;
  for (int i = 0; i < 2; ++i) {
    const auto result = kernel.TryCall(tensors[0], tensors[1], tensors[2], 1, 128, 0, *stream);
    ASSERT_TRUE(result.ok()) << result.status();
  }
  ASSERT_TRUE(runtime::Synchronize(device).ok());  // the default stream
  EXPECT_EQ(Fake().counts().launches, 0);
  EXPECT_EQ(Fake().counts().pending, 2);
  {
    const runtime::StreamScope scope(device, *stream);
    ASSERT_TRUE(runtime::Synchronize(device).ok());
  }
  EXPECT_EQ(Fake().counts().launches, 2);
}

// -- Failures. A lost device stays lost, so each of those cases runs in a process of its own.

std::string NameOf(const absl::Status& status) { return std::string(StatusName(status)); }

TEST_F(EndToEnd, FaultsOfKernelsSurfaceAtTheNextWaitAndNameThem) {
  const auto lose = [&](bool blocking) {
    if (blocking) setenv("LATHE_CUDA_BLOCKING", "1", 1);
    const Case test = Elementwise("add", DataType::Float(32), 4, 512);
    const ir::Module loops = driver::Lower(test.schedule, test.args, test.name, {});
    auto module = driver::Build(loops, Target(), {});
    EXPECT_TRUE(module.ok()) << module.status();
    const auto die = [](void*, const FakeLaunch&) { return CUDA_ERROR_ILLEGAL_ADDRESS; };
    Fake().kernel("add_kernel0", die, nullptr);
    const DeviceArguments arguments(lower::MakeArguments(loops->functions[0], {}, 7), "cuda:0");
    absl::Status status = arguments.Call(*module, "add");
    if (!blocking) {
      EXPECT_TRUE(status.ok()) << status;
      status = runtime::Synchronize(Device::Parse("cuda:0"));
    }
    EXPECT_EQ(NameOf(status), "device-lost") << status;
    for (const char* part : {"kernel `add_kernel0`", "illegal memory access", "cuda:0"})
      EXPECT_NE(status.message().find(part), std::string_view::npos) << status;
    EXPECT_EQ(NameOf(arguments.Call(*module, "add")), "device-lost");
    std::exit(testing::Test::HasFailure() ? 1 : 0);
  };
  testing::GTEST_FLAG(death_test_style) = "threadsafe";  // the setting is read once
  EXPECT_EXIT(lose(false), testing::ExitedWithCode(0), "");
  EXPECT_EXIT(lose(true), testing::ExitedWithCode(0), "");
}

TEST_F(EndToEnd, CodeForAnotherArchitectureIsRefused) {
  const Case test = Elementwise("add", DataType::Float(32), 4, 512);
  const ir::Module loops = driver::Lower(test.schedule, test.args, test.name, {});
  auto module = driver::Build(loops, Target(), {});
  ASSERT_TRUE(module.ok()) << module.status();
  Fake().reset(2, 75, uint64_t{1} << 28);
  const DeviceArguments arguments(lower::MakeArguments(loops->functions[0], {}, 7), "cuda:0");
  const absl::Status status = arguments.Call(*module, "add");
  EXPECT_EQ(NameOf(status), "cuda-wrong-arch") << status;
  for (const char* part : {"sm_80", "cuda:0 is sm_75", "-arch=sm_75"})
    EXPECT_NE(status.message().find(part), std::string_view::npos) << status;
}

TEST_F(EndToEnd, PromisedAlignmentIsUsedAndCheckedAtLaunches) {
  const Case test = Elementwise("add", DataType::Float(32), 4, 512);
  const ir::Module loops = driver::Lower(test.schedule, test.args, test.name, {});
  const target::Target promised = Target(" -argument-alignment=16");
  const auto kernels = Register(loops, promised);
  auto any = driver::Build(loops, Target(), {}), module = driver::Build(loops, promised, {});
  ASSERT_TRUE(any.ok() && module.ok()) << module.status();
  const auto looks = [](const Module& made) {
    const std::string source = made->imports().at(0)->Source("source").value();
    return source.find("lathe_load<float, 4>((") != source.npos;
  };
  EXPECT_TRUE(looks(*any));
  EXPECT_FALSE(looks(*module));
  const Tensor whole = *Tensor::Empty({516}, DataType::Float(32), Device::Parse("cuda:0")),
               first = whole.Slice(0, 0, 512), second = whole.Slice(0, 1, 513);
  const auto kernel = (*module)->imports().at(0).FindFunction("add_kernel0");
  EXPECT_TRUE(kernel.TryCall(first, first, first, 1, 128, 0).ok());
  const absl::Status refused = kernel.TryCall(first, second, first, 1, 128, 0).status();
  EXPECT_EQ(NameOf(refused), "cuda-argument-alignment") << refused;
  EXPECT_NE(refused.message().find("begins 4 bytes behind a multiple of 16"),
            std::string_view::npos)
      << refused;
}

TEST_F(EndToEnd, WrongArraysAreNamed) {
  const Case test = Elementwise("add", DataType::Float(32), 4, 512);
  const ir::Module loops = driver::Lower(test.schedule, test.args, test.name, {});
  auto module = driver::Build(loops, Target(), {});
  ASSERT_TRUE(module.ok()) << module.status();
  const auto tensor = [](const char* device) {
    return *Tensor::Empty({512}, DataType::Float(32), Device::Parse(device));
  };
  const Tensor here = tensor("cuda:0"), there = tensor("cuda:1"), host = tensor("cpu");
  const auto add = module->FindFunction("add");
  EXPECT_EQ(NameOf(add.TryCall(here, here, host).status()), "call-argument-device");
  EXPECT_EQ(NameOf(add.TryCall(here, here, there).status()), "call-argument-device");
  const auto kernel = (*module)->imports().at(0).FindFunction("add_kernel0");
  EXPECT_EQ(NameOf(kernel.TryCall(here, host, here, 1, 128, 0).status()), "kernel-host-pointer");
  EXPECT_EQ(NameOf(kernel.TryCall(here, here, here, 1, 128).status()), "kernel-wrong-count");
  // Only the driver can refuse this: more threads than a block can have.
  const absl::Status launch = kernel.TryCall(here, here, here, 1, 4096, 0).status();
  EXPECT_EQ(NameOf(launch), "cuda-error") << launch;
  EXPECT_NE(launch.message().find("kernel `add_kernel0` on 1 x 1 x 1 blocks of 4096 x 1 x 1"),
            std::string_view::npos)
      << launch;
  Fake().fail("cuModuleLoadDataEx", CUDA_ERROR_INVALID_IMAGE, 0);
  auto other = driver::Build(loops, Target(), {});
  EXPECT_EQ(NameOf(other->FindFunction("add").TryCall(here, here, here).status()), "cuda-error");
}

}  // namespace
}  // namespace lathe
