#include "schedule/canonical_trace.h"

#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "base/error.h"
#include "ir/names.h"
#include "ir/rewrite.h"
#include "ir/structural.h"
#include "ir/text/parser.h"
#include "ir/text/printer.h"
#include "schedule/replayer.h"
#include "schedule/trace_names.h"
#include "te/canonical.h"

namespace lathe::schedule {
namespace {

using ir::StepNode;
using ir::StringImm;
using ir::Var;
using ir::VarMap;
using Trace = ir::List<StepNode>;

// A program without its trace.
struct Side {
  Schedule schedule;
  std::vector<Op> ops;
  std::vector<Var> vars;
};

// The `ops` and `vars` of both sides correspond to each other.
class Translator {
 public:
  Translator(Side from, Side to) : from_(std::move(from.schedule)), to_(std::move(to.schedule)) {
    for (size_t i = 0; i < from.ops.size(); ++i) {
      // A state of a scan that no update reads has no stage.
      if (Stage* stage = from_->Find(from.ops[i])) stages_[stage] = to_->Find(to.ops[i]);
    }
    for (size_t i = 0; i < from.vars.size(); ++i) {
      vars_[from.vars[i]] = to.vars[i];
      from_vars_.emplace_back(from.vars[i]);
    }
  }

  Trace Run(const Trace& trace) {
    for (size_t i = 0; i < trace.size(); ++i) {
      const StepNode& step = *trace[i];
      const Replayer replayer(from_, step, i + 1);
      const Ref<StepNode> translated = Make<StepNode>();
      translated->primitive = step.primitive;
      for (const auto& [key, value] : step.operands)
        translated->operands[key] = Operand(replayer, key, value);
      ReplayStep(from_, step, i + 1);
      ReplayStep(to_, *translated, i + 1);
      PairNewStages();
    }
    return to_->trace;
  }

 private:
  // The name of an operand tells what it is; the names are the same for all primitives.
  NodeRef Operand(const Replayer& step, const std::string& key, const NodeRef& value) const {
    const bool is_list = ir::As<ir::Call>(value) != nullptr;
    if (key == operand::kStage || key == operand::kTensor)
      return ir::String(StageName(step, step.Text(key)));
    if (key == operand::kAxis) return ir::String(AxisName(step, step.Text(key)));
    if (key == operand::kAxes) return Each(step, key, &Translator::AxisName);
    if (key == operand::kReaders || key == operand::kOutputs || key == operand::kInputs)
      return Each(step, key, &Translator::StageName);
    if (key == operand::kPredicate) return Predicate(step);
    if (key == operand::kMap && is_list) return Map(step);
    if (auto intrin = ir::RefAs<ir::TensorIntrinNode>(value)) return te::Canonicalize(intrin);
    if (const Expr expr = ir::RefExpr(value)) return ir::Substitute(expr, vars_);
    return value;
  }

  using Name = std::string (Translator::*)(const Replayer&, const std::string&) const;
  NodeRef Each(const Replayer& step, const std::string& key, Name name) const {
    std::vector<NodeRef> names;
    for (const std::string& text : step.Texts(key))
      names.push_back(ir::String((this->*name)(step, text)));
    return ir::MakeCall(DataType::Handle(), ir::kListOperand, std::move(names));
  }

  std::string StageName(const Replayer& step, const std::string& name) const {
    return stages_.at(&step.StageNamed(name))->name;
  }
  std::string AxisName(const Replayer& step, const std::string& path) const {
    const Replayer::Place place = step.AxisNamed(path);
    const Stage& other = *stages_.at(place.stage);
    return AxisPath(other, OtherAxis(*place.stage, other, place.axis));
  }
  // Stages that correspond have made their axes in the same order.
  static const IterVar& OtherAxis(const Stage& stage, const Stage& other, const IterVar& axis) {
    LATHE_CHECK(stage.all_axes.size() == other.all_axes.size())
        << "stages `" << stage.name << "` and `" << other.name << "` do not correspond";
    size_t at = 0;
    while (!stage.all_axes[at].same_as(axis)) ++at;
    return other.all_axes[at];
  }

  // A condition as text with the names of its stage's axes.
  NodeRef Predicate(const Replayer& step) const {
    const Stage& stage = step.StageOperand();
    const Stage& other = *stages_.at(&stage);
    std::vector<NodeRef> names;
    VarMap renamed;
    for (const IterVar& axis : stage.all_axes) {
      const Var name = ir::MakeVar(stage.AxisName(axis), axis->var->dtype);
      renamed[name] = ir::MakeVar(other.AxisName(OtherAxis(stage, other, axis)), axis->var->dtype);
      names.emplace_back(name);
    }
    const Expr predicate = ir::ParseExpr(step.Text(operand::kPredicate), "<predicate>", names);
    return ir::String(ir::ToText(ir::Substitute(predicate, renamed)));
  }

  // Indices as texts with d0, d1, ... and sizes.
  NodeRef Map(const Replayer& step) const {
    const Tensor tensor = step.OutputOperand();
    const Stage& stage = step.StageOperand();
    const auto layout = stage.layouts.find(tensor->value_index);
    std::vector<NodeRef> names;
    for (const Expr& index :
         layout == stage.layouts.end() ? tensor->shape() : layout->second.indices)
      names.emplace_back(ir::MakeVar("d" + std::to_string(names.size()), index->dtype));
    names.insert(names.end(), from_vars_.begin(), from_vars_.end());
    std::vector<NodeRef> texts;
    for (const std::string& text : step.Texts(operand::kMap))
      texts.push_back(
          ir::String(ir::ToText(ir::Substitute(ir::ParseExpr(text, "map", names), vars_))));
    return ir::MakeCall(DataType::Handle(), ir::kListOperand, std::move(texts));
  }

  // A step makes one stage at most.
  void PairNewStages() {
    const Stage* made = nullptr;
    for (const Ref<Stage>& stage : from_->stages) {
      if (stages_.count(stage.get()) == 0) made = stage.get();
    }
    if (made == nullptr) return;
    std::unordered_set<const Stage*> known;
    for (const auto& [stage, other] : stages_) known.insert(other);
    for (const Ref<Stage>& other : to_->stages) {
      if (known.count(other.get()) == 0) stages_[made] = other.get();
    }
    LATHE_CHECK(stages_.size() == from_->stages.size()) << "a step made more than one stage";
  }

  Schedule from_, to_;
  VarMap vars_;
  std::vector<NodeRef> from_vars_;
  std::unordered_map<const Stage*, Stage*> stages_;
};

// `program` with another trace, and with only those of its operations that are in `ops`.
Program With(const Program& program, const Trace& trace, const std::vector<Op>& ops) {
  std::unordered_set<const ir::Node*> wanted;
  for (const Op& op : ops) wanted.insert(op.get());
  Ref<ir::Node> copy = CloneNode(*program);
  auto& made = static_cast<ir::ProgramNode&>(*copy);
  made.trace = trace;
  std::erase_if(made.ops, [&](const Op& op) { return wanted.count(op.get()) == 0; });
  return Program(static_cast<const ir::ProgramNode*>(copy.get()));
}

// The program before its trace is applied.
Side SideOf(const Program& program, const std::vector<Op>& ops, const std::vector<Var>& vars) {
  return {FromProgram(With(program, {}, ops)).schedule, ops, vars};
}
Side SideOf(const Program& canonical) { return SideOf(canonical, canonical->ops, canonical->vars); }

}  // namespace

Program CanonicalWithTrace(const Program& program) {
  const te::CanonicalProgram own = te::Canonicalize(program->args);
  Translator translator(SideOf(program, own.ops, own.vars), SideOf(own.program));
  return With(own.program, translator.Run(program->trace), own.program->ops);
}

Trace TraceFor(const Program& program, const Program& canonical) {
  const te::CanonicalProgram own = te::Canonicalize(program->args);
  const std::string difference =
      ir::StructuralDifference(own.program, With(canonical, {}, canonical->ops));
  if (!difference.empty()) {
    throw Error(Diagnostic{
        .name = "trace-of-another-program",
        .message = "the trace was recorded for another program than `" + program->name + "`",
        .expected = "a program whose canonical form is that of `" + program->name + "`",
        .found = "a difference at " + difference,
        .help = "look the record up by the workload key of this program"});
  }
  return Translator(SideOf(canonical), SideOf(program, own.ops, own.vars)).Run(canonical->trace);
}

}  // namespace lathe::schedule
