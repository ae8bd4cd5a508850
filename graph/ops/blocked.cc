// Blocked layouts: channels in blocks that lie side by side, for machines with vectors.
//
// The pass choose_layouts (graph/passes) makes these calls; the layout of a tensor is an attribute
// of the operators that make and read it.
#include <map>

#include "graph/ops/blocked.h"
#include "graph/ops/families.h"
#include "ir/text/printer.h"
#include "te/tags.h"
#include "topi/anchor.h"
#include "topi/part_names.h"

namespace lathe::graph::ops {

std::vector<AttrDef> BlockedWindowAttrs() {
  return {Ints("strides", "how far the window moves", {1, 1}, 1),
          Ints("padding", "the frame around the input, as for nn.conv2d", {0, 0}, 0),
          Ints("dilation", "the distance of the window's elements", {1, 1}, 1)};
}

AttrDef PadValueAttr() { return Int("pad_value", "the elements of the frame", 0); }

Expr PadValueOf(const ComputeContext& c) { return Num(c.attrs.Int("pad_value"), c.in(0)->dtype()); }

void SetBlockedPlaces(const TypeContext& c, size_t kernel, Shape* out) {
  const Window window = BlockedWindowOf(c);
  for (size_t d = 0; d < 2; ++d) {
    (*out)[2 + d] = WindowPlaces(c.shape(0)[2 + d], c.shape(1)[kernel + d], window.strides[d],
                                 window.dilation[d], window.padding[d]);
  }
}

const Layout& BlockedData() {
  static const Layout layout("NCHWc");
  return layout;
}

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

// The place of an element of the layout `to` in the layout `from`.
std::vector<Expr> PlaceIn(const std::vector<Dimension>& from, const std::vector<Dimension>& to,
                          const std::vector<Expr>& i) {
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
  return at;
}

// Do the rows of planes become pixels of a few channels, as in NCHW -> NCHW4c?
bool Interleaves(const std::vector<Dimension>& from, const std::vector<Dimension>& to) {
  constexpr int64_t kMostChannels = 4;
  if (to.size() < 2) return false;
  const Dimension &channel = to.back(), &row = to.end()[-2];
  return channel.block >= 2 && channel.block <= kMostChannels && row.block == 0 &&
         Upper(channel.letter) != row.letter && from.back().block == 0 &&
         from.back().letter == row.letter;
}

Results LayoutTransformCompute(const ComputeContext& c) {
  const std::vector<Dimension> from = ParseLayout(c.attrs.String("src_layout")),
                               to = ParseLayout(c.attrs.String("dst_layout"));
  const auto element = [&](const std::vector<Expr>& i) {
    return At(c.in(0), PlaceIn(from, to, i));
  };
  if (!Interleaves(from, to)) {
    return One(
        c.shape(), [&](const Indices& i) { return element(std::vector<Expr>(i.begin(), i.end())); },
        "y", te::kInjective);
  }
  const auto turned = [](const auto& of) {
    std::vector<Expr> made(of.begin(), of.end());
    std::swap(made.back(), made.end()[-2]);
    return made;
  };
  const Tensor planes =
      te::Compute(turned(c.shape()), [&](const Indices& i) { return element(turned(i)); }, "planes",
                  {.attrs = topi::PartAttrs(topi::kInterleaved, topi::part::kPlanes)});
  return One(
      c.shape(), [&](const Indices& i) { return At(planes, turned(i)); }, "y", te::kInjective,
      topi::AnchorAttrs(topi::kInterleaved));
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

OpDef BlockedConv() {
  std::vector<AttrDef> attrs = BlockedWindowAttrs();
  attrs.push_back(
      Int("groups", "groups of channels, each whole blocks of `data` and of the result", 1, 1));
  return {
      .name = "nn.contrib_conv2d_nchwc",
      .doc = "nn.conv2d with channels in blocks: the result is [batch, O / o, rows, columns, o].",
      .inputs =
          {{"data", "[batch, C / c, height, width, c]", kNumbers},
           {"kernel",
            "[O / o, C / c, window height, window width, c, o]; of one block of `data`, fewer "
            "channels: the others are not read",
            kNumbers, 0}},
      .attrs = std::move(attrs),
      .kind = OpKind::kAnchor,
      .type = [](const TypeContext& c) -> TypeResult {
        c.NeedRank(0, 5, 5);
        c.NeedRank(1, 6, 6);
        const int64_t groups = c.attrs.Int("groups");
        for (const size_t operand : {0, 1}) {
          const Expr blocks = c.shape(operand)[operand == 0 ? 1 : 0];
          if (ir::AsConstInt(blocks) != nullptr && *ir::AsConstInt(blocks) % groups != 0)
            c.FailAttr("groups", "does not divide the blocks", "a divisor of " + ExtentText(blocks),
                       std::to_string(groups));
        }
        c.NeedExtent(1, 1, ir::FloorDivide(c.shape(0)[1], groups),
                     groups == 1 ? "the blocks of `data`" : "the blocks of a group of `data`");
        const int64_t *has = ir::AsConstInt(c.shape(0)[4]), *reads = ir::AsConstInt(c.shape(1)[4]);
        const bool fewer = ir::IsOne(c.shape(0)[1]) && has != nullptr && reads != nullptr &&
                           *reads > 0 && *reads < *has;
        if (!fewer) c.NeedExtent(1, 4, c.shape(0)[4], "the channels of a block of `data`");
        Shape out = c.shape(0);
        out[1] = c.shape(1)[0];
        out[4] = c.shape(1)[5];
        SetBlockedPlaces(c, 2, &out);
        return TensorOf(c.dtype(0), std::move(out));
      },
      .compute =
          [](const ComputeContext& c) {
            const Window window = BlockedWindowOf(c);
            const Tensor &data = c.in(0), &weight = c.in(1);
            const Tensor padded = PadSpace(data, BlockedData(), window, Num(0, data->dtype()),
                                           topi::PartAttrs(topi::kConv2d, topi::part::kPadded));
            const te::Shape& w = weight->shape();
            const int64_t groups = c.attrs.Int("groups");
            // The first block of `data` in the group of a block of the result.
            const auto first = [&](const Expr& out) {
              if (groups == 1) return ir::Int(0);
              return ir::FloorDivide(out, ir::FloorDivide(w[0], groups)) * w[1];
            };
            const ir::IterVar co = te::ReduceAxis(ir::Int(0), w[1], "c.outer"),
                              ky = te::ReduceAxis(ir::Int(0), w[2], "ky"),
                              kx = te::ReduceAxis(ir::Int(0), w[3], "kx"),
                              ci = te::ReduceAxis(ir::Int(0), w[4], "c.inner");
            return One(
                c.shape(),
                [&](const Indices& i) {
                  return te::Sum(
                      At(padded, {i[0], first(i[1]) + co->var, BlockedTap(window, 0, i[2], ky->var),
                                  BlockedTap(window, 1, i[3], kx->var), ci->var}) *
                          At(weight, {i[1], co->var, ky->var, kx->var, ci->var, i[4]}),
                      {co, ky, kx, ci});
                },
                "conv", {}, topi::AnchorAttrs(topi::kConv2d));
          },
      .examples = {{{"T[n, 2, 9, 7, 4]", "T[3, 2, 3, 3, 4, 8]"}},
                   {{"T[2, 1, 9, 7, 8]", "T[3, 1, 3, 3, 5, 8]"}},
                   {{"T[1, 4, 9, 7, 4]", "T[6, 2, 3, 3, 4, 8]"}, {{"groups", IntAttr(2)}}},
                   {{"T[2, 1, 9, 7, 3]", "T[2, 1, 3, 2, 3, 16]"},
                    {{"strides", IntsAttr({2})}, {"padding", IntsAttr({1, 0, 1, 1})}}}}};
}

OpDef BlockedDepthwiseConv() {
  std::vector<AttrDef> attrs = BlockedWindowAttrs();
  attrs.push_back(PadValueAttr());
  attrs.push_back(
      ElementType("out_dtype", "the type of sums and of the result; \"\": that of `data`"));
  return {.name = "nn.contrib_depthwise_conv2d_nchwc",
          .doc = "A convolution with one filter for each channel, with channels in blocks.",
          .inputs = {{"data", "[batch, C / c, height, width, c]", kNumbers},
                     {"kernel",
                      "[C / c, window height, window width, c]; without out_dtype of the type of "
                      "`data`",
                      kNumbers}},
          .attrs = std::move(attrs),
          .kind = OpKind::kAnchor,
          .type = [](const TypeContext& c) -> TypeResult {
            c.NeedRank(0, 5, 5);
            c.NeedRank(1, 4, 4);
            c.NeedExtent(1, 0, c.shape(0)[1], "the blocks of `data`");
            c.NeedExtent(1, 3, c.shape(0)[4], "the channels of a block of `data`");
            Shape out = c.shape(0);
            SetBlockedPlaces(c, 1, &out);
            const DataType dtype = c.attrs.Type("out_dtype");
            if (dtype.is_void() && c.dtype(1) != c.dtype(0)) {
              c.FailArgument(1, "has another element type than `data`", c.dtype(0).ToString(),
                             c.dtype(1).ToString(), "state `out_dtype`");
            }
            return TensorOf(dtype.is_void() ? c.dtype(0) : dtype, std::move(out));
          },
          .compute =
              [](const ComputeContext& c) {
                const Window window = BlockedWindowOf(c);
                const Tensor &data = c.in(0), &weight = c.in(1);
                const Tensor padded =
                    PadSpace(data, BlockedData(), window, PadValueOf(c),
                             topi::PartAttrs(topi::kDepthwiseConv2d, topi::part::kPadded));
                const ir::IterVar ky = te::ReduceAxis(ir::Int(0), weight->shape()[1], "ky"),
                                  kx = te::ReduceAxis(ir::Int(0), weight->shape()[2], "kx");
                return One(
                    c.shape(),
                    [&](const Indices& i) {
                      const Expr x = At(padded, {i[0], i[1], BlockedTap(window, 0, i[2], ky->var),
                                                 BlockedTap(window, 1, i[3], kx->var), i[4]}),
                                 w = At(weight, {i[1], ky->var, kx->var, i[4]});
                      return te::Sum(ir::MakeCast(c.dtype(), x) * ir::MakeCast(c.dtype(), w),
                                     {ky, kx});
                    },
                    "conv", {}, topi::AnchorAttrs(topi::kDepthwiseConv2d));
              },
          .examples = {{{"T[n, 2, 9, 7, 4]", "T[2, 3, 3, 4]"}},
                       {{"T[1, 2, 9, 7, 16]", "T[2, 3, 3, 16]"},
                        {{"strides", IntsAttr({2})}, {"padding", IntsAttr({1})}}},
                       {{"uint8[1, 2, 9, 7, 16]", "int8[2, 3, 3, 16]"},
                        {{"padding", IntsAttr({1})},
                         {"pad_value", IntAttr(7)},
                         {"out_dtype", StringAttr("int32")}}}}};
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
