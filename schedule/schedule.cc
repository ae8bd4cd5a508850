#include "schedule/schedule.h"

#include <algorithm>
#include <unordered_set>

#include "arith/analyzer.h"
#include "base/error.h"
#include "base/planted.h"
#include "ir/text/printer.h"
#include "schedule/queries.h"
#include "te/operation.h"

namespace lathe::schedule {

using ir::ComputeOp;
using ir::NodeKind;
using ir::ScanOp;

namespace {

std::vector<IterVar> RootAxes(const ir::OpNode& op) {
  std::vector<IterVar> out;
  auto add = [&](const std::vector<IterVar>& list) {
    out.insert(out.end(), list.begin(), list.end());
  };
  if (const auto* compute = ir::As<ComputeOp>(&op)) {
    add(compute->axis);
    add(compute->reduce_axis);
  } else if (const auto* scan = ir::As<ScanOp>(&op)) {
    out.push_back(scan->scan_axis);
    add(scan->spatial_axis);
  } else if (const auto* tensorized = ir::As<ir::TensorComputeOp>(&op)) {
    add(tensorized->axis);
    add(tensorized->reduce_axis);
  }
  return out;
}

// That the parts of a scan have the shapes of its states, also where extents are no numbers: rows
// are copied from one to the other. What CheckNode leaves open must be provable.
void CheckScan(const ScanOp& scan) {
  arith::Analyzer analyzer;
  const auto must = [&](bool holds, const std::string& what, const Expr& expected,
                        const Expr& found) {
    if (holds) return;
    throw Error(Diagnostic{.name = "scan-mismatch",
                           .message = "scan `" + scan.name + "`: " + what + " may differ",
                           .expected = ir::ToText(expected),
                           .found = ir::ToText(found),
                           .help = "write both with the same extents"});
  };
  const ir::Range& time = scan.scan_axis->domain;
  for (size_t k = 0; k < scan.state.size(); ++k) {
    const Tensor &init = scan.init[k], &update = scan.update[k], &state = scan.state[k];
    const std::string of_state = " and of its state `" + state->name() + "`";
    for (size_t d = 0; d < state->shape().size(); ++d) {
      const Expr& extent = state->shape()[d];
      for (const Tensor& part : {init, update}) {
        if (d == 0 && part.same_as(init)) continue;
        must(analyzer.CanProveEqual(part->shape()[d], extent),
             "dimension " + std::to_string(d) + " of `" + part->name() + "`" + of_state, extent,
             part->shape()[d]);
      }
    }
    const Expr &first = init->shape()[0], &rows = state->shape()[0];
    must(analyzer.CanProveEqual(first, time->min) ||
             (analyzer.CanProveGE(first - time->min, 0) && analyzer.CanProveGE(time->min, 0)),
         "the rows of `" + init->name() + "` and the start of the scan's range", time->min, first);
    const Expr end = time->min + time->extent;
    must(analyzer.CanProveGE(rows - end, 0), "the end of the scan's range and the rows" + of_state,
         rows, end);
  }
}

}  // namespace

Stage::Stage(ScheduleNode* owner, Op op_, std::string name_)
    : Object(0), schedule(owner), op(op_), origin_op(op_), name(std::move(name_)) {
  root_axes = RootAxes(*op);
  all_axes = root_axes;
  for (const IterVar& axis : root_axes) {
    // A scan's spatial axes belong to its update's stage; axes inside a tensor intrinsic belong to
    // the intrinsic.
    if (axis->iter_kind != ir::IterKind::kOpaque && axis->iter_kind != ir::IterKind::kTensorized)
      leaf_axes.push_back(axis);
  }
}

bool Stage::has_reduction() const {
  const auto* compute = ir::As<ComputeOp>(op);
  return compute != nullptr && ir::As<ir::Reduce>(compute->body[0]) != nullptr;
}

bool Stage::has_threads() const {
  if (!env_threads.empty()) return true;
  return std::any_of(leaf_attrs.begin(), leaf_attrs.end(),
                     [](const auto& of_leaf) { return of_leaf.second.thread.get() != nullptr; });
}

bool Stage::is_placeholder() const { return op->node_kind() == NodeKind::kPlaceholderOp; }

int Stage::LeafIndex(const IterVar& axis) const {
  for (size_t i = 0; i < leaf_axes.size(); ++i) {
    if (leaf_axes[i].same_as(axis)) return static_cast<int>(i);
  }
  return -1;
}

int Stage::RequireLeaf(const IterVar& axis, std::string_view primitive) const {
  LATHE_CHECK(axis) << "null axis";
  const int index = LeafIndex(axis);
  if (index >= 0) return index;
  std::string found = "`" + axis->var->name + "`, which belongs to another stage";
  for (const Relation& relation : relations) {
    if (relation.kind == Relation::kSplit && relation.parent.same_as(axis)) {
      found = "`" + axis->var->name + "`, which was split into `" + relation.outer->var->name +
              "` and `" + relation.inner->var->name + "`";
    } else if (relation.kind == Relation::kFuse &&
               (relation.outer.same_as(axis) || relation.inner.same_as(axis))) {
      found = "`" + axis->var->name + "`, which was fused into `" + relation.fused->var->name + "`";
    }
  }
  for (const IterVar& root : root_axes) {
    if (root.same_as(axis) && axis->iter_kind == ir::IterKind::kOpaque)
      found = "`" + axis->var->name +
              "`, which cannot be scheduled (schedule the scan's update instead)";
  }
  throw Error(Diagnostic{.name = "schedule-not-a-leaf",
                         .message = std::string(primitive) + ": `" + axis->var->name +
                                    "` is not a loop of stage `" + name + "`",
                         .expected = leaf_axes.empty()
                                         ? "a stage with loops"
                                         : "one of the loops " + QuotedList(LeafNames(*this)),
                         .found = found,
                         .help = "use the axes that the earlier step returned"});
}

std::string Stage::AxisName(const IterVar& axis) const {
  int earlier = 0;
  for (const IterVar& other : all_axes) {
    if (other.same_as(axis)) break;
    earlier += other->var->name == axis->var->name ? 1 : 0;
  }
  return earlier == 0 ? axis->var->name : axis->var->name + "_" + std::to_string(earlier);
}

IterVar Stage::FindAxis(std::string_view axis_name) const {
  for (const IterVar& axis : all_axes) {
    if (AxisName(axis) == axis_name) return axis;
  }
  return nullptr;
}

std::string Stage::FreshAxisName(std::string wanted) const {
  if (!FindAxis(wanted)) return wanted;
  for (int i = 1;; ++i) {
    std::string candidate = wanted + "." + std::to_string(i);
    if (!FindAxis(candidate)) return candidate;
  }
}

const LeafAttr* Stage::FindAttr(const IterVar& axis) const {
  auto it = leaf_attrs.find(axis.get());
  return it == leaf_attrs.end() ? nullptr : &it->second;
}

Stage* ScheduleNode::Find(const Op& op) const {
  auto it = by_op_.find(op.get());
  return it == by_op_.end() ? nullptr : it->second.second;
}

Stage* ScheduleNode::FindByName(std::string_view wanted) const {
  for (const Ref<Stage>& stage : stages) {
    if (stage->name == wanted) return stage.get();
  }
  return nullptr;
}

Stage& ScheduleNode::Require(const Op& op) const {
  if (Stage* stage = Find(op)) return *stage;
  std::vector<std::string> names;
  for (const Ref<Stage>& stage : stages) names.push_back(stage->name);
  throw Error(Diagnostic{.name = "schedule-unknown-operation",
                         .message = "operation `" + op->name + "` is not part of this schedule",
                         .expected = "one of " + QuotedList(names),
                         .found = "`" + op->name + "`",
                         .help = "create the schedule from operations that need it"});
}

Stage* ScheduleNode::FindArgument(const Op& op) const {
  return ir::As<ir::PlaceholderOp>(op) != nullptr ? Find(op) : &Require(op);
}

Stage& ScheduleNode::Insert(size_t position, Op op) {
  std::string name = op->name;
  for (int i = 1; FindByName(name) != nullptr; ++i) name = op->name + "." + std::to_string(i);
  Ref<Stage> stage = Make<Stage>(this, op, std::move(name));
  Map(op, stage.get());
  stages.insert(stages.begin() + static_cast<std::ptrdiff_t>(position), stage);
  return *stage;
}

size_t ScheduleNode::PositionOf(const Stage& stage) const {
  for (size_t i = 0; i < stages.size(); ++i) {
    if (stages[i].get() == &stage) return i;
  }
  LATHE_CHECK(false) << "stage `" << stage.name << "` is not in its schedule";
  return 0;
}

void ScheduleNode::ReplaceTensors(std::vector<std::pair<Tensor, Tensor>> replacements,
                                  size_t position, const std::vector<const Stage*>& except) {
  for (size_t i = position; i < stages.size(); ++i) {
    if (Planted(PlantedBug::kCacheReadSkipsDownstream) && i > position) break;
    Stage& stage = *stages[i];
    if (std::find(except.begin(), except.end(), &stage) != except.end()) continue;
    Op op = te::ReplaceInputs(stage.op, replacements);
    if (op.same_as(stage.op)) continue;
    // Replacements that led to the old operation now lead to the new one: a stage may change twice.
    for (auto& [from, to] : replacements) {
      if (to->op.same_as(stage.op)) to = ir::OutputOf(op, to->value_index);
    }
    for (int64_t k = 0; k < ir::NumOutputs(*op); ++k) {
      replacements.emplace_back(ir::OutputOf(stage.op, k), ir::OutputOf(op, k));
    }
    for (Op& output : outputs) {
      if (output.same_as(stage.op)) output = op;
    }
    stage.op = op;
    Map(op, &stage);
  }
}

void ScheduleNode::ReplaceOp(Stage& stage, const Op& after) {
  const Op before = stage.op;
  stage.op = after;
  Map(after, &stage);
  for (Op& output : outputs) {
    if (output.same_as(before)) output = after;
  }
  std::vector<std::pair<Tensor, Tensor>> changed;
  for (int64_t k = 0; k < ir::NumOutputs(*after); ++k)
    changed.emplace_back(ir::OutputOf(before, k), ir::OutputOf(after, k));
  ReplaceTensors(std::move(changed), PositionOf(stage) + 1, {});
}

Group* ScheduleNode::FindGroup(std::string_view wanted) const {
  for (const Ref<Group>& group : groups) {
    if (group->name == wanted) return group.get();
  }
  return nullptr;
}

bool Group::Within(const Group* other) const {
  for (const Group* at = this; at != nullptr; at = at->parent) {
    if (at == other) return true;
  }
  return false;
}

Schedule CreateSchedule(std::vector<Op> outputs) {
  Ref<ScheduleNode> schedule = Make<ScheduleNode>();
  for (const Op& op : PostOrder(outputs)) {
    if (const auto* compute = ir::As<ir::ComputeOp>(op))
      te::CheckReductions(compute->body, compute->name);
    if (const auto* scan = ir::As<ScanOp>(op)) CheckScan(*scan);
    schedule->Insert(schedule->stages.size(), op);
  }
  for (const Op& output : outputs) schedule->Find(output)->is_output = true;
  schedule->outputs = std::move(outputs);

  // The parts of a scan are computed within it: init and update, and all stages between its states
  // and updates.
  for (const Ref<Stage>& stage : schedule->stages) {
    const auto* scan = ir::As<ScanOp>(stage->op);
    if (scan == nullptr) continue;
    std::unordered_set<const ir::Node*> depends;  // operations that read a state, directly or not
    for (const Tensor& state : scan->state) depends.insert(state->op.get());
    for (const Ref<Stage>& other : schedule->stages) {
      if (other.get() == stage.get()) break;
      for (const Tensor& input : ir::InputsOf(*other->op)) {
        if (depends.count(input->op.get()) != 0) depends.insert(other->op.get());
      }
    }
    auto attach = [&](Stage& part) {
      if (part.is_placeholder()) return;
      part.scan = stage.get();
      part.attach = AttachKind::kScan;
      part.attach_stage = stage.get();
      part.attach_axis = scan->scan_axis;
    };
    for (const Ref<Stage>& other : schedule->stages) {
      if (other.get() == stage.get()) break;
      if (depends.count(other->op.get()) != 0 && other->attach == AttachKind::kRoot) attach(*other);
    }
    for (const Tensor& t : scan->update) attach(schedule->Require(t->op));
    for (const Tensor& t : scan->init) attach(schedule->Require(t->op));
  }
  return Schedule(schedule);
}

Ref<Stage> CopyStage(const Stage& stage, ScheduleNode* owner) {
  Ref<Stage> copy = Make<Stage>(owner, stage.op, stage.name);
  copy->origin_op = stage.origin_op;
  copy->is_output = stage.is_output;
  copy->root_axes = stage.root_axes;
  copy->all_axes = stage.all_axes;
  copy->leaf_axes = stage.leaf_axes;
  copy->relations = stage.relations;
  copy->leaf_attrs = stage.leaf_attrs;
  copy->attach = stage.attach;
  copy->attach_axis = stage.attach_axis;
  copy->attach_stage = stage.attach_stage;
  copy->scope = stage.scope;
  copy->layouts = stage.layouts;
  copy->rolling = stage.rolling;
  copy->kept_whole = stage.kept_whole;
  copy->scan = stage.scan;
  copy->group = stage.group;
  copy->env_threads = stage.env_threads;
  copy->alignments = stage.alignments;
  copy->double_buffer = stage.double_buffer;
  copy->store_predicate = stage.store_predicate;
  return copy;
}

Schedule CopySchedule(const Schedule& from) {
  Ref<ScheduleNode> to = Make<ScheduleNode>();
  to->outputs = from->outputs;
  to->trace = from->trace;
  std::unordered_map<const Stage*, Stage*> copies;
  for (const Ref<Stage>& stage : from->stages) {
    Ref<Stage> copy = CopyStage(*stage, to.get());
    copies[stage.get()] = copy.get();
    to->stages.push_back(std::move(copy));
  }
  std::unordered_map<const Group*, Group*> groups;
  for (const Ref<Group>& group : from->groups) {
    Ref<Group> copy = Make<Group>(to.get(), group->name);
    copy->attach_axis = group->attach_axis;
    if (group->attach_stage != nullptr) copy->attach_stage = copies.at(group->attach_stage);
    groups[group.get()] = copy.get();
    to->groups.push_back(std::move(copy));
  }
  for (size_t i = 0; i < from->groups.size(); ++i) {
    if (from->groups[i]->parent != nullptr)
      to->groups[i]->parent = groups.at(from->groups[i]->parent);
  }
  for (const Ref<Stage>& stage : to->stages) {
    if (stage->attach_stage != nullptr) stage->attach_stage = copies.at(stage->attach_stage);
    if (stage->scan != nullptr) stage->scan = copies.at(stage->scan);
    if (stage->group != nullptr) stage->group = groups.at(stage->group);
  }
  from->CopyMapTo(*to, copies);
  return Schedule(to);
}

void ScheduleNode::CopyMapTo(ScheduleNode& to,
                             const std::unordered_map<const Stage*, Stage*>& copies) const {
  for (const auto& [node, entry] : by_op_) to.by_op_[node] = {entry.first, copies.at(entry.second)};
}

IterVar AxisOf(const Tensor& tensor, size_t index) {
  const auto* compute = ir::As<ComputeOp>(tensor->op);
  LATHE_CHECK(compute != nullptr && index < compute->axis.size())
      << "`" << tensor->name() << "` has no axis " << index;
  return compute->axis[index];
}

IterVar ReduceAxisOf(const Tensor& tensor, size_t index) {
  const auto* compute = ir::As<ComputeOp>(tensor->op);
  LATHE_CHECK(compute != nullptr && index < compute->reduce_axis.size())
      << "`" << tensor->name() << "` has no reduce axis " << index;
  return compute->reduce_axis[index];
}

IterVar ResolveLeaf(const Stage& stage, IterVar axis) {
  // Relations are in the order in which they were made, so one pass follows any chain.
  for (const Relation& relation : stage.relations) {
    if ((relation.kind == Relation::kSplit || relation.kind == Relation::kRebase) &&
        relation.parent.same_as(axis))
      axis = relation.inner;
    if (relation.kind == Relation::kFuse &&
        (relation.outer.same_as(axis) || relation.inner.same_as(axis)) &&
        !Planted(PlantedBug::kAttachNotMoved))
      axis = relation.fused;
  }
  return axis;
}

namespace {

bool AnyOf(const std::vector<Tensor>& tensors, const Op& op) {
  return std::any_of(tensors.begin(), tensors.end(),
                     [&](const Tensor& tensor) { return tensor->op.same_as(op); });
}

}  // namespace

bool IsScanInit(const Stage& stage) {
  return stage.scan != nullptr && AnyOf(static_cast<const ScanOp&>(*stage.scan->op).init, stage.op);
}

bool IsScanUpdate(const Stage& stage) {
  return stage.scan != nullptr &&
         AnyOf(static_cast<const ScanOp&>(*stage.scan->op).update, stage.op);
}

void InheritPlace(Stage& made, const Stage& of) {
  made.group = of.group;
  if (of.scan == nullptr || IsScanInit(of)) return;
  made.scan = of.scan;
  made.attach = AttachKind::kScan;
  made.attach_stage = of.scan;
  made.attach_axis = static_cast<const ScanOp&>(*of.scan->op).scan_axis;
}

std::vector<std::string> LeafNames(const Stage& stage) {
  std::vector<std::string> names;
  for (const IterVar& leaf : stage.leaf_axes) names.push_back(leaf->var->name);
  return names;
}

}  // namespace lathe::schedule
