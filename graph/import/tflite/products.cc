// Convolutions and products of matrices.
#include <algorithm>

#include "graph/import/tflite/operators.h"
#include "graph/import/tflite/quantised.h"
#include "graph/import/tflite/windows.h"
#include "graph/sizes.h"

namespace lathe::graph::tflite {
namespace {

// Options of the schema.
enum Options : int32_t {
  kConv2DOptions = 1,
  kDepthwiseOptions = 2,
  kFullyConnectedOptions = 8,
  kTransposeConvOptions = 49,
  kBatchMatMulOptions = 101,
  kConv3DOptions = 106
};

// A product of input `data` with the filters of input `filter`: with floats, or with whole numbers
// and a factor for each filter.
struct Operands {
  GraphVar data, filter;
  bool quantised = false;
  std::vector<double> factors;             // of sums, one or one for each filter
  int64_t data_zero = 0, filter_zero = 0;  // the zero points that are still in the numbers
};

// Numbers without their zero point, in 16 bits: sums are made in 32.
GraphVar Narrow(const OpContext& n, size_t input, int64_t zero) {
  const DataType i16 = DataType::Int(16);
  const GraphVar x = n.Cast(n.In(input), i16);
  return zero == 0 ? x : n.Sub(x, n.Constant(MakeInts({zero}, {}, i16)));
}

// The scale of sums by the scale of the result, for each filter. The reference kernels of
// convolutions of int8 multiply the scales in float64, all others in float32.
std::vector<double> FactorsOf(const OpContext& n, size_t data, size_t filter, int64_t filters,
                              bool wide) {
  const float in = AffineOf(n, n.InInfo(data)).scale;
  const auto out = static_cast<double>(AffineOf(n, n.OutInfo()).scale);
  const Quantisation& q = n.InInfo(filter).quantisation;
  const auto count = static_cast<int64_t>(q.scale.size());
  if (count != 1 && count != filters) {
    n.Fail("has the wrong number of scales for its filters", "1 or " + std::to_string(filters),
           std::to_string(count));
  }
  std::vector<double> factors;
  for (const float scale : q.scale) {
    const double product = wide || count > 1 ? static_cast<double>(in) * static_cast<double>(scale)
                                             : static_cast<double>(in * scale);
    factors.push_back(product / out);
  }
  return factors;
}

int64_t FilterZero(const OpContext& n, size_t filter) {
  const Quantisation& q = n.InInfo(filter).quantisation;
  if (q.scale.size() == 1) return AffineOf(n, n.InInfo(filter)).zero_point;
  if (q.is_blockwise) n.Fail("has weights with scales of blocks", "scales of filters", "of blocks");
  for (const int64_t zero : q.zero_point) {
    if (zero != 0) n.Fail("has filters with zero points of their own", "0", std::to_string(zero));
  }
  return 0;
}

bool IsQuantisedProduct(const OpContext& n, size_t data, size_t filter) {
  return IsQuantised8(n.InInfo(data)) && IsQuantised8(n.InInfo(filter)) &&
         IsQuantised8(n.OutInfo());
}

// `filters`: how many the filter has. `wide`: see FactorsOf.
Operands OperandsOf(const OpContext& n, size_t data, size_t filter, int64_t filters, bool wide) {
  if (IsQuantisedProduct(n, data, filter)) {
    return {Narrow(n, data, AffineOf(n, n.InInfo(data)).zero_point),
            Narrow(n, filter, FilterZero(n, filter)), true,
            FactorsOf(n, data, filter, filters, wide)};
  }
  // Weights that alone are quantised stand for real numbers, and so do numbers of 16 bits.
  return {Real(n, data), Real(n, filter), false, {}};
}

// The same with whole numbers as they are stored: for Convolved.
Operands StoredOperands(const OpContext& n, int64_t filters) {
  const bool wide = n.InInfo(0).type == kInt8;
  if (!IsQuantisedProduct(n, 0, 1)) return OperandsOf(n, 0, 1, filters, wide);
  return {n.In(0),
          n.In(1),
          true,
          FactorsOf(n, 0, 1, filters, wide),
          AffineOf(n, n.InInfo(0)).zero_point,
          FilterZero(n, 1)};
}

// nn.conv2d, or qnn.conv2d of whole numbers, whose scales are in the factors of the sums.
GraphVar Convolved(const OpContext& n, const Operands& x, const GraphVar& filter, ir::Dict attrs) {
  if (!x.quantised) return n.Call("nn.conv2d", {x.data, filter}, std::move(attrs));
  attrs.emplace("out_dtype", StringAttr("int32"));
  const auto zero = [&](int64_t value) {
    return n.Constant(MakeInts({value}, {}, DataType::Int(32)));
  };
  const GraphVar one = n.Scalar(1, DataType::Float(32));
  return n.Call("qnn.conv2d", {x.data, filter, zero(x.data_zero), zero(x.filter_zero), one, one},
                std::move(attrs));
}

const char* SumType(const Operands& x) { return x.quantised ? "int32" : ""; }

// The sum with its bias along the last dimension, activated, in the type of the result.
GraphVar Finish(const OpContext& n, const Operands& x, GraphVar sum, size_t bias,
                int64_t activation, Rounds rounds = Rounds::kTwice) {
  const int64_t last = Maker::RankOf(sum) - 1;
  if (n.Has(bias)) {
    const GraphVar b = x.quantised ? n.Cast(n.In(bias), DataType::Int(32)) : Real(n, bias);
    sum = n.Call("nn.bias_add", {sum, b}, {{"axis", IntAttr(last)}});
  }
  if (!x.quantised) return Quantised(n, Activated(n, sum, activation));
  return Finished(n, Rescaled(n, sum, x.factors, last, rounds),
                  ActivationRange(n, activation, n.OutInfo()));
}

// -- Convolutions. Filters [filters, h, w, channels] become [h, w, channels, filters].

Results Conv2D(OpContext& n) {
  NeedRank(n, 0, 4, "an image");
  NeedRank(n, 1, 4, "a filter");
  const std::vector<int64_t> filter = n.FixedShape(n.In(1), "a filter");
  const Window window = WindowOf(n, n.In(0), n.Byte(0, "padding"), {filter[1], filter[2]},
                                 {n.Number(2, "stride_h"), n.Number(1, "stride_w")},
                                 {n.Number(5, "dilation_h", 1), n.Number(4, "dilation_w", 1)});
  const Operands x = StoredOperands(n, filter[0]);
  const int64_t* channels = ir::AsConstInt(Maker::ShapeOf(n.In(0))[3]);
  if (channels == nullptr || filter[3] < 1 || *channels % filter[3] != 0) {
    n.Fail("has an image whose channels do not fit its filter", std::to_string(filter[3]),
           TypeText(n.In(0)->type));
  }
  const GraphVar sum = Convolved(n, x, n.Transpose(x.filter, {1, 2, 3, 0}),
                                 {{"strides", IntsAttr(window.strides)},
                                  {"padding", window.Padding()},
                                  {"dilation", IntsAttr(window.dilations)},
                                  {"groups", IntAttr(*channels / filter[3])},
                                  {"kernel_size", IntsAttr(window.kernel)},
                                  {"data_layout", StringAttr("NHWC")},
                                  {"kernel_layout", StringAttr("HWIO")}});
  return {Finish(n, x, sum, 2, n.Byte(3, "the fused activation"))};
}

// Filters [1, h, w, channels * multiplier].
Results DepthwiseConv2D(OpContext& n) {
  NeedRank(n, 0, 4, "an image");
  NeedRank(n, 1, 4, "a filter");
  const std::vector<int64_t> filter = n.FixedShape(n.In(1), "a filter");
  const Window window = WindowOf(n, n.In(0), n.Byte(0, "padding"), {filter[1], filter[2]},
                                 {n.Number(2, "stride_h"), n.Number(1, "stride_w")},
                                 {n.Number(6, "dilation_h", 1), n.Number(5, "dilation_w", 1)});
  const int64_t* channels = ir::AsConstInt(Maker::ShapeOf(n.In(0))[3]);
  if (filter[0] != 1 || channels == nullptr || *channels < 1 || filter[3] % *channels != 0) {
    n.Fail("has an image whose channels do not fit its filter",
           "a divisor of " + std::to_string(filter[3]), TypeText(n.In(0)->type));
  }
  const Operands x = StoredOperands(n, filter[3]);
  const GraphVar weight = n.Reshape(x.filter, AsExtents({filter[1], filter[2], filter[3], 1}));
  const GraphVar sum = Convolved(n, x, weight,
                                 {{"strides", IntsAttr(window.strides)},
                                  {"padding", window.Padding()},
                                  {"dilation", IntsAttr(window.dilations)},
                                  {"groups", IntAttr(*channels)},
                                  {"kernel_size", IntsAttr(window.kernel)},
                                  {"data_layout", StringAttr("NHWC")},
                                  {"kernel_layout", StringAttr("HWOI")}});
  return {Finish(n, x, sum, 2, n.Byte(4, "the fused activation"))};
}

Results Conv3D(OpContext& n) {
  NeedRank(n, 0, 5, "an image");
  NeedRank(n, 1, 5, "a filter");
  const std::vector<int64_t> filter = n.FixedShape(n.In(1), "a filter");
  const Window window = WindowOf(
      n, n.In(0), n.Byte(0, "padding"), {filter[0], filter[1], filter[2]},
      {n.Number(1, "stride_d"), n.Number(3, "stride_h"), n.Number(2, "stride_w")},
      {n.Number(5, "dilation_d", 1), n.Number(7, "dilation_h", 1), n.Number(6, "dilation_w", 1)});
  const GraphVar sum = n.Call("nn.conv3d", {Real(n, 0), Real(n, 1)},
                              {{"strides", IntsAttr(window.strides)},
                               {"padding", window.Padding()},
                               {"dilation", IntsAttr(window.dilations)},
                               {"kernel_size", IntsAttr(window.kernel)},
                               {"data_layout", StringAttr("NDHWC")},
                               {"kernel_layout", StringAttr("DHWIO")}});
  return {Finish(n, {}, sum, 2, n.Byte(4, "the fused activation"))};
}

// -- Transposed convolutions: the gradient of a convolution whose input has the shape of input 0.

struct Reversed {
  std::vector<int64_t> padding, more;
};

Reversed ReversedWindow(OpContext& n, const GraphVar& image, const std::vector<int64_t>& kernel,
                        const std::vector<int64_t>& strides) {
  const std::vector<int64_t> wanted = n.Ints(0, "output_shape");
  const int64_t padding = n.Byte(0, "padding");
  const size_t count = kernel.size();
  if (wanted.size() != count + 2) {
    n.Fail("has an output_shape of the wrong length", std::to_string(count + 2),
           std::to_string(wanted.size()));
  }
  const std::vector<int64_t> shape = [&] {
    std::vector<int64_t> extents;
    for (size_t d = 0; d < count; ++d) {
      const int64_t* extent = ir::AsConstInt(Maker::ShapeOf(image)[d + 1]);
      if (extent == nullptr) n.Fail("needs an image of a known size", "", TypeText(image->type));
      extents.push_back(*extent);
    }
    return extents;
  }();
  Reversed result;
  result.padding.assign(2 * count, 0);
  result.more.assign(count, 0);
  for (size_t d = 0; d < count; ++d) {
    constexpr int64_t kMost = int64_t{1} << 24;
    const int64_t out = wanted[d + 1];
    if (strides[d] < 1 || strides[d] > kMost || out < 1 || out > kMost) {
      n.Fail("has an impossible stride or output_shape");
    }
    const int64_t full = (shape[d] - 1) * strides[d] + kernel[d];
    const int64_t total = std::max<int64_t>(full - out, 0);
    result.padding[d] = padding == 0 ? total / 2 : 0;
    result.padding[d + count] = total - result.padding[d];
    result.more[d] = std::max<int64_t>(out - full, 0);
  }
  return result;
}

// Filters [filters, h, w, channels].
Results TransposeConv(OpContext& n) {
  NeedRank(n, 2, 4, "an image");
  NeedRank(n, 1, 4, "a filter");
  const std::vector<int64_t> filter = n.FixedShape(n.In(1), "a filter");
  const std::vector<int64_t> kernel{filter[1], filter[2]};
  const std::vector<int64_t> strides{n.Number(2, "stride_h"), n.Number(1, "stride_w")};
  const Reversed window = ReversedWindow(n, n.In(2), kernel, strides);
  const Operands x = OperandsOf(n, 2, 1, filter[0], n.InInfo(2).type == kInt8);
  const GraphVar sum = n.Call("nn.conv2d_transpose", {x.data, n.Transpose(x.filter, {1, 2, 3, 0})},
                              {{"strides", IntsAttr(strides)},
                               {"padding", IntsAttr(window.padding)},
                               {"kernel_size", IntsAttr(kernel)},
                               {"output_padding", IntsAttr(window.more)},
                               {"data_layout", StringAttr("NHWC")},
                               {"kernel_layout", StringAttr("HWIO")},
                               {"out_dtype", StringAttr(SumType(x))}});
  return {Finish(n, x, sum, 3, n.Byte(3, "the fused activation"))};
}

// Filters [d, h, w, filters, channels].
Results Conv3DTranspose(OpContext& n) {
  NeedRank(n, 2, 5, "an image");
  NeedRank(n, 1, 5, "a filter");
  const std::vector<int64_t> filter = n.FixedShape(n.In(1), "a filter");
  const std::vector<int64_t> kernel{filter[0], filter[1], filter[2]};
  const std::vector<int64_t> strides{n.Number(1, "stride_d"), n.Number(3, "stride_h"),
                                     n.Number(2, "stride_w")};
  const Reversed window = ReversedWindow(n, n.In(2), kernel, strides);
  const GraphVar sum = n.Call("nn.conv3d_transpose", {Real(n, 2), Real(n, 1)},
                              {{"strides", IntsAttr(strides)},
                               {"padding", IntsAttr(window.padding)},
                               {"kernel_size", IntsAttr(kernel)},
                               {"output_padding", IntsAttr(window.more)},
                               {"data_layout", StringAttr("NDHWC")},
                               {"kernel_layout", StringAttr("DHWOI")}});
  return {Finish(n, {}, sum, 3, n.Byte(4, "the fused activation"))};
}

// -- Products of matrices.

// x [..., in] by weights [out, in]. Without keep_num_dims, the leading dimensions become one.
Results FullyConnected(OpContext& n) {
  NeedRank(n, 1, 2, "weights");
  if (n.Byte(1, "weights_format") != 0) {
    n.Fail("has shuffled weights", "weights in rows", "SHUFFLED4x16INT8");
  }
  const std::vector<int64_t> weight = n.FixedShape(n.In(1), "weights");
  Operands x = OperandsOf(n, 0, 1, weight[0], false);
  const std::vector<Expr>& shape = Maker::ShapeOf(x.data);
  if (!n.Flag(2, "keep_num_dims") &&
      (shape.size() != 2 || !SameExtent(shape[1], Int64(weight[1])))) {
    if (weight[1] < 1) n.Fail("has weights without columns");
    x.data = n.Reshape(x.data, {Int64(-1), Int64(weight[1])});
  }
  const GraphVar sum =
      n.Call("nn.dense", {x.data, x.filter}, {{"out_dtype", StringAttr(SumType(x))}});
  // The kernel of int8 changed in TensorFlow 2.15 and later.
  const bool once = n.InInfo(0).type == kInt8 && !n.importer.options().rounds_twice;
  return {Finish(n, x, sum, 2, n.Byte(0, "the fused activation"),
                 once ? Rounds::kOnce : Rounds::kTwice)};
}

Results BatchMatMul(OpContext& n) {
  const Operands x = OperandsOf(n, 0, 1, 1, false);
  const auto turned = [&](const GraphVar& m, bool turn) {
    const int64_t rank = Maker::RankOf(m);
    if (!turn) return m;
    if (rank < 2) n.Fail("has an operand that is no matrix", "2 dimensions", TypeText(m->type));
    std::vector<int64_t> axes(static_cast<size_t>(rank));
    for (int64_t d = 0; d < rank; ++d) axes[static_cast<size_t>(d)] = d;
    std::swap(axes[axes.size() - 1], axes[axes.size() - 2]);
    return n.Transpose(m, axes);
  };
  const GraphVar sum =
      n.Call("matmul", {turned(x.data, n.Flag(0, "adj_x")), turned(x.filter, n.Flag(1, "adj_y"))},
             {{"out_dtype", StringAttr(SumType(x))}});
  return {Finish(n, x, sum, 2, 0)};
}

}  // namespace

std::vector<Conversion> Products() {
  return {
      {"CONV_2D", kConv2DOptions, Conv2D},
      {"DEPTHWISE_CONV_2D", kDepthwiseOptions, DepthwiseConv2D},
      {"CONV_3D", kConv3DOptions, Conv3D},
      {"TRANSPOSE_CONV", kTransposeConvOptions, TransposeConv},
      {"CONV_3D_TRANSPOSE", kConv3DOptions, Conv3DTranspose},
      {"FULLY_CONNECTED", kFullyConnectedOptions, FullyConnected},
      {"BATCH_MATMUL", kBatchMatMulOptions, BatchMatMul},
  };
}

}  // namespace lathe::graph::tflite
