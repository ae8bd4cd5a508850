// Simplification as a table of text in and text out.
#include <gtest/gtest.h>

#include "arith/analyzer.h"
#include "ir/text/parser.h"
#include "ir/text/printer.h"

namespace lathe::arith {
namespace {

using ir::NodeRef;

class SimplifyTest : public testing::Test {
 protected:
  Var x = ir::MakeVar("x"), y = ir::MakeVar("y"), z = ir::MakeVar("z"), f = ir::MakeVar("f");
  Var io = ir::MakeVar("io"), ii = ir::MakeVar("ii"), wide = ir::MakeVar("wide", DataType::Int(64));
  Var n = ir::MakeSizeVar("n"), m = ir::MakeSizeVar("m");
  Var u = ir::MakeVar("u", DataType::UInt(8)), v = ir::MakeVar("v", DataType::UInt(8));
  Var a = ir::MakeVar("a", DataType::Float(32)), b = ir::MakeVar("b", DataType::Float(32));
  Var p = ir::MakeVar("p", DataType::Bool()), q = ir::MakeVar("q", DataType::Bool());
  std::vector<NodeRef> free_{NodeRef(x),  NodeRef(y),    NodeRef(z), NodeRef(f), NodeRef(io),
                             NodeRef(ii), NodeRef(wide), NodeRef(n), NodeRef(m), NodeRef(u),
                             NodeRef(v),  NodeRef(a),    NodeRef(b), NodeRef(p), NodeRef(q)};

  Expr Parse(const std::string& text) { return ir::ParseExpr(text, "test", free_); }
  static std::string Print(const Expr& e) { return ir::ToText(e); }
  // io in [0, n//32), ii in [0, 32), f in [0, n*m), z in [0, m)
  void Ranges(Analyzer* analyzer) {
    analyzer->Bind(io, ir::MakeRange(ir::Int(0), Parse("n // 32")));
    analyzer->Bind(ii, ir::MakeRange(ir::Int(0), ir::Int(32)));
    analyzer->Bind(f, ir::MakeRange(ir::Int(0), Parse("n * m")));
    analyzer->Bind(z, ir::MakeRange(ir::Int(0), Expr(m)));
  }
  void Check(const std::string& in, const std::string& out, Analyzer* analyzer) {
    const Expr before = Parse(in), after = analyzer->Simplify(before);
    EXPECT_EQ(Print(after), Print(Parse(out))) << "of " << in;
    EXPECT_TRUE(analyzer->Simplify(after).same_as(after)) << "twice: " << in;
    if (in == out) {
      EXPECT_TRUE(after.same_as(before)) << in << " is copied";
    }
  }
};

TEST_F(SimplifyTest, Table) {
  const std::pair<const char*, const char*> kTable[] = {
      // sums
      {"x + y - x", "y"},
      {"(x + 3) + (y - 5)", "x + y - 2"},
      {"x * 2 + x * 3", "x * 5"},
      {"(x + y) * 4 - x * 4", "y * 4"},
      {"2 * x", "x * 2"},
      {"x * n - n * x", "0"},
      {"(x + 1) * (y + 1) - x * y - x - y", "1"},
      {"0 - (x - y)", "y - x"},
      // quotients and remainders
      {"(x * 4 + 2) // 4", "x"},
      {"(x * 4 + y) // 4", "x + y // 4"},
      {"(x * 4 + y) % 4", "y % 4"},
      {"x // 3 // 5", "x // 15"},
      {"x % 12 % 4", "x % 4"},
      {"x % 12 // 4", "x // 4 % 3"},
      {"(x * 6) % 4", "x % 2 * 2"},
      {"(x * 5 + y) % 4", "(x + y) % 4"},
      {"(x % 8 + y) % 4", "(x + y) % 4"},
      {"f // 32 * 32 + f % 32", "f"},
      {"f // m * m + f % m", "f"},
      {"(f * 64 + x) // 54 * 54 + (f * 10 + x) % 54", "f * 64 + x"},
      {"(f * 64 + x + 60) // 54 * 108 + (f * 10 + x + 6) % 54 * 2", "f * 128 + x * 2 + 120"},
      {"(f * 64 + x) // 54 * 54 + (f * 11 + x) % 54",
       "(f * 64 + x) // 54 * 54 + (f * 11 + x) % 54"},
      {"f - f // 32 * 32", "f % 32"},
      {"f - f // m * m", "f % m"},
      {"f // 4 % 3 * 4 + f % 4", "f % 12"},
      {"(f * 9 + x) // 4 % 3 * 4 + (f + x) % 4", "(f * 9 + x) % 12"},
      {"(f * 64 + x) // 2916 * 2916 + (f * 64 + x) // 54 % 54 * 54 + (f * 10 + x) % 54",
       "f * 64 + x"},
      {"x // 2 - x // 4 * 2", "x // 2 % 2"},
      {"y + f // 3 * 64 - f // 12 * 256", "y + f // 3 % 4 * 64"},
      {"f // 2 - f // 5 * 2", "f // 2 - f // 5 * 2"},
      {"(n + 31) // 32 * 32 - n + 1", "32 - (n + 31) % 32"},
      // split and fuse
      {"(io * 32 + ii) // 32", "io"},
      {"(io * 32 + ii) % 32", "ii"},
      {"(io * 128 + ii) // 64", "io * 2"},
      {"(io * 128 + ii) % 64", "ii"},
      {"(x * m + z) // m", "x"},
      {"(x * m + z) % m", "z"},
      {"(x * (n * m) + f) // (n * m)", "x"},
      {"(x * n * m + y * m + z) // m % n", "y % n"},
      {"(io * 32 + ii) // 8 * 8 + (io * 32 + ii) % 8", "io * 32 + ii"},
      // minima and maxima
      {"min(x, x + 1)", "x"},
      {"max(min(x, 7), 9)", "9"},
      {"min(max(x, 0), -1)", "-1"},
      {"min(io * 32 + 32, n) - io * 32", "32"},
      {"min(x * 32 + 32, n) - x * 32", "min(32, n - x * 32)"},
      {"min(x, y) + max(x, y)", "x + y"},
      {"max(ii - 40, 0)", "0"},
      // comparisons
      {"x + 1 < y + 5", "x < y + 4"},
      {"x * 4 == y * 2 + 1", "false"},
      {"x * 4 < 13", "x < 4"},
      {"x * 4 >= 13", "x >= 4"},
      {"x // 4 < 3", "x < 12"},
      {"x // 4 >= 3", "x >= 12"},
      {"io * 32 + ii < n", "true"},
      {"x * 32 + ii < y * 32", "x < y"},
      {"x * 32 + ii < n", "x * 32 + ii < n"},
      {"likely(io * 32 + ii < n)", "true"},
      {"x - y < 0", "x < y"},
      {"min(x, y) < x", "y < x"},
      {"x < x", "false"},
      {"f // m < n", "true"},
      {"f % m < m", "true"},
      {"f // 2 >= f // 4 * 2 and f // 2 < f // 4 * 2 + 2", "true"},
      {"int64(x) < int64(x) + 1i64", "true"},
      // conditions and selections
      {"p and not p", "false"},
      {"p or (p and q)", "p"},
      {"not (x < y)", "x >= y"},
      {"not (a < b)", "not (a < b)"},
      {"not (a == b)", "a != b"},
      {"x < 5 and x < 3", "x < 3"},
      {"select(ii < 32, x, y)", "x"},
      {"select(x < y, x, y)", "min(x, y)"},
      {"select(a < b, a, b)", "select(a < b, a, b)"},
      {"select(p, x, x)", "x"},
      {"if_then_else(x < 3, select(x < 4, y, z), 0)", "if_then_else(x < 3, y, 0)"},
      // vectors
      {"ramp(x, 1, 8) + broadcast(y, 8)", "ramp(x + y, 1, 8)"},
      {"ramp(x * 8, 1, 8) // broadcast(8, 8)", "broadcast(x, 8)"},
      {"ramp(x * 8, 1, 8) % broadcast(8, 8)", "ramp(0, 1, 8)"},
      {"ramp(ii, 1, 8) < broadcast(39, 8)", "broadcast(true, 8)"},
      {"ramp(ii, 1, 8) < broadcast(38, 8)", "ramp(ii, 1, 8) < broadcast(38, 8)"},
      // what must stay
      {"x + y", "x + y"},
      {"y + x", "y + x"},
      {"x - y - 3", "x - y - 3"},
      {"5 - x", "5 - x"},
      {"x * 4 + y", "x * 4 + y"},
      {"(x + y) * n", "(x + y) * n"},
      {"min(x, y)", "min(x, y)"},
      {"x // 3 + x % 3", "x // 3 + x % 3"},
      {"x < 4 and y > 3", "x < 4 and y > 3"},
      {"a + b - a", "a + b - a"},
      {"min(a, max(a, b))", "min(a, max(a, b))"},
      // types that wrap
      {"u + v - v", "u"},
      {"u + 1u8 > u", "u + 1u8 > u"},
      {"u * 2u8 // 2u8", "u * 2u8 // 2u8"},
      {"min(u, max(u, v))", "u"},
  };
  for (const auto& [in, out] : kTable) {
    Analyzer analyzer;
    Ranges(&analyzer);
    SCOPED_TRACE(in);
    Check(in, out, &analyzer);
  }
}

TEST_F(SimplifyTest, NullStaysNull) {
  Analyzer analyzer;
  EXPECT_FALSE(analyzer.Simplify(Expr()));
}

// Calls with side effects are not merged, cancelled or dropped.
TEST_F(SimplifyTest, KeepsEffects) {
  Analyzer analyzer;
  const Expr call = ir::MakeCall(DataType::Int(32), "call_extern", {NodeRef(ir::String("f"))});
  for (const Expr& e :
       {call - call, call * 0, ir::MakeBinary(ir::NodeKind::kMul, call, ir::Int(0)),
        ir::MakeBinary(ir::NodeKind::kEQ, call, call), ir::MakeSelect(Expr(p), call, call)}) {
    EXPECT_TRUE(analyzer.Simplify(e).same_as(e)) << Print(e);
  }
  EXPECT_FALSE(analyzer.CanProveEqual(call, call + 0) && !call.same_as(call + 0));
}

TEST_F(SimplifyTest, LoadsWithinAnExpressionAreEqual) {
  Analyzer analyzer;
  const ir::Buffer buffer = ir::MakeBuffer("A", DataType::Int(32), {Expr(n)});
  const Expr load = ir::MakeLoad(NodeRef(buffer), {x + y}),
             same = ir::MakeLoad(NodeRef(buffer), {y + x});
  EXPECT_TRUE(ir::IsZero(analyzer.Simplify(load - same)));
  // What memory holds may change, so a condition on it is not remembered.
  auto scope = analyzer.With(load < Expr(n));
  EXPECT_FALSE(analyzer.CanProve(load < Expr(n)));
}

TEST_F(SimplifyTest, PutsValuesInThePlaceOfVariables) {
  Analyzer analyzer;
  analyzer.Bind(x, y + 1);
  EXPECT_EQ(Print(analyzer.Simplify(x * 2)), Print(Parse("y * 2 + 2")));
  {
    auto scope = analyzer.OpenScope();
    analyzer.Bind(z, ir::MakeRange(ir::Int(7), ir::Int(1)));
    EXPECT_TRUE(ir::IsConstInt(analyzer.Simplify(z + 1), 8));
  }
  EXPECT_EQ(Print(analyzer.Simplify(z + 1)), Print(Parse("z + 1")));
}

TEST_F(SimplifyTest, LetsOfConstantsGo) {
  Analyzer analyzer;
  const Expr constant = ir::MakeLet(x, ir::Int(3), x + y);
  EXPECT_EQ(Print(analyzer.Simplify(constant)), Print(Parse("y + 3")));
  const Var w = ir::MakeVar("w");
  const Expr kept = ir::MakeLet(w, Parse("y // 3"), ir::MakeMin(w * 3, Expr(y)));
  // w is y // 3, so w * 3 <= y.
  EXPECT_EQ(Print(analyzer.Simplify(kept)), Print(ir::MakeLet(w, Parse("y // 3"), w * 3)));
}

TEST_F(SimplifyTest, CoefficientsThatPassTheirTypeAreLeftAlone) {
  Analyzer analyzer;
  const Expr big =
      ir::MakeBinary(ir::NodeKind::kMul, ir::MakeBinary(ir::NodeKind::kMul, x, ir::Int(1 << 20)),
                     ir::Int(1 << 20));
  EXPECT_EQ(Print(analyzer.Simplify(big)), Print(big));
  Expr huge = wide;
  for (int i = 0; i < 5; ++i) {
    huge = ir::MakeBinary(ir::NodeKind::kMul, huge, ir::Int(INT64_MAX, DataType::Int(64)));
  }
  EXPECT_EQ(Print(analyzer.Simplify(huge)), Print(huge));
  EXPECT_EQ(analyzer.Bound(huge), ConstBound::Everything());
  EXPECT_FALSE(analyzer.CanProve(ir::MakeBinary(ir::NodeKind::kGT, huge, wide)));
}

}  // namespace
}  // namespace lathe::arith
