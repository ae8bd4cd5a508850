// Schedules: how the operations of a tensor program are computed.
//
// A Schedule has one Stage per operation, in an order in which each stage follows the stages that
// it reads. A stage starts as a plain loop nest over its operation's axes, computed separately; the
// primitives in schedule/primitives/ change that, one file each. One thread at a time may use a
// schedule and its stages; operations and axes are immutable.
//
//   Schedule s = CreateSchedule({c->op});
//   auto [io, ii] = Split(s[c], AxisOf(c, 0), 32);
//   Vectorize(s[c], ii);
//
// Axes: every axis of a stage counts from 0 in its loop; if the needed region of an operation's
// axis starts elsewhere, the start is added where the axis's value is used (S6). Derived axes have
// deterministic names: i.outer, i.inner, i.j.fused.
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
  kRoot,    // before all later stages, with a whole buffer
  kInline,  // in each reader, without a buffer
  kScope,   // within a loop of another stage
  kScan,    // part of a scan, at its time loop: set by CreateSchedule, not by primitives
};

// How axes are derived from each other.
struct Relation {
  enum Kind { kSplit, kFuse, kSingleton, kRebase } kind;
  IterVar parent;  // split: the axis that was split; rebase: an axis of the operation
  IterVar outer,
      inner;            // split: results; fuse: what was fused; rebase: `inner` stands for `parent`
  IterVar fused;        // fuse, singleton: result
  Expr factor, nparts;  // split: exactly one is set
};

// The attributes of a leaf's loop.
struct LeafAttr {
  ForKind kind = ForKind::kSerial;
  IterVar thread;  // the thread axis it is bound to, or null
  Dict annotations;
  // The loop and those inside it are one call of this intrinsic (tensorize), or null.
  Ref<const ir::TensorIntrinNode> intrin;
  // Each iteration prefetches the elements of a tensor that iteration + offset will read
  // (prefetch).
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
  Op origin_op;            // the user's operation
  std::string name;        // unique in the schedule; the operation's where that is unique
  bool is_output = false;

  std::vector<IterVar> root_axes;  // of the operation
  std::vector<IterVar> all_axes;   // all axes, including those that were split or fused
  std::vector<IterVar> leaf_axes;  // the loops, outermost first
  std::vector<Relation> relations;
  std::unordered_map<const ir::IterVarNode*, LeafAttr> leaf_attrs;

  AttachKind attach = AttachKind::kRoot;
  Stage* attach_stage = nullptr;
  IterVar attach_axis;  // as given; ResolveLeaf finds the leaf that it became (S8)

  std::string scope;  // memory scope of the outputs; "" lets the threads decide (S10)
  // Thread axes around the whole stage, each with an extent; loops inside the stage are bound to
  // them.
  std::vector<IterVar> env_threads;
  std::map<size_t, StorageAlignment> alignments;  // by dimension of the outputs
  bool double_buffer = false;
  // A condition over axis variables: elements are stored only if it holds. Null: always.
  Expr store_predicate;

  // The memory layout of outputs, by their number; no entry: row-major.
  std::unordered_map<int64_t, IndexMap> layouts;
  // If attached to a loop, it also keeps the elements that the next iteration needs.
  bool rolling = false;
  // It is attached to a loop, and its memory is that of the whole tensor: it is an output, or
  // something reads it later. Set by Normalize.
  bool kept_whole = false;

  // The scan to which this stage belongs: it reads a state, directly or indirectly, or is an init
  // or update.
  Stage* scan = nullptr;
  Group* group = nullptr;  // the innermost that holds it; owned by the schedule

  // True if the operation reduces.
  bool has_reduction() const;
  // Are loops of the stage itself, or its environment, bound to threads?
  bool has_threads() const;
  bool is_placeholder() const;
  // The position among the leaves, or -1.
  int LeafIndex(const IterVar& axis) const;
  // The position of the leaf; throws "schedule-not-a-leaf", which says what the axis became and
  // lists the leaves.
  int RequireLeaf(const IterVar& axis, std::string_view primitive) const;
  // The unique name of an axis of this stage: the name of its variable, with "_1", "_2", ... if an
  // earlier axis has the same name (two reduction axes that the user called `k`).
  std::string AxisName(const IterVar& axis) const;
  // An axis of this stage by name ("i.outer"); null if there is none.
  IterVar FindAxis(std::string_view axis_name) const;
  // A name that no axis of this stage has.
  std::string FreshAxisName(std::string wanted) const;
  LeafAttr& AttrOf(const IterVar& axis) { return leaf_attrs[axis.get()]; }
  const LeafAttr* FindAttr(const IterVar& axis) const;
};

// Stages that are attached together (S9): its stages at the root are computed where the group is.
class Group : public Object {
 public:
  Group(ScheduleNode* owner, std::string group_name)
      : Object(0), schedule(owner), name(std::move(group_name)) {}

  ScheduleNode* schedule;  // not owned
  std::string name;        // unique in the schedule
  Group* parent = nullptr;
  Stage* attach_stage = nullptr;  // null: at the root, or at the parent's place
  IterVar attach_axis;

  // True if this is `other`, or inside it.
  bool Within(const Group* other) const;
};

class ScheduleNode : public Object {
 public:
  ScheduleNode() : Object(0) {}

  std::vector<Op> outputs;
  std::vector<Ref<Stage>> stages;  // in topological order
  std::vector<Ref<Group>> groups;
  ir::List<ir::StepNode> trace;

  // The stage of an operation (or of an operation that was replaced); null if it is not in this
  // schedule.
  Stage* Find(const Op& op) const;
  Stage* FindByName(std::string_view name) const;
  // Like Find; throws "schedule-unknown-operation".
  Stage& Require(const Op& op) const;
  // The stage of an argument's operation. Null for a placeholder that no stage reads: callers may
  // pass it all the same, as when functions of one family take the same arguments. Throws as
  // Require does for any other operation without a stage.
  Stage* FindArgument(const Op& op) const;
  // From now on `op` also belongs to `stage`.
  void Map(const Op& op, Stage* stage) { by_op_[op.get()] = {op, stage}; }
  // Inserts a new stage for `op` at `position` in the order.
  Stage& Insert(size_t position, Op op);
  size_t PositionOf(const Stage& stage) const;
  // Replaces tensors in all operations from `position` on, in order, except in `except`.
  void ReplaceTensors(std::vector<std::pair<Tensor, Tensor>> replacements, size_t position,
                      const std::vector<const Stage*>& except);
  // From now on `stage` computes `after`; all readers of its tensors are changed.
  void ReplaceOp(Stage& stage, const Op& after);
  Group* FindGroup(std::string_view name) const;
  // Copies the map from operations to stages, for CopySchedule.
  void CopyMapTo(ScheduleNode& to, const std::unordered_map<const Stage*, Stage*>& copies) const;

 private:
  std::unordered_map<const ir::Node*, std::pair<Op, Stage*>> by_op_;
};

// The handle of a schedule.
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

// Makes a stage for every operation that `outputs` need.
Schedule CreateSchedule(std::vector<Op> outputs);
// Copies stages, attributes of axes and trace; shares operations and axes. Changing one schedule
// does not change the other.
Schedule CopySchedule(const Schedule& schedule);

// A copy of the stage alone; its schedule is `owner`, but it is not one of its stages.
Ref<Stage> CopyStage(const Stage& stage, ScheduleNode* owner);

// The operation's k-th data axis (its reduce axes follow the data axes).
IterVar AxisOf(const Tensor& tensor, size_t index);
IterVar ReduceAxisOf(const Tensor& tensor, size_t index);

// The leaf that `axis` of `stage` became: the inner part of a split axis, the fused axis of a fused
// one (S8).
IterVar ResolveLeaf(const Stage& stage, IterVar axis);

// True if the operation gives a scan's first rows (`init`) or further rows (`update`).
bool IsScanInit(const Stage& stage);
bool IsScanUpdate(const Stage& stage);

// A stage `made` by a primitive next to `of` joins the group of `of`, and its scan if it reads a
// tensor that changes from step to step.
void InheritPlace(Stage& made, const Stage& of);

// "i.outer, i.inner, j": for diagnostics.
std::vector<std::string> LeafNames(const Stage& stage);

}  // namespace lathe::schedule
