// The example vendor end to end: listed, loaded on first use, compiled for, run, saved, loaded
// again.
#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "ir/binary.h"
#include "ir/module.h"
#include "plugins/host/boundary.h"
#include "plugins/host/codegen.h"
#include "plugins/host/list.h"
#include "runtime/device_api.h"
#include "runtime/init.h"
#include "runtime/module.h"
#include "runtime/registry.h"
#include "runtime/status.h"
#include "runtime/tensor.h"
#include "target/target.h"

namespace lathe {
namespace {

using plugins::CodeGen;
using runtime::Device;
using runtime::Module;
using runtime::StatusName;
using runtime::Tensor;

class Example : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    setenv("LATHE_PLUGIN_PATH", std::filesystem::absolute("plugins/example").c_str(), 1);
    setenv("LATHE_CACHE_DIR", getenv("TEST_TMPDIR"), 1);
    runtime::Initialize();
  }
  static CodeGen Generator() {
    auto codegen = CodeGen::For(target::ParseTarget("example"), 1, ir::kBinaryVersion);
    EXPECT_TRUE(codegen.ok()) << codegen.status();
    return *codegen;
  }
};

Tensor OnDevice(const std::vector<float>& values, std::vector<int64_t> shape) {
  auto tensor = Tensor::FromHost(values.data(), values.size() * 4, shape, DataType::Float(32),
                                 Device::Parse("example"));
  EXPECT_TRUE(tensor.ok()) << tensor.status();
  return *tensor;
}

std::vector<float> ToHost(const Tensor& tensor) {
  auto host = Tensor::Empty(tensor.shape(), tensor.dtype());
  EXPECT_TRUE(host.ok());
  EXPECT_TRUE(host->CopyFrom(tensor).ok());
  const auto* data = static_cast<const float*>(host->dl().data);
  int64_t count = 1;
  for (int64_t extent : tensor.shape()) count *= extent;
  return {data, data + count};
}

// C[i] = max(A[i] * 2 + B[i], 0) over a symbolic n.
ir::Func Elementwise() {
  const ir::Var n = ir::MakeSizeVar("n"), i = ir::MakeVar("i");
  const ir::Buffer a = ir::MakeBuffer("A", DataType::Float(32), {n}),
                   b = ir::MakeBuffer("B", DataType::Float(32), {n}),
                   c = ir::MakeBuffer("C", DataType::Float(32), {n});
  const ir::Expr value = ir::MakeLoad(a, {i}) * ir::Float(2) + ir::MakeLoad(b, {i});
  const ir::Stmt store = ir::MakeStore(c, ir::MakeMax(value, ir::Float(0)), {i});
  return ir::MakeFunc("elementwise", {a, b, c},
                      ir::MakeFor(i, ir::Int(0), n, ir::ForKind::kParallel, store));
}

// R[i] = sum over k of X[i, k], X of m rows and 3 columns.
ir::Func RowSums() {
  const ir::Var m = ir::MakeSizeVar("m"), i = ir::MakeVar("i"), k = ir::MakeVar("k");
  const ir::Buffer x = ir::MakeBuffer("X", DataType::Float(32), {m, ir::Int(3)}),
                   r = ir::MakeBuffer("R", DataType::Float(32), {m});
  const ir::Stmt update = ir::MakeStore(r, ir::MakeLoad(r, {i}) + ir::MakeLoad(x, {i, k}), {i});
  const ir::Stmt loop = ir::MakeFor(k, ir::Int(0), ir::Int(3), ir::ForKind::kSerial, update);
  const ir::Stmt row = ir::MakeSeq({ir::MakeStore(r, ir::Float(0), {i}), loop});
  return ir::MakeFunc("row_sums", {x, r}, ir::MakeFor(i, ir::Int(0), m, ir::ForKind::kSerial, row));
}

std::string BothFunctions() { return ir::EncodeModule(ir::MakeModule({Elementwise(), RowSums()})); }

TEST_F(Example, IsListedWithoutBeingLoaded) {
  EXPECT_NE(plugins::ListPluginsText().find("example 0.1.0 (found)"), std::string::npos)
      << plugins::ListPluginsText();
  EXPECT_NE(plugins::ListTargetsText().find("example (plugin example 0.1.0)"), std::string::npos);
  EXPECT_FALSE(runtime::FindGlobal("device_api.example"));
}

TEST_F(Example, CompilesRunsSavesAndLoads) {
  const CodeGen codegen = Generator();
  const auto compiled = codegen.Compile({.ir = BothFunctions()});
  ASSERT_TRUE(compiled.ok()) << compiled.status();
  EXPECT_EQ(compiled->module_kind, "example");
  // The same request gives the same bytes.
  EXPECT_EQ(codegen.Compile({.ir = BothFunctions()})->bytes, compiled->bytes);

  auto module = runtime::LoadModuleBytes("example", compiled->bytes);
  ASSERT_TRUE(module.ok()) << module.status();
  const auto saved = module->Serialize();
  ASSERT_TRUE(saved.ok()) << saved.status();
  module = Module::Deserialize(*saved);
  ASSERT_TRUE(module.ok()) << module.status();

  const Tensor a = OnDevice({1, -2, 3.5f}, {3}), b = OnDevice({10, 1, -6}, {3}),
               c = OnDevice({0, 0, 0}, {3});
  const auto elementwise = module->GetFunction("elementwise");
  ASSERT_TRUE(elementwise.ok());
  (*elementwise)(a, b, c);
  EXPECT_EQ(ToHost(c), (std::vector<float>{12, 0, 1}));

  const Tensor x = OnDevice({1, 2, 3, 0.5f, 0.25f, 0.125f}, {2, 3}), r = OnDevice({9, 9}, {2});
  module->FindFunction("row_sums")(x, r);
  EXPECT_EQ(ToHost(r), (std::vector<float>{6, 0.875f}));
  // Empty tensors work: no row, no crash.
  module->FindFunction("row_sums")(OnDevice({}, {0, 3}), OnDevice({}, {0}));
  EXPECT_FALSE(module->FindFunction("absent"));
}

TEST_F(Example, WrongCallsAreErrors) {
  const auto module =
      runtime::LoadModuleBytes("example", Generator().Compile({.ir = BothFunctions()})->bytes);
  const auto f = module->FindFunction("elementwise");
  const Tensor three = OnDevice({1, 2, 3}, {3}), two = OnDevice({1, 2}, {2});
  const Tensor host = *Tensor::Empty({3}, DataType::Float(32));
  EXPECT_EQ(StatusName(f.TryCall(three, three).status()), "call-wrong-count");
  EXPECT_EQ(StatusName(f.TryCall(three, three, host).status()), "call-wrong-argument");
  EXPECT_EQ(StatusName(f.TryCall(three, three, 1).status()), "call-wrong-argument");
  const absl::Status shape = f.TryCall(three, three, two).status();
  EXPECT_EQ(StatusName(shape), "example-unsupported");
  EXPECT_NE(shape.message().find("reported by plugin example 0.1.0"), std::string_view::npos)
      << shape;
}

TEST_F(Example, SaysWhatItCannotCompile) {
  const ir::Buffer a = ir::MakeBuffer("A", DataType::Float(64), {ir::Int(4)});
  const std::string wide = ir::EncodeModule(ir::MakeModule({ir::MakeFunc("f", {a}, ir::Nop())}));
  const CodeGen codegen = Generator();
  const auto check = codegen.Check(wide);
  ASSERT_TRUE(check.ok()) << check.status();
  EXPECT_FALSE(check->accepted);
  EXPECT_EQ(check->reason, "the device takes no such parameter");
  EXPECT_TRUE(codegen.Check(BothFunctions())->accepted);
  EXPECT_EQ(StatusName(codegen.Compile({.ir = wide}).status()), "example-unsupported");
  EXPECT_EQ(StatusName(codegen.Compile({.ir = "no IR at all"}).status()), "binary-magic");
}

TEST_F(Example, DamagedModulesAreRefusedOrFail) {
  const std::string bytes = Generator().Compile({.ir = BothFunctions()})->bytes;
  for (size_t size = 0; size < bytes.size(); ++size) {
    const auto module = runtime::LoadModuleBytes("example", bytes.substr(0, size));
    if (!module.ok()) EXPECT_EQ(StatusName(module.status()), "module-damaged");
  }
  EXPECT_EQ(StatusName(runtime::LoadModuleBytes("example", "").status()), "module-damaged");
}

TEST_F(Example, MemoryIsOutOfTheHostsReach) {
  const Tensor tensor = OnDevice({1, 2, 3}, {3});
  EXPECT_EXIT(
      {
        volatile float value = *static_cast<const float*>(tensor.dl().data);
        static_cast<void>(value);
      },
      [](int status) { return status != 0; }, "");
}

TEST_F(Example, RequestsAreRecordedAndReplayed) {
  const std::string folder = std::string(getenv("TEST_TMPDIR")) + "/boundary";
  // A process of another container has the same number, and was here first.
  const std::string prefix = folder + "/" + std::to_string(getpid());
  const std::string another = prefix + "-0000-example";
  std::filesystem::create_directories(another);
  std::ofstream(another + "/ir.bin") << "another's";
  setenv("LATHE_DUMP_BOUNDARY", folder.c_str(), 1);
  std::vector<float> values = {1, 2, 3};
  int64_t shape[] = {3};
  const DLTensor constant = {values.data(), {kDLCPU, 0}, 1, {kDLFloat, 32, 1}, shape, nullptr, 0};
  const DLTensor* constants[] = {&constant};
  const auto compiled =
      Generator().Compile({.ir = BothFunctions(), .constants = constants, .options = "opt=2"});
  unsetenv("LATHE_DUMP_BOUNDARY");
  ASSERT_TRUE(compiled.ok()) << compiled.status();
  std::ifstream others(another + "/ir.bin");
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(others), {}), "another's");
  EXPECT_FALSE(std::filesystem::exists(another + "/request.json"));
  const std::string request = prefix + "-0001-example";
  const auto recorded = plugins::ReadRequest(request);
  ASSERT_TRUE(recorded.ok()) << recorded.status();
  EXPECT_EQ(recorded->target, Generator().target().ToString());
  EXPECT_EQ(recorded->plugin, "example 0.1.0");
  EXPECT_EQ(recorded->options, "opt=2");
  ASSERT_EQ(recorded->constants.size(), 1u);
  EXPECT_EQ(recorded->constants[0].data.size(), 12u);
  const auto replayed = plugins::Replay(request);
  ASSERT_TRUE(replayed.ok()) << replayed.status();
  EXPECT_EQ(replayed->bytes, compiled->bytes);

  std::ofstream(request + "/constant-0.bin") << "short";
  EXPECT_EQ(StatusName(plugins::Replay(request).status()), "boundary-read");
  EXPECT_EQ(StatusName(plugins::Replay(folder + "/absent").status()), "boundary-read");
  setenv("LATHE_DUMP_BOUNDARY", "/proc/nothing", 1);
  EXPECT_EQ(StatusName(Generator().Compile({.ir = BothFunctions()}).status()), "boundary-dump");
  unsetenv("LATHE_DUMP_BOUNDARY");
}

}  // namespace
}  // namespace lathe
