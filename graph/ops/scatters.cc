// Elements that are stored or combined at places that another tensor says.
//
// They are loops over the new elements in row-major order, so of several at one place the later
// ones win. What lies outside of the result is left out.
#include "graph/ops/extremes.h"
#include "graph/ops/families.h"
#include "graph/ops/loops.h"

namespace lathe::graph::ops {
namespace {

AttrDef Mode(std::string name) {
  return Choice(std::move(name),
                "how an element is combined with what is there; \"update\": it replaces it",
                {"update", "add", "mul", "min", "max"});
}

Expr Combined(const std::string& mode, const Expr& old, const Expr& value) {
  if (mode == "add") return old + value;
  if (mode == "mul") return old * value;
  if (mode == "min") return Smaller(old, value);
  if (mode == "max") return Greater(old, value);
  return value;
}

void CheckMode(const TypeContext& c, const char* attr, const std::string& mode) {
  if (mode == "update" || !c.dtype(0).is_bool()) return;
  c.FailAttr(attr, "cannot combine truth values", "\"update\"", "\"" + mode + "\"");
}

// Stores or combines at `at` if all of the indices among it are inside. `checked` says which they
// are.
Stmt CombineAt(const Buffer& out, const std::vector<Expr>& at, const std::vector<bool>& checked,
               const std::string& mode, const Expr& value) {
  std::vector<Expr> conditions;
  for (size_t d = 0; d < at.size(); ++d) {
    if (!checked[d]) continue;
    conditions.push_back(at[d] >= Num(0, at[d]->dtype));
    conditions.push_back(at[d] < ir::MakeCast(at[d]->dtype, out->shape[d]));
  }
  const Expr old = mode == "update" ? Expr() : LoadAt(out, at);
  const Stmt store = StoreAt(out, Combined(mode, old, value), at);
  const Expr inside = ir::Conjunction(conditions);
  return inside ? ir::MakeIf(inside, store) : store;
}

Stmt Copy(const Buffer& from, const Buffer& to) {
  return ForEach(to->shape,
                 [&](const std::vector<Expr>& at) { return StoreAt(to, LoadAt(from, at), at); });
}

// scatter_elements, or an operator that does one thing of it. A null `fixed_mode`: the attribute.
OpDef Scatter(std::string name, const char* what, const char* fixed_mode) {
  const auto mode_of = [fixed_mode](const Attrs& attrs) {
    return fixed_mode != nullptr ? fixed_mode : attrs.String("reduction");
  };
  OpDef op = {
      .name = std::move(name),
      .doc = std::string("`data` with elements of `updates` ") + what +
             " along one dimension, at the places that `indices` says. Negative indices count from "
             "the end; indices outside are left out. Of several elements at one place, the later "
             "ones in row-major order come later.",
      .inputs = {{"data", "the input"},
                 {"indices", "places along `axis`; at most as long as `data` in other dimensions",
                  kIndices},
                 {"updates", "the elements; the shape of `indices`", kAnyType, 0}},
      .attrs = {Int("axis", "the dimension", 0)},
      .kind = OpKind::kOpaque,
      .type = [mode_of](const TypeContext& c) -> TypeResult {
        CheckMode(c, "reduction", mode_of(c.attrs));
        const int64_t axis = AxisOf(c, "axis", c.rank(0));
        c.NeedRank(1, c.rank(0), c.rank(0));
        c.NeedRank(2, c.rank(0), c.rank(0));
        for (size_t d = 0; d < c.shape(0).size(); ++d) {
          c.NeedExtent(2, d, c.shape(1)[d], "of `indices`");
          const int64_t *most = ir::AsConstInt(c.shape(0)[d]), *n = ir::AsConstInt(c.shape(1)[d]);
          if (static_cast<int64_t>(d) == axis || most == nullptr || n == nullptr || *n <= *most) {
            continue;
          }
          c.FailArgument(1, "is longer than `data` in dimension " + std::to_string(d),
                         "at most " + std::to_string(*most), std::to_string(*n));
        }
        return c.types[0];
      },
      .compute =
          [mode_of](const ComputeContext& c) {
            const auto axis = static_cast<size_t>(AxisOf(c, "axis", c.in(0)->ndim()));
            std::vector<bool> checked(c.shape().size(), false);
            checked[axis] = true;
            return OneExtern(
                c.shape(), c.dtype(), c.inputs,
                [&](const std::vector<Buffer>& in, const Buffer& out) {
                  const Stmt update = ForEach(in[1]->shape, [&](const std::vector<Expr>& at) {
                    const Expr index = FromEnd(LoadAt(in[1], at), out->shape[axis]);
                    return LetIn("index", index, [&](const Expr& place) {
                      std::vector<Expr> to = at;
                      to[axis] = place;
                      return CombineAt(out, to, checked, mode_of(c.attrs), LoadAt(in[2], at));
                    });
                  });
                  return ir::MakeSeq({Copy(in[0], out), update});
                });
          },
      .examples = {{{"T[6, n]", "int64[4, n] in -6:5", "T[4, n]"}},
                   {{"float32[n, 6]", "int32[n, 4] in -9:9", "float32[n, 4]"},
                    {{"axis", IntAttr(-1)}}}}};
  if (fixed_mode != nullptr) {
    if (std::string(fixed_mode) != "update") {
      for (OpInput& input : op.inputs) {
        if (input.name != "indices") input.types = kNumbers;
      }
    }
    return op;
  }
  op.attrs.push_back(Mode("reduction"));
  for (const char* mode : {"add", "mul", "min", "max"}) {
    op.examples.push_back({{"float32[n, 6]", "int64[n, 9] in -6:5", "float32[n, 9]"},
                           {{"axis", IntAttr(1)}, {"reduction", StringAttr(mode)}}});
  }
  return op;
}

OpDef ScatterNd() {
  return {.name = "scatter_nd",
          .doc =
              "`data` with `updates` at places of its first m dimensions (Relay): for indices [m, "
              "y...], updates[y..., x...] go to data[indices[0, y...], ..., indices[m - 1, y...], "
              "x...]. Negative indices count from the end; places outside are left out; later ones "
              "win.",
          .inputs = {{"data", "the input"},
                     {"indices", "[m, y...]; m is a number", kIndices},
                     {"updates", "[y..., the last dimensions of `data`]", kAnyType, 0}},
          .attrs = {Mode("mode")},
          .kind = OpKind::kOpaque,
          .type = [](const TypeContext& c) -> TypeResult {
            CheckMode(c, "mode", c.attrs.String("mode"));
            c.NeedRank(1, 1, INT32_MAX);
            const int64_t* looked_up = ir::AsConstInt(c.shape(1)[0]);
            if (looked_up == nullptr || *looked_up > c.rank(0)) {
              c.FailArgument(1, "has too many entries in dimension 0",
                             "a number that is at most " + std::to_string(c.rank(0)),
                             looked_up == nullptr ? "an expression" : std::to_string(*looked_up));
            }
            const int places = c.rank(1) - 1, rest = c.rank(0) - static_cast<int>(*looked_up);
            c.NeedRank(2, places + rest, places + rest);
            for (int d = 0; d < places; ++d) {
              c.NeedExtent(2, static_cast<size_t>(d), c.shape(1)[static_cast<size_t>(d) + 1],
                           "of `indices`");
            }
            for (int d = 0; d < rest; ++d) {
              c.NeedExtent(2, static_cast<size_t>(places + d),
                           c.shape(0)[static_cast<size_t>(*looked_up + d)], "of `data`");
            }
            return c.types[0];
          },
          .compute =
              [](const ComputeContext& c) {
                const int64_t looked_up = *ir::AsConstInt(c.in(1)->shape()[0]);
                const auto places = static_cast<ptrdiff_t>(c.in(1)->ndim() - 1);
                return OneExtern(
                    c.shape(), c.dtype(), c.inputs,
                    [&](const std::vector<Buffer>& in, const Buffer& out) {
                      const Stmt update = ForEach(in[2]->shape, [&](const std::vector<Expr>& at) {
                        std::vector<Expr> to;
                        std::vector<bool> checked;
                        for (int64_t m = 0; m < looked_up; ++m) {
                          std::vector<Expr> from(at.begin(), at.begin() + places);
                          from.insert(from.begin(), ir::Int(m));
                          to.push_back(
                              FromEnd(LoadAt(in[1], from), out->shape[static_cast<size_t>(m)]));
                          checked.push_back(true);
                        }
                        to.insert(to.end(), at.begin() + places, at.end());
                        checked.resize(to.size(), false);
                        return CombineAt(out, to, checked, c.attrs.String("mode"),
                                         LoadAt(in[2], at));
                      });
                      return ir::MakeSeq({Copy(in[0], out), update});
                    });
              },
          .examples = {{{"T[4, 5]", "int64[2, n] in -4:3", "T[n]"}},
                       {{"float32[4, n]", "int32[1, 6] in -5:5", "float32[6, n]"},
                        {{"mode", StringAttr("add")}}},
                       {{"float32[3, 4, 2]", "int64[2, n, 3] in 0:2", "float32[n, 3, 2]"},
                        {{"mode", StringAttr("max")}}},
                       {{"float32[3, 4, 2]", "int64[1, n] in 0:2", "float32[n, 4, 2]"},
                        {{"mode", StringAttr("mul")}}},
                       {{"int32[3, 4]", "int64[1, n] in 0:2", "int32[n, 4]"},
                        {{"mode", StringAttr("min")}}}}};
}

OpDef IndexPut() {
  return {
      .name = "index_put",
      .doc =
          "`data` with `values` at the places that index tensors say, one for each leading "
          "dimension (PyTorch): data[indices[0], indices[1], ...] = values. The indices are "
          "broadcast together to [i...]; `values` is broadcast to [i..., the last dimensions of "
          "`data`]. Negative indices count from the end; places outside are left out; later ones "
          "win.",
      .inputs = {{"data", "the input", kNumbers},
                 {"values", "the elements", kNumbers, 0},
                 {"indices", "places, a tensor for each leading dimension", kIndices}},
      .attrs = {Flag("accumulate", "are the values added to what is there?", false)},
      .kind = OpKind::kOpaque,
      .variadic = true,
      .type = [](const TypeContext& c) -> TypeResult {
        const auto looked_up = static_cast<int>(c.size() - 2);
        c.NeedRank(0, looked_up, INT32_MAX);
        Shape places = BroadcastShape(c, 2);
        places.insert(places.end(), c.shape(0).begin() + looked_up, c.shape(0).end());
        const Shape& values = c.shape(1);
        c.NeedRank(1, 0, static_cast<int>(places.size()));
        for (size_t d = 0; d < values.size(); ++d) {
          if (ir::IsOne(values[d])) continue;
          c.NeedExtent(1, d, places[places.size() - values.size() + d], "of the places");
        }
        return c.types[0];
      },
      .compute =
          [](const ComputeContext& c) {
            const size_t looked_up = c.size() - 2;
            // The shape of the indices together.
            te::Shape places;
            for (size_t k = 0; k < looked_up; ++k) {
              const te::Shape& shape = c.in(k + 2)->shape();
              if (shape.size() > places.size()) {
                places.insert(places.begin(), shape.size() - places.size(), ir::Int(1));
              }
              for (size_t d = 0; d < shape.size(); ++d) {
                Expr& extent = places[places.size() - shape.size() + d];
                if (ir::IsOne(extent)) extent = shape[d];
              }
            }
            const auto rank = static_cast<ptrdiff_t>(places.size());
            places.insert(places.end(), c.shape().begin() + static_cast<ptrdiff_t>(looked_up),
                          c.shape().end());
            const auto broadcast = [](const Buffer& x, const std::vector<Expr>& at) {
              std::vector<Expr> indices;
              for (size_t d = 0; d < x->shape.size(); ++d) {
                indices.push_back(ir::IsOne(x->shape[d]) ? ir::Int(0)
                                                         : at[at.size() - x->shape.size() + d]);
              }
              return LoadAt(x, indices);
            };
            const std::string mode = c.attrs.Bool("accumulate") ? "add" : "update";
            return OneExtern(
                c.shape(), c.dtype(), c.inputs,
                [&](const std::vector<Buffer>& in, const Buffer& out) {
                  const Stmt update = ForEach(places, [&](const std::vector<Expr>& at) {
                    const std::vector<Expr> place(at.begin(), at.begin() + rank);
                    std::vector<Expr> to;
                    for (size_t k = 0; k < looked_up; ++k) {
                      to.push_back(FromEnd(broadcast(in[k + 2], place), out->shape[k]));
                    }
                    std::vector<bool> checked(looked_up, true);
                    to.insert(to.end(), at.begin() + rank, at.end());
                    checked.resize(to.size(), false);
                    return CombineAt(out, to, checked, mode, broadcast(in[1], at));
                  });
                  return ir::MakeSeq({Copy(in[0], out), update});
                });
          },
      .examples = {{{"T[4, 5]", "T[n]", "int64[n] in -4:3", "int64[n] in -5:4"}},
                   {{"float32[4, n]", "float32[1]", "int32[6] in -5:5"},
                    {{"accumulate", BoolAttr(true)}}},
                   {{"float32[4, 5, 2]", "float32[n, 3, 2]", "int64[n, 1] in 0:3",
                     "int32[3] in 0:4"}}}};
}

}  // namespace

std::vector<OpDef> Scatters() {
  return {Scatter("scatter_elements", "stored or combined", nullptr),
          Scatter("scatter", "stored", "update"), Scatter("scatter_add", "added", "add"),
          ScatterNd(), IndexPut()};
}

}  // namespace lathe::graph::ops
