#include "graph/import/onnx/at_run.h"

#include <algorithm>
#include <limits>

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

}  // namespace

// Where the axes are not known, each dimension has bounds; those that are not named are whole.
Results SliceAtRun(NodeContext& n) {
  const GraphVar x = n.In(0);
  const int64_t rank = NodeContext::RankOf(x);
  std::vector<GraphVar> args{x, n.In(1), n.In(2)};
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

// Element by element: the place of its sum among the sums, flat, from the dimensions that stay.
Results ReduceAtRun(NodeContext& n, const std::string& ours, bool keeps_dims) {
  const GraphVar x = n.In(0);
  const int64_t rank = NodeContext::RankOf(x), count = n.CountOf(1, "axes");
  const DataType dtype = NodeContext::DTypeOf(x);
  const DataType wide = dtype.is_float() ? dtype : kWide;
  const GraphVar axes = AxesIn(n, 1, rank), one = Number(n, 1);
  const GraphVar goes = Put(n, Numbers(n, rank, 0), axes, Numbers(n, count, 1));
  const GraphVar stays = n.Sub(one, goes), extents = ExtentsOf(n, x);
  const GraphVar kept = Where(n, n.Call("equal", {goes, one}), one, extents);
  const auto product = [&](const GraphVar& of) {
    return n.Call("prod", {of}, {{"axis", IntsAttr({0})}, {"keepdims", BoolAttr(true)}});
  };
  const GraphVar steps = n.Mul(
      n.Call("cumprod", {kept},
             {{"axis", IntsAttr({0})}, {"exclusive", BoolAttr(true)}, {"reverse", BoolAttr(true)}}),
      stays);
  GraphVar places = n.IntTensor({0});
  for (int64_t d = 0; d < rank; ++d) {
    const Expr extent = NodeContext::ShapeOf(x)[static_cast<size_t>(d)];
    const GraphVar along = n.Mul(Arange(n, extent), n.Slice(steps, 0, Int64(d), Int64(d + 1)));
    std::vector<Expr> shape(static_cast<size_t>(rank - d), Int64(1));
    shape[0] = extent;
    places = n.Add(places, n.Reshape(along, shape));
  }
  const std::vector<Expr> all = Sizes(n, product(kept));
  const GraphVar flat_places =
      n.Reshape(n.BroadcastTo(places, NodeContext::ShapeOf(x)), {Int64(-1)});
  // Sums, greatest elements and the like of a tensor of the shape of x.
  const auto reduce = [&](const GraphVar& data, const std::string& how, double start) {
    const DataType type = NodeContext::DTypeOf(data);
    GraphVar first = n.Scalar(start, type);
    const GraphVar base = n.Call(
        "full", {first}, {{"shape", ShapeAttr(all)}, {"dtype", StringAttr(type.ToString())}});
    return n.Call("scatter_elements", {base, flat_places, n.Reshape(data, {Int64(-1)})},
                  {{"axis", IntAttr(0)}, {"reduction", StringAttr(how)}});
  };
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const auto extreme = [&](const GraphVar& data, const std::string& how) {
    const DataType type = NodeContext::DTypeOf(data);
    const bool most = how == "max";
    if (type.is_float()) return reduce(data, how, most ? -kInfinity : kInfinity);
    // Integers of 64 bits: within what a real number holds exactly.
    const double bound = 9007199254740992.0;
    return n.Cast(reduce(n.Cast(data, kWide), how, most ? -bound : bound), type);
  };
  GraphVar y;
  const auto sum = [&](const GraphVar& of) { return reduce(n.Cast(of, wide), "add", 0); };
  if (ours == "max" || ours == "min") {
    y = extreme(x, ours);
  } else if (ours == "prod") {
    y = reduce(n.Cast(x, wide), "mul", 1);
  } else if (ours == "sum") {
    y = sum(x);
  } else if (ours == "norm_l1") {
    y = sum(n.Call("abs", {x}));
  } else if (ours == "sum_square") {
    y = sum(n.Mul(x, x));
  } else {
    const GraphVar real = dtype.is_float() ? x : n.Cast(x, DataType::Float(64));
    if (ours == "norm_l2") {
      y = n.Call("sqrt", {reduce(n.Mul(real, real), "add", 0)});
    } else if (ours == "log_sum") {
      y = n.Call("log", {reduce(real, "add", 0)});
    } else if (ours == "mean") {
      const GraphVar ratio = n.Call("floor_divide", {product(extents), product(kept)});
      y = n.Div(reduce(real, "add", 0), n.Cast(ratio, NodeContext::DTypeOf(real)));
    } else {
      // The greatest element is taken out first, so that nothing overflows.
      const GraphVar most = extreme(real, "max");
      const GraphVar finite =
          Where(n, n.Call("isfinite", {most}), most, n.Scalar(0, NodeContext::DTypeOf(real)));
      const GraphVar shifted = n.Sub(n.Reshape(real, {Int64(-1)}), Take(n, finite, flat_places));
      y = n.Add(n.Call("log", {reduce(n.Call("exp", {shifted}), "add", 0)}), finite);
    }
  }
  GraphVar shape = kept;
  if (!keeps_dims) {
    const GraphVar order =
        n.Call("argsort", {goes}, {{"axis", IntAttr(0)}, {"dtype", StringAttr("int64")}});
    shape = Take(n, kept, n.Slice(order, 0, Int64(0), Int64(std::max<int64_t>(0, rank - count))));
  }
  return {n.Cast(n.Call("dyn.reshape", {y, shape}, {{"allow_zero", BoolAttr(true)}}), dtype)};
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
