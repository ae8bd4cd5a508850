// Statements as text in and text out.
#include "arith/simplify_stmt.h"

#include <gtest/gtest.h>

#include "ir/text/parser.h"
#include "ir/text/printer.h"

namespace lathe::arith {
namespace {

using ir::NodeRef;
using ir::Stmt;

class SimplifyStmtTest : public testing::Test {
 protected:
  Var n = ir::MakeSizeVar("n"), x = ir::MakeVar("x");
  ir::Buffer a = ir::MakeBuffer("A", DataType::Float(32), {Expr(n)});
  ir::Buffer b = ir::MakeBuffer("B", DataType::Float(32), {Expr(n)});
  std::vector<NodeRef> free_{NodeRef(n), NodeRef(x), NodeRef(a), NodeRef(b)};

  Stmt Parse(const std::string& text) { return ir::ParseStmt(text, "test", free_); }
  void Check(const std::string& in, const std::string& out) {
    const Stmt before = Parse(in), after = Simplify(before);
    EXPECT_EQ(ir::ToText(after), ir::ToText(Parse(out))) << "of\n" << in;
    EXPECT_TRUE(Simplify(after).same_as(after)) << "twice:\n" << in;
    if (in == out) {
      EXPECT_TRUE(after.same_as(before)) << "copied:\n" << in;
    }
  }
};

TEST_F(SimplifyStmtTest, GuardsOfSplits) {
  Check(R"(
    for io in range(n // 32) {
      for ii in range(32) {
        if likely(io * 32 + ii < n) { A[io * 32 + ii] = B[(io * 32 + ii) // 32 * 32 + ii] }
      }
    })",
        R"(
    for io in range(n // 32) {
      for ii in range(32) { A[io * 32 + ii] = B[io * 32 + ii] }
    })");
}

TEST_F(SimplifyStmtTest, ConditionsHoldInTheirArms) {
  Check(R"(
    if x < n {
      if x < n + 1 { A[x] = 1.0 }
    } else {
      if x < n { A[x] = 2.0 } else { A[x] = 3.0 }
    })",
        R"(
    if x < n { A[x] = 1.0 } else { A[x] = 3.0 })");
}

TEST_F(SimplifyStmtTest, TrivialLoops) {
  Check("for i in range(1) { A[i] = 1.0 }", "A[0] = 1.0");
  Check("for i in range(x, extent=1) { A[i] = 1.0 }", "A[x] = 1.0");
  Check(R"(
    A[0] = 1.0
    for i in range(0) { A[i] = 1.0 })",
        "A[0] = 1.0");
}

TEST_F(SimplifyStmtTest, WhatDoesNothingGoes) {
  Check(R"(
    A[x] = A[x]
    A[0] = 1.0
    evaluate 3)",
        "A[0] = 1.0");
}

TEST_F(SimplifyStmtTest, Unchanged) {
  Check(R"(
    for i in range(n) {
      if i < x { A[i] = B[i] }
    })",
        R"(
    for i in range(n) {
      if i < x { A[i] = B[i] }
    })");
}

// Thread loops define how a kernel is launched, so they stay even with one iteration.
TEST_F(SimplifyStmtTest, ThreadLoopsStay) {
  const Var t = ir::MakeVar("t");
  const Stmt loop = ir::MakeFor(t, ir::Int(0), ir::Int(1), ir::ForKind::kThread,
                                ir::MakeStore(a, ir::Float(1), {Expr(t)}), "threadIdx.x");
  const Stmt after = Simplify(loop);
  ASSERT_TRUE(ir::As<ir::For>(after));
  EXPECT_TRUE(ir::IsZero(ir::As<ir::Store>(ir::As<ir::For>(after)->body)->indices[0]));
}

TEST_F(SimplifyStmtTest, AssertionsHoldAfterwards) {
  const Stmt store = ir::MakeIf(x < n, ir::MakeStore(a, ir::Float(1), {Expr(x)}));
  const Stmt after =
      Simplify(ir::MakeSeq({ir::MakeAssert(x < n, "too-large", "x is too large"), store}));
  ASSERT_TRUE(ir::As<ir::Seq>(after));
  EXPECT_TRUE(ir::As<ir::Store>(ir::As<ir::Seq>(after)->stmts[1]));
  // Not before the assertion.
  const Stmt reversed = ir::MakeSeq({store, ir::MakeAssert(x < n, "too-large", "x is too large")});
  EXPECT_TRUE(Simplify(reversed).same_as(reversed));
}

// A store may change what a condition has read.
TEST_F(SimplifyStmtTest, ConditionsOnMemoryAreNotRemembered) {
  const Expr positive = ir::MakeLoad(NodeRef(a), {Expr(x)}) > ir::Float(0);
  const Stmt stmt = ir::MakeIf(
      positive, ir::MakeSeq({ir::MakeStore(a, ir::Float(0), {Expr(x)}),
                             ir::MakeIf(positive, ir::MakeStore(a, ir::Float(7), {Expr(x)}))}));
  EXPECT_TRUE(Simplify(stmt).same_as(stmt));
}

TEST_F(SimplifyStmtTest, LetsThatAShapeNeedsStay) {
  const Var size = ir::MakeVar("size");
  const ir::Buffer local = ir::MakeBuffer("local", DataType::Float(32), {Expr(size)});
  const Stmt stmt = ir::MakeLetStmt(
      size, ir::Int(16), ir::MakeAllocate(local, ir::MakeStore(local, ir::Float(1), {size - 1})));
  const Stmt kept = Simplify(stmt);
  ASSERT_TRUE(ir::As<ir::LetStmt>(kept));
  const Stmt dropped =
      Simplify(ir::MakeLetStmt(size, ir::Int(16), ir::MakeStore(a, ir::Float(1), {size - 1})));
  EXPECT_TRUE(ir::As<ir::Store>(dropped));
}

TEST_F(SimplifyStmtTest, DeepNesting) {
  Stmt stmt = ir::MakeStore(a, ir::Float(1), {Expr(x)});
  for (int i = 0; i < 20000; ++i) stmt = ir::MakeIf(x < Expr(ir::MakeVar("v")), stmt);
  EXPECT_TRUE(Simplify(stmt).same_as(stmt));
}

}  // namespace
}  // namespace lathe::arith
