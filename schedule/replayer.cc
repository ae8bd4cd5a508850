#include "schedule/replayer.h"

#include "base/error.h"
#include "ir/names.h"
#include "schedule/trace.h"
#include "schedule/trace_names.h"
#include "te/tensor_intrin.h"

namespace lathe::schedule {

using ir::StringImm;

void Replayer::Fail(std::string name, std::string what, std::string expected,
                    std::string found) const {
  throw Error(Diagnostic{
      .name = std::move(name),
      .message = "step " + std::to_string(number_) + " (" + step_.primitive + "): " + what,
      .expected = std::move(expected),
      .found = std::move(found),
      .help = "check the trace against the program it belongs to",
      .where = {"", static_cast<int>(step_.span.line), static_cast<int>(step_.span.column), ""}});
}

const NodeRef* Replayer::Operand(std::string_view key) const {
  auto it = step_.operands.find(key);
  return it == step_.operands.end() ? nullptr : &it->second;
}

std::string Replayer::Text(std::string_view key) const {
  const NodeRef* node = Operand(key);
  const auto* text = node != nullptr ? ir::As<StringImm>(*node) : nullptr;
  if (text == nullptr)
    Fail("trace-bad-operand", "operand `" + std::string(key) + "`", "a string",
         node == nullptr ? "nothing" : ir::NodeKindName((*node)->node_kind()));
  return text->value;
}

Expr Replayer::Value(std::string_view key) const {
  const NodeRef* node = Operand(key);
  Expr value = node != nullptr ? ir::RefExpr(*node) : Expr();
  if (!value || !value->dtype.is_integral())
    Fail("trace-bad-operand", "operand `" + std::string(key) + "`", "an integer",
         node == nullptr ? "nothing" : ir::NodeKindName((*node)->node_kind()));
  return value;
}

int64_t Replayer::Number(std::string_view key) const {
  const Expr value = Value(key);
  const int64_t* number = ir::AsConstInt(value);
  if (number == nullptr)
    Fail("trace-bad-operand", "operand `" + std::string(key) + "`", "an integer constant",
         "an expression");
  return *number;
}

Ref<const ir::TensorIntrinNode> Replayer::Intrinsic() const {
  const NodeRef* node = Operand(operand::kIntrin);
  if (node != nullptr) {
    if (auto intrin = ir::RefAs<ir::TensorIntrinNode>(*node)) return intrin;
    if (const auto* name = ir::As<StringImm>(*node))
      return te::GetTensorIntrin(name->value, Has(operand::kTarget) ? Text(operand::kTarget) : "");
  }
  Fail("trace-bad-operand", "operand `intrin`", "a tensor intrinsic or its name",
       node == nullptr ? "nothing" : ir::NodeKindName((*node)->node_kind()));
}

Stage& Replayer::StageNamed(const std::string& name) const {
  if (Stage* stage = schedule_->FindByName(name)) return *stage;
  std::vector<std::string> names;
  for (const Ref<Stage>& stage : schedule_->stages) names.push_back(stage->name);
  Fail("trace-unknown-stage", "there is no stage `" + name + "`", "one of " + QuotedList(names),
       "`" + name + "`");
}

Tensor Replayer::OutputOperand() const {
  const Stage& stage = StageOperand();
  const int64_t output = Number(operand::kOutput);
  if (output < 0 || output >= ir::NumOutputs(*stage.op))
    Fail("trace-bad-operand", "operand `output`", "an output of `" + stage.name + "`",
         std::to_string(output));
  return ir::OutputOf(stage.op, output);
}

Group& Replayer::GroupOperand() const {
  const std::string name = Text(operand::kGroup);
  if (Group* group = schedule_->FindGroup(name)) return *group;
  std::vector<std::string> names;
  for (const Ref<Group>& group : schedule_->groups) names.push_back(group->name);
  Fail("trace-unknown-group", "there is no group `" + name + "`",
       names.empty() ? "a step create_group before" : "one of " + QuotedList(names),
       "`" + name + "`");
}

std::vector<Tensor> Replayer::TensorsOf(std::string_view key) const {
  std::vector<Tensor> out;
  for (const std::string& name : Texts(key)) out.push_back(ir::OutputOf(StageNamed(name).op, 0));
  return out;
}

Replayer::Place Replayer::AxisNamed(const std::string& path) const {
  // A stage's name may contain dots ("C.local"), so the longest matching stage is used.
  Stage* best = nullptr;
  for (const Ref<Stage>& stage : schedule_->stages) {
    if (path.starts_with(stage->name + ".") &&
        (best == nullptr || stage->name.size() > best->name.size()) &&
        stage->FindAxis(std::string_view(path).substr(stage->name.size() + 1))) {
      best = stage.get();
    }
  }
  if (best != nullptr)
    return {best, best->FindAxis(std::string_view(path).substr(best->name.size() + 1))};
  std::vector<std::string> names;
  for (const Ref<Stage>& stage : schedule_->stages) {
    for (const IterVar& axis : stage->all_axes) names.push_back(AxisPath(*stage, axis));
  }
  std::vector<std::string> near = NearestNames(path, names);
  Fail("trace-unknown-axis", "there is no axis `" + path + "`",
       near.empty() ? "an axis as \"stage.axis\"" : "perhaps " + QuotedList(near),
       "`" + path + "`");
}

const std::vector<NodeRef>& Replayer::List(std::string_view key, const char* expected) const {
  const NodeRef* node = Operand(key);
  const auto* list = node != nullptr ? ir::As<ir::Call>(*node) : nullptr;
  if (list == nullptr || list->op != ir::kListOperand)
    Fail("trace-bad-operand", "operand `" + std::string(key) + "`", expected,
         node == nullptr ? "nothing" : ir::NodeKindName((*node)->node_kind()));
  return list->args;
}

std::vector<std::string> Replayer::Texts(std::string_view key) const {
  std::vector<std::string> out;
  for (const NodeRef& item : List(key, "a list of strings")) {
    const auto* text = ir::As<StringImm>(item);
    if (text == nullptr)
      Fail("trace-bad-operand", "operand `" + std::string(key) + "`", "a list of strings",
           ir::NodeKindName(item->node_kind()));
    out.push_back(text->value);
  }
  return out;
}

std::vector<Expr> Replayer::Values(std::string_view key) const {
  const NodeRef* node = Operand(key);
  const auto* list = node != nullptr ? ir::As<ir::Call>(*node) : nullptr;
  std::vector<Expr> out;
  const size_t count = list != nullptr && list->op == ir::kListOperand ? list->args.size() : 0;
  for (size_t i = 0; i < count; ++i) {
    const Expr item = list->arg(i);
    if (item && item->dtype.is_integral()) out.push_back(item);
  }
  if (list == nullptr || out.size() != list->args.size())
    Fail("trace-bad-operand", "operand `" + std::string(key) + "`", "a list of integers",
         node == nullptr ? "nothing" : ir::NodeKindName((*node)->node_kind()));
  return out;
}

std::vector<int64_t> Replayer::Numbers(std::string_view key) const {
  std::vector<int64_t> out;
  for (const NodeRef& item : List(key, "a list of integers")) {
    const int64_t* number = ir::AsConstInt(ir::RefExpr(item));
    if (number == nullptr)
      Fail("trace-bad-operand", "operand `" + std::string(key) + "`", "a list of integers",
           ir::NodeKindName(item->node_kind()));
    out.push_back(*number);
  }
  return out;
}

std::vector<IterVar> Replayer::Axes(Stage& stage) const {
  std::vector<IterVar> out;
  for (const std::string& path : Texts(operand::kAxes)) {
    Place place = AxisNamed(path);
    if (place.stage != &stage)
      Fail("trace-bad-operand", "axis `" + path + "`", "an axis of stage `" + stage.name + "`",
           "one of stage `" + place.stage->name + "`");
    out.push_back(std::move(place.axis));
  }
  return out;
}

}  // namespace lathe::schedule
