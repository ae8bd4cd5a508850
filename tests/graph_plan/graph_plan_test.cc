// A plan whose kernels and constants the compiler made: it runs from every kind of file, with the
// constants where the file has them.
#include <cstdint>
#include <string>
#include <vector>

#include "base/blob.h"
#include "driver/build_module.h"
#include "driver/compile.h"
#include "driver/default_plugins.h"
#include "gtest/gtest.h"
#include "ir/constants.h"
#include "ir/intrinsic_names.h"
#include "ir/stmt.h"
#include "runtime/graph/plan_module.h"
#include "runtime/graph/test_plans.h"
#include "runtime/registry.h"
#include "runtime/status.h"
#include "runtime/tensor.h"
#include "target/target.h"

namespace lathe {
namespace {

using runtime::Tensor;
namespace graph = runtime::graph;

constexpr int64_t kColumns = 2000;  // a constant that is not in the code, and one that is
constexpr int64_t kFew = 2;

std::vector<float> Weights(int64_t count, float first) {
  std::vector<float> data(static_cast<size_t>(count));
  for (size_t i = 0; i < data.size(); ++i) data[i] = first + static_cast<float>(i % 10);
  return data;
}
Ref<const Blob> BlobOf(const std::vector<float>& data) {
  return Blob::Copy({reinterpret_cast<const char*>(data.data()), data.size() * 4});
}

// Y[i, j] = X[i, j] * W[j] + T, where T = X[i, j] in memory of its own.
ir::Func Scale() {
  const ir::Var n = ir::MakeSizeVar("n"), m = ir::MakeSizeVar("m"),
                i = ir::MakeVar("i", DataType::Int(32)), j = ir::MakeVar("j", DataType::Int(32));
  const DataType f32 = DataType::Float(32);
  const ir::Buffer x = ir::MakeBuffer("X", f32, {n, m}), w = ir::MakeBuffer("W", f32, {m}),
                   y = ir::MakeBuffer("Y", f32, {n, m});
  const ir::Stmt store = ir::MakeStore(
      y, ir::MakeLoad(x, {i, j}) * ir::MakeLoad(w, {j}) + ir::MakeLoad(x, {i, j}), {i, j});
  const ir::Stmt columns = ir::MakeFor(j, ir::Int(0), m, ir::ForKind::kSerial, store);
  return ir::MakeFunc("scale", {x, w, y},
                      ir::MakeFor(i, ir::Int(0), n, ir::ForKind::kParallel, columns), {},
                      DataType::Void());
}

// Stores the addresses of both constants.
ir::Func Constants(const Ref<const Blob>& large, const Ref<const Blob>& small) {
  const DataType i64 = DataType::Int(64), f32 = DataType::Float(32);
  const ir::Buffer out = ir::MakeBuffer("out", i64, {ir::Int(2)});
  const ir::Buffer a = ir::MakeBuffer("a", f32, {ir::Int(kColumns)}),
                   b = ir::MakeBuffer("b", f32, {ir::Int(kFew)});
  const auto address = [&](const ir::Buffer& buffer) {
    return ir::MakeCall(i64, ir::intrinsic::kReinterpret, {buffer->data});
  };
  const ir::Stmt body = ir::MakeSeq(
      {ir::MakeStore(out, address(a), {ir::Int(0)}), ir::MakeStore(out, address(b), {ir::Int(1)})});
  return ir::MakeFunc("constants", {out}, ir::MakeAllocConst(a, 0, ir::MakeAllocConst(b, 1, body)),
                      {{ir::ConstantKey(0), ir::MakeConstant(f32, {kColumns}, large)},
                       {ir::ConstantKey(1), ir::MakeConstant(f32, {kFew}, small)}},
                      DataType::Void());
}

graph::Plan TwoLayers(const Ref<const Blob>& large, const Ref<const Blob>& small) {
  graph::PlanBuilder b("main");
  const int32_t n = b.Extent(0, 0), m = b.Constant(kColumns), few = b.Constant(kFew),
                rest = b.Constant(kColumns / kFew);
  const int32_t rows = b.Size(graph::PlanSize::Kind::kMul, n, rest);
  const int32_t x = b.Input("x", {n, m}), w = b.Weight("w", {m}, large->digest()),
                v = b.Weight("v", {few}, small->digest()), y = b.Arena({n, m}),
                folded = b.Alias(y, {rows, few}), z = b.Arena({rows, few});
  b.Step("scale", {x, w, y}, {{"n", n}, {"m", m}});
  b.Step("scale", {folded, v, z}, {{"n", rows}, {"m", few}});
  b.plan.outputs = {z};
  b.plan.constants_entry = "constants";
  return b.plan;
}

// The artefact, with its plan; nothing else keeps the constants.
runtime::Module Built() {
  const Ref<const Blob> large = BlobOf(Weights(kColumns, 1)), small = BlobOf(Weights(kFew, 5));
  lower::PassContext context;
  context.Set("entries", 2);
  const runtime::Module module =
      driver::BuildModule(ir::MakeModule({Scale(), Constants(large, small)}),
                          target::ParseTarget("llvm"), context, {})
          .value();
  module.Import(graph::MakePlanModule(TwoLayers(large, small)).value());
  return module;
}

void Check(const runtime::Module& module) {
  const absl::StatusOr<runtime::Function> found = module.GetFunction("main");
  ASSERT_TRUE(found.ok()) << found.status();
  const std::vector<float> w = Weights(kColumns, 1), v = Weights(kFew, 5);
  for (const int64_t rows : {1, 3}) {
    std::vector<float> data = Weights(rows * kColumns, 0), expected = data;
    for (size_t i = 0; i < data.size(); ++i) {
      const float y = data[i] * w[i % kColumns] + data[i];
      expected[i] = y * v[i % kFew] + y;
    }
    const Tensor x = *Tensor::FromHost(data.data(), data.size() * 4,
                                       std::vector<int64_t>{rows, kColumns}, DataType::Float(32));
    const Tensor z = *Tensor::Empty({rows * kColumns / kFew, kFew}, DataType::Float(32));
    (*found)(x, z);
    ASSERT_TRUE(z.CopyToHost(data.data(), data.size() * 4).ok());
    EXPECT_EQ(data, expected);
  }
}

class GraphPlan : public testing::Test {
 protected:
  void SetUp() override {
    driver::UseDefaultPlugins();
    ASSERT_TRUE(graph::RegisterGraph().ok());
  }
};

TEST_F(GraphPlan, RunsInThisProcess) { Check(Built()); }

TEST_F(GraphPlan, RunsFromEveryKindOfFile) {
  for (const char* suffix : {".so", ".o", ".tar"}) {
    const std::string path = testing::TempDir() + "/plan" + suffix;
    {
      const absl::Status written = driver::ExportLibrary(Built(), path);
      ASSERT_TRUE(written.ok()) << suffix << written;
    }
    const auto loaded = runtime::LoadModuleFile(path);
    ASSERT_TRUE(loaded.ok()) << suffix << loaded.status();
    Check(*loaded);
    // Saved and loaded once more, as a whole.
    const auto bytes = loaded->Serialize();
    ASSERT_TRUE(bytes.ok()) << suffix << bytes.status();
    Check(runtime::Module::Deserialize(*bytes).value());
  }
}

TEST_F(GraphPlan, AContextOfALoadedFile) {
  const std::string path = testing::TempDir() + "/context.so";
  ASSERT_TRUE(driver::ExportLibrary(Built(), path).ok());
  const runtime::Module module = runtime::LoadModuleFile(path).value();
  const auto context =
      runtime::FindGlobal("graph.context_create")(module, "main").As<runtime::Module>();
  const Tensor x = *Tensor::Empty({2, kColumns}, DataType::Float(32));
  (*context.GetFunction("set_input"))("x", x);
  (*context.GetFunction("run"))();
  EXPECT_EQ((*context.GetFunction("get_output"))(0).As<Tensor>().shape(0), 2 * kColumns / kFew);
}

}  // namespace
}  // namespace lathe
