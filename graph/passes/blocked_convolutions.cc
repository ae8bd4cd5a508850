#include "graph/passes/blocked_convolutions.h"

#include <algorithm>
#include <optional>

#include "base/planted_graphs.h"
#include "graph/ops/blocked.h"
#include "graph/passes/shape_of.h"
#include "graph/passes/winograd.h"
#include "graph/sizes.h"

namespace lathe::graph {
namespace {

using ir::GraphVar;
using ops::kDotChannels;

constexpr int64_t kMostPlanes = 4;  // each is a row of its own that a kernel reads

// What a call of nn.conv2d or qnn.conv2d says.
struct Convolution {
  Convolution(const ir::GraphCall& call, const Attrs& attrs)
      : plain(attrs.String("data_layout")),
        kernel(attrs.String("kernel_layout")),
        groups(attrs.Int("groups")) {
    if ((plain != "NCHW" && plain != "NHWC") ||
        !std::ranges::is_permutation(kernel, std::string_view("OIHW"))) {
      return;
    }
    filters = Number(call.args[1], kernel.find('O'));
    channels = Number(call.args[0], plain.find('C'));
  }
  bool IsDepthwise() const { return groups == channels && groups == filters && groups > 1; }

  std::string plain, kernel;  // the layouts
  int64_t groups = 1;
  int64_t filters = 0, channels = 0;  // 0: not known, or layouts without blocks
};

ir::Dict WindowOf(const Attrs& attrs) {
  ir::Dict window;
  for (const char* name : {"strides", "padding", "dilation"}) {
    std::vector<int64_t> values = attrs.Ints(name);
    const bool mirrored = Planted(PlantedGraphBug::kBlockedPaddingReversed) && values.size() == 4;
    if (mirrored) std::rotate(values.begin(), values.begin() + 2, values.end());
    window.emplace(name, IntsAttr(std::move(values)));
  }
  return window;
}

// One number that is known; nothing else.
std::optional<int64_t> KnownNumber(const Builder& b, const GraphVar& var) {
  const std::vector<ir::Expr>* value = b.ValueOf(var);
  if (value == nullptr || value->size() != 1) return std::nullopt;
  const int64_t* number = ir::AsConstInt((*value)[0]);
  return number == nullptr ? std::nullopt : std::optional(*number);
}

}  // namespace

bool TakesIntegers(const ir::GraphCall& conv, const GraphPassContext& context) {
  if (context.dot_data.is_void() || context.vector_lanes < 4) return false;
  const auto is_byte = [](DataType type) { return type.is_integral() && type.bits() == 8; };
  if (!is_byte(TypeOf(conv.args[0])) || TypeOf(conv.args[1]) != DataType::Int(8)) return false;
  const Convolution c(conv, Attrs(GetOp(conv.op), conv.attrs));
  return c.filters >= std::max(context.vector_lanes / 4, 4) && c.channels > 0 &&
         (c.groups == 1 || c.IsDepthwise());
}

bool IsZeroPointOf(DataType data, int64_t zero_point) {
  return data.is_uint() ? 0 <= zero_point && zero_point <= 255
                        : -128 <= zero_point && zero_point <= 127;
}

Twin BlockedConvolutions::Rewritten(const ir::GraphCall& call, const std::string& name) {
  name_ = name;
  tile_size_ = 0;
  const Twin twin = call.op == "qnn.conv2d" ? OfIntegers(call) : OfFloats(call);
  Explain(call, twin);
  return twin;
}

Twin BlockedConvolutions::OfFloats(const ir::GraphCall& call) {
  const Attrs attrs(GetOp(call.op), call.attrs);
  const GraphVar &data = call.args[0], &weight = call.args[1];
  const Convolution c(call, attrs);
  const int64_t out_block = twins_.BlockFor(c.filters);
  if (!attrs.String("out_dtype").empty() || TypeOf(data) != DataType::Float(32) || out_block == 0 ||
      c.channels == 0) {
    return {};
  }
  Twin twin = twins_.Of(data);
  if (twin.plain != c.plain) twin = {};
  if (c.IsDepthwise()) {
    const int64_t block = twin ? twin.block() : out_block;
    return {
        b_.Call("nn.contrib_depthwise_conv2d_nchwc",
                {twins_.InBlocks(data, c.plain, block), DepthwiseKernel(weight, c.kernel, block)},
                WindowOf(attrs), name_),
        c.plain, c.filters};
  }
  if (c.groups != 1) return OfGroups(call, twin, c.plain, c.kernel);
  int64_t in_block = twin ? twin.block() : twins_.BlockFor(c.channels);
  // The few channels of a picture are one block; planes stay as they are, as blocks of one. The
  // convolution reads single elements in any case.
  if (!twin && c.channels < twins_.lanes())
    in_block = c.plain == "NCHW" && c.channels <= kMostPlanes ? 1 : c.channels;
  if (in_block == 0) return {};
  // Of several blocks all channels are read, of one those that there are.
  if (const Twin made = ByWinograd(call, in_block, out_block)) return made;
  const int64_t read = std::min(c.channels, in_block);
  return {
      b_.Call("nn.contrib_conv2d_nchwc",
              {twins_.InBlocks(data, c.plain, in_block), Kernel(weight, c.kernel, read, out_block)},
              WindowOf(attrs), name_),
      c.plain, c.filters};
}

Twin BlockedConvolutions::ByWinograd(const ir::GraphCall& call, int64_t in_block,
                                     int64_t out_block) {
  const Attrs attrs(GetOp(call.op), call.attrs);
  const GraphVar &data = call.args[0], &weight = call.args[1];
  const Convolution c(call, attrs);
  const auto window_is = [&](char letter) { return Number(weight, c.kernel.find(letter)) == 3; };
  const auto all_are_one = [&](const char* attr) {
    return std::ranges::all_of(attrs.Ints(attr), [](int64_t value) { return value == 1; });
  };
  if (context_.opt_level < 3 || !known_.Contains(weight) || !window_is('H') || !window_is('W') ||
      !all_are_one("strides") || !all_are_one("dilation") || in_block % twins_.lanes() != 0 ||
      out_block % twins_.lanes() != 0) {
    return {};
  }
  const std::vector<int64_t> padding = attrs.Ints("padding");
  // Rows (0) or columns (1) of the result; 0: not known.
  const auto places = [&](char letter, size_t d) -> int64_t {
    const int64_t extent = Number(data, c.plain.find(letter));
    const int64_t before = padding[padding.size() == 1 ? 0 : d],
                  after = padding[padding.size() == 4   ? 2 + d
                                  : padding.size() == 1 ? 0
                                                        : d];
    return extent == 0 ? 0 : std::max<int64_t>(extent + before + after - 2, 0);
  };
  const WinogradCase sizes{RoundUp(c.channels, in_block), RoundUp(c.filters, out_block),
                           Number(data, c.plain.find('N')), places('H', 0), places('W', 1)};
  if (sizes.images == 0 || sizes.rows == 0 || sizes.columns == 0) return {};
  tile_size_ = WinogradTileSize(sizes, twins_.lanes());
  if (tile_size_ == 0) return {};
  const ir::NodeRef tile_size = IntAttr(tile_size_);
  GraphVar kernel = Filled(weight, c.kernel, in_block, out_block);
  if (c.kernel != "OIHW") {
    kernel = b_.Call("layout_transform", {kernel},
                     {{"src_layout", StringAttr(c.kernel)}, {"dst_layout", StringAttr("OIHW")}});
  }
  kernel =
      b_.Call("nn.contrib_conv2d_winograd_weight_transform", {kernel}, {{"tile_size", tile_size}});
  kernel = b_.Call("layout_transform", {kernel},
                   {{"src_layout", StringAttr("HWOI")},
                    {"dst_layout", StringAttr("HWOI" + std::to_string(in_block) + "i" +
                                              std::to_string(out_block) + "o")}},
                   weight->name);
  return {b_.Call("nn.contrib_conv2d_winograd_nchwc",
                  {twins_.InBlocks(data, c.plain, in_block), kernel},
                  {{"tile_size", tile_size}, {"padding", WindowOf(attrs).at("padding")}}, name_),
          c.plain, c.filters};
}

// qnn.conv2d sums up (x - zero point) w:
//
//   qnn.conv2d(x, w, z, 0)  -->  conv2d(x, w, pad_value=z) - z sum(w)
Twin BlockedConvolutions::OfIntegers(const ir::GraphCall& call) {
  const Attrs attrs(GetOp(call.op), call.attrs);
  const Convolution c(call, attrs);
  const std::optional<int64_t> zero = KnownNumber(b_, call.args[2]),
                               of_weight = KnownNumber(b_, call.args[3]);
  if (!TakesIntegers(call, context_) || !zero || !IsZeroPointOf(TypeOf(call.args[0]), *zero) ||
      of_weight != 0 || attrs.String("out_dtype") != "int32") {
    return {};
  }
  const GraphVar& weight = call.args[1];
  Twin twin = twins_.Of(call.args[0]);
  if (twin.plain != c.plain) twin = {};
  ir::Dict window = WindowOf(attrs);
  int64_t zero_point = *zero;
  const int64_t out_block = twins_.BlockFor(c.filters);
  Twin made{nullptr, c.plain, c.filters};
  if (c.IsDepthwise()) {
    const int64_t block = twin ? twin.block() : out_block;
    window.emplace("pad_value", IntAttr(zero_point));
    window.emplace("out_dtype", StringAttr("int32"));
    made.var = b_.Call(
        "nn.contrib_depthwise_conv2d_nchwc",
        {twins_.InBlocks(call.args[0], c.plain, block), DepthwiseKernel(weight, c.kernel, block)},
        std::move(window), name_);
  } else {
    int64_t in_block = twin ? twin.block() : twins_.BlockFor(c.channels);
    // The few channels of a picture are one block.
    if (!twin && c.channels < twins_.lanes()) in_block = RoundUp(c.channels, kDotChannels);
    const GraphVar data =
        AsDotOperand(twins_.InBlocks(call.args[0], c.plain, in_block), &zero_point);
    window.emplace("pad_value", IntAttr(zero_point));
    // [O, C, window, c, o] -> [O, C, window, c / 4, o, 4].
    const GraphVar filter = Kernel(weight, c.kernel, in_block, out_block);
    std::vector<ir::Expr> shape = ShapeOf(filter);
    shape[4] = Int64(in_block / kDotChannels);
    shape.insert(shape.begin() + 5, Int64(kDotChannels));
    const GraphVar grouped =
        b_.Call("reshape", {filter}, {{"newshape", ShapeAttr(std::move(shape))}});
    made.var = b_.Call("nn.contrib_conv2d_nchwc_int8",
                       {data, b_.Call("transpose", {grouped},
                                      {{"axes", IntsAttr({0, 1, 2, 3, 4, 6, 5})}}, weight->name)},
                       std::move(window), name_);
  }
  if (zero_point == 0 || Planted(PlantedGraphBug::kZeroPointForgotten)) return made;
  std::vector<int64_t> summed;
  for (size_t d = 0; d < 4; ++d) {
    if (c.kernel[d] != 'O') summed.push_back(static_cast<int64_t>(d));
  }
  const GraphVar wide = b_.Call("cast", {weight}, {{"dtype", StringAttr("int32")}});
  const GraphVar sums = b_.Call("sum", {wide}, {{"axis", IntsAttr(std::move(summed))}});
  const GraphVar shift =
      b_.Call("multiply", {sums, b_.Scalar(-static_cast<double>(zero_point), DataType::Int(32))});
  made.var = b_.Call("add", {made.var, twins_.PerChannel(shift, made)}, {}, name_);
  return made;
}

// The operand in the type that the dot product takes; a zero point moves with the numbers.
GraphVar BlockedConvolutions::AsDotOperand(const GraphVar& data, int64_t* zero_point) {
  if (TypeOf(data) == context_.dot_data) return data;
  const int64_t shift = context_.dot_data.is_uint() ? 128 : -128;
  *zero_point += shift;
  const GraphVar wide = b_.Call("cast", {data}, {{"dtype", StringAttr("int16")}});
  return b_.Call("cast",
                 {b_.Call("add", {wide, b_.Scalar(static_cast<double>(shift), DataType::Int(16))})},
                 {{"dtype", StringAttr(context_.dot_data.ToString())}});
}

// A convolution with groups that are whole blocks; others stay as they are.
Twin BlockedConvolutions::OfGroups(const ir::GraphCall& call, const Twin& twin,
                                   const std::string& plain, const std::string& kernel) {
  const Attrs attrs(GetOp(call.op), call.attrs);
  const GraphVar& weight = call.args[1];
  const int64_t groups = attrs.Int("groups"), filters = Number(weight, kernel.find('O')),
                inputs = Number(weight, kernel.find('I'));
  const auto dividing = [&](int64_t channels) -> int64_t {
    for (const int64_t block : twins_.Blocks()) {
      if (channels % block == 0) return block;
    }
    return 0;
  };
  const bool as_it_is = twin && inputs % twin.block() == 0;
  const int64_t in_block = as_it_is ? twin.block() : dividing(inputs),
                out_block = dividing(filters / groups);
  if (in_block == 0 || out_block == 0) return {};
  ir::Dict window = WindowOf(attrs);
  window.emplace("groups", IntAttr(groups));
  return {b_.Call("nn.contrib_conv2d_nchwc",
                  {twins_.InBlocks(call.args[0], plain, in_block),
                   Kernel(weight, kernel, in_block, out_block)},
                  std::move(window), name_),
          plain, filters};
}

GraphVar BlockedConvolutions::Filled(const GraphVar& weight, const std::string& kernel,
                                     int64_t in_block, int64_t out_block) {
  const size_t inputs = kernel.find('I'), outputs = kernel.find('O');
  const int64_t channels = Number(weight, inputs), filters = Number(weight, outputs);
  return twins_.Padded(twins_.Padded(weight, inputs, channels, RoundUp(channels, in_block)),
                       outputs, filters, RoundUp(filters, out_block));
}

// A kernel in any order -> [O / o, I / i, window, i, o], with zeros where blocks are not full.
GraphVar BlockedConvolutions::Kernel(const GraphVar& weight, const std::string& kernel,
                                     int64_t in_block, int64_t out_block) {
  return b_.Call("layout_transform", {Filled(weight, kernel, in_block, out_block)},
                 {{"src_layout", StringAttr(kernel)},
                  {"dst_layout", StringAttr("OIHW" + std::to_string(in_block) + "i" +
                                            std::to_string(out_block) + "o")}},
                 weight->name);
}

// [C, 1, window] -> [C / c, window, c].
GraphVar BlockedConvolutions::DepthwiseKernel(const GraphVar& weight, std::string kernel,
                                              int64_t block) {
  const auto inputs = static_cast<int64_t>(kernel.find('I'));
  const GraphVar flat = b_.Call("squeeze", {weight}, {{"axis", IntsAttr({inputs})}});
  std::erase(kernel, 'I');
  const size_t at = kernel.find('O');
  kernel[at] = 'C';
  const int64_t channels = Number(flat, at);
  return b_.Call(
      "layout_transform", {twins_.Padded(flat, at, channels, RoundUp(channels, block))},
      {{"src_layout", StringAttr(kernel)}, {"dst_layout", StringAttr(Blocked("CHW", block))}},
      weight->name);
}

// Says which blocks a convolution has, and why not others.
void BlockedConvolutions::Explain(const ir::GraphCall& call, const Twin& twin) const {
  if (!context_.explain) return;
  const std::string kernel = Attrs(GetOp(call.op), call.attrs).String("kernel_layout");
  const size_t at = kernel.find('O');
  const int64_t filters = at < 4 ? Number(call.args[1], at) : 0, chosen = twin ? twin.block() : 0;
  std::string line = call.op + (name_.empty() ? "" : " `" + name_ + "`") + ", " +
                     TypeText(call.args[0]->type) + " by " + TypeText(call.args[1]->type) + ": ";
  line += twin ? "blocks of " + std::to_string(chosen) : "the plain layout";
  if (tile_size_ != 0) line += ", by Winograd in tiles of " + std::to_string(tile_size_);
  if (twin && twin.IsPadded())
    line += ", " + std::to_string(twin.padded_channels() - filters) + " channels of zeros behind";
  std::string rejected;
  for (const int64_t block : twins_.Blocks()) {
    if (!twin || block == chosen) continue;
    rejected += (rejected.empty() ? "; not " : ", ") + std::to_string(block) + " (" +
                std::to_string(twins_.VectorsOf(filters, block)) + " vectors instead of " +
                std::to_string(twins_.VectorsOf(filters, chosen)) + ")";
  }
  if (!twin && filters > 0 && filters < twins_.Blocks().back()) {
    rejected = "; " + std::to_string(filters) + " filters are less than a block";
  } else if (!twin) {
    rejected = "; its groups, types or layouts do not allow blocks";
  }
  context_.explain(line + rejected);
}

}  // namespace lathe::graph
