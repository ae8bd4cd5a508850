#include "graph/wide_sums.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "ir/intrinsic.h"
#include "ir/intrinsic_names.h"
#include "ir/reducers.h"
#include "ir/rewrite.h"
#include "ir/walk.h"

namespace lathe::graph {
namespace {

using ir::As;
using ir::ComputeOp;
using ir::Expr;
using te::Tensor;

constexpr DataType kWide = DataType::Float(32);

// Their values depend on the type of the argument itself.
constexpr std::array<std::string_view, 2> kOfType = {ir::intrinsic::kReinterpret,
                                                     ir::intrinsic::kNextafter};
bool IsFunctionOfReals(const ir::Call& call) {
  return ir::FindIntrinsic(call.op) != nullptr && ir::EffectOf(call) == ir::CallEffect::kPure &&
         std::find(kOfType.begin(), kOfType.end(), call.op) == kOfType.end();
}

bool IsSmall(DataType type) { return type.is_float() && type.is_scalar() && type.bits() <= 16; }

bool IsSmallSum(const ir::OpNode& op) {
  const auto* compute = As<ComputeOp>(&op);
  if (compute == nullptr || compute->body.size() != 1) return false;
  const auto* reduce = As<ir::Reduce>(compute->body[0]);
  return reduce != nullptr && IsSmall(reduce->dtype) && ir::IsNamedReducer(*reduce->reducer) &&
         reduce->reducer->name == ir::reducer_name::kSum;
}

// `value`, of a small type, computed in float32 as far as its operators reach.
Expr Widened(const Expr& value) {
  if (!IsSmall(value->dtype)) return value;
  if (const auto* cast = As<ir::Cast>(value)) {
    if (!IsSmall(cast->value->dtype)) return ir::MakeCast(kWide, cast->value);
  } else if (const auto* select = As<ir::Select>(value)) {
    return ir::MakeSelect(select->condition, Widened(select->true_value),
                          Widened(select->false_value));
  } else if (const ir::Operands operands = ir::BinaryOperands(value.get()); operands.a != nullptr) {
    return ir::MakeBinary(value->node_kind(), Widened(*operands.a), Widened(*operands.b));
  } else if (const auto* call = As<ir::Call>(value)) {
    if (!IsFunctionOfReals(*call)) return ir::MakeCast(kWide, value);
    std::vector<ir::NodeRef> args;
    for (size_t i = 0; i < call->args.size(); ++i) {
      const Expr arg = call->arg(i);
      args.push_back(arg ? ir::NodeRef(Widened(arg)) : call->args[i]);
    }
    return ir::CallIntrinsic(call->op, std::move(args), call->attrs);
  }
  return ir::MakeCast(kWide, value);
}

class Widening {
 public:
  std::vector<Tensor> Run(std::vector<Tensor> outputs) {
    for (const Tensor& output : outputs) Visit(output->op);
    if (!plain_ || wide_.empty()) return outputs;
    for (Tensor& output : outputs) output = ir::OutputOf(Narrow(output->op), output->value_index);
    return outputs;
  }

 private:
  // Producers first.
  void Visit(const ir::Op& root) {
    std::vector<std::pair<ir::Op, bool>> work{{root, false}};
    while (!work.empty()) {
      const auto [op, inputs_done] = work.back();
      work.pop_back();
      if (inputs_done) {
        Make(op);
      } else if (seen_.insert(op.get()).second && As<ir::PlaceholderOp>(op) == nullptr) {
        if (As<ComputeOp>(op) == nullptr) plain_ = false;
        work.emplace_back(op, true);
        for (const Tensor& input : ir::InputsOf(*op)) work.emplace_back(input->op, false);
      }
    }
  }

  // The operation that stands for `op`: a sum in float32, or one that reads others that changed.
  void Make(const ir::Op& op) {
    const auto* compute = As<ComputeOp>(op);
    if (compute == nullptr) return;
    bool reads_wide = false;
    std::vector<Expr> body;
    for (const Expr& value : compute->body) {
      body.push_back(ir::Rewrite(value, [&](const ir::Load& load) -> Expr {
        const auto* tensor = As<ir::TensorNode>(load.source);
        const auto at = tensor == nullptr ? made_.end() : made_.find(tensor->op.get());
        if (at == made_.end()) return nullptr;
        const bool wide = wide_.contains(tensor->op.get());
        reads_wide = reads_wide || wide;
        const Expr read = te::At(ir::OutputOf(at->second, tensor->value_index), load.indices);
        return wide ? ir::MakeCast(tensor->dtype(), read) : read;
      }));
    }
    if (IsSmallSum(*op)) {
      const auto& now = static_cast<const ir::Reduce&>(*body[0]);
      std::vector<Expr> init;
      for (const Expr& value : now.init) init.push_back(Widened(value));
      body[0] =
          ir::MakeReduce(ir::NamedReducer(ir::reducer_name::kSum, {kWide}),
                         {Widened(now.sources[0])}, now.axis, now.condition, 0, std::move(init));
      wide_.insert(op.get());
    } else if (reads_wide) {
      for (Expr& value : body) {
        if (As<ir::Reduce>(value) == nullptr && IsSmall(value->dtype))
          value = ir::MakeCast(value->dtype, Widened(value));
      }
    }
    if (std::equal(body.begin(), body.end(), compute->body.begin(),
                   [](const Expr& a, const Expr& b) { return a.same_as(b); }))
      return;
    Ref<ir::Node> changed = ir::CloneNode(*compute);
    static_cast<ComputeOp&>(*changed).body = std::move(body);
    made_[op.get()] = ir::Op(static_cast<const ir::OpNode*>(changed.get()));
  }

  // `op`'s stand-in, with its results rounded.
  ir::Op Narrow(const ir::Op& op) {
    const auto at = made_.find(op.get());
    if (at == made_.end()) return op;
    if (!wide_.contains(op.get())) return at->second;
    const Tensor sum = ir::OutputOf(at->second, 0);
    return te::Compute(
               sum->shape(),
               [&](const te::Indices& i) {
                 return ir::MakeCast(ir::OutputOf(op, 0)->dtype(),
                                     te::At(sum, {i.begin(), i.end()}));
               },
               op->name)
        ->op;
  }

  std::unordered_set<const ir::Node*> seen_;
  std::unordered_map<const ir::Node*, ir::Op> made_;  // by the operation before
  std::unordered_set<const ir::Node*> wide_;  // operations before whose sums are float32 now
  bool plain_ = true;
};

}  // namespace

std::vector<Tensor> WithWideSums(std::vector<Tensor> outputs) {
  return Widening().Run(std::move(outputs));
}

}  // namespace lathe::graph
