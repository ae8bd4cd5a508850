#include "topi/cpu/auto/access.h"

#include <algorithm>

#include "arith/linear.h"
#include "ir/intrinsic_names.h"
#include "ir/structural.h"
#include "ir/walk.h"

namespace lathe::topi::cpu {
namespace {

using ir::Expr;
using ir::IterVar;
using ir::Var;

// Bodies share expressions: n written operations may stand for 2^n computed ones.
constexpr int kMostOperations = 1 << 16;

// For each index: by how many elements the position moves when the index grows by 1.
std::vector<int64_t> StridesOf(const ir::Tensor& tensor) {
  const std::vector<Expr>& shape = tensor->shape();
  std::vector<int64_t> strides(shape.size(), 1);
  for (size_t i = shape.size(); i-- > 1;) strides[i - 1] = strides[i] * ExtentOf(shape[i]);
  return strides;
}

// Is the index the axis itself? Of an axis with one element 0 is the same: so broadcasting reads a
// batch of one.
bool IsAxis(const Expr& index, const ir::IterVar& axis) {
  return index.same_as(axis->var) || (ir::IsConstInt(index, 0) && ir::IsOne(axis->domain->extent) &&
                                      ir::IsConstInt(axis->domain->min, 0));
}

Access Describe(const ir::ComputeOp& compute, const ir::Tensor& tensor,
                const std::vector<Expr>& indices, const std::vector<Var>& vars,
                arith::Analyzer* analyzer) {
  Access out;
  out.tensor = tensor;
  out.indices = indices;
  out.steps.resize(vars.size());
  const std::vector<int64_t> strides = StridesOf(tensor);
  bool shifted = indices.size() == compute.axis.size();
  for (size_t dim = 0; dim < indices.size(); ++dim) {
    const std::optional<arith::LinearEquation> linear =
        arith::DetectLinear(indices[dim], vars, analyzer);
    for (size_t axis = 0; axis < vars.size(); ++axis) {
      if (!ir::UsesVar(indices[dim], vars[axis])) continue;
      AxisStep& step = out.steps[axis];
      step.used = true;
      const auto* factor = linear ? ir::As<ir::IntImm>(linear->coefficients[axis]) : nullptr;
      if (factor == nullptr) {
        step.linear = false;
      } else {
        step.step += factor->value * strides[dim];
      }
      shifted = shifted && axis == dim && factor != nullptr && factor->value == 1;
    }
    const auto* base = linear ? ir::As<ir::IntImm>(linear->base) : nullptr;
    shifted = shifted && base != nullptr && ir::UsesVar(indices[dim], vars[dim]);
    if (shifted) out.offsets.push_back(base->value);
  }
  if (!shifted) out.offsets.clear();
  const size_t most = std::min(indices.size(), compute.axis.size());
  while (out.same_prefix < most && IsAxis(indices[out.same_prefix], compute.axis[out.same_prefix]))
    ++out.same_prefix;
  out.elementwise = out.same_prefix == indices.size() && indices.size() == compute.axis.size();
  return out;
}

}  // namespace

int64_t ExtentOf(const Expr& extent) {
  const auto* constant = ir::As<ir::IntImm>(extent);
  return constant != nullptr ? constant->value : kUnknownExtent;
}
int64_t ExtentOf(const IterVar& axis) { return ExtentOf(axis->domain->extent); }

std::vector<Access> AccessesOf(const ir::ComputeOp& compute) {
  std::vector<Var> vars;
  for (const IterVar& axis : compute.axis) vars.push_back(axis->var);
  for (const IterVar& axis : compute.reduce_axis) vars.push_back(axis->var);
  arith::Analyzer analyzer;
  std::vector<Access> out;
  for (const Expr& body : compute.body) {
    ir::PostOrder(body, [&](const ir::Node& node) {
      const auto* load = ir::As<ir::Load>(&node);
      if (load == nullptr) return;
      const ir::Tensor tensor = ir::RefAs<ir::TensorNode>(load->source);
      if (!tensor) return;
      for (const Access& known : out) {
        if (!ir::SameTensor(known.tensor, tensor)) continue;
        bool same = true;
        for (size_t i = 0; i < known.indices.size(); ++i)
          same = same && ir::StructuralEqual(known.indices[i], load->indices[i]);
        if (same) return;
      }
      out.push_back(Describe(compute, tensor, load->indices, vars, &analyzer));
    });
  }
  return out;
}

BodyCost CostOf(const ir::ComputeOp& compute) {
  BodyCost cost;
  const auto note = [&cost](const ir::Node& node) {
    if (ir::As<ir::Load>(&node) != nullptr) return false;
    if (ir::As<ir::Select>(&node) != nullptr) cost.has_condition = true;
    const auto* call = ir::As<ir::Call>(&node);
    if (call != nullptr && call->op == ir::intrinsic::kIfThenElse) {
      cost.has_condition = true;
    } else if (call != nullptr) {
      cost.has_function = true;
    }
    const auto* quotient = ir::As<ir::Div>(&node);
    if (quotient != nullptr && quotient->dtype.is_float()) cost.has_function = true;
    return true;
  };
  // Counts a shared expression at each use, up to a number beyond which more makes no difference.
  const auto count = [&cost](const ir::Node& node) {
    if (cost.operations >= kMostOperations || ir::As<ir::Load>(&node) != nullptr) return false;
    ++cost.operations;
    return true;
  };
  for (const Expr& body : compute.body) {
    ir::PreOrder(body, note, ir::Sharing::kOnce);
    ir::PreOrder(body, count, ir::Sharing::kEachUse);
  }
  return cost;
}

}  // namespace lathe::topi::cpu
