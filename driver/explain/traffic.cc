// Computes what loops touch, level by level. In the model, one execution of a loop fetches each
// element that it touches once, as with a cache that holds the loop's working set.
#include <algorithm>

#include "driver/explain/explainer.h"
#include "driver/explain/polynomial.h"
#include "ir/intrinsic_names.h"
#include "schedule/axis_values.h"

namespace lathe::driver {

using arith::IntSet;
using ir::ComputeOp;
using ir::Load;

namespace {

const DataType kI64 = DataType::Int(64);

// Counts arithmetic on values, not on indices: indices of loads are skipped. A shared expression
// counts once, because lowering computes it once.
class OperationCounter final : public ir::Visitor {
 public:
  OperationCounter() : Visitor(ir::Sharing::kOnce) {}

  int64_t count = 0;

 protected:
  bool Enter(const ir::Node& node) override {
    if (ir::As<Load>(&node) != nullptr) return false;
    switch (node.node_kind()) {
      case ir::NodeKind::kAdd:
      case ir::NodeKind::kSub:
      case ir::NodeKind::kMul:
      case ir::NodeKind::kDiv:
      case ir::NodeKind::kMod:
      case ir::NodeKind::kFloorDiv:
      case ir::NodeKind::kFloorMod:
      case ir::NodeKind::kMin:
      case ir::NodeKind::kMax:
        ++count;
        break;
      case ir::NodeKind::kCall:
        // A choice computes nothing itself. Every other intrinsic counts as one operation.
        count += static_cast<const ir::Call&>(node).op == ir::intrinsic::kIfThenElse ? 0 : 1;
        break;
      default:
        break;
    }
    return true;
  }
};

int64_t OperationsOf(const ComputeOp& op) {
  OperationCounter counter;
  for (const ir::Expr& body : op.body) {
    const auto* reduce = ir::As<ir::Reduce>(body);
    if (reduce == nullptr) {
      counter.Visit(body);
      continue;
    }
    // The members of a tuple share all operations.
    for (const ir::Expr& source : reduce->sources) counter.Visit(source);
    for (const ir::Expr& result : reduce->reducer->result) counter.Visit(result);
    break;
  }
  return counter.count;
}

}  // namespace

std::vector<Explainer::Touched> Explainer::TouchedFrom(const Stage& stage, const ComputeOp& op,
                                                       size_t level, bool fresh) {
  arith::DomMap fixed;
  for (size_t i = 0; i < level; ++i)
    fixed[stage.leaf_axes[i]->var] = IntSet::Point(stage.leaf_axes[i]->var);
  // Root axes get variables of their own for their values, because an axis's own variable counts
  // its loop from 0.
  std::vector<IntSet> roots = RootSets(stage, bounds_, fixed, &analyzer_);
  if (fresh) {
    const schedule::Rolling& rolling = rolling_.at(&stage);
    for (size_t i = 0; i < roots.size(); ++i) {
      if (!stage.root_axes[i].same_as(op.axis[rolling.dim])) continue;
      roots[i] = IntSet::FromRange(
          ir::MakeRange(rolling.old_end, ir::Const(rolling.step, rolling.old_end->dtype)));
    }
  }
  arith::DomMap values;
  ir::VarMap to_values;
  for (size_t i = 0; i < roots.size(); ++i) {
    const ir::Var& axis = stage.root_axes[i]->var;
    const ir::Var value = ir::MakeVar(axis->name, axis->dtype);
    to_values[axis] = value;
    values[value] = roots[i];
  }
  std::vector<Touched> out;
  auto touch = [&](const ir::Tensor& tensor, const std::vector<Expr>& indices) {
    Touched* at = nullptr;
    for (Touched& known : out) {
      if (ir::SameTensor(known.tensor, tensor)) at = &known;
    }
    if (at == nullptr) at = &out.emplace_back(Touched{tensor, {}});
    at->dimensions.resize(indices.size());
    for (size_t d = 0; d < indices.size(); ++d)
      at->dimensions[d].push_back(EvalSet(indices[d], values, &analyzer_));
  };
  std::vector<Expr> written;
  for (const ir::IterVar& axis : op.axis) written.emplace_back(to_values.at(axis->var));
  const ir::Op self(&op);
  for (int64_t k = 0; k < ir::NumOutputs(op); ++k) touch(ir::OutputOf(self, k), written);
  for (const Expr& body : op.body) {
    ir::ForEach<Load>(ir::Substitute(body, to_values), [&](const Load& load) {
      if (const ir::Tensor tensor = ir::RefAs<ir::TensorNode>(load.source))
        touch(tensor, load.indices);
    });
    if (ir::As<ir::Reduce>(body) != nullptr) break;
  }
  return out;
}

ir::Expr Explainer::BytesOf(const Touched& touched) {
  Expr bytes = ir::Int(touched.tensor->dtype().bytes(), kI64);
  for (size_t d = 0; d < touched.dimensions.size(); ++d) {
    const Expr whole = Known(ir::MakeCast(kI64, touched.tensor->shape()[d]));
    const IntSet set = Union(touched.dimensions[d], &analyzer_);
    Expr extent = whole;
    if (set.is_bounded()) extent = Known(ir::MakeCast(kI64, set.max - set.min + 1));
    // Elements that guards exclude are not touched.
    const int64_t* some = ir::AsConstInt(extent);
    const int64_t* all = ir::AsConstInt(whole);
    if (some != nullptr && all != nullptr && *some > *all) extent = whole;
    bytes = bytes * extent;
  }
  return Known(bytes);
}

void Explainer::Traffic(const Stage& stage, const ComputeOp& op, ExplainedStage& out) {
  std::vector<schedule::LoopRef> loops = Around(stage);
  const size_t around = loops.size();
  for (const ir::IterVar& leaf : stage.leaf_axes) loops.push_back({&stage, leaf});
  const Expr iterations = Times(loops);
  out.iterations = AmountOf(iterations);
  const Expr operations = Known(iterations * ir::Int(OperationsOf(op), kI64));
  out.operations = AmountOf(operations);
  const auto rolling = rolling_.find(&stage);
  bool rolls =
      rolling != rolling_.end();  // do iterations after the first touch less at this level?
  for (size_t level = 0; level <= stage.leaf_axes.size(); ++level) {
    ExplainedLevel entry;
    if (level < stage.leaf_axes.size()) entry.loop = stage.leaf_axes[level]->var->name;
    loops.resize(around);
    for (size_t i = 0; i < level; ++i) loops.push_back({&stage, stage.leaf_axes[i]});
    // Within the axis that rolls, fewer iterations are executed instead. Where that axis is split,
    // its loops are walked whole.
    if (rolls && level > 0) {
      const ir::IterVar& axis = op.axis[rolling->second.dim];
      rolls =
          std::any_of(stage.leaf_axes.begin() + static_cast<int64_t>(level), stage.leaf_axes.end(),
                      [&](const ir::IterVar& leaf) { return leaf.same_as(axis); });
    }
    const Expr times = Known(Times(loops));
    entry.executions = AmountOf(times);
    auto sum_of = [&](bool fresh, std::vector<ExplainedTouch>* touches) {
      Expr sum = ir::Int(0, kI64);
      for (const Touched& touched : TouchedFrom(stage, op, level, fresh)) {
        const Expr bytes = BytesOf(touched);
        if (touches != nullptr)
          touches->push_back({StageName(touched.tensor->op), AmountOf(bytes)});
        sum = sum + bytes;
      }
      return sum;
    };
    // Of a rolling buffer, what an execution after the first touches is shown.
    const Expr sum = sum_of(rolls, &entry.touches);
    entry.working_set = AmountOf(sum);
    Expr traffic = sum * times;
    if (rolls) {
      std::vector<schedule::LoopRef> first = loops;
      first.erase(first.begin() + static_cast<int64_t>(around) - 1);
      traffic = traffic + (sum_of(false, nullptr) - sum) * Times(first);
    }
    traffic = Known(traffic);
    entry.traffic = AmountOf(traffic);
    entry.intensity = ConstantRatio(operations, traffic).value_or(0);
    out.levels.push_back(std::move(entry));
  }
}

}  // namespace lathe::driver
