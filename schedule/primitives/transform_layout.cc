#include "schedule/primitives/transform_layout.h"

#include <unordered_set>

#include "base/error.h"
#include "ir/names.h"
#include "ir/text/parser.h"
#include "ir/text/printer.h"
#include "ir/walk.h"
#include "schedule/trace.h"
#include "schedule/trace_names.h"

namespace lathe::schedule {
namespace {

std::string TextOf(const Expr& index) { return ir::ToText(index); }

std::string TextOf(const IndexMap& map) {
  std::string text;
  for (const Expr& index : map.indices) text += (text.empty() ? "" : ", ") + TextOf(index);
  return "(" + text + ")";
}

[[noreturn]] void Refuse(const Tensor& tensor, std::string why, std::string expected,
                         std::string found, std::string help) {
  throw Error(
      Diagnostic{.name = "schedule-layout-refused",
                 .message = "transform_layout of `" + tensor->name() + "`: " + std::move(why),
                 .expected = std::move(expected),
                 .found = std::move(found),
                 .help = std::move(help)});
}

void CheckTensor(const Schedule& schedule, const Stage& stage, const Tensor& tensor) {
  bool of_scan = stage.scan != nullptr;
  for (const Ref<Stage>& other : schedule->stages) {
    const auto* scan = ir::As<ir::ScanOp>(other->op);
    if (scan == nullptr) continue;
    for (const Tensor& state : scan->state) of_scan = of_scan || state->op.same_as(stage.op);
  }
  if (of_scan) {
    Refuse(tensor, "it is part of a scan, whose rows share memory",
           "a tensor with memory of its own", "part of a scan", "transform the scan's output");
  }
}

void CheckMap(const Tensor& tensor, const IndexMap& map, const IndexMap& whole) {
  for (const Expr& index : map.indices) {
    if (index && index->dtype.is_integral() && index->dtype.is_scalar()) continue;
    Refuse(tensor, "an index of the map is no integer", "integers",
           index ? index->dtype.ToString() : "null", "compute indices in int32 or int64");
  }
  if (map.indices.empty())
    Refuse(tensor, "the map gives no index", "at least one index", "none",
           "memory of one element has the index 0");
  int64_t last = 0;
  for (int64_t at : map.separators) {
    if (at <= last || at >= static_cast<int64_t>(map.indices.size())) {
      throw Error(Diagnostic{
          .name = "schedule-layout-separators",
          .message = "transform_layout of `" + tensor->name() + "`: a separator is out of order",
          .expected = "increasing positions from 1 to " + std::to_string(map.indices.size() - 1),
          .found = std::to_string(at) + (last == 0 ? "" : " after " + std::to_string(last)),
          .help = "a separator stands between two physical dimensions"});
    }
    last = at;
  }
  if (!PhysicalShape(whole, tensor->shape())) {
    Refuse(tensor, "the memory it needs has no bound", "indices that are proved >= 0 and bounded",
           TextOf(whole), "use sums, products with sizes, // and % by positive numbers");
  }
  if (!IsInjective(whole, tensor->shape())) {
    throw Error(Diagnostic{
        .name = "schedule-layout-not-injective",
        .message = "transform_layout of `" + tensor->name() +
                   "`: different elements are not proved to lie at different places",
        .expected = "a map that loses nothing, such as (d0 // 16, d1, d0 % 16)",
        .found = TextOf(whole),
        .help =
            "keep the quotient and the remainder of every index that is divided, and scale sums "
            "so that their parts do not overlap"});
  }
}

// One variable per index of the tensor, as the map's arguments.
std::vector<ir::Var> Vars(const Stage& stage, const Tensor& tensor) {
  std::vector<ir::Var> vars;
  auto it = stage.layouts.find(tensor->value_index);
  if (it != stage.layouts.end()) {
    for (const Expr& index : it->second.indices)
      vars.push_back(ir::MakeVar("d" + std::to_string(vars.size()), index->dtype));
  } else {
    for (const Expr& extent : tensor->shape())
      vars.push_back(ir::MakeVar("d" + std::to_string(vars.size()), extent->dtype));
  }
  return vars;
}

void Transform(Schedule& schedule, const Tensor& given, IndexMap map) {
  Stage& stage = schedule[given];
  const Tensor tensor = ir::OutputOf(stage.op, given->value_index);
  CheckTensor(schedule, stage, tensor);
  IndexMap whole = map;
  if (auto it = stage.layouts.find(tensor->value_index); it != stage.layouts.end()) {
    for (const Expr& index : map.indices) LATHE_CHECK(index) << "null index";
    whole = Compose(it->second, map);
  }
  CheckMap(tensor, map, whole);
  std::vector<NodeRef> texts, separators;
  for (const Expr& index : map.indices) texts.push_back(ir::String(TextOf(index)));
  for (int64_t at : map.separators) separators.push_back(ir::Int(at, DataType::Int(64)));
  stage.layouts[tensor->value_index] = std::move(whole);
  Record(*schedule, primitive::kTransformLayout, {},
         {{operand::kStage, ir::String(stage.name)},
          {operand::kOutput, ir::Int(tensor->value_index)},
          {operand::kMap, ir::MakeCall(DataType::Handle(), ir::kListOperand, std::move(texts))},
          {operand::kSeparators,
           ir::MakeCall(DataType::Handle(), ir::kListOperand, std::move(separators))}});
}

}  // namespace

void TransformLayout(Schedule& schedule, const Tensor& tensor, const LayoutMap& map,
                     const std::vector<int64_t>& separators) {
  IndexMap made;
  made.vars = Vars(schedule[tensor], tensor);
  made.indices = map(made.vars);
  made.separators = separators;
  Transform(schedule, tensor, std::move(made));
}

void TransformLayout(Schedule& schedule, const Tensor& tensor, const std::vector<std::string>& map,
                     const std::vector<int64_t>& separators) {
  IndexMap made;
  made.vars = Vars(schedule[tensor], tensor);
  std::vector<NodeRef> known(made.vars.begin(), made.vars.end());
  std::unordered_set<const ir::Node*> seen;
  for (const Ref<Stage>& stage : schedule->stages) {
    for (const Expr& extent : ir::OutputShape(*stage->op, 0)) {
      for (const ir::Var& var : ir::FreeVars(extent)) {
        if (seen.insert(var.get()).second) known.push_back(var);
      }
    }
  }
  for (const std::string& index : map) made.indices.push_back(ir::ParseExpr(index, "map", known));
  made.separators = separators;
  Transform(schedule, tensor, std::move(made));
}

}  // namespace lathe::schedule
