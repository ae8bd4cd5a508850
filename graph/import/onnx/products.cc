// Products of matrices and convolutions.
#include <algorithm>

#include "graph/import/onnx/at_run.h"
#include "graph/import/onnx/operators.h"
#include "graph/import/onnx/quantised.h"
#include "graph/import/onnx/windows.h"

namespace lathe::graph::onnx {
namespace {

// As NumPy's: a vector is a row in front and a column behind, whose dimension the result has not.
Results MatMul(NodeContext& n) {
  GraphVar a = n.In(0), b = n.In(1);
  const bool row = NodeContext::RankOf(a) == 1, column = NodeContext::RankOf(b) == 1;
  if (row) a = n.ExpandDims(a, 0);
  if (column) b = n.ExpandDims(b, 1);
  GraphVar y = n.Call("matmul", {a, b});
  if (column) y = n.Squeeze(y, {-1});
  if (row) y = n.Squeeze(y, {column ? -1 : -2});
  return {y};
}

// alpha A' B' + beta C.
Results Gemm(NodeContext& n) {
  const double alpha = n.Float("alpha", 1), beta = n.Float("beta", 1);
  const bool transpose_a = n.Int("transA", 0) != 0, transpose_b = n.Int("transB", 0) != 0;
  GraphVar y;
  if (!transpose_a && transpose_b) {
    y = n.Call("nn.dense", {n.In(0), n.In(1)});
  } else {
    y = n.Call("nn.matmul", {n.In(0), n.In(1)},
               {{"transpose_a", BoolAttr(transpose_a)}, {"transpose_b", BoolAttr(transpose_b)}});
  }
  const DataType dtype = NodeContext::DTypeOf(y);
  if (alpha != 1) y = n.Mul(y, n.Scalar(alpha, dtype));
  if (n.Has(2)) {
    GraphVar c = n.In(2);
    if (beta != 1) c = n.Mul(c, n.Scalar(beta, dtype));
    y = n.Add(y, c);
  }
  return {y};
}

Results Einsum(NodeContext& n) {
  return {n.Call("einsum", n.All(), {{"equation", StringAttr(n.String("equation", ""))}})};
}

// The extents of a filter [a, b, kernel...].
std::vector<int64_t> KernelOf(NodeContext& n, const GraphVar& w) {
  const std::vector<int64_t> shape = n.FixedShape(w, "a filter");
  if (shape.size() < 3) n.Fail("has a wrong filter", "3 dimensions and more", TypeText(w->type));
  return {shape.begin() + 2, shape.end()};
}

// A bias for each channel.
GraphVar WithBias(NodeContext& n, const GraphVar& y, size_t input) {
  if (!n.Has(input)) return y;
  return n.Call("nn.bias_add", {y, n.In(input)}, {{"axis", IntAttr(1)}});
}

GraphVar Convolve(NodeContext& n, GraphVar x, const GraphVar& w) {
  NeedImage(n, x);
  const Window window = WindowAndFrame(n, &x, 0, KernelOf(n, w));
  return n.Call("nn.conv" + window.Suffix(), {x, w},
                {{"strides", IntsAttr(window.strides)},
                 {"padding", window.Padding()},
                 {"dilation", IntsAttr(window.dilations)},
                 {"groups", IntAttr(n.Int("group", 1))},
                 {"kernel_size", IntsAttr(window.kernel)}});
}

Results Conv(NodeContext& n) { return {WithBias(n, Convolve(n, n.In(0), n.In(1)), 2)}; }

Results ConvTranspose(NodeContext& n) {
  const GraphVar x = n.In(0), w = n.In(1);
  NeedImage(n, x);
  const std::vector<int64_t> kernel = KernelOf(n, w);
  const size_t count = kernel.size();
  const std::string how = n.String("auto_pad", "NOTSET");
  const std::vector<int64_t> ones(count, 1), zeros(count, 0);
  const std::vector<int64_t> strides = n.Ints("strides", ones);
  const std::vector<int64_t> dilations = n.Ints("dilations", ones);
  const std::vector<int64_t> more = n.Ints("output_padding", zeros);
  std::vector<int64_t> wanted = n.Ints("output_shape");
  std::vector<int64_t> pads = n.Ints("pads");
  n.Ignore({"kernel_shape"});  // the filter says it
  if (wanted.size() > count)
    wanted.erase(wanted.begin(), wanted.end() - static_cast<ptrdiff_t>(count));
  if (pads.empty()) pads.assign(2 * count, 0);
  if (strides.size() != count || dilations.size() != count || more.size() != count ||
      pads.size() != 2 * count || (!wanted.empty() && wanted.size() != count)) {
    n.Fail("has attributes for another number of dimensions", std::to_string(count), "another");
  }
  const bool same = how == "SAME_UPPER" || how == "SAME_LOWER";
  if (same || !wanted.empty()) {
    const std::vector<int64_t> shape = n.FixedShape(x, "an input");
    for (size_t d = 0; d < count; ++d) {
      const int64_t out = wanted.empty() ? shape[d + 2] * strides[d] : wanted[d];
      const int64_t full =
          strides[d] * (shape[d + 2] - 1) + more[d] + (kernel[d] - 1) * dilations[d] + 1;
      const int64_t total = full - out, less = total / 2;
      if (total < 0) {
        // The filter does not reach the end: zeros follow.
        pads[d] = 0;
        pads[d + count] = total;
        continue;
      }
      pads[d] = how == "SAME_UPPER" ? less : total - less;
      pads[d + count] = how == "SAME_UPPER" ? total - less : less;
    }
  }
  // Negative pads at the end make the result larger.
  std::vector<int64_t> output_padding = more, padding = pads;
  bool fits = true;
  for (size_t d = 0; d < count; ++d) {
    if (padding[d + count] < 0) {
      output_padding[d] -= padding[d + count];
      padding[d + count] = 0;
    }
    fits = fits && padding[d] >= 0;
  }
  if (!fits) n.Fail("has an output_shape that is larger than what its filter reaches");
  const GraphVar y = n.Call("nn.conv" + std::to_string(count) + "d_transpose", {x, w},
                            {{"strides", IntsAttr(strides)},
                             {"padding", IntsAttr(padding)},
                             {"dilation", IntsAttr(dilations)},
                             {"groups", IntAttr(n.Int("group", 1))},
                             {"kernel_size", IntsAttr(kernel)},
                             {"output_padding", IntsAttr(output_padding)}});
  return {WithBias(n, y, 2)};
}

Results DeformConv(NodeContext& n) {
  const GraphVar x = n.In(0), w = n.In(1);
  const Window window = WindowOf(n, x, KernelOf(n, w));
  if (window.kernel.size() != 2) n.Fail("has a wrong input 0", "an image", TypeText(x->type));
  std::vector<GraphVar> args{x, n.In(2), w};
  if (n.Has(4)) args.push_back(n.In(4));
  const GraphVar y = n.Call("nn.deformable_conv2d", args,
                            {{"strides", IntsAttr(window.strides)},
                             {"padding", window.Padding()},
                             {"dilation", IntsAttr(window.dilations)},
                             {"groups", IntAttr(n.Int("group", 1))},
                             {"deformable_groups", IntAttr(n.Int("offset_group", 1))}});
  return {WithBias(n, y, 3)};
}

// Columns [n, c kernel, windows] as an image of any number of dimensions: each element is added at
// its place, which is a constant; those in the frame are left out.
GraphVar Fold(NodeContext& n, const std::vector<int64_t>& image, const std::vector<int64_t>& block,
              const std::vector<int64_t>& pads, const std::vector<int64_t>& strides,
              const std::vector<int64_t>& dilations) {
  const GraphVar x = n.In(0);
  const std::vector<int64_t> shape = n.FixedShape(x, "an input");
  const size_t dims = image.size();
  if (shape.size() != 3 || block.size() != dims || pads.size() != 2 * dims ||
      strides.size() != dims || dilations.size() != dims) {
    n.Fail("has attributes for another number of dimensions", std::to_string(dims), "another");
  }
  int64_t taps = 1, windows = 1, elements = 1;
  std::vector<int64_t> counts;
  for (size_t d = 0; d < dims; ++d) {
    const int64_t reach = dilations[d] * (block[d] - 1) + 1;
    if (block[d] < 1 || strides[d] < 1 || dilations[d] < 1) n.Fail("has an impossible window");
    counts.push_back((image[d] + pads[d] + pads[d + dims] - reach) / strides[d] + 1);
    taps *= block[d];
    windows *= counts.back();
    elements *= image[d];
  }
  if (windows != shape[2] || shape[1] % taps != 0 || taps * windows > Importer::kMostElements) {
    n.Fail("has columns that do not fit its image", std::to_string(windows) + " windows",
           TypeText(x->type));
  }
  std::vector<int64_t> places;
  for (int64_t i = 0; i < taps * windows; ++i) {
    int64_t tap = i / windows, window = i % windows, place = 0, factor = 1;
    bool inside = true;
    for (size_t d = dims; d-- > 0;) {
      const int64_t at = window % counts[d] * strides[d] + tap % block[d] * dilations[d] - pads[d];
      window /= counts[d];
      tap /= block[d];
      inside = inside && at >= 0 && at < image[d];
      place += at * factor;
      factor *= image[d];
    }
    places.push_back(inside ? place : elements);  // beyond the end: nowhere
  }
  const int64_t channels = shape[1] / taps;
  const std::vector<Expr> flat = AsExtents({shape[0], channels, taps * windows});
  const GraphVar index = n.BroadcastTo(
      n.importer.Constant(MakeInts(places, {1, 1, taps * windows}, DataType::Int(64)), n.name()),
      flat);
  const GraphVar zeros = n.Call("zeros", {},
                                {{"shape", IntsAttr({shape[0], channels, elements})},
                                 {"dtype", StringAttr(NodeContext::DTypeOf(x).ToString())}});
  const GraphVar y = n.Call("scatter_elements", {zeros, index, n.Reshape(x, flat)},
                            {{"axis", IntAttr(2)}, {"reduction", StringAttr("add")}});
  std::vector<int64_t> out{shape[0], channels};
  out.insert(out.end(), image.begin(), image.end());
  return n.Reshape(y, AsExtents(out));
}

Results Col2Im(NodeContext& n) {
  if (!n.Known(1) || !n.Known(2)) return Col2ImAtRun(n);
  const std::vector<int64_t> image = n.Ints(1, "image_shape"), block = n.Ints(2, "block_shape");
  const std::vector<int64_t> ones(image.size(), 1), zeros(2 * image.size(), 0);
  const std::vector<int64_t> pads = n.Ints("pads", zeros);
  if (image.size() != 2)
    return {Fold(n, image, block, pads, n.Ints("strides", ones), n.Ints("dilations", ones))};
  const GraphVar y = n.Call("nn.fold", {n.In(0)},
                            {{"output_size", IntsAttr(image)},
                             {"kernel_size", IntsAttr(block)},
                             {"strides", IntsAttr(n.Ints("strides", {1, 1}))},
                             {"padding", IntsAttr(pads)},
                             {"dilation", IntsAttr(n.Ints("dilations", {1, 1}))}});
  return {y};
}

// The determinant, along the first row: for small matrices only.
GraphVar Determinant(NodeContext& n, const std::vector<std::vector<GraphVar>>& rows) {
  if (rows.size() == 1) return rows[0][0];
  GraphVar sum;
  for (size_t k = 0; k < rows.size(); ++k) {
    std::vector<std::vector<GraphVar>> minor;
    for (size_t i = 1; i < rows.size(); ++i) {
      std::vector<GraphVar> row = rows[i];
      row.erase(row.begin() + static_cast<ptrdiff_t>(k));
      minor.push_back(std::move(row));
    }
    const GraphVar part = n.Mul(rows[0][k], Determinant(n, minor));
    sum = !sum ? part : k % 2 == 0 ? n.Add(sum, part) : n.Sub(sum, part);
  }
  return sum;
}

Results Det(NodeContext& n) {
  const GraphVar x = n.In(0);
  const int64_t rank = NodeContext::RankOf(x);
  const std::vector<int64_t> shape = n.FixedShape(x, "an input");
  constexpr int64_t kMost = 4;
  if (rank < 2 || shape[shape.size() - 1] != shape[shape.size() - 2] || shape.back() < 1 ||
      shape.back() > kMost) {
    n.Fail("has a wrong input 0", "square matrices of at most 4 rows", TypeText(x->type));
  }
  std::vector<std::vector<GraphVar>> rows;
  for (int64_t i = 0; i < shape.back(); ++i) {
    const GraphVar row = n.Squeeze(n.Slice(x, rank - 2, Int64(i), Int64(i + 1)), {rank - 2});
    rows.emplace_back();
    for (int64_t k = 0; k < shape.back(); ++k) {
      rows.back().push_back(n.Squeeze(n.Slice(row, rank - 2, Int64(k), Int64(k + 1)), {rank - 2}));
    }
  }
  return {Determinant(n, rows)};
}

// -- Products of whole numbers.

Results MatMulInteger(NodeContext& n) {
  return {n.Call("matmul", {WithoutZero(n, 0, 2, -2), WithoutZero(n, 1, 3, -1)})};
}

Results ConvInteger(NodeContext& n) {
  return {Convolve(n, WithoutZero(n, 0, 2, 1), WithoutZero(n, 1, 3, 0))};
}

// round(sum * scale) + zero point, clipped to the type of the zero point.
GraphVar Requantize(NodeContext& n, const GraphVar& sum, const GraphVar& scale, size_t zero_input) {
  const GraphVar zero = n.In(zero_input);
  const DataType type = NodeContext::DTypeOf(zero), real = DataType::Float(32);
  const auto [least, greatest] = RangeOf(type);
  const GraphVar rounded = n.Call("rint", {n.Mul(n.Cast(sum, real), scale)});
  const GraphVar shift = n.Cast(NodeContext::RankOf(zero) == 1 ? n.Reshape(zero, {}) : zero, real);
  return n.Cast(n.Call("clip", {n.Add(rounded, shift)},
                       {{"a_min", FloatAttr(least)}, {"a_max", FloatAttr(greatest)}}),
                type);
}

Results QLinearMatMul(NodeContext& n) {
  const GraphVar sum = n.Call("matmul", {WithoutZero(n, 0, 2, -2), WithoutZero(n, 3, 5, -1)});
  const int64_t rank = NodeContext::RankOf(sum);
  const DataType real = DataType::Float(32);
  const auto scale = [&](size_t i, int64_t axis) {
    return n.Cast(PerAxis(n, n.In(i), axis, rank), real);
  };
  const GraphVar factor = n.Div(n.Mul(scale(1, -2), scale(4, -1)), scale(6, -2));
  return {Requantize(n, sum, factor, 7)};
}

Results QLinearConv(NodeContext& n) {
  GraphVar sum = Convolve(n, WithoutZero(n, 0, 2, 1), WithoutZero(n, 3, 5, 0));
  sum = WithBias(n, sum, 8);
  const int64_t rank = NodeContext::RankOf(sum);
  const auto scale = [&](size_t i) { return PerAxis(n, n.In(i), 1, rank); };
  return {Requantize(n, sum, n.Div(n.Mul(scale(1), scale(4)), scale(6)), 7)};
}

}  // namespace

std::vector<Operator> Products() {
  return {
      {"Col2Im", Col2Im},           {"Conv", Conv},
      {"ConvInteger", ConvInteger}, {"ConvTranspose", ConvTranspose},
      {"DeformConv", DeformConv},   {"Det", Det},
      {"Einsum", Einsum},           {"Gemm", Gemm},
      {"MatMul", MatMul},           {"MatMulInteger", MatMulInteger},
      {"QLinearConv", QLinearConv}, {"QLinearMatMul", QLinearMatMul},
  };
}

}  // namespace lathe::graph::onnx
