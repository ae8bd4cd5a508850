// The target cuda on a real GPU: every case of kernels.h, Hopper's tensor cores at several shapes,
// streams, and a kernel that accesses memory out of bounds. Machines without a GPU skip these
// tests, and say why.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>

#include "driver/compile.h"
#include "runtime/device_api.h"
#include "runtime/status.h"
#include "runtime/stream.h"
#include "target/target.h"
#include "tests/cuda/kernels.h"
#include "tests/cuda/run_case.h"
#include "tests/device/on_device.h"

namespace lathe {
namespace {

using runtime::Device;
using runtime::Module;
using runtime::StatusName;
using runtime::Tensor;

class Gpu : public device_tests::OnDevice {
 protected:
  static std::string Arch() {
    const auto api = runtime::GetDeviceAPI(Device::Parse("cuda:0"));
    return (*api)->Attribute(0, "arch")->As<std::string>();
  }
  static Module Build(const ir::Module& loops, const std::string& attributes = "") {
    auto module = driver::Build(loops, target::ParseTarget("cuda" + attributes), {});
    EXPECT_TRUE(module.ok()) << module.status();
    return module.value_or(Module());
  }
  static void Check(const Case& test, const std::string& attributes = "") {
    SCOPED_TRACE(test.name + attributes);
    const ir::Module loops = driver::Lower(test.schedule, test.args, test.name, {});
    const Module module = Build(loops, attributes);
    if (module.get() != nullptr) EXPECT_EQ(CheckCase(test, module, loops, "cuda:0"), "");
  }
};

TEST_F(Gpu, EveryCaseGivesWhatItsDefinitionSays) {
  for (const Case& test : AllCases()) Check(test);
}

TEST_F(Gpu, TheDriverCompilesPtx) {
  for (const Case& test : {Gemm("gemm", {}), RowSums(5, 300)}) Check(test, " -code=ptx");
}

TEST_F(Gpu, WgmmaAndTma) {
  if (Arch() != "sm_90a") GTEST_SKIP() << "NOT RUN: wgmma is Hopper's, and this is " << Arch();
  int64_t stages = 2;
  for (const DataType type : {DataType::Float(16), DataType::BFloat16()}) {
    for (const int64_t columns : {64, 128, 256}) {
      for (const int64_t groups : {1, 2}) {
        WgmmaOptions options;
        options.type = type;
        options.m = 128;
        options.n = 256;
        options.k = 320;
        options.columns = columns;
        options.groups = groups;
        options.stages = columns == 256 ? std::min<int64_t>(stages, 4) : stages;
        stages = stages == 5 ? 2 : stages + 1;
        options.group = stages % 2;
        SCOPED_TRACE(columns * 100 + groups * 10 + options.stages);
        Check(WgmmaGemm("wgmma", options));
      }
    }
  }
}

TEST_F(Gpu, ModulesAreSavedAndLoaded) {
  const Case test = Gemm("gemm", {});
  const ir::Module loops = driver::Lower(test.schedule, test.args, test.name, {});
  const std::string path = testing::TempDir() + "/gemm.tar";
  ASSERT_TRUE(driver::ExportLibrary(Build(loops), path).ok());
  auto loaded = runtime::LoadModuleFile(path);
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  EXPECT_EQ(CheckCase(test, *loaded, loops, "cuda:0"), "");
}

// A chain of launches and copies on a stream other than the default one keeps its order.
TEST_F(Gpu, AStreamKeepsItsOrder) {
  const Case test = Elementwise("add", DataType::Float(32), 4, 1 << 20);  // c = a * b + 1
  const ir::Module loops = driver::Lower(test.schedule, test.args, test.name, {});
  const Module module = Build(loops);
  const Device device = Device::Parse("cuda:0");
  auto stream = runtime::Stream::New(device);
  ASSERT_TRUE(stream.ok()) << stream.status();
  const std::vector<int64_t> shape = {1 << 20};
  const std::vector<float> ones(1 << 20, 1.0f);
  const auto make = [&] {
    return *Tensor::FromHost(ones.data(), ones.size() * 4, shape, DataType::Float(32), device);
  };
  const Tensor a = make(), b = make(), c = make();
  const auto add = module.FindFunction("add");
  {
    const runtime::StreamScope scope(device, *stream);
    for (int i = 0; i < 50; ++i) {
      ASSERT_TRUE(add.TryCall(a, b, c).ok());
      ASSERT_TRUE(add.TryCall(c, b, a).ok());
    }
    ASSERT_TRUE(runtime::Synchronize(device).ok());
  }
  std::vector<float> got(ones.size());
  ASSERT_TRUE(a.CopyToHost(got.data(), got.size() * 4).ok());
  EXPECT_EQ(got, std::vector<float>(ones.size(), 101.0f));
}

// A lost device stays lost, so this runs in a process of its own. gtest does not print failures
// there.
TEST_F(Gpu, FaultsOfKernelsSurfaceAtTheNextWaitAndNameThem) {
  const auto lose = [&] {
    bool good = true;
    const auto expect = [&](const absl::Status& status, const std::vector<const char*>& parts) {
      for (const char* part : parts) {
        if (status.message().find(part) != std::string_view::npos) continue;
        std::cerr << "no `" << part << "` in: " << status << "\n";
        good = false;
      }
    };
    const Case test = Elementwise("add", DataType::Float(32), 4, 1024);
    const Module module = Build(driver::Lower(test.schedule, test.args, test.name, {}));
    const Tensor a =
        *Tensor::Empty(std::vector<int64_t>{1024}, DataType::Float(32), Device::Parse("cuda:0"));
    // As many blocks as a far larger array needs.
    const auto kernel = module->imports().at(0).FindFunction("add_kernel0");
    expect(kernel.TryCall(a, a, a, 1 << 22, 128, 0).status(), {""});
    expect(runtime::Synchronize(Device::Parse("cuda:0")),
           {"device-lost", "kernel `add_kernel0`", "illegal memory access", "cuda:0"});
    expect(kernel.TryCall(a, a, a, 1, 128, 0).status(), {"device-lost"});
    std::exit(good ? 0 : 1);
  };
  testing::GTEST_FLAG(death_test_style) = "threadsafe";
  EXPECT_EXIT(lose(), testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace lathe
