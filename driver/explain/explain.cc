#include "driver/explain/explain.h"

#include <algorithm>
#include <cctype>
#include <unordered_set>

#include "absl/strings/str_join.h"
#include "base/error.h"
#include "driver/compile.h"
#include "driver/explain/explainer.h"
#include "driver/explain/polynomial.h"
#include "ir/intrinsic_names.h"
#include "ir/text/printer.h"
#include "schedule/axis_values.h"
#include "schedule/loop_nest.h"

namespace lathe::driver {

using ir::ComputeOp;
using ir::Expr;
using schedule::AttachKind;
using schedule::IterVar;
using schedule::LeafAttr;
using schedule::LoopRef;
using schedule::Relation;
using schedule::Stage;

namespace {

const DataType kI64 = DataType::Int(64);

// The symbolic extents of the program's tensors, by name.
std::map<std::string, ir::Var> SizeVars(const schedule::Schedule& schedule) {
  std::map<std::string, ir::Var> out;
  for (const Ref<Stage>& stage : schedule->stages) {
    for (const Expr& extent : ir::OutputShape(*stage->op, 0)) {
      for (const ir::Var& var : ir::FreeVars(extent)) out.emplace(var->name, var);
    }
  }
  return out;
}

// Removes conversions between index types, because they tell a reader nothing: int64(n) becomes n,
// int64(n + 1) becomes (n + 1).
std::string WithoutIndexCasts(std::string text) {
  for (const std::string_view cast : {"int64(", "int32("}) {
    for (size_t at = 0; (at = text.find(cast, at)) != std::string::npos; ++at) {
      const bool whole = at == 0 || (std::isalnum(static_cast<unsigned char>(text[at - 1])) == 0 &&
                                     text[at - 1] != '_' && text[at - 1] != '.');
      if (!whole) continue;
      const size_t inner = at + cast.size();
      const size_t end = text.find_first_of(" ()", inner);
      const bool name = end != std::string::npos && text[end] == ')';
      if (name) text.erase(end, 1);
      text.erase(at, cast.size() - (name ? 0 : 1));
    }
  }
  return text;
}

}  // namespace

Explainer::Explainer(const schedule::Schedule& schedule, const std::vector<ir::NodeRef>& args,
                     const ExplainOptions& options)
    : original_(schedule),
      normal_(schedule::Normalize(schedule)),
      bounds_(schedule::InferBounds(normal_)) {
  for (const ir::NodeRef& arg : args) {
    const ir::Tensor tensor = ir::RefAs<ir::TensorNode>(arg);
    if (!tensor) continue;
    const schedule::Stage* stage = normal_->FindArgument(tensor->op);
    arguments_.push_back(stage != nullptr ? stage->op.get() : tensor->op.get());
  }
  const std::map<std::string, ir::Var> known = SizeVars(schedule);
  for (const auto& [name, value] : options.sizes) {
    const auto it = known.find(name);
    if (it == known.end()) {
      std::vector<std::string> names;
      for (const auto& [other, var] : known) names.push_back(other);
      throw Error(Diagnostic{.name = "explain-unknown-size",
                             .message = "no tensor of the program has an extent `" + name + "`",
                             .expected = names.empty() ? "no sizes: every extent is a constant"
                                                       : "one of " + QuotedList(names),
                             .found = "`" + name + "`",
                             .help = "leave it out: extents without a value stay symbols"});
    }
    sizes_[it->second] = ir::Const(value, it->second->dtype);
  }
  for (const Ref<Stage>& stage : normal_->stages) {
    for (const IterVar& leaf : stage->leaf_axes) {
      if (!bounds_.Has(leaf)) continue;
      analyzer_.Bind(leaf->var, schedule::LoopFact(*stage, bounds_, leaf));
    }
  }
  for (const Ref<Stage>& stage : normal_->stages) {
    if (stage->rolling)
      rolling_.emplace(stage.get(), schedule::FindRolling(*stage, bounds_, &analyzer_));
  }
}

Expr Explainer::Known(const Expr& value) const {
  return analyzer_.Simplify(ir::Substitute(value, sizes_));
}

std::string Explainer::Text(const Expr& value) const {
  ir::PrintOptions options;
  options.short_form = true;
  return WithoutIndexCasts(ir::ToText(value, options));
}

Amount Explainer::AmountOf(const Expr& value) const {
  const Expr simple = MultipliedOut(Known(value));
  Amount out;
  out.text = Text(simple);
  if (const int64_t* number = ir::AsConstInt(simple)) {
    out.known = true;
    out.value = static_cast<double>(*number);
  }
  return out;
}

std::string Explainer::Interval(const Expr& min, const Expr& extent) const {
  const Expr begin = Known(min), size = Known(extent);
  const Expr end = Known(min + extent);
  std::string out = "[" + Text(begin) + ", " + Text(end) + ")";
  if (ir::AsConstInt(begin) == nullptr) out += ", " + Text(size) + " long";
  return out;
}

std::string Explainer::StageName(const ir::Op& op) const {
  const Stage* stage = normal_->Find(op);
  return stage != nullptr ? stage->name : op->name;
}

Expr Explainer::Extent(const Stage& stage, const IterVar& leaf) const {
  Expr extent = bounds_[leaf]->extent;
  const LeafAttr* attr = stage.FindAttr(leaf);
  if (attr != nullptr && attr->thread && attr->thread->domain)
    extent = attr->thread->domain->extent;
  return Known(ir::MakeCast(kI64, extent));
}

void Explainer::Place(const Stage& stage, ExplainedStage& out) {
  switch (stage.attach) {
    case AttachKind::kScope:
      out.place = "at " + stage.attach_stage->name + "." + stage.attach_axis->var->name;
      break;
    case AttachKind::kScan:
      out.place = "within the scan " + stage.attach_stage->name;
      break;
    default:
      out.place = stage.is_output ? "at the root, an output" : "at the root";
  }
  for (const LoopRef& loop : Around(stage))
    out.fixed_loops.push_back(loop.stage->name + "." + loop.leaf->var->name);
  std::unordered_set<std::string> seen;
  for (const ir::Tensor& input : ir::InputsOf(*stage.op)) {
    const std::string name = StageName(input->op);
    if (seen.insert(name).second) out.reads.push_back(name);
  }
}

void Explainer::Loops(const Stage& stage, ExplainedStage& out) {
  for (const IterVar& leaf : stage.leaf_axes) {
    ExplainedLoop loop;
    loop.name = leaf->var->name;
    loop.extent = AmountOf(Extent(stage, leaf));
    loop.reduces = leaf->iter_kind == ir::IterKind::kReduce;
    const LeafAttr* attr = stage.FindAttr(leaf);
    loop.kind = attr == nullptr ? "serial" : ir::For::kForKindNames[static_cast<int>(attr->kind)];
    if (attr != nullptr && attr->thread) loop.kind = attr->thread->thread_tag;
    for (const Relation& relation : stage.relations) {
      if (relation.kind == Relation::kSplit &&
          (relation.outer.same_as(leaf) || relation.inner.same_as(leaf))) {
        loop.from = std::string(relation.outer.same_as(leaf) ? "outer" : "inner") + " part of " +
                    relation.parent->var->name;
        loop.from += relation.factor ? ", split by " + Text(relation.factor)
                                     : ", split into " + Text(relation.nparts);
      } else if (relation.kind == Relation::kFuse && relation.fused.same_as(leaf)) {
        loop.from = relation.outer->var->name + " and " + relation.inner->var->name + ", fused";
      }
    }
    out.loops.push_back(std::move(loop));
  }
}

void Explainer::Regions(const Stage& stage, ExplainedStage& out) {
  for (const IterVar& root : stage.root_axes) {
    if (!bounds_.Has(root) || !root->domain) continue;
    const ir::Range& region = bounds_[root];
    ExplainedAxis axis;
    axis.name = root->var->name;
    axis.domain = Interval(root->domain->min, root->domain->extent);
    axis.region = Interval(region->min, region->extent);
    axis.whole = axis.domain == axis.region;
    out.axes.push_back(std::move(axis));
  }
  if (stage.is_output) out.needed_by.push_back({"the caller", "all of it"});
  for (const Stage* reader : schedule::ReadersOf(*normal_, stage.op)) {
    const auto* compute = ir::As<ComputeOp>(reader->op);
    if (compute == nullptr) {
      out.needed_by.push_back({reader->name, "all of it"});
      continue;
    }
    std::unordered_set<std::string> seen;
    for (const Expr& body : compute->body) {
      ir::ForEach<ir::Load>(body, [&](const ir::Load& load) {
        const auto* tensor = ir::As<ir::TensorNode>(load.source);
        if (tensor == nullptr || !tensor->op.same_as(stage.op)) return;
        std::vector<std::string> indices;
        for (const Expr& index : load.indices) indices.push_back(Text(index));
        std::string element = stage.name + "[" + absl::StrJoin(indices, ", ") + "]";
        if (seen.insert(element).second)
          out.needed_by.push_back({reader->name, std::move(element)});
      });
    }
  }
}

void Explainer::Buffers(const Stage& stage, ExplainedStage& out) {
  const bool argument =
      std::find(arguments_.begin(), arguments_.end(), stage.op.get()) != arguments_.end();
  const auto* compute = ir::As<ComputeOp>(stage.op);
  for (int64_t k = 0; k < ir::NumOutputs(*stage.op); ++k) {
    ExplainedBuffer buffer;
    buffer.name =
        ir::NumOutputs(*stage.op) == 1 ? stage.name : stage.name + ".v" + std::to_string(k);
    const DataType type = ir::OutputType(*stage.op, k);
    buffer.dtype = type.ToString();
    buffer.argument = argument;
    buffer.scope = schedule::StorageScope(stage);
    std::vector<Expr> extents = ir::OutputShape(*stage.op, k);
    if (!argument && compute != nullptr) {
      for (size_t d = 0; d < extents.size(); ++d) extents[d] = bounds_[compute->axis[d]]->extent;
    }
    Expr bytes = ir::Int(type.bytes(), kI64);
    std::vector<std::string> shape;
    for (const Expr& extent : extents) {
      shape.push_back(Text(Known(extent)));
      bytes = bytes * Known(ir::MakeCast(kI64, extent));
    }
    buffer.shape = "[" + absl::StrJoin(shape, ", ") + "]";
    buffer.bytes = AmountOf(bytes);
    out.buffers.push_back(std::move(buffer));
  }
}

void Explainer::Guards(const Stage& stage, ExplainedStage& out) {
  const schedule::AxisMap values = schedule::AxisValues(stage, bounds_);
  for (const schedule::Guard& guard : schedule::BoundGuards(stage, bounds_, values, &analyzer_)) {
    ExplainedGuard entry;
    Expr condition = guard.condition;
    if (const auto* call = ir::As<ir::Call>(condition);
        call != nullptr && call->op == ir::intrinsic::kLikely)
      condition = call->arg(0);
    entry.condition = Text(Known(condition));
    for (const ir::Var& var : ir::FreeVars(condition)) entry.loops.push_back(var->name);
    const std::string axis = "`" + guard.axis->var->name + "`";
    const std::string extent = Text(Known(bounds_[guard.axis]->extent));
    switch (guard.cause) {
      case schedule::Guard::Cause::kSplit:
        for (const Relation& relation : stage.relations) {
          if (relation.kind != Relation::kSplit || !relation.parent.same_as(guard.axis)) continue;
          const Expr outer = Known(bounds_[relation.outer]->extent),
                     inner = Known(bounds_[relation.inner]->extent);
          const Expr covered = Known(outer * inner);
          const Expr whole = Known(bounds_[guard.axis]->extent);
          const int64_t* has = ir::AsConstInt(whole);
          const int64_t* covers = ir::AsConstInt(covered);
          std::string verdict = "is not proved to be as many: the last block may be cut";
          if (has != nullptr && covers != nullptr) {
            verdict = *has == *covers
                          ? "is as many for these sizes, but not proved for others"
                          : "covers " + std::to_string(*covers) + ": the last block is cut";
          }
          entry.reason = axis + " has " + extent + " iterations and is split into (" + Text(outer) +
                         ") x (" + Text(inner) + "), which " + verdict;
        }
        break;
      case schedule::Guard::Cause::kThread:
        entry.reason = "the thread axis that " + axis + " is bound to may be wider than its " +
                       extent + " iterations";
        break;
      case schedule::Guard::Cause::kDomain:
        entry.reason = "the region that readers need of " + axis + ", " +
                       Interval(bounds_[guard.axis]->min, bounds_[guard.axis]->extent) +
                       ", is not proved to lie within its domain " +
                       Interval(guard.axis->domain->min, guard.axis->domain->extent);
    }
    out.guards.push_back(std::move(entry));
  }
}

ExplainedStage Explainer::Describe(const Stage& stage) {
  ExplainedStage out;
  out.name = stage.name;
  Buffers(stage, out);
  if (stage.is_placeholder()) {
    out.kind = "input";
    out.place = "given by the caller";
    return out;
  }
  const auto* compute = ir::As<ComputeOp>(stage.op);
  out.kind = compute == nullptr      ? ir::NodeKindName(stage.op->node_kind())
             : stage.has_reduction() ? "reduction"
                                     : "compute";
  Place(stage, out);
  Loops(stage, out);
  Regions(stage, out);
  Rolls(stage, out);
  std::vector<LoopRef> loops = Around(stage);
  out.executions = AmountOf(Times(loops));
  if (compute == nullptr) return out;
  const auto rolling = rolling_.find(&stage);
  const IterVar rolled = rolling == rolling_.end() ? IterVar() : compute->axis[rolling->second.dim];
  if (rolled) loops.push_back({&stage, rolled});
  Expr points = Times(loops), domain = ir::Int(1, kI64);
  for (const IterVar& axis : compute->axis) {
    if (!axis.same_as(rolled)) points = points * Known(ir::MakeCast(kI64, bounds_[axis]->extent));
    domain = domain * Known(ir::MakeCast(kI64, axis->domain->extent));
  }
  out.points = AmountOf(points);
  const Amount whole = AmountOf(domain);
  if (out.points.known && whole.known && whole.value > 0)
    out.recompute = out.points.value / whole.value;
  Guards(stage, out);
  Traffic(stage, *compute, out);
  return out;
}

std::vector<ExplainedStage> Explainer::Stages() {
  std::vector<ExplainedStage> out;
  for (const Ref<Stage>& stage : original_->stages) {
    if (stage->attach == AttachKind::kInline) {
      ExplainedStage inlined;
      inlined.name = stage->name;
      inlined.kind = "inlined";
      std::vector<std::string> readers;
      for (const Stage* reader : schedule::ReadersOf(*original_, stage->op))
        readers.push_back(reader->name);
      inlined.place = "inlined into " + absl::StrJoin(readers, ", ");
      out.push_back(std::move(inlined));
      continue;
    }
    const Stage* normal = normal_->FindByName(stage->name);
    LATHE_CHECK(normal != nullptr) << "stage `" << stage->name << "` is lost";
    out.push_back(Describe(*normal));
  }
  return out;
}

void Explainer::AddLowered(const ir::Module& lowered, std::vector<ExplainedStage>& stages) {
  class Finder final : public ir::Visitor {
   public:
    explicit Finder(std::vector<ExplainedStage>& stages) : stages_(stages) {}

   protected:
    bool Enter(const ir::Node& node) override {
      if (ir::IsExpr(&node)) return false;
      if (const auto* loop = ir::As<ir::For>(&node)) loops_.push_back(loop);
      if (const auto* branch = ir::As<ir::If>(&node)) branches_.push_back(branch);
      if (const auto* store = ir::As<ir::Store>(&node)) AtStore(*store);
      return true;
    }
    void Leave(const ir::Node& node) override {
      if (ir::As<ir::For>(&node) != nullptr) loops_.pop_back();
      if (ir::As<ir::If>(&node) != nullptr) branches_.pop_back();
    }

   private:
    void AtStore(const ir::Store& store) {
      for (ExplainedStage& stage : stages_) {
        for (const ExplainedBuffer& buffer : stage.buffers) {
          if (buffer.name == store.buffer->name) Count(stage);
        }
      }
    }
    void Count(ExplainedStage& stage) {
      ++stage.bodies;
      std::unordered_set<std::string> names;
      for (const ir::If* branch : branches_) {
        for (const Expr& condition : ir::SplitConjunction(branch->condition)) {
          const auto* call = ir::As<ir::Call>(condition);
          if (call == nullptr || call->op != ir::intrinsic::kLikely) continue;
          for (const ir::Var& var : ir::FreeVars(condition)) names.insert(var->name);
        }
      }
      if (names.empty()) return;
      ++stage.guarded_bodies;
      std::string where;
      for (const ir::For* loop : loops_) {
        if (names.count(loop->var->name) != 0)
          where += (where.empty() ? "" : ", ") + loop->var->name;
      }
      for (ExplainedGuard& guard : stage.guards) {
        // Guards match by loops: lowering rewrites conditions, but keeps the names of loops.
        for (const std::string& name : guard.loops) {
          if (names.count(name) == 0) continue;
          guard.remains = true;
          guard.where = where;
        }
      }
    }
    std::vector<ExplainedStage>& stages_;
    std::vector<const ir::For*> loops_;
    std::vector<const ir::If*> branches_;
  };
  for (const ir::Func& func : lowered->functions) Finder(stages).Visit(func->body);
}

Explanation Explain(const schedule::Schedule& schedule, const std::vector<ir::NodeRef>& args,
                    const std::string& name, const ExplainOptions& options) {
  Explanation out;
  out.name = name;
  out.sizes = options.sizes;
  out.stages = Explainer(schedule, args, options).Stages();
  const ir::Module lowered = Lower(schedule, args, name, {});
  Explainer::AddLowered(lowered, out.stages);
  ir::PrintOptions print;
  print.short_form = true;
  for (const ir::Func& func : lowered->functions) out.loops += ir::ToText(func, print) + "\n";
  return out;
}

}  // namespace lathe::driver
