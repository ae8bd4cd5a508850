// Schedules: how the operations of a tensor program are computed.
//
// A Schedule holds one Stage per operation, in an order in which each follows what it reads. A
// stage starts as a plain loop nest over its operation's axes, computed on its own; the primitives
// in schedule/primitives/ change that, one file each. Schedules and stages are mutable and belong
// to one thread at a time; operations and axes are immutable.
//
//   Schedule s = CreateSchedule({c->op});
//   auto [io, ii] = Split(s[c], AxisOf(c, 0), 32);
//   Vectorize(s[c], ii);
//
// Axes: every stage axis is numbered from 0 in its loop; an operation's axis whose needed region
// starts elsewhere is rebased where its value is used (S6). Derived axes are named
// deterministically: i.outer, i.inner, i.j.fused.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ir/tensor_op.h"
#include "schedule/index_map.h"

namespace lathe::schedule {

using ir::Dict;
using ir::Expr;
using ir::ForKind;
using ir::IterVar;
using ir::NodeRef;
using ir::Op;
using ir::Program;
using ir::Range;
using ir::Tensor;

class ScheduleNode;
class Group;
class Stage;

// Where a stage is computed.
enum class AttachKind {
  kRoot,    // before everything that follows, with a whole buffer
  kInline,  // wherever it is read, without a buffer
  kScope,   // within a loop of another stage
  kScan,    // part of a scan, at its time loop: set by CreateSchedule, not by primitives
};

// How axes derive from each other.
struct Relation {
  enum Kind { kSplit, kFuse, kSingleton, kRebase } kind;
  IterVar parent;  // split: what was split; rebase: an axis of the operation
  IterVar outer,
      inner;            // split: results; fuse: what was fused; rebase: `inner` stands for `parent`
  IterVar fused;        // fuse, singleton: result
  Expr factor, nparts;  // split: exactly one is set
};

// What a leaf's loop looks like.
struct LeafAttr {
  ForKind kind = ForKind::kSerial;
  IterVar thread;  // the thread axis it is bound to, or null
  Dict annotations;
  // The loop and those inside it are one call of this intrinsic (tensorize), or null.
  Ref<const ir::TensorIntrinNode> intrin;
  // Each iteration asks for what iteration + offset will read of a tensor (prefetch).
  std::vector<std::pair<Tensor, Expr>> prefetches;
};

// The stride of a dimension of a stage's buffer is `offset` modulo `factor` (storage_align).
struct StorageAlignment {
  int64_t factor = 1, offset = 0;
};

class Stage : public Object {
 public:
  Stage(ScheduleNode* owner, Op op, std::string name);

  ScheduleNode* schedule;  // not owned
  Op op;                   // as rewritten by cache_write, inlining, ...
  Op origin_op;            // as the user made it
  std::string name;        // unique in the schedule; the operation's where that is unique
  bool is_output = false;

  std::vector<IterVar> root_axes;  // of the operation
  std::vector<IterVar> all_axes;   // every axis that ever was
  std::vector<IterVar> leaf_axes;  // the loops, outermost first
  std::vector<Relation> relations;
  std::unordered_map<const ir::IterVarNode*, LeafAttr> leaf_attrs;

  AttachKind attach = AttachKind::kRoot;
  Stage* attach_stage = nullptr;
  IterVar attach_axis;  // as given; ResolveAttachAxis finds the leaf it became (S8)

  std::string scope;  // memory scope of the outputs; "" lets the threads decide (S10)
  // Thread axes around the whole stage, each with an extent: its parts are bound to them.
  std::vector<IterVar> env_threads;
  std::map<size_t, StorageAlignment> alignments;  // by dimension of the outputs
  bool double_buffer = false;
  // Elements are stored only where this holds; over the variables of axes. Null: everywhere.
  Expr store_predicate;

  // How outputs lie in memory, by their number; none: row by row.
  std::unordered_map<int64_t, IndexMap> layouts;
  // Attached to a loop, it keeps what the next iteration needs as well.
  bool rolling = false;

  // The scan that this stage is part of: it reads a state, directly or not, or is an init or
  // update.
  Stage* scan = nullptr;
  Group* group = nullptr;  // the innermost that holds it; owned by the schedule

  // "reduction", "elementwise" stages alike: does the operation reduce?
  bool has_reduction() const;
  bool is_placeholder() const;
  // Position among the leaves, or -1.
  int LeafIndex(const IterVar& axis) const;
  // The leaf; throws "schedule-not-a-leaf" naming what the axis became and the leaves there are.
  int RequireLeaf(const IterVar& axis, std::string_view primitive) const;
  // The name of an axis of this stage, unlike all others': that of its variable, with "_1", "_2",
  // ... where earlier axes have the same (two reduction axes that the user called `k`).
  std::string AxisName(const IterVar& axis) const;
  // An axis of this stage by name ("i.outer"); null if there is none.
  IterVar FindAxis(std::string_view axis_name) const;
  // A name that no axis of this stage has yet.
  std::string FreshAxisName(std::string wanted) const;
  LeafAttr& AttrOf(const IterVar& axis) { return leaf_attrs[axis.get()]; }
  const LeafAttr* FindAttr(const IterVar& axis) const;
};

// Stages that are attached together (S9): those at the root are computed where the group is.
class Group : public Object {
 public:
  Group(ScheduleNode* owner, std::string group_name)
      : Object(0), schedule(owner), name(std::move(group_name)) {}

  ScheduleNode* schedule;  // not owned
  std::string name;        // unique in the schedule
  Group* parent = nullptr;
  Stage* attach_stage = nullptr;  // null: at the root, or where the parent is
  IterVar attach_axis;

  // Is it `other`, or within it?
  bool Within(const Group* other) const;
};

class ScheduleNode : public Object {
 public:
  ScheduleNode() : Object(0) {}

  std::vector<Op> outputs;
  std::vector<Ref<Stage>> stages;  // in topological order
  std::vector<Ref<Group>> groups;
  ir::List<ir::StepNode> trace;

  // The stage of an operation (also of one that was replaced since); null if it is not in this
  // schedule.
  Stage* Find(const Op& op) const;
  Stage* FindByName(std::string_view name) const;
  // As Find; throws "schedule-unknown-operation".
  Stage& Require(const Op& op) const;
  // `op` now belongs to `stage` as well.
  void Map(const Op& op, Stage* stage) { by_op_[op.get()] = {op, stage}; }
  // A new stage for `op` at `position` of the order.
  Stage& Insert(size_t position, Op op);
  size_t PositionOf(const Stage& stage) const;
  // Puts replaced tensors into all operations from `position` on, in order, skipping `except`.
  void ReplaceTensors(std::vector<std::pair<Tensor, Tensor>> replacements, size_t position,
                      const std::vector<const Stage*>& except);
  // `stage` computes `after` from now on; all that reads its tensors follows.
  void ReplaceOp(Stage& stage, const Op& after);
  Group* FindGroup(std::string_view name) const;
  // Which operation belongs to which stage, for CopySchedule.
  void CopyMapTo(ScheduleNode& to, const std::unordered_map<const Stage*, Stage*>& copies) const;

 private:
  std::unordered_map<const ir::Node*, std::pair<Op, Stage*>> by_op_;
};

// The handle.
class Schedule {
 public:
  Schedule() = default;
  explicit Schedule(Ref<ScheduleNode> node) : node_(std::move(node)) {}
  Stage& operator[](const Tensor& tensor) const { return node_->Require(tensor->op); }
  Stage& operator[](const Op& op) const { return node_->Require(op); }
  ScheduleNode* operator->() const { return node_.get(); }
  ScheduleNode& operator*() const { return *node_; }
  explicit operator bool() const { return static_cast<bool>(node_); }

 private:
  Ref<ScheduleNode> node_;
};

// A stage for every operation that `outputs` need.
Schedule CreateSchedule(std::vector<Op> outputs);
// Stages, axes' attributes and trace copied; operations and axes shared. Changing one leaves the
// other.
Schedule CopySchedule(const Schedule& schedule);

// A copy of the stage alone, of schedule `owner` but not among its stages.
Ref<Stage> CopyStage(const Stage& stage, ScheduleNode* owner);

// The operation's k-th data axis (its reduce axes follow the data axes).
IterVar AxisOf(const Tensor& tensor, size_t index);
IterVar ReduceAxisOf(const Tensor& tensor, size_t index);

// The leaf that `axis` of `stage` became: its inner part where it was split, the fused axis where
// it was fused (S8).
IterVar ResolveLeaf(const Stage& stage, IterVar axis);

// Is it one of the operations whose first rows (`init`) or further rows (`update`) a scan takes?
bool IsScanInit(const Stage& stage);
bool IsScanUpdate(const Stage& stage);

// A stage that a primitive made next to `of`, for the same purpose, belongs where `of` belongs: to
// its group, and to its scan where it reads what changes from step to step.
void InheritPlace(Stage& made, const Stage& of);

// "i.outer, i.inner, j": for diagnostics.
std::vector<std::string> LeafNames(const Stage& stage);

}  // namespace lathe::schedule
