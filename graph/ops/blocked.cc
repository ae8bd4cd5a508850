// Blocked layouts: channels in blocks that lie side by side, for machines with vectors.
//
// The pass choose_layouts (graph/passes) makes these calls; the layout of a tensor is an attribute
// of the operators that make and read it.
#include <map>

#include "graph/ops/define.h"
#include "graph/ops/families.h"
#include "graph/ops/layout.h"
#include "ir/text/printer.h"
#include "te/tags.h"
#include "topi/anchor.h"
#include "topi/part_names.h"

namespace lathe::graph::ops {
namespace {

// One dimension of a layout such as NCHW16c: a letter, and for lower-case ones the block.
struct Dimension {
  char letter = 0;
  int64_t block = 0;  // 0: a whole dimension, or what its blocks leave of it
};

char Upper(char letter) { return letter >= 'a' ? static_cast<char>(letter - 'a' + 'A') : letter; }

// Empty if the text is no layout: each dimension once whole, and at most once as a block.
std::vector<Dimension> ParseLayout(const std::string& text) {
  std::vector<Dimension> dims;
  int64_t number = 0;
  for (const char c : text) {
    if (c >= '0' && c <= '9' && number < (1 << 20)) {
      number = 10 * number + (c - '0');
      continue;
    }
    const bool is_block = c >= 'a' && c <= 'z';
    if ((!is_block && (c < 'A' || c > 'Z')) || is_block != (number > 0)) return {};
    for (const Dimension& other : dims) {
      if (other.letter == c) return {};
    }
    dims.push_back({c, number});
    number = 0;
  }
  return number == 0 ? dims : std::vector<Dimension>();
}

Expr OfType(int64_t value, const Expr& like) { return ir::Int(value, like->dtype); }

// The whole extent of each dimension, by its upper-case letter.
std::map<char, Expr> WholeExtents(const std::vector<Dimension>& dims, const Shape& shape) {
  std::map<char, Expr> whole;
  for (size_t d = 0; d < dims.size(); ++d) {
    Expr& extent = whole[Upper(dims[d].letter)];
    extent = extent ? extent * shape[d] : shape[d];
  }
  return whole;
}

TypeResult LayoutTransformType(const TypeContext& c) {
  const std::vector<Dimension> from = ParseLayout(c.attrs.String("src_layout")),
                               to = ParseLayout(c.attrs.String("dst_layout"));
  for (const auto& [attr, dims] : {std::pair{"src_layout", from}, std::pair{"dst_layout", to}}) {
    if (dims.empty()) {
      c.FailAttr(attr, "is no layout", "letters, and blocks as number and small letter: NCHW16c",
                 "\"" + c.attrs.String(attr) + "\"");
    }
  }
  c.NeedRank(0, static_cast<int>(from.size()), static_cast<int>(from.size()));
  for (size_t d = 0; d < from.size(); ++d) {
    if (from[d].block != 0) {
      c.NeedExtent(0, d, ir::Int(from[d].block, DataType::Int(64)), "the block of `src_layout`");
    }
  }
  std::map<char, Expr> whole = WholeExtents(from, c.shape(0));
  std::map<char, int64_t> blocks;
  for (const Dimension& dim : to) {
    if (!whole.contains(Upper(dim.letter))) {
      c.FailAttr("dst_layout", "has a dimension that `src_layout` lacks",
                 c.attrs.String("src_layout"), std::string(1, dim.letter));
    }
    if (dim.block != 0) blocks[Upper(dim.letter)] = dim.block;
  }
  Shape out;
  for (const Dimension& dim : to) {
    const Expr& extent = whole.at(Upper(dim.letter));
    if (dim.block != 0) {
      out.push_back(OfType(dim.block, extent));
      continue;
    }
    const auto block = blocks.find(dim.letter);
    if (block == blocks.end()) {
      out.push_back(extent);
      continue;
    }
    const Expr rest = ir::FloorModulo(extent, OfType(block->second, extent));
    if (!c.Assume(SizeAssumption::Kind::kEqual, rest, OfType(0, extent),
                  "blocks of dimension " + std::string(1, dim.letter))) {
      c.FailAttr("dst_layout", "has blocks that do not divide the extent",
                 "a divisor of " + ExtentText(extent), std::to_string(block->second));
    }
    out.push_back(ir::FloorDivide(extent, block->second));
  }
  size_t whole_dims = 0;
  for (const Dimension& dim : to) whole_dims += dim.block == 0 ? 1 : 0;
  if (whole_dims != whole.size()) {
    c.FailAttr("dst_layout", "lacks a dimension of `src_layout`", c.attrs.String("src_layout"),
               c.attrs.String("dst_layout"));
  }
  return TensorOf(c.dtype(0), std::move(out));
}

Results LayoutTransformCompute(const ComputeContext& c) {
  const std::vector<Dimension> from = ParseLayout(c.attrs.String("src_layout")),
                               to = ParseLayout(c.attrs.String("dst_layout"));
  return One(
      c.shape(),
      [&](const Indices& i) {
        std::map<char, Expr> outer, inner;
        std::map<char, int64_t> block;
        for (size_t d = 0; d < to.size(); ++d) {
          const char letter = Upper(to[d].letter);
          (to[d].block != 0 ? inner : outer)[letter] = i[d];
          if (to[d].block != 0) block[letter] = to[d].block;
        }
        for (const auto& [letter, lane] : inner) {
          outer[letter] = outer[letter] * block[letter] + lane;
        }
        std::vector<Expr> at;
        for (const Dimension& dim : from) {
          const Expr& whole = outer.at(Upper(dim.letter));
          if (dim.block != 0) {
            at.push_back(ir::FloorModulo(whole, dim.block));
            continue;
          }
          int64_t of_source = 1;
          for (const Dimension& other : from) {
            if (other.block != 0 && Upper(other.letter) == dim.letter) of_source = other.block;
          }
          at.push_back(of_source == 1 ? whole : ir::FloorDivide(whole, of_source));
        }
        return At(c.in(0), at);
      },
      "y", te::kInjective);
}

OpDef LayoutTransform() {
  return {
      .name = "layout_transform",
      .doc =
          "The same elements in another layout: dimensions in another order, and split into "
          "blocks (NCHW16c has dimensions N, C / 16, H, W and 16 channels).",
      .inputs = {{"data", "the input, in `src_layout`"}},
      .attrs = {Required({.name = "src_layout",
                          .type = AttrType::kString,
                          .doc = "the layout of the input"}),
                Required({.name = "dst_layout",
                          .type = AttrType::kString,
                          .doc = "the layout of the result"})},
      .kind = OpKind::kInjective,
      .type = LayoutTransformType,
      .compute = LayoutTransformCompute,
      .examples = {{{"T[n, 8, 3, 5]"},
                    {{"src_layout", StringAttr("NCHW")}, {"dst_layout", StringAttr("NCHW4c")}}},
                   {{"T[n, 2, 3, 5, 4]"},
                    {{"src_layout", StringAttr("NCHW4c")}, {"dst_layout", StringAttr("NHWC")}}},
                   {{"T[8, 6, 3, 1]"},
                    {{"src_layout", StringAttr("OIHW")}, {"dst_layout", StringAttr("OIHW3i4o")}}}}};
}

std::vector<AttrDef> WindowAttrs() {
  return {Ints("strides", "how far the window moves", {1, 1}, 1),
          Ints("padding", "zeros around the input, as for nn.conv2d", {0, 0}, 0),
          Ints("dilation", "the distance of the window's elements", {1, 1}, 1)};
}

template <class Context>
Window WindowOf(const Context& c) {
  return {PerDimension(c, "strides", 2), PerDimension(c, "dilation", 2),
          PaddingOf(c, "padding", 2)};
}

// Rows and columns of the result; `kernel` is where the window's extents begin in the weight.
void SetPlaces(const TypeContext& c, size_t kernel, Shape* out) {
  const Window window = WindowOf(c);
  for (size_t d = 0; d < 2; ++d) {
    (*out)[2 + d] = WindowPlaces(c.shape(0)[2 + d], c.shape(1)[kernel + d], window.strides[d],
                                 window.dilation[d], window.padding[d]);
  }
}

const Layout& BlockedData() {
  static const Layout layout("NCHWc");
  return layout;
}

// The rows and columns of the input that a window reads.
Expr Tap(const Window& window, size_t d, const Expr& place, const Expr& tap) {
  return place * window.strides[d] + tap * window.dilation[d];
}

OpDef BlockedConv() {
  return {
      .name = "nn.contrib_conv2d_nchwc",
      .doc = "nn.conv2d with channels in blocks: the result is [batch, O / o, rows, columns, o].",
      .inputs = {{"data", "[batch, C / c, height, width, c]", kNumbers},
                 {"kernel", "[O / o, C / c, window height, window width, c, o]", kNumbers, 0}},
      .attrs = WindowAttrs(),
      .kind = OpKind::kAnchor,
      .type = [](const TypeContext& c) -> TypeResult {
        c.NeedRank(0, 5, 5);
        c.NeedRank(1, 6, 6);
        c.NeedExtent(1, 1, c.shape(0)[1], "the blocks of `data`");
        c.NeedExtent(1, 4, c.shape(0)[4], "the channels of a block of `data`");
        Shape out = c.shape(0);
        out[1] = c.shape(1)[0];
        out[4] = c.shape(1)[5];
        SetPlaces(c, 2, &out);
        return TensorOf(c.dtype(0), std::move(out));
      },
      .compute =
          [](const ComputeContext& c) {
            const Window window = WindowOf(c);
            const Tensor &data = c.in(0), &weight = c.in(1);
            const Tensor padded = PadSpace(data, BlockedData(), window, Num(0, data->dtype()),
                                           topi::PartAttrs(topi::kConv2d, topi::part::kPadded));
            const te::Shape& w = weight->shape();
            const ir::IterVar co = te::ReduceAxis(ir::Int(0), w[1], "c.outer"),
                              ky = te::ReduceAxis(ir::Int(0), w[2], "ky"),
                              kx = te::ReduceAxis(ir::Int(0), w[3], "kx"),
                              ci = te::ReduceAxis(ir::Int(0), w[4], "c.inner");
            return One(
                c.shape(),
                [&](const Indices& i) {
                  return te::Sum(At(padded, {i[0], co->var, Tap(window, 0, i[2], ky->var),
                                             Tap(window, 1, i[3], kx->var), ci->var}) *
                                     At(weight, {i[1], co->var, ky->var, kx->var, ci->var, i[4]}),
                                 {co, ky, kx, ci});
                },
                "conv", {}, topi::AnchorAttrs(topi::kConv2d));
          },
      .examples = {{{"T[n, 2, 9, 7, 4]", "T[3, 2, 3, 3, 4, 8]"}},
                   {{"T[2, 1, 9, 7, 3]", "T[2, 1, 3, 2, 3, 16]"},
                    {{"strides", IntsAttr({2})}, {"padding", IntsAttr({1, 0, 1, 1})}}}}};
}

OpDef BlockedDepthwiseConv() {
  return {.name = "nn.contrib_depthwise_conv2d_nchwc",
          .doc = "A convolution with one filter for each channel, with channels in blocks.",
          .inputs = {{"data", "[batch, C / c, height, width, c]", kNumbers},
                     {"kernel", "[C / c, window height, window width, c]", kNumbers, 0}},
          .attrs = WindowAttrs(),
          .kind = OpKind::kAnchor,
          .type = [](const TypeContext& c) -> TypeResult {
            c.NeedRank(0, 5, 5);
            c.NeedRank(1, 4, 4);
            c.NeedExtent(1, 0, c.shape(0)[1], "the blocks of `data`");
            c.NeedExtent(1, 3, c.shape(0)[4], "the channels of a block of `data`");
            Shape out = c.shape(0);
            SetPlaces(c, 1, &out);
            return TensorOf(c.dtype(0), std::move(out));
          },
          .compute =
              [](const ComputeContext& c) {
                const Window window = WindowOf(c);
                const Tensor &data = c.in(0), &weight = c.in(1);
                const Tensor padded =
                    PadSpace(data, BlockedData(), window, Num(0, data->dtype()),
                             topi::PartAttrs(topi::kDepthwiseConv2d, topi::part::kPadded));
                const ir::IterVar ky = te::ReduceAxis(ir::Int(0), weight->shape()[1], "ky"),
                                  kx = te::ReduceAxis(ir::Int(0), weight->shape()[2], "kx");
                return One(
                    c.shape(),
                    [&](const Indices& i) {
                      return te::Sum(At(padded, {i[0], i[1], Tap(window, 0, i[2], ky->var),
                                                 Tap(window, 1, i[3], kx->var), i[4]}) *
                                         At(weight, {i[1], ky->var, kx->var, i[4]}),
                                     {ky, kx});
                    },
                    "conv", {}, topi::AnchorAttrs(topi::kDepthwiseConv2d));
              },
          .examples = {{{"T[n, 2, 9, 7, 4]", "T[2, 3, 3, 4]"}},
                       {{"T[1, 2, 9, 7, 16]", "T[2, 3, 3, 16]"},
                        {{"strides", IntsAttr({2})}, {"padding", IntsAttr({1})}}}}};
}

OpDef PackedDense() {
  return {.name = "nn.contrib_dense_pack",
          .doc =
              "A product with the columns of the right operand in panels: y[..., p, j] = sum over "
              "k of x[..., k] w[p, k, j].",
          .inputs = {{"data", "x [..., k]", kNumbers},
                     {"weight", "w [panels, k, columns of a panel]", kNumbers, 0}},
          .kind = OpKind::kAnchor,
          .type = [](const TypeContext& c) -> TypeResult {
            c.NeedRank(0, 1, 16);
            c.NeedRank(1, 3, 3);
            c.NeedExtent(1, 1, c.shape(0).back(), "the last extent of `data`");
            Shape out = c.shape(0);
            out.back() = c.shape(1)[0];
            out.push_back(c.shape(1)[2]);
            return TensorOf(c.dtype(0), std::move(out));
          },
          .compute =
              [](const ComputeContext& c) {
                const Tensor &x = c.in(0), &w = c.in(1);
                const ir::IterVar k = te::ReduceAxis(ir::Int(0), w->shape()[1], "k");
                return One(
                    c.shape(),
                    [&](const Indices& i) {
                      std::vector<Expr> of_x(i.begin(), i.end() - 1);
                      of_x.back() = k->var;
                      return te::Sum(At(x, of_x) * At(w, {i.end()[-2], k->var, i.back()}), {k});
                    },
                    "C");
              },
          .examples = {{{"T[n, 8]", "T[3, 8, 4]"}}, {{"T[2, n, 8]", "T[2, 8, 16]"}}}};
}

}  // namespace

std::vector<OpDef> Blocked() {
  return {LayoutTransform(), BlockedConv(), BlockedDepthwiseConv(), PackedDense()};
}

}  // namespace lathe::graph::ops
