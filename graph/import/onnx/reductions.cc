// Reductions along dimensions.
#include <algorithm>

#include "graph/import/onnx/at_run.h"
#include "graph/import/onnx/operators.h"

namespace lathe::graph::onnx {
namespace {

// The mean of whole numbers, truncated: of their exact sum, which real numbers do not hold.
GraphVar WholeMean(const NodeContext& n, const GraphVar& x, const std::vector<int64_t>& axes,
                   const ir::Dict& attrs) {
  const DataType type = NodeContext::DTypeOf(x),
                 wide = type.is_uint() ? DataType::UInt(64) : DataType::Int(64);
  GraphVar count = n.Scalar(1, wide);
  for (int64_t d = 0; d < NodeContext::RankOf(x); ++d) {
    if (!axes.empty() && std::ranges::find(axes, d) == axes.end()) continue;
    const Expr extent = NodeContext::ShapeOf(x)[static_cast<size_t>(d)];
    count = n.Mul(count, ExtentAsTensor(n, extent, wide));
  }
  count = n.Call("maximum", {count, n.Scalar(1, wide)});  // of nothing
  const GraphVar sum = n.Call("sum", {n.Cast(x, wide)}, attrs);
  return n.Cast(n.Call("trunc_divide", {sum, count}), type);
}

// The root of the exact sum of the squares of whole numbers, truncated.
GraphVar WholeNorm(const NodeContext& n, const GraphVar& x, const ir::Dict& attrs) {
  const DataType type = NodeContext::DTypeOf(x),
                 wide = type.is_uint() ? DataType::UInt(64) : DataType::Int(64);
  const GraphVar squares = n.Call("sum_square", {n.Cast(x, wide)}, attrs);
  return n.Cast(n.Call("sqrt", {n.Cast(squares, DataType::Float(64))}), type);
}

// Axes are an input from opset `since` on.
Operator Reduction(std::string name, std::string ours, int64_t since, std::string of_bool = "") {
  return {std::move(name), [ours, since, of_bool](NodeContext& n) -> Results {
            const GraphVar x = n.In(0);
            std::vector<int64_t> axes;
            if (n.opset < since) {
              axes = n.Ints("axes");
            } else if (n.Has(1) && n.AreKnown(1)) {
              axes = n.Ints(1, "axes");
            }
            const bool none = n.Int("noop_with_empty_axes", 0) != 0;
            const bool keeps = n.Int("keepdims", 1) != 0;
            if (n.opset >= since && n.Has(1) && !n.AreKnown(1)) return ReduceAtRun(n, ours, keeps);
            axes = n.Axes(axes, NodeContext::RankOf(x));
            if (axes.empty() && (none || NodeContext::RankOf(x) == 0)) {
              // Each element by itself.
              if (ours == "sum_square") return {n.Mul(x, x)};
              if (ours == "norm_l1" || ours == "norm_l2") return {n.Call("abs", {x})};
              if (ours == "log_sum") return {n.Call("log", {x})};
              return {n.Call("identity", {x})};
            }
            const DataType dtype = NodeContext::DTypeOf(x);
            const bool truth = dtype.is_bool() && !of_bool.empty();
            const ir::Dict attrs{{"axis", IntsAttr(axes)}, {"keepdims", BoolAttr(keeps)}};
            if (dtype.is_integral() && ours == "mean") return {WholeMean(n, x, axes, attrs)};
            if (dtype.is_integral() && ours == "norm_l2") return {WholeNorm(n, x, attrs)};
            const bool needs_float = !dtype.is_float() && !truth && ours != "sum" &&
                                     ours != "prod" && ours != "max" && ours != "min" &&
                                     ours != "norm_l1" && ours != "sum_square";
            const GraphVar data = needs_float ? n.Cast(x, DataType::Float(64)) : x;
            return {n.Cast(n.Call(truth ? of_bool : ours, {data}, attrs), dtype)};
          }};
}

}  // namespace

std::vector<Operator> Reductions() {
  return {
      Reduction("ReduceL1", "norm_l1", 18),     Reduction("ReduceL2", "norm_l2", 18),
      Reduction("ReduceLogSum", "log_sum", 18), Reduction("ReduceLogSumExp", "logsumexp", 18),
      Reduction("ReduceMax", "max", 18, "any"), Reduction("ReduceMean", "mean", 18),
      Reduction("ReduceMin", "min", 18, "all"), Reduction("ReduceProd", "prod", 18),
      Reduction("ReduceSum", "sum", 13),        Reduction("ReduceSumSquare", "sum_square", 18),
  };
}

}  // namespace lathe::graph::onnx
