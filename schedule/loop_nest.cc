#include "schedule/loop_nest.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "arith/analyzer.h"
#include "base/error.h"
#include "ir/rewrite.h"
#include "schedule/axis_values.h"
#include "schedule/normalize.h"
#include "schedule/safe_select.h"

namespace lathe::schedule {

using arith::Analyzer;
using ir::Buffer;
using ir::ComputeOp;
using ir::ExternOp;
using ir::Load;
using ir::Reduce;
using ir::ScanOp;
using ir::Stmt;
using ir::Var;
using ir::VarMap;

namespace {

class Builder {
 public:
  Builder(const Schedule& schedule, const Bounds& bounds, const TensorBuffers& arguments)
      : schedule_(schedule), bounds_(bounds) {
    for (const auto& [tensor, buffer] : arguments) {
      buffers_[tensor] = buffer;
      given_.insert(buffer.get());
      arguments_.insert(buffer.get());
    }
    MakeBuffers();
    for (const Ref<Stage>& stage : schedule_->stages) {
      if (stage->attach_stage != nullptr) attached_[stage->attach_stage].push_back(stage.get());
    }
  }

  Stmt Run() {
    Stmt body;
    for (size_t i = schedule_->stages.size(); i-- > 0;) {
      const Stage& stage = *schedule_->stages[i];
      if (stage.is_placeholder() || stage.attach != AttachKind::kRoot) continue;
      body = RealizeAround(stage, ir::MakeSeq({Emit(stage), body}));
    }
    return body ? body : ir::Nop();
  }

 private:
  // -- Buffers.

  void MakeBuffers() {
    // The states of a scan, its inits and updates are one buffer: the scan's output (S49).
    for (const Ref<Stage>& stage : schedule_->stages) {
      const auto* scan = ir::As<ScanOp>(stage->op);
      if (scan == nullptr) continue;
      for (size_t k = 0; k < scan->state.size(); ++k) {
        const Buffer buffer = BufferOf(ir::OutputOf(stage->op, static_cast<int64_t>(k)), *stage);
        buffers_[scan->state[k]] = buffer;
        buffers_[scan->init[k]] = buffer;
        buffers_[scan->update[k]] = buffer;
        given_.insert(buffer.get());  // realised with the scan, not with its parts
        scan_buffers_[stage.get()].push_back(buffer);
      }
    }
    for (const Ref<Stage>& stage : schedule_->stages) {
      for (int64_t k = 0; k < ir::NumOutputs(*stage->op); ++k) {
        const Tensor tensor = ir::OutputOf(stage->op, k);
        if (!stage->is_placeholder())
          BufferOf(tensor, *stage);
        else if (buffers_.count(tensor) == 0)
          MissingArgument(*stage);
      }
    }
  }

  [[noreturn]] static void MissingArgument(const Stage& stage) {
    throw Error(Diagnostic{.name = "schedule-arguments",
                           .message = "input `" + stage.name + "` is not among the arguments",
                           .expected = "every placeholder that the outputs need",
                           .found = "no buffer for `" + stage.name + "`",
                           .help = "add it to the list of arguments"});
  }

  Buffer BufferOf(const Tensor& tensor, const Stage& stage) {
    Buffer& buffer = buffers_[tensor];
    if (!buffer) {
      const bool one = ir::NumOutputs(*stage.op) == 1;
      const std::string scope = StorageScope(stage);
      buffer =
          ir::MakeBuffer(one ? stage.name : stage.name + ".v" + std::to_string(tensor->value_index),
                         tensor->dtype(), tensor->shape(), scope == "global" ? "" : scope);
    }
    return buffer;
  }

  // Realize nodes for the stage's own buffers around `body`.
  Stmt RealizeAround(const Stage& stage, Stmt body) {
    if (auto it = scan_buffers_.find(&stage); it != scan_buffers_.end()) {
      for (size_t k = it->second.size(); k-- > 0;) {
        const Buffer& buffer = it->second[k];
        if (arguments_.count(buffer.get()) != 0) continue;
        body = ir::MakeRealize(buffer, WholeRegion(buffer->shape), body);
      }
      return body;
    }
    for (int64_t k = ir::NumOutputs(*stage.op); k-- > 0;) {
      const Buffer buffer = buffers_.at(ir::OutputOf(stage.op, k));
      if (given_.count(buffer.get()) != 0) continue;
      std::vector<Range> region;
      if (const auto* compute = ir::As<ComputeOp>(stage.op)) {
        for (const IterVar& axis : compute->axis) region.push_back(bounds_[axis]);
      } else {
        region = WholeRegion(buffer->shape);
      }
      body = ir::MakeRealize(buffer, std::move(region), std::move(body));
    }
    return body;
  }

  static std::vector<Range> WholeRegion(const std::vector<Expr>& shape) {
    std::vector<Range> region;
    for (const Expr& extent : shape)
      region.push_back(ir::MakeRange(ir::Const(0, extent->dtype), extent));
    return region;
  }

  // -- Statements.

  Stmt Emit(const Stage& stage) {
    if (ir::As<ComputeOp>(stage.op) != nullptr) return EmitCompute(stage);
    if (ir::As<ScanOp>(stage.op) != nullptr) return EmitScan(stage);
    if (const auto* op = ir::As<ExternOp>(stage.op)) return EmitExtern(*op);
    throw Error(Diagnostic{.name = "schedule-unsupported-operation",
                           .message = "stage `" + stage.name + "` cannot be turned into loops",
                           .expected = "a compute, scan or extern operation",
                           .found = ir::NodeKindName(stage.op->node_kind()),
                           .help = "lower it by tensorize"});
  }

  // `value` with tensors replaced by their buffers.
  Expr WithBuffers(const Expr& value) {
    return ir::Rewrite(value, [&](const Load& load) -> Expr {
      Tensor tensor = ir::RefAs<ir::TensorNode>(load.source);
      if (!tensor) return nullptr;
      auto it = buffers_.find(tensor);
      LATHE_CHECK(it != buffers_.end()) << "tensor `" << tensor->name() << "` has no buffer";
      return ir::MakeLoad(it->second, load.indices, load.mask);
    });
  }

  // What is attached to the loop of `leaf`, then `body`.
  Stmt WithAttached(const Stage& stage, const IterVar& leaf, Stmt body) {
    auto it = attached_.find(&stage);
    if (it == attached_.end()) return body;
    for (size_t i = it->second.size(); i-- > 0;) {
      const Stage& part = *it->second[i];
      if (!part.attach_axis.same_as(leaf) || part.attach == AttachKind::kScan) continue;
      body = RealizeAround(part, ir::MakeSeq({Emit(part), body}));
    }
    return body;
  }

  bool HasAttached(const Stage& stage, const IterVar& leaf) const {
    auto it = attached_.find(&stage);
    if (it == attached_.end()) return false;
    return std::any_of(it->second.begin(), it->second.end(),
                       [&](const Stage* part) { return part->attach_axis.same_as(leaf); });
  }

  // The loops of the leaves [first, last) around `body`. Each guard goes right inside the innermost
  // loop it depends on, but not further out than the innermost loop that something is attached to:
  // what is attached is computed by all threads. `attach` false leaves attached stages out (an
  // initialisation).
  Stmt WrapLoops(const Stage& stage, size_t first, size_t last, Stmt body, std::vector<Expr> guards,
                 bool attach) {
    for (size_t i = last; i-- > first;) {
      const IterVar& leaf = stage.leaf_axes[i];
      std::vector<Expr> here;
      const bool stop = attach && HasAttached(stage, leaf);
      std::erase_if(guards, [&](const Expr& guard) {
        if (!stop && !ir::UsesVar(guard, leaf->var)) return false;
        here.push_back(guard);
        return true;
      });
      if (!here.empty()) body = ir::MakeIf(ir::Conjunction(here), body);
      if (attach) body = WithAttached(stage, leaf, body);
      body = Loop(stage, leaf, body);
    }
    if (!guards.empty()) body = ir::MakeIf(ir::Conjunction(guards), body);
    return body;
  }

  Stmt Loop(const Stage& stage, const IterVar& leaf, Stmt body) {
    const LeafAttr* attr = stage.FindAttr(leaf);
    const Expr zero = ir::Const(0, leaf->var->dtype);
    Expr extent = bounds_[leaf]->extent;
    ForKind kind = ForKind::kSerial;
    std::string tag;
    Dict annotations;
    if (attr != nullptr) {
      kind = attr->kind;
      annotations = attr->annotations;
      if (kind == ForKind::kThread) {
        tag = attr->thread->thread_tag;
        if (attr->thread->domain)
          extent = ir::MakeCast(leaf->var->dtype, attr->thread->domain->extent);
      }
    }
    if (kind == ForKind::kVectorized && ir::AsConstInt(extent) == nullptr) {
      throw Error(
          Diagnostic{.name = "schedule-vectorize-extent",
                     .message = "vectorize: loop `" + leaf->var->name + "` of stage `" +
                                stage.name + "` has no constant extent",
                     .expected = "a constant number of iterations",
                     .found = "an extent that depends on a variable",
                     .help = "split the loop by a constant factor and vectorize the inner part"});
    }
    return ir::MakeFor(leaf->var, zero, extent, kind, std::move(body), std::move(tag),
                       std::move(annotations));
  }

  Stmt EmitCompute(const Stage& stage) {
    const auto& op = static_cast<const ComputeOp&>(*stage.op);
    // Knowledge about the loops lasts while this nest is made: inner stages know the loops around
    // them.
    auto scope = analyzer_.OpenScope();
    for (const IterVar& leaf : stage.leaf_axes) {
      analyzer_.Bind(leaf->var,
                     ir::MakeRange(ir::Const(0, leaf->var->dtype), bounds_[leaf]->extent));
    }
    const AxisMap values = AxisValues(stage, bounds_);
    VarMap to_loops;
    std::vector<Expr> indices;
    for (const IterVar& root : stage.root_axes)
      to_loops[root->var] = analyzer_.Simplify(values.at(root.get()));
    for (const IterVar& axis : op.axis) indices.push_back(to_loops.at(axis->var));
    const std::vector<Guard> guards = BoundGuards(stage, bounds_, values, &analyzer_);
    return stage.has_reduction() ? EmitReduction(stage, op, to_loops, indices, guards)
                                 : EmitPlain(stage, op, to_loops, indices, guards);
  }

  Stmt EmitPlain(const Stage& stage, const ComputeOp& op, const VarMap& to_loops,
                 const std::vector<Expr>& indices, const std::vector<Guard>& guards) {
    std::vector<Stmt> stores;
    for (size_t k = 0; k < op.body.size(); ++k) {
      const Expr value =
          WithBuffers(ir::Substitute(ShortCircuitUnsafeSelects(op, op.body[k]), to_loops));
      stores.push_back(ir::MakeStore(buffers_.at(ir::OutputOf(stage.op, static_cast<int64_t>(k))),
                                     value, indices));
    }
    std::vector<Expr> conditions;
    for (const Guard& guard : guards) conditions.push_back(guard.condition);
    return WrapLoops(stage, 0, stage.leaf_axes.size(), ir::MakeSeq(std::move(stores)),
                     std::move(conditions), true);
  }

  Stmt EmitReduction(const Stage& stage, const ComputeOp& op, const VarMap& to_loops,
                     const std::vector<Expr>& indices, const std::vector<Guard>& guards) {
    const auto& reduce = static_cast<const Reduce&>(*op.body[0]);
    const size_t n = stage.leaf_axes.size();
    // The initialisation goes before the first loop that touches a reduction axis, over the data
    // loops inside (S12).
    size_t first = 0;
    while (first < n && stage.leaf_axes[first]->iter_kind != ir::IterKind::kReduce) ++first;

    std::vector<Expr> init_guards, update_guards;
    for (const Guard& guard : guards) {
      update_guards.push_back(guard.condition);
      if (!guard.on_reduction) init_guards.push_back(guard.condition);
    }
    // Guards of the loops around both go around both.
    std::vector<Expr> common;
    std::unordered_set<const ir::Node*> inner_loops;
    for (size_t i = first; i < n; ++i) inner_loops.insert(stage.leaf_axes[i]->var.get());
    auto is_common = [&](const Expr& guard) { return !ir::UsesAnyVar(guard, inner_loops); };
    for (const Expr& guard : init_guards) {
      if (is_common(guard)) common.push_back(guard);
    }
    std::erase_if(init_guards, is_common);
    std::erase_if(update_guards, is_common);

    const Stmt init = WrapLoopsOfInit(stage, first, InitStores(stage, reduce, to_loops, indices),
                                      std::move(init_guards));
    const Stmt update = WrapLoops(stage, first, n, UpdateStores(stage, reduce, to_loops, indices),
                                  std::move(update_guards), true);
    return WrapLoops(stage, 0, first, ir::MakeSeq({init, update}), std::move(common), true);
  }

  Stmt InitStores(const Stage& stage, const Reduce& reduce, const VarMap& to_loops,
                  const std::vector<Expr>& indices) {
    std::vector<Stmt> stores;
    for (size_t k = 0; k < reduce.sources.size(); ++k) {
      const Expr value = reduce.init.empty()
                             ? reduce.reducer->identity[k]
                             : WithBuffers(ir::Substitute(reduce.init[k], to_loops));
      stores.push_back(ir::MakeStore(buffers_.at(ir::OutputOf(stage.op, static_cast<int64_t>(k))),
                                     value, indices));
    }
    return ir::MakeSeq(std::move(stores));
  }

  // The data loops from `first` on, with variables of their own: the update uses the leaves'.
  Stmt WrapLoopsOfInit(const Stage& stage, size_t first, Stmt body, std::vector<Expr> guards) {
    for (size_t i = stage.leaf_axes.size(); i-- > first;) {
      const IterVar& leaf = stage.leaf_axes[i];
      if (leaf->iter_kind == ir::IterKind::kReduce) continue;
      std::vector<Expr> here;
      std::erase_if(guards, [&](const Expr& guard) {
        if (!ir::UsesVar(guard, leaf->var)) return false;
        here.push_back(guard);
        return true;
      });
      if (!here.empty()) body = ir::MakeIf(ir::Conjunction(here), body);
      body = Loop(stage, leaf, body);
    }
    if (!guards.empty()) body = ir::MakeIf(ir::Conjunction(guards), body);
    return ir::Refresh(body);
  }

  Stmt UpdateStores(const Stage& stage, const Reduce& reduce, const VarMap& to_loops,
                    const std::vector<Expr>& indices) {
    const ir::ReducerNode& reducer = *reduce.reducer;
    const size_t count = reduce.sources.size();
    std::vector<Buffer> outs;
    VarMap operands;
    std::vector<std::pair<Var, Expr>> lets;
    for (size_t k = 0; k < count; ++k) {
      outs.push_back(buffers_.at(ir::OutputOf(stage.op, static_cast<int64_t>(k))));
      const Expr safe =
          ShortCircuitUnsafeSelects(static_cast<const ComputeOp&>(*stage.op), reduce.sources[k]);
      const Expr source = WithBuffers(ir::Substitute(safe, to_loops));
      const Expr old = ir::MakeLoad(outs[k], indices);
      if (count == 1) {
        operands[reducer.lhs[k]] = old;
        operands[reducer.rhs[k]] = source;
      } else {
        // A tuple's members read all old values before any is written.
        const Var left = ir::MakeVar(stage.name + ".old" + std::to_string(k), old->dtype);
        const Var right = ir::MakeVar(stage.name + ".new" + std::to_string(k), source->dtype);
        lets.emplace_back(left, old);
        lets.emplace_back(right, source);
        operands[reducer.lhs[k]] = left;
        operands[reducer.rhs[k]] = right;
      }
    }
    std::vector<Stmt> stores;
    for (size_t k = 0; k < count; ++k)
      stores.push_back(
          ir::MakeStore(outs[k], ir::Substitute(reducer.result[k], operands), indices));
    Stmt body = ir::MakeSeq(std::move(stores));
    for (size_t i = lets.size(); i-- > 0;)
      body = ir::MakeLetStmt(lets[i].first, lets[i].second, body);
    const Expr condition = WithBuffers(ir::Substitute(reduce.condition, to_loops));
    return ir::IsConstInt(condition, 1) ? body : ir::MakeIf(condition, body);
  }

  Stmt EmitScan(const Stage& stage) {
    const auto& scan = static_cast<const ScanOp&>(*stage.op);
    std::vector<Stmt> before;
    Stmt step;
    auto is_init = [&](const Stage& part) {
      return std::any_of(scan.init.begin(), scan.init.end(),
                         [&](const Tensor& t) { return t->op.same_as(part.op); });
    };
    auto it = attached_.find(&stage);
    LATHE_CHECK(it != attached_.end()) << "scan `" << stage.name << "` has no parts";
    for (size_t i = it->second.size(); i-- > 0;) {
      const Stage& part = *it->second[i];
      if (is_init(part))
        before.insert(before.begin(), Emit(part));
      else
        step = RealizeAround(part, ir::MakeSeq({Emit(part), step}));
    }
    before.push_back(
        WrapLoops(stage, 0, stage.leaf_axes.size(), step ? step : ir::Nop(), {}, false));
    return ir::MakeSeq(std::move(before));
  }

  Stmt EmitExtern(const ExternOp& op) {
    Stmt body = op.body;
    const Op self = Op(&op);
    auto bind = [&](const Buffer& from, const Tensor& tensor) {
      const Buffer& to = buffers_.at(tensor);
      body =
          ir::Substitute(ir::ReplaceBuffer(body, from, to), VarMap{{from->data, Expr(to->data)}});
    };
    for (size_t i = 0; i < op.inputs.size(); ++i) bind(op.input_buffers[i], op.inputs[i]);
    for (size_t k = 0; k < op.output_buffers.size(); ++k)
      bind(op.output_buffers[k], ir::OutputOf(self, static_cast<int64_t>(k)));
    return body;
  }

  const Schedule& schedule_;
  const Bounds& bounds_;
  Analyzer analyzer_;
  std::unordered_map<Tensor, Buffer, ir::TensorHash, ir::TensorEqual> buffers_;
  std::unordered_set<const ir::Node*> given_;      // not realised by the stage that writes them
  std::unordered_set<const ir::Node*> arguments_;  // the function's
  std::unordered_map<const Stage*, std::vector<Buffer>> scan_buffers_;
  std::unordered_map<const Stage*, std::vector<Stage*>> attached_;  // in topological order
};

[[noreturn]] void BadArguments(std::string message, std::string expected, std::string found) {
  throw Error(Diagnostic{.name = "schedule-arguments",
                         .message = std::move(message),
                         .expected = std::move(expected),
                         .found = std::move(found),
                         .help = "pass every placeholder and every output once, and the variables "
                                 "of symbolic shapes only where the caller gives them"});
}

}  // namespace

Stmt MakeLoopNest(const Schedule& schedule, const Bounds& bounds, const TensorBuffers& arguments) {
  return Builder(schedule, bounds, arguments).Run();
}

ir::Func LowerSchedule(const Schedule& schedule, const std::vector<NodeRef>& args,
                       std::string name) {
  const Schedule normal = Normalize(schedule);
  const Bounds bounds = InferBounds(normal);
  TensorBuffers buffers;
  std::vector<NodeRef> params;
  std::unordered_set<Tensor, ir::TensorHash, ir::TensorEqual> seen;
  for (const NodeRef& arg : args) {
    if (ir::As<ir::VarNode>(arg) != nullptr) {
      params.push_back(arg);
      continue;
    }
    const Tensor given = ir::RefAs<ir::TensorNode>(arg);
    if (!given)
      BadArguments("an argument is neither a tensor nor a variable", "tensors and variables",
                   arg ? ir::NodeKindName(arg->node_kind()) : "nothing");
    Stage& stage = normal->Require(given->op);
    const Tensor tensor = ir::OutputOf(stage.op, given->value_index);
    if (!seen.insert(tensor).second)
      BadArguments("tensor `" + tensor->name() + "` is an argument twice", "each tensor once",
                   "`" + tensor->name() + "` again");
    const bool one = ir::NumOutputs(*stage.op) == 1;
    Buffer buffer =
        ir::MakeBuffer(one ? stage.name : stage.name + ".v" + std::to_string(tensor->value_index),
                       tensor->dtype(), tensor->shape());
    buffers.emplace_back(tensor, buffer);
    params.push_back(buffer);
  }
  for (const Ref<Stage>& stage : normal->stages) {
    if (!stage->is_output) continue;
    for (int64_t k = 0; k < ir::NumOutputs(*stage->op); ++k) {
      const Tensor tensor = ir::OutputOf(stage->op, k);
      if (seen.count(tensor) == 0)
        BadArguments("output `" + tensor->name() + "` is not among the arguments",
                     "every output of the schedule", "no argument for it");
    }
  }
  return ir::MakeFunc(std::move(name), std::move(params), MakeLoopNest(normal, bounds, buffers));
}

}  // namespace lathe::schedule
