// Sorting and searching.
//
// The order of one row is found by a stable merge sort that is written as loops: runs of 1, 2, 4,
// ... places are merged in pairs. NaN counts as greater than all numbers, as in NumPy and PyTorch.
#include "graph/ops/sorts.h"

#include "graph/ops/families.h"
#include "graph/ops/loops.h"
#include "ir/text/printer.h"
#include "te/tags.h"

namespace lathe::graph::ops {
Expr Less(const Expr& a, const Expr& b) {
  if (a->dtype.is_bool()) return ir::LogicalAnd(ir::LogicalNot(a), b);
  if (!a->dtype.is_float()) return a < b;
  const auto is_nan = [](const Expr& x) { return Fn(ir::intrinsic::kIsnan, {x}); };
  return ir::LogicalOr(a < b, ir::LogicalAnd(is_nan(b), ir::LogicalNot(is_nan(a))));
}

namespace {

// One row: `order` gets the numbers of its places, sorted. `key(p)` is the element at place p.
class RowSort {
 public:
  RowSort(Expr extent, bool ascending, std::function<Expr(const Expr&)> key)
      : extent_(std::move(extent)),
        type_(extent_->dtype),
        ascending_(ascending),
        key_(std::move(key)),
        merged_(ir::MakeBuffer("merged", type_, {extent_})),
        state_(ir::MakeBuffer("state", type_, {Num(kStates, type_)})) {}

  // `order(p)` is what is at place p, and `store(p, value)` puts it there.
  Stmt Make(const std::function<Expr(const Expr&)>& order,
            const std::function<Stmt(const Expr&, const Expr&)>& store) const {
    const Stmt copy = ForRange(Num(0, type_), extent_, "p",
                               [&](const Expr& p) { return store(p, LoadAt(merged_, {p})); });
    const Stmt pairs = ir::MakeSeq(
        {Set(kLow, Num(0, type_)),
         ir::MakeWhile(Get(kLow) < extent_, LetIn("low", Get(kLow), [&](const Expr& low) {
                         return LetIn("middle", low + ir::MakeMin(Get(kWidth), extent_ - low),
                                      [&](const Expr& middle) {
                                        return LetIn(
                                            "high",
                                            middle + ir::MakeMin(Get(kWidth), extent_ - middle),
                                            [&](const Expr& high) {
                                              return Merge(low, middle, high, order);
                                            });
                                      });
                       }))});
    // The width is at least doubled while it is below the extent, so nothing overflows.
    const Expr wider =
        Get(kWidth) + ir::MakeMin(Get(kWidth), ir::MakeMax(extent_ - Get(kWidth), Num(1, type_)));
    const Stmt sort = ir::MakeSeq(
        {ForRange(Num(0, type_), extent_, "p", [&](const Expr& p) { return store(p, p); }),
         Set(kWidth, Num(1, type_)),
         ir::MakeWhile(Get(kWidth) < extent_, ir::MakeSeq({pairs, copy, Set(kWidth, wider)}))});
    return sort;
  }

  // What `statement` needs around it.
  Stmt WithMemory(Stmt statement) const {
    return ir::MakeAllocate(state_, ir::MakeAllocate(merged_, std::move(statement)));
  }

 private:
  enum State : int8_t { kWidth, kLow, kLeft, kRight, kStates };

  Expr Get(State what) const { return LoadAt(state_, {Num(static_cast<int>(what), type_)}); }
  Stmt Set(State what, const Expr& value) const {
    return StoreAt(state_, value, {Num(static_cast<int>(what), type_)});
  }

  // Merges the runs [low, middle) and [middle, high) of the order.
  Stmt Merge(const Expr& low, const Expr& middle, const Expr& high,
             const std::function<Expr(const Expr&)>& order) const {
    const auto take = [&](const Expr& p, State from) {
      return ir::MakeSeq(
          {StoreAt(merged_, order(Get(from)), {p}), Set(from, Get(from) + Num(1, type_))});
    };
    // Does the right run's next element come before the left one's? Equal ones stay in order.
    const auto right_first = [&] {
      const Expr left = key_(order(Get(kLeft))), right = key_(order(Get(kRight)));
      return ascending_ ? Less(right, left) : Less(left, right);
    };
    const Expr from_right =
        ir::IfThenElse(Get(kLeft) >= middle, ir::Bool(true),
                       ir::IfThenElse(Get(kRight) >= high, ir::Bool(false), right_first()));
    return ir::MakeSeq({Set(kLeft, low), Set(kRight, middle),
                        ForRange(low, high - low, "p",
                                 [&](const Expr& p) {
                                   return ir::MakeIf(from_right, take(p, kRight), take(p, kLeft));
                                 }),
                        Set(kLow, high)});
  }

  Expr extent_;
  DataType type_;
  bool ascending_;
  std::function<Expr(const Expr&)> key_;
  Buffer merged_, state_;
};

}  // namespace

Tensor OrderAlong(const Tensor& x, size_t axis, bool ascending) {
  const te::Shape& shape = x->shape();
  return OneExtern(
      shape, shape[axis]->dtype, {x},
      [&](const std::vector<Buffer>& in, const Buffer& out) {
        te::Shape rows = shape;
        rows.erase(rows.begin() + static_cast<ptrdiff_t>(axis));
        // The places of one row are made inside of the loops over the rows.
        std::vector<Expr> row;
        const auto at = [&](const Expr& p) {
          std::vector<Expr> place = row;
          place.insert(place.begin() + static_cast<ptrdiff_t>(axis), p);
          return place;
        };
        const RowSort sort(shape[axis], ascending,
                           [&](const Expr& p) { return LoadAt(in[0], at(p)); });
        return sort.WithMemory(ForEach(rows, [&](const std::vector<Expr>& place) {
          row = place;
          return sort.Make(
              [&](const Expr& p) { return LoadAt(out, at(p)); },
              [&](const Expr& p, const Expr& value) { return StoreAt(out, value, at(p)); });
        }));
      },
      "order")[0];
}

namespace {

Tensor TakeInOrder(const te::Shape& shape, const Tensor& x, const Tensor& order, size_t axis) {
  return One(
      shape,
      [&](const Indices& i) {
        std::vector<Expr> at = AsExprs(i);
        at[axis] = At(order, at);
        return At(x, at);
      },
      "y", te::kInjective)[0];
}

Tensor AsType(const te::Shape& shape, const Tensor& order, DataType dtype) {
  return One(
      shape, [&](const Indices& i) { return ir::MakeCast(dtype, At(order, AsExprs(i))); },
      "indices", te::kElementwise)[0];
}

AttrDef Ascending(bool fallback) {
  return Flag("is_ascend", "the smallest element first?", fallback);
}
AttrDef IndexType() { return ElementType("dtype", "the element type of the places", "int32"); }

DataType NeedIndexType(const TypeContext& c) {
  const DataType dtype = c.attrs.Type("dtype");
  if (dtype.is_void() || dtype.is_bool()) {
    c.FailAttr("dtype", "has no numbers", "a number type", c.attrs.String("dtype"));
  }
  return dtype;
}

OpDef Sort() {
  return {.name = "sort",
          .doc =
              "The elements in order along one dimension; the shape of `data`. NaN is greater than "
              "all numbers.",
          .inputs = {{"data", "the input"}},
          .attrs = {Int("axis", "the dimension", -1), Ascending(true)},
          .kind = OpKind::kOpaque,
          .type = [](const TypeContext& c) -> TypeResult {
            AxisOf(c, "axis", c.rank(0));
            return c.types[0];
          },
          .compute =
              [](const ComputeContext& c) {
                const auto axis = static_cast<size_t>(AxisOf(c, "axis", c.in(0)->ndim()));
                const Tensor order = OrderAlong(c.in(0), axis, c.attrs.Bool("is_ascend"));
                return Results{TakeInOrder(c.shape(), c.in(0), order, axis)};
              },
          .examples = {{{"T[2, n]"}},
                       {{"float32[13, n]"}, {{"axis", IntAttr(0)}, {"is_ascend", BoolAttr(false)}}},
                       {{"int8[2, 21, n] in -3:3"}, {{"axis", IntAttr(1)}}}}};
}

OpDef Argsort() {
  return {.name = "argsort",
          .doc =
              "The places of the elements in order along one dimension; the shape of `data`. Equal "
              "elements stay in order. NaN is greater than all numbers.",
          .inputs = {{"data", "the input"}},
          .attrs = {Int("axis", "the dimension", -1), Ascending(true), IndexType()},
          .kind = OpKind::kOpaque,
          .type = [](const TypeContext& c) -> TypeResult {
            AxisOf(c, "axis", c.rank(0));
            return TensorOf(NeedIndexType(c), c.shape(0));
          },
          .compute =
              [](const ComputeContext& c) {
                const auto axis = static_cast<size_t>(AxisOf(c, "axis", c.in(0)->ndim()));
                const Tensor order = OrderAlong(c.in(0), axis, c.attrs.Bool("is_ascend"));
                return Results{AsType(c.shape(), order, c.dtype())};
              },
          .examples = {{{"T[2, n]"}},
                       {{"int8[13, n] in -2:2"},
                        {{"axis", IntAttr(0)},
                         {"is_ascend", BoolAttr(false)},
                         {"dtype", StringAttr("int64")}}}}};
}

OpDef TopK() {
  return {
      .name = "topk",
      .doc =
          "The k greatest elements along one dimension in order, or the smallest, and their "
          "places: "
          "the shape of `data` with k there. Of equal elements, the first ones come first.",
      .inputs = {{"data", "the input"}},
      .attrs = {{.name = "k",
                 .type = AttrType::kShape,
                 .doc = "how many; below 1: all",
                 .fallback = IntAttr(1)},
                Int("axis", "the dimension", -1),
                Choice("ret_type", "\"both\": a tuple of elements and places",
                       {"both", "values", "indices"}),
                Ascending(false),
                IndexType()},
      .kind = OpKind::kOpaque,
      .type = [](const TypeContext& c) -> TypeResult {
        const auto axis = static_cast<size_t>(AxisOf(c, "axis", c.rank(0)));
        const std::vector<Expr> k = c.attrs.Shape("k");
        if (k.size() != 1) {
          c.FailAttr("k", "has the wrong number of entries", "1", std::to_string(k.size()));
        }
        Shape shape = c.shape(0);
        const int64_t *wanted = ir::AsConstInt(k[0]), *all = ir::AsConstInt(shape[axis]);
        if (wanted != nullptr && all != nullptr && *wanted > *all) {
          c.FailAttr("k", "is greater than the extent", "at most " + std::to_string(*all),
                     std::to_string(*wanted));
        }
        if (wanted == nullptr || (*wanted >= 1 && all == nullptr)) {
          c.Assume(SizeAssumption::Kind::kAtMost, k[0], shape[axis], "`k` of topk");
        }
        if (wanted == nullptr || *wanted >= 1) shape[axis] = k[0];
        const ir::NodeRef values = TensorOf(c.dtype(0), shape);
        const ir::NodeRef indices = TensorOf(NeedIndexType(c), shape);
        const std::string returned = c.attrs.String("ret_type");
        if (returned == "both") return TupleOf({values, indices});
        return returned == "values" ? values : indices;
      },
      .compute =
          [](const ComputeContext& c) {
            const auto axis = static_cast<size_t>(AxisOf(c, "axis", c.in(0)->ndim()));
            const Tensor order = OrderAlong(c.in(0), axis, c.attrs.Bool("is_ascend"));
            const std::string returned = c.attrs.String("ret_type");
            Results results;
            if (returned != "indices") {
              results.push_back(TakeInOrder(c.shape(), c.in(0), order, axis));
            }
            if (returned != "values") {
              results.push_back(AsType(c.shape(), order, c.output_dtypes.back()));
            }
            return results;
          },
      .examples = {{{"T[n, 9]"}, {{"k", IntAttr(3)}}},
                   {{"int8[17, n] in -3:3"},
                    {{"k", IntAttr(4)},
                     {"axis", IntAttr(0)},
                     {"is_ascend", BoolAttr(true)},
                     {"dtype", StringAttr("int64")}}},
                   {{"float32[2, n]"}, {{"k", IntAttr(0)}, {"ret_type", StringAttr("values")}}},
                   {{"float32[n, 9]"}, {{"k", IntAttr(2)}, {"ret_type", StringAttr("indices")}}}}};
}

OpDef SearchSorted() {
  return {
      .name = "searchsorted",
      .doc =
          "Where each value would be inserted into a sorted row: the number of elements below it, "
          "or with `right` not above it. The shape of `values`.",
      .inputs = {{"sorted_sequence", "[..., m], sorted along the last dimension, or one row [m]",
                  kNumbers},
                 {"values", "[..., k]: as many rows; any shape if there is one row", kNumbers, 0}},
      .attrs = {Flag("right", "after equal elements?", false), IndexType()},
      .kind = OpKind::kOpaque,
      .type = [](const TypeContext& c) -> TypeResult {
        c.NeedRank(0, 1, INT32_MAX);
        if (c.rank(0) > 1) {
          c.NeedRank(1, c.rank(0), c.rank(0));
          for (size_t d = 0; d + 1 < c.shape(0).size(); ++d) {
            c.NeedExtent(1, d, c.shape(0)[d], "of `sorted_sequence`");
          }
        }
        return TensorOf(NeedIndexType(c), c.shape(1));
      },
      .compute =
          [](const ComputeContext& c) {
            const Expr extent = c.in(0)->shape().back();
            const DataType type = extent->dtype;
            return OneExtern(
                c.shape(), c.dtype(), c.inputs,
                [&](const std::vector<Buffer>& in, const Buffer& out) {
                  // The answer is within [low, high].
                  const Buffer state = ir::MakeBuffer("state", type, {Num(2, type)});
                  const Expr zero = Num(0, type), one = Num(1, type);
                  const Expr low = LoadAt(state, {zero}), high = LoadAt(state, {one});
                  const Stmt search = ForEach(out->shape, [&](const std::vector<Expr>& at) {
                    const auto step = [&](const Expr& middle) {
                      std::vector<Expr> place;
                      if (in[0]->shape.size() > 1) place.assign(at.begin(), at.end() - 1);
                      place.push_back(middle);
                      const Expr element = LoadAt(in[0], place), value = LoadAt(in[1], at);
                      const Expr is_before = c.attrs.Bool("right")
                                                 ? ir::LogicalNot(Less(value, element))
                                                 : Less(element, value);
                      return ir::MakeIf(is_before, StoreAt(state, middle + one, {zero}),
                                        StoreAt(state, middle, {one}));
                    };
                    const Expr middle = low + ir::FloorDivide(high - low, Num(2, type));
                    return ir::MakeSeq({StoreAt(state, zero, {zero}), StoreAt(state, extent, {one}),
                                        ir::MakeWhile(low < high, LetIn("middle", middle, step)),
                                        StoreAt(out, ir::MakeCast(c.dtype(), low), at)});
                  });
                  return ir::MakeAllocate(state, search);
                });
          },
      .examples = {{{"T[1] in 0:3", "T[n, 2] in -2:6"}},
                   {{"float32[n, 1] in 0:3", "float32[n, 4]"},
                    {{"right", BoolAttr(true)}, {"dtype", StringAttr("int64")}}},
                   {{"int32[9] in 3:3", "int32[n] in 1:5"}},
                   {{"int32[9] in 3:3", "int32[n] in 1:5"}, {{"right", BoolAttr(true)}}}}};
}

}  // namespace

std::vector<OpDef> Sorts() { return {Sort(), Argsort(), TopK(), SearchSorted()}; }

}  // namespace lathe::graph::ops
