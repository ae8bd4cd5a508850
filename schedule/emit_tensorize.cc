#include <algorithm>
#include <unordered_set>

#include "base/error.h"
#include "base/planted.h"
#include "ir/intrinsic.h"
#include "ir/intrinsic_names.h"
#include "schedule/nest_builder.h"
#include "schedule/operand_memory.h"
#include "te/tensor_intrin.h"

namespace lathe::schedule {

using ir::Buffer;
using ir::BufferNode;
using ir::Stmt;
using ir::TensorComputeOp;
using ir::TensorIntrinNode;
using ir::VarMap;

namespace {

// True if the statement uses the operand or its memory.
bool Uses(const Stmt& stmt, const BufferNode& operand) {
  bool uses = ir::UsesVar(stmt, operand.data);
  ir::PostOrder(stmt, [&](const ir::Node& node) {
    if (const auto* load = ir::As<ir::Load>(&node)) uses = uses || load->source.get() == &operand;
    if (const auto* store = ir::As<ir::Store>(&node))
      uses = uses || store->buffer.get() == &operand;
    if (const auto* fetch = ir::As<ir::Prefetch>(&node))
      uses = uses || fetch->buffer.get() == &operand;
    if (const auto* call = ir::As<ir::Call>(&node)) {
      for (const NodeRef& arg : call->args) uses = uses || arg.get() == &operand;
    }
  });
  return uses;
}

}  // namespace

void NestBuilder::FindDemandedAlignments() {
  for (const Ref<Stage>& stage : schedule_->stages) {
    const TensorIntrinNode* intrin = nullptr;
    if (const auto* call = ir::As<TensorComputeOp>(stage->op)) intrin = call->intrin.get();
    const size_t leaf = TensorizedLeaf(*stage);
    if (leaf < stage->leaf_axes.size())
      intrin = stage->FindAttr(stage->leaf_axes[leaf])->intrin.get();
    if (intrin == nullptr) continue;
    int64_t most = 0;
    for (const Buffer& buffer : intrin->buffers) most = std::max(most, buffer->alignment);
    if (most == 0) continue;
    std::vector<Tensor> operands = ir::InputsOf(*stage->op);
    for (int64_t k = 0; k < ir::NumOutputs(*stage->op); ++k)
      operands.push_back(ir::OutputOf(stage->op, k));
    for (const Tensor& tensor : operands) {
      int64_t& demanded = demanded_alignments_[tensor];
      demanded = std::max(demanded, most);
    }
  }
}

std::vector<Range> NestBuilder::MemoryOf(const Tensor& tensor) {
  const Buffer& buffer = buffers_.at(tensor);
  const Stage* stage = schedule_->Find(tensor->op);
  // The rows of a scan are in the scan's memory, whichever of its parts refers to them.
  for (const auto& [scan, buffers] : scan_buffers_) {
    for (size_t k = 0; k < buffers.size(); ++k) {
      if (!buffers[k].same_as(buffer)) continue;
      return arguments_.count(buffer.get()) != 0 ? WholeRegion(buffer->shape)
                                                 : RealizedRegion(*scan, static_cast<int64_t>(k));
    }
  }
  if (stage == nullptr || given_.count(buffer.get()) != 0) return WholeRegion(buffer->shape);
  return RealizedRegion(*stage, tensor->value_index);
}

std::vector<Expr> NestBuilder::StridesOf(const Tensor& tensor) {
  const Buffer& buffer = buffers_.at(tensor);
  std::vector<Expr> strides(buffer->shape.size());
  if (!buffer->strides.empty()) {
    for (size_t d = 0; d < strides.size(); ++d) strides[d] = Index(buffer->strides[d]);
    return strides;
  }
  const std::vector<Range> memory = MemoryOf(tensor);
  Expr stride = ir::Int(1, DataType::Int(64));
  for (size_t d = strides.size(); d-- > 0;) {
    strides[d] = stride;
    stride = analyzer_.Simplify(stride * Index(memory[d]->extent));
  }
  return strides;
}

Stmt NestBuilder::IntrinsicOn(const Stage& stage, const TensorIntrinNode& intrin,
                              const IntrinMatch& match, const Stmt& stmt) {
  VarMap values;
  for (size_t p = 0; p < intrin.scalar_params.size(); ++p)
    values[intrin.scalar_params[p]] = WithBuffers(match.scalars[p]);
  Stmt body = stmt;
  std::vector<std::pair<Buffer, Expr>> views;
  for (size_t i = 0; i < intrin.buffers.size(); ++i) {
    const Buffer& operand = intrin.buffers[i];
    const IntrinOperand& place = match.operands[i];
    OperandMemory memory{stage, intrin, operand, place, buffers_.at(place.tensor)};
    memory.has_layout = layouts_.count(memory.buffer.get()) != 0;
    memory.region = MemoryOf(place.tensor);
    memory.strides = StridesOf(place.tensor);
    for (const Expr& min : place.mins) memory.mins.push_back(WithBuffers(min));
    const Buffer view = memory.View(&values, &analyzer_);
    if (!Uses(stmt, *operand)) continue;
    body = ir::ReplaceBuffer(body, operand, view);
    views.emplace_back(view, ir::CallIntrinsic(ir::intrinsic::kAddressOf,
                                               {ir::MakeLoad(memory.buffer, memory.mins)}));
  }
  body = ir::Substitute(body, values);
  for (size_t i = views.size(); i-- > 0;)
    body = ir::MakeDeclBuffer(views[i].first, views[i].second, body);
  return ir::Refresh(body);
}

Stmt NestBuilder::EmitTensorized(const Stage& stage, size_t first) {
  const TensorIntrinNode& intrin = *stage.FindAttr(stage.leaf_axes[first])->intrin;
  for (size_t i = first; i < stage.leaf_axes.size(); ++i) {
    if (!HasAttached(stage, stage.leaf_axes[i])) continue;
    IllegalTensorize(stage, "a stage is computed within the intrinsic",
                     "stages attached to loops outside the tensorized one",
                     "one attached to `" + stage.leaf_axes[i]->var->name + "`",
                     "attach it to a loop further out");
  }
  if (rolling_.count(&stage) != 0) {
    IllegalTensorize(stage, "it keeps rows of earlier iterations", "a stage computed anew",
                     "rolling_buffer", "use one or the other");
  }
  if (stage.store_predicate) {
    IllegalTensorize(stage, "it has a store predicate", "an intrinsic that stores its whole block",
                     "set_store_predicate", "use one or the other");
  }
  const IntrinMatch match = MatchIntrin(stage, first, intrin, bounds_, &analyzer_);
  const AxisMap values = AxisValues(stage, bounds_);
  return CallLoops(stage, first, intrin, match, BoundGuards(stage, bounds_, values, &analyzer_));
}

Stmt NestBuilder::CallLoops(const Stage& stage, size_t last, const TensorIntrinNode& intrin,
                            const IntrinMatch& match, const std::vector<Guard>& guards) {
  size_t first = 0;
  while (first < last && stage.leaf_axes[first]->iter_kind != ir::IterKind::kReduce) ++first;
  bool once = true;        // the outer reduction loops run once
  bool surely_run = true;  // they run at least once
  Expr at_start;
  // A separate analyzer: analyzer_ assumes, within the loops, that they run.
  arith::Analyzer outside;
  for (size_t i = first; i < last; ++i) {
    const IterVar& leaf = stage.leaf_axes[i];
    if (leaf->iter_kind != ir::IterKind::kReduce) continue;
    const Expr& extent = bounds_[leaf]->extent;
    const Expr one = ir::Const(1, extent->dtype);
    once = once && outside.CanProveEqual(extent, one);
    surely_run = surely_run && outside.CanProve(extent >= one);
    const Expr zero = ir::Equal(Expr(leaf->var), ir::Const(0, leaf->var->dtype));
    at_start = at_start ? ir::LogicalAnd(at_start, zero) : zero;
  }
  std::vector<Expr> update_guards, init_guards, common;
  for (const Guard& guard : guards) {
    update_guards.push_back(guard.condition);
    if (!guard.on_reduction) init_guards.push_back(guard.condition);
  }
  auto on = [&](const Stmt& stmt) { return IntrinsicOn(stage, intrin, match, stmt); };
  if (once || Planted(PlantedBug::kEachBlockResets)) {
    const Stmt call =
        intrin.body ? on(intrin.body) : ir::MakeSeq({on(intrin.reset), on(intrin.update)});
    return WrapLoops(stage, 0, last, call, std::move(update_guards), true);
  }
  if (!intrin.update) {
    IllegalTensorize(stage, "reduction loops remain outside `" + intrin.name + "`",
                     "an intrinsic with an update", "one with a body alone",
                     "declare an update, or put the whole reduction into the intrinsic");
  }
  if (!intrin.reset) {
    if (!surely_run) {
      IllegalTensorize(stage, "the reduction loops outside `" + intrin.name + "` may not run",
                       "an intrinsic with a reset", "one whose body does the first block",
                       "declare a reset");
    }
    const Stmt call = ir::MakeIf(at_start, on(intrin.body), on(intrin.update));
    return WrapLoops(stage, 0, last, call, std::move(update_guards), true);
  }
  std::unordered_set<const ir::Node*> inner_loops;
  for (size_t i = first; i < last; ++i) inner_loops.insert(stage.leaf_axes[i]->var.get());
  auto is_common = [&](const Expr& guard) { return !ir::UsesAnyVar(guard, inner_loops); };
  std::copy_if(init_guards.begin(), init_guards.end(), std::back_inserter(common), is_common);
  std::erase_if(init_guards, is_common);
  std::erase_if(update_guards, is_common);
  for (size_t i = 0; i < intrin.inputs.size(); ++i) {
    if (!Uses(intrin.reset, *intrin.buffers[i])) continue;
    IllegalTensorize(stage, "the reset of `" + intrin.name + "` is done before the reduction loops",
                     "a reset that uses the outputs alone",
                     "one that reads `" + intrin.buffers[i]->name + "`",
                     "leave out the reset, so that the body does the first block");
  }
  const Stmt reset = WrapLoopsOfInit(stage, first, last, on(intrin.reset), std::move(init_guards));
  const Stmt update =
      WrapLoops(stage, first, last, on(intrin.update), std::move(update_guards), true);
  return WrapLoops(stage, 0, first, ir::MakeSeq({reset, update}), std::move(common), true);
}

Stmt NestBuilder::EmitTensorCompute(const Stage& stage, const TensorComputeOp& op) {
  auto scope = analyzer_.OpenScope();
  for (const IterVar& leaf : stage.leaf_axes)
    analyzer_.Bind(leaf->var, LoopFact(stage, bounds_, leaf));
  const AxisMap values = AxisValues(stage, bounds_);
  VarMap to_loops;
  for (const IterVar& root : stage.root_axes) {
    auto it = values.find(root.get());
    to_loops[root->var] = it == values.end() ? bounds_[root]->min : analyzer_.Simplify(it->second);
  }
  const TensorIntrinNode& intrin = *op.intrin;
  IntrinMatch match;
  size_t first = 0;
  for (size_t i = 0; i < op.inputs.size(); ++i) {
    IntrinOperand operand;
    operand.tensor = op.inputs[i];
    std::vector<Expr> extents;
    for (size_t d = 0; d < op.inputs[i]->shape().size(); ++d) {
      const Range& range = op.input_regions[first + d];
      operand.mins.push_back(ir::Substitute(range->min, to_loops));
      extents.push_back(range->extent);
    }
    first += extents.size();
    bool fits = false;
    operand.dims = te::AlignDims(extents, intrin.inputs[i]->shape(), &fits);
    LATHE_CHECK(fits) << "a region of `" << op.name << "` does not fit its intrinsic";
    match.operands.push_back(std::move(operand));
  }
  for (size_t k = op.inputs.size(); k < intrin.buffers.size(); ++k) {
    IntrinOperand operand;
    operand.tensor = ir::OutputOf(stage.op, static_cast<int64_t>(k - op.inputs.size()));
    for (const IterVar& axis : op.axis) operand.mins.push_back(to_loops.at(axis->var));
    for (size_t d = 0; d < intrin.buffers[k]->shape.size(); ++d)
      operand.dims.push_back(static_cast<int>(static_cast<size_t>(op.schedulable_ndim) + d));
    match.operands.push_back(std::move(operand));
  }
  for (const Expr& scalar : op.scalar_inputs)
    match.scalars.push_back(ir::Substitute(scalar, to_loops));
  return CallLoops(stage, stage.leaf_axes.size(), intrin, match,
                   BoundGuards(stage, bounds_, values, &analyzer_));
}

}  // namespace lathe::schedule
