// Elements at places that another tensor says.
#include <algorithm>
#include <cmath>

#include "graph/ops/extremes.h"
#include "graph/ops/families.h"
#include "graph/ops/loops.h"
#include "te/tags.h"

namespace lathe::graph::ops {
namespace {

// `index` within [0, extent): "clip" takes the nearest place, "wrap" counts around, "fast" trusts.
Expr Place(const Expr& index, const Expr& extent, const std::string& mode) {
  const Expr bound = ir::MakeCast(index->dtype, extent);
  const Expr zero = Num(0, index->dtype);
  if (mode == "wrap") return ir::FloorModulo(index, bound);
  if (mode == "fast") return index;
  return ir::MakeMax(ir::MakeMin(index, bound - Num(1, index->dtype)), zero);
}

OpDef Take() {
  return {
      .name = "take",
      .doc = "Slices of `data` along one dimension, at the places that `indices` says.",
      .inputs = {{"data", "the input"}, {"indices", "places; any shape", kIndices}},
      .attrs = {Int("axis", "the dimension", 0),
                Int("batch_dims", "leading dimensions in common", 0, 0),
                Choice(
                    "mode",
                    "what places outside mean: the nearest place, counted around, or an error of "
                    "the caller",
                    {"clip", "wrap", "fast"})},
      .kind = OpKind::kInjective,
      .type = [](const TypeContext& c) -> TypeResult {
        const int64_t axis = AxisOf(c, "axis", c.rank(0)), batch = c.attrs.Int("batch_dims");
        if (batch > axis || batch > c.rank(1)) {
          c.FailAttr("batch_dims",
                     "has more dimensions than are before `axis`, or than `indices` has",
                     "at most " + std::to_string(std::min<int64_t>(axis, c.rank(1))),
                     std::to_string(batch));
        }
        const Shape &data = c.shape(0), &indices = c.shape(1);
        for (int64_t d = 0; d < batch; ++d) {
          c.NeedExtent(1, static_cast<size_t>(d), data[static_cast<size_t>(d)], "of `data`");
        }
        Shape out(data.begin(), data.begin() + axis);
        out.insert(out.end(), indices.begin() + batch, indices.end());
        out.insert(out.end(), data.begin() + axis + 1, data.end());
        TypeResult result(TensorOf(c.dtype(0), std::move(out)));
        if (c.values[0] && c.values[1] && data.size() == 1) {
          std::vector<Expr> value;
          const auto count = static_cast<int64_t>(c.values[0]->size());
          for (const Expr& index : *c.values[1]) {
            const int64_t* number = ir::AsConstInt(index);
            if (number == nullptr || *number < 0 || *number >= count) return result;
            value.push_back((*c.values[0])[static_cast<size_t>(*number)]);
          }
          result.value = std::move(value);
        }
        return result;
      },
      .compute =
          [](const ComputeContext& c) {
            const Tensor &data = c.in(0), &indices = c.in(1);
            const auto axis = static_cast<size_t>(AxisOf(c, "axis", data->ndim()));
            const auto batch = static_cast<size_t>(c.attrs.Int("batch_dims"));
            const size_t looked_up = indices->shape().size() - batch;
            return One(
                c.shape(),
                [&](const Indices& i) {
                  std::vector<Expr> of_index(i.begin(), i.begin() + static_cast<ptrdiff_t>(batch));
                  for (size_t d = 0; d < looked_up; ++d) of_index.push_back(i[axis + d]);
                  const Expr extent = data->shape()[axis];
                  const std::string mode = c.attrs.String("mode");
                  const Expr index = Index(At(indices, of_index));
                  std::vector<Expr> at(i.begin(), i.begin() + static_cast<ptrdiff_t>(axis));
                  at.push_back(Place(index, extent, mode));
                  for (size_t d = axis + looked_up; d < i.size(); ++d) at.push_back(i[d]);
                  return At(data, at);
                },
                "y", te::kInjective);
          },
      .examples =
          {{{"T[9, 3]", "int64[n, 2] in 0:8"}},
           {{"T[2, 9, 3]", "int32[n] in -9:8"}, {{"axis", IntAttr(1)}}},
           {{"T[n, 9]", "int32[n, 4] in -20:20"},
            {{"axis", IntAttr(1)}, {"batch_dims", IntAttr(1)}, {"mode", StringAttr("wrap")}}}}};
}

OpDef Gather() {
  return {
      .name = "gather",
      .doc =
          "The elements of `data` at the places that `indices` says along one dimension, and at "
          "their own place along the others: the shape of `indices`. Negative indices count from "
          "the end; beyond the ends is the nearest place.",
      .inputs = {{"data", "the input"},
                 {"indices", "places; the rank of `data`, and at most as long in other dimensions",
                  kIndices}},
      .attrs = {Required(Int("axis", "the dimension", 0))},
      .kind = OpKind::kInjective,
      .type = [](const TypeContext& c) -> TypeResult {
        const int64_t axis = AxisOf(c, "axis", c.rank(0));
        c.NeedRank(1, c.rank(0), c.rank(0));
        for (size_t d = 0; d < c.shape(0).size(); ++d) {
          const int64_t *most = ir::AsConstInt(c.shape(0)[d]), *n = ir::AsConstInt(c.shape(1)[d]);
          if (static_cast<int64_t>(d) == axis || most == nullptr || n == nullptr || *n <= *most) {
            continue;
          }
          c.FailArgument(1, "is longer than `data` in dimension " + std::to_string(d),
                         "at most " + std::to_string(*most), std::to_string(*n));
        }
        return TensorOf(c.dtype(0), c.shape(1));
      },
      .compute =
          [](const ComputeContext& c) {
            const Tensor& data = c.in(0);
            const auto axis = static_cast<size_t>(AxisOf(c, "axis", data->ndim()));
            const Expr extent = data->shape()[axis];
            return One(
                c.shape(),
                [&](const Indices& i) {
                  std::vector<Expr> at = AsExprs(i);
                  at[axis] = Place(FromEnd(At(c.in(1), at), extent), extent, "clip");
                  return At(data, at);
                },
                "y", te::kInjective);
          },
      .examples = {{{"T[6, n]", "int64[4, n] in -6:5"}, {{"axis", IntAttr(0)}}},
                   {{"T[n, 6, 2]", "int32[n, 4, 1] in -9:9"}, {{"axis", IntAttr(-2)}}}}};
}

OpDef GatherNd() {
  return {
      .name = "gather_nd",
      .doc =
          "Elements of `data` at places of several dimensions (Relay): for indices [m, y...], "
          "y[b..., y..., x...] = data[b..., indices[0, b..., y...], ..., indices[m - 1, b..., "
          "y...], x...], with `batch_dims` dimensions b. Negative indices count from the end; "
          "beyond the ends is the nearest place.",
      .inputs = {{"data", "the input"}, {"indices", "[m, b..., y...]; m is a number", kIndices}},
      .attrs = {Int("batch_dims", "leading dimensions in common", 0, 0)},
      .kind = OpKind::kInjective,
      .type = [](const TypeContext& c) -> TypeResult {
        c.NeedRank(1, 1, INT32_MAX);
        const int64_t batch = c.attrs.Int("batch_dims");
        const int64_t* looked_up = ir::AsConstInt(c.shape(1)[0]);
        if (batch > std::min(c.rank(0), c.rank(1) - 1)) {
          c.FailAttr("batch_dims", "has more dimensions than the inputs have in common",
                     "at most " + std::to_string(std::min(c.rank(0), c.rank(1) - 1)),
                     std::to_string(batch));
        }
        if (looked_up == nullptr || batch + *looked_up > c.rank(0)) {
          c.FailArgument(1, "has too many entries in dimension 0",
                         "a number that is at most " + std::to_string(c.rank(0) - batch),
                         looked_up == nullptr ? "an expression" : std::to_string(*looked_up));
        }
        for (size_t d = 0; d < static_cast<size_t>(batch); ++d) {
          c.NeedExtent(1, d + 1, c.shape(0)[d], "of `data`");
        }
        Shape out(c.shape(1).begin() + 1, c.shape(1).end());
        out.insert(out.end(), c.shape(0).begin() + batch + *looked_up, c.shape(0).end());
        return TensorOf(c.dtype(0), std::move(out));
      },
      .compute =
          [](const ComputeContext& c) {
            const Tensor &data = c.in(0), &indices = c.in(1);
            const auto batch = static_cast<ptrdiff_t>(c.attrs.Int("batch_dims"));
            const auto places = static_cast<ptrdiff_t>(indices->ndim() - 1);
            const int64_t looked_up = *ir::AsConstInt(indices->shape()[0]);
            return One(
                c.shape(),
                [&](const Indices& i) {
                  std::vector<Expr> at(i.begin(), i.begin() + batch);
                  for (int64_t m = 0; m < looked_up; ++m) {
                    std::vector<Expr> of_index(i.begin(), i.begin() + places);
                    of_index.insert(of_index.begin(), ir::Int(m));
                    const Expr extent = data->shape()[at.size()];
                    at.push_back(Place(FromEnd(At(indices, of_index), extent), extent, "clip"));
                  }
                  at.insert(at.end(), i.begin() + places, i.end());
                  return At(data, at);
                },
                "y", te::kInjective);
          },
      .examples = {{{"T[4, 5]", "int64[2, n] in -4:3"}},
                   {{"T[4, n]", "int32[1, 2, 3] in -9:9"}},
                   {{"T[n, 4, 5, 2]", "int64[2, n, 3] in 0:3"}, {{"batch_dims", IntAttr(1)}}}}};
}

OpDef ReverseSequence() {
  return {.name = "reverse_sequence",
          .doc =
              "`data` with the first seq_lengths[b] elements along `seq_axis` in the reverse "
              "order, for "
              "each place b of `batch_axis`; the others stay where they are.",
          .inputs = {{"data", "the input"}, {"seq_lengths", "[extent of `batch_axis`]", kIndices}},
          .attrs = {Int("seq_axis", "the dimension of time", 1),
                    Int("batch_axis", "the dimension of the sequences", 0)},
          .kind = OpKind::kInjective,
          .type = [](const TypeContext& c) -> TypeResult {
            const int64_t time = AxisOf(c, "seq_axis", c.rank(0));
            const int64_t batch = AxisOf(c, "batch_axis", c.rank(0));
            if (time == batch) {
              c.FailAttr("seq_axis", "is `batch_axis`", "another dimension", std::to_string(time));
            }
            c.NeedRank(1, 1, 1);
            c.NeedExtent(1, 0, c.shape(0)[static_cast<size_t>(batch)], "of `batch_axis`");
            return c.types[0];
          },
          .compute =
              [](const ComputeContext& c) {
                const Tensor& x = c.in(0);
                const auto time = static_cast<size_t>(AxisOf(c, "seq_axis", x->ndim()));
                const auto batch = static_cast<size_t>(AxisOf(c, "batch_axis", x->ndim()));
                return One(
                    c.shape(),
                    [&](const Indices& i) {
                      std::vector<Expr> at = AsExprs(i);
                      const Expr length = At(c.in(1), {i[batch]});
                      const Expr place = ir::MakeCast(length->dtype, i[time]);
                      const Expr most = ir::MakeCast(length->dtype, x->shape()[time]);
                      at[time] = ir::MakeSelect(place < length,
                                                ir::MakeMin(length, most) - 1 - place, place);
                      return At(x, at);
                    },
                    "y", te::kInjective);
              },
          .examples = {{{"T[n, 5]", "int64[n] in 0:5"}},
                       {{"T[5, 2, n]", "int32[n] in 1:5"},
                        {{"seq_axis", IntAttr(0)}, {"batch_axis", IntAttr(-1)}}}}};
}

OpDef SequenceMask() {
  return {.name = "sequence_mask",
          .doc =
              "`data` with `mask_value` at the places of time from valid_length[b] on, for each "
              "sequence b. Time and the sequences are the first two dimensions.",
          .inputs = {{"data", "[time, batch, ...], or [batch, time, ...] if `axis` is 1", kNumbers},
                     {"valid_length", "[batch]", kIndices}},
          .attrs = {Number("mask_value", "what masked elements become", 0),
                    Int("axis", "the dimension of time", 0, 0, 1)},
          .kind = OpKind::kInjective,
          .type = [](const TypeContext& c) -> TypeResult {
            c.NeedRank(0, 2, INT32_MAX);
            c.NeedRank(1, 1, 1);
            c.NeedExtent(1, 0, c.shape(0)[static_cast<size_t>(1 - c.attrs.Int("axis"))],
                         "the batch of `data`");
            const DataType dtype = c.dtype(0);
            const double mask = c.attrs.Float("mask_value");
            const int bits = dtype.is_bool() ? 1 : dtype.bits() - (dtype.is_int() ? 1 : 0);
            const bool fits =
                dtype.is_float() || (mask >= (dtype.is_int() ? -std::ldexp(1.0, bits) : 0) &&
                                     mask < std::ldexp(1.0, bits));
            if (!fits) {
              c.FailAttr("mask_value", "does not fit the elements of `data`",
                         "a number of " + dtype.ToString(), std::to_string(mask));
            }
            return c.types[0];
          },
          .compute =
              [](const ComputeContext& c) {
                const auto time = static_cast<size_t>(c.attrs.Int("axis"));
                const double value = c.attrs.Float("mask_value");
                return One(
                    c.shape(),
                    [&](const Indices& i) {
                      const Expr length = At(c.in(1), {i[1 - time]});
                      const Expr mask = c.dtype().is_float()
                                            ? Num(value, c.dtype())
                                            : Num(static_cast<int64_t>(value), c.dtype());
                      return ir::MakeSelect(ir::MakeCast(length->dtype, i[time]) < length,
                                            At(c.in(0), AsExprs(i)), mask);
                    },
                    "y", te::kInjective);
              },
          .examples = {{{"T[5, n]", "int64[n] in 0:6"}},
                       {{"T[n, 5, 2]", "int32[n] in 0:6"},
                        {{"mask_value", FloatAttr(-3)}, {"axis", IntAttr(1)}}}}};
}

// Rows of `weight` of one bag, put together in the order of the indices.
Stmt FillBag(const ComputeContext& c, const std::vector<Buffer>& in, const Buffer& out,
             const std::vector<Expr>& at) {
  const Buffer &weight = in[0], &indices = in[1], &offsets = in[2];
  const std::string mode = c.attrs.String("mode");
  const DataType type = offsets->dtype;
  const Expr bag = at[0], rows = ir::MakeCast(type, indices->shape[0]);
  const Expr first = ir::MakeMax(LoadAt(offsets, {bag}), Num(0, type));
  Expr bound = LoadAt(offsets, {bag + Num(1, bag->dtype)});
  if (!c.attrs.Bool("include_last_offset")) {
    const Expr is_last = ir::Equal(bag, ir::MakeCast(bag->dtype, out->shape[0]) - 1);
    bound = ir::IfThenElse(is_last, rows, bound);
  }
  return LetIn("begin", first, [&](const Expr& begin) {
    return LetIn("end", ir::MakeMin(bound, rows), [&](const Expr& end) {
      const Stmt add = ForRange(begin, end - begin, "k", [&](const Expr& k) {
        const Expr extent = weight->shape[0];
        const Expr row = Place(FromEnd(LoadAt(indices, {k}), extent), extent, "clip");
        Expr value = LoadAt(weight, {row, at[1]});
        if (in.size() > 3) value = value * LoadAt(in[3], {k});
        const Expr so_far = LoadAt(out, at);
        if (mode != "max") return StoreAt(out, so_far + value, at);
        return ir::MakeIf(ir::Equal(k, begin), StoreAt(out, value, at),
                          StoreAt(out, Greater(so_far, value), at));
      });
      Stmt divide;
      if (mode == "mean") {
        divide = ir::MakeIf(
            end > begin, StoreAt(out, LoadAt(out, at) / ir::MakeCast(c.dtype(), end - begin), at));
      }
      return ir::MakeSeq({StoreAt(out, Num(0, c.dtype()), at), add, divide});
    });
  });
}

OpDef EmbeddingBag() {
  return {
      .name = "embedding_bag",
      .doc =
          "The sums, means or maxima of bags of rows of `weight` (PyTorch): [bags, d]. Bag j has "
          "the rows indices[offsets[j]], ... before indices[offsets[j + 1]]; an empty bag gives 0.",
      .inputs = {{"weight", "the rows, [v, d]", kFloats},
                 {"indices", "numbers of rows, [n]; outside is the nearest row", kIndices},
                 {"offsets", "where the bags begin, [bags]", kIndices},
                 {"per_sample_weights", "factors of the rows, [n]; 1 if left out", kFloats, 0}},
      .attrs = {Choice("mode", "how a bag is put together", {"mean", "sum", "max"}),
                Flag("include_last_offset",
                     "does `offsets` end with the end of the last bag: [bags + 1]?", false)},
      .kind = OpKind::kOpaque,
      .optional_inputs = 1,
      .type = [](const TypeContext& c) -> TypeResult {
        c.NeedRank(0, 2, 2);
        for (size_t i = 1; i < c.size(); ++i) c.NeedRank(i, 1, 1);
        if (c.size() > 3) {
          c.NeedExtent(3, 0, c.shape(1)[0], "of `indices`");
          if (c.attrs.String("mode") != "sum") {
            c.FailAttr("mode", "takes no `per_sample_weights`", "\"sum\"",
                       "\"" + c.attrs.String("mode") + "\"");
          }
        }
        const Expr offsets = c.shape(2)[0];
        const Expr bags = c.attrs.Bool("include_last_offset") ? offsets - 1 : offsets;
        return TensorOf(c.dtype(0), {bags, c.shape(0)[1]});
      },
      .compute =
          [](const ComputeContext& c) {
            return OneExtern(c.shape(), c.dtype(), c.inputs,
                             [&](const std::vector<Buffer>& in, const Buffer& out) {
                               return ForEach(out->shape, [&](const std::vector<Expr>& at) {
                                 return FillBag(c, in, out, at);
                               });
                             });
          },
      .examples = {{{"T[7, n]", "int64[9] in 0:6", "int64[3] in 0:5"}},
                   {{"float32[7, 4]", "int32[n] in 0:6", "int32[3] in 0:5", "float32[n]"},
                    {{"mode", StringAttr("sum")}}},
                   {{"float32[7, 4]", "int32[9] in -9:9", "int64[n] in 0:9"},
                    {{"mode", StringAttr("max")}, {"include_last_offset", BoolAttr(true)}}}}};
}

}  // namespace

std::vector<OpDef> Gathers() {
  return {Take(), Gather(), GatherNd(), ReverseSequence(), SequenceMask(), EmbeddingBag()};
}

}  // namespace lathe::graph::ops
