// The scratch memory that kernels declare is what they take.
#include <algorithm>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "driver/compile.h"
#include "driver/default_plugins.h"
#include "gtest/gtest.h"
#include "ir/stmt.h"
#include "runtime/status.h"
#include "runtime/tensor.h"
#include "runtime/workspace.h"
#include "schedule/primitives/primitives.h"
#include "target/target.h"
#include "te/operation.h"

namespace lathe::driver {
namespace {

using runtime::Tensor;

constexpr uint64_t kPage = 4096;

// C[i] = 2 A[i] + 1, with 2 A in memory.
struct TwoStages {
  explicit TwoStages(const ir::Expr& n) {
    a = te::Placeholder({n}, DataType::Float(32), "A");
    t = te::Compute({n}, [&](const te::Indices& i) { return te::At(a, {i[0]}) * 2.0; }, "T");
    c = te::Compute({n}, [&](const te::Indices& i) { return te::At(t, {i[0]}) + 1.0; }, "C");
    s = schedule::CreateSchedule({c->op});
  }
  ir::Module Loops() { return Lower(s, {a, c}, "f", {}); }
  te::Tensor a, t, c;
  schedule::Schedule s;
};

class Workspace : public testing::Test {
 protected:
  void SetUp() override { UseDefaultPlugins(); }
  void TearDown() override { runtime::SetWorkspaceLimit(0); }

  runtime::Module Built(const ir::Module& loops) {
    return Build(loops, target::ParseTarget("llvm"), {}).value();
  }
  // Returns the name of the error with which `f` ends on a new thread, with this limit on its
  // workspace.
  std::string RunWithin(const runtime::Module& module, uint64_t limit, int64_t n) {
    runtime::SetWorkspaceLimit(limit);
    const Tensor a = *Tensor::Empty({n}, DataType::Float(32)),
                 c = *Tensor::Empty({n}, DataType::Float(32));
    std::fill_n(a.HostData<float>(), n, 3.0f);
    std::string name;
    std::thread([&] {
      const auto status = module.GetFunction("f").value().TryCall(a, c).status();
      name = runtime::StatusName(status);
    }).join();
    if (name.empty()) EXPECT_EQ(c.HostData<float>()[n - 1], 7.0f);
    return name;
  }
};

TEST_F(Workspace, OfConstantSizeIsStated) {
  const runtime::Module module = Built(TwoStages(ir::Int(10001)).Loops());
  const runtime::FunctionMetadata& f = module->metadata().functions.at(0);
  const uint64_t bytes = 40064;  // 40004, rounded up to a multiple of 64
  EXPECT_EQ(f.workspace, std::to_string(bytes));
  EXPECT_EQ(f.thread_workspace, "0");
  const uint64_t pages = (bytes + kPage - 1) / kPage * kPage;
  EXPECT_EQ(RunWithin(module, pages, 10001), "");
  EXPECT_EQ(RunWithin(module, pages - 1, 10001), "workspace-limit");
  EXPECT_EQ(RunWithin(module, 0, 10001), "") << "the limit is gone again";
}

TEST_F(Workspace, OfThreadsIsStated) {
  TwoStages program(ir::Int(40000));
  auto [outer, inner] = schedule::Split(program.s[program.c], schedule::AxisOf(program.c, 0), 5000);
  schedule::Parallel(program.s[program.c], outer);
  schedule::ComputeAt(program.s[program.t], program.s[program.c], outer);
  const runtime::Module module = Built(program.Loops());
  const runtime::FunctionMetadata& f = module->metadata().functions.at(0);
  EXPECT_EQ(f.workspace, "0");
  EXPECT_EQ(f.thread_workspace, "20032");
  EXPECT_EQ(RunWithin(module, 5 * kPage, 40000), "");
  EXPECT_EQ(RunWithin(module, 5 * kPage - 1, 40000), "workspace-limit");
}

TEST_F(Workspace, OfSymbolicSizeIsAnExpression) {
  const runtime::Module module = Built(TwoStages(ir::MakeSizeVar("n")).Loops());
  const runtime::FunctionMetadata& f = module->metadata().functions.at(0);
  EXPECT_EQ(f.workspace, "(n + 15) // 16 * 64");
  EXPECT_EQ(f.thread_workspace, "0");
  EXPECT_EQ(RunWithin(module, 10 * kPage, 10001), "");
  EXPECT_EQ(RunWithin(module, 10 * kPage - 1, 10001), "workspace-limit");
}

TEST_F(Workspace, OnTheStackCountsForNothing) {
  const runtime::Module module = Built(TwoStages(ir::Int(1000)).Loops());
  EXPECT_EQ(module->metadata().functions.at(0).workspace, "0");
  EXPECT_EQ(RunWithin(module, 1, 1000), "");
}

TEST_F(Workspace, ThatNoSizeDeterminesIsNotStated) {
  const ir::Buffer a = ir::MakeBuffer("A", DataType::Float(32), {ir::Int(8)});
  const ir::Var i = ir::MakeVar("i", DataType::Int(32));
  const ir::Buffer t = ir::MakeBuffer("T", DataType::Float(32), {ir::Expr(i) * 8000});
  const ir::Stmt body = ir::MakeSeq({ir::MakeStore(t, ir::Float(1.0), {ir::Int(0)}),
                                     ir::MakeStore(a, ir::MakeLoad(t, {ir::Int(0)}), {i})});
  const ir::Stmt loop =
      ir::MakeFor(i, ir::Int(1), ir::Int(7), ir::ForKind::kSerial, ir::MakeAllocate(t, body));
  const ir::Func func = ir::MakeFunc("f", {a}, loop, {}, DataType::Void());
  const runtime::Module module = Built(ir::MakeModule({func}));
  const runtime::FunctionMetadata& f = module->metadata().functions.at(0);
  EXPECT_EQ(f.workspace, "");
  EXPECT_EQ(f.workspace_unknown, "a size does not follow from the arguments'");
}

}  // namespace
}  // namespace lathe::driver
