// Every rewrite rule, exhaustively over small operands, in every type that its domain allows.
#include "arith/rules.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <set>

#include "arith/context.h"
#include "arith/operands.h"
#include "arith/test_evaluator.h"
#include "ir/rewrite.h"
#include "ir/text/printer.h"

namespace lathe::arith::internal {
namespace {

using ir::As;

// The variables of the rule, each once.
std::vector<Expr> VarsOf(const Rule& rule) {
  std::vector<Expr> vars;
  std::set<const ir::Node*> seen;
  for (const Expr& part : {rule.before, rule.after, rule.condition}) {
    if (!part) continue;
    for (const ir::Var& var : ir::FreeVars(ir::NodeRef(part))) {
      if (seen.insert(var.get()).second) vars.emplace_back(var);
    }
  }
  return vars;
}

// The rule's expression with its int32 parts in `dtype`. Recurses over a few nodes.
Expr InType(const Expr& expr, DataType dtype, std::unordered_map<const ir::Node*, Expr>* vars) {
  auto typed = [&](DataType t) {
    return t == DataType::Int(32) || t.element_of() == DataType::Int(32)
               ? dtype.with_lanes(t.lanes())
               : t;
  };
  if (As<ir::VarNode>(expr) != nullptr) {
    Expr& var = (*vars)[expr.get()];
    if (!var) var = ir::MakeVar(As<ir::VarNode>(expr)->name, typed(expr->dtype));
    return var;
  }
  if (const auto* imm = As<ir::IntImm>(expr)) {
    return imm->dtype.is_bool() ? expr
           : dtype.is_float()   ? ir::Float(static_cast<double>(imm->value), dtype)
                                : ir::Int(imm->value, dtype);
  }
  Exprs parts;
  AppendOperands(*expr, &parts);
  for (Expr& part : parts) part = InType(part, dtype, vars);
  if (ir::BinaryOperands(expr.get())) return ir::MakeBinary(expr->node_kind(), parts[0], parts[1]);
  switch (expr->node_kind()) {
    case NodeKind::kNot:
      return (!rule::P(parts[0])).expr;
    case NodeKind::kSelect:
      // The arms get as many lanes as a vector condition.
      for (size_t arm : {1u, 2u}) {
        if (parts[0]->dtype.is_vector()) parts[arm] = rule::broadcast(parts[arm]).expr;
      }
      return rule::select(parts[0], parts[1], parts[2]).expr;
    case NodeKind::kRamp:
      return rule::ramp(parts[0], parts[1]).expr;
    default:
      return rule::broadcast(parts[0]).expr;
  }
}

std::vector<int64_t> ValuesOf(const Expr& var, DataType dtype, bool constant) {
  if (var->dtype.is_bool()) return {0, 1};
  if (dtype.is_float()) {
    std::vector<int64_t> bits;
    const double inf = std::numeric_limits<double>::infinity();
    for (double v : {std::nan(""), -inf, -1.0, -0.0, 0.0, 1.5, inf}) {
      bits.push_back(std::bit_cast<int64_t>(v));
    }
    return bits;
  }
  if (IsIndex(dtype)) {
    if (constant) return {-4, -3, -2, -1, 0, 1, 2, 3, 4, 6};
    return {-7, -4, -3, -2, -1, 0, 1, 2, 3, 5, 8};
  }
  if (dtype == DataType::Int(8)) return {-128, -127, -65, -2, -1, 0, 1, 2, 64, 126, 127};
  if (dtype == DataType::UInt(8)) return {0, 1, 2, 63, 64, 127, 128, 200, 254, 255};
  return {0, 1, 2, 5, INT64_MAX, INT64_MIN, -2, -1};  // uint64
}

bool SameValue(DataType dtype, int64_t a, int64_t b) {
  if (!dtype.is_float()) return a == b;
  const double x = std::bit_cast<double>(a), y = std::bit_cast<double>(b);
  return (std::isnan(x) && std::isnan(y)) || x == y;
}

void CheckRule(const Rule& rule, DataType dtype, size_t* points_checked) {
  std::unordered_map<const ir::Node*, Expr> vars;
  const Expr before = InType(rule.before, dtype, &vars), after = InType(rule.after, dtype, &vars);
  const Expr condition = rule.condition ? InType(rule.condition, dtype, &vars) : ir::Bool(true);
  TestPoints points;
  size_t count = 1;
  std::vector<std::pair<const ir::Node*, std::vector<int64_t>>> choices;
  for (const Expr& var : VarsOf(rule)) {
    const ir::Node* node = vars.at(var.get()).get();
    if (rule::IsLanesVar(var.get())) {
      choices.push_back({node, {rule::kPatternLanes}});
    } else {
      choices.push_back({node, ValuesOf(var, dtype, rule::IsConstantVar(var.get()))});
    }
    count *= choices.back().second.size();
  }
  size_t period = 1;
  for (const auto& [node, values] : choices) {
    TestValues column{1, std::vector<int64_t>(count), std::vector<bool>(count),
                      std::vector<bool>(count)};
    for (size_t i = 0; i < count; ++i) column.values[i] = values[i / period % values.size()];
    period *= values.size();
    points.emplace(node, std::move(column));
  }
  const TestValues holds = EvaluateForTest(condition, points, count);
  const TestValues x = EvaluateForTest(before, points, count);
  const TestValues y = EvaluateForTest(after, points, count);
  size_t tried = 0;
  for (size_t i = 0; i < count; ++i) {
    if (holds.invalid[i] || holds.values[i] == 0 || x.invalid[i] || x.overflow[i]) continue;
    ++tried;
    ASSERT_FALSE(y.invalid[i]) << ir::ToText(before, {.short_form = true}) << " --> "
                               << ir::ToText(after, {.short_form = true})
                               << " makes a division by zero";
    for (int lane = 0; lane < x.lanes; ++lane) {
      const size_t at = i * static_cast<size_t>(x.lanes) + static_cast<size_t>(lane);
      const size_t other = y.lanes == x.lanes ? at : i;
      ASSERT_TRUE(SameValue(before->dtype, x.values[at], y.values[other]))
          << ir::ToText(before, {.short_form = true}) << " --> "
          << ir::ToText(after, {.short_form = true}) << " in " << dtype.ToString() << ": "
          << x.values[at] << " against " << y.values[other];
    }
  }
  EXPECT_GT(tried, 0u) << ir::ToText(before, {.short_form = true}) << ": the condition never holds";
  *points_checked += tried;
}

bool HasOnlyFloatOperations(const Expr& expr) {
  bool fine = true;
  ir::PostOrder(expr, [&](const ir::Node& node) {
    const NodeKind kind = node.node_kind();
    if (kind == NodeKind::kMod) fine = false;
  });
  return fine;
}

TEST(Rules, HoldForAllSmallOperands) {
  size_t points = 0;
  for (const Rule& rule : AllRules()) {
    std::vector<DataType> types{DataType::Int(32), DataType::Int(64)};
    if (rule.domain != Domain::kIndex) {
      types.insert(types.end(), {DataType::Int(8), DataType::UInt(8), DataType::UInt(64)});
    }
    if (rule.domain == Domain::kAny && HasOnlyFloatOperations(rule.before)) {
      types.push_back(DataType::Float(64));
    }
    for (DataType dtype : types) {
      CheckRule(rule, dtype, &points);
      if (HasFatalFailure()) return;
    }
  }
  EXPECT_GT(points, 300000u);
  RecordProperty("points", std::to_string(points));
}

// The result of a rule may use only what the rule matched.
TEST(Rules, UseOnlyWhatTheyMatch) {
  for (const Rule& rule : AllRules()) {
    std::set<const ir::Node*> matched;
    for (const ir::Var& var : ir::FreeVars(ir::NodeRef(rule.before))) matched.insert(var.get());
    for (const Expr& part : {rule.after, rule.condition}) {
      if (!part) continue;
      for (const ir::Var& var : ir::FreeVars(ir::NodeRef(part))) {
        EXPECT_TRUE(matched.count(var.get()) != 0 || rule::IsLanesVar(var.get()))
            << ir::ToText(rule.before, {.short_form = true});
      }
    }
  }
}

TEST(Rules, AreFoundByTheirRoot) {
  for (const Rule& rule : AllRules()) {
    bool found = false;
    for (const Rule& candidate : RulesFor(rule.before->node_kind())) {
      found = found || candidate.after.same_as(rule.after);
    }
    EXPECT_TRUE(found) << ir::ToText(rule.before, {.short_form = true});
  }
}

}  // namespace
}  // namespace lathe::arith::internal
