#include "schedule/primitives/create_group.h"

#include <algorithm>
#include <unordered_set>

#include "base/error.h"
#include "ir/names.h"
#include "schedule/primitives/checks.h"
#include "schedule/trace.h"
#include "schedule/trace_names.h"

namespace lathe::schedule {
namespace {

using StageSet = std::unordered_set<const Stage*>;

// A stage comes after the stages that it reads, so one pass in each direction finds the stages
// between.
std::vector<Stage*> StagesBetween(const Schedule& schedule, const StageSet& outputs,
                                  const StageSet& inputs, bool include_inputs) {
  const std::vector<Ref<Stage>>& all = schedule->stages;
  StageSet needed = outputs, reached = inputs;
  for (size_t i = all.size(); i-- > 0;) {
    // The stages that an input needs are before it.
    if (needed.count(all[i].get()) == 0 || inputs.count(all[i].get()) != 0) continue;
    for (const Tensor& input : ir::InputsOf(*all[i]->op)) needed.insert(schedule->Find(input->op));
  }
  std::vector<Stage*> out;
  for (const Ref<Stage>& stage : all) {
    for (const Tensor& input : ir::InputsOf(*stage->op)) {
      if (reached.count(schedule->Find(input->op)) != 0) reached.insert(stage.get());
    }
    const bool between =
        needed.count(stage.get()) != 0 && (inputs.empty() || reached.count(stage.get()) != 0);
    if (!between || stage->is_placeholder()) continue;
    if (inputs.count(stage.get()) == 0 || include_inputs) out.push_back(stage.get());
  }
  return out;
}

// The largest group around `stage` whose stages are all in `members`; null if there is none.
Group* Enclosed(const Stage& stage, const StageSet& members) {
  Group* found = nullptr;
  for (Group* at = stage.group; at != nullptr; at = at->parent) {
    const std::vector<Stage*> stages = StagesOf(*at);
    if (!std::all_of(stages.begin(), stages.end(),
                     [&](const Stage* other) { return members.count(other) != 0; }))
      break;
    found = at;
  }
  return found;
}

Expr NamesOf(const Schedule& schedule, const std::vector<Tensor>& tensors) {
  std::vector<NodeRef> names;
  for (const Tensor& tensor : tensors) names.push_back(ir::String(schedule[tensor].name));
  return ir::MakeCall(DataType::Handle(), ir::kListOperand, std::move(names));
}

}  // namespace

std::vector<Stage*> StagesOf(const Group& group) {
  std::vector<Stage*> out;
  for (const Ref<Stage>& stage : group.schedule->stages) {
    if (stage->group != nullptr && stage->group->Within(&group)) out.push_back(stage.get());
  }
  return out;
}

Group& CreateGroup(Schedule& schedule, const std::vector<Tensor>& outputs,
                   const std::vector<Tensor>& inputs, bool include_inputs) {
  StageSet ends, begins;
  std::vector<std::string> names;
  for (const Tensor& tensor : outputs) {
    ends.insert(&schedule[tensor]);
    names.push_back(schedule[tensor].name);
  }
  for (const Tensor& tensor : inputs) begins.insert(&schedule[tensor]);
  const std::vector<Stage*> members = StagesBetween(schedule, ends, begins, include_inputs);
  if (members.empty()) {
    throw Error(Diagnostic{
        .name = "schedule-group-empty",
        .message = "create_group: no stage lies between the inputs and the outputs given",
        .expected = "outputs that are computed from the inputs",
        .found = names.empty() ? "no outputs" : "the outputs " + QuotedList(names),
        .help = "name tensors that the outputs depend on, or no inputs at all"});
  }
  const StageSet set(members.begin(), members.end());
  // The group around all of them, except groups inside the new one.
  Group* around = nullptr;
  for (size_t i = 0; i < members.size(); ++i) {
    const Group* enclosed = Enclosed(*members[i], set);
    Group* next = enclosed != nullptr ? enclosed->parent : members[i]->group;
    if (i == 0) around = next;
    if (next == around) continue;
    throw Error(Diagnostic{
        .name = "schedule-group-overlap",
        .message = "create_group: stages `" + members[0]->name + "` and `" + members[i]->name +
                   "` are in different groups",
        .expected = "groups that lie within each other or apart",
        .found = (around != nullptr ? "`" + around->name + "`" : std::string("no group")) +
                 " and " + (next != nullptr ? "`" + next->name + "`" : std::string("no group")),
        .help = "make the inner group first, or choose stages of one group"});
  }
  for (const Stage* stage : members) {
    if (stage->attach_stage == nullptr || set.count(stage->attach_stage) != 0) continue;
    throw Error(Diagnostic{.name = "schedule-group-attach",
                           .message = "create_group: stage `" + stage->name +
                                      "` is computed at a loop of stage `" +
                                      stage->attach_stage->name + "`, which is not in the group",
                           .expected = "stages at the root or within the group",
                           .found = "`" + stage->attach_stage->name + "`",
                           .help = "make the group first, then attach it"});
  }
  std::string name = "group";
  for (int i = 1; schedule->FindGroup(name) != nullptr; ++i) name = "group." + std::to_string(i);
  const Dict operands = {{operand::kOutputs, NamesOf(schedule, outputs)},
                         {operand::kInputs, NamesOf(schedule, inputs)},
                         {operand::kIncludeInputs, ir::Int(include_inputs ? 1 : 0)}};
  Ref<Group> group = Make<Group>(schedule.operator->(), name);
  group->parent = around;
  std::vector<Group*> enclosed;  // all are found before any change, by their stages
  for (Stage* stage : members) enclosed.push_back(Enclosed(*stage, set));
  for (size_t i = 0; i < members.size(); ++i) {
    if (enclosed[i] != nullptr)
      enclosed[i]->parent = group.get();
    else
      members[i]->group = group.get();
  }
  schedule->groups.push_back(group);
  Record(*schedule, primitive::kCreateGroup, {name}, operands);
  return *group;
}

void ComputeAt(Group& group, Stage& parent, const IterVar& axis) {
  const std::string what = "group `" + group.name + "`";
  RequireAttachPoint(*group.schedule, what, parent, axis);
  if (parent.group != nullptr && parent.group->Within(&group)) {
    throw Error(Diagnostic{.name = "schedule-attach-self",
                           .message = "compute_at: " + what + " cannot be computed within itself",
                           .expected = "a stage that reads what the group computes",
                           .found = "stage `" + parent.name + "` of the group",
                           .help = "name a stage outside the group and one of its loops"});
  }
  if (group.parent != nullptr && (parent.group == nullptr || !parent.group->Within(group.parent))) {
    throw Error(Diagnostic{.name = "schedule-group-attach",
                           .message = "compute_at: " + what + " is in group `" +
                                      group.parent->name + "`, stage `" + parent.name + "` is not",
                           .expected = "a stage of the same group",
                           .found = "`" + parent.name + "`",
                           .help = "attach the outer group"});
  }
  for (const Stage* stage : StagesOf(group)) {
    if (!stage->is_output) continue;
    throw Error(Diagnostic{
        .name = "schedule-attach-output",
        .message = "compute_at: " + what + " holds stage `" + stage->name + "`, which is an output",
        .expected = "a group without outputs of the schedule",
        .found = "`" + stage->name + "`, which is always computed whole",
        .help = "make the group from the stages before it"});
  }
  group.attach_stage = &parent;
  group.attach_axis = axis;
  Record(*group.schedule, primitive::kComputeAt, {},
         {{operand::kGroup, ir::String(group.name)}, {operand::kAxis, AxisOperand(parent, axis)}});
}

void ComputeRoot(Group& group) {
  group.attach_stage = nullptr;
  group.attach_axis = nullptr;
  Record(*group.schedule, primitive::kComputeRoot, {}, {{operand::kGroup, ir::String(group.name)}});
}

}  // namespace lathe::schedule
