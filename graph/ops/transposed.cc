// Transposed convolutions, and windows as columns (unfold) and back (fold).
//
// Nothing is written between the elements of the input: each element of a result sums exactly those
// taps that reach it. An element y of a result is reached from place q of the input by tap k if
// y + padding = q stride + k dilation.
#include "graph/ops/define.h"
#include "graph/ops/families.h"
#include "graph/ops/layout.h"
#include "ir/text/printer.h"

namespace lathe::graph::ops {
namespace {

std::vector<std::string> DataLayouts(size_t rank) {
  const std::string space = SpaceLetters(rank);
  return {"NC" + space, "N" + space + "C"};
}

// Which place of the input reaches a place of the result by which tap.
struct Reach {
  ir::IterVar axis;  // is reduced
  Expr tap, place;
  std::vector<Expr> conditions;
};
Reach ReachOf(const Expr& y, const Expr& taps, const Expr& places, int64_t stride, int64_t dilation,
              int64_t before) {
  Reach reach;
  const Expr shifted = y + before;
  if (dilation == 1) {
    // The taps of one residue: as many as the window has strides.
    const Expr count = stride == 1 ? taps : ir::CeilDivide(taps, ir::Int(stride));
    reach.axis = te::ReduceAxis(ir::Int(0), count, "k");
    const Expr k = reach.axis->var;
    reach.tap = ir::FloorModulo(shifted, stride) + k * stride;
    reach.place = ir::FloorDivide(shifted, stride) - k;
    const int64_t* known = ir::AsConstInt(taps);
    if (known == nullptr || *known % stride != 0) reach.conditions.push_back(reach.tap < taps);
  } else {
    reach.axis = te::ReduceAxis(ir::Int(0), taps, "k");
    reach.tap = reach.axis->var;
    const Expr rest = shifted - reach.tap * dilation;
    reach.place = ir::FloorDivide(rest, stride);
    if (stride != 1) {
      reach.conditions.push_back(ir::Equal(ir::FloorModulo(rest, stride), ir::Int(0)));
    }
  }
  reach.conditions.push_back(reach.place >= 0);
  reach.conditions.push_back(reach.place < places);
  return reach;
}

std::vector<AttrDef> TransposedAttrs(size_t rank) {
  const std::string space = SpaceLetters(rank);
  return {
      Ints("strides", "the distance of the windows in the result", std::vector<int64_t>(rank, 1),
           1),
      Ints("padding",
           "what is cut off the result: one number, one for each dimension, or all before and then "
           "all after",
           std::vector<int64_t>(rank, 0), 0),
      Ints("dilation", "the distance of the window's elements", std::vector<int64_t>(rank, 1), 1),
      Int("groups", "channels are split into as many parts, each with filters of its own", 1, 1),
      Int("channels", "the channels of the result; 0: taken from the weight", 0, 0),
      Ints("kernel_size", "the window; empty: taken from the weight", {}, 1),
      Choice("data_layout", "the dimensions of `data`", DataLayouts(rank)),
      Choice("kernel_layout",
             "the dimensions of `weight`: I the channels of `data`, O those of the result in a "
             "group. (Relay calls IOW `OIW` and IODHW `OIDHW`.)",
             {"IO" + space, "OI" + space, space + "IO", space + "OI"}),
      {.name = "out_layout",
       .type = AttrType::kString,
       .doc = "the dimensions of the result; \"\": as `data`",
       .fallback = StringAttr("")},
      Ints("output_padding", "places that the result has more at its end",
           std::vector<int64_t>(rank, 0), 0),
      ElementType("out_dtype", "the type of sums and of the result; \"\": that of `data`")};
}

template <class Context>
struct TransposedCall {
  TransposedCall(const Context& c, size_t rank)
      : space(SpaceLetters(rank)),
        data(c.attrs.String("data_layout")),
        kernel(c.attrs.String("kernel_layout")),
        strides(PerDimension(c, "strides", rank)),
        dilation(PerDimension(c, "dilation", rank)),
        more(PerDimension(c, "output_padding", rank)),
        padding(PaddingOf(c, "padding", rank)),
        groups(c.attrs.Int("groups")) {}
  std::string space;
  Layout data, kernel;
  std::vector<int64_t> strides, dilation, more;
  std::vector<std::pair<int64_t, int64_t>> padding;
  int64_t groups;
};

TypeResult TransposedType(const TypeContext& c, size_t rank) {
  const auto dims = static_cast<int>(rank) + 2;
  c.NeedRank(0, dims, dims);
  c.NeedRank(1, dims, dims);
  const TransposedCall<TypeContext> call(c, rank);
  const std::string out_layout = c.attrs.String("out_layout");
  if (!out_layout.empty() && out_layout != call.data.letters()) {
    c.FailAttr("out_layout", "differs from `data_layout`", "\"" + call.data.letters() + "\"",
               "\"" + out_layout + "\"", "transpose the result");
  }
  const Shape &data = c.shape(0), &weight = c.shape(1);
  const Expr& channels = data[call.data.At('C')];
  c.NeedExtent(1, call.kernel.At('I'), channels, "the channels of `data`");
  const DataType i64 = DataType::Int(64);
  if (call.groups > 1 && !SameExtent(ir::FloorModulo(channels, call.groups), ir::Int(0, i64))) {
    c.FailAttr("groups", "does not divide the channels", "a divisor of " + ExtentText(channels),
               std::to_string(call.groups));
  }
  const Expr filters = weight[call.kernel.At('O')] * call.groups;
  if (const int64_t given = c.attrs.Int("channels");
      given != 0 && !SameExtent(filters, ir::Int(given, i64))) {
    c.FailAttr("channels", "is not the number of filters", ExtentText(filters),
               std::to_string(given));
  }
  const std::vector<int64_t> kernel_size = c.attrs.Ints("kernel_size");
  if (!kernel_size.empty() && kernel_size.size() != rank) {
    c.FailAttr("kernel_size", "has the wrong number of entries", std::to_string(rank),
               std::to_string(kernel_size.size()));
  }
  Shape out = data;
  out[call.data.At('C')] = filters;
  for (size_t d = 0; d < rank; ++d) {
    const Expr& window = weight[call.kernel.At(call.space[d])];
    if (!kernel_size.empty() && !SameExtent(window, ir::Int(kernel_size[d], i64))) {
      c.FailAttr("kernel_size", "is not the weight's window", ExtentText(window),
                 std::to_string(kernel_size[d]));
    }
    if (call.more[d] >= std::max(call.strides[d], call.dilation[d])) {
      c.FailAttr("output_padding", "is not smaller than the stride or the dilation",
                 "less than " + std::to_string(std::max(call.strides[d], call.dilation[d])),
                 std::to_string(call.more[d]));
    }
    const auto [before, after] = call.padding[d];
    Expr& extent = out[call.data.At(call.space[d])];
    extent = (extent - 1) * call.strides[d] + (window - 1) * call.dilation[d] +
             (call.more[d] + 1 - before - after);
  }
  const DataType dtype = c.attrs.Type("out_dtype");
  return TensorOf(dtype.is_void() ? c.dtype(0) : dtype, std::move(out));
}

Results ComputeTransposed(const ComputeContext& c, size_t rank) {
  const TransposedCall<ComputeContext> call(c, rank);
  const Tensor &data = c.in(0), &weight = c.in(1);
  const te::Shape& w = weight->shape();
  const DataType dtype = c.dtype();
  const Expr filters = w[call.kernel.At('O')];
  const Expr channels = call.groups == 1 ? w[call.kernel.At('I')]
                                         : ir::FloorDivide(w[call.kernel.At('I')], call.groups);
  return One(
      c.shape(),
      [&](const Indices& i) {
        const ir::IterVar channel = te::ReduceAxis(ir::Int(0), channels, "c");
        std::vector<ir::IterVar> axes{channel};
        std::vector<Reach> reach;
        std::vector<Expr> conditions;
        for (size_t d = 0; d < rank; ++d) {
          const size_t place = call.data.At(call.space[d]);
          reach.push_back(ReachOf(i[place], w[call.kernel.At(call.space[d])], data->shape()[place],
                                  call.strides[d], call.dilation[d], call.padding[d].first));
          axes.push_back(reach.back().axis);
          conditions.insert(conditions.end(), reach.back().conditions.begin(),
                            reach.back().conditions.end());
        }
        Expr filter = i[call.data.At('C')], of_input = channel->var;
        if (call.groups != 1) {
          of_input = ir::FloorDivide(filter, filters) * channels + of_input;
          filter = ir::FloorModulo(filter, filters);
        }
        const auto of_data = call.data.Arrange<Expr>([&](char letter) -> Expr {
          if (letter == 'N') return i[call.data.At('N')];
          return letter == 'C' ? of_input : reach[call.space.find(letter)].place;
        });
        const auto of_weight = call.kernel.Arrange<Expr>([&](char letter) -> Expr {
          if (letter == 'O') return filter;
          return letter == 'I' ? of_input : reach[call.space.find(letter)].tap;
        });
        return te::Sum(ir::IfThenElse(ir::Conjunction(conditions),
                                      ir::MakeCast(dtype, At(data, of_data)) *
                                          ir::MakeCast(dtype, At(weight, of_weight)),
                                      Num(0, dtype)),
                       axes);
      },
      "conv_transpose");
}

OpDef Transposed(size_t rank) {
  const std::string n = std::to_string(rank) + "d";
  const std::string space = rank == 1 ? "6" : rank == 2 ? "6, 5" : "3, 4, 3";
  const std::string window = rank == 1 ? "3" : rank == 2 ? "3, 4" : "2, 3, 3";
  std::vector<int64_t> uneven;
  for (size_t d = 0; d < rank; ++d) uneven.push_back(static_cast<int64_t>(d % 2));
  for (size_t d = 0; d < rank; ++d) uneven.push_back(1);
  return {
      .name = "nn.conv" + n + "_transpose",
      .doc =
          "The transposed convolution: each element of the input adds its window, times the "
          "weight, to the result. An extent is (in - 1) stride - padding + dilation (kernel - 1) + "
          "output_padding + 1 [PyTorch's ConvTranspose].",
      .inputs = {{"data", "the input, in `data_layout`", kNumbers},
                 {"weight", "the filters, in `kernel_layout`", kNumbers, 0}},
      .attrs = TransposedAttrs(rank),
      .kind = OpKind::kAnchor,
      .type = [rank](const TypeContext& c) { return TransposedType(c, rank); },
      .compute = [rank](const ComputeContext& c) { return ComputeTransposed(c, rank); },
      .examples =
          {{{"T[n, 4, " + space + "]", "T[4, 3, " + window + "]"}},
           {{"T[n, 4, " + space + "]", "T[4, 3, " + window + "]"},
            {{"groups", IntAttr(2)},
             {"strides", IntsAttr({2})},
             {"padding", IntsAttr(uneven)},
             {"output_padding", IntsAttr({1})}}},
           {{"T[n, 2, " + space + "]", "T[2, 3, " + window + "]"},
            {{"dilation", IntsAttr({2})}, {"strides", IntsAttr({3})}, {"padding", IntsAttr({2})}}},
           {{"T[1, " + space + ", 4]", "T[" + window + ", 3, 4]"},
            {{"data_layout", StringAttr(DataLayouts(rank)[1])},
             {"kernel_layout", StringAttr(SpaceLetters(rank) + "OI")}}}}};
}

// -- Windows as columns.

template <class Context>
struct Columns {
  explicit Columns(const Context& c)
      : kernel(PerDimension(c, "kernel_size", 2)),
        strides(PerDimension(c, "strides", 2)),
        dilation(PerDimension(c, "dilation", 2)),
        padding(PaddingOf(c, "padding", 2)) {}
  // The number of windows along dimension d of space.
  Expr Places(size_t d, const Expr& extent) const {
    return WindowPlaces(extent, ir::Int(kernel[d], extent->dtype), strides[d], dilation[d],
                        padding[d]);
  }
  int64_t taps() const { return kernel[0] * kernel[1]; }
  std::vector<int64_t> kernel, strides, dilation;
  std::vector<std::pair<int64_t, int64_t>> padding;
};

std::vector<AttrDef> ColumnAttrs() {
  return {Required(Ints("kernel_size", "the window", {}, 1)),
          Ints("strides", "how far the window moves", {1, 1}, 1),
          Ints("padding",
               "zeros around the image: one number, one for each dimension, or all before and then "
               "all after",
               {0, 0}, 0),
          Ints("dilation", "the distance of the window's elements", {1, 1}, 1)};
}

OpDef Unfold() {
  return {
      .name = "nn.unfold",
      .doc =
          "The windows of an image as columns (im2col): [n, channels kernel elements, windows] "
          "[PyTorch's unfold].",
      .inputs = {{"data", "the image [n, channels, height, width]"}},
      .attrs = ColumnAttrs(),
      .kind = OpKind::kInjective,
      .type = [](const TypeContext& c) -> TypeResult {
        c.NeedRank(0, 4, 4);
        const Columns<TypeContext> call(c);
        const Shape& x = c.shape(0);
        for (const size_t d : {size_t{0}, size_t{1}}) {
          const Expr places = call.Places(d, x[d + 2]);
          if (!c.Assume(SizeAssumption::Kind::kAtMost, ir::Int(0, DataType::Int(64)), places,
                        "the windows of nn.unfold")) {
            c.FailArgument(0, "is smaller than a window", "at least as large as the window",
                           ExtentText(x[d + 2]), "pad it (`padding`)");
          }
        }
        return TensorOf(c.dtype(0),
                        {x[0], x[1] * call.taps(), call.Places(0, x[2]) * call.Places(1, x[3])});
      },
      .compute =
          [](const ComputeContext& c) {
            const Columns<ComputeContext> call(c);
            const Tensor& data = c.in(0);
            const Expr columns = call.Places(1, data->shape()[3]);
            return One(
                c.shape(),
                [&](const Indices& i) {
                  const Expr tap = ir::FloorModulo(i[1], call.taps());
                  const Expr taps[] = {ir::FloorDivide(tap, call.kernel[1]),
                                       ir::FloorModulo(tap, call.kernel[1])};
                  const Expr places[] = {ir::FloorDivide(i[2], columns),
                                         ir::FloorModulo(i[2], columns)};
                  std::vector<Expr> at{i[0], ir::FloorDivide(i[1], call.taps())}, inside;
                  for (const size_t d : {0, 1}) {
                    const auto [before, after] = call.padding[d];
                    at.push_back(places[d] * call.strides[d] + taps[d] * call.dilation[d] - before);
                    if (before != 0) inside.push_back(at.back() >= 0);
                    if (after != 0) inside.push_back(at.back() < data->shape()[d + 2]);
                  }
                  const Expr element = At(data, at);
                  if (inside.empty()) return element;
                  return ir::IfThenElse(ir::Conjunction(inside), element, Num(0, c.dtype()));
                },
                "columns");
          },
      .examples = {{{"T[n, 3, 6, 5]"}, {{"kernel_size", IntsAttr({2, 3})}}},
                   {{"T[2, 3, n, 5]"},
                    {{"kernel_size", IntsAttr({3})},
                     {"strides", IntsAttr({2, 1})},
                     {"padding", IntsAttr({1, 2})},
                     {"dilation", IntsAttr({1, 2})}}}}};
}

OpDef Fold() {
  std::vector<AttrDef> attrs = ColumnAttrs();
  attrs.insert(attrs.begin(), Required(Extents("output_size", "height and width of the image")));
  return {
      .name = "nn.fold",
      .doc =
          "The image of columns: each element is the sum of what the columns of nn.unfold have of "
          "it [PyTorch's fold].",
      .inputs = {{"data", "columns [n, channels kernel elements, windows]", kNumbers}},
      .attrs = std::move(attrs),
      .kind = OpKind::kReduction,
      .type = [](const TypeContext& c) -> TypeResult {
        c.NeedRank(0, 3, 3);
        const Columns<TypeContext> call(c);
        const Shape size = c.attrs.Shape("output_size"), &x = c.shape(0);
        if (size.size() != 2) {
          c.FailAttr("output_size", "has the wrong number of entries", "2",
                     std::to_string(size.size()));
        }
        if (!SameExtent(ir::FloorModulo(x[1], call.taps()), ir::Int(0, DataType::Int(64)))) {
          c.FailAttr("kernel_size", "does not divide the rows of `data`",
                     "a divisor of " + ExtentText(x[1]), std::to_string(call.taps()));
        }
        c.NeedExtent(0, 2, call.Places(0, size[0]) * call.Places(1, size[1]),
                     "the number of windows");
        return TensorOf(c.dtype(0), {x[0], ir::FloorDivide(x[1], call.taps()), size[0], size[1]});
      },
      .compute =
          [](const ComputeContext& c) {
            const Columns<ComputeContext> call(c);
            const Expr rows = call.Places(0, c.shape()[2]), columns = call.Places(1, c.shape()[3]);
            return One(
                c.shape(),
                [&](const Indices& i) {
                  std::vector<Reach> reach;
                  std::vector<Expr> conditions;
                  for (const size_t d : {0, 1}) {
                    reach.push_back(ReachOf(i[d + 2], ir::Int(call.kernel[d]),
                                            d == 0 ? rows : columns, call.strides[d],
                                            call.dilation[d], call.padding[d].first));
                    conditions.insert(conditions.end(), reach[d].conditions.begin(),
                                      reach[d].conditions.end());
                  }
                  const Expr row =
                      i[1] * call.taps() + reach[0].tap * call.kernel[1] + reach[1].tap;
                  const Expr column = reach[0].place * columns + reach[1].place;
                  return te::Sum(
                      ir::IfThenElse(ir::Conjunction(conditions), At(c.in(0), {i[0], row, column}),
                                     Num(0, c.dtype())),
                      {reach[0].axis, reach[1].axis});
                },
                "image");
          },
      .examples = {{{"T[n, 12, 20]"},
                    {{"output_size", ShapeAttr({ir::Int(6), ir::Int(5)})},
                     {"kernel_size", IntsAttr({2})}}},
                   {{"T[n, 18, 9]"},
                    {{"output_size", ShapeAttr({ir::Int(6), ir::Int(5)})},
                     {"kernel_size", IntsAttr({3})},
                     {"strides", IntsAttr({2})},
                     {"padding", IntsAttr({1})}}}}};
}

}  // namespace

std::vector<OpDef> TransposedConvolutions() {
  return {Transposed(1), Transposed(2), Transposed(3), Unfold(), Fold()};
}

}  // namespace lathe::graph::ops
