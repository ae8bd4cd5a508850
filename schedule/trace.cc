#include "schedule/trace.h"

#include <algorithm>

#include "base/error.h"
#include "ir/names.h"
#include "ir/walk.h"

namespace lathe::schedule {

using ir::StringImm;

void Record(ScheduleNode& schedule, std::string primitive, std::vector<std::string> results,
            Dict operands) {
  Ref<ir::StepNode> step = Make<ir::StepNode>();
  step->primitive = std::move(primitive);
  for (std::string& result : results)
    step->results.push_back(ir::RefAs<StringImm>(ir::String(std::move(result))));
  step->operands = std::move(operands);
  schedule.trace.push_back(std::move(step));
}

std::string AxisPath(const Stage& stage, const IterVar& axis) {
  return stage.name + "." + stage.AxisName(axis);
}
Expr AxisOperand(const Stage& stage, const IterVar& axis) {
  return ir::String(AxisPath(stage, axis));
}

NodeRef AxesOperand(const Stage& stage, const std::vector<IterVar>& axes) {
  std::vector<NodeRef> list;
  for (const IterVar& axis : axes) list.push_back(AxisOperand(stage, axis));
  return ir::MakeCall(DataType::Handle(), ir::kListOperand, std::move(list));
}

Program ToProgram(const Schedule& schedule, const std::vector<NodeRef>& args, std::string name,
                  Dict attrs) {
  // The user's own operations, found from the arguments; the trace makes the others.
  std::vector<Op> roots;
  for (const Ref<Stage>& stage : schedule->stages) {
    if (stage->is_output) roots.push_back(stage->origin_op);
  }
  Schedule fresh = CreateSchedule(roots);
  Ref<ir::ProgramNode> program = Make<ir::ProgramNode>();
  program->name = std::move(name);
  program->attrs = std::move(attrs);
  program->trace = schedule->trace;
  std::vector<const ir::Node*> known;
  for (const Ref<Stage>& stage : fresh->stages) {
    // A state that no update reads has no stage, but the scan refers to it.
    if (const auto* scan = ir::As<ir::ScanOp>(stage->op)) {
      for (const Tensor& state : scan->state) {
        if (std::none_of(program->ops.begin(), program->ops.end(),
                         [&](const Op& op) { return op.same_as(state->op); }))
          program->ops.push_back(state->op);
      }
    }
    program->ops.push_back(stage->op);
  }
  for (const NodeRef& arg : args) {
    if (Tensor tensor = ir::RefAs<ir::TensorNode>(arg)) {
      if (const Stage* stage = schedule->FindArgument(tensor->op)) {
        tensor = ir::OutputOf(stage->origin_op, tensor->value_index);
      } else if (std::none_of(program->ops.begin(), program->ops.end(),
                              [&](const Op& op) { return op.same_as(tensor->op); })) {
        program->ops.push_back(tensor->op);  // a placeholder that no stage reads
      }
      program->args.push_back(tensor);
    } else {
      program->args.push_back(arg);
    }
  }
  // Size variables, in order of first use.
  auto add_vars = [&](const NodeRef& node) {
    for (const ir::Var& var : ir::FreeVars(node)) {
      if (std::find(known.begin(), known.end(), var.get()) != known.end() || var->dtype.is_handle())
        continue;
      known.push_back(var.get());
      program->vars.push_back(var);
    }
  };
  for (const Op& op : program->ops) add_vars(op);
  for (const NodeRef& arg : program->args) {
    if (ir::As<ir::VarNode>(arg) != nullptr) add_vars(arg);
  }
  return program;
}

Loaded FromProgram(const Program& program) {
  std::vector<Op> outputs;
  for (const Op& op : program->ops) {
    bool read = false;
    for (const Op& other : program->ops) {
      for (const Tensor& input : ir::InputsOf(*other)) read = read || input->op.same_as(op);
    }
    bool argument = false;
    for (const NodeRef& arg : program->args) {
      Tensor tensor = ir::RefAs<ir::TensorNode>(arg);
      argument = argument || (tensor && tensor->op.same_as(op));
    }
    const bool placeholder = op->node_kind() == ir::NodeKind::kPlaceholderOp;
    if (!placeholder && (argument || !read)) outputs.push_back(op);
  }
  if (outputs.empty()) {
    throw Error(Diagnostic{.name = "program-without-output",
                           .message = "program `" + program->name + "` computes nothing",
                           .expected = "at least one operation beside placeholders",
                           .found = std::to_string(program->ops.size()) + " placeholders",
                           .help = "add a compute and list its tensor among the arguments"});
  }
  Loaded loaded;
  loaded.schedule = CreateSchedule(std::move(outputs));
  Replay(loaded.schedule, program->trace);
  loaded.args = program->args;
  loaded.name = program->name;
  return loaded;
}

}  // namespace lathe::schedule
