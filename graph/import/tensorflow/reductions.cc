// Reductions, extremes and their places, sums along a dimension.
#include <algorithm>

#include "graph/import/tensorflow/operators.h"

namespace lathe::graph::tensorflow {
namespace {

std::vector<int64_t> AxesOf(NodeContext& n) {
  std::vector<int64_t> axes = n.Axes(n.Ints(1, "reduction_indices"), Maker::RankOf(n.In(0)));
  std::ranges::sort(axes);
  axes.erase(std::ranges::unique(axes).begin(), axes.end());
  return axes;
}

Converter Reduction(const std::string& op) {
  return [op](NodeContext& n) -> Results {
    const std::vector<int64_t> axes = AxesOf(n);
    if (axes.empty()) return {n.Identity(n.In(0))};
    return {n.Call(op, {n.In(0)},
                   {{"axis", IntsAttr(axes)}, {"keepdims", BoolAttr(n.Flag("keep_dims"))}})};
  };
}

// Without an axis, along the first dimension.
Converter Place(const std::string& op) {
  return [op](NodeContext& n) -> Results {
    const int64_t given = n.inputs.size() > 1 ? n.Int(1, "dimension") : 0;
    const int64_t axis = n.Axis(given, Maker::RankOf(n.In(0)));
    const DataType type =
        n.Find("output_type") == nullptr ? DataType::Int(64) : n.Type("output_type");
    return {n.Cast(n.Call(op, {n.In(0)}, {{"axis", IntsAttr({axis})}}), type)};
  };
}

Results TopK(NodeContext& n) {
  return n.Fields(n.Call("topk", {n.In(0)},
                         {{"k", ShapeAttr({Int64(n.Int(1, "k"))})},
                          {"axis", IntAttr(Maker::RankOf(n.In(0)) - 1)},
                          {"ret_type", StringAttr("both")},
                          {"dtype", StringAttr("int32")}}));
}

Converter Cumulative(const std::string& op) {
  return [op](NodeContext& n) -> Results {
    const int64_t axis = n.Axis(n.Int(1, "axis"), Maker::RankOf(n.In(0)));
    return {n.Call(op, {n.In(0)},
                   {{"axis", IntAttr(axis)},
                    {"exclusive", BoolAttr(n.Flag("exclusive"))},
                    {"reverse", BoolAttr(n.Flag("reverse"))}})};
  };
}

// sum(x^2) / 2.
Results L2Loss(NodeContext& n) {
  const GraphVar x = n.In(0);
  std::vector<int64_t> axes;
  for (int64_t d = 0; d < Maker::RankOf(x); ++d) axes.push_back(d);
  const GraphVar squares = n.Mul(x, x);
  const GraphVar sum =
      axes.empty() ? squares : n.Call("sum", {squares}, {{"axis", IntsAttr(axes)}});
  return {n.Mul(sum, n.Scalar(0.5, Maker::DTypeOf(x)))};
}

}  // namespace

std::vector<Conversion> Reductions() {
  return {
      {"Mean", Reduction("mean")},
      {"Sum", Reduction("sum")},
      {"Prod", Reduction("prod")},
      {"Max", Reduction("max")},
      {"Min", Reduction("min")},
      {"All", Reduction("all")},
      {"Any", Reduction("any")},
      {"ArgMax", Place("argmax")},
      {"ArgMin", Place("argmin")},
      {"TopKV2", TopK, {"values", "indices"}},
      {"Cumsum", Cumulative("cumsum")},
      {"Cumprod", Cumulative("cumprod")},
      {"L2Loss", L2Loss},
  };
}

}  // namespace lathe::graph::tensorflow
