// Activation functions of neural networks.
#include "graph/ops/extremes.h"
#include "graph/ops/families.h"
#include "te/tags.h"
#include "topi/ops/elementwise.h"

namespace lathe::graph::ops {
namespace {

namespace fn = ir::intrinsic;

Expr Positive(const Expr& x) { return Greater(x, Num(0, x->dtype)); }
Expr Negative(const Expr& x) { return Smaller(x, Num(0, x->dtype)); }
// ln(1 + e^x) without overflow: max(x, 0) + ln(1 + e^-|x|).
Expr Softplus(const Expr& x) {
  return Positive(x) + Fn(fn::kLog1p, {Fn(fn::kExp, {-Fn(fn::kAbs, {x})})});
}

// x where x > 0, else slope * x; `slope` has an element for each extent of one axis.
OpDef Prelu() {
  return {
      .name = "nn.prelu",
      .doc =
          "x where x > 0, else alpha x, with an alpha for each channel "
          "[He et al., Delving Deep into Rectifiers, 2015].",
      .inputs = {{"data", "the input", kFloats}, {"alpha", "the slopes [channels]", kFloats, 0}},
      .attrs = {Int("axis", "the dimension of the channels", 1)},
      .kind = OpKind::kBroadcast,
      .type = [](const TypeContext& c) -> TypeResult {
        const auto axis = static_cast<size_t>(AxisOf(c, "axis", c.rank(0)));
        c.NeedRank(1, 1, 1);
        c.NeedExtent(1, 0, c.shape(0)[axis], "the channels of `data`");
        return c.types[0];
      },
      .compute =
          [](const ComputeContext& c) {
            const auto axis = static_cast<size_t>(AxisOf(c, "axis", c.in(0)->ndim()));
            return One(
                c.shape(),
                [&](const Indices& i) {
                  const Expr x = At(c.in(0), AsExprs(i));
                  return ir::MakeSelect(x > Num(0, x->dtype), x, x * At(c.in(1), {i[axis]}));
                },
                "y", te::kBroadcast);
          },
      .examples = {{{"T[n, 3, 5]", "T[3]"}}, {{"T[2, n]", "T[n]"}, {{"axis", IntAttr(-1)}}}}};
}

OpDef Activation(std::string name, std::string doc, std::function<Expr(const Expr&)> map) {
  return Unary(std::move(name), std::move(doc), kFloats,
               [map = std::move(map)](const Expr& x, const ComputeContext&) { return map(x); });
}

}  // namespace

std::vector<OpDef> Activations() {
  std::vector<OpDef> ops;
  const auto add = [&](OpDef op) { ops.push_back(std::move(op)); };
  add(Unary("nn.relu", "max(x, 0).", kNumbers,
            [](const Expr& x, const ComputeContext&) { return Positive(x); }));
  add(Unary("nn.relu6", "min(max(x, 0), 6).", kNumbers, [](const Expr& x, const ComputeContext&) {
    return Smaller(Positive(x), Num(6, x->dtype));
  }));
  add(Unary("nn.leaky_relu", "x where x > 0, else alpha x.", kFloats,
            [](const Expr& x, const ComputeContext& c) {
              return ir::MakeSelect(x > Num(0, x->dtype), x,
                                    x * Num(c.attrs.Float("alpha"), x->dtype));
            },
            {Number("alpha", "the slope below 0", 0.01)}));
  add(Prelu());
  add(Unary("nn.elu", "x where x > 0, else alpha (e^x - 1) [Clevert et al., 2015].", kFloats,
            [](const Expr& x, const ComputeContext& c) {
              return ir::MakeSelect(
                  x > Num(0, x->dtype), x,
                  Fn(fn::kExpm1, {Negative(x)}) * Num(c.attrs.Float("alpha"), x->dtype));
            },
            {Number("alpha", "the limit far below 0, negated", 1)}));
  add(Unary("nn.selu", "gamma x where x > 0, else gamma alpha (e^x - 1) [Klambauer et al., 2017].",
            kFloats,
            [](const Expr& x, const ComputeContext& c) {
              const double alpha = c.attrs.Float("alpha"), gamma = c.attrs.Float("gamma");
              return ir::MakeSelect(x > Num(0, x->dtype), x * Num(gamma, x->dtype),
                                    Fn(fn::kExpm1, {Negative(x)}) * Num(alpha * gamma, x->dtype));
            },
            {Number("alpha", "the limit far below 0, negated", 1.67326319217681884765625),
             Number("gamma", "the scale", 1.05070102214813232421875)}));
  add(Unary("nn.celu", "max(x, 0) + min(0, alpha (e^(x / alpha) - 1)) [Barron, 2017].", kFloats,
            [](const Expr& x, const ComputeContext& c) {
              const double alpha = c.attrs.Float("alpha");
              return Positive(x) + Fn(fn::kExpm1, {Negative(x) * Num(1 / alpha, x->dtype)}) *
                                       Num(alpha, x->dtype);
            },
            {Number("alpha", "the limit far below 0, negated; not 0", 1)}));
  add(Activation("nn.gelu",
                 "x/2 (1 + erf(x / sqrt 2)) [Hendrycks, Gimpel, 2016]. For float32 by an "
                 "approximation with an error below 3.6e-7 |x|.",
                 [](const Expr& x) { return topi::ops::Gelu(x); }));
  add(Activation(
      "nn.gelu_tanh", "x/2 (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))).", [](const Expr& x) {
        const DataType t = x->dtype;
        const Expr inner = (x + x * x * x * Num(0.044715, t)) * Num(0.7978845608028654, t);
        return x * Num(0.5, t) * (Fn(fn::kTanh, {inner}) + Num(1, t));
      }));
  add(Activation("nn.silu", "x / (1 + e^-x), also called swish [Ramachandran et al., 2017].",
                 [](const Expr& x) { return x * Fn(fn::kSigmoid, {x}); }));
  add(Activation("nn.mish", "x tanh(ln(1 + e^x)) [Misra, 2019].",
                 [](const Expr& x) { return x * Fn(fn::kTanh, {Softplus(x)}); }));
  add(Unary("nn.hard_sigmoid", "min(max(alpha x + beta, 0), 1).", kFloats,
            [](const Expr& x, const ComputeContext& c) {
              return Between(
                  x * Num(c.attrs.Float("alpha"), x->dtype) + Num(c.attrs.Float("beta"), x->dtype),
                  0, 1);
            },
            {Number("alpha", "the slope", 1.0 / 6), Number("beta", "the value at 0", 0.5)}));
  add(Activation("nn.hard_swish", "x min(max(x / 6 + 1/2, 0), 1) [Howard et al., 2019].",
                 [](const Expr& x) {
                   const DataType t = x->dtype;
                   return x * Between(x * Num(1.0 / 6, t) + Num(0.5, t), 0, 1);
                 }));
  add(Activation("nn.hard_tanh", "min(max(x, -1), 1).",
                 [](const Expr& x) { return Between(x, -1, 1); }));
  add(Activation("nn.softplus", "ln(1 + e^x).", Softplus));
  add(Activation("nn.softsign", "x / (1 + |x|).",
                 [](const Expr& x) { return x / (Fn(fn::kAbs, {x}) + Num(1, x->dtype)); }));
  add(Activation("nn.log_sigmoid", "-ln(1 + e^-x).", [](const Expr& x) { return -Softplus(-x); }));
  add(Unary("nn.thresholded_relu", "x where x > alpha, else 0.", kFloats,
            [](const Expr& x, const ComputeContext& c) {
              // In this order NaN stays NaN.
              return ir::MakeSelect(x <= Num(c.attrs.Float("alpha"), x->dtype), Num(0, x->dtype),
                                    x);
            },
            {Number("alpha", "the threshold", 1)}));
  add(Unary("nn.hard_shrink", "x where |x| > lambd, else 0.", kFloats,
            [](const Expr& x, const ComputeContext& c) {
              return ir::MakeSelect(Fn(fn::kAbs, {x}) <= Num(c.attrs.Float("lambd"), x->dtype),
                                    Num(0, x->dtype), x);
            },
            {Number("lambd", "the threshold", 0.5)}));
  add(Unary("nn.soft_shrink", "x moved towards 0 by lambd; 0 if that passes 0.", kFloats,
            [](const Expr& x, const ComputeContext& c) {
              const Expr lambd = Num(c.attrs.Float("lambd"), x->dtype);
              return Positive(x - lambd) + Negative(x + lambd);
            },
            {Number("lambd", "how far", 0.5)}));
  return ops;
}

}  // namespace lathe::graph::ops
