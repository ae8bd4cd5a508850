// Sets of values, linear equations, deduced bounds.
#include "arith/region.h"

#include <gtest/gtest.h>

#include <array>
#include <random>
#include <set>

#include "absl/strings/str_cat.h"
#include "arith/digit_sum.h"
#include "arith/linear.h"
#include "ir/text/parser.h"
#include "ir/text/printer.h"

namespace lathe::arith {
namespace {

using ir::NodeRef;

class RegionTest : public testing::Test {
 protected:
  Var i = ir::MakeVar("i"), j = ir::MakeVar("j"), x = ir::MakeVar("x");
  Var n = ir::MakeSizeVar("n"), m = ir::MakeSizeVar("m");
  std::vector<NodeRef> free_{NodeRef(i), NodeRef(j), NodeRef(x), NodeRef(n), NodeRef(m)};
  Analyzer analyzer_;

  Expr Parse(const std::string& text) { return ir::ParseExpr(text, "test", free_); }
  IntSet Set(const std::string& min, const std::string& max) {
    return IntSet::Interval(Parse(min), Parse(max));
  }
  std::string Print(const IntSet& set) {
    auto end = [](const Expr& e) { return e ? ir::ToText(e, {.short_form = true}) : "inf"; };
    return set.nothing ? "nothing" : "[" + end(set.min) + ", " + end(set.max) + "]";
  }
  std::string Eval(const std::string& text, const DomMap& dom) {
    return Print(EvalSet(Parse(text), dom, &analyzer_));
  }
};

TEST_F(RegionTest, AffineSetsAreTight) {
  const DomMap dom{{j, Set("0", "31")}};
  EXPECT_EQ(Eval("i * 32 + j", dom), "[i * 32, i * 32 + 31]");
  EXPECT_EQ(Eval("i - j * 2", dom), "[i - 62, i]");
  EXPECT_EQ(Eval("m * j + i", dom), "[i, m * 31 + i]");
  EXPECT_EQ(Eval("int64(i * 4 + j)", dom), "[int64(i * 4), int64(i * 4 + 31)]");
  EXPECT_EQ(Eval("j - j", dom), "[0, 0]");
  EXPECT_EQ(Eval("i + 1", dom), "[i + 1, i + 1]");
  EXPECT_TRUE(EvalSet(Parse("i + 1"), dom, &analyzer_).is_point());
}

// S7: a split fused row index may cross the end of a row.
TEST_F(RegionTest, S7RowsWrap) {
  const DomMap dom{{j, Set("0", "31")}};
  EXPECT_EQ(Eval("(i * 32 + j) // m", dom), "[i * 32 // m, (i * 32 + 31) // m]");
  EXPECT_EQ(Eval("(i * 32 + j) % m", dom), "[0, m - 1]");
  EXPECT_EQ(Eval("(i * 32 + j) // 32", dom), "[i, i]");
  EXPECT_EQ(Eval("(i * 32 + j) % 32", dom), "[0, 31]");
  EXPECT_EQ(Eval("(i * 32 + j) % 64", dom), "[i % 2 * 32, i % 2 * 32 + 31]");
}

TEST_F(RegionTest, OtherOperations) {
  const DomMap dom{{j, Set("0", "31")}};
  EXPECT_EQ(Eval("max(j - 1, 0)", dom), "[0, 30]");
  EXPECT_EQ(Eval("min(i + j, n)", dom), "[min(i, n), min(i + 31, n)]");
  EXPECT_EQ(Eval("select(i < 3, j, 40)", dom), "[0, 40]");
  EXPECT_EQ(Eval("j * x", dom), "[min(x, 0) * 31, max(x, 0) * 31]");
  EXPECT_EQ(Eval("i", {{i, IntSet::Everything()}}), "[inf, inf]");
  EXPECT_EQ(Eval("i", {{i, IntSet::Nothing()}}), "nothing");
}

TEST_F(RegionTest, RangesAndUnions) {
  const DomMap dom{{i, Set("0", "(n + 31) // 32 - 1")}, {j, Set("0", "31")}};
  const Range range = EvalRange(Parse("i * 32 + j"), dom, &analyzer_);
  EXPECT_TRUE(analyzer_.CanProveEqual(range->extent, Parse("(n + 31) // 32 * 32")));
  EXPECT_EQ(Print(Union({Set("x * 4 - 1", "x * 4 + 3"), Set("x * 4", "x * 4 + 4")}, &analyzer_)),
            "[x * 4 - 1, x * 4 + 4]");
  EXPECT_EQ(Print(Union({}, &analyzer_)), "nothing");
  EXPECT_EQ(Print(Intersect(Set("0", "x"), Set("3", "x + 1"), &analyzer_)), "[3, x]");
  EXPECT_EQ(Print(Intersect(Set("0", "2"), Set("3", "5"), &analyzer_)), "nothing");
  EXPECT_TRUE(ProvablyCovers(Set("0", "n"), Set("1", "n - 1"), &analyzer_));
  EXPECT_FALSE(ProvablyCovers(Set("0", "n"), Set("1", "m"), &analyzer_));
  EXPECT_FALSE(EvalRange(Parse("x"), {{x, IntSet::Everything()}}, &analyzer_));
  const Range clipped =
      CoverRange({Parse("3"), {}, false}, ir::MakeRange(ir::Int(0), Expr(n)), &analyzer_);
  EXPECT_TRUE(analyzer_.CanProveEqual(clipped->extent, Parse("n - 3")));
}

TEST_F(RegionTest, ConditionsNarrow) {
  const DomMap dom{{j, Set("0", "31")}};
  const DomMap narrow = NarrowBy(Parse("j >= 1 and likely(j < n - 1)"), dom, &analyzer_);
  EXPECT_EQ(Print(narrow.at(j)), "[1, min(31, n - 2)]");
}

TEST_F(RegionTest, DeduceBound) {
  auto deduce = [&](const std::string& condition, const DomMap& relax) {
    return Print(arith::DeduceBound(i, Parse(condition), relax, &analyzer_));
  };
  EXPECT_EQ(deduce("i * 4 + j < n", {{j, Set("0", "3")}}), "[inf, n // 4 - 1]");
  EXPECT_EQ(deduce("(i + 3) // 4 < n and i * 2 >= 7", {}), "[4, n * 4 - 4]");
  EXPECT_EQ(deduce("likely(min(i + 1, i * 2) > n)", {}), "[max(n // 2 + 1, n), inf]");
  EXPECT_EQ(deduce("i == n", {}), "[n, n]");
  EXPECT_EQ(deduce("i % 3 == 0", {}), "nothing");
  EXPECT_EQ(deduce("n >= 0", {}), "[inf, inf]");
}

TEST_F(RegionTest, LinearEquations) {
  const auto equation = DetectLinear(Parse("i * 4 + j * m + 3 - i"), {i, j}, &analyzer_);
  ASSERT_TRUE(equation);
  EXPECT_TRUE(ir::IsConstInt(equation->coefficients[0], 3));
  EXPECT_TRUE(equation->coefficients[1].same_as(Expr(m)));
  EXPECT_TRUE(ir::IsConstInt(equation->base, 3));
  EXPECT_FALSE(DetectLinear(Parse("i * j"), {i, j}, &analyzer_));
  EXPECT_FALSE(DetectLinear(Parse("i // 3"), {i}, &analyzer_));
  const auto clip = DetectClipBounds(Parse("i < n and i >= 2 and j * 2 < 9"), {i, j}, &analyzer_);
  ASSERT_TRUE(clip);
  EXPECT_EQ(Print((*clip)[0]), "[2, n - 1]");
  EXPECT_EQ(Print((*clip)[1]), "[inf, 4]");
  EXPECT_FALSE(DetectClipBounds(Parse("i < j"), {i, j}, &analyzer_));
}

// i has 24 iterations, j 8, x as many as n says.
class DigitSumTest : public RegionTest {
 protected:
  Extents loops_{{i.get(), ir::Int(24)}, {j.get(), ir::Int(8)}, {x.get(), Expr(n)}};

  std::string Digits(const std::string& text) {
    const std::optional<DigitSum> sum = SumOfDigits(Parse(text), loops_, &analyzer_);
    if (!sum) return "none";
    std::string out = ir::ToText(sum->base, {.short_form = true});
    for (const Digit& digit : sum->digits) {
      out += " + " + std::to_string(digit.weight) + "*" + digit.var->name + "[" +
             std::to_string(digit.divisor) + ":" + std::to_string(digit.modulus) + "] to " +
             ir::ToText(digit.extent, {.short_form = true});
    }
    return out;
  }
  std::vector<Digit> DigitsOf(const std::string& text) {
    return SumOfDigits(Parse(text), loops_, &analyzer_).value().digits;
  }
};

TEST_F(DigitSumTest, DigitsByWeight) {
  EXPECT_EQ(Digits("i * 8 + j + 3"), "3 + 1*j[1:0] to 8 + 8*i[1:0] to 24");
  EXPECT_EQ(Digits("(i // 6) * 4 + i % 6"), "0 + 1*i[1:6] to 6 + 4*i[6:0] to 4");
  EXPECT_EQ(Digits("i // 2 % 3"), "0 + 1*i[2:3] to 3");
  EXPECT_EQ(Digits("i // 16"), "0 + 1*i[16:0] to 2");
  EXPECT_EQ(Digits("x + m"), "m + 1*x[1:0] to n");
  EXPECT_EQ(Digits("m * 2"), "m * 2");
  EXPECT_EQ(Digits("3 - i"), "none") << "a weight below 0";
  EXPECT_EQ(Digits("x // 2"), "none") << "how many values is not known";
  EXPECT_EQ(Digits("i * j"), "none");
  EXPECT_EQ(Digits("min(i, 3)"), "none");
}

TEST_F(DigitSumTest, DigitsOfOneVariable) {
  const Expr extent = ir::Int(24);
  EXPECT_TRUE(AreIndependent(DigitsOf("(i // 6) * 100 + i % 6"), extent));
  EXPECT_TRUE(AreIndependent(DigitsOf("(i // 12) * 100 + i % 6"), extent));
  EXPECT_FALSE(AreIndependent(DigitsOf("(i // 5) * 100 + i % 5"), extent)) << "24 = 4 * 5 + 4";
  EXPECT_FALSE(AreIndependent(DigitsOf("(i // 4) * 100 + i % 6"), extent));
  // Within a step of i // 11, i // 5 % 2 does not repeat as i % 4 does: (1, 0, 2) is not among
  // them.
  EXPECT_FALSE(AreIndependent(DigitsOf("(i // 11) * 100 + i // 5 % 2 * 10 + i % 4"), ir::Int(33)));
  EXPECT_TRUE(AreIndependent(DigitsOf("(i // 11) * 100 + i // 4 % 2 * 10 + i % 4"), ir::Int(33)));
  EXPECT_TRUE(Determine(DigitsOf("(i // 6) * 100 + i % 6"), extent));
  EXPECT_TRUE(Determine(DigitsOf("(i // 3) * 100 + i % 6"), extent));
  // 7 and 13 have these digits in common.
  EXPECT_FALSE(Determine(DigitsOf("(i // 7) * 100 + (i // 4) % 2 * 10 + i % 6"), extent));
  EXPECT_FALSE(Determine(DigitsOf("(i // 12) * 100 + i % 6"), extent));
  EXPECT_FALSE(Determine(DigitsOf("i % 23"), extent));
  EXPECT_TRUE(Determine(DigitsOf("x"), Expr(n)));
}

// What is said of three digits is so for each value of the variable.
TEST_F(DigitSumTest, ThreeDigitsByBruteForce) {
  std::minstd_rand random(1);
  const auto upto = [&](unsigned n) { return static_cast<int64_t>(1 + random() % n); };
  int independent = 0, determined = 0;
  for (int round = 0; round < 4000; ++round) {
    // Multiples of each other more often than chance has them.
    const int64_t first = upto(5), second = upto(2) == 1 ? first * upto(3) : upto(12);
    const int64_t count = upto(2), third = upto(2) == 1 ? second * count * upto(2) : upto(20);
    const int64_t extent = upto(2) == 1 ? third * upto(3) : upto(60);
    std::vector<Digit> digits(3);
    const ir::Var i = ir::MakeVar("i");
    const int64_t divisors[] = {1, second, third}, moduli[] = {first, count, 0};
    std::set<std::array<int64_t, 3>> met;
    std::array<std::set<int64_t>, 3> values;
    for (int64_t at = 0; at < extent; ++at) {
      std::array<int64_t, 3> now{};
      for (size_t d = 0; d < 3; ++d) {
        now[d] = at / divisors[d];
        if (moduli[d] != 0) now[d] %= moduli[d];
        values[d].insert(now[d]);
      }
      met.insert(now);
    }
    for (size_t d = 0; d < 3; ++d) {
      digits[d].var = i;
      digits[d].divisor = divisors[d];
      digits[d].modulus = moduli[d];
      digits[d].extent = ir::Int(static_cast<int64_t>(values[d].size()));
    }
    const std::string which = absl::StrCat(first, " ", second, " ", count, " ", third, " ", extent);
    if (AreIndependent(digits, ir::Int(extent))) {
      EXPECT_EQ(met.size(), values[0].size() * values[1].size() * values[2].size()) << which;
      ++independent;
    }
    if (Determine(digits, ir::Int(extent))) {
      EXPECT_EQ(static_cast<int64_t>(met.size()), extent) << which;
      ++determined;
    }
  }
  EXPECT_GT(independent, 100);
  EXPECT_GT(determined, 100);
}

}  // namespace
}  // namespace lathe::arith
