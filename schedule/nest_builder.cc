#include "schedule/nest_builder.h"

#include <algorithm>
#include <functional>

#include "base/error.h"
#include "base/planted.h"
#include "ir/constants.h"
#include "ir/names.h"
#include "ir/thread_scopes.h"
#include "schedule/arguments.h"
#include "schedule/normalize.h"
#include "schedule/primitives/pragma.h"
#include "te/operation.h"

namespace lathe::schedule {

using ir::Buffer;
using ir::ComputeOp;
using ir::ExternOp;
using ir::Load;
using ir::ScanOp;
using ir::Stmt;

NestBuilder::NestBuilder(const Schedule& schedule, const Bounds& bounds,
                         const TensorBuffers& arguments, Claims claims)
    : schedule_(schedule), bounds_(bounds), claims_(claims) {
  for (const auto& [tensor, given] : arguments) {
    Buffer buffer = given;
    if (const Stage* stage = schedule_->FindArgument(tensor->op)) {
      if (auto it = stage->layouts.find(tensor->value_index); it != stage->layouts.end()) {
        buffer = ir::MakeBuffer(given->name, given->dtype, tensor->shape());
        AddLayout(buffer, it->second, given);
      }
    }
    buffers_[tensor] = buffer;
    given_.insert(buffer.get());
    arguments_.insert(buffer.get());
  }
  FindDemandedAlignments();
  MakeBuffers();
  for (const Ref<Stage>& stage : schedule_->stages) {
    if (stage->attach_stage != nullptr) attached_[stage->attach_stage].push_back(stage.get());
  }
}

Stmt NestBuilder::Run() {
  CheckPipelines();
  std::unordered_map<const Stage*, std::vector<const Stage*>> kept;  // by their root
  for (const Ref<Stage>& stage : schedule_->stages) {
    if (stage->kept_whole) kept[&RootOf(*stage)].push_back(stage.get());
  }
  Stmt body;
  for (size_t i = schedule_->stages.size(); i-- > 0;) {
    const Stage& stage = *schedule_->stages[i];
    if (stage.is_placeholder() || stage.attach != AttachKind::kRoot) continue;
    body = RealizeAround(stage, ir::MakeSeq({Emit(stage), EmitClaims(stage), body}));
    for (const Stage* part : kept[&stage]) body = RealizeAround(*part, body);
  }
  return body ? ApplyLayouts(body, layouts_) : ir::Nop();
}

void NestBuilder::MakeBuffers() {
  // The states of a scan, its inits and updates share one buffer: the scan's output (S49).
  for (const Ref<Stage>& stage : schedule_->stages) {
    const auto* scan = ir::As<ScanOp>(stage->op);
    if (scan == nullptr) continue;
    for (size_t k = 0; k < scan->state.size(); ++k) {
      const Buffer buffer = BufferOf(ir::OutputOf(stage->op, static_cast<int64_t>(k)), *stage);
      buffers_[scan->state[k]] = buffer;
      if (!Planted(PlantedBug::kScanInitElsewhere)) buffers_[scan->init[k]] = buffer;
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
    if (stage->rolling) AddRolling(*stage);
  }
  RequireComputes();
}

// Only computes can have another layout: other operations take memory as it is.
void NestBuilder::RequireComputes() const {
  auto check = [&](const Stage& stage, const Tensor& tensor) {
    auto it = buffers_.find(tensor);
    if (it == buffers_.end() || layouts_.count(it->second.get()) == 0) return;
    throw Error(Diagnostic{
        .name = "schedule-layout-opaque",
        .message = "stage `" + stage.name + "` uses the memory of `" + tensor->name() +
                   "`, which lies in another layout",
        .expected = "computes, whose indices follow the layout",
        .found = ir::NodeKindName(stage.op->node_kind()),
        .help = "give it a copy in the usual layout, made with cache_read or cache_write"});
  };
  for (const Ref<Stage>& stage : schedule_->stages) {
    const ir::NodeKind kind = stage->op->node_kind();
    if (kind != ir::NodeKind::kExternOp && kind != ir::NodeKind::kTensorComputeOp) continue;
    for (const Tensor& input : ir::InputsOf(*stage->op)) check(*stage, input);
    for (int64_t k = 0; k < ir::NumOutputs(*stage->op); ++k)
      check(*stage, ir::OutputOf(stage->op, k));
  }
}

void NestBuilder::AddLayout(const Buffer& buffer, const IndexMap& map, Buffer physical) {
  if (!physical) {
    const std::optional<std::vector<Expr>> shape = PhysicalShape(map, buffer->shape);
    LATHE_CHECK(shape) << "the layout of `" << buffer->name << "` has no bound";
    physical = ir::CopyBuffer(ir::MakeBuffer(buffer->name, buffer->dtype, *shape, buffer->scope),
                              [&](ir::BufferNode& copy) {
                                for (int64_t at : map.separators)
                                  copy.axis_separators.push_back(ir::Int(at));
                              });
  }
  layouts_[buffer.get()] = {std::move(physical), map};
}

static void SetStrides(Buffer& buffer, const std::vector<Expr>& strides) {
  if (strides.empty()) return;
  buffer = ir::CopyBuffer(buffer, [&](ir::BufferNode& copy) { copy.strides = strides; });
}

// The memory of one iteration, reused in turn.
void NestBuilder::AddRolling(const Stage& stage) {
  const Rolling rolling = FindRolling(stage, bounds_, &analyzer_);
  rolling_.insert_or_assign(&stage, rolling);
  for (int64_t k = 0; k < ir::NumOutputs(*stage.op); ++k) {
    const Buffer& buffer = buffers_.at(ir::OutputOf(stage.op, k));
    IndexMap map;
    for (size_t d = 0; d < buffer->shape.size(); ++d) {
      const DataType t = buffer->shape[d]->dtype;
      map.vars.push_back(ir::MakeVar("d" + std::to_string(d), t));
      const Expr index = map.vars.back();
      map.indices.push_back(
          d == rolling.dim ? ir::FloorModulo(index, ir::MakeCast(t, rolling.extent)) : index);
    }
    std::vector<Expr> shape = buffer->shape;
    shape[rolling.dim] = ir::MakeCast(shape[rolling.dim]->dtype, rolling.extent);
    Buffer window = ir::MakeBuffer(buffer->name, buffer->dtype, shape, buffer->scope);
    SetStrides(window, AlignedStrides(stage, k));
    AddLayout(buffer, map, std::move(window));
  }
}

[[noreturn]] void NestBuilder::MissingArgument(const Stage& stage) {
  throw Error(Diagnostic{.name = "schedule-arguments",
                         .message = "input `" + stage.name + "` is not among the arguments",
                         .expected = "every placeholder that the outputs need",
                         .found = "no buffer for `" + stage.name + "`",
                         .help = "add it to the list of arguments"});
}

Buffer NestBuilder::BufferOf(const Tensor& tensor, const Stage& stage) {
  Buffer& buffer = buffers_[tensor];
  if (!buffer) {
    const bool one = ir::NumOutputs(*stage.op) == 1;
    std::string scope = StorageScope(stage);
    if (Planted(PlantedBug::kScopeSharedByThreads) && stage.scope.empty() &&
        scope == ir::memory_scope::kLocal)
      scope = ir::memory_scope::kShared;
    buffer = ir::MakeBuffer(
        one ? stage.name : stage.name + ".v" + std::to_string(tensor->value_index), tensor->dtype(),
        tensor->shape(), scope == ir::memory_scope::kGlobal ? "" : scope);
    if (auto it = demanded_alignments_.find(tensor); it != demanded_alignments_.end())
      buffer = ir::CopyBuffer(buffer, [&](ir::BufferNode& copy) { copy.alignment = it->second; });
    if (!stage.rolling) SetStrides(buffer, AlignedStrides(stage, tensor->value_index));
    if (auto it = stage.layouts.find(tensor->value_index); it != stage.layouts.end())
      AddLayout(buffer, it->second);
  }
  return buffer;
}

Stmt NestBuilder::RealizeAround(const Stage& stage, Stmt body) {
  // A scan realises the memory that its parts share.
  const bool is_scan = scan_buffers_.count(&stage) != 0;
  for (int64_t k = ir::NumOutputs(*stage.op); k-- > 0;) {
    const Buffer buffer = buffers_.at(ir::OutputOf(stage.op, k));
    if ((is_scan ? arguments_ : given_).count(buffer.get()) != 0) continue;
    if (Planted(PlantedBug::kUnreadOutputNotRealized) && ReadersOf(*schedule_, stage.op, k).empty())
      continue;
    if (te::IsConstant(*stage.op)) {
      const int64_t index =
          ir::IndexOfConstant(&constants_, ir::ConstantsIn(stage.op->attrs).front());
      body = ir::MakeAllocConst(buffer, index, std::move(body));
      continue;
    }
    body = ir::MakeRealize(buffer, RealizedRegion(stage, k), std::move(body));
  }
  return body;
}

std::vector<Range> NestBuilder::RealizedRegion(const Stage& stage, int64_t output) const {
  if (stage.kept_whole) return WholeRegion(ir::OutputShape(*stage.op, output));
  std::vector<Range> region = ComputedRegion(stage, bounds_, output);
  // The whole memory is realised, because the region moves with the loop.
  if (auto it = rolling_.find(&stage); it != rolling_.end()) {
    const Expr& extent = it->second.extent;
    region[it->second.dim] = ir::MakeRange(ir::Const(0, extent->dtype), extent);
  }
  return region;
}

std::vector<Range> NestBuilder::WholeRegion(const std::vector<Expr>& shape) {
  std::vector<Range> region;
  for (const Expr& extent : shape)
    region.push_back(ir::MakeRange(ir::Const(0, extent->dtype), extent));
  return region;
}

Stmt NestBuilder::Emit(const Stage& stage) {
  Stmt body = EmitOperation(stage);
  for (size_t i = stage.env_threads.size(); i-- > 0;) {
    const ir::IterVarNode& thread = *stage.env_threads[i];
    body = ir::MakeFor(EnvironmentVar(stage, thread), ir::Const(0, thread.var->dtype),
                       thread.domain->extent, ForKind::kThread, std::move(body), thread.thread_tag);
  }
  return body;
}

ir::Var NestBuilder::EnvironmentVar(const Stage& stage, const ir::IterVarNode& thread) {
  ir::Var& var = environment_vars_[{&stage, &thread}];
  if (!var) var = ir::MakeVar(stage.name + "." + thread.thread_tag, thread.var->dtype);
  return var;
}

std::vector<Guard> NestBuilder::EnvironmentGuards(const Stage& stage) {
  std::vector<Guard> guards;
  const bool part = IsScanInit(stage) || IsScanUpdate(stage);
  for (const Stage* at : {&stage, part ? static_cast<const Stage*>(stage.attach_stage) : nullptr}) {
    if (at == nullptr) continue;
    for (const IterVar& thread : at->env_threads) {
      bool divided = !ir::SharedAmong(StorageScope(stage), thread->thread_tag);
      for (const IterVar& leaf : stage.leaf_axes) {
        const LeafAttr* attr = stage.FindAttr(leaf);
        divided = divided || (attr != nullptr && attr->thread &&
                              attr->thread->thread_tag == thread->thread_tag);
      }
      if (divided || ir::IsOne(thread->domain->extent)) continue;
      const ir::Var var = EnvironmentVar(*at, *thread);
      guards.push_back(
          {ir::Equal(var, ir::Const(0, var->dtype)), false, Guard::Cause::kThread, thread});
    }
  }
  return guards;
}

Stmt NestBuilder::EmitOperation(const Stage& stage) {
  if (ir::As<ComputeOp>(stage.op) != nullptr) return EmitCompute(stage);
  if (ir::As<ScanOp>(stage.op) != nullptr) return EmitScan(stage);
  // An extern operation has only the loops that fuse made from no axes.
  if (const auto* op = ir::As<ExternOp>(stage.op)) {
    Stmt body = EmitExtern(*op);
    for (const Guard& guard : EnvironmentGuards(stage)) body = ir::MakeIf(guard.condition, body);
    return WrapLoops(stage, 0, stage.leaf_axes.size(), body, {}, true);
  }
  if (const auto* op = ir::As<ir::TensorComputeOp>(stage.op)) return EmitTensorCompute(stage, *op);
  LATHE_CHECK(false) << "stage `" << stage.name << "` cannot be turned into loops";
  return nullptr;
}

Expr NestBuilder::WithBuffers(const Expr& value) {
  return ir::Rewrite(value, [&](const Load& load) -> Expr {
    Tensor tensor = ir::RefAs<ir::TensorNode>(load.source);
    if (!tensor) return nullptr;
    auto it = buffers_.find(tensor);
    LATHE_CHECK(it != buffers_.end()) << "tensor `" << tensor->name() << "` has no buffer";
    return ir::MakeLoad(it->second, load.indices, load.mask);
  });
}

Stmt NestBuilder::WithAttached(const Stage& stage, const IterVar& leaf, Stmt body) {
  auto it = attached_.find(&stage);
  if (it == attached_.end()) return body;
  for (size_t i = it->second.size(); i-- > 0;) {
    const Stage& part = *it->second[i];
    if (!part.attach_axis.same_as(leaf) || part.attach == AttachKind::kScan) continue;
    auto scope = WithoutLoopsWithin(stage, leaf);
    body = ir::MakeSeq({Produced(stage, leaf, part, Emit(part)), EmitClaims(part), body});
    if (rolling_.count(&part) == 0 && !part.kept_whole) body = RealizeAround(part, body);
  }
  return body;
}

Stmt NestBuilder::RealizeRolling(const Stage& stage, const IterVar& leaf, Stmt loop) {
  auto it = attached_.find(&stage);
  if (it == attached_.end()) return loop;
  for (const Stage* part : it->second) {
    if (part->attach_axis.same_as(leaf) && rolling_.count(part) != 0)
      loop = RealizeAround(*part, loop);
  }
  return loop;
}

arith::Analyzer::Scope NestBuilder::WithoutLoopsWithin(const Stage& stage, const IterVar& leaf) {
  auto scope = analyzer_.OpenScope();
  for (size_t i = stage.leaf_axes.size(); i-- > 0 && !stage.leaf_axes[i].same_as(leaf);) {
    // A range of constants replaces what was known, and implies nothing about extents.
    const ir::Var& var = stage.leaf_axes[i]->var;
    analyzer_.Bind(var, ir::MakeRange(ir::Const(0, var->dtype), ir::Const(1, var->dtype)));
  }
  return scope;
}

bool NestBuilder::HasAttached(const Stage& stage, const IterVar& leaf) const {
  auto it = attached_.find(&stage);
  if (it == attached_.end()) return false;
  return std::any_of(it->second.begin(), it->second.end(),
                     [&](const Stage* part) { return part->attach_axis.same_as(leaf); });
}

bool NestBuilder::GuardsStopAt(const Stage& stage, const IterVar& leaf) const {
  auto it = attached_.find(&stage);
  if (it == attached_.end()) return false;
  std::function<bool(const Stage&)> threads_in = [&](const Stage& part) {
    auto parts = attached_.find(&part);
    return part.has_threads() || (parts != attached_.end() &&
                                  std::any_of(parts->second.begin(), parts->second.end(),
                                              [&](const Stage* p) { return threads_in(*p); }));
  };
  bool threads_around = stage.has_threads();
  for (const LoopRef& loop : AttachPath(stage))
    threads_around = threads_around || loop.stage->has_threads();
  return std::any_of(it->second.begin(), it->second.end(), [&](const Stage* part) {
    return part->attach_axis.same_as(leaf) &&
           (threads_around || threads_in(*part) || rolling_.count(part) != 0 ||
            VersionsOf(stage, leaf, *part) != 1);
  });
}

Stmt NestBuilder::WrapLoops(const Stage& stage, size_t first, size_t last, Stmt body,
                            std::vector<Expr> guards, bool attach) {
  for (size_t i = last; i-- > first;) {
    const IterVar& leaf = stage.leaf_axes[i];
    std::vector<Expr> here;
    const bool stop = attach && GuardsStopAt(stage, leaf);
    if (attach && !stop) body = WithAttached(stage, leaf, body);
    std::erase_if(guards, [&](const Expr& guard) {
      if (!stop && !ir::UsesVar(guard, leaf->var)) return false;
      here.push_back(guard);
      return true;
    });
    body = Where(here, body);
    if (stop) body = WithAttached(stage, leaf, body);
    if (attach) body = WithPrefetches(stage, i, body);
    body = Loop(stage, leaf, body);
    if (attach) body = RealizeRolling(stage, leaf, body);
  }
  return Where(guards, body);
}

Stmt NestBuilder::Where(const std::vector<Expr>& conditions, Stmt body) {
  return conditions.empty() ? body : ir::MakeIf(ir::Conjunction(conditions), std::move(body));
}

Stmt NestBuilder::Loop(const Stage& stage, const IterVar& leaf, Stmt body) {
  const LeafAttr* attr = stage.FindAttr(leaf);
  const Expr zero = ir::Const(0, leaf->var->dtype);
  Expr extent = bounds_[leaf]->extent;
  ForKind kind = ForKind::kSerial;
  std::string tag;
  Dict annotations;
  if (attr != nullptr) {
    kind = attr->kind;
    annotations = attr->annotations;
    if (kind == ForKind::kThread && ThreadTag(stage, leaf) == nullptr) {
      kind = ForKind::kSerial;
    } else if (kind == ForKind::kThread) {
      tag = attr->thread->thread_tag;
      if (attr->thread->domain)
        extent = ir::MakeCast(leaf->var->dtype, attr->thread->domain->extent);
    }
  }
  if (kind == ForKind::kVectorized && ir::AsConstInt(extent) == nullptr) {
    throw Error(
        Diagnostic{.name = "schedule-vectorize-extent",
                   .message = "vectorize: loop `" + leaf->var->name + "` of stage `" + stage.name +
                              "` has no constant extent",
                   .expected = "a constant number of iterations",
                   .found = "an extent that depends on a variable",
                   .help = "split the loop by a constant factor and vectorize the inner part"});
  }
  if (kind == ForKind::kParallel && annotations.count(ir::pragma::kNontemporal) != 0) {
    // Each thread handles its own stores.
    body = ir::MakeAttr(nullptr, ir::attr_key::kPragmaNontemporal,
                        ir::RefExpr(annotations.at(ir::pragma::kNontemporal)), std::move(body));
  }
  std::erase_if(annotations, [](const auto& entry) {
    return IsNestPragma(entry.first) || IsImportPragma(entry.first);
  });
  return WithPragmas(attr, ir::MakeFor(leaf->var, zero, extent, kind, std::move(body),
                                       std::move(tag), std::move(annotations)));
}

}  // namespace lathe::schedule
