// A target with threads that only a manifest describes: host and device modules.

#include "driver/lower_device.h"

#include <memory>
#include <string>

#include "base/error.h"
#include "driver/compile.h"
#include "gtest/gtest.h"
#include "ir/binary.h"
#include "ir/text/printer.h"
#include "ir/verifier.h"
#include "ir/walk.h"
#include "lower/device/split_device.h"
#include "runtime/metadata.h"
#include "schedule/primitives/primitives.h"
#include "te/operation.h"
#include "te/tensor_intrin.h"

namespace lathe::driver {
namespace {

using ir::Int;
using ir::MakeSizeVar;

target::Target Parse(const std::string& stage, const std::string& machine) {
  const std::string text =
      R"({"lathe": 1, "name": "acme", "version": "1.2", "abi": [1, 1], "targets": [{"kind": "acme",
          "device": "acme", "stage": ")" +
      stage + R"(", "ir": [1, 1], "machine": )" + machine + "}]}";
  auto schemas = target::ReadTargetSchemas(*runtime::Manifest::Parse(text));
  EXPECT_TRUE(schemas.ok()) << schemas.status();
  return target::ParseTargetWith("acme", std::make_shared<target::TargetSchema>(schemas->at(0)),
                                 "acme 1.2");
}

// A target with its own axes, and with fewer threads than others.
target::Target Acme(const std::string& stage = "flat") {
  return Parse(stage,
               R"({"axes": [{"tag": "acme.core", "max": 4}, {"tag": "threadIdx.x", "max": 64}],
                          "memory": [{"scope": "global"}, {"scope": "shared", "bytes": 256}],
                          "limits": {"max_threads_per_block": 64}})");
}
target::Target Host() { return Parse("flat", "{}"); }

struct Copy {
  explicit Copy(int64_t threads, const std::string& outer = "acme.core", int64_t cores = 4) {
    n = MakeSizeVar("n");
    a = te::Placeholder({n}, DataType::Float(32), "A");
    b = te::Compute({n}, [&](const te::Indices& i) { return te::At(a, {i[0]}) + 1; }, "B");
    s = schedule::CreateSchedule({b->op});
    auto [rest, tx] = schedule::Split(s[b], schedule::AxisOf(b, 0), Int(threads));
    auto [core, more] = schedule::SplitParts(s[b], rest, Int(cores));
    (void)more;
    schedule::Bind(s[b], core, schedule::ThreadAxis(outer));
    schedule::Bind(s[b], tx, schedule::ThreadAxis("threadIdx.x"));
  }
  ir::Module Loops() { return Lower(s, {a, b}, "copy", {}); }
  ir::Var n;
  te::Tensor a, b;
  schedule::Schedule s;
};

std::string NameOfError(Copy copy, const target::Target& device) {
  try {
    LowerForDevice(copy.Loops(), device, Host(), {});
  } catch (const Error& e) {
    return std::string(e.name());
  }
  return "no error";
}

TEST(LowerDevice, HostLaunchesWhatTheDeviceGets) {
  Copy copy(8);
  const DeviceModules modules = LowerForDevice(copy.Loops(), Acme(), Host(), {});
  ir::VerifyModule(modules.host, ir::Stage::kFlat);
  ir::VerifyModule(modules.device, ir::Stage::kFlat);
  ASSERT_EQ(modules.host->functions.size(), 1u);
  EXPECT_EQ(modules.host->functions[0]->name, "copy");
  ASSERT_EQ(modules.device->functions.size(), 1u);
  const ir::Func kernel = modules.device->functions[0];
  EXPECT_EQ(kernel->name, "copy_kernel0");
  EXPECT_TRUE(lower::IsKernel(kernel));
  EXPECT_EQ(lower::LaunchTags(kernel), (std::vector<std::string>{"acme.core", "threadIdx.x"}));
  EXPECT_NE(ir::ToText(modules.host).find("copy_kernel0"), std::string::npos);
  // Both modules can be encoded for the plugin.
  EXPECT_FALSE(ir::EncodeModule(modules.host).empty());
  EXPECT_FALSE(ir::EncodeModule(modules.device).empty());
}

TEST(LowerDevice, MetadataNamesTheDevice) {
  Copy copy(8);
  const DeviceModules modules = LowerForDevice(copy.Loops(), Acme(), Host(), {});
  auto host = runtime::Metadata::FromJson(ir::StringAttr(modules.host->attrs, "metadata"));
  ASSERT_TRUE(host.ok()) << host.status();
  EXPECT_EQ(host->devices, (std::vector<std::string>{"cpu", "acme"}));
  EXPECT_EQ(host->functions.at(0).Signature(), "copy(A: float32[n], B: float32[n])");
  EXPECT_EQ(host->functions.at(0).device, "acme");
  EXPECT_EQ(host->functions.at(0).outputs, std::vector<std::string>{"B"});
  auto device = runtime::Metadata::FromJson(ir::StringAttr(modules.device->attrs, "metadata"));
  ASSERT_TRUE(device.ok()) << device.status();
  EXPECT_EQ(device->devices, std::vector<std::string>{"acme"});
  EXPECT_EQ(device->functions.at(0).name, "copy_kernel0");
}

TEST(LowerDevice, ATileTargetGetsItsKernelsWithBuffers) {
  Copy copy(8);
  const DeviceModules modules = LowerForDevice(copy.Loops(), Acme("tile"), Host(), {});
  ir::VerifyModule(modules.device, ir::Stage::kTile);
  EXPECT_NE(ir::ToText(modules.device).find("decl_buffer"), std::string::npos);
}

TEST(LowerDevice, TheMachineSaysWhatIsTooMuch) {
  EXPECT_EQ(NameOfError(Copy(8), Acme()), "no error");
  EXPECT_EQ(NameOfError(Copy(128), Acme()), "device-limit");
  EXPECT_EQ(NameOfError(Copy(8, "acme.core", 5), Acme()), "device-limit");
  EXPECT_EQ(NameOfError(Copy(8, "blockIdx.x"), Acme()), "device-axis");
  EXPECT_EQ(NameOfError(Copy(8), Host()), "target-without-threads");
}

TEST(LowerDevice, ATargetWithoutThreadsIsNamedInShort) {
  try {
    LowerForTarget(Copy(8).Loops(), Host(), {});
    FAIL() << "no error";
  } catch (const Error& e) {
    const std::string text = e.what();
    for (const char* part :
         {"expected: a target with thread axes, such as `cuda` or `opencl`\n", "found: `acme`\n",
          "leave out the binds (parallel, unroll and vectorize serve here), or build for a GPU"})
      EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  }
}

// C[i, j] += A[i, k] * B[j, k], four k at a time by an intrinsic that updates its operand in place.
std::string ErrorOfDots() {
  using te::At;
  const auto dot = [](const te::Tensor& a, const te::Tensor& b) {
    const te::IterVar k = te::ReduceAxis(Int(0), Int(4), "k");
    return te::Compute(
        {}, [&](const te::Indices&) { return te::Sum(At(a, {k->var}) * At(b, {k->var}), {k}); },
        "c");
  };
  const te::TensorIntrin intrin = te::DeclTensorIntrin(
      "dot4",
      dot(te::Placeholder({Int(4)}, DataType::Int(32), "a"),
          te::Placeholder({Int(4)}, DataType::Int(32), "b"))
          ->op,
      [](const std::vector<ir::Buffer>& in, const std::vector<ir::Buffer>& out) {
        ir::Expr sum = ir::MakeLoad(out[0], {});
        for (int x = 0; x < 4; ++x)
          sum = sum + ir::MakeLoad(in[0], {Int(x)}) * ir::MakeLoad(in[1], {Int(x)});
        return te::IntrinStmts{.body = {},
                               .reset = ir::MakeStore(out[0], Int(0), {}),
                               .update = ir::MakeStore(out[0], sum, {})};
      });
  const te::Tensor a = te::Placeholder({Int(8), Int(16)}, DataType::Int(32), "A"),
                   b = te::Placeholder({Int(8), Int(16)}, DataType::Int(32), "B");
  const te::IterVar k = te::ReduceAxis(Int(0), Int(16), "k");
  const te::Tensor c = te::Compute(
      {Int(8), Int(8)},
      [&](const te::Indices& i) {
        return te::Sum(At(a, {i[0], k->var}) * At(b, {i[1], k->var}), {k});
      },
      "C");
  schedule::Schedule s = schedule::CreateSchedule({c->op});
  schedule::Bind(s[c], schedule::AxisOf(c, 0), schedule::ThreadAxis("blockIdx.x"));
  schedule::Bind(s[c], schedule::AxisOf(c, 1), schedule::ThreadAxis("threadIdx.x"));
  auto [outer, inner] = schedule::Split(s[c], k, Int(4));
  (void)outer;
  schedule::Tensorize(s[c], inner, intrin);
  const target::Target device = Parse("flat", R"({"axes": [{"tag": "blockIdx.x"},
      {"tag": "threadIdx.x"}], "grid_barrier": false})");
  try {
    LowerForDevice(Lower(s, {a, b, c}, "f", {}), device, Host(), {});
  } catch (const Error& e) {
    return e.what();
  }
  return "no error";
}

TEST(LowerDevice, ThreadsThatAccumulateByAnIntrinsicMeetNobody) {
  EXPECT_EQ(ErrorOfDots(), "no error");
}

// The axis and the stage are the user's to change.
TEST(LowerDevice, AParallelLoopWithinAKernelIsTheSchedulesMistake) {
  const te::Tensor a = te::Placeholder({Int(8), Int(4)}, DataType::Float(32), "A");
  const te::Tensor b = te::Compute(
      {Int(8), Int(4)}, [&](const te::Indices& i) { return te::At(a, {i[0], i[1]}) + 1; }, "B");
  schedule::Schedule s = schedule::CreateSchedule({b->op});
  schedule::Bind(s[b], schedule::AxisOf(b, 0), schedule::ThreadAxis("threadIdx.x"));
  schedule::Parallel(s[b], schedule::AxisOf(b, 1));
  try {
    LowerForDevice(Lower(s, {a, b}, "f", {}), Acme(), Host(), {});
    FAIL() << "no error";
  } catch (const Error& e) {
    EXPECT_EQ(e.name(), "parallel-in-kernel");
    const std::string text = e.what();
    EXPECT_NE(text.find("of stage `B` is parallel within a kernel of `f`"), std::string::npos)
        << text;
  }
}

// Element types that the manifest leaves out are gone when a kernel reaches the device. Its checks
// cannot report from there.
TEST(LowerDevice, TypesThatTheDeviceLacksAreMadeOfOthers) {
  const target::Target device = Parse("flat", R"({"axes": [{"tag": "threadIdx.x", "max": 64}],
                        "memory": [{"scope": "global"}],
                        "dtypes": {"*": ["float32", "int32"]}})");
  const DataType narrow = DataType::BFloat16();
  const ir::Var n = MakeSizeVar("n");
  const te::Tensor a = te::Placeholder({n}, narrow, "A");
  const te::Tensor b = te::Compute(
      {n}, [&](const te::Indices& i) { return te::At(a, {i[0]}) * te::At(a, {i[0]}); }, "B");
  schedule::Schedule s = schedule::CreateSchedule({b->op});
  auto [rest, tx] = schedule::Split(s[b], schedule::AxisOf(b, 0), Int(8));
  (void)rest;
  schedule::Bind(s[b], tx, schedule::ThreadAxis("threadIdx.x"));
  const ir::Module loops = Lower(s, {a, b}, "square", {});
  const DeviceModules modules = LowerForDevice(loops, device, Host(), {});
  ir::VerifyModule(modules.host, ir::Stage::kFlat);
  ir::VerifyModule(modules.device, ir::Stage::kFlat);
  ir::PostOrder(modules.device->functions[0]->body, [&](const ir::Node& node) {
    if (ir::IsExpr(&node))
      EXPECT_NE(static_cast<const ir::ExprNode&>(node).dtype.element_of(), narrow)
          << ir::ToText(modules.device);
  });
  lower::PassContext checked;
  checked.Set("check", 1);
  const DeviceModules reporting = LowerForDevice(loops, device, Host(), checked);
  ir::VerifyModule(reporting.host, ir::Stage::kFlat);
  ir::VerifyModule(reporting.device, ir::Stage::kFlat);
}

TEST(LowerDevice, UnboundLoopsAreRefused) {
  Copy copy(8);
  schedule::Schedule plain = schedule::CreateSchedule({copy.b->op});
  const ir::Module loops = Lower(plain, {copy.a, copy.b}, "copy", {});
  try {
    LowerForDevice(loops, Acme(), Host(), {});
    FAIL() << "accepted";
  } catch (const Error& e) {
    EXPECT_EQ(std::string(e.name()), "unbound-device-loop");
    EXPECT_NE(std::string(e.what()).find("did you forget to bind?"), std::string::npos);
  }
}

}  // namespace
}  // namespace lathe::driver
