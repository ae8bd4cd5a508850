// Results whose extents only a run knows: what is not zero, what is different.
//
// The operations have room for the most elements that there can be, and say how many there are
// (OpDef::compute). as_shape makes sizes of any numbers.
#include "graph/builder.h"
#include "graph/ops/families.h"
#include "graph/ops/loops.h"
#include "graph/ops/sorts.h"

namespace lathe::graph::ops {
namespace {

constexpr int64_t kMostExtents = 32;

Expr NumberOfElements(const Shape& shape) {
  Expr count = ir::Int(1, DataType::Int(64));
  for (const Expr& extent : shape) count = count * extent;
  return count;
}

Expr IsNotZero(const Expr& x) { return x->dtype.is_bool() ? x : ir::NotEqual(x, Num(0, x->dtype)); }

// A new size that is at most `most`.
ir::Var NewSize(TypeResult& result, Expr most, const char* name = "count") {
  result.sizes.push_back(ir::MakeSizeVar(name, DataType::Int(64)));
  result.most.push_back(std::move(most));
  return result.sizes.back();
}

AttrDef PlaceType(const char* fallback) {
  return ElementType("dtype", "the element type of the places, an integer", fallback);
}
DataType NeedPlaceType(const TypeContext& c) {
  const DataType dtype = c.attrs.Type("dtype");
  if (!dtype.is_int() && !dtype.is_uint()) {
    c.FailAttr("dtype", "is no integer type", "int32 or int64", c.attrs.String("dtype"));
  }
  return dtype;
}

// A size of the result of a composition: that of the composition's own operator.
TypeResult WithSize(const std::function<ir::NodeRef(const Expr&)>& type) {
  const ir::Var size = ir::MakeSizeVar("count", DataType::Int(64));
  TypeResult result(type(size));
  result.sizes = {size};
  return result;
}

OpDef Argwhere() {
  return {
      .name = "argwhere",
      .doc =
          "The places of the elements that are not zero, in row-major order: [their number, rank "
          "of `data`] (NumPy's argwhere, PyTorch's nonzero).",
      .inputs = {{"condition", "the input"}},
      .attrs = {PlaceType("int32")},
      .kind = OpKind::kOpaque,
      .type = [](const TypeContext& c) -> TypeResult {
        TypeResult result(nullptr);
        const ir::Var count = NewSize(result, NumberOfElements(c.shape(0)));
        result.type =
            TensorOf(NeedPlaceType(c), {Expr(count), ir::Int(c.rank(0), DataType::Int(64))});
        return result;
      },
      .compute =
          [](const ComputeContext& c) {
            return te::Extern(
                c.output_shapes, c.output_dtypes, c.inputs,
                [&](const std::vector<Buffer>& in, const std::vector<Buffer>& out) {
                  const std::vector<Expr> first{ir::Int(0)};
                  const auto find = [&](const std::vector<Expr>& at) {
                    const Stmt keep = LetIn("row", LoadAt(out[1], first), [&](const Expr& row) {
                      std::vector<Stmt> steps;
                      for (size_t d = 0; d < at.size(); ++d) {
                        steps.push_back(StoreAt(out[0], ir::MakeCast(c.dtype(), at[d]),
                                                {row, ir::Int(static_cast<int64_t>(d))}));
                      }
                      steps.push_back(StoreAt(out[1], row + Num(1, row->dtype), first));
                      return ir::MakeSeq(std::move(steps));
                    });
                    return ir::MakeIf(IsNotZero(LoadAt(in[0], at)), keep);
                  };
                  return ir::MakeSeq({StoreAt(out[1], Num(0, DataType::Int(64)), first),
                                      ForEach(in[0]->shape, find)});
                },
                "places");
          },
      .examples = {{{"T[n, 5] in -1:1"}},
                   {{"bool[3, n, 2]"}, {{"dtype", StringAttr("int64")}}},
                   {{"float32[0, n]"}}}};
}

OpDef Nonzero() {
  return {
      .name = "nonzero",
      .doc =
          "The places of the elements that are not zero: [rank of `data`, their number] "
          "(ONNX's NonZero). A composition of argwhere and transpose.",
      .inputs = {{"data", "the input"}},
      .attrs = {PlaceType("int64")},
      .kind = OpKind::kOpaque,
      .type = [](const TypeContext& c) -> TypeResult {
        return WithSize([&](const Expr& count) {
          return TensorOf(NeedPlaceType(c), {ir::Int(c.rank(0), DataType::Int(64)), count});
        });
      },
      .expand = [](Builder& b, const std::vector<GraphVar>& args, const Attrs& attrs) -> GraphVar {
        const GraphVar places =
            b.Call("argwhere", args, {{"dtype", StringAttr(attrs.String("dtype"))}});
        return b.Call("transpose", {places}, {});
      },
      .examples = {{{"T[n, 5] in -1:1"}}, {{"int8[n] in 0:1"}, {{"dtype", StringAttr("int32")}}}}};
}

OpDef Compress() {
  return {
      .name = "compress",
      .doc =
          "The slices of `data` along one dimension for which `condition` holds (NumPy's and "
          "ONNX's compress). Without an axis: of all elements, in row-major order. A composition "
          "of argwhere and take.",
      .inputs = {{"condition", "which slices, [at most as many as there are]", kBool},
                 {"data", "the input"}},
      .attrs = {Ints("axis", "the dimension; empty: all elements as one", {})},
      .kind = OpKind::kOpaque,
      .type = [](const TypeContext& c) -> TypeResult {
        c.NeedRank(0, 1, 1);
        const std::vector<int64_t> axes = AxesOf(c, "axis", c.rank(1));
        if (axes.size() > 1) {
          c.FailAttr("axis", "names several dimensions", "one, or none",
                     std::to_string(axes.size()));
        }
        const Expr extent =
            axes.empty() ? NumberOfElements(c.shape(1)) : c.shape(1)[static_cast<size_t>(axes[0])];
        if (!c.Assume(SizeAssumption::Kind::kAtMost, c.shape(0)[0], extent,
                      "dimension 0 of argument 0 (`condition`) of compress")) {
          c.FailArgument(0, "is longer than `data`", "at most " + ExtentText(extent),
                         ExtentText(c.shape(0)[0]));
        }
        return WithSize([&](const Expr& count) {
          if (axes.empty()) return TensorOf(c.dtype(1), {count});
          Shape shape = c.shape(1);
          shape[static_cast<size_t>(axes[0])] = count;
          return TensorOf(c.dtype(1), std::move(shape));
        });
      },
      .expand = [](Builder& b, const std::vector<GraphVar>& args, const Attrs& attrs) -> GraphVar {
        const GraphVar places =
            b.Call("squeeze", {b.Call("argwhere", {args[0]}, {{"dtype", StringAttr("int64")}})},
                   {{"axis", IntsAttr({1})}});
        const std::vector<int64_t> axes = attrs.Ints("axis");
        const GraphVar data =
            axes.empty() ? b.Call("reshape", {args[1]}, {{"newshape", IntsAttr({-1})}}) : args[1];
        return b.Call("take", {data, places}, {{"axis", IntAttr(axes.empty() ? 0 : axes[0])}});
      },
      .examples = {{{"bool[n]", "T[n, 3]"}, {{"axis", IntsAttr({0})}}},
                   {{"bool[3]", "float32[n, 3]"}, {{"axis", IntsAttr({-1})}}},
                   {{"bool[5]", "int32[2, 4]"}}}};
}

// The buffers of a call of unique; `numbers` is the last one.
struct UniqueBuffers {
  Buffer values, indices, inverse, counts, number;  // `counts` may be null
};

// Counts element `place` of the input as a new one, or as one more of element number `of`.
Stmt NewElement(const UniqueBuffers& to, const Buffer& data, const Expr& place) {
  const std::vector<Expr> first{ir::Int(0)};
  return LetIn("row", LoadAt(to.number, first), [&](const Expr& row) {
    std::vector<Stmt> steps{StoreAt(to.values, LoadAt(data, {place}), {row}),
                            StoreAt(to.indices, ir::MakeCast(to.indices->dtype, place), {row})};
    if (to.counts) steps.push_back(StoreAt(to.counts, Num(0, to.counts->dtype), {row}));
    steps.push_back(StoreAt(to.number, row + Num(1, row->dtype), first));
    return ir::MakeSeq(std::move(steps));
  });
}
Stmt OneMore(const UniqueBuffers& to, const Expr& of) {
  if (!to.counts) return ir::Nop();
  return StoreAt(to.counts, LoadAt(to.counts, {of}) + Num(1, to.counts->dtype), {of});
}

// The elements in order: equal ones are neighbours, and of those the first one comes first.
Stmt UniqueSorted(const Buffer& data, const Buffer& order, const UniqueBuffers& to) {
  const Expr extent = data->shape[0];
  const std::vector<Expr> first{ir::Int(0)};
  return ForRange(Num(0, extent->dtype), extent, "p", [&](const Expr& p) {
    return LetIn("place", LoadAt(order, {p}), [&](const Expr& place) {
      const Expr before = LoadAt(data, {LoadAt(order, {p - Num(1, p->dtype)})});
      const Expr is_new =
          ir::IfThenElse(p < Num(1, p->dtype), ir::Bool(true), Less(before, LoadAt(data, {place})));
      const Expr last = LoadAt(to.number, first) - Num(1, to.number->dtype);
      return ir::MakeSeq({ir::MakeIf(is_new, NewElement(to, data, place)),
                          StoreAt(to.inverse, ir::MakeCast(to.inverse->dtype, last), {place}),
                          OneMore(to, last)});
    });
  });
}

// In the order of the first ones: `inverse` first has for each element the place of the first equal
// one, and then its number.
Stmt UniqueInOrder(const Buffer& data, const Buffer& order, const UniqueBuffers& to) {
  const Expr extent = data->shape[0];
  const DataType type = to.inverse->dtype;
  const std::vector<Expr> first{ir::Int(0)};
  const Stmt link = ForRange(Num(0, extent->dtype), extent, "p", [&](const Expr& p) {
    return LetIn("place", LoadAt(order, {p}), [&](const Expr& place) {
      const Expr neighbour = LoadAt(order, {p - Num(1, p->dtype)});
      const Expr is_new = ir::IfThenElse(p < Num(1, p->dtype), ir::Bool(true),
                                         Less(LoadAt(data, {neighbour}), LoadAt(data, {place})));
      return StoreAt(
          to.inverse,
          ir::IfThenElse(is_new, ir::MakeCast(type, place), LoadAt(to.inverse, {neighbour})),
          {place});
    });
  });
  const Stmt number = ForRange(Num(0, extent->dtype), extent, "i", [&](const Expr& i) {
    const Expr last = ir::MakeCast(type, LoadAt(to.number, first)) - Num(1, type);
    return LetIn("same", LoadAt(to.inverse, {i}), [&](const Expr& same) {
      const Stmt make = ir::MakeSeq({NewElement(to, data, i), StoreAt(to.inverse, last, {i})});
      const Stmt repeat = StoreAt(to.inverse, LoadAt(to.inverse, {same}), {i});
      return ir::MakeSeq({ir::MakeIf(ir::Equal(same, ir::MakeCast(type, i)), make, repeat),
                          OneMore(to, LoadAt(to.inverse, {i}))});
    });
  });
  return ir::MakeSeq({link, number});
}

OpDef Unique() {
  return {
      .name = "unique",
      .doc =
          "The different elements of `data`: (the elements [their number], the place of the first "
          "one of each, the number of each element of `data` among them [n], and with "
          "`return_counts` how often each occurs) (NumPy's and ONNX's unique). NaN is equal to "
          "NaN.",
      .inputs = {{"data", "[n]"}},
      .attrs = {Flag("is_sorted", "in ascending order, not in the order of the first ones?", true),
                Flag("return_counts", "is the last result wanted?", false), PlaceType("int32")},
      .kind = OpKind::kOpaque,
      .type = [](const TypeContext& c) -> TypeResult {
        c.NeedRank(0, 1, 1);
        TypeResult result(nullptr);
        const Expr count = NewSize(result, c.shape(0)[0]);
        const DataType places = NeedPlaceType(c);
        std::vector<ir::NodeRef> fields{TensorOf(c.dtype(0), {count}), TensorOf(places, {count}),
                                        TensorOf(places, c.shape(0))};
        if (c.attrs.Bool("return_counts")) fields.push_back(TensorOf(places, {count}));
        result.type = TupleOf(std::move(fields));
        return result;
      },
      .compute =
          [](const ComputeContext& c) {
            const Tensor order = OrderAlong(c.in(0), 0, true);
            const bool counts = c.attrs.Bool("return_counts");
            return te::Extern(
                c.output_shapes, c.output_dtypes, {c.in(0), order},
                [&](const std::vector<Buffer>& in, const std::vector<Buffer>& out) {
                  const UniqueBuffers to{out[0], out[1], out[2], counts ? out[3] : Buffer(),
                                         out.back()};
                  return ir::MakeSeq({StoreAt(to.number, Num(0, DataType::Int(64)), {ir::Int(0)}),
                                      (c.attrs.Bool("is_sorted") ? UniqueSorted : UniqueInOrder)(
                                          in[0], in[1], to)});
                },
                "unique");
          },
      .examples = {{{"T[n] in -3:3"}},
                   {{"int32[n] in 0:5"}, {{"return_counts", BoolAttr(true)}}},
                   {{"int8[n] in 0:5"},
                    {{"is_sorted", BoolAttr(false)},
                     {"return_counts", BoolAttr(true)},
                     {"dtype", StringAttr("int64")}}}}};
}

OpDef AsShape() {
  return {.name = "as_shape",
          .doc =
              "Sizes from numbers: a bool tensor without elements, of shape [0, values...]. The "
              "reverse "
              "of shape_of: attributes of other operators that take extents can name those of the "
              "result, so shapes may depend on what a graph computes. No value may be negative.",
          .inputs = {{"values", "the extents: [their number]", kIndices}},
          .kind = OpKind::kOpaque,
          .type = [](const TypeContext& c) -> TypeResult {
            c.NeedRank(0, 1, 1);
            const int64_t* count = ir::AsConstInt(c.shape(0)[0]);
            if (count == nullptr || *count > kMostExtents) {
              c.FailArgument(0, "has an extent that a rank cannot be",
                             "a number of at most " + std::to_string(kMostExtents),
                             ExtentText(c.shape(0)[0]));
            }
            TypeResult result(nullptr);
            Shape shape{Num(0, DataType::Int(64))};
            // Also where the values are known: then nobody needs to ask for these sizes.
            for (int64_t i = 0; i < *count; ++i) {
              shape.push_back(NewSize(result, ir::Int(1, DataType::Int(64)), "extent"));
            }
            result.type = TensorOf(DataType::Bool(), std::move(shape));
            return result;
          },
          .compute =
              [](const ComputeContext& c) {
                std::vector<Tensor> results{te::Compute(
                    c.output_shapes[0], [](const Indices&) { return Num(0, DataType::Bool()); },
                    "shape")};
                if (c.output_shapes.size() == 1) return results;  // of no values
                results.push_back(te::Compute(
                    c.output_shapes[1],
                    [&](const Indices& i) {
                      return ir::MakeCast(DataType::Int(64), At(c.in(0), {Expr(i[0])}));
                    },
                    "extents"));
                return results;
              },
          .examples = {{{"T[3] in 0:5"}}, {{"int32[1] in 0:9"}}, {{"int64[0]"}}}};
}

}  // namespace

std::vector<OpDef> Selections() { return {Argwhere(), Nonzero(), Compress(), Unique(), AsShape()}; }

}  // namespace lathe::graph::ops
