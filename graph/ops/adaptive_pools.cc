// Pools of a given number of windows, the inverse of a maximum pool, and p-norms of windows.
#include "graph/ops/define.h"
#include "graph/ops/extremes.h"
#include "graph/ops/families.h"
#include "graph/ops/layout.h"

namespace lathe::graph::ops {
namespace {

namespace fn = ir::intrinsic;

// Window `i` of `out` over an extent of `in`: [floor(i in / out), ceil((i + 1) in / out)).
struct Part {
  Expr first, count;
};
Part PartOf(const Expr& i, const Expr& in, const Expr& out) {
  const int64_t *a = ir::AsConstInt(in), *b = ir::AsConstInt(out);
  if (ir::IsOne(out)) return {ir::Int(0), in};
  if (a != nullptr && b != nullptr && *b != 0 && *a % *b == 0) {
    return {i * (*a / *b), ir::Int(*a / *b)};
  }
  const Expr first = ir::FloorDivide(i * in, out);
  return {first, ir::CeilDivide((i + 1) * in, out) - first};
}

// `make` of the places of window i of each dimension of space, and the axes that go through it.
template <class F>
auto OverWindow(const ComputeContext& c, size_t rank, const Indices& i, F make) {
  const Tensor& data = c.in(0);
  const Layout layout(c.attrs.String("layout"));
  std::vector<Expr> at = AsExprs(i);
  std::vector<ir::IterVar> axes;
  for (const char letter : SpaceLetters(rank)) {
    const size_t d = layout.At(letter);
    const Part part = PartOf(i[d], data->shape()[d], c.shape()[d]);
    // The range depends on a data axis, whose name may be one letter.
    axes.push_back(te::ReduceAxis(ir::Int(0), part.count, std::string("in_") + letter));
    at[d] = part.first + axes.back()->var;
  }
  return make(at, axes);
}

template <class F>
Tensor OverParts(const ComputeContext& c, size_t rank, F reduce, const char* name) {
  return te::Compute(
      c.shape(),
      [&](const Indices& i) {
        return OverWindow(c, rank, i,
                          [&](const std::vector<Expr>& at, const std::vector<ir::IterVar>& axes) {
                            return reduce(At(c.in(0), at), axes, Expr(), Expr());
                          });
      },
      name);
}

// The numbers of the greatest elements in row-major order.
Results AdaptiveIndices(const ComputeContext& c, size_t rank) {
  const Tensor& data = c.in(0);
  const DataType wide = DataType::Int(64);
  const std::vector<Tensor> found = te::ComputeTuple(
      c.shape(),
      [&](const Indices& i) {
        return OverWindow(
            c, rank, i, [&](const std::vector<Expr>& at, const std::vector<ir::IterVar>& axes) {
              Expr number;
              for (size_t d = 0; d < at.size(); ++d) {
                const Expr place = ir::MakeCast(wide, at[d]);
                number = number ? number * ir::MakeCast(wide, data->shape()[d]) + place : place;
              }
              return PlaceOfGreatest(number, At(data, at), axes, {});
            });
      },
      "found");
  return One(c.shape(), [&](const Indices& i) { return At(found[0], AsExprs(i)); }, "indices");
}

Results AdaptiveMean(const ComputeContext& c, size_t rank) {
  const Layout layout(c.attrs.String("layout"));
  const Tensor sum = OverParts(c, rank, te::Sum, "sum");
  return One(
      c.shape(),
      [&](const Indices& i) {
        Expr count = ir::Int(1);
        for (const char letter : SpaceLetters(rank)) {
          const size_t d = layout.At(letter);
          count = count * PartOf(i[d], c.in(0)->shape()[d], c.shape()[d]).count;
        }
        return At(sum, AsExprs(i)) / ir::MakeCast(c.dtype(), count);
      },
      "pool");
}

OpDef AdaptivePool(size_t rank, bool is_mean) {
  const std::string n = std::to_string(rank) + "d";
  const std::string space = SpaceLetters(rank);
  const std::string extents = rank == 1 ? "9" : rank == 2 ? "9, 8" : "5, 6, 7";
  Shape mixed;
  for (size_t d = 0; d < rank; ++d) mixed.push_back(ir::Int(static_cast<int64_t>(d) + 2));
  AttrDef output_size = Extents(
      "output_size", "the windows of each dimension, or one number for all; empty: as `data`");
  output_size.fallback = ShapeAttr({});
  return {
      .name = std::string(is_mean ? "nn.adaptive_avg_pool" : "nn.adaptive_max_pool") + n,
      .doc = std::string(is_mean ? "The mean" : "The greatest element") +
             " of each window; window i of m over an extent e is [floor(i e / m), ceil((i + 1) "
             "e / m)) [PyTorch's rule].",
      .inputs = {{"data", "the input, in `layout`", is_mean ? kFloats : kNumbers}},
      .attrs = {output_size,
                Choice("layout", "the dimensions of `data`", {"NC" + space, "N" + space + "C"}),
                {.name = "out_layout",
                 .type = AttrType::kString,
                 .doc = "the dimensions of the result; \"\": as `data`",
                 .fallback = StringAttr("")}},
      .kind = OpKind::kReduction,
      .type = [rank, space](const TypeContext& c) -> TypeResult {
        const auto dims = static_cast<int>(rank) + 2;
        c.NeedRank(0, dims, dims);
        const std::string letters = c.attrs.String("layout");
        if (const std::string out = c.attrs.String("out_layout"); !out.empty() && out != letters) {
          c.FailAttr("out_layout", "differs from `layout`", "\"" + letters + "\"",
                     "\"" + out + "\"", "transpose the result");
        }
        Shape size = c.attrs.Shape("output_size"), out = c.shape(0);
        if (size.empty()) return c.types[0];
        if (size.size() == 1) size.resize(rank, size[0]);
        if (size.size() != rank) {
          c.FailAttr("output_size", "has the wrong number of entries",
                     "1 or " + std::to_string(rank), std::to_string(size.size()));
        }
        for (size_t d = 0; d < rank; ++d) {
          if (const int64_t* windows = ir::AsConstInt(size[d]);
              windows != nullptr && *windows < 1) {
            c.FailAttr("output_size", "has no window", "at least 1", std::to_string(*windows));
          }
          out[Layout(letters).At(space[d])] = size[d];
        }
        return TensorOf(c.dtype(0), std::move(out));
      },
      .compute =
          [rank, is_mean](const ComputeContext& c) {
            return is_mean ? AdaptiveMean(c, rank) : Results{OverParts(c, rank, Greatest, "pool")};
          },
      .examples = {{{"T[n, 3, " + extents + "]"}, {{"output_size", ShapeAttr(mixed)}}},
                   {{"T[2, " + extents + ", n]"},
                    {{"output_size", ShapeAttr({ir::Int(4)})},
                     {"layout", StringAttr("N" + space + "C")}}},
                   {{"T[2, n, " + extents + "]"}, {{"output_size", ShapeAttr({ir::Int(1)})}}},
                   {{"T[2, 3, " + extents.substr(0, extents.size() - 1) + "n]"},
                    {{"output_size", ShapeAttr({ir::Int(2)})}}}}};
}

// Where the greatest elements of a maximum pool stand: what the gradient of the pool needs.
OpDef AdaptiveIndicesOp(size_t rank) {
  OpDef op = AdaptivePool(rank, /*is_mean=*/false);
  op.doc = "Where " + op.name +
           " takes its elements from: their numbers in `data` in row-major order, int64. Of equal "
           "elements it is the first one's.";
  op.name += "_indices";
  op.type = [type = op.type](const TypeContext& c) -> TypeResult {
    const TypeResult pool = type(c);
    return TensorOf(DataType::Int(64), static_cast<const ir::TensorType&>(*pool.type).shape);
  };
  op.compute = [rank](const ComputeContext& c) { return AdaptiveIndices(c, rank); };
  return op;
}

// -- The inverse of a maximum pool.

OpDef MaxUnpool() {
  AttrDef output_size = Extents(
      "output_size", "height and width of the result; empty: (extent - 1) stride - padding + pool");
  output_size.fallback = ShapeAttr({});
  return {
      .name = "nn.max_unpool2d",
      .doc =
          "Zeros, with the elements of `data` at the places from which a maximum pool took them "
          "[PyTorch's max_unpool2d]. Places outside of the result are left out; where two elements "
          "have one place, the later one stays.",
      .inputs = {{"data", "the pool's result [n, c, h, w]"},
                 {"indices", "for each element its place in the plane, y width + x", kIndices}},
      .attrs = {Required(Ints("pool_size", "the window", {}, 1)),
                Ints("strides", "how far the window moved; empty: the window", {}, 1),
                Ints("padding",
                     "the frame around the pool's input: one number, one for each dimension, or "
                     "all before and then all after",
                     {0, 0}, 0),
                output_size},
      .type = [](const TypeContext& c) -> TypeResult {
        c.NeedRank(0, 4, 4);
        c.NeedRank(1, 4, 4);
        for (size_t d = 0; d < 4; ++d) c.NeedExtent(1, d, c.shape(0)[d], "of `data`");
        const std::vector<int64_t> pool = PerDimension(c, "pool_size", 2);
        const std::vector<int64_t> strides =
            c.attrs.Ints("strides").empty() ? pool : PerDimension(c, "strides", 2);
        const auto padding = PaddingOf(c, "padding", 2);
        const Shape size = c.attrs.Shape("output_size");
        if (!size.empty() && size.size() != 2) {
          c.FailAttr("output_size", "has the wrong number of entries", "0 or 2",
                     std::to_string(size.size()));
        }
        Shape out = c.shape(0);
        for (size_t d = 0; d < 2; ++d) {
          Expr& extent = out[d + 2];
          extent = !size.empty() ? size[d]
                                 : (extent - 1) * strides[d] +
                                       (pool[d] - padding[d].first - padding[d].second);
        }
        return TensorOf(c.dtype(0), std::move(out));
      },
      .compute =
          [](const ComputeContext& c) {
            const te::Shape &out = c.shape(), &in = c.in(0)->shape();
            return te::Extern(
                {out}, {c.dtype()}, {c.in(0), c.in(1)},
                [&](const std::vector<te::Buffer>& from, const std::vector<te::Buffer>& to) {
                  const ir::Var n = ir::MakeVar("n"), k = ir::MakeVar("c"), y = ir::MakeVar("y"),
                                x = ir::MakeVar("x"), h = ir::MakeVar("h"), w = ir::MakeVar("w"),
                                place = ir::MakeVar("place", c.in(1)->dtype());
                  const auto loop = [](const ir::Var& var, const Expr& extent, ir::Stmt body) {
                    return ir::MakeFor(var, ir::Int(0), extent, ir::ForKind::kSerial,
                                       std::move(body));
                  };
                  const Expr width = ir::MakeCast(place->dtype, out[3]);
                  const Expr inside = ir::LogicalAnd(
                      place >= 0, place < ir::MakeCast(place->dtype, out[2]) * width);
                  const ir::Stmt store = ir::MakeStore(
                      to[0], ir::MakeLoad(from[0], {n, k, h, w}),
                      {n, k, ir::MakeCast(n->dtype, ir::FloorDivide(Expr(place), width)),
                       ir::MakeCast(n->dtype, ir::FloorModulo(Expr(place), width))});
                  const ir::Stmt scatter =
                      loop(h, in[2],
                           loop(w, in[3],
                                ir::MakeLetStmt(place, ir::MakeLoad(from[1], {n, k, h, w}),
                                                ir::MakeIf(inside, store))));
                  const ir::Stmt clear =
                      loop(y, out[2],
                           loop(x, out[3], ir::MakeStore(to[0], Num(0, c.dtype()), {n, k, y, x})));
                  return loop(n, out[0], loop(k, out[1], ir::MakeSeq({clear, scatter})));
                },
                "unpool");
          },
      .examples = {{{"T[n, 2, 3, 4]", "int64[n, 2, 3, 4] in 0:47"}, {{"pool_size", IntsAttr({2})}}},
                   {{"T[2, 2, 3, 4]", "int32[2, 2, 3, 4] in -3:47"},
                    {{"pool_size", IntsAttr({3})},
                     {"strides", IntsAttr({2})},
                     {"padding", IntsAttr({1})},
                     {"output_size", ShapeAttr({ir::Int(6), ir::Int(7)})}}}}};
}

// -- p-norms of windows.

TypeResult LpPoolType(const TypeContext& c, size_t rank) {
  const std::string space = SpaceLetters(rank);
  const auto dims = static_cast<int>(rank) + 2;
  c.NeedRank(0, dims, dims);
  const Layout layout(c.attrs.String("layout"));
  const std::vector<int64_t> size = PerDimension(c, "pool_size", rank),
                             strides = PerDimension(c, "strides", rank),
                             dilation = PerDimension(c, "dilation", rank);
  const auto padding = PaddingOf(c, "padding", rank);
  Shape out = c.shape(0);
  for (size_t d = 0; d < rank; ++d) {
    Expr& extent = out[layout.At(space[d])];
    extent = WindowPlaces(extent, ir::Int(size[d], DataType::Int(64)), strides[d], dilation[d],
                          padding[d]);
  }
  return TensorOf(c.dtype(0), std::move(out));
}

Results ComputeLpPool(const ComputeContext& c, size_t rank) {
  const std::string space = SpaceLetters(rank);
  const Layout layout(c.attrs.String("layout"));
  const std::vector<int64_t> size = PerDimension(c, "pool_size", rank);
  const Window window{PerDimension(c, "strides", rank), PerDimension(c, "dilation", rank),
                      PaddingOf(c, "padding", rank)};
  const DataType dtype = c.dtype();
  const Tensor padded = PadSpace(c.in(0), layout, window, Num(0, dtype));
  const int64_t p = c.attrs.Int("p");
  const auto power = [&](const Expr& x) {
    if (p == 2) return x * x;
    const Expr size_of_x = Fn(fn::kAbs, {x});
    return p == 1 ? size_of_x : Fn(fn::kPow, {size_of_x, Num(p, dtype)});
  };
  const Tensor sum = te::Compute(
      c.shape(),
      [&](const Indices& i) {
        std::vector<Expr> at = AsExprs(i);
        std::vector<ir::IterVar> axes;
        for (size_t d = 0; d < rank; ++d) {
          axes.push_back(te::ReduceAxis(ir::Int(0), ir::Int(size[d]), "k"));
          Expr& place = at[layout.At(space[d])];
          place = place * window.strides[d] + axes.back()->var * window.dilation[d];
        }
        return te::Sum(power(At(padded, at)), axes);
      },
      "sum");
  if (p == 1) return Results{sum};
  return One(
      c.shape(),
      [&](const Indices& i) {
        const Expr x = At(sum, AsExprs(i));
        return p == 2 ? Fn(fn::kSqrt, {x})
                      : Fn(fn::kPow, {x, Num(1.0 / static_cast<double>(p), dtype)});
      },
      "pool");
}

OpDef LpPool(size_t rank) {
  const std::string n = std::to_string(rank) + "d", space = SpaceLetters(rank);
  const std::string extents = rank == 1 ? "9" : rank == 2 ? "9, 8" : "5, 6, 7";
  return {
      .name = "nn.lp_pool" + n,
      .doc = "The p-norm of each window: (sum of |x|^p)^(1/p) [ONNX's LpPool].",
      .inputs = {{"data", "the input, in `layout`", kFloats}},
      .attrs = {Int("p", "the exponent", 2, 1),
                Ints("pool_size", "the window", std::vector<int64_t>(rank, 1), 1),
                Ints("strides", "how far the window moves", std::vector<int64_t>(rank, 1), 1),
                Ints("dilation", "the distance of the window's elements",
                     std::vector<int64_t>(rank, 1), 1),
                Ints("padding",
                     "zeros around the input: one number, one for each dimension, or all "
                     "before and then all after",
                     std::vector<int64_t>(rank, 0), 0),
                Choice("layout", "the dimensions of `data`", {"NC" + space, "N" + space + "C"})},
      .kind = OpKind::kReduction,
      .type = [rank](const TypeContext& c) { return LpPoolType(c, rank); },
      .compute = [rank](const ComputeContext& c) { return ComputeLpPool(c, rank); },
      .examples =
          {{{"T[n, 3, " + extents + "]"},
            {{"pool_size", IntsAttr({2})}, {"strides", IntsAttr({2})}}},
           {{"T[n, " + extents + ", 3]"},
            {{"p", IntAttr(3)},
             {"pool_size", IntsAttr({3})},
             {"padding", IntsAttr({1})},
             {"layout", StringAttr("N" + space + "C")}}},
           {{"T[n, 3, " + extents + "]"},
            {{"p", IntAttr(1)}, {"pool_size", IntsAttr({2})}, {"dilation", IntsAttr({2})}}}}};
}

}  // namespace

std::vector<OpDef> AdaptivePools() {
  std::vector<OpDef> ops{MaxUnpool()};
  for (const size_t rank : {1, 2, 3}) {
    for (const bool is_mean : {false, true}) ops.push_back(AdaptivePool(rank, is_mean));
    ops.push_back(AdaptiveIndicesOp(rank));
    ops.push_back(LpPool(rank));
  }
  return ops;
}

}  // namespace lathe::graph::ops
