// Products and concatenation of quantised numbers, as compositions.
#include "graph/builder.h"
#include "graph/ops/define.h"
#include "graph/ops/families.h"
#include "graph/ops/quantised.h"

namespace lathe::graph::ops {
namespace {

void CheckParameter(const TypeContext& c, size_t i, const Expr& extent, const std::string& of) {
  c.NeedRank(i, 0, 1);
  if (c.rank(i) == 1 && !ir::IsOne(c.shape(i)[0])) c.NeedExtent(i, 0, extent, of);
}

const ir::TensorType& TypeOf(const GraphVar& var) {
  return static_cast<const ir::TensorType&>(*var->type);
}

// The type that holds differences of two numbers of `dtype`.
DataType WideOf(DataType dtype) {
  if (dtype.bits() == 8) return DataType::Int(16);
  return DataType::Int(dtype.bits() == 16 || (dtype.bits() == 32 && dtype.is_int()) ? 32 : 64);
}
// data - zero point. A zero point of rank 1 stands along dimension `axis`.
GraphVar Centred(Builder& b, const GraphVar& data, const GraphVar& zero, size_t axis) {
  const DataType wide = WideOf(TypeOf(data).dtype);
  const auto cast = [&](const GraphVar& x) {
    return TypeOf(x).dtype == wide ? x
                                   : b.Call("cast", {x}, {{"dtype", StringAttr(wide.ToString())}});
  };
  GraphVar point = cast(zero);
  const size_t rank = TypeOf(data).shape.size();
  if (const Shape& shape = TypeOf(zero).shape; shape.size() == 1 && axis + 1 != rank) {
    Shape along{shape[0]};
    along.resize(rank - axis, ir::Int(1, DataType::Int(64)));
    point = b.Call("reshape", {point}, {{"newshape", ShapeAttr(along)}});
  }
  return b.Call("subtract", {cast(data), point});
}

std::vector<OpInput> ProductInputs(std::string a, std::string a_doc, std::string b,
                                   std::string b_doc, const std::string& a_prefix,
                                   const std::string& b_prefix, std::string b_channels) {
  return {{std::move(a), std::move(a_doc), kIntegers},
          {std::move(b), std::move(b_doc), kIntegers},
          {a_prefix + "_zero_point", "rank 0", kIntegers},
          {b_prefix + "_zero_point", "rank 0, or " + b_channels, kIntegers},
          {a_prefix + "_scale", "rank 0; the result has the product of both scales", kFloats},
          {b_prefix + "_scale", "rank 0, or " + b_channels, kFloats}};
}
// The type of the operator that a product expands to, with `attrs`.
TypeResult TypeOfProduct(const TypeContext& c, const std::string& op, const ir::Dict& attrs,
                         const Expr& channels) {
  QuantisedTypeOf(c);
  for (const size_t i : {2, 4}) {
    CheckParameter(c, i, ir::Int(1, DataType::Int(64)), "one for all");
  }
  for (const size_t i : {3, 5}) CheckParameter(c, i, channels, "the channels of the result");
  const DataType wide = std::max(WideOf(c.dtype(0)).bits(), WideOf(c.dtype(1)).bits()) == 16
                            ? DataType::Int(16)
                            : DataType::Int(64);
  return TypeOfCall(GetOp(op), {TensorOf(wide, c.shape(0)), TensorOf(wide, c.shape(1))}, attrs);
}
// Both operands centred, in one type.
std::vector<GraphVar> CentredOperands(Builder& b, const std::vector<GraphVar>& x, size_t a_axis,
                                      size_t b_axis) {
  GraphVar p = Centred(b, x[0], x[2], a_axis), q = Centred(b, x[1], x[3], b_axis);
  const DataType left = TypeOf(p).dtype, right = TypeOf(q).dtype;
  const auto widen = [&](GraphVar& v, DataType to) {
    if (TypeOf(v).dtype != to) v = b.Call("cast", {v}, {{"dtype", StringAttr(to.ToString())}});
  };
  const DataType wide = left.bits() > right.bits() ? left : right;
  widen(p, wide);
  widen(q, wide);
  return {p, q};
}

const char kProductDoc[] =
    " of the numbers without their zero points: the result is int32, with zero point 0 and the "
    "product of the scales, which is not multiplied here.";

ir::Dict ConvAttrs(const Attrs& attrs) {
  ir::Dict dict;
  for (const char* name : {"kernel_size", "strides", "padding", "dilation"}) {
    dict[name] = IntsAttr(attrs.Ints(name));
  }
  for (const char* name : {"channels", "groups"}) dict[name] = IntAttr(attrs.Int(name));
  for (const char* name : {"data_layout", "kernel_layout", "out_layout", "out_dtype"}) {
    dict[name] = StringAttr(attrs.String(name));
  }
  return dict;
}

OpDef QuantisedConv() {
  return {
      .name = "qnn.conv2d",
      .doc = std::string("A convolution") + kProductDoc + " The frame has the input's zero point.",
      .inputs = ProductInputs("data", "the input, in `data_layout`", "kernel",
                              "the filters, in `kernel_layout`", "input", "kernel", "[filters]"),
      .attrs = {Ints("kernel_size", "the window; empty: taken from the kernel", {}, 1),
                Int("channels", "the filters; 0: taken from the kernel", 0, 0),
                Ints("strides", "how far the window moves", {1, 1}, 1),
                Ints("padding",
                     "the frame: one number, one for each dimension, or all before and then all "
                     "after",
                     {0, 0}, 0),
                Ints("dilation", "the distance of the window's elements", {1, 1}, 1),
                Int("groups", "channels are split into as many parts", 1, 1),
                Choice("data_layout", "the dimensions of `data`", {"NCHW", "NHWC"}),
                Choice("kernel_layout", "the dimensions of `kernel`",
                       {"OIHW", "HWIO", "OHWI", "HWOI"}),
                {.name = "out_layout",
                 .type = AttrType::kString,
                 .doc = "the dimensions of the result; \"\": as `data`",
                 .fallback = StringAttr("")},
                QuantisedType("int32")},
      .kind = OpKind::kAnchor,
      .type =
          [](const TypeContext& c) {
            c.NeedRank(1, 4, 4);
            const size_t filters = c.attrs.String("kernel_layout").find('O');
            return TypeOfProduct(c, "nn.conv2d", ConvAttrs(c.attrs), c.shape(1)[filters]);
          },
      .expand =
          [](Builder& b, const std::vector<GraphVar>& x, const Attrs& attrs) {
            const size_t filters = attrs.String("kernel_layout").find('O');
            return b.Call("nn.conv2d", CentredOperands(b, x, 0, filters), ConvAttrs(attrs));
          },
      .examples = {{{"T[n, 4, 6, 5]", "int8[3, 4, 3, 3]", "int32[] in -3:3", "int32[3] in -3:3",
                     "float32[] in 0.1:1", "float32[3] in 0.1:1"},
                    {{"padding", IntsAttr({1})}}},
                   {{"uint8[n, 6, 5, 4]", "uint8[3, 3, 4, 2]", "uint8[] in 0:9", "int32[] in -3:3",
                     "float32[] in 0.1:1", "float32[] in 0.1:1"},
                    {{"data_layout", StringAttr("NHWC")},
                     {"kernel_layout", StringAttr("HWIO")},
                     {"strides", IntsAttr({2})}}}}};
}

OpDef QuantisedDense() {
  const auto attrs_of = [](const Attrs& attrs) {
    return ir::Dict{{"units", IntAttr(attrs.Int("units"))},
                    {"out_dtype", StringAttr(attrs.String("out_dtype"))}};
  };
  return {.name = "qnn.dense",
          .doc = std::string("X W^T") + kProductDoc,
          .inputs = ProductInputs("data", "x [..., in]", "weight", "w [out, in]", "input", "kernel",
                                  "[out]"),
          .attrs = {Int("units", "out; 0: taken from the weight", 0, 0), QuantisedType("int32")},
          .kind = OpKind::kAnchor,
          .type =
              [attrs_of](const TypeContext& c) {
                c.NeedRank(1, 2, 2);
                return TypeOfProduct(c, "nn.dense", attrs_of(c.attrs), c.shape(1)[0]);
              },
          .expand =
              [attrs_of](Builder& b, const std::vector<GraphVar>& x, const Attrs& attrs) {
                return b.Call("nn.dense", CentredOperands(b, x, 0, 0), attrs_of(attrs));
              },
          .examples = {{{"T[n, 8]", "int8[5, 8]", "int32[] in -3:3", "int32[] in -3:3",
                         "float32[] in 0.1:1", "float32[] in 0.1:1"}},
                       {{"uint8[2, n, 8]", "int8[5, 8]", "uint8[] in 0:9", "int8[5] in -3:3",
                         "float32[] in 0.1:1", "float32[5] in 0.1:1"}}}};
}

OpDef QuantisedMatmul() {
  return {.name = "qnn.matmul",
          .doc = std::string("The product of matrices, whose batches are broadcast,") + kProductDoc,
          .inputs =
              ProductInputs("x", "[batches..., i, k]", "y", "[batches..., k, j]", "x", "y", "[j]"),
          .attrs = {QuantisedType("int32")},
          .kind = OpKind::kAnchor,
          .type =
              [](const TypeContext& c) {
                c.NeedRank(1, 2, 16);
                return TypeOfProduct(c, "matmul",
                                     {{"out_dtype", StringAttr(c.attrs.String("out_dtype"))}},
                                     c.shape(1).back());
              },
          .expand =
              [](Builder& b, const std::vector<GraphVar>& x, const Attrs& attrs) {
                const size_t last = TypeOf(x[1]).shape.size() - 1;
                return b.Call("matmul", CentredOperands(b, x, 0, last),
                              {{"out_dtype", StringAttr(attrs.String("out_dtype"))}});
              },
          .examples = {{{"T[n, 8]", "int8[8, 5]", "int32[] in -3:3", "int32[] in -3:3",
                         "float32[] in 0.1:1", "float32[] in 0.1:1"}},
                       {{"uint8[2, n, 8]", "int8[2, 8, 5]", "uint8[] in 0:9", "int8[5] in -3:3",
                         "float32[] in 0.1:1", "float32[5] in 0.1:1"}}}};
}

OpDef QuantisedConcatenate() {
  return {
      .name = "qnn.concatenate",
      .doc =
          "Tensors with scales of their own, one behind the other along `axis`, with one scale: a "
          "composition of qnn.requantize and concatenate.",
      .inputs = {{"output_scale", "rank 0", kFloats},
                 {"output_zero_point", "rank 0", kIntegers},
                 {"operands", "for each tensor: quantised numbers, their scale, their zero point",
                  kNumbers}},
      .attrs = {Required(Int("axis", "the dimension in which they follow each other", 0))},
      .variadic = true,
      .type = [](const TypeContext& c) -> TypeResult {
        if (c.size() % 3 != 2) {
          c.FailArgument(c.size() - 1, "ends a list that has no three for each tensor",
                         "data, scale and zero point", std::to_string(c.size() - 2) + " operands");
        }
        for (const size_t i : {0, 1}) c.NeedRank(i, 0, 0);
        std::vector<ir::NodeRef> data;
        for (size_t i = 2; i < c.size(); i += 3) {
          if (c.dtype(i).is_float() || c.dtype(i).bits() > 32 || c.dtype(i) != c.dtype(2)) {
            c.FailArgument(i, "has the wrong element type", "one integer type of at most 32 bits",
                           c.dtype(i).ToString());
          }
          if (!c.dtype(i + 1).is_float()) {
            c.FailArgument(i + 1, "is no scale", "a floating type", c.dtype(i + 1).ToString());
          }
          c.NeedRank(i + 1, 0, 0);
          if (c.dtype(i + 2).is_float()) {
            c.FailArgument(i + 2, "is no zero point", "an integer", c.dtype(i + 2).ToString());
          }
          c.NeedRank(i + 2, 0, 0);
          data.push_back(c.types[i]);
        }
        AxisOf(c, "axis", c.rank(2));
        return TypeOfCall(GetOp("concatenate"), data, {{"axis", IntAttr(c.attrs.Int("axis"))}});
      },
      .expand =
          [](Builder& b, const std::vector<GraphVar>& x, const Attrs& attrs) {
            std::vector<GraphVar> parts;
            for (size_t i = 2; i < x.size(); i += 3) {
              parts.push_back(b.Call("qnn.requantize", {x[i], x[i + 1], x[i + 2], x[0], x[1]},
                                     {{"out_dtype", StringAttr(TypeOf(x[i]).dtype.ToString())}}));
            }
            return b.Call("concatenate", parts, {{"axis", IntAttr(attrs.Int("axis"))}});
          },
      .examples = {{{"float32[] in 0.1:1", "int32[] in -3:3", "int8[n, 3]", "float32[] in 0.1:1",
                     "int32[] in -3:3", "int8[n, 2]", "float32[] in 0.1:1", "int32[] in -3:3"},
                    {{"axis", IntAttr(1)}}}}};
}

}  // namespace

std::vector<OpDef> QuantisedProducts() {
  return {QuantisedConv(), QuantisedDense(), QuantisedMatmul(), QuantisedConcatenate()};
}

}  // namespace lathe::graph::ops
