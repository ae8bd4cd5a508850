// Convolutions whose taps are moved.
#include "graph/ops/families.h"
#include "graph/ops/layout.h"
#include "graph/ops/sampling.h"
#include "ir/text/printer.h"

namespace lathe::graph::ops {
namespace {

struct DeformableCall {
  explicit DeformableCall(const TypeContext& c)
      : strides(PerDimension(c, "strides", 2)),
        dilation(PerDimension(c, "dilation", 2)),
        padding(PaddingOf(c, "padding", 2)) {}
  explicit DeformableCall(const ComputeContext& c)
      : strides(PerDimension(c, "strides", 2)),
        dilation(PerDimension(c, "dilation", 2)),
        padding(PaddingOf(c, "padding", 2)) {}
  std::vector<int64_t> strides, dilation;
  std::vector<std::pair<int64_t, int64_t>> padding;
};

TypeResult DeformableType(const TypeContext& c) {
  for (size_t i = 0; i < c.size(); ++i) c.NeedRank(i, 4, 4);
  const DeformableCall call(c);
  const Shape &data = c.shape(0), &weight = c.shape(2);
  const Expr zero = ir::Int(0, DataType::Int(64));
  for (const auto& [attr, extent] : {std::pair<const char*, Expr>{"groups", data[1]},
                                     {"groups", weight[0]},
                                     {"deformable_groups", data[1]}}) {
    const int64_t parts = c.attrs.Int(attr);
    if (parts != 1 && !SameExtent(ir::FloorModulo(extent, parts), zero)) {
      c.FailAttr(attr, "does not divide the channels", "a divisor of " + ExtentText(extent),
                 std::to_string(parts));
    }
  }
  c.NeedExtent(2, 1, ir::FloorDivide(data[1], c.attrs.Int("groups")),
               "the channels of `data` in a group");
  if (const int64_t given = c.attrs.Int("channels");
      given != 0 && !SameExtent(weight[0], ir::Int(given, DataType::Int(64)))) {
    c.FailAttr("channels", "is not the number of filters", ExtentText(weight[0]),
               std::to_string(given));
  }
  const std::vector<int64_t> kernel = c.attrs.Ints("kernel_size");
  for (size_t d = 0; d < kernel.size(); ++d) {
    if (kernel.size() == 2 && SameExtent(weight[d + 2], ir::Int(kernel[d], DataType::Int(64)))) {
      continue;
    }
    c.FailAttr("kernel_size", "is not the weight's window",
               ExtentText(weight[2]) + ", " + ExtentText(weight[3]), std::to_string(kernel[d]));
  }
  Shape out{data[0], weight[0]};
  for (const size_t d : {0, 1}) {
    out.push_back(WindowPlaces(data[d + 2], weight[d + 2], call.strides[d], call.dilation[d],
                               call.padding[d]));
  }
  const Expr taps = weight[2] * weight[3] * c.attrs.Int("deformable_groups");
  for (size_t i = 1; i < c.size(); i += 2) {
    c.NeedExtent(i, 0, data[0], "the batch of `data`");
    c.NeedExtent(
        i, 1, i == 1 ? taps * 2 : taps,
        i == 1 ? "two for each tap and deformable group" : "one for each tap and deformable group");
    for (const size_t d : {2, 3}) c.NeedExtent(i, d, out[d], "of the result");
  }
  const DataType dtype = c.attrs.Type("out_dtype");
  return TensorOf(dtype.is_void() ? c.dtype(0) : dtype, std::move(out));
}

Results ComputeDeformable(const ComputeContext& c) {
  const DeformableCall call(c);
  const Tensor &data = c.in(0), &offset = c.in(1), &weight = c.in(2);
  const te::Shape &x = data->shape(), &w = weight->shape();
  const DataType type = PlaceType(c.dtype());
  const Expr per_offset = ir::FloorDivide(x[1], c.attrs.Int("deformable_groups"));
  // The moved elements: [n, channel, tap's row and column, row, column].
  const Tensor moved = te::Compute(
      {x[0], x[1], w[2], w[3], c.shape()[2], c.shape()[3]},
      [&](const Indices& i) {
        const Expr tap = (ir::FloorDivide(Expr(i[1]), per_offset) * w[2] + i[2]) * w[3] + i[3];
        std::vector<std::vector<Tap>> taps;
        for (const size_t d : {0, 1}) {
          const Expr at =
              i[d + 4] * call.strides[d] + i[d + 2] * call.dilation[d] - call.padding[d].first;
          const Expr by = At(offset, {i[0], tap * 2 + static_cast<int64_t>(d), i[4], i[5]});
          taps.push_back(LinearTaps(ir::MakeCast(type, at) + ir::MakeCast(type, by), x[d + 2]));
        }
        const Expr value = SumOfTaps(taps, type, [&](const std::vector<Expr>& at) {
          return At(data, {i[0], i[1], at[0], at[1]});
        });
        if (c.size() < 4) return value;
        return value * ir::MakeCast(type, At(c.in(3), {i[0], tap, i[4], i[5]}));
      },
      "moved");
  const int64_t groups = c.attrs.Int("groups");
  std::vector<ir::IterVar> k;
  for (const size_t d : {1, 2, 3}) {
    k.push_back(te::ReduceAxis(ir::Int(0), w[d], std::string("k") + "cyx"[d - 1]));
  }
  const Tensor sum = te::Compute(
      c.shape(),
      [&](const Indices& i) {
        Expr channel = k[0]->var;
        if (groups != 1) {
          channel = ir::FloorDivide(Expr(i[1]), ir::FloorDivide(w[0], groups)) * w[1] + channel;
        }
        return te::Sum(At(moved, {i[0], channel, k[1]->var, k[2]->var, i[2], i[3]}) *
                           ir::MakeCast(type, At(weight, {i[1], k[0]->var, k[1]->var, k[2]->var})),
                       k);
      },
      "conv");
  if (type == c.dtype()) return {sum};
  return One(
      c.shape(), [&](const Indices& i) { return ir::MakeCast(c.dtype(), At(sum, AsExprs(i))); },
      "y");
}

OpDef Deformable() {
  const std::vector<int64_t> ones{1, 1};
  return {
      .name = "nn.deformable_conv2d",
      .doc =
          "A convolution whose taps are moved by offsets, between elements by linear interpolation "
          "[Dai et al., 2017], and weighted by a mask [Zhu et al., 2019]. Tap t of deformable "
          "group "
          "g has the offsets 2 (g taps + t) for y and the next one for x.",
      .inputs = {{"data", "the input [n, channels, height, width]", kFloats},
                 {"offset", "how far taps are moved [n, 2 groups taps, rows, columns]", kFloats, 0},
                 {"weight", "the filters OIHW", kFloats, 0},
                 {"mask", "factors of the taps [n, groups taps, rows, columns]", kFloats, 0}},
      .attrs = {Ints("strides", "how far the window moves", ones, 1),
                Ints("padding",
                     "zeros around the input: one number, one for each dimension, or all before "
                     "and then all after",
                     {0, 0}, 0),
                Ints("dilation", "the distance of the window's elements", ones, 1),
                Int("deformable_groups", "the channels of each have offsets of their own", 1, 1),
                Int("groups", "channels are split into as many parts, with filters of their own", 1,
                    1),
                Int("channels", "the filters; 0: taken from the weight", 0, 0),
                Ints("kernel_size", "the window; empty: taken from the weight", {}, 1),
                Choice("data_layout", "the dimensions of `data`", {"NCHW"}),
                Choice("kernel_layout", "the dimensions of `weight`", {"OIHW"}),
                Choice("out_layout", "the dimensions of the result; \"\": as `data`", {"", "NCHW"}),
                ElementType("out_dtype", "the type of the result; \"\": that of `data`")},
      .kind = OpKind::kAnchor,
      .optional_inputs = 1,
      .type = DeformableType,
      .compute = ComputeDeformable,
      .examples = {
          {{"T[n, 4, 6, 5]", "T[n, 12, 5, 3]", "T[3, 4, 2, 3]"}},
          {{"T[2, 4, 6, 5]", "T[2, 36, 3, 3] in -2:2", "T[2, 2, 3, 3]", "T[2, 18, 3, 3]"},
           {{"strides", IntsAttr({2})},
            {"padding", IntsAttr({1})},
            {"groups", IntAttr(2)},
            {"deformable_groups", IntAttr(2)}}},
          {{"T[n, 2, 7, 5]", "T[n, 8, 5, 3]", "T[3, 2, 2, 2]"}, {{"dilation", IntsAttr({2})}}}}};
}

}  // namespace

std::vector<OpDef> DeformableConvolutions() { return {Deformable()}; }

}  // namespace lathe::graph::ops
