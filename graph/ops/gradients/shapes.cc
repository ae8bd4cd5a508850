// Gradients of operators that arrange elements: each has another one for a reverse.
#include "graph/ops/gradients/formula.h"

namespace lathe::graph::ops {
namespace {

Vars Reshaped(const GradientContext& c) { return {Reshape(G(c), X(c).shape())}; }

Vars Transposed(const GradientContext& c) {
  std::vector<int64_t> axes = FromFront(c.attrs.Ints("axes"), X(c).rank());
  std::vector<int64_t> back(static_cast<size_t>(X(c).rank()));
  for (size_t d = 0; d < back.size(); ++d) {
    const auto from = axes.empty() ? back.size() - 1 - d : static_cast<size_t>(axes[d]);
    back[from] = static_cast<int64_t>(d);
  }
  return {Transpose(G(c), back)};
}

Vars Concatenated(const GradientContext& c) {
  const int64_t axis = FromFront(c.attrs.Int("axis"), X(c).rank());
  Vars gradients;
  Expr begin = Int64(0);
  for (size_t i = 0; i < c.args.size(); ++i) {
    const Expr& extent = X(c, i).shape()[static_cast<size_t>(axis)];
    gradients.push_back(Part(G(c), axis, begin, extent));
    begin = begin + extent;
  }
  return gradients;
}

Vars Stacked(const GradientContext& c) {
  const Value parts = Apply("unbind", {G(c)}, {{"axis", IntAttr(c.attrs.Int("axis"))}});
  Vars gradients;
  for (size_t i = 0; i < c.args.size(); ++i) {
    gradients.push_back(Field(parts, static_cast<int64_t>(i)));
  }
  return gradients;
}

std::vector<Value> Parts(const GradientContext& c) {
  std::vector<Value> parts;
  for (size_t k = 0; k < c.gradients.size(); ++k) parts.push_back(G(c, k));
  return parts;
}

Vars Repeated(const GradientContext& c) {
  const int64_t axis = FromFront(c.attrs.Int("axis"), X(c).rank());
  Shape shape = X(c).shape();
  shape.insert(shape.begin() + axis + 1, Int64(c.attrs.Int("repeats")));
  return {Sum(Reshape(G(c), std::move(shape)), {axis + 1})};
}

Vars Tiled(const GradientContext& c) {
  Shape from = X(c).shape(), reps = c.attrs.Shape("reps"), split;
  if (reps.size() < from.size()) reps.insert(reps.begin(), from.size() - reps.size(), Int64(1));
  if (from.size() < reps.size()) from.insert(from.begin(), reps.size() - from.size(), Int64(1));
  std::vector<int64_t> axes;
  for (size_t d = 0; d < from.size(); ++d) {
    axes.push_back(static_cast<int64_t>(split.size()));
    split.push_back(reps[d]);
    split.push_back(from[d]);
  }
  return {Reshape(Sum(Reshape(G(c), std::move(split)), axes), X(c).shape())};
}

Vars Meshgrid(const GradientContext& c) {
  const bool swapped = c.attrs.String("indexing") == "xy" && c.args.size() > 1;
  Vars gradients;
  for (size_t k = 0; k < c.args.size(); ++k) {
    const size_t along = swapped && k < 2 ? 1 - k : k;
    std::vector<int64_t> others;
    for (size_t d = 0; d < c.args.size(); ++d) {
      if (d != along) others.push_back(static_cast<int64_t>(d));
    }
    gradients.push_back(Reshape(Sum(G(c, k), others), X(c, k).shape()));
  }
  return gradients;
}

// The same operator puts the gradient's elements into zeros.
Vars Sliced(const GradientContext& c) {
  return {Apply("strided_set", {ZerosLike(X(c)), G(c)}, c.given)};
}
Vars SetSlice(const GradientContext& c) {
  return {Apply("strided_set", {G(c), ZerosLike(X(c, 1))}, c.given),
          Apply("strided_slice", {G(c)}, c.given)};
}
Vars SlicedLike(const GradientContext& c) {
  return {Apply("strided_set", {ZerosLike(X(c)), G(c)},
                {{"begin", ShapeAttr(Shape(X(c).shape().size(), Int64(0)))},
                 {"end", ShapeAttr(G(c).shape())},
                 {"slice_mode", StringAttr("size")}})};
}

// A constant frame is cut off; its value has the gradients of all of the frame.
Vars Padded(const GradientContext& c) {
  if (c.attrs.String("pad_mode") != "constant") return ByPlaces()(c);
  Shape widths = c.attrs.Shape("pad_width");
  for (Expr& width : widths) width = Int64(0) - width;
  const Value inner = Apply("nn.pad", {G(c)}, {{"pad_width", ShapeAttr(widths)}});
  if (c.args.size() == 1) return {inner};
  return {inner, SumAll(G(c)) - SumAll(inner)};
}

Vars Dilated(const GradientContext& c) {
  const Shape shape = G(c).shape();
  std::vector<int64_t> strides = c.attrs.Ints("strides");
  if (strides.size() == 1) strides.resize(shape.size(), strides[0]);
  return {Apply("strided_slice", {G(c)},
                {{"begin", ShapeAttr(Shape(shape.size(), Int64(0)))},
                 {"end", ShapeAttr(shape)},
                 {"strides", IntsAttr(strides)}})};
}

// The gradient by the operator `name`, with attributes that have other names there.
GradientFn Reverse(const char* name, std::map<std::string, std::string> renamed = {}) {
  return [name, renamed = std::move(renamed)](const GradientContext& c) {
    ir::Dict attrs;
    for (const auto& [key, value] : c.given) {
      const auto at = renamed.find(key);
      if (at == renamed.end()) {
        attrs[key] = value;
      } else if (!at->second.empty()) {
        attrs[at->second] = value;
      }
    }
    return Vars{Apply(name, {G(c)}, attrs)};
  };
}

}  // namespace

Gradients ShapeGradients() {
  Gradients g;
  for (const char* name : {"reshape", "squeeze", "expand_dims", "nn.batch_flatten"}) {
    g[name] = Reshaped;
  }
  g["transpose"] = Transposed;
  // What was repeated is summed by Reverse.
  g["broadcast_to"] = [](const GradientContext& c) { return Vars{c.g()}; };
  g["concatenate"] = Concatenated;
  g["stack"] = Stacked;
  g["split"] = [](const GradientContext& c) {
    return Vars{Concatenate(Parts(c), FromFront(c.attrs.Int("axis"), X(c).rank()))};
  };
  g["unbind"] = [](const GradientContext& c) {
    return Vars{
        Apply("stack", Parts(c), {{"axis", IntAttr(FromFront(c.attrs.Int("axis"), X(c).rank()))}})};
  };
  g["reverse"] = Reverse("reverse");
  g["repeat"] = Repeated;
  g["tile"] = Tiled;
  g["meshgrid"] = Meshgrid;
  g["roll"] = [](const GradientContext& c) {
    ir::Dict attrs = c.given;
    std::vector<int64_t> shift = c.attrs.Ints("shift");
    for (int64_t& by : shift) by = -by;
    attrs["shift"] = IntsAttr(shift);
    return Vars{Apply("roll", {G(c)}, attrs)};
  };
  g["strided_slice"] = Sliced;
  g["strided_set"] = SetSlice;
  g["slice_like"] = SlicedLike;
  g["nn.pad"] = Padded;
  g["nn.dilate"] = Dilated;
  g["nn.depth_to_space"] = [](const GradientContext& c) {
    return c.attrs.String("mode") == "DCR" ? Reverse("nn.space_to_depth", {{"mode", ""}})(c)
                                           : ByPlaces()(c);
  };
  g["nn.space_to_depth"] = Reverse("nn.depth_to_space");
  g["nn.space_to_batch_nd"] =
      Reverse("nn.batch_to_space_nd", {{"paddings", "crops"}, {"pad_value", ""}});
  g["nn.batch_to_space_nd"] = Reverse("nn.space_to_batch_nd", {{"crops", "paddings"}});
  g["layout_transform"] =
      Reverse("layout_transform", {{"src_layout", "dst_layout"}, {"dst_layout", "src_layout"}});
  for (const char* name : {"full", "full_like"}) {
    g[name] = [](const GradientContext& c) {
      const size_t value = c.op.name == "full" ? 0 : 1;
      Vars gradients(c.args.size());
      gradients[value] = Reshape(SumAll(G(c)), X(c, value).shape());
      return gradients;
    };
  }
  g["one_hot"] = [](const GradientContext& c) {
    const Value g = G(c);
    const Value is_on =
        Value{&c.builder, c.builder.Call("one_hot", {c.x(0), g.Like(1), g.Like(0)}, c.given)};
    return Vars{nullptr, SumAll(g * is_on), SumAll(g * (1.0 - is_on))};
  };
  g["trilu"] = [](const GradientContext& c) {
    Vars args = c.args;
    args[0] = c.g();
    return Vars{c.builder.Call("trilu", args, c.given)};
  };
  return g;
}

}  // namespace lathe::graph::ops
