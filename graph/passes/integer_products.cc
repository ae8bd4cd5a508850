// Convolutions of dequantised numbers become convolutions of the integers themselves.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "base/planted_graphs.h"
#include "graph/passes/blocked_convolutions.h"
#include "graph/passes/pass.h"
#include "graph/passes/shape_of.h"

namespace lathe::graph {
namespace {

using ir::As;
using ir::GraphVar;

const DataType kReal = DataType::Float(32);

size_t RankOf(const GraphVar& var) { return ShapeOf(var).size(); }
ir::Dict To(DataType type) { return {{"dtype", StringAttr(type.ToString())}}; }

class Integers {
 public:
  Integers(Builder& builder, const GraphPassContext& context) : b_(builder), context_(context) {}

  GraphVar Rewritten(const ir::GraphCall& call, const std::string& name) {
    if (call.op == "nn.conv2d") return Convolution(call, name);
    if (call.op == "nn.dense") return Dense(call, name);
    if (call.op == "qnn.dequantize") return Dequantised(call, name);
    if (call.op == "qnn.quantize") return Quantised(call, name);
    return nullptr;
  }

  void Remember(const GraphVar& var, const ir::NodeRef& value) {
    made_.insert_or_assign(var, value);
    const auto* call = As<ir::GraphCall>(value);
    const auto* tensor = As<ir::TensorType>(var->type);
    if (call == nullptr || tensor == nullptr || !tensor->dtype.is_float()) return;
    RememberTerm(var, *call);
    if (std::ranges::any_of(call->args,
                            [&](const GraphVar& arg) { return of_sums_.contains(arg); }))
      of_sums_.insert(var);
  }

 private:
  const ir::Node* Made(const GraphVar& var) const {
    const auto at = made_.find(var);
    return at == made_.end() ? nullptr : at->second.get();
  }
  const ir::Constant* ConstantOf(const GraphVar& var) const { return As<ir::Constant>(Made(var)); }
  // Is it a constant, or made of constants by one call?
  bool IsKnown(const GraphVar& var) const {
    const auto* call = As<ir::GraphCall>(Made(var));
    return ConstantOf(var) != nullptr ||
           (call != nullptr && std::ranges::all_of(call->args, [&](const GraphVar& arg) {
              return ConstantOf(arg) != nullptr;
            }));
  }
  // The call that dequantises to `var`; null if it is made otherwise.
  const ir::GraphCall* Dequantising(const GraphVar& var) const {
    const auto* call = As<ir::GraphCall>(Made(var));
    return call != nullptr && call->op == "qnn.dequantize" && TypeOf(var) == kReal ? call : nullptr;
  }

  // A constant of one 8-bit or 32-bit integer.
  std::optional<int64_t> WholeNumber(const GraphVar& var) const {
    const ir::Constant* constant = ConstantOf(var);
    if (constant == nullptr || RankOf(var) != 0 || !TypeOf(var).is_integral()) return std::nullopt;
    const char* bytes = constant->data->bytes().data();
    if (TypeOf(var).bits() == 8) {
      const auto byte = static_cast<uint8_t>(*bytes);
      return TypeOf(var).is_uint() ? byte : static_cast<int8_t>(byte);
    }
    if (TypeOf(var) != DataType::Int(32)) return std::nullopt;
    int32_t value = 0;
    std::memcpy(&value, bytes, sizeof value);
    return value;
  }
  // A constant float32 of rank 0 that is a normal number above 0, and so is what it divides.
  std::optional<float> Scale(const GraphVar& var) const {
    const ir::Constant* constant = ConstantOf(var);
    if (constant == nullptr || RankOf(var) != 0 || TypeOf(var) != kReal) return std::nullopt;
    float value = 0;
    std::memcpy(&value, constant->data->bytes().data(), sizeof value);
    return value > 1e-30F && value < 1e30F ? std::optional(value) : std::nullopt;
  }
  bool IsZero(const GraphVar& var) const {
    const ir::Constant* constant = ConstantOf(var);
    return constant != nullptr &&
           std::ranges::all_of(constant->data->bytes(), [](char byte) { return byte == 0; });
  }

  // Weights whose numbers are the integers, with a scale for all or for each element of
  // `dimension`.
  const ir::GraphCall* Weights(const GraphVar& var, size_t dimension) const {
    const ir::GraphCall* call = Dequantising(var);
    if (call == nullptr || ConstantOf(call->args[0]) == nullptr ||
        ConstantOf(call->args[1]) == nullptr || !IsZero(call->args[2])) {
      return nullptr;
    }
    if (RankOf(call->args[1]) == 0) return call;
    int64_t axis = Attrs(GetOp(call->op), call->attrs).Int("axis");
    if (axis < 0) axis += static_cast<int64_t>(RankOf(var));
    return axis == static_cast<int64_t>(dimension) ? call : nullptr;
  }
  // Data with one scale and one zero point.
  const ir::GraphCall* Data(const GraphVar& var) const {
    const ir::GraphCall* call = Dequantising(var);
    if (call == nullptr || RankOf(call->args[1]) != 0) return nullptr;
    const std::optional<int64_t> zero = WholeNumber(call->args[2]);
    return zero && IsZeroPointOf(TypeOf(call->args[0]), *zero) ? call : nullptr;
  }
  // Do sums of so many products of a byte's distance from its zero point and a weight fit 32 bits,
  // whatever the numbers are? Sums in float32 would lose digits, but would not wrap around.
  static bool SumsFit(int64_t products) { return products <= INT32_MAX / (255 * 128); }

  // nn.conv2d(dequantize(x, s, z), dequantize(w, t, 0))  -->  float32(qnn.conv2d(x, w, z, 0)) * s t
  GraphVar Convolution(const ir::GraphCall& call, const std::string& name) {
    const Attrs attrs(GetOp(call.op), call.attrs);
    const std::string kernel = attrs.String("kernel_layout"), plain = attrs.String("data_layout");
    if (!attrs.String("out_dtype").empty() || kernel.find('O') == std::string::npos) return nullptr;
    const ir::GraphCall *data = Data(call.args[0]),
                        *weight = Weights(call.args[1], kernel.find('O'));
    if (data == nullptr || weight == nullptr) return nullptr;
    int64_t products = 1;  // for each element of the result; the weight is a constant
    for (size_t d = 0; d < kernel.size(); ++d) {
      if (kernel[d] != 'O') products *= Number(call.args[1], d);
    }
    if (!SumsFit(products)) return nullptr;
    Ref<ir::GraphCall> product = CopyOf(call);
    product->op = "qnn.conv2d";
    product->args = {data->args[0], weight->args[0], Zero(data), b_.Scalar(0, DataType::Int(32)),
                     data->args[1], weight->args[1]};
    product->attrs.insert_or_assign("out_dtype", StringAttr("int32"));
    if (!TakesIntegers(*product, context_)) return nullptr;
    return Scaled(b_.Emit(std::move(product)), *data, *weight,
                  plain == "NCHW" ? std::vector<int64_t>{-1, 1, 1} : std::vector<int64_t>{-1},
                  name);
  }

  // The same for nn.dense of rank 2, which is a convolution of pictures of one pixel.
  GraphVar Dense(const ir::GraphCall& call, const std::string& name) {
    if (!Attrs(GetOp(call.op), call.attrs).String("out_dtype").empty() ||
        RankOf(call.args[0]) != 2) {
      return nullptr;
    }
    const ir::GraphCall *data = Data(call.args[0]), *weight = Weights(call.args[1], 0);
    const int64_t rows = Number(call.args[0], 0), depth = Number(call.args[0], 1);
    if (data == nullptr || weight == nullptr || rows == 0 || depth == 0 || !SumsFit(depth))
      return nullptr;
    const auto as_pictures = [&](const GraphVar& matrix) {
      return b_.Call("reshape", {matrix},
                     {{"newshape", IntsAttr({Number(matrix, 0), depth, 1, 1})}}, matrix->name);
    };
    Ref<ir::GraphCall> product = Make<ir::GraphCall>();
    product->op = "qnn.conv2d";
    product->args = {as_pictures(data->args[0]),
                     as_pictures(weight->args[0]),
                     Zero(data),
                     b_.Scalar(0, DataType::Int(32)),
                     data->args[1],
                     weight->args[1]};
    if (!TakesIntegers(*product, context_)) return nullptr;
    const GraphVar sums = b_.Emit(std::move(product));
    const GraphVar matrix =
        b_.Call("reshape", {Scaled(sums, *data, *weight, {-1, 1, 1}, "")},
                {{"newshape", IntsAttr({rows, Number(call.args[1], 0)})}}, name);
    of_sums_.insert(matrix);
    return matrix;
  }

  GraphVar Zero(const ir::GraphCall* dequantising) {
    return b_.Scalar(static_cast<double>(*WholeNumber(dequantising->args[2])), DataType::Int(32));
  }

  // Sums of products in the product of both scales, which has the shape `along` if it has several
  // elements.
  GraphVar Scaled(const GraphVar& sums, const ir::GraphCall& data, const ir::GraphCall& weight,
                  std::vector<int64_t> along, const std::string& name) {
    GraphVar scale = b_.Call("multiply", {data.args[1], weight.args[1]});
    if (RankOf(scale) == 1) {
      along[0] = Number(scale, 0);
      if (Planted(PlantedGraphBug::kScalesReversed))
        scale = b_.Call("reverse", {scale}, {{"axis", IntAttr(0)}});
      scale = b_.Call("reshape", {scale}, {{"newshape", IntsAttr(std::move(along))}});
    }
    const GraphVar integers = b_.Call("cast", {sums}, To(kReal));
    const GraphVar real = b_.Call("multiply", {integers, scale}, {}, name);
    of_sums_.insert(real);
    scaled_[real] = {integers, scale, nullptr};
    return real;
  }

  // With one known scale, (x - z) s as operators of their own, which every layout suits.
  GraphVar Dequantised(const ir::GraphCall& call, const std::string& name) {
    const std::optional<int64_t> zero = WholeNumber(call.args[2]);
    if (!zero || !Scale(call.args[1]) || TypeOf(call.args[0]).bits() != 8 ||
        ConstantOf(call.args[0]) != nullptr) {
      return nullptr;
    }
    GraphVar x = b_.Call("cast", {call.args[0]}, To(kReal));
    if (*zero != 0) x = b_.Call("subtract", {x, b_.Scalar(static_cast<double>(*zero), kReal)});
    return b_.Call("multiply", {x, call.args[1]}, {}, name);
  }

  // Is `var`, which `call` computes, scaled sums and a known term (a bias)?
  void RememberTerm(const GraphVar& var, const ir::GraphCall& call) {
    if (call.op != "nn.bias_add" && call.op != "add") return;
    const auto at = scaled_.find(call.args[0]);
    if (at == scaled_.end() || at->second.with_term || !IsKnown(call.args[1]) ||
        !SameType(call.args[0]->type, var->type)) {
      return;
    }
    Scaling scaling = at->second;
    scaling.with_term = Ref<const ir::GraphCall>(&call);
    scaled_[var] = std::move(scaling);
  }

  // (sums * factor + term) * by, with both known numbers multiplied now; null if x is not that.
  GraphVar ScaledBy(const GraphVar& x, double by) {
    const auto at = scaled_.find(x);
    if (at == scaled_.end()) return nullptr;
    const auto& [integers, factor, with_term] = at->second;
    const GraphVar number = b_.Scalar(by, kReal);
    GraphVar made = b_.Call("multiply", {integers, b_.Call("multiply", {factor, number})});
    if (!with_term) return made;
    return b_.Call(with_term->op, {made, b_.Call("multiply", {with_term->args[1], number})},
                   with_term->attrs);
  }

  // x / scale. What is made of sums was multiplied by two scales in float32, so there is no exact
  // half to keep, and a product with the inverse is faster. Elsewhere the inverse, which is rounded
  // for most scales, could give a number beside a half where the quotient is one.
  GraphVar Quotient(const GraphVar& x, float scale) {
    int exponent = 0;
    if (const GraphVar made = ScaledBy(x, 1.0 / static_cast<double>(scale))) return made;
    if (of_sums_.contains(x) || std::frexp(scale, &exponent) == 0.5F)
      return b_.Call("multiply", {x, b_.Scalar(1.0 / static_cast<double>(scale), kReal)});
    return b_.Call("divide", {x, b_.Scalar(scale, kReal)});
  }

  // The same for rounding.
  GraphVar Quantised(const ir::GraphCall& call, const std::string& name) {
    const Attrs attrs(GetOp(call.op), call.attrs);
    const std::optional<int64_t> zero = WholeNumber(call.args[2]);
    const std::optional<float> scale = Scale(call.args[1]);
    const DataType type = attrs.Type("out_dtype");
    if (!zero || !scale || type.bits() != 8 || TypeOf(call.args[0]) != kReal ||
        attrs.String("rounding") != "NEAREST_EVEN") {
      return nullptr;
    }
    GraphVar x = b_.Call("rint", {Quotient(call.args[0], *scale)});
    if (*zero != 0) x = b_.Call("add", {x, b_.Scalar(static_cast<double>(*zero), kReal)});
    x = b_.Call("clip", {x},
                {{"a_min", FloatAttr(type.is_uint() ? 0 : -128)},
                 {"a_max", FloatAttr(type.is_uint() ? 255 : 127)}});
    return b_.Call("cast", {x}, To(type), name);
  }

  Builder& b_;
  const GraphPassContext& context_;
  std::unordered_map<GraphVar, ir::NodeRef, RefHash, RefEqual> made_;
  // Sums times a known factor, and the call that adds a known term, if one does.
  struct Scaling {
    GraphVar integers, factor;
    Ref<const ir::GraphCall> with_term;
  };
  std::unordered_map<GraphVar, Scaling, RefHash, RefEqual> scaled_;
  std::unordered_set<GraphVar, RefHash, RefEqual> of_sums_;  // results of products, and of theirs
};

}  // namespace

GraphFuncRef IntegerProducts(const GraphFuncRef& func, const ir::GraphModule& module,
                             const GraphPassContext& context) {
  if (context.dot_data.is_void()) return func;
  std::optional<Integers> integers;
  return Rewrite(
      *func, module,
      [&](const ir::GraphBinding& before, const ir::NodeRef& value, Builder& builder) -> GraphVar {
        if (!integers) integers.emplace(builder, context);
        const auto* call = As<ir::GraphCall>(value);
        GraphVar var;
        if (call != nullptr && builder.OpenBlocks() == 1 && context.RunsOnHost(*call))
          var = integers->Rewritten(*call, before.var->name);
        if (!var) var = builder.Emit(value, before.var->name);
        // What dequantises is found by its call, also if it became other operators.
        integers->Remember(var, value);
        return var;
      });
}

}  // namespace lathe::graph
