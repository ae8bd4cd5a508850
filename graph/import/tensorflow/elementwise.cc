// Operators of one or two tensors, element by element, and activations.
#include "graph/import/tensorflow/operators.h"

namespace lathe::graph::tensorflow {
namespace {

using Names = std::vector<std::pair<std::string, std::string>>;

Converter Binary(const std::string& op) {
  return [op](NodeContext& n) -> Results { return {n.Call(op, {n.In(0), n.In(1)})}; };
}
Converter Unary(const std::string& op) {
  return [op](NodeContext& n) -> Results { return {n.Call(op, {n.In(0)})}; };
}

// Whole numbers are divided towards 0.
Results Divide(NodeContext& n) {
  const bool is_float = Maker::DTypeOf(n.In(0)).is_float();
  return {n.Call(is_float ? "divide" : "trunc_divide", {n.In(0), n.In(1)})};
}

Results DivideNoNan(NodeContext& n) {
  const GraphVar y = n.In(1), zero = n.Scalar(0, Maker::DTypeOf(y));
  const GraphVar none = n.Call("equal", {y, zero});
  const GraphVar by = n.Call("where", {none, n.Scalar(1, Maker::DTypeOf(y)), y});
  return {n.Call("where", {none, zero, n.Div(n.In(0), by)})};
}

// 0 where `x` is 0, whatever `y` is there: infinite, or no number.
GraphVar UnlessZero(const NodeContext& n, const GraphVar& x, const GraphVar& y) {
  const GraphVar zero = n.Scalar(0, Maker::DTypeOf(x));
  return n.Call("where", {n.Call("equal", {x, zero}), zero, y});
}
Results Xdivy(NodeContext& n) { return {UnlessZero(n, n.In(0), n.Div(n.In(0), n.In(1)))}; }
Results Xlogy(NodeContext& n) {
  return {UnlessZero(n, n.In(0), n.Mul(n.In(0), n.Call("log", {n.In(1)})))};
}
Results Xlog1py(NodeContext& n) {
  return {UnlessZero(n, n.In(0), n.Mul(n.In(0), n.Call("log1p", {n.In(1)})))};
}
Results MultiplyNoNan(NodeContext& n) { return {UnlessZero(n, n.In(1), n.Mul(n.In(0), n.In(1)))}; }

Results SquaredDifference(NodeContext& n) {
  const GraphVar difference = n.Sub(n.In(0), n.In(1));
  return {n.Mul(difference, difference)};
}

Results AddN(NodeContext& n) {
  const std::vector<GraphVar> all = n.All();
  GraphVar sum = all[0];
  for (size_t i = 1; i < all.size(); ++i) sum = n.Add(sum, all[i]);
  return {all.size() == 1 ? n.Identity(sum) : sum};
}

Results BiasAdd(NodeContext& n) {
  const bool channels_first = n.String("data_format", "NHWC").starts_with("NC");
  const int64_t axis = channels_first ? 1 : Maker::RankOf(n.In(0)) - 1;
  return {n.Call("nn.bias_add", {n.In(0), n.In(1)}, {{"axis", IntAttr(axis)}})};
}

Results Square(NodeContext& n) { return {n.Mul(n.In(0), n.In(0))}; }

Results Clip(NodeContext& n) {
  return {n.Call("minimum", {n.Call("maximum", {n.In(0), n.In(1)}), n.In(2)})};
}

Results Relu6(NodeContext& n) {
  return {n.Call("clip", {n.In(0)}, {{"a_min", FloatAttr(0)}, {"a_max", FloatAttr(6)}})};
}
Results LeakyRelu(NodeContext& n) {
  return {n.Call("nn.leaky_relu", {n.In(0)}, {{"alpha", FloatAttr(n.Float("alpha", 0.2F))}})};
}

Converter Softmax(const std::string& op) {
  return
      [op](NodeContext& n) -> Results { return {n.Call(op, {n.In(0)}, {{"axis", IntAttr(-1)}})}; };
}

Results Cast(NodeContext& n) {
  const GraphVar x = n.In(0);
  const DataType type = n.Type("DstT");
  if (Maker::DTypeOf(x) == type) return {n.Identity(x)};
  if (type.is_bool()) return {n.Call("not_equal", {x, n.Scalar(0, Maker::DTypeOf(x))})};
  return {n.Cast(x, type)};
}

Results Erfc(NodeContext& n) {
  const GraphVar x = n.In(0);
  return {n.Sub(n.Scalar(1, Maker::DTypeOf(x)), n.Call("erf", {x}))};
}

// A condition of rank 1 belongs to the first dimension.
Results Select(NodeContext& n) {
  GraphVar condition = n.In(0);
  const int64_t own = Maker::RankOf(condition), rank = Maker::RankOf(n.In(1));
  if (own == 1 && rank > 1) condition = n.ExpandDims(condition, 1, rank - 1);
  return {n.Call("where", {condition, n.In(1), n.In(2)})};
}
Results SelectV2(NodeContext& n) { return {n.Call("where", {n.In(0), n.In(1), n.In(2)})}; }

}  // namespace

std::vector<Conversion> Elementwise() {
  std::vector<Conversion> rows{
      {"Div", Divide},
      {"RealDiv", Divide},
      {"DivNoNan", DivideNoNan},
      {"SquaredDifference", SquaredDifference},
      {"AddN", AddN},
      {"AccumulateNV2", AddN},
      {"BiasAdd", BiasAdd},
      {"BiasAddV1", BiasAdd},
      {"Square", Square},
      {"ClipByValue", Clip},
      {"Relu6", Relu6},
      {"LeakyRelu", LeakyRelu},
      {"Softmax", Softmax("nn.softmax")},
      {"LogSoftmax", Softmax("nn.log_softmax")},
      {"Cast", Cast},
      {"Erfc", Erfc},
      {"Select", Select},
      {"SelectV2", SelectV2},
      {"Xdivy", Xdivy},
      {"Xlogy", Xlogy},
      {"Xlog1py", Xlog1py},
      {"MulNoNan", MultiplyNoNan},
  };
  for (const auto& [name, op] : Names{{"Add", "add"},
                                      {"AddV2", "add"},
                                      {"Sub", "subtract"},
                                      {"Mul", "multiply"},
                                      {"Maximum", "maximum"},
                                      {"Minimum", "minimum"},
                                      {"Pow", "power"},
                                      {"FloorDiv", "floor_divide"},
                                      {"FloorMod", "floor_mod"},
                                      {"Mod", "trunc_mod"},
                                      {"TruncateMod", "trunc_mod"},
                                      {"TruncateDiv", "trunc_divide"},
                                      {"Atan2", "atan2"},
                                      {"Equal", "equal"},
                                      {"NotEqual", "not_equal"},
                                      {"Less", "less"},
                                      {"LessEqual", "less_equal"},
                                      {"Greater", "greater"},
                                      {"GreaterEqual", "greater_equal"},
                                      {"LogicalAnd", "logical_and"},
                                      {"LogicalOr", "logical_or"},
                                      {"BitwiseAnd", "bitwise_and"},
                                      {"BitwiseOr", "bitwise_or"},
                                      {"BitwiseXor", "bitwise_xor"},
                                      {"LeftShift", "left_shift"},
                                      {"RightShift", "right_shift"}}) {
    rows.push_back({name, Binary(op)});
  }
  for (const auto& [name, op] : Names{{"Abs", "abs"},
                                      {"Neg", "negative"},
                                      {"Exp", "exp"},
                                      {"Expm1", "expm1"},
                                      {"Log", "log"},
                                      {"Log1p", "log1p"},
                                      {"Sqrt", "sqrt"},
                                      {"Rsqrt", "rsqrt"},
                                      {"Sin", "sin"},
                                      {"Cos", "cos"},
                                      {"Tan", "tan"},
                                      {"Asin", "asin"},
                                      {"Acos", "acos"},
                                      {"Atan", "atan"},
                                      {"Sinh", "sinh"},
                                      {"Cosh", "cosh"},
                                      {"Asinh", "asinh"},
                                      {"Acosh", "acosh"},
                                      {"Atanh", "atanh"},
                                      {"Erf", "erf"},
                                      {"Floor", "floor"},
                                      {"Ceil", "ceil"},
                                      {"Rint", "rint"},
                                      {"Round", "rint"},
                                      {"Sign", "sign"},
                                      {"Reciprocal", "reciprocal"},
                                      {"Inv", "reciprocal"},
                                      {"Sigmoid", "sigmoid"},
                                      {"Tanh", "tanh"},
                                      {"Relu", "nn.relu"},
                                      {"Elu", "nn.elu"},
                                      {"Selu", "nn.selu"},
                                      {"Softplus", "nn.softplus"},
                                      {"Softsign", "nn.softsign"},
                                      {"IsNan", "isnan"},
                                      {"IsInf", "isinf"},
                                      {"IsFinite", "isfinite"},
                                      {"LogicalNot", "logical_not"},
                                      {"Invert", "bitwise_not"},
                                      {"Identity", "identity"},
                                      {"Snapshot", "identity"},
                                      {"StopGradient", "identity"},
                                      {"PreventGradient", "identity"},
                                      {"CheckNumerics", "identity"},
                                      {"EnsureShape", "identity"},
                                      {"PlaceholderWithDefault", "identity"},
                                      {"ZerosLike", "zeros_like"},
                                      {"OnesLike", "ones_like"}}) {
    rows.push_back({name, Unary(op)});
  }
  return rows;
}

}  // namespace lathe::graph::tensorflow
