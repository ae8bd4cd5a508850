// Convolutions of one to three dimensions, with groups, dilation and any padding.
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
std::vector<std::string> KernelLayouts(size_t rank) {
  const std::string space = SpaceLetters(rank);
  return {"OI" + space, space + "IO", "O" + space + "I", space + "OI"};
}

std::vector<AttrDef> ConvAttrs(size_t rank) {
  return {
      Ints("strides", "how far the window moves", std::vector<int64_t>(rank, 1), 1),
      Ints("padding",
           "zeros around the input: one number, one for each dimension, or all before "
           "and then all after",
           std::vector<int64_t>(rank, 0), 0),
      Ints("dilation", "the distance of the window's elements", std::vector<int64_t>(rank, 1), 1),
      Int("groups", "channels are split into as many parts, each with filters of its own", 1, 1),
      Int("channels", "the filters; 0: taken from the weight", 0, 0),
      Ints("kernel_size", "the window; empty: taken from the weight", {}, 1),
      Choice("data_layout", "the dimensions of `data`", DataLayouts(rank)),
      Choice("kernel_layout", "the dimensions of `weight`", KernelLayouts(rank)),
      {.name = "out_layout",
       .type = AttrType::kString,
       .doc = "the dimensions of the result; \"\": as `data`",
       .fallback = StringAttr("")},
      ElementType("out_dtype", "the type of sums and of the result; \"\": that of `data`")};
}

// What a call says, read from checked attributes.
template <class Context>
struct ConvCall {
  ConvCall(const Context& c, size_t rank)
      : space(SpaceLetters(rank)),
        data(c.attrs.String("data_layout")),
        kernel(c.attrs.String("kernel_layout")),
        out(c.attrs.String("out_layout").empty() ? data.letters() : c.attrs.String("out_layout")),
        groups(c.attrs.Int("groups")) {
    window.strides = PerDimension(c, "strides", rank);
    window.dilation = PerDimension(c, "dilation", rank);
    window.padding = PaddingOf(c, "padding", rank);
  }
  std::string space;
  Layout data, kernel, out;
  Window window;
  int64_t groups;
};

TypeResult ConvType(const TypeContext& c, size_t rank) {
  const auto dims = static_cast<int>(rank) + 2;
  c.NeedRank(0, dims, dims);
  c.NeedRank(1, dims, dims);
  const ConvCall<TypeContext> call(c, rank);
  if (call.out.letters() != call.data.letters()) {
    c.FailAttr("out_layout", "differs from `data_layout`", "\"" + call.data.letters() + "\"",
               "\"" + call.out.letters() + "\"", "transpose the result");
  }
  const Shape &data = c.shape(0), &weight = c.shape(1);
  const Expr& filters = weight[call.kernel.At('O')];
  const Expr& channels = data[call.data.At('C')];
  c.NeedExtent(1, call.kernel.At('I'), ir::FloorDivide(channels, call.groups),
               call.groups == 1 ? "the channels of `data`" : "the channels of `data` in a group");
  if (call.groups > 1) {
    const Expr group = ir::Int(call.groups, DataType::Int(64));
    if (!SameExtent(ir::FloorModulo(channels, group), ir::Int(0, DataType::Int(64))) ||
        !SameExtent(ir::FloorModulo(filters, group), ir::Int(0, DataType::Int(64)))) {
      c.FailAttr("groups", "does not divide the channels",
                 "a divisor of " + ExtentText(channels) + " and " + ExtentText(filters),
                 std::to_string(call.groups));
    }
  }
  if (const int64_t given = c.attrs.Int("channels");
      given != 0 && !SameExtent(filters, ir::Int(given, DataType::Int(64)))) {
    c.FailAttr("channels", "is not the number of filters", ExtentText(filters),
               std::to_string(given));
  }
  const std::vector<int64_t> kernel_size = c.attrs.Ints("kernel_size");
  if (!kernel_size.empty() && kernel_size.size() != rank) {
    c.FailAttr("kernel_size", "has the wrong number of entries", std::to_string(rank),
               std::to_string(kernel_size.size()));
  }
  for (size_t d = 0; d < kernel_size.size(); ++d) {
    const Expr& extent = weight[call.kernel.At(call.space[d])];
    if (!SameExtent(extent, ir::Int(kernel_size[d], DataType::Int(64)))) {
      c.FailAttr("kernel_size", "is not the weight's window", ExtentText(extent),
                 std::to_string(kernel_size[d]));
    }
  }
  Shape out(data.size());
  out[call.out.At('N')] = data[call.data.At('N')];
  out[call.out.At('C')] = filters;
  for (size_t d = 0; d < rank; ++d) {
    out[call.out.At(call.space[d])] =
        WindowPlaces(data[call.data.At(call.space[d])], weight[call.kernel.At(call.space[d])],
                     call.window.strides[d], call.window.dilation[d], call.window.padding[d]);
  }
  const DataType dtype = c.attrs.Type("out_dtype");
  return TensorOf(dtype.is_void() ? c.dtype(0) : dtype, std::move(out));
}

Results ComputeConv(const ComputeContext& c, size_t rank) {
  const ConvCall<ComputeContext> call(c, rank);
  const Tensor &data = c.in(0), &weight = c.in(1);
  const DataType dtype = c.dtype();
  const Tensor padded = PadSpace(data, call.data, call.window, Num(0, data->dtype()));
  const te::Shape& w = weight->shape();
  std::vector<ir::IterVar> axes;
  const auto axis = [&](char letter, const std::string& name) {
    axes.push_back(te::ReduceAxis(ir::Int(0), w[call.kernel.At(letter)], name));
    return axes.back();
  };
  // With one channel in each group (depthwise) there is nothing to sum over channels.
  const bool has_channels = !ir::IsOne(w[call.kernel.At('I')]) || call.groups == 1;
  const Expr channel = has_channels ? Expr(axis('I', "c")->var) : ir::Int(0);
  std::vector<Expr> taps;
  for (const char letter : call.space) {
    taps.push_back(axis(letter, std::string("k") + static_cast<char>(letter - 'A' + 'a'))->var);
  }
  const Expr filters_of_group = ir::FloorDivide(w[call.kernel.At('O')], call.groups);
  return One(
      c.shape(),
      [&](const Indices& i) {
        const Expr filter = i[call.out.At('C')];
        const Expr group =
            call.groups == 1 ? ir::Int(0) : ir::FloorDivide(filter, filters_of_group);
        const auto of_data = call.data.Arrange<Expr>([&](char letter) -> Expr {
          if (letter == 'N') return i[call.out.At('N')];
          if (letter == 'C') return group * w[call.kernel.At('I')] + channel;
          const size_t d = call.space.find(letter);
          return i[call.out.At(letter)] * call.window.strides[d] +
                 taps[d] * call.window.dilation[d];
        });
        const auto of_weight = call.kernel.Arrange<Expr>([&](char letter) -> Expr {
          if (letter == 'O') return filter;
          return letter == 'I' ? channel : taps[call.space.find(letter)];
        });
        return te::Sum(
            ir::MakeCast(dtype, At(padded, of_data)) * ir::MakeCast(dtype, At(weight, of_weight)),
            axes);
      },
      "conv");
}

OpDef Conv(size_t rank) {
  const std::string n = std::to_string(rank) + "d";
  const std::string space = rank == 1 ? "9" : rank == 2 ? "9, 7" : "5, 6, 7";
  const std::string window = rank == 1 ? "3" : rank == 2 ? "3, 3" : "2, 3, 3";
  std::vector<int64_t> uneven;
  for (size_t d = 0; d < rank; ++d) uneven.push_back(static_cast<int64_t>(d % 2));
  for (size_t d = 0; d < rank; ++d) uneven.push_back(1);
  return {
      .name = "nn.conv" + n,
      .doc =
          "A convolution (cross-correlation): for each filter the sum, over the channels of its "
          "group and a window, of data times weight.",
      .inputs = {{"data", "the input, in `data_layout`", kNumbers},
                 {"weight", "the filters, in `kernel_layout`; I is the channels of one group",
                  kNumbers, 0}},
      .attrs = ConvAttrs(rank),
      .kind = OpKind::kAnchor,
      .type = [rank](const TypeContext& c) { return ConvType(c, rank); },
      .compute = [rank](const ComputeContext& c) { return ComputeConv(c, rank); },
      .examples =
          {{{"T[n, 4, " + space + "]", "T[6, 4, " + window + "]"}},
           {{"T[n, 4, " + space + "]", "T[6, 2, " + window + "]"},
            {{"groups", IntAttr(2)}, {"strides", IntsAttr({2})}, {"padding", IntsAttr(uneven)}}},
           {{"T[n, 4, " + space + "]", "T[4, 1, " + window + "]"},
            {{"groups", IntAttr(4)}, {"dilation", IntsAttr({2})}, {"padding", IntsAttr({2})}}},
           {{"T[1, " + space + ", 4]", "T[" + window + ", 4, 6]"},
            {{"data_layout", StringAttr(DataLayouts(rank)[1])},
             {"kernel_layout", StringAttr(KernelLayouts(rank)[1])}}}}};
}

}  // namespace

std::vector<OpDef> Convolutions() { return {Conv(1), Conv(2), Conv(3)}; }

}  // namespace lathe::graph::ops
