// Random expressions over small domains, checked at every point: simplification keeps the value;
// bounds, residues and sets contain every value; nothing false is proved. A failure prints its
// seed. LATHE_SEED=<seed> runs that one alone.
#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>
#include <random>
#include <string>

#include "arith/analyzer.h"
#include "arith/linear.h"
#include "arith/region.h"
#include "arith/test_evaluator.h"
#include "ir/text/printer.h"

namespace lathe::arith {
namespace {

using ir::NodeKind;

// A few variables with their ranges, and all points within them.
struct Domain {
  std::vector<Var> vars;
  std::vector<std::pair<int64_t, int64_t>> ends;  // inclusive
  TestPoints points;
  size_t count = 1;
};

class Generator {
 public:
  Generator(uint64_t seed, DataType dtype) : random_(seed), dtype_(dtype) {}

  int Below(int n) { return static_cast<int>(random_() % static_cast<uint64_t>(n)); }
  int Between(int low, int high) { return low + Below(high - low + 1); }
  bool Chance(int one_in) { return Below(one_in) == 0; }

  Domain MakeDomain(int vars) {
    Domain domain;
    const bool is_unsigned = dtype_.is_uint();
    for (int i = 0; i < vars; ++i) {
      const std::string name(1, static_cast<char>('a' + i));
      const bool size = i + 1 == vars && !is_unsigned && dtype_.bits() >= 32;
      domain.vars.push_back(size ? ir::MakeSizeVar("n", dtype_) : ir::MakeVar(name, dtype_));
      int64_t low = is_unsigned || size ? 0 : Between(-5, 3);
      int64_t high = low + Between(0, 7);
      if (dtype_.bits() == 8 && Chance(3)) {
        // Near the end of the type, where arithmetic wraps.
        high = is_unsigned ? 255 : 127;
        low = high - Between(0, 7);
      }
      domain.ends.push_back({low, high});
      domain.count *= static_cast<size_t>(high - low + 1);
    }
    size_t period = 1;
    for (int i = 0; i < vars; ++i) {
      const auto [low, high] = domain.ends[static_cast<size_t>(i)];
      const auto extent = static_cast<size_t>(high - low + 1);
      TestValues column{1, std::vector<int64_t>(domain.count), std::vector<bool>(domain.count),
                        std::vector<bool>(domain.count)};
      for (size_t p = 0; p < domain.count; ++p) {
        column.values[p] = low + static_cast<int64_t>(p / period % extent);
      }
      period *= extent;
      domain.points.emplace(domain.vars[static_cast<size_t>(i)].get(), std::move(column));
    }
    return domain;
  }

  Expr Constant() {
    const int special[] = {0, 1, 2, 3, 4, 5, 6, 8, 12};
    const int value = special[Below(9)];
    return ir::Int(dtype_.is_uint() || Chance(2) ? value : -value, dtype_);
  }
  Expr Positive() { return ir::Int(Between(1, 8), dtype_); }

  Expr Number(const Domain& domain, int depth) {
    if (depth == 0 || Chance(8)) {
      return Chance(4) ? Constant()
                       : Expr(domain.vars[static_cast<size_t>(
                             Below(static_cast<int>(domain.vars.size())))]);
    }
    auto sub = [&] { return Number(domain, depth - 1); };
    auto binary = [&](NodeKind kind, Expr a, Expr b) {
      return ir::MakeBinary(kind, std::move(a), std::move(b));
    };
    switch (Below(16)) {
      case 0:
      case 1:
      case 2:
        return binary(NodeKind::kAdd, sub(), sub());
      case 3:
      case 4:
        return binary(NodeKind::kSub, sub(), sub());
      case 5:
      case 6:
        return binary(NodeKind::kMul, sub(), Constant());
      case 7:
        return binary(NodeKind::kMul, sub(), Chance(3) ? sub() : Positive());
      case 8:
      case 9:
        return binary(NodeKind::kFloorDiv, sub(), Chance(6) ? sub() : Positive());
      case 10:
      case 11:
        return binary(NodeKind::kFloorMod, sub(), Chance(6) ? sub() : Positive());
      case 12:
        return binary(Chance(2) ? NodeKind::kMin : NodeKind::kMax, sub(), sub());
      case 13:
        if (Chance(2))
          return binary(Chance(2) ? NodeKind::kDiv : NodeKind::kMod, sub(), Positive());
        return binary(Chance(2) ? NodeKind::kMin : NodeKind::kMax, sub(), sub());
      case 14: {
        const Expr condition = Condition(domain, depth - 1);
        if (Chance(2)) return ir::MakeSelect(condition, sub(), sub());
        return ir::IfThenElse(condition, sub(), sub());
      }
      default:
        if (dtype_ == DataType::Int(32)) {
          // A conversion to a wider type and back, which loses nothing.
          return ir::MakeCast(dtype_,
                              ir::MakeBinary(NodeKind::kAdd, ir::MakeCast(DataType::Int(64), sub()),
                                             ir::Int(Between(-3, 3), DataType::Int(64))));
        }
        return ir::MakeCast(dtype_, Condition(domain, depth - 1));
    }
  }

  Expr Condition(const Domain& domain, int depth) {
    if (depth > 0 && Chance(3)) {
      const Expr a = Condition(domain, depth - 1);
      if (Chance(4)) return ir::LogicalNot(a);
      return ir::MakeBinary(Chance(2) ? NodeKind::kAnd : NodeKind::kOr, a,
                            Condition(domain, depth - 1));
    }
    const NodeKind kinds[] = {NodeKind::kEQ, NodeKind::kNE, NodeKind::kLT,
                              NodeKind::kLE, NodeKind::kGT, NodeKind::kGE};
    const Expr a = Number(domain, depth > 2 ? 2 : depth);
    const Expr b = Chance(2) ? Constant() : Number(domain, depth > 2 ? 2 : depth);
    const Expr c = ir::MakeBinary(kinds[Below(6)], a, b);
    return Chance(6) ? ir::Likely(c) : c;
  }

 private:
  std::mt19937_64 random_;
  DataType dtype_;
};

std::string Text(const Expr& e) { return e ? ir::ToText(e, {.short_form = true}) : "inf"; }

// Learns the ranges of the domain's variables, and sometimes one that names another variable.
void BindAll(const Domain& domain, Analyzer* analyzer) {
  for (size_t i = 0; i < domain.vars.size(); ++i) {
    const auto [low, high] = domain.ends[i];
    analyzer->Bind(domain.vars[i], ir::MakeRange(ir::Int(low, domain.vars[i]->dtype),
                                                 ir::Int(high - low + 1, domain.vars[i]->dtype)));
  }
}

struct Tally {
  size_t points = 0, proved = 0, conditions = 0, tight = 0, sets = 0, smaller = 0, expressions = 0;
};

void CheckOne(uint64_t seed, DataType dtype, Tally* tally) {
  Generator make(seed, dtype);
  const Domain domain = make.MakeDomain(make.Between(1, 3));
  Analyzer analyzer;
  const bool with_ranges = !make.Chance(4);
  if (with_ranges) BindAll(domain, &analyzer);
  const Expr assumed = make.Chance(2) ? make.Condition(domain, 1) : Expr();
  std::vector<bool> reached(domain.count, true);
  if (assumed) {
    const TestValues holds = EvaluateForTest(assumed, domain.points, domain.count);
    for (size_t i = 0; i < domain.count; ++i) {
      reached[i] = !holds.invalid[i] && !holds.overflow[i] && holds.values[i] != 0;
    }
  }
  // A range that depends on the other variables.
  Expr first_min, first_extent;
  if (domain.vars.size() > 1 && dtype.bits() >= 32 && make.Chance(2)) {
    Domain others = domain;
    others.vars.erase(others.vars.begin());
    first_min = make.Chance(2) ? ir::Int(0, dtype) : make.Number(others, 1);
    first_extent = make.Number(others, 2);
    const TestValues low = EvaluateForTest(first_min, domain.points, domain.count);
    const TestValues extent = EvaluateForTest(first_extent, domain.points, domain.count);
    const TestValues& value = domain.points.at(domain.vars[0].get());
    for (size_t i = 0; i < domain.count; ++i) {
      reached[i] = reached[i] && !low.invalid[i] && !low.overflow[i] && !extent.invalid[i] &&
                   !extent.overflow[i] && value.values[i] >= low.values[i] &&
                   value.values[i] - low.values[i] < extent.values[i];
    }
    analyzer.Bind(domain.vars[0], ir::MakeRange(first_min, first_extent));
  }
  Analyzer::Scope scope = analyzer.With(assumed);
  const Expr expr = make.Number(domain, make.Between(1, 4));
  const Expr condition = make.Condition(domain, 2);
  const std::string where =
      "seed " + std::to_string(seed) + " " + dtype.ToString() + ", given " +
      (assumed ? Text(assumed) : "nothing") + (with_ranges ? " and ranges" : "") +
      (first_min ? ", a from " + Text(first_min) + " by " + Text(first_extent) : "") + ": ";

  // Simplification keeps values, and simplifying twice changes nothing more.
  for (const Expr& e : {expr, condition}) {
    const Expr simple = analyzer.Simplify(e);
    const TestValues before = EvaluateForTest(e, domain.points, domain.count);
    const TestValues after = EvaluateForTest(simple, domain.points, domain.count);
    ++tally->expressions;
    if (!simple.same_as(e)) ++tally->smaller;
    for (size_t i = 0; i < domain.count; ++i) {
      if (!reached[i] || before.invalid[i] || before.overflow[i]) continue;
      ++tally->points;
      ASSERT_FALSE(after.invalid[i]) << where << Text(e) << " --> " << Text(simple);
      if (after.overflow[i]) continue;
      ASSERT_EQ(before.values[i], after.values[i])
          << where << Text(e) << " --> " << Text(simple) << " at point " << i;
    }
    const Expr again = analyzer.Simplify(simple);
    ASSERT_TRUE(again.same_as(simple))
        << where << Text(e) << " --> " << Text(simple) << " --> " << Text(again);
  }

  const TestValues values = EvaluateForTest(expr, domain.points, domain.count);
  const ConstBound bound = analyzer.Bound(expr);
  const ModularSet modular = analyzer.Modular(expr);
  ConstBound seen = ConstBound::Nothing();
  for (size_t i = 0; i < domain.count; ++i) {
    if (!reached[i] || values.invalid[i] || values.overflow[i]) continue;
    seen = arith::Union(seen, ConstBound::Point(values.values[i]));
    ASSERT_TRUE(bound.Contains(values.values[i]))
        << where << Text(expr) << " is " << values.values[i] << ", outside of " << bound.ToString();
    ASSERT_TRUE(modular.Contains(values.values[i]))
        << where << Text(expr) << " is " << values.values[i] << ", not of " << modular.ToString();
  }
  if (!seen.is_empty()) {
    if (analyzer.CanProveGE(expr, seen.min + 1)) {
      FAIL() << where << Text(expr) << " >= " << seen.min + 1 << " is proved";
    }
    if (analyzer.CanProveLT(expr, seen.max)) {
      FAIL() << where << Text(expr) << " < " << seen.max << " is proved";
    }
  }

  const TestValues truth = EvaluateForTest(condition, domain.points, domain.count);
  bool holds = true, any = false;
  for (size_t i = 0; i < domain.count; ++i) {
    if (!reached[i] || truth.invalid[i] || truth.overflow[i]) continue;
    any = true;
    holds = holds && truth.values[i] != 0;
  }
  const bool proved = analyzer.CanProve(condition);
  if (any) {
    ASSERT_TRUE(holds || !proved) << where << Text(condition) << " is proved and does not hold";
    tally->conditions += holds;
    tally->proved += proved;
  }

  // The set over all variables except the first, whose value stays symbolic.
  if (domain.vars.size() > 1 && dtype.bits() >= 32) {
    DomMap dom;
    for (size_t i = 1; i < domain.vars.size(); ++i) {
      dom[domain.vars[i]] = IntSet::Interval(ir::Int(domain.ends[i].first, dtype),
                                             ir::Int(domain.ends[i].second, dtype));
    }
    const IntSet set = EvalSet(expr, dom, &analyzer);
    if (!set.nothing) {
      const TestValues low =
          set.min ? EvaluateForTest(set.min, domain.points, domain.count) : values;
      const TestValues high =
          set.max ? EvaluateForTest(set.max, domain.points, domain.count) : values;
      ++tally->sets;
      tally->tight += set.is_bounded();
      for (size_t i = 0; i < domain.count; ++i) {
        if (!reached[i] || values.invalid[i] || values.overflow[i] || low.invalid[i] ||
            high.invalid[i] || low.overflow[i] || high.overflow[i]) {
          continue;
        }
        ASSERT_LE(low.values[i], values.values[i])
            << where << Text(expr) << " in [" << Text(set.min) << ", " << Text(set.max) << "]";
        ASSERT_GE(high.values[i], values.values[i])
            << where << Text(expr) << " in [" << Text(set.min) << ", " << Text(set.max) << "]";
      }
    }
    // If a bound is deduced, the condition must hold within it.
    const IntSet solved = DeduceBound(domain.vars[0], condition, dom, &analyzer);
    if (!solved.nothing && !truth.values.empty()) {
      const TestValues low = solved.min ? EvaluateForTest(solved.min, domain.points, domain.count)
                                        : domain.points.at(domain.vars[0].get());
      const TestValues high = solved.max ? EvaluateForTest(solved.max, domain.points, domain.count)
                                         : domain.points.at(domain.vars[0].get());
      const TestValues& x = domain.points.at(domain.vars[0].get());
      for (size_t i = 0; i < domain.count; ++i) {
        if (!reached[i] || truth.invalid[i] || truth.overflow[i] || low.invalid[i] ||
            high.invalid[i] || low.overflow[i] || high.overflow[i]) {
          continue;
        }
        if (x.values[i] < low.values[i] || x.values[i] > high.values[i]) continue;
        ASSERT_NE(truth.values[i], 0)
            << where << Text(condition) << " for " << domain.vars[0]->name << " in ["
            << Text(solved.min) << ", " << Text(solved.max) << "]";
      }
    }
  }
}

void CheckMany(DataType dtype, uint64_t first, int count) {
  Tally tally;
  if (const char* seed = std::getenv("LATHE_SEED")) {
    CheckOne(std::strtoull(seed, nullptr, 10), dtype, &tally);
    return;
  }
  for (int i = 0; i < count; ++i) {
    CheckOne(first + static_cast<uint64_t>(i), dtype, &tally);
    if (testing::Test::HasFatalFailure()) return;
  }
  std::cout << dtype.ToString() << ": seeds " << first << " to " << first + count - 1 << ", "
            << tally.expressions << " expressions at " << tally.points << " points, "
            << tally.smaller << " rewritten; " << tally.proved << " of " << tally.conditions
            << " true conditions proved; " << tally.tight << " of " << tally.sets
            << " sets bounded\n";
  EXPECT_GT(tally.points, 10u * static_cast<size_t>(count));
  EXPECT_GT(tally.smaller, tally.expressions / 4);
  EXPECT_GT(tally.proved, 0u);
}

TEST(BruteForce, Int32) { CheckMany(DataType::Int(32), 1, 24000); }
TEST(BruteForce, Int64) { CheckMany(DataType::Int(64), 100001, 18000); }
TEST(BruteForce, Int8) { CheckMany(DataType::Int(8), 200001, 12000); }
TEST(BruteForce, UInt8) { CheckMany(DataType::UInt(8), 300001, 12000); }

}  // namespace
}  // namespace lathe::arith
