#include "graph/ops/layout.h"

#include "te/tags.h"

namespace lathe::graph::ops {

AttrDef LayoutAttr(size_t rank) {
  const std::string space = SpaceLetters(rank);
  return {.name = "layout",
          .type = AttrType::kString,
          .doc = "the dimensions of `data`: NC" + space + ", N" + space + "C, or in blocks (NC" +
                 space + "16c)",
          .fallback = StringAttr("NC" + space)};
}

void CheckLayout(const TypeContext& c, size_t rank) {
  const std::string space = SpaceLetters(rank), text = c.attrs.String("layout");
  const Layout layout(text);
  const bool is_blocked = layout.letters() == "NC" + space + "c" &&
                          text.starts_with("NC" + space) && text.ends_with("c");
  if (!is_blocked && text != "NC" + space && text != "N" + space + "C") {
    c.FailAttr("layout", "is no layout of this operator",
               "\"NC" + space + "\", \"N" + space + "C\" or \"NC" + space + "16c\"",
               "\"" + text + "\"");
  }
  const auto dims = static_cast<int>(layout.letters().size());
  c.NeedRank(0, dims, dims);
}

Expr WindowPlaces(const Expr& extent, const Expr& kernel, int64_t stride, int64_t dilation,
                  std::pair<int64_t, int64_t> padding) {
  const Expr reach = (kernel - 1) * dilation + 1;
  const Expr room = extent + (padding.first + padding.second) - reach;
  return ir::FloorDivide(room, stride) + 1;
}

Tensor PadSpace(const Tensor& data, const Layout& layout, const Window& window, const Expr& value,
                ir::Dict attrs) {
  const std::string space = SpaceLetters(window.padding.size());
  te::Shape shape = data->shape();
  bool is_padded = false;
  for (size_t d = 0; d < space.size(); ++d) {
    const auto [before, after] = window.padding[d];
    shape[layout.At(space[d])] = shape[layout.At(space[d])] + (before + after);
    is_padded |= before != 0 || after != 0;
  }
  if (!is_padded) return data;
  return te::Compute(shape,
                     [&](const Indices& i) {
                       std::vector<Expr> at = AsExprs(i), inside;
                       for (size_t d = 0; d < space.size(); ++d) {
                         const auto [before, after] = window.padding[d];
                         const size_t place = layout.At(space[d]);
                         at[place] = at[place] - before;
                         if (before != 0) inside.push_back(at[place] >= 0);
                         if (after != 0) inside.push_back(at[place] < data->shape()[place]);
                       }
                       return ir::IfThenElse(ir::Conjunction(inside), At(data, at), value);
                     },
                     "padded", {.tag = std::string(te::kInjective), .attrs = std::move(attrs)});
}

}  // namespace lathe::graph::ops
