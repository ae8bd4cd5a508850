// Losses: how far predictions are from what they should be.
#include "graph/ops/define.h"
#include "graph/ops/families.h"

namespace lathe::graph::ops {
namespace {

namespace fn = ir::intrinsic;

AttrDef Reduction() {
  return Choice("reduction", "the mean of all losses, their sum, or each of them",
                {"mean", "sum", "none"});
}

// `map` at every place of `shape`, and then as `reduction` says; the mean divides by `count`.
Results Reduced(const ComputeContext& c, const te::Shape& shape, const std::string& reduction,
                Expr count, const std::function<Expr(const std::vector<Expr>&)>& map) {
  if (reduction == "none") {
    return One(shape, [&](const Indices& i) { return map(AsExprs(i)); }, "loss");
  }
  std::vector<ir::IterVar> k;
  std::vector<Expr> at;
  for (const Expr& extent : shape) {
    k.push_back(te::ReduceAxis(ir::Int(0), extent, "k"));
    at.push_back(k.back()->var);
  }
  const Tensor sum = te::Compute(
      {}, [&](const Indices&) { return k.empty() ? map(at) : te::Sum(map(at), k); }, "sum");
  if (reduction == "sum") return {sum};
  if (!count) {
    count = ir::Int(1);
    for (const Expr& extent : shape) count = count * extent;
  }
  return One(
      {}, [&](const Indices&) { return At(sum, {}) / ir::MakeCast(c.dtype(), count); }, "loss");
}

void NeedSameShape(const TypeContext& c) {
  c.NeedRank(1, c.rank(0), c.rank(0));
  for (size_t d = 0; d < c.shape(0).size(); ++d) {
    c.NeedExtent(1, d, c.shape(0)[d], "of `predictions`");
  }
}

// -(sum of targets map(predictions)) / n.
OpDef CrossEntropy(std::string name, std::string doc, std::string predictions, bool takes_log) {
  return {.name = std::move(name),
          .doc = std::move(doc),
          .inputs = {{"predictions", std::move(predictions), kFloats},
                     {"targets", "the wanted probabilities [n, classes]", kFloats, 0}},
          .kind = OpKind::kReduction,
          .type = [](const TypeContext& c) -> TypeResult {
            c.NeedRank(0, 2, 2);
            NeedSameShape(c);
            return TensorOf(c.dtype(0), {});
          },
          .compute =
              [takes_log](const ComputeContext& c) {
                const te::Shape& shape = c.in(0)->shape();
                return Reduced(c, shape, "mean", shape[0], [&](const std::vector<Expr>& at) {
                  const Expr p = At(c.in(0), at);
                  return Num(0, c.dtype()) - At(c.in(1), at) * (takes_log ? Fn(fn::kLog, {p}) : p);
                });
              },
          .examples = {{{"T[n, 6] in 0.1:1", "T[n, 6] in 0:1"}}}};
}

OpDef NllLoss() {
  return {
      .name = "nn.nll_loss",
      .doc =
          "-weights[t] predictions[n, t, ...] for the target t at [n, ...]; targets that are "
          "`ignore_index` count nothing. The mean divides by the sum of the weights [PyTorch's "
          "NLLLoss].",
      .inputs = {{"predictions", "log-probabilities [n, classes, ...]", kFloats},
                 {"targets", "classes [n, ...]", kIndices},
                 {"weights", "the weight of each class [classes]", kFloats, 0}},
      .attrs = {Reduction(), Int("ignore_index", "the target that is ignored", -100)},
      .kind = OpKind::kReduction,
      .type = [](const TypeContext& c) -> TypeResult {
        c.NeedRank(0, 2, 16);
        c.NeedRank(1, c.rank(0) - 1, c.rank(0) - 1);
        c.NeedRank(2, 1, 1);
        const Shape& predictions = c.shape(0);
        c.NeedExtent(1, 0, predictions[0], "of `predictions`");
        for (size_t d = 2; d < predictions.size(); ++d) {
          c.NeedExtent(1, d - 1, predictions[d], "of `predictions`");
        }
        c.NeedExtent(2, 0, predictions[1], "the classes of `predictions`");
        return TensorOf(c.dtype(0), c.attrs.String("reduction") == "none" ? c.shape(1) : Shape{});
      },
      .compute =
          [](const ComputeContext& c) {
            const Tensor &predictions = c.in(0), &targets = c.in(1), &weights = c.in(2);
            const Expr classes = predictions->shape()[1];
            const auto weighted = [&](const std::vector<Expr>& at, bool with_prediction) {
              const Expr target = At(targets, at);
              const Expr bound = ir::MakeCast(target->dtype, classes) - 1;
              const Expr place = ir::MakeMax(ir::MakeMin(target, bound), Num(0, target->dtype));
              Expr value = At(weights, {place});
              if (with_prediction) {
                std::vector<Expr> of = at;
                of.insert(of.begin() + 1, place);
                value = Num(0, c.dtype()) - value * At(predictions, of);
              }
              return ir::MakeSelect(
                  ir::Equal(target, Num(c.attrs.Int("ignore_index"), target->dtype)),
                  Num(0, c.dtype()), value);
            };
            const std::string reduction = c.attrs.String("reduction");
            const auto loss = [&](const std::vector<Expr>& at) { return weighted(at, true); };
            if (reduction != "mean") return Reduced(c, targets->shape(), reduction, {}, loss);
            const Tensor total = Reduced(c, targets->shape(), "sum", {}, loss)[0];
            const Tensor weight =
                Reduced(c, targets->shape(), "sum", {},
                        [&](const std::vector<Expr>& at) { return weighted(at, false); })[0];
            return One({}, [&](const Indices&) { return At(total, {}) / At(weight, {}); }, "loss");
          },
      .examples = {{{"T[n, 6]", "int32[n] in 0:5", "T[6] in 0.5:2"}},
                   {{"T[n, 6, 3]", "int64[n, 3] in 0:5", "T[6] in 0.5:2"},
                    {{"reduction", StringAttr("none")}, {"ignore_index", IntAttr(2)}}},
                   {{"T[2, 6, n]", "int64[2, n] in 0:5", "T[6] in 0.5:2"},
                    {{"reduction", StringAttr("sum")}}}}};
}

OpDef Difference(std::string name, std::string doc, std::vector<AttrDef> attrs,
                 std::function<Expr(const Expr& difference, const ComputeContext& c)> map) {
  OpDef op{.name = std::move(name),
           .doc = std::move(doc),
           .inputs = {{"predictions", "what was found; any shape", kFloats},
                      {"targets", "what was wanted; the same shape", kFloats, 0}},
           .attrs = std::move(attrs),
           .kind = OpKind::kReduction,
           .type = [](const TypeContext& c) -> TypeResult {
             NeedSameShape(c);
             return TensorOf(c.dtype(0),
                             c.attrs.String("reduction") == "none" ? c.shape(0) : Shape{});
           },
           .compute =
               [map](const ComputeContext& c) {
                 return Reduced(c, c.in(0)->shape(), c.attrs.String("reduction"), {},
                                [&](const std::vector<Expr>& at) {
                                  return map(At(c.in(0), at) - At(c.in(1), at), c);
                                });
               },
           .examples = {{{"T[n, 6]", "T[n, 6]"}},
                        {{"T[2, n]", "T[2, n]"}, {{"reduction", StringAttr("sum")}}},
                        {{"T[n]", "T[n]"}, {{"reduction", StringAttr("none")}}}}};
  op.attrs.insert(op.attrs.begin(), Reduction());
  return op;
}

Expr Huber(const Expr& difference, const ComputeContext& c) {
  const DataType dtype = difference->dtype;
  const Expr size = Fn(fn::kAbs, {difference}), delta = Num(c.attrs.Float("delta"), dtype);
  const Expr half = Num(0.5, dtype);
  return ir::MakeSelect(size <= delta, half * difference * difference,
                        delta * (size - half * delta));
}

}  // namespace

std::vector<OpDef> Losses() {
  return {
      CrossEntropy("nn.cross_entropy", "-(sum of targets ln(predictions)) / n.",
                   "probabilities [n, classes]", true),
      CrossEntropy(
          "nn.cross_entropy_with_logits",
          "-(sum of targets predictions) / n. As in Relay, `predictions` are logarithms of "
          "probabilities: nn.log_softmax makes them.",
          "log-probabilities [n, classes]", false),
      NllLoss(),
      Difference("nn.mse_loss", "(predictions - targets)^2 [PyTorch's MSELoss].", {},
                 [](const Expr& x, const ComputeContext&) { return x * x; }),
      Difference("nn.huber_loss",
                 "d^2 / 2 for |d| <= delta, else delta (|d| - delta / 2), where d is predictions - "
                 "targets [Huber, 1964; PyTorch's HuberLoss].",
                 {Number("delta", "from where on the loss is linear", 1)}, Huber)};
}

}  // namespace lathe::graph::ops
