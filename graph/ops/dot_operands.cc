// Convolutions and products of narrow types in the operands of dot products (VNNI, sdot, vdpbf16ps)
// and tiles (AMX).
#include "graph/ops/blocked.h"
#include "graph/ops/families.h"
#include "topi/anchor.h"
#include "topi/part_names.h"

namespace lathe::graph::ops {
namespace {

TypeResult TypeOfConv(const TypeContext& c) {
  c.NeedRank(0, 5, 5);
  c.NeedRank(1, 7, 7);
  for (const size_t operand : {0, 1}) {
    if (c.dtype(operand).bits() == 8 && c.dtype(operand).is_integral()) continue;
    c.FailArgument(operand, "has the wrong element type", "int8 or uint8",
                   c.dtype(operand).ToString());
  }
  c.NeedExtent(1, 1, c.shape(0)[1], "the blocks of `data`");
  c.NeedExtent(1, 6, ir::Int(kDotChannels, DataType::Int(64)), "the bytes of one dot product");
  c.NeedExtent(1, 4, ir::FloorDivide(c.shape(0)[4], kDotChannels),
               "a quarter of the channels of a block of `data`");
  if (const int64_t* block = ir::AsConstInt(c.shape(0)[4]);
      block != nullptr && *block % kDotChannels) {
    c.FailArgument(0, "has blocks that no dot products divide", "a multiple of 4 channels",
                   std::to_string(*block));
  }
  Shape out = c.shape(0);
  out[1] = c.shape(1)[0];
  out[4] = c.shape(1)[5];
  SetBlockedPlaces(c, 2, &out);
  return TensorOf(DataType::Int(32), std::move(out));
}

Results ComputeConv(const ComputeContext& c) {
  const Window window = BlockedWindowOf(c);
  const Tensor &data = c.in(0), &weight = c.in(1);
  const Tensor padded = PadSpace(data, BlockedData(), window, PadValueOf(c),
                                 topi::PartAttrs(topi::kDotConv2d, topi::part::kPadded));
  const te::Shape& w = weight->shape();
  const auto axis = [&](size_t of_weight, const char* name) {
    return te::ReduceAxis(ir::Int(0), w[of_weight], name);
  };
  const ir::IterVar co = axis(1, "c.outer"), ky = axis(2, "ky"), kx = axis(3, "kx"),
                    cq = axis(4, "c.group"), cr = axis(6, "c.inner");
  return One(
      c.shape(),
      [&](const Indices& i) {
        const Expr x = At(
            padded, {i[0], co->var, BlockedTap(window, 0, i[2], ky->var),
                     BlockedTap(window, 1, i[3], kx->var), cq->var * kDotChannels + Expr(cr->var)});
        const Expr v = At(weight, {i[1], co->var, ky->var, kx->var, cq->var, i[4], cr->var});
        return te::Sum(ir::MakeCast(c.dtype(), x) * ir::MakeCast(c.dtype(), v),
                       {co, ky, kx, cq, cr});
      },
      "conv", {}, topi::AnchorAttrs(topi::kDotConv2d));
}

OpDef BlockedConvInt8() {
  std::vector<AttrDef> attrs = BlockedWindowAttrs();
  attrs.push_back(PadValueAttr());
  return {
      .name = "nn.contrib_conv2d_nchwc_int8",
      .doc =
          "nn.conv2d of 8-bit integers with channels in blocks: the result is int32 [batch, O / o, "
          "rows, columns, o]. Four channels of the kernel lie side by side.",
      .inputs = {{"data", "[batch, C / c, height, width, c], c a multiple of 4", kIntegers},
                 {"kernel", "[O / o, C / c, window height, window width, c / 4, o, 4]", kIntegers}},
      .attrs = std::move(attrs),
      .kind = OpKind::kAnchor,
      .type = TypeOfConv,
      .compute = ComputeConv,
      .examples = {{{"uint8[n, 2, 9, 7, 8]", "int8[3, 2, 3, 3, 2, 8, 4]"}},
                   {{"int8[1, 2, 5, 6, 4]", "int8[2, 2, 1, 1, 1, 16, 4]"}},
                   {{"uint8[2, 1, 9, 7, 4]", "int8[2, 1, 3, 2, 1, 16, 4]"},
                    {{"strides", IntsAttr({2})},
                     {"padding", IntsAttr({1, 0, 1, 1})},
                     {"pad_value", IntAttr(113)}}}}};
}

TypeResult TypeOfDense(const TypeContext& c) {
  c.NeedRank(0, 1, 16);
  c.NeedRank(1, 4, 18);
  const size_t batch = c.shape(1).size() - 4;  // dimensions
  if (batch > 0) c.NeedRank(0, batch + 2, batch + 2);
  for (size_t d = 0; d < batch; ++d) c.NeedExtent(1, d, c.shape(0)[d], "the batch of `data`");
  const int64_t *depth = ir::AsConstInt(c.shape(0).back()),
                *group = ir::AsConstInt(c.shape(1).back());
  if (group != nullptr && *group <= 0)
    c.FailArgument(1, "has dot products of no elements", "a last extent above 0", "0");
  c.NeedExtent(1, batch + 1, ir::FloorDivide(c.shape(0).back(), c.shape(1).back()),
               "the last extent of `data` divided by that of `weight`");
  if (depth != nullptr && group != nullptr && *depth % *group != 0) {
    c.FailArgument(0, "has rows that no dot products divide",
                   "a multiple of " + std::to_string(*group) + " elements", std::to_string(*depth));
  }
  Shape out = c.shape(0);
  out.back() = c.shape(1)[batch];
  out.push_back(c.shape(1)[batch + 2]);
  return TensorOf(c.attrs.Type("out_dtype"), std::move(out));
}

Results ComputeDense(const ComputeContext& c) {
  const Tensor &x = c.in(0), &w = c.in(1);
  const size_t batch = w->shape().size() - 4;
  const Expr group = w->shape().back();
  const ir::IterVar q = te::ReduceAxis(ir::Int(0), w->shape()[batch + 1], "k.group"),
                    r = te::ReduceAxis(ir::Int(0), group, "k.inner");
  return One(
      c.shape(),
      [&](const Indices& i) {
        std::vector<Expr> of_x(i.begin(), i.end() - 1);
        of_x.back() = Expr(q->var) * group + Expr(r->var);
        std::vector<Expr> of_w(i.begin(), i.begin() + static_cast<int64_t>(batch));
        for (const Expr& index : {Expr(i.end()[-2]), Expr(q->var), Expr(i.back()), Expr(r->var)})
          of_w.push_back(index);
        return te::Sum(ir::MakeCast(c.dtype(), At(x, of_x)) * ir::MakeCast(c.dtype(), At(w, of_w)),
                       {q, r});
      },
      "C", {}, topi::AnchorAttrs(topi::kDotMatmul));
}

OpDef DotDense() {
  return {
      .name = "nn.contrib_dense_dot",
      .doc =
          "A product of narrow types with the columns of the right operand in panels, and `g` "
          "elements of k, one dot product, side by side: y[..., p, j] = sum over q, r of "
          "x[..., q g + r] w[p, q, j, r]. With a batch of right operands both have the same first "
          "dimensions.",
      .inputs = {{"data", "x [..., k]", kNumbers},
                 {"weight", "w [..., panels, k / g, columns of a panel, g]", kNumbers}},
      .attrs = {Required(ElementType("out_dtype", "the type of sums and of the result"))},
      .kind = OpKind::kAnchor,
      .type = TypeOfDense,
      .compute = ComputeDense,
      .examples = {
          {{"bfloat16[n, 8]", "bfloat16[3, 4, 16, 2]"}, {{"out_dtype", StringAttr("float32")}}},
          {{"uint8[2, 5, 64]", "int8[2, 16, 32, 4]"}, {{"out_dtype", StringAttr("int32")}}},
          {{"bfloat16[2, 5, 8]", "bfloat16[2, 3, 4, 16, 2]"},
           {{"out_dtype", StringAttr("float32")}}}}};
}

TypeResult TypeOfPanels(const TypeContext& c) {
  c.NeedRank(0, 2, 16);
  const int64_t columns = c.attrs.Int("columns"), group = c.attrs.Int("group");
  Shape out = c.shape(0);
  const size_t rows = out.size() - 2;
  for (const auto& [dimension, part, what] :
       {std::tuple{rows, group, "rows"}, {rows + 1, columns, "columns"}}) {
    const int64_t* extent = ir::AsConstInt(out[dimension]);
    if (extent != nullptr && *extent % part == 0) continue;
    c.FailArgument(0, std::string("cannot be cut into whole panels: wrong ") + what,
                   "a multiple of " + std::to_string(part),
                   extent == nullptr ? "an unknown number" : std::to_string(*extent));
  }
  const Expr k = out[rows], n = out[rows + 1];
  out[rows] = ir::FloorDivide(n, columns);
  out[rows + 1] = ir::FloorDivide(k, group);
  out.push_back(ir::Int(columns, DataType::Int(64)));
  out.push_back(ir::Int(group, DataType::Int(64)));
  return TensorOf(c.dtype(0), std::move(out));
}

Results ComputePanels(const ComputeContext& c) {
  const int64_t columns = c.attrs.Int("columns"), group = c.attrs.Int("group");
  return One(
      c.shape(),
      [&](const Indices& i) {
        std::vector<Expr> of_x(i.begin(), i.end() - 4);
        of_x.push_back(i.end()[-3] * group + Expr(i.back()));
        of_x.push_back(i.end()[-4] * columns + Expr(i.end()[-2]));
        return At(c.in(0), of_x);
      },
      "panels", {}, topi::AnchorAttrs(topi::kDotPanels));
}

OpDef DotPanels() {
  return {
      .name = "nn.contrib_dot_panels",
      .doc =
          "The right operand [..., k, n] of a product as nn.contrib_dense_dot reads it: "
          "w[..., p, q, j, r] = x[..., q g + r, p c + j], for panels of c columns and dot "
          "products of g elements.",
      .inputs = {{"data", "x [..., k, n], k a multiple of g, n of c", kNumbers}},
      .attrs = {Required(Int("columns", "c", 1, 1)), Required(Int("group", "g", 1, 1))},
      .kind = OpKind::kAnchor,
      .type = TypeOfPanels,
      .compute = ComputePanels,
      .examples = {{{"bfloat16[n, 8, 32]"}, {{"columns", IntAttr(16)}, {"group", IntAttr(2)}}}}};
}

}  // namespace

std::vector<OpDef> DotOperands() { return {BlockedConvInt8(), DotDense(), DotPanels()}; }

}  // namespace lathe::graph::ops
