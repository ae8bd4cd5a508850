// Emits claims, so that the checked build can verify them (S51): the stage is computed again
// without the trusted claim, and its memory is claimed to have the same values.
//
//   for i: if p: C[i] = v     -->     for i: if p: C[i] = v
//                                     for i: C.again[i] = v
//                                     for i: claim C[i] == C.again[i]
//
// The second nest has the first one's loops in their order, so that sums of floats round alike.
// For a tensor compute it computes what the intrinsic says it does, element by element.

#include <algorithm>
#include <cmath>
#include <utility>

#include "ir/intrinsic.h"
#include "ir/intrinsic_names.h"
#include "ir/names.h"
#include "schedule/nest_builder.h"
#include "te/tensor_intrin.h"

namespace lathe::schedule {

using ir::Buffer;
using ir::ComputeOp;
using ir::Reduce;
using ir::Stmt;
using ir::VarMap;

namespace {

constexpr double kSpareUnits = 64;  // in the last place, for values that are not sums

constexpr double kMostApart = 0.25;  // of the value, for a type with few digits

// The stage with the loops of its data axes on the threads that they are bound to, and without
// other hints.
Ref<Stage> OnItsThreads(const Stage& stage) {
  const Ref<Stage> plain = CopyStage(stage, stage.schedule);
  for (auto& [leaf, attr] : plain->leaf_attrs) {
    LeafAttr only;
    if (attr.thread) {
      only.kind = attr.kind;
      only.thread = attr.thread;
    }
    attr = std::move(only);
  }
  return plain;
}

// True if the operation sums floats; an intrinsic may choose the order of the sum.
bool SumsFloats(const ComputeOp& op) {
  const auto* reduce = ir::As<Reduce>(op.body[0]);
  return reduce != nullptr && op.body.size() == 1 && reduce->dtype.is_float() &&
         ir::As<ir::Add>(reduce->reducer->result[0]) != nullptr;
}

// The same sum over the absolute values of its terms; it bounds the rounding error of the sum.
Op SumOfMagnitudes(const ComputeOp& op) {
  const auto& reduce = static_cast<const Reduce&>(*op.body[0]);
  auto magnitude = [](const Expr& e) { return ir::CallIntrinsic(ir::intrinsic::kAbs, {e}); };
  std::vector<Expr> init;
  for (const Expr& value : reduce.init) init.push_back(magnitude(value));
  Ref<ComputeOp> made = Make<ComputeOp>();
  made->name = op.name + ".magnitude";
  made->axis = op.axis;
  made->reduce_axis = op.reduce_axis;
  made->shape = op.shape;
  made->body = {ir::MakeReduce(reduce.reducer, {magnitude(reduce.sources[0])}, reduce.axis,
                               reduce.condition, reduce.value_index, std::move(init))};
  return made;
}

// The unit roundoff of a float type with `bits` bits.
double UnitOf(DataType type) {
  const int digits = type.bits() == 64    ? 53
                     : type.bits() == 32  ? 24
                     : type.is_bfloat16() ? 8
                     : type.bits() == 16  ? 11
                                          : 3;
  return std::ldexp(1.0, -digits);
}

// The units in the last place by which a value that an intrinsic computes may be off. They grow
// with the number of terms of a sum of floats.
Expr UnitsOf(const ComputeOp& op, bool sums) {
  const DataType wide = DataType::Float(64);
  Expr units = ir::Const(kSpareUnits, wide);
  if (sums) {
    for (const IterVar& axis : op.reduce_axis)
      units = units + ir::MakeCast(wide, axis->domain->extent);
  }
  return units;
}

// How far rounding may move a value that an intrinsic computes, whose terms have the sum `size` of
// magnitudes (for a sum of floats; else the value itself). Null where it may not.
Expr Allowed(const Expr& units, const Expr& value, const Expr& size) {
  if (!value->dtype.is_float()) return {};
  const DataType wide = DataType::Float(64);
  const Expr share =
      ir::MakeMin(units * ir::Const(UnitOf(value->dtype), wide), ir::Const(kMostApart, wide));
  return share * ir::CallIntrinsic(ir::intrinsic::kAbs, {ir::MakeCast(wide, size)});
}

// True if `found` equals `wanted` within `allowed`.
Expr Same(const Expr& found, const Expr& wanted, const Expr& allowed) {
  Expr same = ir::Equal(found, wanted);
  if (!found->dtype.is_float()) return same;
  const DataType wide = DataType::Float(64);
  if (allowed) {
    const Expr apart = ir::MakeCast(wide, found) - ir::MakeCast(wide, wanted);
    same = ir::LogicalOr(same, ir::CallIntrinsic(ir::intrinsic::kAbs, {apart}) <= allowed);
  } else {
    // Zeros have signs.
    const Expr one = ir::Const(1.0, wide), zero = ir::Const(0.0, wide);
    const Expr signs = ir::Equal(one / ir::MakeCast(wide, found), one / ir::MakeCast(wide, wanted));
    same =
        ir::LogicalAnd(same, ir::LogicalOr(ir::NotEqual(ir::MakeCast(wide, found), zero), signs));
  }
  const Expr neither =
      ir::LogicalAnd(ir::CallIntrinsic(ir::intrinsic::kIsnan, {ir::MakeCast(wide, found)}),
                     ir::CallIntrinsic(ir::intrinsic::kIsnan, {ir::MakeCast(wide, wanted)}));
  return ir::LogicalOr(same, neither);
}

}  // namespace

Stmt NestBuilder::EmitAgain(const Stage& stage, const Op& op, const std::vector<Buffer>& into) {
  const Ref<Stage> plain = OnItsThreads(stage);
  plain->op = op;
  plain->store_predicate = nullptr;
  plain->rolling = false;
  // Stages computed within its loops are computed again, too.
  if (auto it = attached_.find(&stage); it != attached_.end()) {
    const std::vector<Stage*> parts = it->second;
    attached_[plain.get()] = parts;
  }
  again_.push_back(plain);
  std::vector<Buffer> before;
  for (size_t k = 0; k < into.size(); ++k) {
    Buffer& buffer = buffers_[ir::OutputOf(op, static_cast<int64_t>(k))];
    before.push_back(std::exchange(buffer, into[k]));
  }
  verifying_ = true;
  Stmt nest = EmitCompute(*plain);
  verifying_ = false;
  for (size_t k = 0; k < into.size(); ++k)
    buffers_[ir::OutputOf(op, static_cast<int64_t>(k))] = before[k];
  // Layouts are applied first: they find a realised buffer by its identity, which Refresh changes.
  return ir::Refresh(ApplyLayouts(nest, layouts_));
}

namespace {

// if condition: into = combine(into, sources), for each point of the reduction; all results are
// computed from the old values.
Stmt ReduceInto(const Reduce& reduce, const std::vector<Buffer>& into,
                const std::vector<Expr>& at) {
  const ir::Reducer& reducer = reduce.reducer;
  std::vector<Stmt> resets, stores;
  std::vector<ir::Var> results;
  for (size_t k = 0; k < into.size(); ++k) {
    resets.push_back(
        ir::MakeStore(into[k], reduce.init.empty() ? reducer->identity[k] : reduce.init[k], at));
    results.push_back(ir::MakeVar("result", reduce.sources[k]->dtype));
    stores.push_back(ir::MakeStore(into[k], results[k], at));
  }
  Stmt update = ir::MakeSeq(std::move(stores));
  for (size_t k = into.size(); k-- > 0;)
    update = ir::MakeLetStmt(results[k], reducer->result[k], update);
  for (size_t k = into.size(); k-- > 0;) {
    update = ir::MakeLetStmt(reducer->rhs[k], reduce.sources[k], update);
    update = ir::MakeLetStmt(reducer->lhs[k], ir::MakeLoad(into[k], at), update);
  }
  if (reduce.condition) update = ir::MakeIf(reduce.condition, update);
  for (size_t d = reduce.axis.size(); d-- > 0;) {
    const IterVar& axis = reduce.axis[d];
    update = ir::MakeFor(axis->var, ir::MakeCast(axis->var->dtype, axis->domain->min),
                         ir::MakeCast(axis->var->dtype, axis->domain->extent), ir::ForKind::kSerial,
                         update);
  }
  return ir::MakeSeq({ir::MakeSeq(std::move(resets)), update});
}

}  // namespace

Stmt NestBuilder::EmitPlainly(const Stage& stage, const ComputeOp& op,
                              const std::vector<Buffer>& into, const Stmt& then) {
  std::vector<Expr> at;
  for (const IterVar& axis : op.axis) at.push_back(axis->var);
  std::vector<Stmt> stmts;
  if (!into.empty()) {
    std::vector<Expr> values;
    for (const Expr& value : op.body) values.push_back(WithBuffers(value));
    if (const auto* reduce = ir::As<Reduce>(values[0])) {
      stmts.push_back(ReduceInto(*reduce, into, at));
    } else {
      for (size_t k = 0; k < into.size(); ++k)
        stmts.push_back(ir::MakeStore(into[k], values[k], at));
    }
  }
  if (then) stmts.push_back(then);
  Stmt body = ir::MakeSeq(std::move(stmts));
  // What is computed may reach beyond the tensor, where nothing is to be read.
  for (size_t d = op.axis.size(); d-- > 0;) {
    const IterVar& axis = op.axis[d];
    const ir::Range& range = bounds_[axis];
    const DataType dtype = axis->var->dtype;
    const Expr fits = analyzer_.Simplify(Expr(axis->var) < ir::MakeCast(dtype, op.shape[d]));
    body =
        ir::MakeFor(axis->var, ir::MakeCast(dtype, range->min), ir::MakeCast(dtype, range->extent),
                    ir::ForKind::kSerial, ir::MakeIf(fits, body));
  }
  return ir::Refresh(ApplyLayouts(body, layouts_));
}

Stmt NestBuilder::EmitCallClaims(const Stage& stage, const ir::TensorComputeOp& call) {
  const Op meaning = te::ReferenceCompute(call);
  const auto& op = static_cast<const ComputeOp&>(*meaning);
  const bool sums = SumsFloats(op);
  const std::vector<Buffer> memory = OutputBuffers(stage);
  std::vector<Buffer> wanted, magnitude;
  for (const Buffer& buffer : memory) {
    wanted.push_back(ir::MakeBuffer(buffer->name + ".again", buffer->dtype, buffer->shape));
    if (sums)
      magnitude.push_back(
          ir::MakeBuffer(buffer->name + ".magnitude", buffer->dtype, buffer->shape));
  }
  std::vector<Expr> at;
  for (const IterVar& axis : op.axis) at.push_back(axis->var);
  std::vector<Stmt> stmts = {EmitPlainly(stage, op, wanted, {})};
  if (sums) {
    const Op sizes = SumOfMagnitudes(op);
    stmts.push_back(EmitPlainly(stage, static_cast<const ComputeOp&>(*sizes), magnitude, {}));
  }
  std::vector<Stmt> claims;
  for (size_t k = 0; k < memory.size(); ++k) {
    const Expr found = ir::MakeLoad(memory[k], at), value = ir::MakeLoad(wanted[k], at);
    const Expr allowed =
        Allowed(UnitsOf(op, sums), value, sums ? ir::MakeLoad(magnitude[k], at) : value);
    claims.push_back(ir::MakeAttr(ir::String(call.intrin->name + " of " + stage.name),
                                  ir::attr_key::kClaim, Same(found, value, allowed), ir::Nop()));
  }
  stmts.push_back(EmitPlainly(stage, op, {}, ir::MakeSeq(std::move(claims))));
  return RealizeAgain(stage, {wanted, magnitude}, ir::MakeSeq(std::move(stmts)));
}

// Memory for what was computed again, around what uses it.
Stmt NestBuilder::RealizeAgain(const Stage& stage, const std::vector<std::vector<Buffer>>& again,
                               Stmt body) {
  for (const std::vector<Buffer>& buffers : again) {
    for (size_t k = 0; k < buffers.size(); ++k) {
      body = ir::MakeRealize(buffers[k], ComputedRegion(stage, bounds_, static_cast<int64_t>(k)),
                             std::move(body));
    }
  }
  return body;
}

Stmt NestBuilder::EmitClaims(const Stage& stage) {
  if (const auto* call = ir::As<ir::TensorComputeOp>(stage.op);
      call != nullptr && claims_ == Claims::kVerified && !verifying_ && !stage.has_threads())
    return EmitCallClaims(stage, *call);
  const auto* op = ir::As<ComputeOp>(stage.op);
  if (claims_ == Claims::kTrusted || verifying_ || op == nullptr) return {};
  const size_t n = stage.leaf_axes.size();
  const bool tensorized = TensorizedLeaf(stage) < n;
  if (!stage.store_predicate && !tensorized) return {};
  // What one thread computes must be what it can compute again: no part of a reduction of several
  // threads, no part of an intrinsic that a warp executes.
  if (ReducesOverThreads(stage) || !stage.env_threads.empty()) return {};
  if (tensorized && stage.has_threads() && StorageScope(stage) != ir::memory_scope::kLocal)
    return {};
  auto again = [&](const char* suffix) {
    std::vector<Buffer> made;
    for (const Buffer& buffer : OutputBuffers(stage))
      made.push_back(ir::MakeBuffer(buffer->name + suffix, buffer->dtype, buffer->shape));
    return made;
  };
  const std::vector<Buffer> memory = OutputBuffers(stage), wanted = again(".again");
  std::vector<Stmt> stmts = {EmitAgain(stage, stage.op, wanted)};
  const bool sums = tensorized && SumsFloats(*op);
  std::vector<Buffer> magnitude;
  if (sums) {
    magnitude = again(".magnitude");
    stmts.push_back(EmitAgain(stage, SumOfMagnitudes(*op), magnitude));
  }

  auto scope = analyzer_.OpenScope();
  for (const IterVar& leaf : stage.leaf_axes)
    analyzer_.Bind(leaf->var, LoopFact(stage, bounds_, leaf));
  const AxisMap values = AxisValues(stage, bounds_);
  std::vector<Expr> indices, guards;
  VarMap to_loops;
  for (const IterVar& axis : op->axis) {
    indices.push_back(analyzer_.Simplify(values.at(axis.get())));
    to_loops[axis->var] = indices.back();
  }
  const Expr units = ir::Substitute(UnitsOf(*op, sums), to_loops);
  for (const Guard& guard : BoundGuards(stage, bounds_, values, &analyzer_)) {
    if (!guard.on_reduction) guards.push_back(guard.condition);
  }
  const std::string what =
      (tensorized ? stage.FindAttr(stage.leaf_axes[TensorizedLeaf(stage)])->intrin->name
                  : std::string("set_store_predicate")) +
      " of " + stage.name;
  std::vector<Stmt> claims;
  for (size_t k = 0; k < memory.size(); ++k) {
    const Expr found = ir::MakeLoad(memory[k], indices), value = ir::MakeLoad(wanted[k], indices);
    const Expr allowed =
        tensorized ? Allowed(units, value, sums ? ir::MakeLoad(magnitude[k], indices) : value)
                   : Expr();
    claims.push_back(ir::MakeAttr(ir::String(what), ir::attr_key::kClaim,
                                  Same(found, value, allowed), ir::Nop()));
  }
  const Ref<Stage> plain = OnItsThreads(stage);
  stmts.push_back(WrapLoopsOfInit(*plain, 0, n, ir::MakeSeq(std::move(claims)), std::move(guards)));
  return RealizeAgain(stage, {wanted, magnitude}, ir::MakeSeq(std::move(stmts)));
}

}  // namespace lathe::schedule
