#include "graph/import/onnx/at_run.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace lathe::graph::onnx {
namespace {

constexpr DataType kWide = DataType::Int(64);

GraphVar Number(const NodeContext& n, int64_t value) {
  return n.Scalar(static_cast<double>(value), kWide);
}
GraphVar Numbers(const NodeContext& n, int64_t count, int64_t value) {
  return n.IntTensor(std::vector<int64_t>(static_cast<size_t>(count), value));
}
GraphVar ExtentsOf(const NodeContext& n, const GraphVar& x) {
  return n.Call("shape_of", {x}, {{"dtype", StringAttr("int64")}});
}
GraphVar Where(const NodeContext& n, const GraphVar& condition, const GraphVar& x,
               const GraphVar& y) {
  return n.Call("where", {condition, x, y});
}
GraphVar Take(const NodeContext& n, const GraphVar& x, const GraphVar& places, int64_t axis = 0) {
  return n.Call("take", {x, places}, {{"axis", IntAttr(axis)}});
}
GraphVar Joined(const NodeContext& n, std::vector<GraphVar> parts) {
  return n.Call("concatenate", std::move(parts), {{"axis", IntAttr(0)}});
}
// `base` with `values` at `places`.
GraphVar Put(const NodeContext& n, const GraphVar& base, const GraphVar& places,
             const GraphVar& values) {
  return n.Call("scatter_elements", {base, places, values}, {{"axis", IntAttr(0)}});
}
// The axes of an input, from the beginning.
GraphVar AxesIn(NodeContext& n, size_t input, int64_t rank) {
  GraphVar axes = n.Cast(n.In(input), kWide);
  if (NodeContext::RankOf(axes) != 1) axes = n.Reshape(axes, {Int64(-1)});
  return FromBegin(n, axes, Int64(rank));
}
std::vector<Expr> Sizes(const NodeContext& n, const GraphVar& numbers) {
  const std::vector<Expr>& shape = NodeContext::ShapeOf(n.Call("as_shape", {numbers}));
  return {shape.begin() + 1, shape.end()};
}
GraphVar Arange(const NodeContext& n, const Expr& extent) {
  return n.Call("arange", {}, {{"stop", ShapeAttr({extent})}, {"dtype", StringAttr("int64")}});
}

// Bounds of slices may be the greatest and least numbers of 64 bits: all that there is.
GraphVar WithinExtents(const NodeContext& n, const GraphVar& bounds) {
  const std::optional<TensorValue> known = n.importer.ConstantOf(bounds);
  if (!known) return bounds;
  constexpr int64_t kMost = int64_t{1} << 40;
  std::vector<int64_t> numbers = IntsOf(*known);
  for (int64_t& number : numbers) number = std::clamp(number, -kMost, kMost);
  return n.IntTensor(numbers);
}

}  // namespace

// Where the axes are not known, each dimension has bounds; those that are not named are whole.
Results SliceAtRun(NodeContext& n) {
  const GraphVar x = n.In(0);
  const int64_t rank = NodeContext::RankOf(x);
  std::vector<GraphVar> args{x, WithinExtents(n, n.In(1)), WithinExtents(n, n.In(2))};
  if (!n.Has(3) || n.AreKnown(3)) {
    if (n.Has(4)) args.push_back(n.In(4));
    const std::vector<int64_t> axes =
        n.Has(3) ? n.Axes(n.Ints(3, "axes"), rank) : std::vector<int64_t>();
    return {n.Call("dyn.strided_slice", args, {{"axes", IntsAttr(axes)}})};
  }
  const GraphVar axes = AxesIn(n, 3, rank);
  const auto whole = [&](int64_t value, const GraphVar& some) {
    return Put(n, Numbers(n, rank, value), axes, n.Cast(some, kWide));
  };
  args[1] = whole(0, args[1]);
  args[2] = whole(int64_t{1} << 40, args[2]);
  if (n.Has(4)) args.push_back(whole(1, n.In(4)));
  return {n.Call("dyn.strided_slice", args)};
}

// An extent of 1 in the shape keeps that of the input.
Results ExpandAtRun(NodeContext& n) {
  const GraphVar x = n.In(0), wanted = n.Cast(n.In(1), kWide);
  const int64_t count = n.CountOf(1, "the rank of the result"), rank = NodeContext::RankOf(x);
  const auto longer = [&](const GraphVar& extents, int64_t by) {
    return by <= 0 ? extents : Joined(n, {Numbers(n, by, 1), extents});
  };
  const GraphVar own = longer(ExtentsOf(n, x), count - rank), given = longer(wanted, rank - count);
  const GraphVar keeps = n.Call("equal", {given, Number(n, 1)});
  return {n.Call("dyn.broadcast_to", {x, Where(n, keeps, own, given)})};
}

Results PadAtRun(NodeContext& n, const std::string& mode) {
  const GraphVar x = n.In(0);
  const int64_t rank = NodeContext::RankOf(x);
  GraphVar pads = n.Cast(n.In(1), kWide);
  if (n.opset >= 18 && n.Has(3)) {
    const GraphVar axes = AxesIn(n, 3, rank);
    pads = Put(n, Numbers(n, 2 * rank, 0), Joined(n, {axes, n.Add(axes, Number(n, rank))}), pads);
  }
  const GraphVar pairs = n.Transpose(n.Reshape(pads, {Int64(2), Int64(rank)}), {1, 0});
  std::vector<GraphVar> args{x, pairs};
  if (mode != "constant") {
    n.Ignore({"value"});
  } else if (n.Has(2)) {
    args.push_back(n.Reshape(n.In(2), {}));
  }
  return {n.Call("dyn.nn.pad", args, {{"pad_mode", StringAttr(mode)}})};
}

Results CenterCropPadAtRun(NodeContext& n) {
  const GraphVar x = n.In(0);
  const int64_t rank = NodeContext::RankOf(x);
  std::vector<int64_t> axes = n.Axes(n.Ints("axes"), rank);
  if (axes.empty()) {
    for (int64_t d = 0; d < rank; ++d) axes.push_back(d);
  }
  const GraphVar places = n.IntTensor(axes), wanted = n.Cast(n.In(1), kWide);
  const GraphVar extents = Take(n, ExtentsOf(n, x), places), zero = Number(n, 0),
                 two = Number(n, 2);
  const GraphVar more = n.Call("maximum", {n.Sub(wanted, extents), zero});
  const GraphVar less = n.Call("maximum", {n.Sub(extents, wanted), zero});
  const GraphVar begin = n.Call("floor_divide", {less, two});
  const GraphVar end = n.Add(begin, n.Call("minimum", {wanted, extents}));
  const GraphVar cut = n.Call("dyn.strided_slice", {x, begin, end}, {{"axes", IntsAttr(axes)}});
  const GraphVar before = n.Call("floor_divide", {more, two}), none = Numbers(n, rank, 0);
  const GraphVar widths =
      n.Call("stack", {Put(n, none, places, before), Put(n, none, places, n.Sub(more, before))},
             {{"axis", IntAttr(1)}});
  return {n.Call("dyn.nn.pad", {cut, widths})};
}

Results RunningAtRun(NodeContext& n, const std::string& ours) {
  const GraphVar x = n.In(0);
  const int64_t rank = NodeContext::RankOf(x);
  const GraphVar axis = n.Reshape(AxesIn(n, 1, rank), {});
  const bool exclusive = n.Int("exclusive", 0) != 0, reverse = n.Int("reverse", 0) != 0;
  GraphVar result;
  for (int64_t d = 0; d < rank; ++d) {
    const GraphVar along = n.Call(ours, {x},
                                  {{"axis", IntsAttr({d})},
                                   {"exclusive", BoolAttr(exclusive)},
                                   {"reverse", BoolAttr(reverse)}});
    result = result ? Where(n, n.Call("equal", {axis, Number(n, d)}), along, result) : along;
  }
  if (!result) n.Fail("has a wrong input 0", "a tensor of rank 1 or more", "rank 0");
  return {result};
}

namespace {

// Reductions of `x` along axes that only a run knows: each element goes to its place among the
// sums, which are flat.
class ReductionAtRun {
 public:
  ReductionAtRun(NodeContext& n, GraphVar x)
      : n_(n), x_(std::move(x)), rank_(NodeContext::RankOf(x_)), count_(n.CountOf(1, "axes")) {
    const GraphVar axes = AxesIn(n, 1, rank_), one = Number(n, 1);
    goes_ = Put(n, Numbers(n, rank_, 0), axes, Numbers(n, count_, 1));
    const GraphVar stays = n.Sub(one, goes_);
    extents_ = ExtentsOf(n, x_);
    kept_ = Where(n, n.Call("equal", {goes_, one}), one, extents_);
    const GraphVar steps = n.Mul(
        n.Call(
            "cumprod", {kept_},
            {{"axis", IntsAttr({0})}, {"exclusive", BoolAttr(true)}, {"reverse", BoolAttr(true)}}),
        stays);
    GraphVar places = n.IntTensor({0});
    for (int64_t d = 0; d < rank_; ++d) {
      const Expr extent = NodeContext::ShapeOf(x_)[static_cast<size_t>(d)];
      const GraphVar along = n.Mul(Arange(n, extent), n.Slice(steps, 0, Int64(d), Int64(d + 1)));
      std::vector<Expr> shape(static_cast<size_t>(rank_ - d), Int64(1));
      shape[0] = extent;
      places = n.Add(places, n.Reshape(along, shape));
    }
    all_ = Sizes(n, Product(kept_));
    places_ = n.Reshape(n.BroadcastTo(places, NodeContext::ShapeOf(x_)), {Int64(-1)});
  }

  // Sums, greatest elements and the like of a tensor of the shape of x.
  GraphVar Reduce(const GraphVar& data, const std::string& how, double start) {
    return ReduceFrom(data, how, n_.Scalar(start, NodeContext::DTypeOf(data)));
  }
  GraphVar ReduceFrom(const GraphVar& data, const std::string& how, const GraphVar& first) {
    const DataType type = NodeContext::DTypeOf(data);
    const GraphVar base = n_.Call(
        "full", {first}, {{"shape", ShapeAttr(all_)}, {"dtype", StringAttr(type.ToString())}});
    return n_.Call("scatter_elements", {base, places_, n_.Reshape(data, {Int64(-1)})},
                   {{"axis", IntAttr(0)}, {"reduction", StringAttr(how)}});
  }

  GraphVar Sum(const GraphVar& of) {
    const DataType dtype = NodeContext::DTypeOf(x_);
    return Reduce(n_.Cast(of, dtype.is_float() ? dtype : kWide), "add", 0);
  }

  GraphVar Extreme(const GraphVar& data, const std::string& how) {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    const DataType type = NodeContext::DTypeOf(data);
    const bool most = how == "max";
    if (type.is_float()) return Reduce(data, how, most ? -kInfinity : kInfinity);
    using Whole = std::numeric_limits<int64_t>;
    const GraphVar first = n_.Reshape(n_.IntTensor({most ? Whole::min() : Whole::max()}), {});
    return n_.Cast(ReduceFrom(n_.Cast(data, kWide), how, first), type);
  }

  // Of integers the exact sum is divided, and truncated.
  GraphVar Mean(const GraphVar& x) {
    const GraphVar ratio = n_.Call("floor_divide", {Product(extents_), Product(kept_)});
    const DataType type = NodeContext::DTypeOf(x);
    if (type.is_float()) return n_.Div(Reduce(x, "add", 0), n_.Cast(ratio, type));
    return n_.Call("trunc_divide", {Sum(x), n_.Call("maximum", {ratio, Number(n_, 1)})});
  }

  GraphVar LogSumExp(const GraphVar& real) {
    // The greatest element is taken out first, so that nothing overflows.
    const GraphVar most = Extreme(real, "max");
    const GraphVar finite =
        Where(n_, n_.Call("isfinite", {most}), most, n_.Scalar(0, NodeContext::DTypeOf(real)));
    const GraphVar shifted = n_.Sub(n_.Reshape(real, {Int64(-1)}), Take(n_, finite, places_));
    return n_.Add(n_.Call("log", {Reduce(n_.Call("exp", {shifted}), "add", 0)}), finite);
  }

  // Flat results in the shape that they have in the end.
  GraphVar Shaped(const GraphVar& y, bool keeps_dims) {
    GraphVar shape = kept_;
    if (!keeps_dims) {
      const GraphVar order =
          n_.Call("argsort", {goes_}, {{"axis", IntAttr(0)}, {"dtype", StringAttr("int64")}});
      const int64_t stay = std::max<int64_t>(0, rank_ - count_);
      shape = Take(n_, kept_, n_.Slice(order, 0, Int64(0), Int64(stay)));
    }
    return n_.Call("dyn.reshape", {y, shape}, {{"allow_zero", BoolAttr(true)}});
  }

 private:
  GraphVar Product(const GraphVar& of) {
    return n_.Call("prod", {of}, {{"axis", IntsAttr({0})}, {"keepdims", BoolAttr(true)}});
  }

  NodeContext& n_;
  const GraphVar x_;
  const int64_t rank_, count_;  // of dimensions, of axes
  GraphVar goes_;               // for each dimension 1 if it is reduced, else 0
  GraphVar extents_, kept_;     // of x, and those with 1 for what is reduced
  std::vector<Expr> all_;       // the shape of all results, flat
  GraphVar places_;             // of the elements of x among the results
};

GraphVar ReducedFlat(NodeContext& n, ReductionAtRun& reduction, const GraphVar& x,
                     const std::string& ours) {
  const DataType dtype = NodeContext::DTypeOf(x);
  if (ours == "max" || ours == "min") return reduction.Extreme(x, ours);
  if (ours == "prod")
    return reduction.Reduce(n.Cast(x, dtype.is_float() ? dtype : kWide), "mul", 1);
  if (ours == "sum") return reduction.Sum(x);
  if (ours == "norm_l1") return reduction.Sum(n.Call("abs", {x}));
  if (ours == "sum_square") return reduction.Sum(n.Mul(x, x));
  if (ours == "mean") return reduction.Mean(x);
  const DataType real_type = dtype.is_float() ? dtype : DataType::Float(64);
  if (ours == "norm_l2" && !dtype.is_float()) {
    const GraphVar wide = n.Cast(x, kWide);
    return n.Call("sqrt", {n.Cast(reduction.Sum(n.Mul(wide, wide)), real_type)});
  }
  const GraphVar real = n.Cast(x, real_type);
  if (ours == "norm_l2") return n.Call("sqrt", {reduction.Reduce(n.Mul(real, real), "add", 0)});
  if (ours == "log_sum") return n.Call("log", {reduction.Reduce(real, "add", 0)});
  return reduction.LogSumExp(real);
}

}  // namespace

Results ReduceAtRun(NodeContext& n, const std::string& ours, bool keeps_dims) {
  const GraphVar x = n.In(0);
  ReductionAtRun reduction(n, x);
  const GraphVar y = ReducedFlat(n, reduction, x, ours);
  return {n.Cast(reduction.Shaped(y, keeps_dims), NodeContext::DTypeOf(x))};
}

Results Col2ImAtRun(NodeContext& n) {
  const GraphVar x = n.In(0);
  const int64_t count = n.CountOf(1, "image_shape");
  const auto dims = static_cast<size_t>(count);
  const std::vector<Expr> image = n.Extents(1, "image_shape"), block = n.Extents(2, "block_shape");
  const std::vector<int64_t> ones(dims, 1), zeros(2 * dims, 0);
  const std::vector<int64_t> pads = n.Ints("pads", zeros), strides = n.Ints("strides", ones),
                             dilations = n.Ints("dilations", ones);
  if (NodeContext::RankOf(x) != 3 || block.size() != dims || pads.size() != 2 * dims ||
      strides.size() != dims || dilations.size() != dims) {
    n.Fail("has attributes for another number of dimensions", std::to_string(dims), "another");
  }
  const auto element = [&](size_t input, size_t d) {
    const auto at = static_cast<int64_t>(d);
    return n.Reshape(n.Slice(n.Cast(n.In(input), kWide), 0, Int64(at), Int64(at + 1)), {});
  };
  // The places that windows and their taps have in the image, from the last dimension on.
  const Expr taps = ProductOf(block, 0, dims), windows = NodeContext::ShapeOf(x)[2];
  GraphVar window = Arange(n, windows), tap = n.ExpandDims(Arange(n, taps), 1);
  GraphVar place = Number(n, 0), factor = Number(n, 1), inside;
  for (size_t d = dims; d-- > 0;) {
    const GraphVar extent = element(1, d), kernel = element(2, d);
    const GraphVar reach =
        n.Add(n.Mul(n.Sub(kernel, Number(n, 1)), Number(n, dilations[d])), Number(n, 1));
    const GraphVar room = n.Sub(n.Add(extent, Number(n, pads[d] + pads[d + dims])), reach);
    const GraphVar along =
        n.Add(n.Call("floor_divide", {room, Number(n, strides[d])}), Number(n, 1));
    const GraphVar begin = n.Mul(n.Call("floor_mod", {window, along}), Number(n, strides[d]));
    const GraphVar behind = n.Mul(n.Call("floor_mod", {tap, kernel}), Number(n, dilations[d]));
    const GraphVar at = n.Sub(n.Add(begin, behind), Number(n, pads[d]));
    const GraphVar fits = n.Call(
        "logical_and", {n.Call("greater_equal", {at, Number(n, 0)}), n.Call("less", {at, extent})});
    inside = inside ? n.Call("logical_and", {inside, fits}) : fits;
    place = n.Add(place, n.Mul(at, factor));
    factor = n.Mul(factor, extent);
    window = n.Call("floor_divide", {window, along});
    tap = n.Call("floor_divide", {tap, kernel});
  }
  if (!inside) n.Fail("has an image without dimensions");
  place = Where(n, inside, place, factor);  // beyond the end: nowhere
  const Expr batch = NodeContext::ShapeOf(x)[0], columns = taps * windows;
  const GraphVar flat = n.Reshape(x, {batch, Int64(-1), columns});
  const std::vector<Expr> shape = NodeContext::ShapeOf(flat);
  const GraphVar index = n.BroadcastTo(n.Reshape(place, {Int64(1), Int64(1), columns}), shape);
  const GraphVar none = n.Call("zeros", {},
                               {{"shape", ShapeAttr({batch, shape[1], ProductOf(image, 0, dims)})},
                                {"dtype", StringAttr(NodeContext::DTypeOf(x).ToString())}});
  const GraphVar y = n.Call("scatter_elements", {none, index, flat},
                            {{"axis", IntAttr(2)}, {"reduction", StringAttr("add")}});
  std::vector<Expr> out{batch, shape[1]};
  out.insert(out.end(), image.begin(), image.end());
  return {n.Reshape(y, std::move(out))};
}

Results AffineGridAtRun(NodeContext& n, bool corners) {
  const int64_t dims = n.CountOf(1, "size") - 2;
  if (dims != 2 && dims != 3) n.Fail("has a wrong size", "4 or 5 numbers", "others");
  const std::vector<Expr> size = n.Extents(1, "size");
  const DataType dtype = NodeContext::DTypeOf(n.In(0));
  const std::vector<Expr> image(size.begin() + 2, size.end());
  const auto number = [&](double value) { return n.Scalar(value, dtype); };
  std::vector<GraphVar> columns;
  for (int64_t d = dims; d-- > 0;) {
    const GraphVar count = n.Cast(
        n.Reshape(n.Slice(n.Cast(n.In(1), kWide), 0, Int64(d + 2), Int64(d + 3)), {}), dtype);
    const GraphVar at = n.Cast(Arange(n, image[static_cast<size_t>(d)]), dtype);
    const GraphVar twice = n.Mul(at, number(2));
    const GraphVar spaces = n.Call("maximum", {n.Sub(count, number(1)), number(1)});
    const GraphVar place = corners ? n.Sub(n.Div(twice, spaces), number(1))
                                   : n.Sub(n.Div(n.Add(twice, number(1)), count), number(1));
    std::vector<Expr> shape(image.size(), Int64(1));
    shape[static_cast<size_t>(d)] = image[static_cast<size_t>(d)];
    columns.push_back(n.BroadcastTo(n.Reshape(place, shape), image));
  }
  columns.push_back(
      n.Call("ones", {}, {{"shape", ShapeAttr(image)}, {"dtype", StringAttr(dtype.ToString())}}));
  const GraphVar base = n.Reshape(n.Call("stack", columns, {{"axis", IntAttr(-1)}}),
                                  {Int64(1), ProductOf(image, 0, image.size()), Int64(dims + 1)});
  std::vector<Expr> shape{NodeContext::ShapeOf(n.In(0))[0]};
  shape.insert(shape.end(), image.begin(), image.end());
  shape.push_back(Int64(dims));
  return {n.Reshape(n.Call("matmul", {base, n.In(0)}, {{"transpose_b", BoolAttr(true)}}), shape)};
}

}  // namespace lathe::graph::onnx
