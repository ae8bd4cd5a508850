// Shapes: other shapes of the same elements, parts of tensors, constants.
#include <algorithm>
#include <cmath>
#include <limits>

#include "arith/analyzer.h"
#include "base/error.h"
#include "graph/import/onnx/at_run.h"
#include "graph/import/onnx/operators.h"
#include "graph/sizes.h"

namespace lathe::graph::onnx {
namespace {

// Axes are an attribute before opset `since`, and input 1 from then on.
std::vector<int64_t> AxesOf(NodeContext& n, int64_t since) {
  if (n.opset < since) return n.Ints("axes");
  return n.Has(1) ? n.Ints(1, "axes") : std::vector<int64_t>();
}

Results Reshape(NodeContext& n) {
  const GraphVar x = n.In(0);
  if (!n.AreKnown(1)) {
    n.CountOf(1, "shape");
    return {n.Call("dyn.reshape", {x, n.In(1)},
                   {{"allow_zero", BoolAttr(n.Int("allowzero", 0) != 0)}})};
  }
  std::vector<Expr> shape = n.Extents(1, "shape");
  const std::vector<Expr> from = NodeContext::ShapeOf(x);
  const bool zeros_are_meant = n.Int("allowzero", 0) != 0;
  Expr others = Int64(1);
  ptrdiff_t rest = -1;
  for (size_t d = 0; d < shape.size(); ++d) {
    if (ir::IsConstInt(shape[d], 0) && !zeros_are_meant) {
      if (d >= from.size()) n.Fail("keeps a dimension that its input lacks");
      shape[d] = from[d];
    }
    if (ir::IsConstInt(shape[d], -1)) {
      if (rest >= 0) n.Fail("has a shape with two entries of -1");
      rest = static_cast<ptrdiff_t>(d);
    } else {
      others = others * shape[d];
    }
  }
  if (rest >= 0) {
    arith::Analyzer analyzer;
    const Expr whole = ProductOf(from, 0, from.size());
    if (ir::IsZero(analyzer.Simplify(others))) n.Fail("has a shape with -1 beside an extent of 0");
    shape[static_cast<size_t>(rest)] =
        analyzer.Simplify(ir::FloorDivide(whole, analyzer.Simplify(others)));
  }
  const auto is_empty = [](const Expr& extent) { return ir::IsConstInt(extent, 0); };
  if (std::ranges::any_of(shape, is_empty) && std::ranges::any_of(from, is_empty)) {
    // In `newshape` of ours, 0 keeps an extent.
    return {n.Call("zeros", {},
                   {{"shape", ShapeAttr(std::move(shape))},
                    {"dtype", StringAttr(NodeContext::DTypeOf(x).ToString())}})};
  }
  return {n.Reshape(x, std::move(shape))};
}

Results Flatten(NodeContext& n) {
  const GraphVar x = n.In(0);
  const std::vector<Expr>& shape = NodeContext::ShapeOf(x);
  const int64_t rank = NodeContext::RankOf(x), axis = n.Int("axis", 1);
  const auto at = static_cast<size_t>(axis == rank ? rank : n.Axis(axis, rank));
  return {n.Reshape(x, {ProductOf(shape, 0, at), ProductOf(shape, at, shape.size())})};
}

Results Squeeze(NodeContext& n) {
  const GraphVar x = n.In(0);
  if (n.opset >= 13 && n.Has(1) && !n.AreKnown(1)) {
    n.CountOf(1, "axes");
    return {n.Call("dyn.squeeze", {x, n.In(1)})};
  }
  std::vector<int64_t> axes = n.Axes(AxesOf(n, 13), NodeContext::RankOf(x));
  if (axes.empty()) {
    const std::vector<int64_t> shape = n.FixedShape(x, "an input, without axes,");
    for (size_t d = 0; d < shape.size(); ++d) {
      if (shape[d] == 1) axes.push_back(static_cast<int64_t>(d));
    }
  }
  if (axes.empty()) return {n.Call("identity", {x})};
  return {n.Squeeze(x, std::move(axes))};
}

Results Unsqueeze(NodeContext& n) {
  GraphVar x = n.In(0);
  if (n.opset >= 13 && !n.AreKnown(1)) {
    n.CountOf(1, "axes");
    return {n.Call("dyn.expand_dims", {x, n.In(1)})};
  }
  std::vector<int64_t> axes = AxesOf(n, 13);
  axes = n.Axes(axes, NodeContext::RankOf(x) + static_cast<int64_t>(axes.size()));
  std::ranges::sort(axes);
  if (axes.empty()) return {n.Call("identity", {x})};
  for (const int64_t axis : axes) x = n.ExpandDims(x, axis);
  return {x};
}

Results Transpose(NodeContext& n) {
  const GraphVar x = n.In(0);
  const int64_t rank = NodeContext::RankOf(x);
  std::vector<int64_t> order = n.Ints("perm");
  if (!n.Has("perm")) {
    for (int64_t d = rank; d-- > 0;) order.push_back(d);
  }
  if (order.empty()) return {n.Call("identity", {x})};
  return {n.Call("transpose", {x}, {{"axes", IntsAttr(order)}})};
}

Results Concat(NodeContext& n) {
  const std::vector<GraphVar> all = n.All();
  if (all.size() == 1) return {n.Call("identity", {all[0]})};
  const int64_t axis = n.Axis(n.Int("axis", 1), NodeContext::RankOf(all[0]));
  return {n.Call("concatenate", all, {{"axis", IntAttr(axis)}})};
}

Results Split(NodeContext& n) {
  const GraphVar x = n.In(0);
  const int64_t axis = n.Axis(n.Int("axis", 0), NodeContext::RankOf(x));
  const Expr whole = NodeContext::ShapeOf(x)[static_cast<size_t>(axis)];
  std::vector<Expr> sizes;
  if (n.opset < 13 && n.Has("split")) {
    sizes = AsExtents(n.Ints("split"));
  } else if (n.opset >= 13 && n.Has(1)) {
    sizes = n.Extents(1, "split");
  } else {
    const auto parts = n.opset >= 18 && n.Has("num_outputs")
                           ? n.Int("num_outputs", 1)
                           : static_cast<int64_t>(n.node.outputs.size());
    if (parts < 1) n.Fail("has no outputs");
    // Each part of an extent that only a run knows is a term of its own.
    const int64_t most = ir::AsConstInt(whole) != nullptr ? 1 << 16 : 1 << 8;
    if (parts > most)
      n.Fail("has too many parts", "at most " + std::to_string(most), std::to_string(parts));
    arith::Analyzer analyzer;
    const Expr part = analyzer.Simplify(ir::FloorDivide(whole + Int64(parts - 1), Int64(parts)));
    // The last parts have what is left, which may be nothing.
    for (int64_t i = 0; i < parts; ++i) {
      const Expr left = analyzer.Simplify(whole - part * Int64(i));
      const bool all = analyzer.CanProve(left >= part);
      sizes.push_back(all ? part
                          : analyzer.Simplify(ir::MakeMax(ir::MakeMin(left, part), Int64(0))));
    }
  }
  if (sizes.size() < n.node.outputs.size()) {
    n.Fail("has more outputs than parts", std::to_string(sizes.size()),
           std::to_string(n.node.outputs.size()));
  }
  if (sizes.size() == 1) return {n.Call("identity", {x})};
  return n.Fields(n.Call("split", {x}, {{"sizes", ShapeAttr(sizes)}, {"axis", IntAttr(axis)}}));
}

// Bounds of slices may be the greatest and least numbers of 64 bits: all that there is.
Expr Bounded(const Expr& bound) {
  const int64_t* number = ir::AsConstInt(bound);
  if (number == nullptr) return bound;
  constexpr int64_t kMost = int64_t{1} << 40;
  return Int64(std::clamp(*number, -kMost, kMost));
}

Results Slice(NodeContext& n) {
  const GraphVar x = n.In(0);
  const int64_t rank = NodeContext::RankOf(x);
  if (n.opset >= 10) {
    for (size_t i = 1; i <= 4; ++i) {
      if (n.Has(i) && !n.AreKnown(i)) return SliceAtRun(n);
    }
  }
  std::vector<Expr> begin, end;
  std::vector<int64_t> axes, strides;
  if (n.opset < 10) {
    begin = AsExtents(n.Ints("starts"));
    end = AsExtents(n.Ints("ends"));
    axes = n.Ints("axes");
  } else {
    begin = n.Extents(1, "starts");
    end = n.Extents(2, "ends");
    if (n.Has(3)) axes = n.Ints(3, "axes");
    if (n.Has(4)) strides = n.Ints(4, "steps");
  }
  if (axes.empty()) {
    for (size_t d = 0; d < begin.size(); ++d) axes.push_back(static_cast<int64_t>(d));
  }
  axes = n.Axes(axes, rank);
  if (strides.empty()) strides.assign(axes.size(), 1);
  if (begin.size() != axes.size() || end.size() != axes.size() || strides.size() != axes.size()) {
    n.Fail("has starts, ends, axes and steps of different lengths");
  }
  for (Expr& bound : begin) bound = Bounded(bound);
  for (Expr& bound : end) bound = Bounded(bound);
  for (const int64_t stride : strides) {
    if (stride == 0) n.Fail("has a step of 0");
  }
  for (int64_t& stride : strides) {
    constexpr int64_t kMost = int64_t{1} << 30;
    stride = std::clamp(stride, -kMost, kMost);
  }
  if (axes.empty()) return {n.Call("identity", {x})};
  return {n.Call("strided_slice", {x},
                 {{"begin", ShapeAttr(begin)},
                  {"end", ShapeAttr(end)},
                  {"strides", IntsAttr(strides)},
                  {"axes", IntsAttr(axes)}})};
}

// The input and the shape are broadcast with each other.
Results Expand(NodeContext& n) {
  const GraphVar x = n.In(0);
  const std::vector<Expr>& from = NodeContext::ShapeOf(x);
  if (!n.AreKnown(1)) return ExpandAtRun(n);
  std::vector<Expr> shape = n.Extents(1, "shape");
  while (shape.size() < from.size()) shape.insert(shape.begin(), Int64(1));
  for (size_t d = 0; d < from.size(); ++d) {
    Expr& extent = shape[shape.size() - from.size() + d];
    if (ir::IsOne(extent)) extent = from[d];
  }
  return {n.BroadcastTo(x, std::move(shape))};
}

Results Tile(NodeContext& n) {
  return {n.Call("tile", {n.In(0)}, {{"reps", ShapeAttr(n.Extents(1, "repeats"))}})};
}

Results Shape(NodeContext& n) {
  const GraphVar x = n.In(0);
  const int64_t rank = NodeContext::RankOf(x);
  const auto place = [&](int64_t at) {
    return std::clamp<int64_t>(at < 0 ? at + rank : at, 0, rank);
  };
  const int64_t begin = place(n.Int("start", 0)), end = place(n.Int("end", rank));
  const GraphVar shape = n.Call("shape_of", {x}, {{"dtype", StringAttr("int64")}});
  if (begin == 0 && end == rank) return {shape};
  return {n.Slice(shape, 0, Int64(begin), Int64(std::max(begin, end)))};
}

Results Size(NodeContext& n) {
  return {n.Call("ndarray_size", {n.In(0)}, {{"dtype", StringAttr("int64")}})};
}

Results Constant(NodeContext& n) {
  const std::string name = n.name();
  Importer& importer = n.importer;
  if (const Attribute* value = n.Find("value"); value != nullptr && !value->tensors.empty()) {
    Value made(importer.Constant(importer.ReadTensor(value->tensors[0]), name));
    made.narrow = NarrowType(value->tensors[0].type);
    return {made};
  }
  if (const Attribute* value = n.Find("sparse_value"); value != nullptr && !value->sparse.empty()) {
    Value made(importer.Constant(importer.ReadTensor(value->sparse[0]), name));
    made.narrow = NarrowType(value->sparse[0].values.type);
    return {made};
  }
  if (n.Has("value_float")) {
    return {
        importer.Constant(MakeFloats({n.Float("value_float", 0)}, {}, DataType::Float(32)), name)};
  }
  if (n.Has("value_floats")) {
    const std::vector<double> values = n.Floats("value_floats");
    return {importer.Constant(
        MakeFloats(values, {static_cast<int64_t>(values.size())}, DataType::Float(32)), name)};
  }
  if (n.Has("value_int")) {
    return {importer.Constant(MakeInts({n.Int("value_int", 0)}, {}, DataType::Int(64)), name)};
  }
  if (n.Has("value_ints")) return {n.IntTensor(n.Ints("value_ints"))};
  n.Fail("has no value that a graph can have",
         "value, sparse_value, value_float(s) or value_int(s)",
         n.node.attributes.empty() ? "nothing" : "`" + std::string(n.node.attributes[0].name) + "`",
         "texts are no tensors here");
}

Results ConstantOfShape(NodeContext& n) {
  TensorValue value = MakeFloats({0}, {1}, DataType::Float(32));
  if (const Attribute* given = n.Find("value"); given != nullptr && !given->tensors.empty()) {
    value = n.importer.ReadTensor(given->tensors[0]);
  }
  value.shape.clear();
  std::vector<Expr> shape = n.Extents(0, "input");
  const DataType dtype = value.dtype;
  const GraphVar scalar = n.importer.Constant(std::move(value), n.name());
  return {
      n.Call("full", {scalar},
             {{"shape", ShapeAttr(std::move(shape))}, {"dtype", StringAttr(dtype.ToString())}})};
}

Results RangeAtRun(NodeContext& n) {
  std::vector<GraphVar> numbers;
  for (const GraphVar& number : n.All()) numbers.push_back(n.Reshape(number, {}));
  return {n.Call("dyn.arange", numbers)};
}

Results Range(NodeContext& n) {
  n.Ignore({"stash_type"});  // elements are made one by one, not added up
  const DataType dtype = NodeContext::DTypeOf(n.In(0));
  const auto start = n.Known(0), limit = n.Known(1), delta = n.Known(2);
  if (dtype.is_integral() && delta && !(start && limit)) {
    const int64_t step = IntsOf(*delta)[0];
    if (!n.AreKnown(0) || !n.AreKnown(1)) return RangeAtRun(n);
    return {n.Call("arange", {},
                   {{"start", ShapeAttr(n.Extents(0, "start"))},
                    {"stop", ShapeAttr(n.Extents(1, "limit"))},
                    {"step", IntAttr(step)},
                    {"dtype", StringAttr(dtype.ToString())}})};
  }
  if (!start || !limit || !delta) return RangeAtRun(n);
  if (dtype.is_integral()) {
    // Not as floats, which do not hold all numbers of 64 bits.
    const __int128 first = IntsOf(*start)[0], last = IntsOf(*limit)[0], step = IntsOf(*delta)[0];
    const __int128 reach = step > 0 ? last - first : first - last, by = step > 0 ? step : -step;
    const __int128 count = step == 0 || reach <= 0 ? 0 : (reach + by - 1) / by;
    if (step == 0 || count > Importer::kMostElements) {
      n.Fail("makes too many elements", "at most " + std::to_string(Importer::kMostElements),
             step == 0 ? "a step of 0" : std::to_string(static_cast<double>(count)));
    }
    std::vector<int64_t> values;
    for (__int128 i = 0; i < count; ++i) values.push_back(static_cast<int64_t>(first + i * step));
    const auto extent = static_cast<int64_t>(values.size());
    return {n.importer.Constant(MakeInts(values, {extent}, dtype), n.name())};
  }
  const double first = n.Floats(0, "start")[0], last = n.Floats(1, "limit")[0];
  const double step = n.Floats(2, "delta")[0];
  const double count = std::max(0.0, std::ceil((last - first) / step));
  if (step == 0 || !(count <= static_cast<double>(Importer::kMostElements))) {
    n.Fail("makes too many elements", "at most " + std::to_string(Importer::kMostElements),
           std::to_string(count));
  }
  std::vector<double> values;
  for (int64_t i = 0; i < static_cast<int64_t>(count); ++i) {
    values.push_back(first + static_cast<double>(i) * step);
  }
  const auto extent = static_cast<int64_t>(values.size());
  return {n.importer.Constant(MakeFloats(values, {extent}, dtype), n.name())};
}

Results EyeLike(NodeContext& n) {
  const GraphVar x = n.In(0);
  const std::vector<Expr>& shape = NodeContext::ShapeOf(x);
  if (shape.size() != 2) n.Fail("has a wrong input 0", "a matrix", TypeText(x->type));
  DataType dtype = NodeContext::DTypeOf(x);
  if (n.Has("dtype")) {
    const std::optional<DataType> given = DTypeOf(static_cast<int32_t>(n.Int("dtype", 0)));
    if (!given) n.FailAttribute("dtype", "is out of range", "a type of numbers", "another");
    dtype = *given;
  }
  return {n.Call("eye", {},
                 {{"n", ShapeAttr({shape[0]})},
                  {"m", ShapeAttr({shape[1]})},
                  {"k", IntAttr(n.Int("k", 0))},
                  {"dtype", StringAttr(dtype.ToString())}})};
}

// Pads pairs of the whole rank: begins, then ends, for all axes.
Results Pad(NodeContext& n) {
  const GraphVar x = n.In(0);
  const auto rank = static_cast<size_t>(NodeContext::RankOf(x));
  const std::string mode = n.String("mode", "constant");
  if (n.opset >= 11 && (!n.AreKnown(1) || (n.opset >= 18 && n.Has(3) && !n.AreKnown(3)))) {
    return PadAtRun(n, mode);
  }
  std::vector<Expr> pads = n.opset < 11 ? AsExtents(n.Ints("pads")) : n.Extents(1, "pads");
  std::vector<int64_t> axes;
  if (n.opset >= 18 && n.Has(3)) {
    axes = n.Axes(n.Ints(3, "axes"), NodeContext::RankOf(x));
  } else {
    for (size_t d = 0; d < rank; ++d) axes.push_back(static_cast<int64_t>(d));
  }
  if (pads.size() != 2 * axes.size()) {
    n.Fail("has the wrong number of pads", std::to_string(2 * axes.size()),
           std::to_string(pads.size()));
  }
  std::vector<Expr> begin(rank, Int64(0)), end(rank, Int64(0)), cut_begin, cut_end;
  bool cuts = false;
  for (size_t i = 0; i < axes.size(); ++i) {
    begin[static_cast<size_t>(axes[i])] = pads[i];
    end[static_cast<size_t>(axes[i])] = pads[i + axes.size()];
  }
  // Negative pads cut off.
  std::vector<Expr> width;
  for (size_t d = 0; d < rank; ++d) {
    const int64_t *low = ir::AsConstInt(begin[d]), *high = ir::AsConstInt(end[d]);
    const int64_t less = low != nullptr && *low < 0 ? -*low : 0;
    const int64_t more = high != nullptr && *high < 0 ? -*high : 0;
    cuts = cuts || less > 0 || more > 0;
    cut_begin.push_back(Int64(less));
    cut_end.push_back(NodeContext::ShapeOf(x)[d] - Int64(more));
    width.push_back(less > 0 ? Int64(0) : begin[d]);
    width.push_back(more > 0 ? Int64(0) : end[d]);
  }
  GraphVar data = x;
  if (cuts) {
    data = n.Call("strided_slice", {x},
                  {{"begin", ShapeAttr(cut_begin)}, {"end", ShapeAttr(cut_end)}});
  }
  std::vector<GraphVar> args{data};
  const DataType dtype = NodeContext::DTypeOf(x);
  if (mode == "constant") {
    if (n.opset < 11) {
      args.push_back(n.Scalar(n.Float("value", 0), dtype));
    } else if (n.Has(2)) {
      args.push_back(n.Reshape(n.In(2), {}));
    }
  } else {
    n.Ignore({"value"});
  }
  return {
      n.Call("nn.pad", args, {{"pad_width", ShapeAttr(width)}, {"pad_mode", StringAttr(mode)}})};
}

Results CenterCropPad(NodeContext& n) {
  GraphVar x = n.In(0);
  const int64_t rank = NodeContext::RankOf(x);
  if (!n.Known(1)) return CenterCropPadAtRun(n);
  const std::vector<int64_t> wanted = n.Ints(1, "shape");
  std::vector<int64_t> axes = n.Axes(n.Ints("axes"), rank);
  if (axes.empty()) {
    for (int64_t d = 0; d < rank; ++d) axes.push_back(d);
  }
  if (axes.size() != wanted.size()) n.Fail("has as many extents as axes");
  std::vector<int64_t> shape = n.FixedShape(x, "an input");
  std::vector<int64_t> width(2 * shape.size(), 0);
  for (size_t i = 0; i < axes.size(); ++i) {
    const auto d = static_cast<size_t>(axes[i]);
    const int64_t more = wanted[i] - shape[d];
    if (more >= 0) {
      width[2 * d] = more / 2;
      width[2 * d + 1] = more - more / 2;
    } else {
      const int64_t begin = -more / 2;
      x = n.Slice(x, axes[i], Int64(begin), Int64(begin + wanted[i]));
    }
  }
  return {n.Call("nn.pad", {x}, {{"pad_width", IntsAttr(width)}})};
}

Results DepthToSpace(NodeContext& n) {
  return {n.Call("nn.depth_to_space", {n.In(0)},
                 {{"block_size", IntAttr(n.Int("blocksize", 1))},
                  {"mode", StringAttr(n.String("mode", "DCR"))}})};
}

// Mode CRD has the channels of the input before the places of a block.
Results SpaceToDepth(NodeContext& n) {
  const GraphVar x = n.In(0);
  const std::string mode = n.String("mode", "DCR");
  const int64_t block = n.Int("blocksize", 1);
  const GraphVar y = n.Call("nn.space_to_depth", {x}, {{"block_size", IntAttr(block)}});
  if (mode == "DCR") return {y};
  if (mode != "CRD") n.FailAttribute("mode", "is out of range", "DCR or CRD", mode);
  const std::vector<Expr> shape = NodeContext::ShapeOf(y);
  const GraphVar split = n.Reshape(
      y, {shape[0], Int64(block * block), NodeContext::ShapeOf(x)[1], shape[2], shape[3]});
  return {n.Reshape(n.Transpose(split, {0, 2, 1, 3, 4}), shape)};
}

}  // namespace

std::vector<Operator> Shapes() {
  return {
      {"CenterCropPad", CenterCropPad},
      {"Concat", Concat},
      {"Constant", Constant},
      {"ConstantOfShape", ConstantOfShape},
      {"DepthToSpace", DepthToSpace},
      {"Expand", Expand},
      {"EyeLike", EyeLike},
      {"Flatten", Flatten},
      {"Pad", Pad},
      {"Range", Range},
      {"Reshape", Reshape},
      {"Shape", Shape},
      {"Size", Size},
      {"Slice", Slice},
      {"SpaceToDepth", SpaceToDepth},
      {"Split", Split},
      {"Squeeze", Squeeze},
      {"Tile", Tile},
      {"Transpose", Transpose},
      {"Unsqueeze", Unsqueeze},
  };
}

}  // namespace lathe::graph::onnx
