// Operators of com.microsoft on quantised numbers.
#include "graph/import/onnx/operators.h"
#include "graph/import/onnx/quantised.h"
#include "graph/import/onnx/windows.h"

namespace lathe::graph::onnx {
namespace {

constexpr DataType kReal = DataType::Float(32);

// -- 8-bit numbers as real ones, and the reverse.

GraphVar ZeroPoint(const NodeContext& n, size_t input, DataType dtype) {
  return n.Has(input) ? Rank0IfOne(n, n.In(input)) : n.Scalar(0, dtype);
}

// What inputs i, i + 1 (scale) and i + 2 (zero point, optional) stand for.
GraphVar RealOf(const NodeContext& n, size_t i) {
  const GraphVar x = n.In(i);
  return n.Call("qnn.dequantize",
                {x, Rank0IfOne(n, n.In(i + 1)), ZeroPoint(n, i + 2, NodeContext::DTypeOf(x))});
}

// With the scale in `scale`, and the zero point behind it, of element type `dtype`.
GraphVar Quantised(const NodeContext& n, const GraphVar& x, size_t scale, DataType dtype) {
  return n.Call(
      "qnn.quantize", {x, Rank0IfOne(n, n.In(scale)), ZeroPoint(n, scale + 1, dtype)},
      {{"out_dtype", StringAttr(dtype.ToString())}, {"rounding", StringAttr("NEAREST_EVEN")}});
}

// An operator of two tensors, on what they stand for.
Operator OfTwo(std::string name, std::string ours) {
  return {std::move(name), [ours](NodeContext& n) -> Results {
            const GraphVar y = n.Call(ours, {RealOf(n, 0), RealOf(n, 3)});
            return {Quantised(n, y, 6, NodeContext::DTypeOf(n.In(0)))};
          }};
}

// One of ONNX's own operators on what inputs 0 to 2 stand for; the result's scale is input 3.
Results OnReal(NodeContext& n, const std::string& own, int64_t opset, bool channels_last = false) {
  GraphVar x = RealOf(n, 0);
  if (channels_last) x = ChannelsToFront(n, x);
  const GraphVar y = ConvertAs(n, own, opset, {x})[0].tensor;
  const DataType dtype = NodeContext::DTypeOf(n.In(0));
  return {Quantised(n, channels_last ? ChannelsToBack(n, y) : y, 3, dtype)};
}

Operator OfOne(std::string name, std::string own, int64_t opset) {
  return {std::move(name), [own, opset](NodeContext& n) { return OnReal(n, own, opset); }};
}

Operator Pool(std::string name, std::string own, int64_t opset) {
  return {std::move(name), [own, opset](NodeContext& n) {
            return OnReal(n, own, opset, n.Int("channels_last", 0) != 0);
          }};
}

Results QLinearSoftmax(NodeContext& n) { return OnReal(n, "Softmax", n.Int("opset", 13)); }

// Inputs 0 and 1 are the scale and zero point of the result; then three for each part.
Results QLinearConcat(NodeContext& n) {
  std::vector<GraphVar> parts;
  for (size_t i = 2; i + 2 < n.inputs.size(); i += 3) parts.push_back(RealOf(n, i));
  if (parts.empty()) n.Fail("has no parts", "three inputs for each part", "none");
  const int64_t axis = n.Axis(n.Int("axis", 0), NodeContext::RankOf(parts[0]));
  const DataType dtype = NodeContext::DTypeOf(n.In(1));
  return {Quantised(n, n.Call("concatenate", parts, {{"axis", IntAttr(axis)}}), 0, dtype)};
}

Results QLinearWhere(NodeContext& n) {
  const GraphVar condition = n.Cast(n.In(0), DataType::Bool());
  const GraphVar y = n.Call("where", {condition, RealOf(n, 1), RealOf(n, 4)});
  return {Quantised(n, y, 7, NodeContext::DTypeOf(n.In(1)))};
}

Results QLinearConv(NodeContext& n) {
  if (n.Int("channels_last", 0) == 0) return ConvertAs(n, "QLinearConv", 10, n.inputs);
  std::vector<Value> inputs = n.inputs;
  inputs[0] = ChannelsToFront(n, n.In(0));
  return {ChannelsToBack(n, ConvertAs(n, "QLinearConv", 10, std::move(inputs))[0].tensor)};
}

// -- Products.

// The last two dimensions, exchanged.
GraphVar Turned(const NodeContext& n, const GraphVar& x, bool turns) {
  return turns ? n.Transpose(x, {1, 0}) : x;
}

// alpha (A' B' scales) + C, where C has the scale of the product.
Results QGemm(NodeContext& n) {
  const bool turns_a = n.Int("transA", 0) != 0, turns_b = n.Int("transB", 0) != 0;
  const double alpha = n.Float("alpha", 1);
  const GraphVar a = Turned(n, WithoutZero(n, 0, 2, -1), turns_a);
  const GraphVar b = Turned(n, WithoutZero(n, 3, 5, turns_b ? 0 : 1), turns_b);
  GraphVar sum = n.Call("matmul", {a, b});
  if (n.Has(6)) sum = n.Add(sum, n.In(6));
  GraphVar scale = n.Mul(Rank0IfOne(n, n.In(1)), Rank0IfOne(n, n.In(4)));
  if (alpha != 1) scale = n.Mul(scale, n.Scalar(alpha, kReal));
  const GraphVar y = n.Mul(n.Cast(sum, kReal), scale);
  if (!n.Has(7)) return {y};
  return {Quantised(n, y, 7, n.Has(8) ? NodeContext::DTypeOf(n.In(8)) : DataType::UInt(8))};
}

GraphVar WithBias(const NodeContext& n, const GraphVar& y, size_t input) {
  return n.Has(input) ? n.Add(y, n.In(input)) : y;
}

Results MatMulIntegerToFloat(NodeContext& n) {
  const GraphVar sum = n.Call("matmul", {WithoutZero(n, 0, 4, -2), WithoutZero(n, 1, 5, -1)});
  const int64_t rank = NodeContext::RankOf(sum);
  const GraphVar scale = n.Mul(PerAxis(n, n.In(2), -2, rank), PerAxis(n, n.In(3), -1, rank));
  return {WithBias(n, n.Mul(n.Cast(sum, NodeContext::DTypeOf(scale)), scale), 6)};
}

// A is quantised by its own range.
Results DynamicQuantizeMatMul(NodeContext& n) {
  const GraphVar all = n.Call("qnn.dynamic_quantize", {n.In(0)});
  const auto field = [&](int64_t at) { return n.Field(all, at, n.name()); };
  const DataType wide = DataType::Int(32);
  const GraphVar a = n.Sub(n.Cast(field(0), wide), n.Cast(field(2), wide));
  const GraphVar sum = n.Call("matmul", {a, WithoutZero(n, 1, 3, -1)});
  const GraphVar scale = n.Mul(field(1), PerAxis(n, n.In(2), -1, NodeContext::RankOf(sum)));
  return {WithBias(n, n.Mul(n.Cast(sum, kReal), scale), 4)};
}

// The numbers of `bits` bits of bytes [..., m], the first in the lowest bits: [..., 8 m / bits].
GraphVar Unpacked(const NodeContext& n, const GraphVar& bytes, int64_t bits) {
  if (bits == 8) return bytes;
  const DataType byte = DataType::UInt(8);
  const auto number = [&](int64_t value) { return n.Scalar(static_cast<double>(value), byte); };
  std::vector<GraphVar> parts;
  for (int64_t at = 0; at < 8; at += bits) {
    const GraphVar moved = at == 0 ? bytes : n.Call("right_shift", {bytes, number(at)});
    parts.push_back(n.Call("bitwise_and", {moved, number((1 << bits) - 1)}));
  }
  std::vector<Expr> shape = NodeContext::ShapeOf(bytes);
  shape.back() = shape.back() * Int64(8 / bits);
  return n.Reshape(n.Call("stack", parts, {{"axis", IntAttr(-1)}}), std::move(shape));
}

// Weights [N, blocks, bytes]; each block has a scale and a zero point.
Results MatMulNBits(NodeContext& n) {
  const int64_t bits = n.Int("bits", 4), block = n.Int("block_size", 0);
  const int64_t columns = n.Int("N", 0), depth = n.Int("K", 0);
  const int64_t prepacked = n.Int("weight_prepacked", 0);
  n.Ignore({"accuracy_level"});  // computed in the type of A
  if (bits != 2 && bits != 4 && bits != 8) {
    n.FailAttribute("bits", "is not supported", "2, 4 or 8", std::to_string(bits));
  }
  if (block < 1 || columns < 1 || depth < 1) {
    n.Fail("has impossible sizes", "block_size, N and K of 1 and more",
           std::to_string(block) + ", " + std::to_string(columns) + ", " + std::to_string(depth));
  }
  if (prepacked != 0) {
    n.FailAttribute("weight_prepacked", "is not supported", "0", std::to_string(prepacked));
  }
  if (n.Has(4)) n.Fail("has input 4, which is not supported here", "nothing", "g_idx");
  const int64_t blocks = (depth + block - 1) / block;
  const DataType dtype = NodeContext::DTypeOf(n.In(0));
  const std::vector<Expr> per_block = AsExtents({columns, blocks, 1});
  const GraphVar codes = n.Cast(Unpacked(n, n.In(1), bits), dtype);
  GraphVar zero = n.Scalar(static_cast<double>(1 << (bits - 1)), dtype);
  if (n.Has(3) && NodeContext::DTypeOf(n.In(3)).is_float()) {
    zero = n.Reshape(n.In(3), per_block);
  } else if (n.Has(3)) {
    const GraphVar rows = n.Reshape(n.In(3), AsExtents({columns, (blocks * bits + 7) / 8}));
    const GraphVar own = n.Slice(Unpacked(n, rows, bits), 1, Int64(0), Int64(blocks));
    zero = n.Reshape(n.Cast(own, dtype), per_block);
  }
  const GraphVar blocked = n.Mul(n.Sub(codes, zero), n.Reshape(n.In(2), per_block));
  const GraphVar whole = n.Reshape(blocked, AsExtents({columns, blocks * block}));
  const GraphVar weights = n.Slice(whole, 1, Int64(0), Int64(depth));
  return {WithBias(n, n.Call("matmul", {n.In(0), weights}, {{"transpose_b", BoolAttr(true)}}), 5)};
}

}  // namespace

std::vector<Operator> MicrosoftQuantised() {
  const auto same = [](std::string name) -> Operator {
    return {"com.microsoft." + name,
            [name](NodeContext& n) { return ConvertAs(n, name, 21, n.inputs); }};
  };
  return {
      OfOne("com.microsoft.QLinearLeakyRelu", "LeakyRelu", 16),
      OfOne("com.microsoft.QLinearReduceMean", "ReduceMean", 13),
      OfOne("com.microsoft.QLinearSigmoid", "Sigmoid", 13),
      OfTwo("com.microsoft.QLinearAdd", "add"),
      OfTwo("com.microsoft.QLinearMul", "multiply"),
      Pool("com.microsoft.QLinearAveragePool", "AveragePool", 22),
      Pool("com.microsoft.QLinearGlobalAveragePool", "GlobalAveragePool", 22),
      same("DequantizeLinear"),
      same("QuantizeLinear"),
      {"com.microsoft.DynamicQuantizeMatMul", DynamicQuantizeMatMul},
      {"com.microsoft.MatMulIntegerToFloat", MatMulIntegerToFloat},
      {"com.microsoft.MatMulNBits", MatMulNBits},
      {"com.microsoft.QGemm", QGemm},
      {"com.microsoft.QLinearConcat", QLinearConcat},
      {"com.microsoft.QLinearConv", QLinearConv},
      {"com.microsoft.QLinearSoftmax", QLinearSoftmax},
      {"com.microsoft.QLinearWhere", QLinearWhere},
  };
}

}  // namespace lathe::graph::onnx
