// Elements at places that another tensor says.
#include "graph/ops/define.h"
#include "graph/ops/families.h"
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
            if (number == nullptr || *number < -count || *number >= count) return result;
            value.push_back(
                (*c.values[0])[static_cast<size_t>(*number < 0 ? *number + count : *number)]);
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
                  Expr index = Index(At(indices, of_index));
                  if (mode == "clip") index = FromEnd(index, extent);
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

}  // namespace

std::vector<OpDef> Gathers() { return {Take()}; }

}  // namespace lathe::graph::ops
