// Constants, shapes, and operators that arrange elements.
#include <algorithm>
#include <cmath>

#include "graph/import/tensorflow/operators.h"

namespace lathe::graph::tensorflow {
namespace {

Results Constant(NodeContext& n) {
  const Attribute* value = n.Find("value");
  if (value == nullptr || value->kind != Attribute::Kind::kTensor) {
    n.Fail("lacks the attribute `value`", "a tensor", "nothing");
  }
  return {n.importer.AddConstant(n.node, value->tensor)};
}

Results Input(NodeContext& n) { return {n.importer.AddInput(n.node)}; }

Results All(NodeContext& n) {
  Results results;
  for (const GraphVar& x : n.All()) results.push_back(n.Identity(x));
  return results;
}

Results Reshape(NodeContext& n) { return {n.Reshape(n.In(0), n.Extents(1, "shape"))}; }

Results Squeeze(NodeContext& n) {
  const GraphVar x = n.In(0);
  std::vector<int64_t> axes = n.Axes(n.Ints("squeeze_dims"), Maker::RankOf(x));
  if (axes.empty()) {
    for (size_t d = 0; d < Maker::ShapeOf(x).size(); ++d) {
      if (ir::IsOne(Maker::ShapeOf(x)[d])) axes.push_back(static_cast<int64_t>(d));
    }
  }
  return {axes.empty() ? n.Identity(x) : n.Squeeze(x, axes)};
}

Results ExpandDims(NodeContext& n) {
  return {n.ExpandDims(n.In(0), n.Axis(n.Int(1, "dim"), Maker::RankOf(n.In(0)) + 1))};
}

Results Transpose(NodeContext& n) {
  const GraphVar x = n.In(0);
  const GraphVar y = n.Transpose(x, n.Axes(n.Ints(1, "perm"), Maker::RankOf(x)));
  return {y.same_as(x) ? n.Identity(x) : y};
}

GraphVar Joined(NodeContext& n, const std::vector<GraphVar>& parts, size_t axis_input) {
  const int64_t axis = n.Axis(n.Int(axis_input, "axis"), Maker::RankOf(parts[0]));
  return parts.size() == 1 ? n.Identity(parts[0])
                           : n.Call("concatenate", parts, {{"axis", IntAttr(axis)}});
}
Results ConcatV2(NodeContext& n) {
  std::vector<GraphVar> parts = n.All();
  parts.pop_back();
  if (parts.empty()) n.Fail("has too few inputs");
  return {Joined(n, parts, parts.size())};
}
Results Concat(NodeContext& n) { return {Joined(n, n.All(1), 0)}; }

Results Pack(NodeContext& n) {
  const std::vector<GraphVar> parts = n.All();
  const int64_t axis = n.Axis(n.Int("axis", 0), Maker::RankOf(parts[0]) + 1);
  return {n.Call("stack", parts, {{"axis", IntAttr(axis)}})};
}

Results Unpack(NodeContext& n) {
  const int64_t axis = n.Axis(n.Int("axis", 0), Maker::RankOf(n.In(0)));
  constexpr int64_t kMost = 65536;
  const int64_t count = n.Int("num", 0);
  const Expr& extent = Maker::ShapeOf(n.In(0))[static_cast<size_t>(axis)];
  if (count > kMost || !ir::IsConstInt(extent, count)) {
    n.Fail("has another number of results than its input has parts", TypeText(n.In(0)->type),
           std::to_string(count) + " results");
  }
  return n.Fields(n.Call("unbind", {n.In(0)}, {{"axis", IntAttr(axis)}}));
}

Results Tile(NodeContext& n) {
  return {n.Call("tile", {n.In(0)}, {{"reps", ShapeAttr(n.Extents(1, "multiples"))}})};
}
Results BroadcastTo(NodeContext& n) { return {n.BroadcastTo(n.In(0), n.Extents(1, "shape"))}; }

DataType OutType(const NodeContext& n) {
  return n.Find("out_type") == nullptr ? DataType::Int(32) : n.Type("out_type");
}
GraphVar ShapeOfInput(NodeContext& n, const GraphVar& x) {
  return n.Call("shape_of", {x}, {{"dtype", StringAttr(OutType(n).ToString())}});
}
Results ShapeOp(NodeContext& n) { return {ShapeOfInput(n, n.In(0))}; }
Results ShapeN(NodeContext& n) {
  Results results;
  for (const GraphVar& x : n.All()) results.push_back(ShapeOfInput(n, x));
  return results;
}
Results Size(NodeContext& n) {
  return {n.Call("ndarray_size", {n.In(0)}, {{"dtype", StringAttr(OutType(n).ToString())}})};
}
Results Rank(NodeContext& n) {
  return {n.Maker::Constant(MakeInts({Maker::RankOf(n.In(0))}, {}, DataType::Int(32)))};
}

Results Fill(NodeContext& n) {
  return {n.Call("full", {n.In(1)},
                 {{"shape", ShapeAttr(n.Extents(0, "dims"))},
                  {"dtype", StringAttr(Maker::DTypeOf(n.In(1)).ToString())}})};
}

Results NumberRange(NodeContext& n) {
  const DataType type = Maker::DTypeOf(n.In(0));
  if (!type.is_float()) {
    const auto one = [&](size_t i, const char* what) {
      const std::vector<Expr> extents = n.Extents(i, what);
      if (extents.size() != 1) n.Fail("has a wrong input " + std::to_string(i), "one number", "");
      return extents[0];
    };
    return {n.Call("arange", {},
                   {{"start", ShapeAttr({one(0, "start")})},
                    {"stop", ShapeAttr({one(1, "limit")})},
                    {"step", IntAttr(n.Int(2, "delta"))},
                    {"dtype", StringAttr(type.ToString())}})};
  }
  double bounds[3] = {};
  const char* names[] = {"start", "limit", "delta"};
  for (size_t i = 0; i < 3; ++i) {
    const auto known = n.Known(i);
    if (!known || FloatsOf(*known).size() != 1) n.FailValue(i, names[i]);
    bounds[i] = FloatsOf(*known)[0];
  }
  const double count = bounds[2] == 0 ? -1 : std::ceil((bounds[1] - bounds[0]) / bounds[2]);
  if (!(count >= 0) || count > static_cast<double>(Values::kMostElements)) {
    n.Fail("has impossible bounds");
  }
  std::vector<double> values;
  for (int64_t i = 0; i < static_cast<int64_t>(count); ++i) {
    values.push_back(bounds[0] + static_cast<double>(i) * bounds[2]);
  }
  const auto length = static_cast<int64_t>(values.size());
  return {n.Maker::Constant(MakeFloats(values, {length}, type))};
}

// start (1 - i / (num - 1)) + stop i / (num - 1): both ends are exact.
Results LinSpace(NodeContext& n) {
  for (size_t i = 0; i < 2; ++i) {
    if (Maker::RankOf(n.In(i)) == 0) continue;
    n.Fail("has a wrong input " + std::to_string(i), "one number", TypeText(n.In(i)->type));
  }
  const int64_t count = n.Int(2, "num");
  if (count < 1 || count > Values::kMostElements) {
    n.Fail("has an impossible number of elements", "1 and more", std::to_string(count));
  }
  std::vector<double> before, after;
  for (int64_t i = 0; i < count; ++i) {
    after.push_back(count == 1 ? 0 : static_cast<double>(i) / static_cast<double>(count - 1));
    before.push_back(1 - after.back());
  }
  const DataType type = Maker::DTypeOf(n.In(0));
  const auto row = [&](const std::vector<double>& values) {
    return n.Maker::Constant(MakeFloats(values, {count}, type));
  };
  return {n.Add(n.Mul(n.In(0), row(before)), n.Mul(n.In(1), row(after)))};
}

// y[x[i]] = i.
Results InvertPermutation(NodeContext& n) {
  const GraphVar x = n.In(0);
  const DataType type = Maker::DTypeOf(x);
  if (Maker::RankOf(x) != 1 || !type.is_int()) {
    n.Fail("has a wrong input 0", "integers in 1 dimension", TypeText(x->type));
  }
  if (n.Known(0)) {
    const std::vector<int64_t> places = n.Ints(0, "x");
    std::vector<int64_t> inverse(places.size(), -1);
    for (size_t i = 0; i < places.size(); ++i) {
      const auto at = static_cast<size_t>(places[i]);
      if (at >= inverse.size() || inverse[at] != -1) {
        n.Fail("has an input that is no permutation",
               "each number below " + std::to_string(places.size()) + " once",
               std::to_string(places[i]));
      }
      inverse[at] = static_cast<int64_t>(i);
    }
    return {n.IntTensor(inverse, type)};
  }
  // In the order of the numbers, each says where it stands.
  return {n.Call("argsort", {x}, {{"axis", IntAttr(0)}, {"dtype", StringAttr(type.ToString())}})};
}

// -- Frames and blocks.

std::vector<int64_t> FrameOf(NodeContext& n) {
  std::vector<int64_t> widths = n.Ints(1, "paddings");
  const auto wanted = static_cast<size_t>(2 * Maker::RankOf(n.In(0)));
  if (widths.size() != wanted) {
    n.Fail("has paddings for another number of dimensions", std::to_string(wanted),
           std::to_string(widths.size()));
  }
  return widths;
}

Results Pad(NodeContext& n) {
  const DataType type = Maker::DTypeOf(n.In(0));
  GraphVar value = n.inputs.size() > 2 ? n.In(2) : n.Scalar(0, type);
  return {n.Call("nn.pad", {n.In(0), value}, {{"pad_width", IntsAttr(FrameOf(n))}})};
}

Results MirrorPad(NodeContext& n) {
  return {n.Call(
      "nn.mirror_pad", {n.In(0)},
      {{"pad_width", IntsAttr(FrameOf(n))}, {"mode", StringAttr(n.String("mode", "REFLECT"))}})};
}

Converter Blocks(const std::string& op) {
  return [op](NodeContext& n) -> Results {
    return {n.Call(op, {n.In(0)},
                   {{"block_size", IntAttr(n.Int("block_size", 0))},
                    {"layout", StringAttr(n.String("data_format", "NHWC"))}})};
  };
}
Results SpaceToBatch(NodeContext& n) {
  return {n.Call("nn.space_to_batch_nd", {n.In(0)},
                 {{"block_shape", IntsAttr(n.Ints(1, "block_shape"))},
                  {"paddings", IntsAttr(n.Ints(2, "paddings"))}})};
}
Results BatchToSpace(NodeContext& n) {
  return {n.Call("nn.batch_to_space_nd", {n.In(0)},
                 {{"block_shape", IntsAttr(n.Ints(1, "block_shape"))},
                  {"crops", IntsAttr(n.Ints(2, "crops"))}})};
}

// -- Others.

Results Reverse(NodeContext& n) {
  const std::vector<int64_t> axes = n.Axes(n.Ints(1, "axis"), Maker::RankOf(n.In(0)));
  if (axes.empty()) return {n.Identity(n.In(0))};
  return {n.Call("reverse", {n.In(0)}, {{"axis", IntsAttr(axes)}})};
}
Results ReverseSequence(NodeContext& n) {
  return {n.Call("reverse_sequence", {n.In(0), n.In(1)},
                 {{"seq_axis", IntAttr(n.Int("seq_dim", 0))},
                  {"batch_axis", IntAttr(n.Int("batch_dim", 0))}})};
}

Results OneHot(NodeContext& n) {
  const int64_t axis = n.Axis(n.Int("axis", -1), Maker::RankOf(n.In(0)) + 1);
  return {n.Call("one_hot", {n.In(0), n.In(2), n.In(3)},
                 {{"depth", ShapeAttr(n.Extents(1, "depth"))},
                  {"axis", IntAttr(axis)},
                  {"dtype", StringAttr(Maker::DTypeOf(n.In(2)).ToString())}})};
}

}  // namespace

std::vector<Conversion> Shapes() {
  return {
      {"Const", Constant},
      {"Placeholder", Input},
      {"IdentityN", All},
      {"Reshape", Reshape},
      {"Squeeze", Squeeze},
      {"ExpandDims", ExpandDims},
      {"Transpose", Transpose},
      {"ConcatV2", ConcatV2},
      {"Concat", Concat},
      {"Pack", Pack},
      {"Unpack", Unpack},
      {"Tile", Tile},
      {"BroadcastTo", BroadcastTo},
      {"Shape", ShapeOp},
      {"ShapeN", ShapeN},
      {"Size", Size},
      {"Rank", Rank},
      {"Fill", Fill},
      {"Range", NumberRange},
      {"LinSpace", LinSpace},
      {"InvertPermutation", InvertPermutation},
      {"Pad", Pad},
      {"PadV2", Pad},
      {"MirrorPad", MirrorPad},
      {"SpaceToDepth", Blocks("nn.space_to_depth")},
      {"DepthToSpace", Blocks("nn.depth_to_space")},
      {"SpaceToBatchND", SpaceToBatch},
      {"BatchToSpaceND", BatchToSpace},
      {"ReverseV2", Reverse},
      {"ReverseSequence", ReverseSequence},
      {"OneHot", OneHot},
  };
}

}  // namespace lathe::graph::tensorflow
