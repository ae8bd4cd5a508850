// Convolutions of 8-bit integers in blocks of channels, for processors with dot products of four
// bytes (VNNI, sdot).
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

}  // namespace

std::vector<OpDef> BlockedInt8() { return {BlockedConvInt8()}; }

}  // namespace lathe::graph::ops
