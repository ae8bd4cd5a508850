#include "schedule/primitives/rfactor.h"

#include <algorithm>
#include <unordered_set>

#include "base/error.h"
#include "base/planted.h"
#include "ir/rewrite.h"
#include "schedule/primitives/checks.h"
#include "schedule/trace.h"
#include "schedule/trace_names.h"
#include "te/operation.h"

namespace lathe::schedule {
namespace {

using ir::ComputeOp;
using ir::Reduce;

IterVar NewAxis(std::string name, const Expr& extent, DataType dtype, ir::IterKind kind) {
  return ir::MakeIterVar(ir::MakeRange(ir::Const(0, dtype), ir::MakeCast(dtype, extent)),
                         ir::MakeVar(std::move(name), dtype), kind);
}

// The loops of the stage's reduction and their relation to the factored one.
class Factoring {
 public:
  Factoring(const Stage& stage, const IterVar& factored) : stage_(stage), factored_(factored) {
    FindExtents();
    FindFlow();
  }

  const Expr& ExtentOf(const IterVar& axis) const { return extents_.at(axis.get()); }
  // True if the factored loop derives from `axis`.
  bool Flows(const IterVar& axis) const { return flows_.count(axis.get()) != 0; }
  // True if the split or fusion is part of the derivation of the factored loop: it becomes
  // arithmetic. All others are unchanged.
  bool IsConsumed(const Relation& relation) const {
    switch (relation.kind) {
      case Relation::kSplit:
      case Relation::kRebase:
        return Flows(relation.parent);
      case Relation::kFuse:
        return Flows(relation.fused);
      case Relation::kSingleton:
        return false;
    }
    return false;
  }
  // The other parts of the axes that were split to make the factored loop: they are reduced over as
  // before.
  const std::vector<IterVar>& siblings() const { return siblings_; }

  // The values of the operation's reduce axes from which the loop derives, by their variables, when
  // the factored loop and the siblings have `values`; and the condition for them to be in range.
  ir::VarMap RootValues(std::unordered_map<const ir::Node*, Expr> values,
                        std::vector<Expr>* conditions) const {
    for (size_t i = stage_.relations.size(); i-- > 0;) {
      const Relation& relation = stage_.relations[i];
      if (!IsConsumed(relation)) continue;
      if (relation.kind == Relation::kSplit) {
        const DataType t = relation.parent->var->dtype;
        const Expr inner = ir::MakeCast(t, ExtentOf(relation.inner));
        const Expr value = ir::MakeCast(t, values.at(relation.outer.get())) * inner +
                           ir::MakeCast(t, values.at(relation.inner.get()));
        values[relation.parent.get()] = value;
        const Expr extent = ir::MakeCast(t, ExtentOf(relation.parent));
        const int64_t* whole = ir::AsConstInt(extent);
        const int64_t* part = ir::AsConstInt(inner);
        const int64_t* parts = ir::AsConstInt(ExtentOf(relation.outer));
        if (whole == nullptr || part == nullptr || parts == nullptr || *part * *parts != *whole)
          conditions->push_back(ir::Likely(value < extent));
      } else if (relation.kind == Relation::kFuse) {
        const Expr fused = values.at(relation.fused.get());
        Expr extent = ir::MakeCast(fused->dtype, ExtentOf(relation.inner));
        // If it is 0, nothing is computed (S50), but the division is in the code.
        const int64_t* constant = ir::AsConstInt(extent);
        if (constant == nullptr)
          extent = ir::MakeMax(extent, ir::Const(1, extent->dtype));
        else if (*constant <= 0)
          extent = ir::Const(1, extent->dtype);
        values[relation.outer.get()] =
            ir::MakeCast(relation.outer->var->dtype, ir::FloorDivide(fused, extent));
        values[relation.inner.get()] =
            ir::MakeCast(relation.inner->var->dtype, ir::FloorModulo(fused, extent));
      } else {
        values[relation.parent.get()] = values.at(relation.inner.get());
      }
    }
    ir::VarMap out;
    for (const IterVar& root : stage_.root_axes) {
      if (!Flows(root)) continue;
      out[root->var] = ir::MakeCast(root->var->dtype, values.at(root.get())) + root->domain->min;
    }
    return out;
  }

 private:
  void FindExtents() {
    for (const IterVar& root : stage_.root_axes) extents_[root.get()] = root->domain->extent;
    for (const Relation& relation : stage_.relations) {
      if (relation.kind == Relation::kSplit) {
        const Expr extent = ExtentOf(relation.parent);
        const Expr given =
            ir::MakeCast(extent->dtype, relation.factor ? relation.factor : relation.nparts);
        const Expr other = ir::CeilDivide(extent, given);
        extents_[relation.outer.get()] = relation.factor ? other : given;
        extents_[relation.inner.get()] = relation.factor ? given : other;
      } else if (relation.kind == Relation::kFuse) {
        const DataType t = relation.fused->var->dtype;
        extents_[relation.fused.get()] =
            ir::MakeCast(t, ExtentOf(relation.outer)) * ir::MakeCast(t, ExtentOf(relation.inner));
      } else if (relation.kind == Relation::kRebase) {
        extents_[relation.inner.get()] = ExtentOf(relation.parent);
      } else {
        extents_[relation.fused.get()] = ir::Int(1);
      }
    }
  }

  void FindFlow() {
    flows_.insert(factored_.get());
    for (size_t i = stage_.relations.size(); i-- > 0;) {
      const Relation& relation = stage_.relations[i];
      if (relation.kind == Relation::kFuse) {
        if (!Flows(relation.fused)) continue;
        flows_.insert(relation.outer.get());
        flows_.insert(relation.inner.get());
      } else if (relation.kind != Relation::kSingleton &&
                 (Flows(relation.inner) || (relation.outer && Flows(relation.outer)))) {
        flows_.insert(relation.parent.get());
      }
    }
    for (const Relation& relation : stage_.relations) {
      if (relation.kind != Relation::kSplit || !Flows(relation.parent)) continue;
      for (const IterVar& part : {relation.outer, relation.inner}) {
        if (!Flows(part)) siblings_.push_back(part);
      }
    }
  }

  const Stage& stage_;
  IterVar factored_;
  std::unordered_map<const ir::Node*, Expr> extents_;
  std::unordered_set<const ir::Node*> flows_;
  std::vector<IterVar> siblings_;
};

bool IsReduce(const IterVar& axis) { return axis->iter_kind == ir::IterKind::kReduce; }

// An axis that the relation makes.
const IterVar& SomeResult(const Relation& relation) {
  return relation.kind == Relation::kSplit || relation.kind == Relation::kRebase ? relation.inner
                                                                                 : relation.fused;
}

// The factored loop becomes a dimension of a tensor, whose extent is one number.
void RequireIndependent(const ComputeOp& op) {
  for (const IterVar& axis : op.reduce_axis) {
    for (const std::vector<IterVar>& axes : {op.axis, op.reduce_axis}) {
      for (const IterVar& other : axes) {
        if (!ir::UsesVar(axis->domain, other->var)) continue;
        throw Error(Diagnostic{
            .name = "schedule-rfactor-dependent",
            .message = "rfactor: the range of reduction axis `" + axis->var->name + "` of stage `" +
                       op.name + "` depends on axis `" + other->var->name + "`",
            .expected = "a reduction over ranges that are the same for all elements",
            .found = "ranges of different extents",
            .help = "reduce over the longest range, with where= as the condition"});
      }
    }
  }
}

size_t Check(const Stage& stage, const IterVar& axis, int64_t factor_axis) {
  if (!stage.has_reduction()) {
    throw Error(Diagnostic{
        .name = "schedule-rfactor-not-a-reduction",
        .message = "rfactor: stage `" + stage.name + "` does not reduce",
        .expected = "a compute whose body is a reduction",
        .found = std::string("a ") + ir::NodeKindName(stage.op->node_kind()) + " without one",
        .help = "factor the stage that holds the reduction (after cache_write "
                "that is the cache)"});
  }
  stage.RequireLeaf(axis, "rfactor");
  RequirePlain(stage, axis, "rfactor");
  if (!IsReduce(axis)) {
    throw Error(Diagnostic{.name = "schedule-rfactor-not-a-reduction",
                           .message = "rfactor: loop `" + axis->var->name + "` of stage `" +
                                      stage.name + "` does not reduce",
                           .expected = "a loop over a reduction axis",
                           .found = "a loop over a data axis",
                           .help = "name a loop that a reduction axis became"});
  }
  const auto rank = static_cast<int64_t>(ir::OutputShape(*stage.op, 0).size());
  const int64_t position = factor_axis < 0 ? factor_axis + rank + 1 : factor_axis;
  if (position < 0 || position > rank) {
    throw Error(Diagnostic{
        .name = "schedule-rfactor-position",
        .message = "rfactor: stage `" + stage.name + "` has no place for the new dimension there",
        .expected = "a position from " + std::to_string(-rank - 1) + " to " + std::to_string(rank),
        .found = std::to_string(factor_axis),
        .help = "0 puts it first, -1 last"});
  }
  for (const IterVar& one : stage.all_axes) {
    if (!stage.store_predicate || !IsReduce(one) || !ir::UsesVar(stage.store_predicate, one->var))
      continue;
    throw Error(Diagnostic{.name = "schedule-predicate-refused",
                           .message = "rfactor: the store predicate of stage `" + stage.name +
                                      "` speaks of loops that become another stage's",
                           .expected = "a predicate on data axes, or none",
                           .found = "`" + one->var->name + "` in it",
                           .help = "use rfactor first, then set_store_predicate"});
  }
  RequireIndependent(static_cast<const ComputeOp&>(*stage.op));
  return static_cast<size_t>(position);
}

// The operands of rfactor.
struct Request {
  const Stage& stage;
  const Factoring& factoring;
  const IterVar& factored;
  size_t position;  // of the new dimension

  const ComputeOp& op() const { return static_cast<const ComputeOp&>(*stage.op); }
  const Reduce& reduce() const { return static_cast<const Reduce&>(*op().body[0]); }
  DataType type() const { return factored->var->dtype; }
  Expr extent() const { return ir::MakeCast(type(), factoring.ExtentOf(factored)); }
};

template <class T>
void InsertAt(std::vector<T>* list, size_t position, T item) {
  list->insert(list->begin() + static_cast<std::ptrdiff_t>(position), std::move(item));
}

// The operation that computes the partial results.
struct Partial {
  Ref<ComputeOp> op = Make<ComputeOp>();
  IterVar data_axis;  // the factored loop, as an axis of the results
  std::vector<Relation> rebased;
};

// The bodies of `partial`: the sources with `renamed` variables, reduced over the axes that stay.
void FillBody(const Request& request, const ir::VarMap& renamed, std::vector<Expr> conditions,
              ComputeOp* partial) {
  const Reduce& reduce = request.reduce();
  if (!ir::IsConstInt(reduce.condition, 1))
    conditions.push_back(ir::Substitute(reduce.condition, renamed));
  const Expr condition = conditions.empty() ? ir::Bool(true) : ir::Conjunction(conditions);
  std::vector<Expr> sources;
  for (const Expr& source : reduce.sources) sources.push_back(ir::Substitute(source, renamed));
  for (size_t k = 0; k < sources.size(); ++k) {
    if (!partial->reduce_axis.empty()) {
      partial->body.push_back(ir::MakeReduce(
          reduce.reducer, sources, partial->reduce_axis, condition, static_cast<int64_t>(k),
          Planted(PlantedBug::kRFactorKeepsInit) ? reduce.init : std::vector<Expr>{}));
    } else {
      partial->body.push_back(
          conditions.empty() ? sources[k]
                             : ir::IfThenElse(condition, sources[k], reduce.reducer->identity[k]));
    }
  }
}

Partial MakePartial(const Request& request) {
  const ComputeOp& op = request.op();
  const Factoring& factoring = request.factoring;
  Partial out;
  out.op->name = op.name + ".rf";
  out.op->tag = op.tag;
  out.op->attrs = op.attrs;
  ir::VarMap renamed;
  for (const IterVar& axis : op.axis) {
    const ir::Var var = ir::MakeVar(axis->var->name, axis->var->dtype);
    renamed[axis->var] = var;
    out.op->axis.push_back(ir::MakeIterVar(axis->domain, var, axis->iter_kind));
  }
  out.data_axis = NewAxis(request.stage.AxisName(request.factored), request.extent(),
                          request.type(), ir::IterKind::kData);
  InsertAt(&out.op->axis, request.position, out.data_axis);
  out.op->shape = op.shape;
  InsertAt(&out.op->shape, request.position, request.extent());
  std::unordered_map<const ir::Node*, Expr> values = {{request.factored.get(), out.data_axis->var}};
  for (const IterVar& sibling : factoring.siblings()) {
    const IterVar root =
        NewAxis(request.stage.AxisName(sibling) + ".root", factoring.ExtentOf(sibling),
                sibling->var->dtype, ir::IterKind::kReduce);
    out.op->reduce_axis.push_back(root);
    values[sibling.get()] = root->var;
    out.rebased.push_back({Relation::kRebase, root, nullptr, sibling, nullptr, nullptr, nullptr});
  }
  for (const IterVar& axis : op.reduce_axis) {
    if (!factoring.Flows(axis)) out.op->reduce_axis.push_back(axis);
  }
  std::vector<Expr> conditions;
  for (const auto& [var, value] : factoring.RootValues(std::move(values), &conditions))
    renamed[var] = value;
  FillBody(request, renamed, std::move(conditions), out.op.get());
  return out;
}

// The operation that combines the partial results.
struct Combination {
  Ref<ComputeOp> op = Make<ComputeOp>();
  IterVar reduce_axis;
  bool keeps_axis = false;  // reduce_axis is the factored one
  std::vector<Tensor> partials;
};

Combination MakeCombination(const Request& request, const Op& partial) {
  const ComputeOp& op = request.op();
  const Reduce& reduce = request.reduce();
  Combination out;
  out.op->name = op.name;
  out.op->tag = op.tag;
  out.op->attrs = op.attrs;
  out.op->axis = op.axis;
  out.op->shape = op.shape;
  const bool is_root =
      std::any_of(op.reduce_axis.begin(), op.reduce_axis.end(),
                  [&](const IterVar& axis) { return axis.same_as(request.factored); });
  out.keeps_axis = is_root && ir::IsConstInt(request.factored->domain->min, 0);
  out.reduce_axis = out.keeps_axis
                        ? request.factored
                        : NewAxis(request.stage.AxisName(request.factored) + ".root",
                                  request.extent(), request.type(), ir::IterKind::kReduce);
  out.op->reduce_axis = {out.reduce_axis};
  std::vector<Expr> indices;
  for (const IterVar& axis : op.axis) indices.emplace_back(axis->var);
  InsertAt(&indices, request.position, Expr(out.reduce_axis->var));
  std::vector<Expr> loads;
  for (size_t k = 0; k < reduce.sources.size(); ++k) {
    out.partials.push_back(ir::OutputOf(partial, static_cast<int64_t>(k)));
    loads.push_back(te::At(out.partials.back(), indices));
  }
  for (size_t k = 0; k < reduce.sources.size(); ++k) {
    out.op->body.push_back(ir::MakeReduce(reduce.reducer, loads, {out.reduce_axis}, ir::Bool(true),
                                          static_cast<int64_t>(k), reduce.init));
  }
  return out;
}

// What is attached at loops of `stage` that become loops of the partial results' stage.
class Attachments {
 public:
  // Resolves them, before the relations from old axes to loops are removed.
  Attachments(Schedule& schedule, const Stage& stage, const IterVar& factored,
              const IterVar& data_axis) {
    auto moved_to = [&](const Stage* attach_stage, const IterVar& attach_axis) {
      if (attach_stage != &stage) return IterVar();
      const IterVar leaf = ResolveLeaf(stage, attach_axis);
      return leaf.same_as(factored) ? data_axis : IsReduce(leaf) ? leaf : IterVar();
    };
    for (const Ref<Stage>& other : schedule->stages) {
      if (other->attach != AttachKind::kScope) continue;
      if (IterVar axis = moved_to(other->attach_stage, other->attach_axis))
        stages_.emplace_back(other.get(), std::move(axis));
    }
    for (const Ref<Group>& group : schedule->groups) {
      if (IterVar axis = moved_to(group->attach_stage, group->attach_axis))
        groups_.emplace_back(group.get(), std::move(axis));
    }
  }

  void MoveTo(Stage* made) {
    for (auto& [other, axis] : stages_) {
      other->attach_stage = made;
      other->attach_axis = axis;
    }
    for (auto& [group, axis] : groups_) {
      group->attach_stage = made;
      group->attach_axis = axis;
    }
  }

 private:
  std::vector<std::pair<Stage*, IterVar>> stages_;
  std::vector<std::pair<Group*, IterVar>> groups_;
};

// Loops of the reduction move from `stage` to `made`. The factored one stays.
void MoveLoops(const Factoring& factoring, const IterVar& factored, const Combination& combination,
               Partial partial, Stage& stage, Stage& made) {
  auto moves = [&](const IterVar& axis) { return IsReduce(axis) && !factoring.Flows(axis); };
  made.leaf_axes.assign(partial.op->axis.begin(), partial.op->axis.end());
  for (const IterVar& leaf : stage.leaf_axes) {
    if (moves(leaf)) made.leaf_axes.push_back(leaf);
  }
  made.relations = std::move(partial.rebased);
  std::vector<Relation> kept;
  for (const Relation& relation : stage.relations) {
    if (factoring.IsConsumed(relation)) continue;
    (IsReduce(SomeResult(relation)) ? made.relations : kept).push_back(relation);
  }
  for (const IterVar& axis : stage.all_axes) {
    if (!moves(axis)) continue;
    const bool there = std::any_of(made.all_axes.begin(), made.all_axes.end(),
                                   [&](const IterVar& a) { return a.same_as(axis); });
    if (!there) made.all_axes.push_back(axis);
    auto attr = stage.leaf_attrs.find(axis.get());
    if (attr == stage.leaf_attrs.end()) continue;
    made.leaf_attrs.insert(*attr);
    stage.leaf_attrs.erase(attr);
  }
  stage.relations = std::move(kept);
  stage.root_axes = combination.op->axis;
  stage.root_axes.push_back(combination.reduce_axis);
  if (!combination.keeps_axis) {
    stage.relations.insert(stage.relations.begin(), {Relation::kRebase, combination.reduce_axis,
                                                     nullptr, factored, nullptr, nullptr, nullptr});
  }
  std::erase_if(stage.leaf_axes, moves);
  std::erase_if(stage.all_axes, [](const IterVar& axis) { return IsReduce(axis); });
  stage.all_axes.push_back(combination.reduce_axis);
  if (!combination.keeps_axis) stage.all_axes.push_back(factored);
}

}  // namespace

std::vector<Tensor> RFactor(Schedule& schedule, const Tensor& tensor, const IterVar& given,
                            int64_t factor_axis) {
  Stage& stage = schedule[tensor];
  const IterVar factored = given;  // may be the stage's own
  const size_t position = Check(stage, factored, factor_axis);
  const Dict operands = {{operand::kAxis, AxisOperand(stage, factored)},
                         {operand::kFactorAxis, ir::Int(factor_axis, DataType::Int(64))}};
  const Factoring factoring(stage, factored);
  const Request request{stage, factoring, factored, position};
  const Partial partial = MakePartial(request);
  const Op partial_op = partial.op;
  const Combination combination = MakeCombination(request, partial_op);
  Attachments attached(schedule, stage, factored, partial.data_axis);
  Stage& made = schedule->Insert(schedule->PositionOf(stage), partial_op);
  InheritPlace(made, stage);
  MoveLoops(factoring, factored, combination, partial, stage, made);
  attached.MoveTo(&made);
  schedule->ReplaceOp(stage, Op(combination.op));
  Record(*schedule, primitive::kRFactor, {made.name}, operands);
  return combination.partials;
}

}  // namespace lathe::schedule
