// Host and device code in one module, end to end. Schedules with bound loops are built, run on
// devices whose memory the host cannot access, exported, and loaded by the runtime alone in a new
// process.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "base/blob.h"
#include "base/error.h"
#include "driver/compile.h"
#include "driver/default_plugins.h"
#include "driver/lower_device.h"
#include "lower/pass.h"
#include "runtime/artifact/artifact_module.h"
#include "runtime/device_api.h"
#include "runtime/module.h"
#include "runtime/status.h"
#include "runtime/stream.h"
#include "runtime/tensor.h"
#include "schedule/primitives/primitives.h"
#include "target/target.h"
#include "te/operation.h"

namespace lathe {
namespace {

using ir::Int;
using ir::MakeSizeVar;
using runtime::Device;
using runtime::Module;
using runtime::StatusName;
using runtime::Tensor;

class Threads : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    setenv("LATHE_PLUGIN_PATH", std::filesystem::absolute("plugins/threads_example").c_str(), 1);
    setenv("LATHE_CACHE_DIR", getenv("TEST_TMPDIR"), 1);
    driver::UseDefaultPlugins();
  }
};

target::Target Target(const std::string& attributes = "") {
  return target::ParseTarget("threads" + attributes);
}

Tensor OnDevice(const std::vector<float>& values, std::vector<int64_t> shape, int id = 0) {
  Device device = Device::Parse("threads");
  device.id = id;
  auto tensor =
      Tensor::FromHost(values.data(), values.size() * 4, shape, DataType::Float(32), device);
  EXPECT_TRUE(tensor.ok()) << tensor.status();
  return *tensor;
}

std::vector<float> ToHost(const Tensor& tensor) {
  auto host = Tensor::Empty(tensor.shape(), tensor.dtype());
  EXPECT_TRUE(host.ok() && host->CopyFrom(tensor).ok());
  int64_t count = 1;
  for (int64_t extent : tensor.shape()) count *= extent;
  const float* data = host->HostData<float>();
  return {data, data + count};
}

// B = A * 2 + 1, in blocks of `threads` threads.
struct Scale {
  explicit Scale(int64_t threads = 32, int factor = 2) {
    n = MakeSizeVar("n");
    a = te::Placeholder({n}, DataType::Float(32), "A");
    b = te::Compute({n}, [&](const te::Indices& i) { return te::At(a, {i[0]}) * factor + 1; }, "B");
    s = schedule::CreateSchedule({b->op});
    auto [io, ii] = schedule::Split(s[b], schedule::AxisOf(b, 0), threads);
    schedule::Bind(s[b], io, schedule::ThreadAxis("blockIdx.x"));
    schedule::Bind(s[b], ii, schedule::ThreadAxis("threadIdx.x"));
  }
  ir::Module Loops() const { return driver::Lower(s, {a, b}, "scale", {}); }
  ir::Var n;
  te::Tensor a, b;
  schedule::Schedule s;
};

Module Built(const ir::Module& loops, const std::string& attributes = "") {
  auto module = driver::Build(loops, Target(attributes), {});
  EXPECT_TRUE(module.ok()) << module.status();
  return *module;
}

std::vector<float> Ramp(size_t n) {
  std::vector<float> values(n);
  for (size_t i = 0; i < n; ++i) values[i] = static_cast<float>(i % 251) - 100;
  return values;
}

void ExpectScaled(const Module& module, size_t n, int id = 0, float factor = 2) {
  const std::vector<float> values = Ramp(n);
  const auto size = static_cast<int64_t>(n);
  const Tensor a = OnDevice(values, {size}, id),
               b = OnDevice(std::vector<float>(n, 9.0f), {size}, id);
  const auto result = module.FindFunction("scale").TryCall(a, b);
  ASSERT_TRUE(result.ok()) << result.status();
  const std::vector<float> got = ToHost(b);
  for (size_t i = 0; i < n; ++i) ASSERT_EQ(got[i], values[i] * factor + 1) << i << " of " << n;
}

// C[i] = A[B[i]], blocks of 32.
struct Gather {
  Gather() {
    n = MakeSizeVar("n");
    m = MakeSizeVar("m");
    a = te::Placeholder({m}, DataType::Float(32), "A");
    b = te::Placeholder({n}, DataType::Int(32), "B");
    c = te::Compute({n}, [&](const te::Indices& i) { return te::At(a, {te::At(b, {i[0]})}); }, "C");
    s = schedule::CreateSchedule({c->op});
    auto [io, ii] = schedule::Split(s[c], schedule::AxisOf(c, 0), 32);
    schedule::Bind(s[c], io, schedule::ThreadAxis("blockIdx.x"));
    schedule::Bind(s[c], ii, schedule::ThreadAxis("threadIdx.x"));
  }
  ir::Var n, m;
  te::Tensor a, b, c;
  schedule::Schedule s;
};

lower::PassContext Checked() {
  lower::PassContext context;
  context.Set("check", 1);
  context.verify = true;
  return context;
}

// In the checked build a kernel reports its first failure; the host raises it after the launch.
TEST_F(Threads, TheCheckedBuildFindsWhatKernelsAccess) {
  const Gather gather;
  const auto module =
      driver::Build(driver::Lower(gather.s, {gather.a, gather.b, gather.c}, "gather", Checked()),
                    Target(), Checked());
  ASSERT_TRUE(module.ok()) << module.status();
  const auto call = [&](const std::vector<int32_t>& indices) {
    const int64_t shape[] = {static_cast<int64_t>(indices.size())};
    Device device = Device::Parse("threads");
    const Tensor b =
        *Tensor::FromHost(indices.data(), indices.size() * 4, shape, DataType::Int(32), device);
    const Tensor a = OnDevice({10, 11, 12, 13, 14}, {5}),
                 c = OnDevice(std::vector<float>(indices.size(), -1), {shape[0]});
    const auto result = module->FindFunction("gather").TryCall(a, b, c);
    return std::pair(result.status(), ToHost(c));
  };
  std::vector<int32_t> indices(70, 4);
  EXPECT_TRUE(call(indices).first.ok());
  indices[40] = 5;
  const auto [status, values] = call(indices);
  EXPECT_EQ(StatusName(status), "check-out-of-bounds");
  for (const char* part : {"load of `A`", "[0, 5)", "found: [5]", "`gather`"})
    EXPECT_NE(status.message().find(part), std::string::npos) << part << "\n" << status;
  // The store was left out; other threads made theirs.
  EXPECT_EQ(values[40], -1);
  EXPECT_EQ(values[41], 14);
  indices[40] = -1;
  EXPECT_NE(call(indices).first.message().find("found: [-1]"), std::string::npos);
  indices[40] = 0;
  EXPECT_TRUE(call(indices).first.ok());
}

// S51: a predicate that leaves out elements that are needed.
TEST_F(Threads, S51_ClaimsOfKernelsAreVerified) {
  for (const int64_t limit : {64, 63}) {
    const te::Tensor a = te::Placeholder({Int(64)}, DataType::Float(32), "A");
    const te::Tensor b =
        te::Compute({Int(64)}, [&](const te::Indices& i) { return te::At(a, {i[0]}) + 1; }, "B");
    schedule::Schedule s = schedule::CreateSchedule({b->op});
    schedule::SetStorePredicate(s[b], schedule::AxisOf(b, 0)->var < limit);
    auto [io, ii] = schedule::Split(s[b], schedule::AxisOf(b, 0), 32);
    schedule::Bind(s[b], io, schedule::ThreadAxis("blockIdx.x"));
    schedule::Bind(s[b], ii, schedule::ThreadAxis("threadIdx.x"));
    const auto module =
        driver::Build(driver::Lower(s, {a, b}, "claims", Checked()), Target(), Checked());
    ASSERT_TRUE(module.ok()) << module.status();
    const Tensor x = OnDevice(Ramp(64), {64}), y = OnDevice(std::vector<float>(64, 9), {64});
    const auto result = module->FindFunction("claims").TryCall(x, y);
    if (limit == 64) {
      EXPECT_TRUE(result.ok()) << result.status();
      continue;
    }
    EXPECT_EQ(StatusName(result.status()), "check-claim") << result.status();
    EXPECT_NE(result.status().message().find("set_store_predicate of B"), std::string::npos)
        << result.status();
  }
}

// Kernels read a large constant from the device's memory. It is not in their code, and only once in
// an artefact.
TEST_F(Threads, LargeConstantsAreCopiedToTheDevice) {
  const size_t n = 10'000;
  const auto size = static_cast<int64_t>(n);
  const std::vector<float> weights = Ramp(n);
  const te::Tensor w =
      te::Constant(Blob::Copy({reinterpret_cast<const char*>(weights.data()), n * sizeof(float)}),
                   {size}, DataType::Float(32), "W");
  const te::Tensor a = te::Placeholder({Int(size)}, DataType::Float(32), "A");
  const te::Tensor b = te::Compute(
      {Int(size)}, [&](const te::Indices& i) { return te::At(a, {i[0]}) * te::At(w, {i[0]}); },
      "B");
  schedule::Schedule s = schedule::CreateSchedule({b->op});
  auto [io, ii] = schedule::Split(s[b], schedule::AxisOf(b, 0), 32);
  schedule::Bind(s[b], io, schedule::ThreadAxis("blockIdx.x"));
  schedule::Bind(s[b], ii, schedule::ThreadAxis("threadIdx.x"));
  const auto expect = [&](const Module& module) {
    for (const int id : {0, 1, 0}) {
      const std::vector<float> values(n, 0.5f * static_cast<float>(id + 1));
      const Tensor x = OnDevice(values, {size}, id), y = OnDevice(values, {size}, id);
      const auto result = module.FindFunction("weighted").TryCall(x, y);
      ASSERT_TRUE(result.ok()) << result.status();
      const std::vector<float> got = ToHost(y);
      for (size_t i = 0; i < n; ++i) ASSERT_EQ(got[i], values[i] * weights[i]) << i;
    }
  };
  const Module module = Built(driver::Lower(s, {a, b}, "weighted", {}));
  expect(module);
  EXPECT_LT(module->imports()[0]->Save()->size(), n);
  const std::string path = std::string(getenv("TEST_TMPDIR")) + "/weighted.so";
  ASSERT_TRUE(driver::ExportLibrary(module, path).ok());
  EXPECT_LT(std::filesystem::file_size(path), n * sizeof(float) + 50'000);
  expect(*runtime::LoadModuleFile(path));
}

TEST_F(Threads, AHostModuleImportsItsKernels) {
  const Module module = Built(Scale().Loops());
  for (size_t n : {0, 1, 31, 32, 33, 1000}) ExpectScaled(module, n);
  ASSERT_EQ(module->imports().size(), 1u);
  const Module kernels = module->imports()[0];
  EXPECT_EQ(kernels->kind(), "threads");
  ASSERT_EQ(kernels->metadata().functions.size(), 1u);
  const runtime::FunctionMetadata& kernel = kernels->metadata().functions[0];
  EXPECT_EQ(kernel.name, "scale_kernel0");
  EXPECT_EQ(kernel.launch, (std::vector<std::string>{"blockIdx.x", "threadIdx.x"}));
  EXPECT_EQ(kernel.arguments.size(), 3u);  // A, B, n
  EXPECT_FALSE(kernel.dynamic_shared);
  EXPECT_NE(kernels->Source("")->find("scale_kernel0"), std::string::npos);
}

TEST_F(Threads, TheDeviceOfTheTensorsIsUsed) {
  const Module module = Built(Scale().Loops());
  ExpectScaled(module, 100, 1);
  ExpectScaled(module, 100, 0);
  const Tensor first = OnDevice(Ramp(8), {8}, 0), second = OnDevice(Ramp(8), {8}, 1);
  EXPECT_EQ(StatusName(module.FindFunction("scale").TryCall(first, second).status()),
            "call-argument-device");
}

TEST_F(Threads, LaunchesGoToTheStreamOfTheirCaller) {
  const Module module = Built(Scale().Loops());
  const Device device = Device::Parse("threads");
  runtime::DeviceAPI* api = runtime::GetDeviceAPI(device).value();
  const auto count = [&](const char* which) {
    return api->Attribute(0, which).value().As<int64_t>();
  };
  const auto stream = runtime::Stream::New(device);
  ASSERT_TRUE(stream.ok()) << stream.status();
  const int64_t before = count("launches");
  ExpectScaled(module, 100);
  EXPECT_EQ(count("launches"), before + 1);
  EXPECT_EQ(count("launches_on_streams"), 0);
  {
    const runtime::StreamScope scope(device, *stream);
    ExpectScaled(module, 100);
    EXPECT_EQ(count("launches_on_streams"), 1);
    // Set for this thread only, and for this device only.
    std::thread([&] { ExpectScaled(module, 100); }).join();
    ExpectScaled(module, 100, 1);
    EXPECT_EQ(count("launches_on_streams"), 1);
  }
  ExpectScaled(module, 100);
  EXPECT_EQ(count("launches_on_streams"), 1);
  // A stream as the last argument is the current one for this call.
  const Tensor a = OnDevice(Ramp(8), {8}), b = OnDevice(Ramp(8), {8});
  const runtime::Function scale = module.FindFunction("scale");
  ASSERT_TRUE(scale.TryCall(a, b, *stream).ok());
  EXPECT_EQ(count("launches_on_streams"), 2);
  EXPECT_FALSE(runtime::CurrentStream(device));
  EXPECT_EQ(ToHost(b)[0], Ramp(8)[0] * 2 + 1);
  ASSERT_TRUE(scale.TryCall(a, b).ok());
  EXPECT_EQ(count("launches_on_streams"), 2);
  // A stream of a device other than the tensors': this launch does not use it.
  const auto other = runtime::Stream::New({device.kind, 1, 0});
  ASSERT_TRUE(scale.TryCall(a, b, *other).ok());
  EXPECT_EQ(count("launches_on_streams"), 2);
}

TEST_F(Threads, TensorsElsewhereAreRefused) {
  const Module module = Built(Scale().Loops());
  const Tensor host = *Tensor::Empty({8}, DataType::Float(32)), there = OnDevice(Ramp(8), {8});
  EXPECT_EQ(StatusName(module.FindFunction("scale").TryCall(there, host).status()),
            "call-argument-device");
  // The same for a direct call of the kernel.
  const runtime::Function kernel = module->imports()[0].FindFunction("scale_kernel0");
  ASSERT_TRUE(kernel);
  EXPECT_EQ(StatusName(kernel.TryCall(there, host, 8, 1, 32, 0).status()), "kernel-host-pointer");
  EXPECT_EQ(StatusName(kernel.TryCall(there, there, 8, 1, 32).status()), "kernel-wrong-count");
  // The same for pointers: this device can tell which memory they point to.
  void* stack = &stack;
  EXPECT_EQ(StatusName(kernel.TryCall(there, stack, 8, 1, 32, 0).status()), "threads-wild-pointer");
  const Tensor second = OnDevice(Ramp(8), {8}, 1);
  EXPECT_EQ(StatusName(kernel.TryCall(second.dl().data, there, 8, 1, 32, 0).status()),
            "threads-wrong-device");
  // A launch that does not fit the kernel is detected too.
  EXPECT_EQ(StatusName(kernel.TryCall(there, there, 8, 2, 32, 0).status()), "interpret-launch");
  const absl::Status right = kernel.TryCall(there, OnDevice(Ramp(8), {8}), 8, 1, 32, 0).status();
  EXPECT_TRUE(right.ok()) << right;
}

TEST_F(Threads, ViewsBeginInTheMiddle) {
  const Module module = Built(Scale().Loops());
  const Tensor a = OnDevice(Ramp(64), {64}), b = OnDevice(std::vector<float>(64), {64});
  const auto result = module.FindFunction("scale").TryCall(a.Slice(0, 3, 43), b.Slice(0, 5, 45));
  ASSERT_TRUE(result.ok()) << result.status();
  const std::vector<float> got = ToHost(b), from = Ramp(64);
  for (size_t i = 0; i < 64; ++i)
    EXPECT_EQ(got[i], i < 5 || i >= 45 ? 0.0f : from[i - 2] * 2 + 1) << i;
}

// Two kernels with device memory between them. The second uses shared memory and barriers.
TEST_F(Threads, SharedMemoryAndTemporariesOfTheDevice) {
  const ir::Var n = MakeSizeVar("n");
  const te::Tensor a = te::Placeholder({n}, DataType::Float(32), "A");
  const te::Tensor squares = te::Compute(
      {n}, [&](const te::Indices& i) { return te::At(a, {i[0]}) * te::At(a, {i[0]}); }, "S");
  const te::Tensor b = te::Compute(
      {n},
      [&](const te::Indices& i) {
        return te::At(squares, {i[0]}) + te::At(squares, {n - 1 - i[0]});
      },
      "B");
  schedule::Schedule s = schedule::CreateSchedule({b->op});
  for (const te::Tensor& t : {squares, b}) {
    auto [io, ii] = schedule::Split(s[t], schedule::AxisOf(t, 0), 16);
    schedule::Bind(s[t], io, schedule::ThreadAxis("blockIdx.x"));
    schedule::Bind(s[t], ii, schedule::ThreadAxis("threadIdx.x"));
  }
  const Module module = Built(driver::Lower(s, {a, b}, "f", {}));
  EXPECT_EQ(module->imports()[0]->metadata().functions.size(), 2u);
  for (int id : {0, 1}) {
    const std::vector<float> values = Ramp(100);
    const Tensor x = OnDevice(values, {100}, id), y = OnDevice(std::vector<float>(100), {100}, id);
    const auto result = module.FindFunction("f").TryCall(x, y);
    ASSERT_TRUE(result.ok()) << result.status();
    const std::vector<float> got = ToHost(y);
    for (size_t i = 0; i < 100; ++i)
      ASSERT_EQ(got[i], values[i] * values[i] + values[99 - i] * values[99 - i]) << i;
  }
}

TEST_F(Threads, ReductionsOverThreadsMeetAtBarriers) {
  const ir::Var n = MakeSizeVar("n");
  const te::Tensor a = te::Placeholder({n, Int(64)}, DataType::Float(32), "A");
  const ir::IterVar k = te::ReduceAxis(Int(0), Int(64), "k");
  const te::Tensor b = te::Compute(
      {n}, [&](const te::Indices& i) { return te::Sum(te::At(a, {i[0], k->var}), {k}); }, "B");
  schedule::Schedule s = schedule::CreateSchedule({b->op});
  schedule::Bind(s[b], schedule::AxisOf(b, 0), schedule::ThreadAxis("blockIdx.x"));
  schedule::Bind(s[b], s[b].leaf_axes.back(), schedule::ThreadAxis("threadIdx.x"));
  const Module module = Built(driver::Lower(s, {a, b}, "f", {}));
  const std::vector<float> values = Ramp(5 * 64);
  const Tensor x = OnDevice(values, {5, 64}), y = OnDevice(std::vector<float>(5), {5});
  const auto result = module.FindFunction("f").TryCall(x, y);
  ASSERT_TRUE(result.ok()) << result.status();
  const std::vector<float> got = ToHost(y);
  for (size_t i = 0; i < 5; ++i) {
    float sum = 0;
    for (size_t j = 0; j < 64; ++j) sum += values[i * 64 + j];
    EXPECT_EQ(got[i], sum) << i;
  }
}

TEST_F(Threads, ConstantsReachTheKernels) {
  std::vector<float> table(7);
  for (size_t i = 0; i < table.size(); ++i) table[i] = static_cast<float>(i) / 4;
  const te::Tensor t =
      te::Constant(Blob::Copy({reinterpret_cast<const char*>(table.data()), table.size() * 4}), {7},
                   DataType::Float(32), "T");
  const ir::Var n = MakeSizeVar("n");
  const te::Tensor a = te::Placeholder({n}, DataType::Float(32), "A");
  const te::Tensor b = te::Compute(
      {n},
      [&](const te::Indices& i) {
        return te::At(a, {i[0]}) + te::At(t, {ir::FloorModulo(ir::Expr(i[0]), 7)});
      },
      "B");
  schedule::Schedule s = schedule::CreateSchedule({b->op});
  auto [io, ii] = schedule::Split(s[b], schedule::AxisOf(b, 0), 16);
  schedule::Bind(s[b], io, schedule::ThreadAxis("blockIdx.x"));
  schedule::Bind(s[b], ii, schedule::ThreadAxis("threadIdx.x"));
  const Module module = Built(driver::Lower(s, {a, b}, "f", {}));
  const Tensor x = OnDevice(Ramp(40), {40}), y = OnDevice(std::vector<float>(40), {40});
  const auto result = module.FindFunction("f").TryCall(x, y);
  ASSERT_TRUE(result.ok()) << result.status();
  const std::vector<float> got = ToHost(y), from = Ramp(40);
  for (size_t i = 0; i < 40; ++i) EXPECT_EQ(got[i], from[i] + table[i % 7]) << i;
}

// Returns the last line of a program's output, and its exit code in `code`.
std::string OutputOf(const std::string& command, int* code) {
  FILE* pipe = popen(command.c_str(), "r");
  std::string output;
  std::array<char, 4096> buffer;
  while (size_t got = fread(buffer.data(), 1, buffer.size(), pipe))
    output.append(buffer.data(), got);
  *code = pclose(pipe);
  return output;
}

TEST_F(Threads, ExportedFilesRunInANewProcessByTheRuntimeAlone) {
  const Module module = Built(Scale().Loops());
  const std::string program = "tests/device/run_artifact";
  for (const char* suffix : {".o", ".so", ".tar"}) {
    const std::string path = std::string(getenv("TEST_TMPDIR")) + "/scale" + suffix;
    const absl::Status exported = driver::ExportLibrary(module, path);
    ASSERT_TRUE(exported.ok()) << exported;
    int code = 0;
    const std::string found = OutputOf(program + " " + path + " threads:1", &code);
    EXPECT_EQ(found, "right\n") << suffix;
    EXPECT_EQ(code, 0);
    // Without the device's plugin: the error says which one is missing, and where the runtime
    // looked.
    const std::string missing =
        OutputOf("LATHE_PLUGIN_PATH= " + program + " " + path + " cpu", &code);
    EXPECT_NE(code, 0);
    EXPECT_NE(missing.find("module-missing-device"), std::string::npos) << missing;
    EXPECT_NE(missing.find("threads"), std::string::npos) << missing;
    EXPECT_NE(missing.find("LATHE_PLUGIN_PATH"), std::string::npos) << missing;
  }
}

// Two models whose kernels have the same name. The test opens the libraries itself, so the runtime
// does not know their location, as with objects that a linker puts into the program.
TEST_F(Threads, LinkedModelsLaunchTheirOwnKernels) {
  std::vector<Module> models;
  for (const int factor : {2, 3}) {
    const std::string path =
        std::string(getenv("TEST_TMPDIR")) + "/linked" + std::to_string(factor) + ".so";
    ASSERT_TRUE(driver::ExportLibrary(Built(Scale(32, factor).Loops()), path).ok());
    void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    ASSERT_NE(library, nullptr) << dlerror();
    const void* const artifact = dlsym(library, LATHE_ARTIFACT_SYMBOL);
    const auto model = runtime::StaticArtifact(static_cast<const lathe_artifact*>(artifact));
    ASSERT_TRUE(model.ok()) << model.status();
    models.push_back(*model);
  }
  for (int time = 0; time < 2; ++time) {
    ExpectScaled(models[0], 100, 0, 2);
    ExpectScaled(models[1], 100, 0, 3);
  }
}

TEST_F(Threads, InspectShowsHostAndKernels) {
  const std::string path = std::string(getenv("TEST_TMPDIR")) + "/inspected.so";
  ASSERT_TRUE(driver::ExportLibrary(Built(Scale().Loops()), path).ok());
  int code = 0;
  const std::string lathe = "tools/lathe/lathe inspect " + path;
  const std::string whole = OutputOf(lathe, &code);
  EXPECT_EQ(code, 0) << whole;
  for (const char* part : {"devices:   cpu, threads", "scale(A: float32[n], B: float32[n])",
                           "module 0 of kind threads"})
    EXPECT_NE(whole.find(part), std::string::npos) << part << "\n" << whole;
  const std::string kernels = OutputOf(lathe + " --module 0", &code);
  for (const char* part : {"scale_kernel0(", "launched over blockIdx.x, threadIdx.x"})
    EXPECT_NE(kernels.find(part), std::string::npos) << part << "\n" << kernels;
  EXPECT_NE(OutputOf(lathe + " --module 0 --source -", &code).find("func scale_kernel0"),
            std::string::npos);
  OutputOf(lathe + " --module 0 --binary " + path + ".thr", &code);
  EXPECT_EQ(code, 0);
  EXPECT_EQ(OutputOf("head -c 4 " + path + ".thr", &code), "THR1");
  OutputOf(lathe + " --module 1 2>/dev/null", &code);
  EXPECT_NE(code, 0);
}

// Code that an import holds is not written twice.
TEST_F(Threads, ModuleFilesHoldTheKernelsOnce) {
  const Module module = Built(Scale().Loops());
  const auto bytes = module.Serialize();
  ASSERT_TRUE(bytes.ok()) << bytes.status();
  EXPECT_EQ(runtime::ReadParts(*bytes)->size(), 1u);
  const auto again = Module::Deserialize(*bytes);
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ((*again)->imports().size(), 1u);
  ExpectScaled(*again, 50);
}

TEST_F(Threads, SourceShowsTheKernels) {
  const auto text = driver::Compile(Scale().Loops(), Target(), plugins::OutputKind::kSource, {});
  ASSERT_TRUE(text.ok()) << text.status();
  EXPECT_NE(text->find("func scale_kernel0"), std::string::npos) << *text;
  EXPECT_NE(text->find("threadIdx.x"), std::string::npos);
}

std::string NameOfError(const ir::Module& loops, const std::string& attributes, std::string* text) {
  try {
    const auto built = driver::Build(loops, Target(attributes), {});
    return built.ok() ? "no error" : std::string(StatusName(built.status()));
  } catch (const Error& error) {
    *text = error.what();
    return std::string(error.name());
  }
}

TEST_F(Threads, LimitsAreTheTargets) {
  std::string text;
  EXPECT_EQ(NameOfError(Scale(256).Loops(), "", &text), "no error");
  EXPECT_EQ(NameOfError(Scale(512).Loops(), "", &text), "device-limit");
  EXPECT_NE(text.find("max_threads_per_block"), std::string::npos) << text;
  EXPECT_NE(text.find("512"), std::string::npos) << text;
  EXPECT_NE(text.find("256"), std::string::npos) << text;
  EXPECT_EQ(NameOfError(Scale(512).Loops(), " -max_threads_per_block=512", &text), "no error");
  EXPECT_EQ(NameOfError(Scale(64).Loops(), " -max_threads_per_block=32", &text), "device-limit");
}

TEST_F(Threads, AForgottenBindSaysSo) {
  Scale program;
  const schedule::Schedule plain = schedule::CreateSchedule({program.b->op});
  std::string text;
  EXPECT_EQ(NameOfError(driver::Lower(plain, {program.a, program.b}, "scale", {}), "", &text),
            "unbound-device-loop");
  EXPECT_NE(text.find("did you forget to bind?"), std::string::npos) << text;
}

TEST_F(Threads, TheHostIsWhatTheTargetSays) {
  EXPECT_EQ(driver::HostOf(Target()).kind, "llvm");
  const target::Target named =
      Target(" -host=\"llvm -mtriple=aarch64-linux-gnu -mcpu=cortex-a72\"");
  EXPECT_EQ(driver::HostOf(named).Get("mcpu"), "cortex-a72");
  // Compiled for another machine, so nothing is loaded here.
  const auto object = driver::Compile(Scale().Loops(), named, plugins::OutputKind::kObject, {});
  ASSERT_TRUE(object.ok()) << object.status();
  EXPECT_EQ((*object)[18], '\xb7');  // EM_AARCH64
  EXPECT_NE(object->find("LATHEMOD"), std::string::npos);
}

TEST_F(Threads, TheDeviceIsFullAtSomePoint) {
  const Device device = Device::Parse("threads");
  EXPECT_EQ(StatusName(Tensor::Empty({int64_t{1} << 27}, DataType::Float(32), device).status()),
            "device-out-of-memory");
}

// A driver's state does not survive a fork. The child gets an error that says so.
TEST_F(Threads, AForkedChildIsToldWhy) {
  const Module module = Built(Scale().Loops());
  ExpectScaled(module, 10);
  const pid_t child = fork();
  if (child == 0) {
    const auto tensor = Tensor::Empty({4}, DataType::Float(32), Device::Parse("threads"));
    _exit(StatusName(tensor.status()) == "plugin-after-fork" ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  ExpectScaled(module, 10);  // the parent goes on
}

}  // namespace
}  // namespace lathe
