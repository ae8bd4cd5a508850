// Normalisations, softmax and bias.
#include "graph/builder.h"
#include "graph/ops/define.h"
#include "graph/ops/families.h"
#include "te/tags.h"
#include "topi/ops/rows.h"

namespace lathe::graph::ops {
namespace {

namespace fn = ir::intrinsic;

// [extent] with ones after it, so that it broadcasts along dimension `axis` of `rank`.
GraphVar AlongAxis(Builder& b, const GraphVar& vector, int64_t axis, int64_t rank) {
  const auto& type = static_cast<const ir::TensorType&>(*vector->type);
  if (axis == rank - 1) return vector;
  Shape shape{type.shape[0]};
  for (int64_t d = axis + 1; d < rank; ++d) shape.push_back(ir::Int(1, DataType::Int(64)));
  return b.Call("reshape", {vector}, {{"newshape", ShapeAttr(std::move(shape))}}, vector->name);
}

int64_t RankOf(const GraphVar& var) {
  return static_cast<int64_t>(static_cast<const ir::TensorType&>(*var->type).shape.size());
}
DataType DTypeOf(const GraphVar& var) {
  return static_cast<const ir::TensorType&>(*var->type).dtype;
}

OpDef BiasAdd() {
  return {
      .name = "nn.bias_add",
      .doc = "data + bias, with an element of the bias for each place along one dimension.",
      .inputs = {{"data", "the input", kNumbers}, {"bias", "[extent of `axis`]", kNumbers, 0}},
      .attrs = {Int("axis", "the dimension of the bias", 1)},
      .kind = OpKind::kBroadcast,
      .type = [](const TypeContext& c) -> TypeResult {
        const auto axis = static_cast<size_t>(AxisOf(c, "axis", c.rank(0)));
        c.NeedRank(1, 1, 1);
        c.NeedExtent(1, 0, c.shape(0)[axis], "the extent of `data` there");
        return c.types[0];
      },
      .compute =
          [](const ComputeContext& c) {
            const auto axis = static_cast<size_t>(AxisOf(c, "axis", c.in(0)->ndim()));
            return One(
                c.shape(),
                [&](const Indices& i) { return At(c.in(0), AsExprs(i)) + At(c.in(1), {i[axis]}); },
                "y", te::kBroadcast);
          },
      .examples = {{{"T[n, 3, 5]", "T[3]"}}, {{"T[n, 3, 5]", "T[5]"}, {{"axis", IntAttr(-1)}}}}};
}

OpDef BatchNorm() {
  return {
      .name = "nn.batch_norm",
      .doc =
          "(data - mean) / sqrt(var + epsilon) gamma + beta, channel by channel, with the moving "
          "mean and variance of training [Ioffe, Szegedy, 2015]. Returns (result, mean, var).",
      .inputs = {{"data", "the input", kFloats},
                 {"gamma", "the scale [channels]", kFloats, 0},
                 {"beta", "the shift [channels]", kFloats, 0},
                 {"moving_mean", "[channels]", kFloats, 0},
                 {"moving_var", "[channels]", kFloats, 0}},
      .attrs = {Int("axis", "the dimension of the channels", 1),
                Number("epsilon", "added to the variance", 1e-5),
                Flag("center", "is beta added?", true),
                Flag("scale", "is gamma multiplied?", true)},
      .type = [](const TypeContext& c) -> TypeResult {
        const auto axis = static_cast<size_t>(AxisOf(c, "axis", c.rank(0)));
        for (size_t i = 1; i < 5; ++i) {
          c.NeedRank(i, 1, 1);
          c.NeedExtent(i, 0, c.shape(0)[axis], "the channels of `data`");
        }
        return TupleOf({c.types[0], c.types[3], c.types[4]});
      },
      .expand =
          [](Builder& b, const std::vector<GraphVar>& x, const Attrs& attrs) {
            const int64_t rank = RankOf(x[0]);
            const int64_t axis = attrs.Int("axis") + (attrs.Int("axis") < 0 ? rank : 0);
            const GraphVar shifted =
                b.Call("add", {x[4], b.Scalar(attrs.Float("epsilon"), DTypeOf(x[0]))});
            GraphVar scale = b.Call("rsqrt", {shifted});
            if (attrs.Bool("scale")) scale = b.Call("multiply", {scale, x[1]});
            GraphVar shift = b.Call("negative", {b.Call("multiply", {x[3], scale})});
            if (attrs.Bool("center")) shift = b.Call("add", {shift, x[2]});
            const GraphVar scaled = b.Call("multiply", {x[0], AlongAxis(b, scale, axis, rank)});
            const GraphVar y = b.Call("add", {scaled, AlongAxis(b, shift, axis, rank)});
            return b.Tuple({y, x[3], x[4]});
          },
      .examples = {{{"T[n, 3, 5]", "T[3]", "T[3]", "T[3]", "T[3] in 0.5:2"}},
                   {{"T[n, 5, 3]", "T[3]", "T[3]", "T[3]", "T[3] in 0.5:2"},
                    {{"axis", IntAttr(-1)}, {"center", BoolAttr(false)}}}}};
}

// The mean of a row, and 1 / sqrt(variance + epsilon), along the last `normed` dimensions.
struct RowStatistics {
  Tensor mean, factor;
};
RowStatistics Statistics(const Tensor& x, size_t normed, double epsilon) {
  const te::Shape& shape = x->shape();
  const size_t rows = shape.size() - normed;
  const te::Shape row_shape(shape.begin(), shape.begin() + static_cast<ptrdiff_t>(rows));
  const DataType dtype = x->dtype();
  Expr count = ir::Int(1);
  for (size_t d = rows; d < shape.size(); ++d) count = count * shape[d];
  const auto reduce = [&](const char* name,
                          const std::function<Expr(const std::vector<Expr>&)>& f) {
    std::vector<ir::IterVar> k;
    for (size_t d = rows; d < shape.size(); ++d) {
      k.push_back(te::ReduceAxis(ir::Int(0), shape[d], "k"));
    }
    return te::Compute(
        row_shape,
        [&](const Indices& i) {
          std::vector<Expr> at = AsExprs(i);
          for (const ir::IterVar& axis : k) at.push_back(axis->var);
          return te::Sum(f(at), k);
        },
        name);
  };
  const Tensor sum = reduce("sum", [&](const std::vector<Expr>& at) { return At(x, at); });
  const Tensor mean = te::Compute(
      row_shape, [&](const Indices& i) { return At(sum, AsExprs(i)) / ir::MakeCast(dtype, count); },
      "mean");
  const Tensor squares = reduce("squares", [&](const std::vector<Expr>& at) {
    const Expr centred =
        At(x, at) - At(mean, {at.begin(), at.begin() + static_cast<ptrdiff_t>(rows)});
    return centred * centred;
  });
  const Tensor factor = te::Compute(
      row_shape,
      [&](const Indices& i) {
        return Num(1, dtype) / Fn(fn::kSqrt, {At(squares, AsExprs(i)) / ir::MakeCast(dtype, count) +
                                              Num(epsilon, dtype)});
      },
      "factor");
  return {mean, factor};
}

OpDef LayerNorm() {
  return {.name = "nn.layer_norm",
          .doc =
              "(data - mean) / sqrt(variance + epsilon) gamma + beta, with mean and variance along "
              "the last dimension [Ba et al., 2016].",
          .inputs = {{"data", "the input", kFloats},
                     {"gamma", "the scale [last extent]", kFloats, 0},
                     {"beta", "the shift [last extent]", kFloats, 0}},
          .attrs = {Int("axis", "the dimension; only the last one", -1),
                    Number("epsilon", "added to the variance", 1e-5),
                    Flag("center", "is beta added?", true),
                    Flag("scale", "is gamma multiplied?", true)},
          .kind = OpKind::kReduction,
          .type = [](const TypeContext& c) -> TypeResult {
            c.NeedRank(0, 1, 16);
            if (AxisOf(c, "axis", c.rank(0)) != c.rank(0) - 1) {
              c.FailAttr("axis", "is not the last dimension", "-1",
                         std::to_string(c.attrs.Int("axis")), "transpose the input");
            }
            for (const size_t i : {1, 2}) {
              c.NeedRank(i, 1, 1);
              c.NeedExtent(i, 0, c.shape(0).back(), "the last extent of `data`");
            }
            return c.types[0];
          },
          .compute =
              [](const ComputeContext& c) {
                const Tensor& x = c.in(0);
                const RowStatistics row = Statistics(x, 1, c.attrs.Float("epsilon"));
                return One(
                    c.shape(),
                    [&](const Indices& i) {
                      const std::vector<Expr> at = AsExprs(i);
                      const std::vector<Expr> of_row(at.begin(), at.end() - 1);
                      Expr y = (At(x, at) - At(row.mean, of_row)) * At(row.factor, of_row);
                      if (c.attrs.Bool("scale")) y = y * At(c.in(1), {at.back()});
                      return c.attrs.Bool("center") ? y + At(c.in(2), {at.back()}) : y;
                    },
                    "y");
              },
          .examples = {{{"T[n, 8]", "T[8]", "T[8]"}},
                       {{"T[2, n, 8]", "T[8]", "T[8]"}, {{"center", BoolAttr(false)}}}}};
}

// Softmax, or its logarithm, along one dimension.
OpDef SoftmaxOp(bool is_log) {
  return {.name = is_log ? "nn.log_softmax" : "nn.softmax",
          .doc = is_log ? "x - max - ln(sum of e^(x - max)), along one dimension."
                        : "e^(x - max) / sum of e^(x - max), along one dimension.",
          .inputs = {{"data", "the input", kFloats}},
          .attrs = {Int("axis", "the dimension", -1)},
          .kind = OpKind::kReduction,
          .type = [](const TypeContext& c) -> TypeResult {
            c.NeedRank(0, 1, 16);
            AxisOf(c, "axis", c.rank(0));
            return c.types[0];
          },
          .compute =
              [is_log](const ComputeContext& c) {
                const Tensor& x = c.in(0);
                const auto axis = static_cast<size_t>(AxisOf(c, "axis", x->ndim()));
                if (!is_log && x->ndim() == 2 && axis == 1) return Results{topi::ops::Softmax(x)};
                te::Shape rows = x->shape();
                rows.erase(rows.begin() + static_cast<ptrdiff_t>(axis));
                const auto reduce = [&](const Tensor& of, auto how, const char* name) {
                  const ir::IterVar k = te::ReduceAxis(ir::Int(0), x->shape()[axis], "k");
                  return te::Compute(
                      rows,
                      [&](const Indices& i) {
                        std::vector<Expr> at = AsExprs(i);
                        at.insert(at.begin() + static_cast<ptrdiff_t>(axis), k->var);
                        return how(At(of, at), {k}, {}, {});
                      },
                      name);
                };
                const auto row_of = [&](const Indices& i) {
                  std::vector<Expr> at = AsExprs(i);
                  at.erase(at.begin() + static_cast<ptrdiff_t>(axis));
                  return at;
                };
                const Tensor largest = reduce(x, te::Max, "largest");
                const Tensor powers = te::Compute(
                    x->shape(),
                    [&](const Indices& i) {
                      return Fn(fn::kExp, {At(x, AsExprs(i)) - At(largest, row_of(i))});
                    },
                    "powers");
                const Tensor sum = reduce(powers, te::Sum, "sum");
                if (is_log) {
                  const Tensor logs = te::Compute(
                      rows, [&](const Indices& i) { return Fn(fn::kLog, {At(sum, AsExprs(i))}); },
                      "logs");
                  // First the difference, which is exact for the large elements.
                  return One(
                      c.shape(),
                      [&](const Indices& i) {
                        const std::vector<Expr> row = row_of(i);
                        return At(x, AsExprs(i)) - At(largest, row) - At(logs, row);
                      },
                      "y");
                }
                const Tensor scale = te::Compute(
                    rows,
                    [&](const Indices& i) { return Num(1, x->dtype()) / At(sum, AsExprs(i)); },
                    "scale");
                return One(
                    c.shape(),
                    [&](const Indices& i) { return At(powers, AsExprs(i)) * At(scale, row_of(i)); },
                    "y");
              },
          .examples = {{{"T[n, 7]"}}, {{"T[n, 3, 7]"}, {{"axis", IntAttr(1)}}}, {{"T[2, 3, n]"}}}};
}

}  // namespace

std::vector<OpDef> Norms() {
  return {BiasAdd(), BatchNorm(), LayerNorm(), SoftmaxOp(false), SoftmaxOp(true)};
}

}  // namespace lathe::graph::ops
