// Normalisations of groups of channels, of rows, and across channels.
#include "graph/builder.h"
#include "graph/ops/define.h"
#include "graph/ops/families.h"
#include "ir/text/printer.h"
#include "te/tags.h"

namespace lathe::graph::ops {
namespace {

namespace fn = ir::intrinsic;

// Sums of 16-bit numbers are made in float32.
DataType SumType(DataType dtype) { return dtype.bits() < 32 ? DataType::Float(32) : dtype; }

// -- Groups of channels.

// The elements of one group of one sample: `channels` of them along `axis`, and all other
// dimensions but the first.
struct Groups {
  Groups(const Tensor& x, size_t axis, const Expr& count) : x(x), axis(axis), count(count) {
    channels = ir::IsOne(count) ? x->shape()[axis] : ir::FloorDivide(x->shape()[axis], count);
    size = channels;
    for (size_t d = 1; d < x->shape().size(); ++d) {
      if (d != axis) size = size * x->shape()[d];
    }
  }
  // The sum of map(element, [sample, group]).
  Tensor Sum(const std::function<Expr(const Expr&, const std::vector<Expr>&)>& map,
             const char* name) const {
    return te::Compute(
        {x->shape()[0], count},
        [&](const Indices& i) {
          std::vector<Expr> at{i[0]};
          std::vector<ir::IterVar> axes;
          for (size_t d = 1; d < x->shape().size(); ++d) {
            if (d == axis && ir::IsOne(channels)) {
              at.push_back(i[1]);
              continue;
            }
            axes.push_back(te::ReduceAxis(ir::Int(0), d == axis ? channels : x->shape()[d], "k"));
            at.push_back(d == axis ? i[1] * channels + axes.back()->var : Expr(axes.back()->var));
          }
          const Expr value = map(ir::MakeCast(SumType(x->dtype()), At(x, at)), {i[0], i[1]});
          return axes.empty() ? value : te::Sum(value, axes);
        },
        name);
  }
  const Tensor& x;
  size_t axis;
  Expr count, channels, size;
};

Results GroupNormOf(const ComputeContext& c, bool each_channel) {
  const Tensor& x = c.in(0);
  const auto axis = static_cast<size_t>(AxisOf(c, "axis", x->ndim()));
  Groups groups(x, axis, each_channel ? x->shape()[axis] : ir::Int(c.attrs.Int("num_groups")));
  if (each_channel) {
    groups.channels = ir::Int(1);
    groups.size = ir::Int(1);
    for (size_t d = 1; d < x->shape().size(); ++d) {
      if (d != axis) groups.size = groups.size * x->shape()[d];
    }
  }
  const DataType dtype = SumType(x->dtype());
  const Expr size = ir::MakeCast(dtype, groups.size);
  const Tensor sum = groups.Sum([](const Expr& e, const std::vector<Expr>&) { return e; }, "sum");
  const Tensor mean = te::Compute(
      sum->shape(), [&](const Indices& i) { return At(sum, AsExprs(i)) / size; }, "mean");
  const Tensor squares = groups.Sum(
      [&](const Expr& e, const std::vector<Expr>& group) {
        const Expr centred = e - At(mean, group);
        return centred * centred;
      },
      "squares");
  const Tensor factor = te::Compute(
      sum->shape(),
      [&](const Indices& i) {
        return Num(1, dtype) / Fn(fn::kSqrt, {At(squares, AsExprs(i)) / size +
                                              Num(c.attrs.Float("epsilon"), dtype)});
      },
      "factor");
  return One(
      c.shape(),
      [&](const Indices& i) {
        const Expr channel = i[axis];
        const std::vector<Expr> group{
            i[0], ir::IsOne(groups.channels) ? channel : ir::FloorDivide(channel, groups.channels)};
        Expr y = (ir::MakeCast(dtype, At(x, AsExprs(i))) - At(mean, group)) * At(factor, group);
        if (c.attrs.Bool("scale")) y = y * ir::MakeCast(dtype, At(c.in(1), {channel}));
        if (c.attrs.Bool("center")) y = y + ir::MakeCast(dtype, At(c.in(2), {channel}));
        return ir::MakeCast(c.dtype(), y);
      },
      "y");
}

OpDef GroupedNorm(bool each_channel) {
  OpDef op{
      .name = each_channel ? "nn.instance_norm" : "nn.group_norm",
      .doc = std::string(
                 "(data - mean) / sqrt(variance + epsilon) gamma + beta, with mean and variance of "
                 "each ") +
             (each_channel ? "channel of each sample [Ulyanov et al., 2016]."
                           : "group of channels of each sample [Wu, He, 2018]."),
      .inputs = {{"data", "the input [n, ...]", kFloats},
                 {"gamma", "the scale [channels]", kFloats, 0},
                 {"beta", "the shift [channels]", kFloats, 0}},
      .attrs = {Int("axis", "the dimension of the channels; not the first", 1),
                Number("epsilon", "added to the variance", 1e-5),
                Flag("center", "is beta added?", true),
                Flag("scale", "is gamma multiplied?", true)},
      .kind = OpKind::kReduction,
      .type = [each_channel](const TypeContext& c) -> TypeResult {
        c.NeedRank(0, 2, 16);
        const int64_t axis = AxisOf(c, "axis", c.rank(0));
        if (axis == 0) {
          c.FailAttr("axis", "is the dimension of the samples", "1 or more", "0");
        }
        const Expr& channels = c.shape(0)[static_cast<size_t>(axis)];
        for (const size_t i : {1, 2}) {
          c.NeedRank(i, 1, 1);
          c.NeedExtent(i, 0, channels, "the channels of `data`");
        }
        if (each_channel) return c.types[0];
        const int64_t groups = c.attrs.Int("num_groups");
        if (!SameExtent(ir::FloorModulo(channels, groups), ir::Int(0, DataType::Int(64)))) {
          c.FailAttr("num_groups", "does not divide the channels",
                     "a divisor of " + ExtentText(channels), std::to_string(groups));
        }
        return c.types[0];
      },
      .compute = [each_channel](const ComputeContext& c) { return GroupNormOf(c, each_channel); },
      .examples = {{{"T[n, 4, 5]", "T[4]", "T[4]"}},
                   {{"T[2, n, 3, 4]", "T[4]", "T[4]"},
                    {{"axis", IntAttr(-1)}, {"center", BoolAttr(false)}}},
                   {{"T[n, 4, 3, 2]", "T[4]", "T[4]"}, {{"scale", BoolAttr(false)}}}}};
  if (each_channel) return op;
  op.attrs.insert(op.attrs.begin(),
                  Required(Int("num_groups", "as many parts of the channels", 1, 1)));
  op.examples[0].attrs = {{"num_groups", IntAttr(2)}};
  op.examples[1].attrs["num_groups"] = IntAttr(4);
  op.examples[2].attrs["num_groups"] = IntAttr(1);
  return op;
}

// -- Rows.

OpDef RmsNorm() {
  return {
      .name = "nn.rms_norm",
      .doc =
          "data / sqrt(mean of data^2 + epsilon) weight, with the mean over the dimensions from "
          "`axis` on [Zhang, Sennrich, 2019; ONNX's RMSNormalization].",
      .inputs = {{"data", "the input", kFloats},
                 {"weight", "the scale, of the extents that are normalised", kFloats, 0}},
      .attrs = {Int("axis", "the first dimension that is normalised", -1),
                Number("epsilon", "added to the mean of the squares", 1e-5)},
      .kind = OpKind::kReduction,
      .type = [](const TypeContext& c) -> TypeResult {
        c.NeedRank(0, 1, 16);
        const auto axis = static_cast<int>(AxisOf(c, "axis", c.rank(0)));
        c.NeedRank(1, c.rank(0) - axis, c.rank(0) - axis);
        for (int d = axis; d < c.rank(0); ++d) {
          c.NeedExtent(1, static_cast<size_t>(d - axis), c.shape(0)[static_cast<size_t>(d)],
                       "of `data`");
        }
        return c.types[0];
      },
      .compute =
          [](const ComputeContext& c) {
            const Tensor& x = c.in(0);
            const DataType dtype = SumType(x->dtype());
            const auto axis = static_cast<ptrdiff_t>(AxisOf(c, "axis", x->ndim()));
            const te::Shape& shape = x->shape();
            Expr count = ir::Int(1);
            std::vector<ir::IterVar> k;
            for (auto d = static_cast<size_t>(axis); d < shape.size(); ++d) {
              k.push_back(te::ReduceAxis(ir::Int(0), shape[d], "k"));
              count = count * shape[d];
            }
            const te::Shape rows(shape.begin(), shape.begin() + axis);
            const Tensor squares = te::Compute(
                rows,
                [&](const Indices& i) {
                  std::vector<Expr> at = AsExprs(i);
                  for (const ir::IterVar& one : k) at.push_back(one->var);
                  const Expr e = ir::MakeCast(dtype, At(x, at));
                  return te::Sum(e * e, k);
                },
                "squares");
            const Tensor factor = te::Compute(
                rows,
                [&](const Indices& i) {
                  return Num(1, dtype) /
                         Fn(fn::kSqrt, {At(squares, AsExprs(i)) / ir::MakeCast(dtype, count) +
                                        Num(c.attrs.Float("epsilon"), dtype)});
                },
                "factor");
            return One(
                c.shape(),
                [&](const Indices& i) {
                  const std::vector<Expr> at = AsExprs(i);
                  const Expr scaled =
                      ir::MakeCast(dtype, At(x, at)) * At(factor, {at.begin(), at.begin() + axis});
                  return ir::MakeCast(
                      c.dtype(),
                      scaled * ir::MakeCast(dtype, At(c.in(1), {at.begin() + axis, at.end()})));
                },
                "y");
          },
      .examples = {{{"T[n, 8]", "T[8]"}},
                   {{"T[2, n, 3, 4]", "T[3, 4]"},
                    {{"axis", IntAttr(2)}, {"epsilon", FloatAttr(0.01)}}}}};
}

OpDef L2Normalize() {
  return {.name = "nn.l2_normalize",
          .doc = "data / sqrt(max(sum of data^2 along some dimensions, eps)).",
          .inputs = {{"data", "the input", kFloats}},
          .attrs = {Required(Number("eps", "the least sum of squares", 0)),
                    Ints("axis", "the dimensions of the sum; empty: all", {})},
          .kind = OpKind::kReduction,
          .type = [](const TypeContext& c) -> TypeResult {
            AxesOf(c, "axis", c.rank(0));
            return c.types[0];
          },
          .compute =
              [](const ComputeContext& c) {
                const Tensor& x = c.in(0);
                const DataType dtype = SumType(x->dtype());
                const std::vector<int64_t> axes = AxesOf(c, "axis", x->ndim());
                std::vector<bool> summed(x->shape().size(), axes.empty());
                for (const int64_t axis : axes) summed[static_cast<size_t>(axis)] = true;
                te::Shape rows;
                std::vector<ir::IterVar> k;
                for (size_t d = 0; d < summed.size(); ++d) {
                  if (!summed[d]) rows.push_back(x->shape()[d]);
                  if (summed[d]) k.push_back(te::ReduceAxis(ir::Int(0), x->shape()[d], "k"));
                }
                const Tensor sum = te::Compute(
                    rows,
                    [&](const Indices& i) {
                      std::vector<Expr> at;
                      size_t row = 0, next = 0;
                      for (const bool is_summed : summed) {
                        at.push_back(is_summed ? Expr(k[next++]->var) : Expr(i[row++]));
                      }
                      const Expr e = ir::MakeCast(dtype, At(x, at));
                      return k.empty() ? e * e : te::Sum(e * e, k);
                    },
                    "squares");
                return One(
                    c.shape(),
                    [&](const Indices& i) {
                      std::vector<Expr> row;
                      for (size_t d = 0; d < summed.size(); ++d) {
                        if (!summed[d]) row.push_back(i[d]);
                      }
                      const Expr most = ir::MakeMax(At(sum, row), Num(c.attrs.Float("eps"), dtype));
                      return ir::MakeCast(c.dtype(), ir::MakeCast(dtype, At(x, AsExprs(i))) /
                                                         Fn(fn::kSqrt, {most}));
                    },
                    "y");
              },
          .examples = {{{"T[n, 3, 5]"}, {{"eps", FloatAttr(1e-6)}, {"axis", IntsAttr({1})}}},
                       {{"T[n, 5]"}, {{"eps", FloatAttr(1e-3)}}},
                       {{"T[2, n, 5]"}, {{"eps", FloatAttr(1e-3)}, {"axis", IntsAttr({-1, 0})}}}}};
}

// -- Across channels.

// `base` to the power of `exponent`; for the usual one by square roots, which cost less.
Expr Power(const Expr& base, double exponent) {
  if (exponent != 0.75) return Fn(fn::kPow, {base, Num(exponent, base->dtype)});
  const Expr root = Fn(fn::kSqrt, {base});
  return root * Fn(fn::kSqrt, {root});
}

// Sums of so many neighbours are written out: their vectors run along the rows of planes.
constexpr int64_t kMostWrittenOut = 9;

// The square of the neighbour number k of the element `at`; 0 outside. The neighbour is read within
// the bounds in any case, so that no vector needs a mask.
Expr SquareOfNeighbour(const Tensor& x, std::vector<Expr> at, size_t axis, const Expr& k) {
  const DataType dtype = SumType(x->dtype());
  const Expr place = at[axis] + k, last = x->shape()[axis] - 1;
  at[axis] = ir::MakeMax(ir::MakeMin(place, last), ir::Int(0));
  const Expr e = ir::MakeCast(dtype, At(x, at));
  return ir::MakeSelect(ir::LogicalAnd(place >= 0, place <= last), e * e, Num(0, dtype));
}

Expr SumOfSquares(const Tensor& x, const std::vector<Expr>& at, size_t axis, int64_t before,
                  int64_t size) {
  Expr sum = SquareOfNeighbour(x, at, axis, ir::Int(-before));
  for (int64_t k = 1; k < size; ++k) {
    sum = sum + SquareOfNeighbour(x, at, axis, ir::Int(k - before));
  }
  return sum;
}

Tensor SumsOfSquares(const Tensor& x, size_t axis, int64_t before, int64_t size) {
  const ir::IterVar k = te::ReduceAxis(ir::Int(0), ir::Int(size), "k");
  return te::Compute(
      x->shape(),
      [&](const Indices& i) {
        return te::Sum(SquareOfNeighbour(x, AsExprs(i), axis, k->var - before), {k});
      },
      "squares");
}

OpDef Lrn() {
  return {
      .name = "nn.lrn",
      .doc =
          "data / (bias + alpha / size sum of data^2 over `size` neighbours along `axis`)^beta "
          "[Krizhevsky et al., 2012]. The neighbours of c are c - floor((size - 1) / 2) to "
          "c + ceil((size - 1) / 2) [ONNX's LRN].",
      .inputs = {{"data", "the input", kFloats}},
      .attrs = {Int("size", "the number of neighbours, with the element itself", 5, 1),
                Int("axis", "the dimension of the channels", 1),
                Number("bias", "added to the sum", 2),
                Number("alpha", "the factor of the sum", 1e-5),
                Number("beta", "the exponent", 0.75)},
      // Each element is read `size` times: nothing is computed in front of it.
      .kind = OpKind::kAnchor,
      .type = [](const TypeContext& c) -> TypeResult {
        AxisOf(c, "axis", c.rank(0));
        return c.types[0];
      },
      .compute =
          [](const ComputeContext& c) {
            const Tensor& x = c.in(0);
            const DataType dtype = SumType(x->dtype());
            const auto axis = static_cast<size_t>(AxisOf(c, "axis", x->ndim()));
            const int64_t size = c.attrs.Int("size"), before = (size - 1) / 2;
            const double factor = c.attrs.Float("alpha") / static_cast<double>(size);
            // Of many neighbours the sum is a loop of its own.
            const Tensor sums =
                size > kMostWrittenOut ? SumsOfSquares(x, axis, before, size) : Tensor();
            return One(
                c.shape(),
                [&](const Indices& i) {
                  const std::vector<Expr> at = AsExprs(i);
                  const Expr sum = sums ? At(sums, at) : SumOfSquares(x, at, axis, before, size);
                  const Expr base = Num(c.attrs.Float("bias"), dtype) + Num(factor, dtype) * sum;
                  return ir::MakeCast(c.dtype(), ir::MakeCast(dtype, At(x, at)) /
                                                     Power(base, c.attrs.Float("beta")));
                },
                "y");
          },
      .examples = {{{"T[n, 7, 3]"}},
                   {{"T[2, n, 6]"},
                    {{"size", IntAttr(4)}, {"axis", IntAttr(-1)}, {"alpha", FloatAttr(0.5)}}}}};
}

OpDef Dropout() {
  return {.name = "nn.dropout",
          .doc =
              "Dropout does nothing when a network is used: returns (data, a mask of ones), where "
              "Relay has a tuple, too.",
          .inputs = {{"data", "the input", kFloats}},
          .attrs = {Number("rate", "the share of elements that training drops", 0.5)},
          .type = [](const TypeContext& c) -> TypeResult {
            const double rate = c.attrs.Float("rate");
            if (rate < 0 || rate > 1) {
              c.FailAttr("rate", "is no share", "0 to 1", std::to_string(rate));
            }
            c.tensor(0);
            return TupleOf({c.types[0], c.types[0]});
          },
          .expand = [](Builder& b, const std::vector<GraphVar>& x,
                       const Attrs&) { return b.Tuple({x[0], b.Call("ones_like", {x[0]})}); },
          .examples = {{{"T[n, 7]"}}, {{"T[n]"}, {{"rate", FloatAttr(0.1)}}}}};
}

}  // namespace

std::vector<OpDef> GroupNorms() {
  return {GroupedNorm(true), GroupedNorm(false), RmsNorm(), L2Normalize(), Lrn(), Dropout()};
}

}  // namespace lathe::graph::ops
