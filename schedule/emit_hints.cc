// Hints about memory and loops, which do not change the result: pragmas, prefetches, software
// pipelines, strides, store predicates.

#include "arith/region.h"
#include "base/error.h"
#include "ir/names.h"
#include "schedule/nest_builder.h"
#include "schedule/primitives/pragma.h"

namespace lathe::schedule {

using arith::DomMap;
using arith::IntSet;
using ir::Buffer;
using ir::ComputeOp;
using ir::Stmt;
using ir::VarMap;

std::vector<Expr> NestBuilder::AlignedStrides(const Stage& stage, int64_t output) {
  if (stage.alignments.empty()) return {};
  if (stage.layouts.count(output) != 0) {
    throw Error(Diagnostic{.name = "schedule-storage-align-refused",
                           .message = "storage_align of stage `" + stage.name + "`",
                           .expected = "memory that lies row by row",
                           .found = "transform_layout",
                           .help = "use one or the other"});
  }
  const std::vector<Range> region = RealizedRegion(stage, output);
  const DataType t = DataType::Int(64);
  std::vector<Expr> strides(region.size());
  Expr stride = ir::Int(1, t);
  for (size_t d = region.size(); d-- > 0;) {
    if (auto it = stage.alignments.find(d); it != stage.alignments.end()) {
      const Expr factor = ir::Int(it->second.factor, t), offset = ir::Int(it->second.offset, t);
      stride = stride + ir::FloorModulo(factor + offset - ir::FloorModulo(stride, factor), factor);
    }
    strides[d] = analyzer_.Simplify(stride);
    stride = strides[d] * ir::MakeCast(t, region[d]->extent);
  }
  return strides;
}

int64_t NestBuilder::VersionsOf(const Stage& stage, const IterVar& leaf, const Stage& part) {
  const LeafAttr* attr = stage.FindAttr(leaf);
  int64_t versions = part.double_buffer ? 2 : 1;
  if (attr != nullptr) {
    if (auto it = attr->annotations.find(ir::annotation::kPipelineStages);
        it != attr->annotations.end())
      versions = std::max(versions, *ir::AsConstInt(ir::RefExpr(it->second)));
  }
  return versions;
}

Stmt NestBuilder::Produced(const Stage& stage, const IterVar& leaf, const Stage& part, Stmt body) {
  const int64_t versions = VersionsOf(stage, leaf, part);
  if (versions == 1) return body;
  const Buffer& buffer = buffers_.at(ir::OutputOf(part.op, 0));
  return ir::MakeAttr(buffer, ir::attr_key::kPipelineProducer, ir::Int(versions), std::move(body));
}

void NestBuilder::CheckPipelines() const {
  auto refuse = [](const Stage& stage, std::string what, std::string expected, std::string found,
                   std::string help) {
    throw Error(Diagnostic{.name = "pipeline-refused",
                           .message = "stage `" + stage.name + "`: " + std::move(what),
                           .expected = std::move(expected),
                           .found = std::move(found),
                           .help = std::move(help)});
  };
  for (const Ref<Stage>& stage : schedule_->stages) {
    if (stage->double_buffer && stage->attach != AttachKind::kScope) {
      refuse(*stage, "double_buffer needs a loop whose iterations use the two halves",
             "a stage that is computed within a loop of another",
             stage->attach == AttachKind::kScan ? "a part of a scan" : "one computed at the root",
             "use compute_at");
    }
    for (const IterVar& leaf : stage->leaf_axes) {
      const LeafAttr* attr = stage->FindAttr(leaf);
      const bool pipelined =
          attr != nullptr && attr->annotations.count(ir::annotation::kPipelineStages) != 0;
      bool produces = false;
      if (auto it = attached_.find(stage.get()); it != attached_.end()) {
        for (const Stage* part : it->second) {
          if (part->attach_axis.same_as(leaf))
            produces = produces || pipelined || part->double_buffer;
        }
      }
      if (pipelined && !produces) {
        refuse(*stage, "pipeline of loop `" + leaf->var->name + "` has nothing to compute ahead",
               "stages that are computed at that loop", "none", "use compute_at first");
      }
      if (produces && attr != nullptr && attr->kind != ForKind::kSerial) {
        refuse(*stage, "what loop `" + leaf->var->name + "` needs cannot be computed ahead",
               "a serial loop, whose iterations follow each other",
               std::string("a ") + ir::For::kForKindNames[static_cast<int>(attr->kind)] + " loop",
               "compute the stage at a serial loop within");
      }
    }
  }
}

Stmt NestBuilder::WithPragmas(const LeafAttr* attr, Stmt loop) {
  if (attr == nullptr) return loop;
  for (const auto& [key, value] : attr->annotations) {
    // (In a parallel loop each thread handles its own stores: NestBuilder::Loop.)
    if (key == ir::attr_key::kNontemporal && attr->kind == ForKind::kParallel) continue;
    if (IsNestPragma(key))
      loop = ir::MakeAttr(nullptr, ir::attr_key::kPragmaPrefix + key, ir::RefExpr(value),
                          std::move(loop));
  }
  return loop;
}

namespace {

// `fetch`, under the condition that its address can be computed: the index tensors' elements must
// exist, because the later iteration may be beyond the loop's end; and the extent of a loop that
// does not run must not be a divisor.
Stmt WhereReadable(Stmt fetch, const std::vector<Range>& region, arith::Analyzer& analyzer) {
  std::vector<const ir::Load*> loads;  // loads inside indices of others come first
  std::vector<Expr> divisors;
  for (const Range& range : region) {
    for (const Expr& e : {range->min, range->extent}) {
      ir::PostOrder(e, [&](const ir::Node& node) {
        if (const auto* load = ir::As<ir::Load>(&node)) loads.push_back(load);
        switch (node.node_kind()) {
          case ir::NodeKind::kDiv:
          case ir::NodeKind::kMod:
          case ir::NodeKind::kFloorDiv:
          case ir::NodeKind::kFloorMod:
            divisors.push_back(*ir::BinaryOperands(static_cast<const ir::ExprNode*>(&node)).b);
            break;
          default:
            break;
        }
      });
    }
  }
  for (size_t i = loads.size(); i-- > 0;) {
    const auto& buffer = static_cast<const ir::BufferNode&>(*loads[i]->source);
    Expr inside = ir::Bool(true);
    for (size_t d = 0; d < loads[i]->indices.size(); ++d) {
      const Expr& index = loads[i]->indices[d];
      const Expr end = ir::MakeCast(index->dtype, buffer.shape[d]);
      inside = ir::LogicalAnd(inside, ir::LogicalAnd(index >= 0, index < end));
    }
    inside = analyzer.Simplify(inside);
    if (!ir::IsOne(inside)) fetch = ir::MakeIf(ir::Likely(inside), fetch);
  }
  Expr divides = ir::Bool(true);
  for (const Expr& divisor : divisors)
    divides = ir::LogicalAnd(divides, ir::NotEqual(divisor, ir::Const(0, divisor->dtype)));
  divides = analyzer.Simplify(divides);
  if (!ir::IsOne(divides)) fetch = ir::MakeIf(ir::Likely(divides), fetch);
  return fetch;
}

// True if `source` is computed within the loop of `stage`'s leaf with this number, directly or
// through other stages.
bool IsComputedWithin(const Stage* source, const Stage& stage, size_t leaf_index) {
  for (; source != nullptr && source->attach == AttachKind::kScope; source = source->attach_stage) {
    if (source->attach_stage == &stage)
      return stage.LeafIndex(source->attach_axis) >= static_cast<int>(leaf_index);
  }
  return false;
}

}  // namespace

// The sets of indices at which `stage` reads `tensor` while the loops inside of a leaf run, one
// vector per dimension.
std::vector<std::vector<IntSet>> NestBuilder::ReadsWithin(const Stage& stage, size_t leaf_index,
                                                          const Tensor& tensor) {
  DomMap within;
  for (size_t i = leaf_index + 1; i < stage.leaf_axes.size(); ++i) {
    const IterVar& inner = stage.leaf_axes[i];
    within[inner->var] =
        IntSet::FromRange(ir::MakeRange(ir::Const(0, inner->var->dtype), bounds_[inner]->extent));
  }
  const AxisMap values = AxisValues(stage, bounds_);
  VarMap roots;
  for (const IterVar& root : stage.root_axes) roots[root->var] = values.at(root.get());
  std::vector<std::vector<IntSet>> reads(tensor->shape().size());
  for (const Expr& value : static_cast<const ComputeOp&>(*stage.op).body) {
    ir::PostOrder(value, [&](const ir::Node& node) {
      const auto* load = ir::As<ir::Load>(&node);
      const Tensor from = load != nullptr ? ir::RefAs<ir::TensorNode>(load->source) : nullptr;
      if (!from || !ir::SameTensor(from, tensor)) return;
      for (size_t d = 0; d < reads.size(); ++d)
        reads[d].push_back(EvalSet(ir::Substitute(load->indices[d], roots), within, &analyzer_));
    });
  }
  return reads;
}

// False if an end of the sets needs a value that an iteration of the leaf computes: it cannot be
// used to prefetch before that iteration.
bool NestBuilder::KnownBefore(const std::vector<std::vector<IntSet>>& reads, const Stage& stage,
                              size_t leaf_index) {
  bool known = true;
  for (const std::vector<IntSet>& sets : reads) {
    for (const IntSet& set : sets) {
      if (!set.is_bounded()) continue;
      for (const Expr& e : {set.min, set.max}) {
        ir::PostOrder(e, [&](const ir::Node& node) {
          const auto* load = ir::As<ir::Load>(&node);
          const Tensor from = load != nullptr ? ir::RefAs<ir::TensorNode>(load->source) : nullptr;
          known = known &&
                  !(from && IsComputedWithin(&schedule_->Require(from->op), stage, leaf_index));
        });
      }
    }
  }
  return known;
}

// The part of `memory` that is read `offset` iterations of `leaf` later.
std::vector<Range> NestBuilder::RegionLater(const std::vector<std::vector<IntSet>>& reads,
                                            const std::vector<Range>& memory, const IterVar& leaf,
                                            const Expr& offset) {
  std::vector<Range> region;
  const VarMap later = {{leaf->var, leaf->var + ir::MakeCast(leaf->var->dtype, offset)}};
  for (size_t d = 0; d < reads.size(); ++d) {
    const IntSet set = Union(reads[d], &analyzer_);
    const Range& all = memory[d];
    const DataType t = all->min->dtype;
    if (!set.is_bounded()) {
      region.push_back(all);
      continue;
    }
    const Expr end = all->min + all->extent;
    auto clip = [&](const Expr& e) {
      const Expr shifted = ir::MakeCast(t, ir::Substitute(WithBuffers(e), later));
      return analyzer_.Simplify(ir::MakeMax(ir::MakeMin(shifted, end), all->min));
    };
    const Expr begin = clip(set.min);
    region.push_back(ir::MakeRange(begin, analyzer_.Simplify(clip(set.max + 1) - begin)));
  }
  return region;
}

Stmt NestBuilder::WithPrefetches(const Stage& stage, size_t leaf_index, Stmt body) {
  const IterVar& leaf = stage.leaf_axes[leaf_index];
  const LeafAttr* attr = stage.FindAttr(leaf);
  if (attr == nullptr || attr->prefetches.empty()) return body;
  if (attr->kind == ForKind::kVectorized || attr->kind == ForKind::kThread) {
    throw Error(Diagnostic{.name = "schedule-prefetch-refused",
                           .message = "prefetch in stage `" + stage.name + "`",
                           .expected = "a loop whose iterations follow each other",
                           .found = "loop `" + leaf->var->name + "`, which is " +
                                    ir::For::kForKindNames[static_cast<int>(attr->kind)],
                           .help = "prefetch in a loop around it"});
  }
  std::vector<Stmt> stmts;
  for (const auto& [given, offset] : attr->prefetches) {
    auto unused = [&, given = given](const std::string& reason) {
      unused_hints_.push_back(
          {"prefetch", leaf->var->name, stage.name, "`" + given->name() + "` " + reason});
    };
    const Stage& source = schedule_->Require(given->op);
    const Tensor tensor = ir::OutputOf(source.op, given->value_index);
    if (buffers_.count(tensor) == 0) continue;  // has been inlined
    const int at = source.attach_stage == &stage ? stage.LeafIndex(source.attach_axis) : -1;
    if (at >= static_cast<int>(leaf_index)) {
      throw Error(
          Diagnostic{.name = "schedule-prefetch-refused",
                     .message = "prefetch of `" + source.name + "` in stage `" + stage.name + "`",
                     .expected = "a tensor that is there before the loop",
                     .found = "one that is computed within loop `" + leaf->var->name + "`",
                     .help = "prefetch what it is computed from"});
    }
    const auto reads = ReadsWithin(stage, leaf_index, tensor);
    if (!reads.empty() && reads[0].empty()) {
      unused("is not read in this stage, but where it was inlined or copied");
      continue;
    }
    if (!KnownBefore(reads, stage, leaf_index)) {
      unused("is read at indices that the iteration itself computes");
      continue;
    }
    const std::vector<Range> region = RegionLater(reads, MemoryOf(tensor), leaf, offset);
    stmts.push_back(
        WhereReadable(ir::MakePrefetch(buffers_.at(tensor), region), region, analyzer_));
  }
  stmts.push_back(std::move(body));
  return ir::MakeSeq(std::move(stmts));
}

Stmt NestBuilder::WherePredicate(const Stage& stage, Stmt stores, bool initial) {
  if (!stage.store_predicate) return stores;
  const AxisMap values = AxisValues(stage, bounds_);
  VarMap to_loops;
  for (const IterVar& axis : stage.all_axes) {
    if (auto it = values.find(axis.get()); it != values.end()) to_loops[axis->var] = it->second;
  }
  const Expr condition = ir::Substitute(stage.store_predicate, to_loops);
  if (initial) {
    for (const IterVar& leaf : stage.leaf_axes) {
      if (leaf->iter_kind == ir::IterKind::kReduce && ir::UsesVar(condition, leaf->var))
        return stores;
    }
  }
  return ir::MakeIf(condition, std::move(stores));
}

}  // namespace lathe::schedule
