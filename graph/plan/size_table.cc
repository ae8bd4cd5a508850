#include "graph/plan/size_table.h"

#include <string>
#include <utility>

#include "base/error.h"
#include "base/planted_graphs.h"
#include "ir/rewrite.h"
#include "ir/text/printer.h"

namespace lathe::graph {

using ir::As;
using runtime::graph::PlanSize;

namespace {

[[noreturn]] void FailSize(const ir::Node& node, std::string expected) {
  throw Error(Diagnostic{.name = "graph-plan-size",
                         .message = "an extent is not known when the graph runs",
                         .expected = std::move(expected),
                         .found = ir::ToText(node),
                         .help = "name each size as an extent of an input"});
}

PlanSize::Kind KindOf(const ir::ExprNode& node) {
  switch (node.node_kind()) {
    case ir::NodeKind::kAdd:
      return PlanSize::Kind::kAdd;
    case ir::NodeKind::kSub:
      return PlanSize::Kind::kSub;
    case ir::NodeKind::kMul:
      return PlanSize::Kind::kMul;
    case ir::NodeKind::kFloorDiv:
      return PlanSize::Kind::kFloorDiv;
    case ir::NodeKind::kFloorMod:
      return PlanSize::Kind::kFloorMod;
    case ir::NodeKind::kMin:
      return PlanSize::Kind::kMin;
    case ir::NodeKind::kMax:
      return PlanSize::Kind::kMax;
    default:
      FailSize(node, "sums, products, quotients, minima and maxima of sizes");
  }
}

}  // namespace

void SizeTable::BindExtent(const ir::Var& size, int32_t input, int32_t dim) {
  if (vars_.contains(size.get())) return;
  if (Planted(PlantedGraphBug::kSizeOfFirstDimension)) dim = 0;
  vars_.emplace(size.get(), Add({PlanSize::Kind::kExtent, 0, input, dim}));
}

int32_t SizeTable::BindWhileRunning(const ir::Var& size) {
  const auto number = static_cast<int32_t>(out_.size());
  out_.push_back({PlanSize::Kind::kRun, 0, 0, 0});
  vars_.emplace(size.get(), number);
  return number;
}

int32_t SizeTable::Number(const ir::Expr& expr) {
  std::vector<int32_t> done;
  std::vector<std::pair<const ir::ExprNode*, bool>> work{{expr.get(), false}};
  while (!work.empty()) {
    const auto [node, operands_done] = work.back();
    work.pop_back();
    if (const auto* imm = As<ir::IntImm>(node)) {
      done.push_back(Add({PlanSize::Kind::kConstant, imm->value, 0, 0}));
    } else if (const auto* cast = As<ir::Cast>(node)) {
      work.emplace_back(cast->value.get(), false);
    } else if (As<ir::VarNode>(node) != nullptr) {
      const auto at = vars_.find(node);
      if (at == vars_.end()) FailSize(*node, "a size that an input's shape has");
      done.push_back(at->second);
    } else {
      const ir::Operands operands = ir::BinaryOperands(node);
      const PlanSize::Kind kind = KindOf(*node);
      if (!operands_done) {
        work.emplace_back(node, true);
        work.emplace_back(operands.b->get(), false);
        work.emplace_back(operands.a->get(), false);
        continue;
      }
      const int32_t b = done.back();
      done.pop_back();
      done.back() = Add({kind, 0, done.back(), b});
    }
  }
  return done.back();
}

int32_t SizeTable::Add(const PlanSize& size) {
  const bool wrong =
      Planted(PlantedGraphBug::kSizesByFirstOperand) && size.kind == PlanSize::Kind::kAdd;
  const auto key = std::tuple(size.kind, size.value, size.a, wrong ? 0 : size.b);
  const auto [at, is_new] = numbers_.try_emplace(key, static_cast<int32_t>(out_.size()));
  if (is_new) out_.push_back(size);
  return at->second;
}

}  // namespace lathe::graph
