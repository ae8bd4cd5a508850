// Pools: the maximum or mean of each window.
#include "arith/analyzer.h"
#include "graph/ops/define.h"
#include "graph/ops/extremes.h"
#include "graph/ops/families.h"
#include "graph/ops/layout.h"

namespace lathe::graph::ops {
namespace {

std::vector<AttrDef> PoolAttrs(size_t rank, bool is_mean) {
  std::vector<AttrDef> attrs{
      Ints("pool_size", "the window", std::vector<int64_t>(rank, 1), 1),
      Ints("strides", "how far the window moves", std::vector<int64_t>(rank, 1), 1),
      Ints("dilation", "the distance of the window's elements", std::vector<int64_t>(rank, 1), 1),
      Ints("padding",
           "the frame around the input: one number, one for each dimension, or all before "
           "and then all after",
           std::vector<int64_t>(rank, 0), 0),
      LayoutAttr(rank),
      {.name = "out_layout",
       .type = AttrType::kString,
       .doc = "the dimensions of the result; \"\": as `data`",
       .fallback = StringAttr("")},
      Flag("ceil_mode", "windows that leave the frame count if they begin inside of it", false)};
  if (is_mean) {
    attrs.push_back(Flag("count_include_pad", "do elements of the frame count as zeros?", false));
  }
  return attrs;
}

template <class Context>
struct PoolCall {
  PoolCall(const Context& c, size_t rank)
      : space(SpaceLetters(rank)),
        layout(c.attrs.String("layout")),
        size(PerDimension(c, "pool_size", rank)),
        ceil_mode(c.attrs.Bool("ceil_mode")) {
    window.strides = PerDimension(c, "strides", rank);
    window.dilation = PerDimension(c, "dilation", rank);
    window.padding = PaddingOf(c, "padding", rank);
  }
  std::string space;
  Layout layout;
  std::vector<int64_t> size;
  Window window;
  bool ceil_mode;
};

// Windows along dimension d of space; with `ceil_mode`, the last one may leave the frame, but must
// begin before the input's end [PyTorch's and ONNX's rule].
Expr Places(const PoolCall<TypeContext>& call, size_t d, const Expr& extent) {
  const auto [before, after] = call.window.padding[d];
  const int64_t stride = call.window.strides[d];
  const Expr kernel = ir::Int(call.size[d], DataType::Int(64));
  if (!call.ceil_mode) {
    return WindowPlaces(extent, kernel, stride, call.window.dilation[d], {before, after});
  }
  const int64_t reach = (call.size[d] - 1) * call.window.dilation[d] + 1;
  const Expr rounded_up =
      ir::FloorDivide(extent + (before + after - reach + stride - 1), stride) + 1;
  const Expr that_begin_inside = ir::FloorDivide(extent + (before + stride - 1), stride);
  return ir::MakeMin(rounded_up, that_begin_inside);
}

TypeResult PoolType(const TypeContext& c, size_t rank) {
  CheckLayout(c, rank);
  const PoolCall<TypeContext> call(c, rank);
  Shape out = c.shape(0);
  for (size_t d = 0; d < rank; ++d) {
    if (const auto [before, after] = call.window.padding[d];
        before >= call.size[d] * call.window.dilation[d] ||
        after >= call.size[d] * call.window.dilation[d]) {
      c.FailAttr("padding", "is as large as the window, so a window could be empty",
                 "less than " + std::to_string(call.size[d]),
                 std::to_string(std::max(before, after)));
    }
    Expr& extent = out[call.layout.At(call.space[d])];
    extent = Places(call, d, extent);
  }
  return TensorOf(c.dtype(0), std::move(out));
}

// Reads of a window: the place of tap `k` of window `i` in the input, and whether it is inside.
struct Taps {
  std::vector<Expr> at;
  Expr inside;
};
Taps TapsOf(const PoolCall<ComputeContext>& call, const Tensor& data, const Indices& i,
            const std::vector<ir::IterVar>& k) {
  Taps taps{AsExprs(i), {}};
  std::vector<Expr> inside;
  for (size_t d = 0; d < call.space.size(); ++d) {
    const size_t place = call.layout.At(call.space[d]);
    const auto [before, after] = call.window.padding[d];
    Expr& at = taps.at[place];
    at = at * call.window.strides[d] + k[d]->var * call.window.dilation[d] - before;
    if (before != 0) inside.push_back(at >= 0);
    if (after != 0 || call.ceil_mode) inside.push_back(at < data->shape()[place]);
  }
  if (!inside.empty()) taps.inside = ir::Conjunction(inside);
  return taps;
}

std::vector<ir::IterVar> WindowAxes(const PoolCall<ComputeContext>& call) {
  std::vector<ir::IterVar> axes;
  for (size_t d = 0; d < call.space.size(); ++d) {
    axes.push_back(te::ReduceAxis(ir::Int(0), ir::Int(call.size[d]),
                                  std::string("k") + static_cast<char>(call.space[d] - 'A' + 'a')));
  }
  return axes;
}

Expr Guarded(const Taps& taps, const Tensor& data, const Expr& outside) {
  const Expr element = At(data, taps.at);
  return taps.inside ? ir::IfThenElse(taps.inside, element, outside) : element;
}

Results MaxPool(const ComputeContext& c, size_t rank) {
  const PoolCall<ComputeContext> call(c, rank);
  const Tensor& data = c.in(0);
  const std::vector<ir::IterVar> k = WindowAxes(call);
  return One(
      c.shape(),
      [&](const Indices& i) {
        return Greatest(Guarded(TapsOf(call, data, i, k), data, te::MinValue(data->dtype())), k);
      },
      "pool");
}

// How many taps of the window at `first` lie within [low, high).
Expr Count(const Expr& first, int64_t size, int64_t dilation, const Expr& low, const Expr& high) {
  const Expr from =
      ir::MakeMax(ir::FloorDivide(low - first + (dilation - 1), dilation), ir::Int(0));
  const Expr to = ir::MakeMin(ir::FloorDivide(high - 1 - first, dilation), ir::Int(size - 1));
  return ir::MakeMax(to - from + 1, ir::Int(1));
}

Results MeanPool(const ComputeContext& c, size_t rank) {
  const PoolCall<ComputeContext> call(c, rank);
  const Tensor& data = c.in(0);
  const DataType dtype = c.dtype();
  const std::vector<ir::IterVar> k = WindowAxes(call);
  const Tensor sum = te::Compute(
      c.shape(),
      [&](const Indices& i) {
        return te::Sum(Guarded(TapsOf(call, data, i, k), data, Num(0, dtype)), k);
      },
      "sum");
  const bool count_frame = c.attrs.Bool("count_include_pad");
  return One(
      c.shape(),
      [&](const Indices& i) {
        Expr count = ir::Int(1);
        for (size_t d = 0; d < rank; ++d) {
          const size_t place = call.layout.At(call.space[d]);
          const auto [before, after] = call.window.padding[d];
          const bool always_full = (before == 0 && after == 0) || count_frame;
          if (always_full && !call.ceil_mode) {
            count = count * call.size[d];
            continue;
          }
          const Expr extent = data->shape()[place];
          const Expr first = i[place] * call.window.strides[d] - before;
          count = count * Count(first, call.size[d], call.window.dilation[d],
                                ir::Int(count_frame ? -before : 0),
                                count_frame ? extent + after : extent);
        }
        return At(sum, AsExprs(i)) / ir::MakeCast(dtype, count);
      },
      "pool");
}

OpDef Pool(size_t rank, bool is_mean) {
  const std::string n = std::to_string(rank) + "d";
  const std::string space = rank == 1 ? "9" : rank == 2 ? "9, 8" : "5, 6, 7";
  const std::string layout = "N" + SpaceLetters(rank) + "C";
  OpDef op{.name = std::string(is_mean ? "nn.avg_pool" : "nn.max_pool") + n,
           .doc = is_mean ? "The mean of each window." : "The greatest element of each window.",
           .inputs = {{"data", "the input, in `layout`", is_mean ? kFloats : kNumbers}},
           .attrs = PoolAttrs(rank, is_mean),
           .kind = OpKind::kReduction,
           .type = [rank](const TypeContext& c) { return PoolType(c, rank); },
           .compute =
               [rank, is_mean](const ComputeContext& c) {
                 return is_mean ? MeanPool(c, rank) : MaxPool(c, rank);
               }};
  op.examples = {
      {{"T[n, 3, " + space + "]"}, {{"pool_size", IntsAttr({2})}, {"strides", IntsAttr({2})}}},
      {{"T[n, 3, " + space + "]"},
       {{"pool_size", IntsAttr({3})}, {"strides", IntsAttr({2})}, {"padding", IntsAttr({1})}}},
      {{"T[2, " + space + ", 3]"},
       {{"pool_size", IntsAttr({3})},
        {"strides", IntsAttr({2})},
        {"padding", IntsAttr({1})},
        {"ceil_mode", BoolAttr(true)},
        {"layout", StringAttr(layout)}}}};
  if (is_mean) {
    op.examples.push_back({{"T[2, 3, " + space + "]"},
                           {{"pool_size", IntsAttr({3})},
                            {"strides", IntsAttr({2})},
                            {"padding", IntsAttr({1})},
                            {"ceil_mode", BoolAttr(true)},
                            {"count_include_pad", BoolAttr(true)}}});
  }
  return op;
}

// The number of the element at a place, in row-major order.
Expr NumberAt(const std::vector<Expr>& at, const te::Shape& shape) {
  Expr number;
  for (size_t d = 0; d < at.size(); ++d) {
    const Expr place = ir::MakeCast(DataType::Int(64), at[d]);
    number = number ? number * ir::MakeCast(DataType::Int(64), shape[d]) + place : place;
  }
  return number;
}

// Where the greatest elements of a maximum pool stand: what the gradient of the pool needs.
OpDef PoolIndices(size_t rank) {
  OpDef op = Pool(rank, /*is_mean=*/false);
  op.name += "_indices";
  op.doc = "Where nn.max_pool" + std::to_string(rank) +
           "d takes its elements from: their numbers in `data` in row-major order, int64. Of equal "
           "elements it is the first one's.";
  op.type = [rank](const TypeContext& c) -> TypeResult {
    const TypeResult pool = PoolType(c, rank);
    return TensorOf(DataType::Int(64), static_cast<const ir::TensorType&>(*pool.type).shape);
  };
  op.compute = [rank](const ComputeContext& c) {
    const PoolCall<ComputeContext> call(c, rank);
    const Tensor& data = c.in(0);
    const std::vector<ir::IterVar> k = WindowAxes(call);
    const std::vector<Tensor> found = te::ComputeTuple(
        c.shape(),
        [&](const Indices& i) {
          const Taps taps = TapsOf(call, data, i, k);
          return PlaceOfGreatest(NumberAt(taps.at, data->shape()),
                                 Guarded(taps, data, te::MinValue(data->dtype())), k, {});
        },
        "found");
    return One(c.shape(), [&](const Indices& i) { return At(found[0], AsExprs(i)); }, "indices");
  };
  return op;
}

OpDef GlobalPool(size_t rank, bool is_mean) {
  const std::string n = std::to_string(rank) + "d";
  const std::string space = rank == 1 ? "9" : rank == 2 ? "9, 8" : "5, 6, 7";
  return {.name = std::string(is_mean ? "nn.global_avg_pool" : "nn.global_max_pool") + n,
          .doc = is_mean ? "The mean of each channel." : "The greatest element of each channel.",
          .inputs = {{"data", "the input, in `layout`", is_mean ? kFloats : kNumbers}},
          .attrs = {LayoutAttr(rank),
                    {.name = "out_layout",
                     .type = AttrType::kString,
                     .doc = "the dimensions of the result; \"\": as `data`",
                     .fallback = StringAttr("")}},
          .kind = OpKind::kReduction,
          .type = [rank](const TypeContext& c) -> TypeResult {
            CheckLayout(c, rank);
            Shape out = c.shape(0);
            const Layout layout(c.attrs.String("layout"));
            for (const char letter : SpaceLetters(rank)) {
              out[layout.At(letter)] = ir::Int(1, DataType::Int(64));
            }
            return TensorOf(c.dtype(0), std::move(out));
          },
          .compute =
              [rank, is_mean](const ComputeContext& c) {
                const Tensor& data = c.in(0);
                const Layout layout(c.attrs.String("layout"));
                std::vector<ir::IterVar> k;
                Expr count = ir::Int(1);
                for (const char letter : SpaceLetters(rank)) {
                  const Expr& extent = data->shape()[layout.At(letter)];
                  count = count * extent;
                  k.push_back(te::ReduceAxis(ir::Int(0), extent, "k"));
                }
                const auto element = [&](const Indices& i) {
                  std::vector<Expr> at = AsExprs(i);
                  for (size_t d = 0; d < rank; ++d) {
                    at[layout.At(SpaceLetters(rank)[d])] = k[d]->var;
                  }
                  return At(data, at);
                };
                if (!is_mean) {
                  return One(
                      c.shape(), [&](const Indices& i) { return Greatest(element(i), k); }, "pool");
                }
                const Tensor sum = te::Compute(
                    c.shape(), [&](const Indices& i) { return te::Sum(element(i), k); }, "sum");
                return One(
                    c.shape(),
                    [&](const Indices& i) {
                      return At(sum, AsExprs(i)) / ir::MakeCast(c.dtype(), count);
                    },
                    "pool");
              },
          .examples = {{{"T[n, 3, " + space + "]"}},
                       {{"T[2, " + space + ", 3]"},
                        {{"layout", StringAttr("N" + SpaceLetters(rank) + "C")}}},
                       {{"T[2, 1, " + space + ", 4]"},
                        {{"layout", StringAttr("NC" + SpaceLetters(rank) + "4c")}}}}};
}

}  // namespace

std::vector<OpDef> Pools() {
  std::vector<OpDef> ops;
  for (const size_t rank : {1, 2, 3}) {
    for (const bool is_mean : {false, true}) {
      ops.push_back(Pool(rank, is_mean));
      ops.push_back(GlobalPool(rank, is_mean));
    }
    ops.push_back(PoolIndices(rank));
  }
  return ops;
}

}  // namespace lathe::graph::ops
