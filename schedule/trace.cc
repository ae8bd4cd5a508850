#include "schedule/trace.h"

#include <algorithm>
#include <functional>
#include <map>

#include "base/error.h"
#include "ir/walk.h"
#include "schedule/primitives/primitives.h"

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
  return ir::MakeCall(DataType::Handle(), "list", std::move(list));
}

namespace {

// One step being applied: looks its operands up and knows where it stands, for diagnostics.
class Replayer {
 public:
  Replayer(Schedule& schedule, const ir::StepNode& step, size_t number)
      : schedule_(schedule), step_(step), number_(number) {}

  Schedule& schedule() { return schedule_; }

  [[noreturn]] void Fail(std::string name, std::string what, std::string expected,
                         std::string found) const {
    throw Error(Diagnostic{
        .name = std::move(name),
        .message = "step " + std::to_string(number_) + " (" + step_.primitive + "): " + what,
        .expected = std::move(expected),
        .found = std::move(found),
        .help = "check the trace against the program it belongs to",
        .where = {"", static_cast<int>(step_.span.line), static_cast<int>(step_.span.column), ""}});
  }

  const NodeRef* Operand(std::string_view key) const {
    auto it = step_.operands.find(key);
    return it == step_.operands.end() ? nullptr : &it->second;
  }
  bool Has(std::string_view key) const { return Operand(key) != nullptr; }

  std::string Text(std::string_view key) const {
    const NodeRef* node = Operand(key);
    const auto* text = node != nullptr ? ir::As<StringImm>(*node) : nullptr;
    if (text == nullptr)
      Fail("trace-bad-operand", "operand `" + std::string(key) + "`", "a string",
           node == nullptr ? "nothing" : ir::NodeKindName((*node)->node_kind()));
    return text->value;
  }
  Expr Value(std::string_view key) const {
    const NodeRef* node = Operand(key);
    Expr value = node != nullptr ? ir::RefExpr(*node) : Expr();
    if (!value || !value->dtype.is_integral())
      Fail("trace-bad-operand", "operand `" + std::string(key) + "`", "an integer",
           node == nullptr ? "nothing" : ir::NodeKindName((*node)->node_kind()));
    return value;
  }
  int64_t Number(std::string_view key) const {
    const Expr value = Value(key);
    const int64_t* number = ir::AsConstInt(value);
    if (number == nullptr)
      Fail("trace-bad-operand", "operand `" + std::string(key) + "`", "an integer constant",
           "an expression");
    return *number;
  }

  Stage& StageNamed(const std::string& name) const {
    if (Stage* stage = schedule_->FindByName(name)) return *stage;
    std::vector<std::string> names;
    for (const Ref<Stage>& stage : schedule_->stages) names.push_back(stage->name);
    Fail("trace-unknown-stage", "there is no stage `" + name + "`", "one of " + QuotedList(names),
         "`" + name + "`");
  }
  Stage& StageOperand() const { return StageNamed(Text("stage")); }

  struct Place {
    Stage* stage;
    IterVar axis;
  };
  Place AxisNamed(const std::string& path) const {
    // A stage's name may itself hold dots ("C.local"): the longest stage that fits wins.
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
  Place AxisOperand() const { return AxisNamed(Text("axis")); }

  std::vector<std::string> Texts(std::string_view key) const {
    const NodeRef* node = Operand(key);
    const auto* list = node != nullptr ? ir::As<ir::Call>(*node) : nullptr;
    if (list == nullptr || list->op != "list")
      Fail("trace-bad-operand", "operand `" + std::string(key) + "`", "a list of strings",
           node == nullptr ? "nothing" : ir::NodeKindName((*node)->node_kind()));
    std::vector<std::string> out;
    for (const NodeRef& item : list->args) {
      const auto* text = ir::As<StringImm>(item);
      if (text == nullptr)
        Fail("trace-bad-operand", "operand `" + std::string(key) + "`", "a list of strings",
             ir::NodeKindName(item->node_kind()));
      out.push_back(text->value);
    }
    return out;
  }
  std::vector<IterVar> Axes(Stage& stage) const {
    std::vector<IterVar> out;
    for (const std::string& path : Texts("axes")) {
      Place place = AxisNamed(path);
      if (place.stage != &stage)
        Fail("trace-bad-operand", "axis `" + path + "`", "an axis of stage `" + stage.name + "`",
             "one of stage `" + place.stage->name + "`");
      out.push_back(std::move(place.axis));
    }
    return out;
  }

 private:
  Schedule& schedule_;
  const ir::StepNode& step_;
  size_t number_;
};

using Apply = void (*)(Replayer&);

// Adding a primitive: one line here.
const std::map<std::string, Apply, std::less<>>& Primitives() {
  static const auto* const table = new std::map<std::string, Apply, std::less<>>{
      {"split",
       [](Replayer& r) {
         auto [stage, axis] = r.AxisOperand();
         if (r.Has("factor"))
           Split(*stage, axis, r.Value("factor"));
         else
           SplitParts(*stage, axis, r.Value("nparts"));
       }},
      {"fuse",
       [](Replayer& r) {
         Stage& stage = r.StageOperand();
         Fuse(stage, r.Axes(stage));
       }},
      {"reorder",
       [](Replayer& r) {
         Stage& stage = r.StageOperand();
         Reorder(stage, r.Axes(stage));
       }},
      {"vectorize",
       [](Replayer& r) {
         auto [stage, axis] = r.AxisOperand();
         Vectorize(*stage, axis);
       }},
      {"unroll",
       [](Replayer& r) {
         auto [stage, axis] = r.AxisOperand();
         Unroll(*stage, axis);
       }},
      {"parallel",
       [](Replayer& r) {
         auto [stage, axis] = r.AxisOperand();
         Parallel(*stage, axis);
       }},
      {"bind",
       [](Replayer& r) {
         auto [stage, axis] = r.AxisOperand();
         Bind(*stage, axis,
              ThreadAxis(r.Text("thread"), r.Has("extent") ? r.Value("extent") : Expr()));
       }},
      {"compute_at",
       [](Replayer& r) {
         auto [parent, axis] = r.AxisOperand();
         ComputeAt(r.StageOperand(), *parent, axis);
       }},
      {"compute_root", [](Replayer& r) { ComputeRoot(r.StageOperand()); }},
      {"compute_inline", [](Replayer& r) { ComputeInline(r.StageOperand()); }},
      {"cache_read",
       [](Replayer& r) {
         Stage& stage = r.StageOperand();
         std::vector<Op> readers;
         for (const std::string& name : r.Texts("readers"))
           readers.push_back(r.StageNamed(name).op);
         const int64_t output = r.Number("output");
         if (output < 0 || output >= ir::NumOutputs(*stage.op))
           r.Fail("trace-bad-operand", "operand `output`", "an output of `" + stage.name + "`",
                  std::to_string(output));
         CacheRead(r.schedule(), ir::OutputOf(stage.op, output), r.Text("scope"), readers);
       }},
      {"cache_write",
       [](Replayer& r) {
         CacheWrite(r.schedule(), ir::OutputOf(r.StageOperand().op, 0), r.Text("scope"));
       }},
  };
  return *table;
}

}  // namespace

void Replay(Schedule& schedule, const ir::List<ir::StepNode>& trace) {
  size_t number = 0;
  for (const Ref<const ir::StepNode>& step : trace) {
    Replayer replayer(schedule, *step, ++number);
    auto it = Primitives().find(step->primitive);
    if (it == Primitives().end()) {
      std::vector<std::string> names;
      for (const auto& [name, apply] : Primitives()) names.push_back(name);
      std::vector<std::string> near = NearestNames(step->primitive, names);
      replayer.Fail("trace-unknown-primitive", "there is no such primitive",
                    "one of " + QuotedList(near.empty() ? names : near),
                    "`" + step->primitive + "`");
    }
    it->second(replayer);
  }
}

Program ToProgram(const Schedule& schedule, const std::vector<NodeRef>& args, std::string name,
                  Dict attrs) {
  // The user's own operations, found again from the arguments: the trace makes the others.
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
  for (const Ref<Stage>& stage : fresh->stages) program->ops.push_back(stage->op);
  for (const NodeRef& arg : args) {
    if (Tensor tensor = ir::RefAs<ir::TensorNode>(arg)) {
      program->args.push_back(ir::OutputOf(schedule[tensor].origin_op, tensor->value_index));
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
