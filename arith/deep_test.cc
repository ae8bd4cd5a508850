// Deep and large expressions: nothing recurses on the C++ stack, and the cost grows with the size.
#include <gtest/gtest.h>

#include <chrono>

#include "arith/analyzer.h"
#include "base/address_sanitizer.h"
#include "ir/walk.h"

namespace lathe::arith {
namespace {

using ir::NodeKind;

constexpr int kDeep = kAddressSanitizer ? 10000 : 100000;

TEST(Deep, SumsOfManyTerms) {
  Analyzer analyzer;
  Expr sum = ir::Int(0);
  std::vector<Var> vars;
  for (int i = 0; i < 100; ++i) vars.push_back(ir::MakeVar("v"));
  for (int i = 0; i < kDeep; ++i) {
    sum = ir::MakeBinary(NodeKind::kAdd, sum, Expr(vars[static_cast<size_t>(i % 100)]));
  }
  EXPECT_LT(ir::CountNodes(ir::NodeRef(analyzer.Simplify(sum))), 1000u);
}

TEST(Deep, AllDifferentTerms) {
  Analyzer analyzer;
  Expr sum = ir::MakeVar("first");
  for (int i = 0; i < kDeep; ++i) {
    sum = ir::MakeBinary(NodeKind::kAdd, sum, ir::MakeVar("v"));
  }
  EXPECT_TRUE(analyzer.Simplify(sum).same_as(sum));
}

TEST(Deep, NestedOperatorsOfEveryKind) {
  const Var x = ir::MakeVar("x"), y = ir::MakeVar("y");
  for (NodeKind kind : {NodeKind::kMin, NodeKind::kMax, NodeKind::kFloorDiv, NodeKind::kFloorMod,
                        NodeKind::kMul, NodeKind::kSub}) {
    Analyzer analyzer;
    Expr e = x;
    const int depth = kind == NodeKind::kMin || kind == NodeKind::kSub ? kDeep : kDeep / 5;
    for (int i = 0; i < depth; ++i) {
      const Expr other = kind == NodeKind::kFloorDiv || kind == NodeKind::kFloorMod
                             ? Expr(y)
                             : ir::MakeBinary(NodeKind::kFloorMod, ir::MakeVar("v"), ir::Int(7));
      e = ir::MakeBinary(kind, e, other);
    }
    ASSERT_TRUE(analyzer.Simplify(e)) << ir::NodeKindName(kind);
    analyzer.Bound(e);
  }
}

TEST(Deep, Conditions) {
  Analyzer analyzer;
  Expr all = ir::Bool(true), either = ir::Bool(false), nested = ir::MakeVar("x");
  for (int i = 0; i < kDeep; ++i) {
    const Expr part = ir::MakeVar("p", DataType::Bool());
    all = ir::MakeBinary(NodeKind::kAnd, all, part);
    either = ir::MakeBinary(NodeKind::kOr, either, part);
  }
  for (int i = 0; i < kDeep / 10; ++i) {
    nested = ir::IfThenElse(ir::MakeVar("p", DataType::Bool()), nested, ir::Int(i));
  }
  EXPECT_TRUE(analyzer.Simplify(all));
  EXPECT_TRUE(analyzer.Simplify(either));
  EXPECT_TRUE(analyzer.Simplify(nested));
}

// A node that is used twice at every level: 2^60 paths.
TEST(Deep, SharedNodes) {
  Analyzer analyzer;
  const Var x = ir::MakeVar("x", DataType::Int(64));
  Expr sum = x, smallest = x;
  for (int i = 0; i < 60; ++i) {
    sum = ir::MakeBinary(NodeKind::kAdd, sum, sum);
    smallest =
        ir::MakeBinary(NodeKind::kMin, smallest, ir::MakeBinary(NodeKind::kAdd, smallest, Expr(x)));
  }
  EXPECT_LT(ir::CountNodes(ir::NodeRef(analyzer.Simplify(sum)), 1000), 1000u);
  EXPECT_TRUE(analyzer.Simplify(smallest));
}

// Arms are simplified under their conditions, so a node that occurs in several arms is simplified
// for each of them: there are 3^60 ways.
TEST(Deep, SharedArmsOfChoices) {
  Analyzer analyzer;
  const Var x = ir::MakeVar("x", DataType::Int(64)), n = ir::MakeVar("n", DataType::Int(64));
  Expr choice = x, unrelated = x;
  for (int i = 0; i < 60; ++i) {
    choice =
        ir::IfThenElse(choice > ir::Int(i, x->dtype), choice + n, choice + ir::Int(1, x->dtype));
    unrelated = ir::IfThenElse(ir::MakeVar("p", DataType::Bool()), unrelated + n,
                               unrelated + ir::Int(1, x->dtype));
  }
  for (const Expr& e : {choice, unrelated}) {
    size_t nodes = 0;
    ir::PostOrder(analyzer.Simplify(e), [&](const ir::Node&) { ++nodes; });
    EXPECT_LT(nodes, 60u * 64 * 40);
  }
  // Variables that the surrounding program replaces are replaced beyond the limit, too.
  analyzer.Bind(n, ir::Int(3, n->dtype));
  EXPECT_FALSE(ir::UsesVar(analyzer.Simplify(choice), n));
}

// Four times the size takes at most ten times as long: time grows with the size, not its square.
TEST(Deep, CostGrowsWithTheSize) {
  // A choice among many indices, and a sum of many remainders.
  for (const NodeKind kind : {NodeKind::kMax, NodeKind::kSub}) {
    auto seconds = [&](int count) {
      const Var n = ir::MakeSizeVar("n");
      Expr e = ir::Int(0);
      for (int i = 0; i < count; ++i) {
        const Var v = ir::MakeVar("v");
        const Expr remainder = ir::FloorModulo(v * 3 + n, 16);
        const Expr index = ir::FloorDivide(v * 32 + 5, 8) + remainder;
        e = ir::MakeBinary(kind, e, kind == NodeKind::kSub ? remainder : ir::MakeMin(index, n + i));
      }
      Analyzer analyzer;
      const auto start = std::chrono::steady_clock::now();
      analyzer.Simplify(e);
      return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    };
    const int count = kind == NodeKind::kSub ? 20000 : 1500;
    const double small = seconds(count), large = seconds(4 * count);
    EXPECT_LT(large, small * 10 + 0.2) << ir::NodeKindName(kind);
  }
}

}  // namespace
}  // namespace lathe::arith
