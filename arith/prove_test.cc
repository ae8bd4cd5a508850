// Facts that must be proved, and facts that must not be.
#include <gtest/gtest.h>

#include "arith/analyzer.h"
#include "ir/text/parser.h"
#include "ir/text/printer.h"

namespace lathe::arith {
namespace {

using ir::NodeRef;

class ProveTest : public testing::Test {
 protected:
  Var i = ir::MakeVar("i"), j = ir::MakeVar("j"), x = ir::MakeVar("x");
  Var n = ir::MakeSizeVar("n"), m = ir::MakeSizeVar("m");
  std::vector<NodeRef> free_{NodeRef(i), NodeRef(j), NodeRef(x), NodeRef(n), NodeRef(m)};
  Analyzer analyzer_;

  Expr Parse(const std::string& text) { return ir::ParseExpr(text, "test", free_); }
  void Bind(const Var& var, const std::string& extent) {
    analyzer_.Bind(var, ir::MakeRange(ir::Int(0), Parse(extent)));
  }
  void Proves(const std::string& text) { EXPECT_TRUE(analyzer_.CanProve(Parse(text))) << text; }
  void DoesNotProve(const std::string& text) {
    EXPECT_FALSE(analyzer_.CanProve(Parse(text))) << text;
  }
};

TEST_F(ProveTest, SplitOfAMultiple) {
  Bind(i, "n // 32");
  Bind(j, "32");
  Proves("i * 32 + j < n");
  Proves("likely(i * 32 + j < n)");
  Proves("i * 32 + j >= 0 and i * 32 + j <= n - 1");
  DoesNotProve("i * 32 + j < n - 1");
}

TEST_F(ProveTest, SplitThatDoesNotDivide) {
  Bind(i, "(n + 31) // 32");
  Bind(j, "32");
  DoesNotProve("i * 32 + j < n");
  Proves("i * 32 < n");
  Proves("i * 32 + j < n + 31");
  Proves("i * 32 + j < (n + 31) // 32 * 32");
  auto scope = analyzer_.With(Parse("n % 32 == 0"));
  Proves("i * 32 + j < n");
}

TEST_F(ProveTest, SymbolicFuse) {
  Bind(i, "n");
  Bind(j, "m");
  Bind(x, "n * m");
  Proves("i * m + j < n * m");
  Proves("x // m < n");
  Proves("x % m < m");
  DoesNotProve("i * m + j < n * m - 1");
  DoesNotProve("x // m < n - 1");
}

TEST_F(ProveTest, ConditionsInScope) {
  DoesNotProve("x < n");
  {
    auto scope = analyzer_.With(Parse("likely(x < n) and x >= 0"));
    Proves("x < n");
    Proves("x <= n - 1");
    Proves("x < n + 1");
    Proves("n > 0");
    Proves("n > x");
    Proves("x < n or x > 100");
    DoesNotProve("x < n - 1");
    {
      auto inner = analyzer_.With(Parse("not (x < 4)"));
      Proves("x >= 4 and n >= 5");
    }
    DoesNotProve("x >= 4");
  }
  DoesNotProve("x < n");
  auto equal = analyzer_.With(Parse("x == n * 2"));
  Proves("x >= n");
  Proves("x % 2 == 0");
}

TEST_F(ProveTest, MinimaAreSplitIntoCases) {
  Proves("min(n, 32) <= n");
  Proves("min(n, m) + max(n, m) >= n");
  Bind(i, "min(n, 32)");
  Proves("i < n and i < 32");
  Proves("select(x > 3, i, 0) <= n");
  DoesNotProve("max(n, m) <= n");
}

TEST_F(ProveTest, BindingAgainReplaces) {
  Bind(i, "n");
  Proves("i < n");
  Bind(i, "m");
  Proves("i < m");
  DoesNotProve("i < n");
}

TEST_F(ProveTest, TheOtherQuestions) {
  Bind(i, "16");
  EXPECT_TRUE(analyzer_.CanProveGE(i * 2 + 3, 3));
  EXPECT_FALSE(analyzer_.CanProveGE(i * 2 + 3, 4));
  EXPECT_TRUE(analyzer_.CanProveLT(i * 2 + 3, 34));
  EXPECT_FALSE(analyzer_.CanProveLT(i * 2 + 3, 33));
  EXPECT_TRUE(analyzer_.CanProveEqual(Parse("x // 4 * 4 + x % 4"), Parse("x")));
  EXPECT_FALSE(analyzer_.CanProveEqual(Parse("x"), Parse("n")));
  EXPECT_EQ(analyzer_.Bound(i * 2 + 3), (ConstBound{3, 33}));
  EXPECT_EQ(analyzer_.Modular(i * 4 + 3), ModularSet::Of(4, 3));
  EXPECT_EQ(analyzer_.Bound(Expr(n)).min, 0);
}

// Nothing is proved about arithmetic that wraps.
TEST_F(ProveTest, NarrowTypesWrap) {
  const Var u = ir::MakeVar("u", DataType::UInt(8)), s = ir::MakeVar("s", DataType::Int(8));
  for (const Var& var : {u, s}) {
    const Expr next = var + ir::Int(1, var->dtype);
    EXPECT_FALSE(analyzer_.CanProve(next > Expr(var)));
    EXPECT_FALSE(analyzer_.CanProveEqual(ir::FloorDivide(var * ir::Int(2, var->dtype), 2), var));
  }
  EXPECT_TRUE(analyzer_.CanProve(ir::MakeCast(DataType::Int(32), u) < ir::Int(256)));
  auto scope = analyzer_.With(u < ir::Int(10, u->dtype));
  EXPECT_TRUE(analyzer_.CanProve(u + ir::Int(1, u->dtype) < ir::Int(11, u->dtype)));
}

}  // namespace
}  // namespace lathe::arith
