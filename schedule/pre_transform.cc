#include "schedule/pre_transform.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "ir/names.h"
#include "schedule/trace.h"
#include "schedule/trace_names.h"

namespace lathe::schedule {
namespace {

using ir::StepNode;
using ir::StringImm;

std::string TextOf(const NodeRef& node) {
  const auto* const text = ir::As<StringImm>(node);
  return text == nullptr ? "" : text->value;
}

// The texts of an operand: a name, or a list of them.
std::vector<std::string> TextsOf(const NodeRef& operand) {
  std::vector<std::string> texts;
  if (const auto* const list = ir::As<ir::Call>(operand)) {
    for (const NodeRef& item : list->args) texts.push_back(TextOf(item));
  } else {
    texts.push_back(TextOf(operand));
  }
  return texts;
}

std::string TextOperand(const StepNode& step, std::string_view key) {
  const auto it = step.operands.find(key);
  return it == step.operands.end() ? "" : TextOf(it->second);
}

bool IsStep(const StepNode& step, std::string_view primitive) {
  return step.primitive == primitive;
}

// Names of axes begin with their stage's.
bool IsWithin(const std::string& name, const std::string& stage) {
  return name.starts_with(stage + ".");
}

// Does the step change the copy, and nothing else?
bool Changes(const StepNode& step, const std::string& copy) {
  if (TextOperand(step, operand::kStage) == copy) return true;
  return std::ranges::any_of(step.operands, [&](const auto& operand) {
    const std::vector<std::string> texts = TextsOf(operand.second);
    return std::ranges::any_of(texts, [&](const auto& text) { return IsWithin(text, copy); });
  });
}

// Whether the copy stands alone at the root, so that its steps can be left out of the trace.
bool CanMoveOut(const Schedule& schedule, const std::string& copy) {
  const Stage* const stage = schedule->FindByName(copy);
  if (stage == nullptr || stage->attach != AttachKind::kRoot || stage->scan != nullptr ||
      stage->group != nullptr || stage->is_output || stage->layouts.empty())
    return false;
  for (const Ref<Stage>& other : schedule->stages) {
    // Copies of the copy, and what is computed in its loops.
    if (IsWithin(other->name, copy) || other->attach_stage == stage) return false;
  }
  // Other steps must not name it, such as a second copy made of its reads.
  return std::ranges::none_of(schedule->trace, [&](const Ref<const StepNode>& step) {
    return std::ranges::any_of(step->operands, [&](const auto& operand) {
      if (operand.first == operand::kStage) return false;
      const std::vector<std::string> texts = TextsOf(operand.second);
      return std::ranges::find(texts, copy) != texts.end();
    });
  });
}

// The arguments by their copies.
std::map<std::string, std::string> CopiesOf(const Schedule& schedule,
                                            const std::vector<Tensor>& layout_free) {
  std::map<std::string, std::string> argument_of;
  for (const Tensor& argument : layout_free) {
    const Stage* const source = schedule->Find(argument->op);
    if (source == nullptr || !source->is_placeholder() || !source->layouts.empty()) continue;
    for (const Ref<const StepNode>& step : schedule->trace) {
      if (!IsStep(*step, primitive::kCacheRead) || step->results.empty() ||
          TextOperand(*step, operand::kStage) != source->name)
        continue;
      const std::string copy = step->results[0]->value;
      if (!CanMoveOut(schedule, copy)) continue;
      argument_of[copy] = source->name;
      break;
    }
  }
  return argument_of;
}

// The step for the argument instead of its copy.
Ref<const StepNode> ForArgument(const StepNode& step, const std::string& argument) {
  const Ref<StepNode> made = Make<StepNode>();
  made->primitive = step.primitive;
  made->operands = step.operands;
  made->operands[operand::kStage] = ir::String(argument);
  return made;
}

}  // namespace

Schedule PreTransform(const Schedule& schedule, const std::vector<Tensor>& layout_free,
                      std::vector<Tensor>* transformed) {
  const std::map<std::string, std::string> argument_of = CopiesOf(schedule, layout_free);
  ir::List<StepNode> trace;
  for (const Ref<const StepNode>& step : schedule->trace) {
    const auto made = [&](const auto& copy) {
      return IsStep(*step, primitive::kCacheRead) && !step->results.empty() &&
             step->results[0]->value == copy.first;
    };
    if (std::ranges::any_of(argument_of, made)) continue;
    const auto changed = std::ranges::find_if(
        argument_of, [&](const auto& copy) { return Changes(*step, copy.first); });
    if (changed == argument_of.end()) {
      trace.push_back(step);
    } else if (IsStep(*step, primitive::kTransformLayout)) {
      trace.push_back(ForArgument(*step, changed->second));
    }
  }
  std::vector<Op> outputs;
  for (const Ref<Stage>& stage : schedule->stages) {
    if (stage->is_output) outputs.push_back(stage->origin_op);
  }
  Schedule made = CreateSchedule(std::move(outputs));
  Replay(made, trace);
  for (const Tensor& argument : layout_free) {
    if (transformed != nullptr && !made[argument].layouts.empty()) transformed->push_back(argument);
  }
  return made;
}

}  // namespace lathe::schedule
