#include <cmath>
#include <cstring>
#include <optional>
#include <unordered_map>
#include <vector>

#include "graph/passes/pass.h"
#include "graph/passes/shape_of.h"

namespace lathe::graph {
namespace {

using ir::As;
using ir::GraphVar;

// Of a tensor; 0 for others.
size_t RankOf(const GraphVar& var) {
  const auto* tensor = As<ir::TensorType>(var->type);
  return tensor == nullptr ? 0 : tensor->shape.size();
}

bool IsNear(double value, double expected) {
  return std::abs(value - expected) < 1e-5 * std::abs(expected);
}

// A product: numbers multiplied together, and what else is multiplied.
struct Factors {
  // GELU has at most seven factors and products. Longer products are not followed: that bounds the
  // time for chains.
  static constexpr int kMost = 12;
  bool has_too_many() const { return met > kMost; }

  double scale = 1;
  std::vector<GraphVar> others;
  int met = 0;
};

class Finding {
 public:
  explicit Finding(Builder& builder) : b_(builder) {}

  // nn.gelu(x) if the call computes it; else null. `rank` is the result's: a number may have more
  // dimensions than x.
  GraphVar Rewritten(const ir::GraphCall& call, size_t rank, const std::string& name) {
    if (call.op != "multiply" && call.op != "divide") return nullptr;
    Factors factors;
    AddFactors(call, &factors);
    if (factors.has_too_many() || factors.others.size() != 2 || !IsNear(factors.scale, 0.5))
      return nullptr;
    for (const bool swapped : {false, true}) {
      const GraphVar& x = factors.others[swapped ? 1 : 0];
      if (IsOnePlusErf(factors.others[swapped ? 0 : 1], x) && TypeOf(x) == DataType::Float(32) &&
          ShapeOf(x).size() == rank) {
        return b_.Call("nn.gelu", {x}, {}, name);
      }
    }
    return nullptr;
  }

  void Remember(const GraphVar& var, const ir::NodeRef& value) {
    made_.insert_or_assign(var, value);
  }

 private:
  const ir::GraphCall* CallOf(const GraphVar& var) const {
    const auto at = made_.find(var);
    return at == made_.end() ? nullptr : As<ir::GraphCall>(at->second);
  }
  // A constant of one float32.
  std::optional<double> NumberOf(const GraphVar& var) const {
    const auto at = made_.find(var);
    const auto* constant = at == made_.end() ? nullptr : As<ir::Constant>(at->second);
    if (constant == nullptr || TypeOf(var) != DataType::Float(32) ||
        constant->data->bytes().size() != sizeof(float)) {
      return std::nullopt;
    }
    float value = 0;
    std::memcpy(&value, constant->data->bytes().data(), sizeof value);
    return value;
  }

  void AddFactors(const ir::GraphCall& call, Factors* factors) const {
    if (call.op == "divide") {
      const std::optional<double> divisor = NumberOf(call.args[1]);
      if (!divisor) return;  // then no factors are found, and the call stays
      factors->scale /= *divisor;
      return AddFactors(call.args[0], factors);
    }
    for (const GraphVar& arg : call.args) AddFactors(arg, factors);
  }
  void AddFactors(const GraphVar& var, Factors* factors) const {
    if (++factors->met > Factors::kMost) return;
    if (const std::optional<double> number = NumberOf(var)) {
      factors->scale *= *number;
      return;
    }
    const ir::GraphCall* call = CallOf(var);
    if (call != nullptr &&
        (call->op == "multiply" || (call->op == "divide" && NumberOf(call->args[1])))) {
      return AddFactors(*call, factors);
    }
    factors->others.push_back(var);
  }

  // Is it 1 + erf(x / sqrt 2)?
  bool IsOnePlusErf(const GraphVar& var, const GraphVar& x) const {
    const ir::GraphCall* sum = CallOf(var);
    if (sum == nullptr || sum->op != "add") return false;
    for (const size_t one : {0, 1}) {
      const ir::GraphCall* erf = CallOf(sum->args[1 - one]);
      if (NumberOf(sum->args[one]) != 1.0 || erf == nullptr || erf->op != "erf") continue;
      Factors inner;
      AddFactors(erf->args[0], &inner);
      return !inner.has_too_many() && inner.others.size() == 1 && inner.others[0].same_as(x) &&
             IsNear(inner.scale, std::sqrt(0.5));
    }
    return false;
  }

  Builder& b_;
  std::unordered_map<GraphVar, ir::NodeRef, RefHash, RefEqual> made_;
};

}  // namespace

GraphFuncRef FindGelu(const GraphFuncRef& func, const ir::GraphModule& module,
                      const GraphPassContext&) {
  std::optional<Finding> finding;
  return Rewrite(
      *func, module,
      [&](const ir::GraphBinding& before, const ir::NodeRef& value, Builder& builder) -> GraphVar {
        if (!finding) finding.emplace(builder);
        GraphVar var;
        if (const auto* call = As<ir::GraphCall>(value))
          var = finding->Rewritten(*call, RankOf(before.var), before.var->name);
        if (!var) var = builder.Emit(value, before.var->name);
        if (builder.OpenBlocks() == 1) finding->Remember(var, value);
        return var;
      });
}

}  // namespace lathe::graph
