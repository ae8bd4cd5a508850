// Sharing: an expression is a graph. The compiler's work must grow with the number of distinct
// nodes, not with the tree. Each program here has a tree of 2^64 nodes or more.
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "base/error.h"
#include "driver/auto_build.h"
#include "driver/compile.h"
#include "driver/default_plugins.h"
#include "ir/intrinsic.h"
#include "ir/walk.h"
#include "schedule/primitives/primitives.h"

namespace lathe::driver {
namespace {

using ir::Expr;
using ir::NodeKind;

constexpr int kLevels = 64;
constexpr int64_t kExtent = 1024;

// Makes one level on top of the one below.
struct Operator {
  std::string name;
  DataType dtype;
  std::function<Expr(const Expr& below)> level;
};

void PrintTo(const Operator& op, std::ostream* out) { *out << op.name; }

std::vector<Operator> Operators() {
  const DataType f = DataType::Float(32), i = DataType::Int(32);
  std::vector<Operator> all;
  const auto binary = [&](const char* name, DataType dtype, NodeKind kind) {
    all.push_back({name, dtype, [=](const Expr& e) {
                     return ir::MakeBinary(kind, e, e + ir::Const(3, dtype));
                   }});
  };
  binary("AddFloat", f, NodeKind::kAdd);
  binary("AddInt", i, NodeKind::kAdd);
  binary("SubFloat", f, NodeKind::kSub);
  binary("SubInt", i, NodeKind::kSub);
  binary("MulFloat", f, NodeKind::kMul);
  binary("MulInt", i, NodeKind::kMul);
  binary("DivFloat", f, NodeKind::kDiv);
  binary("DivInt", i, NodeKind::kDiv);
  binary("ModInt", i, NodeKind::kMod);
  binary("FloorDivInt", i, NodeKind::kFloorDiv);
  binary("FloorModInt", i, NodeKind::kFloorMod);
  binary("MinFloat", f, NodeKind::kMin);
  binary("MinInt", i, NodeKind::kMin);
  binary("MaxFloat", f, NodeKind::kMax);
  binary("MaxInt", i, NodeKind::kMax);
  for (NodeKind kind :
       {NodeKind::kEQ, NodeKind::kNE, NodeKind::kLT, NodeKind::kLE, NodeKind::kGT, NodeKind::kGE}) {
    for (DataType dtype : {f, i}) {
      all.push_back({ir::NodeKindName(kind) + std::string(dtype.is_float() ? "Float" : "Int"),
                     dtype, [=](const Expr& e) {
                       return ir::MakeSelect(ir::MakeBinary(kind, e * e, e + ir::Const(3, dtype)),
                                             e * ir::Const(5, dtype), e);
                     }});
    }
  }
  const auto positive = [](const Expr& e) { return e > ir::Const(0, e->dtype); };
  all.push_back({"And", i, [=](const Expr& e) {
                   return ir::MakeCast(e->dtype, ir::LogicalAnd(positive(e), positive(e * e))) + e;
                 }});
  all.push_back({"Or", i, [=](const Expr& e) {
                   return ir::MakeCast(e->dtype, ir::LogicalOr(positive(e), positive(e * e))) + e;
                 }});
  all.push_back({"Not", i, [=](const Expr& e) {
                   return ir::MakeCast(e->dtype, ir::LogicalNot(positive(e * e))) * e;
                 }});
  all.push_back(
      {"Select", f, [=](const Expr& e) { return ir::MakeSelect(positive(e), e * e, e); }});
  all.push_back(
      {"IfThenElse", f, [=](const Expr& e) { return ir::IfThenElse(positive(e), e * e, e); }});
  all.push_back(
      {"IfThenElseInt", i, [=](const Expr& e) { return ir::IfThenElse(positive(e), e * e, e); }});
  all.push_back({"Cast", f, [=](const Expr& e) {
                   return ir::MakeCast(e->dtype, ir::MakeCast(DataType::Int(32), e)) * e;
                 }});
  all.push_back({"CastWide", i, [=](const Expr& e) {
                   const Expr wide = ir::MakeCast(DataType::Int(64), e);
                   return ir::MakeCast(e->dtype, wide * wide) + e;
                 }});
  all.push_back({"Let", f, [=](const Expr& e) {
                   const ir::Var v = ir::MakeVar("v", e->dtype);
                   return ir::MakeLet(v, e, Expr(v) * Expr(v));  // defined once, so not shared
                 }});
  all.push_back({"Call", f, [=](const Expr& e) { return ir::Sqrt(e) * e; }});
  all.push_back({"CallExp", f, [=](const Expr& e) { return ir::Exp(e) + e; }});
  all.push_back({"CallPow", f, [=](const Expr& e) { return ir::Pow(e, e); }});
  all.push_back({"Fma", f, [=](const Expr& e) { return ir::Fma(e, e, e); }});
  const auto python = [&](const char* name, DataType dtype) {
    all.push_back({name, dtype, [=](const Expr& e) { return e * e + e; }});
  };
  python("Chain", f);
  python("ChainInt", i);
  python("ChainHalf", DataType::Float(16));
  python("ChainBytes", DataType::Int(8));
  return all;
}

// A program with one operation for all levels, and a program with one operation for each level.
std::vector<ir::NodeRef> OneCompute(const Operator& op, int levels) {
  const te::Tensor a = te::Placeholder({ir::Int(kExtent)}, op.dtype, "A");
  const te::Tensor b = te::Compute(
      {ir::Int(kExtent)},
      [&](const te::Indices& i) {
        Expr e = te::At(a, {i[0]});
        for (int k = 0; k < levels; ++k) e = op.level(e);
        return e;
      },
      "B");
  return {a, b};
}

std::vector<ir::NodeRef> Chain(const Operator& op, int levels, bool shared_load) {
  const te::Tensor a = te::Placeholder({ir::Int(kExtent)}, op.dtype, "A");
  te::Tensor t = a;
  for (int k = 0; k < levels; ++k) {
    t = te::Compute(
        {ir::Int(kExtent)},
        [&](const te::Indices& i) {
          if (shared_load) return op.level(te::At(t, {i[0]}));
          return te::At(t, {i[0]}) * te::At(t, {i[0]}) + te::At(t, {i[0]});
        },
        "T" + std::to_string(k + 1));
  }
  return {a, t};
}

size_t DistinctNodes(const ir::Module& module) {
  size_t count = 0;
  ir::PostOrder(module, [&](const ir::Node&) { ++count; });
  return count;
}

// The sizes of what a program becomes: distinct nodes of the loops and of what the plugin reads.
struct Sizes {
  size_t loops = 0, flat = 0, bytes = 0;
};

Sizes SizesOf(const schedule::Schedule& schedule, const std::vector<ir::NodeRef>& args) {
  const target::Target target = target::ParseTarget("llvm");
  const ir::Module loops = Lower(schedule, args, "f", {});
  const ir::Module flat = LowerForTarget(loops, target, {});
  const absl::StatusOr<std::string> object =
      Compile(loops, target, plugins::OutputKind::kObject, {});
  EXPECT_TRUE(object.ok()) << object.status();
  return {DistinctNodes(loops), DistinctNodes(flat), object.ok() ? object->size() : 0};
}

schedule::Schedule Scheduled(const std::vector<ir::NodeRef>& args) {
  return DefaultSchedule({ir::RefAs<ir::TensorNode>(args[1])->op}, target::ParseTarget("llvm"),
                         nullptr)
      ->schedule;
}

class Sharing : public testing::TestWithParam<Operator> {
 protected:
  static void SetUpTestSuite() { UseDefaultPlugins(); }
};

TEST_P(Sharing, InOneCompute) {
  const auto sizes = [](int levels) {
    const std::vector<ir::NodeRef> args = OneCompute(GetParam(), levels);
    return SizesOf(Scheduled(args), args);
  };
  const Sizes half = sizes(kLevels / 2), whole = sizes(kLevels);
  EXPECT_LT(whole.loops, 2 * half.loops + 200);
  EXPECT_LT(whole.flat, 2 * half.flat + 200);
  EXPECT_LT(whole.bytes, 3 * half.bytes + 20000);
}

TEST_P(Sharing, InAChainOfStages) {
  for (bool shared : {true, false}) {
    const std::vector<ir::NodeRef> args = Chain(GetParam(), kLevels, shared);
    const Sizes sizes = SizesOf(Scheduled(args), args);
    EXPECT_LT(sizes.loops, kLevels * 200);
  }
}

TEST_P(Sharing, InAChainOfInlinedStages) {
  for (bool shared : {true, false}) {
    const std::vector<ir::NodeRef> args = Chain(GetParam(), kLevels, shared);
    schedule::Schedule s = schedule::CreateSchedule({ir::RefAs<ir::TensorNode>(args[1])->op});
    for (const Ref<schedule::Stage>& stage : s->stages) {
      if (!stage->is_output && ir::As<ir::ComputeOp>(stage->op) != nullptr)
        schedule::ComputeInline(*stage);
    }
    const Sizes sizes = SizesOf(s, args);
    EXPECT_LT(sizes.loops, kLevels * 200);
  }
}

INSTANTIATE_TEST_SUITE_P(Operators, Sharing, testing::ValuesIn(Operators()),
                         [](const auto& info) { return info.param.name; });

class SharedStages : public testing::Test {
 protected:
  static void SetUpTestSuite() { UseDefaultPlugins(); }
};

// Conditions only. They stay in place unless they are large.
TEST_F(SharedStages, ConditionsInOneCompute) {
  const te::Tensor a = te::Placeholder({ir::Int(kExtent)}, DataType::Int(32), "A");
  const te::Tensor b = te::Compute(
      {ir::Int(kExtent)},
      [&](const te::Indices& i) {
        const Expr x = te::At(a, {i[0]});
        Expr all = x > ir::Int(0);
        for (int k = 0; k < kLevels; ++k) {
          const Expr other = ir::LogicalAnd(all, x > ir::Int(k));
          all = ir::MakeBinary(NodeKind::kNE, all, other);
        }
        return ir::MakeSelect(all, x, ir::Int(0));
      },
      "B");
  const Sizes sizes = SizesOf(Scheduled({a, b}), {a, b});
  EXPECT_LT(sizes.flat, kLevels * 200u);
}

// Two stages read each stage, and the next one reads both: 2^64 paths from the last to the first.
TEST_F(SharedStages, DiamondsAreInlinedOnce) {
  const te::Tensor a = te::Placeholder({ir::Int(kExtent)}, DataType::Float(32), "A");
  te::Tensor t = a;
  for (int k = 0; k < kLevels; ++k) {
    const te::Tensor u = te::Compute(
        {ir::Int(kExtent)}, [&](const te::Indices& i) { return te::At(t, {i[0]}) + ir::Float(1); },
        "U");
    const te::Tensor v = te::Compute(
        {ir::Int(kExtent)}, [&](const te::Indices& i) { return te::At(t, {i[0]}) * ir::Float(2); },
        "V");
    t = te::Compute(
        {ir::Int(kExtent)},
        [&](const te::Indices& i) { return te::At(u, {i[0]}) + te::At(v, {i[0]}); }, "W");
  }
  const schedule::Schedule s = Scheduled({a, t});
  for (const Ref<schedule::Stage>& stage : s->stages) {
    if (ir::As<ir::ComputeOp>(stage->op) == nullptr || stage->is_output) continue;
    EXPECT_EQ(stage->attach, schedule::AttachKind::kInline) << stage->name;
  }
  EXPECT_LT(SizesOf(s, {a, t}).loops, kLevels * 20u);
}

// T{k}[i] = T{k-1}[2 i] + T{k-1}[2 i + 1]: if all are inlined, the number of places read is 2 to
// the power of the number of stages.
std::vector<ir::NodeRef> Pairs(int levels) {
  int64_t extent = int64_t{1} << levels;
  const te::Tensor a = te::Placeholder({ir::Int(extent)}, DataType::Float(32), "A");
  te::Tensor t = a;
  for (int k = 0; k < levels; ++k) {
    extent /= 2;
    t = te::Compute(
        {ir::Int(extent)},
        [&](const te::Indices& i) { return te::At(t, {i[0] * 2}) + te::At(t, {i[0] * 2 + 1}); },
        "T" + std::to_string(k + 1));
  }
  return {a, t};
}

TEST_F(SharedStages, WhatIsReadAtManyPlacesIsComputed) {
  const std::vector<ir::NodeRef> args = Pairs(18);
  const schedule::Schedule s = Scheduled(args);
  int inlined = 0, computed = 0;
  for (const Ref<schedule::Stage>& stage : s->stages) {
    if (ir::As<ir::ComputeOp>(stage->op) == nullptr) continue;
    (stage->attach == schedule::AttachKind::kInline ? inlined : computed) += 1;
  }
  EXPECT_GT(inlined, 10);
  EXPECT_GE(computed, 3);
  EXPECT_LT(SizesOf(s, args).loops, 100000u);
}

TEST_F(SharedStages, InliningEndsWithAnErrorThatNamesTheStage) {
  const std::vector<ir::NodeRef> args = Pairs(18);
  schedule::Schedule s = schedule::CreateSchedule({ir::RefAs<ir::TensorNode>(args[1])->op});
  for (const Ref<schedule::Stage>& stage : s->stages) {
    if (!stage->is_output && ir::As<ir::ComputeOp>(stage->op) != nullptr)
      schedule::ComputeInline(*stage);
  }
  try {
    Lower(s, args, "f", {});
    ADD_FAILURE() << "a million places were filled";
  } catch (const Error& error) {
    EXPECT_EQ(error.name(), "schedule-inline-too-large");
    EXPECT_NE(std::string(error.what()).find("`T18`"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace lathe::driver
