// Operators that arrange elements: shapes, parts, frames, blocks.
#include <algorithm>
#include <cmath>

#include "graph/import/tflite/operators.h"
#include "graph/import/tflite/quantised.h"

namespace lathe::graph::tflite {
namespace {

// Options of the schema.
enum Options : int32_t {
  kConcatenationOptions = 10,
  kReshapeOptions = 17,
  kSpaceToDepthOptions = 19,
  kSqueezeOptions = 30,
  kPackOptions = 59,
  kShapeOptions = 55,
  kOneHotOptions = 61,
  kUnpackOptions = 64,
  kMirrorPadOptions = 77,
  kReverseSequenceOptions = 87,
  kDepthToSpaceOptions = 94
};

Results Reshape(OpContext& n) {
  std::vector<Expr> shape;
  if (n.Has(1)) {
    shape = n.Extents(1, "shape");
  } else {
    const std::vector<int32_t> numbers = n.op.options.Numbers<int32_t>(0, "new_shape");
    shape = AsExtents({numbers.begin(), numbers.end()});
  }
  return {n.Reshape(n.In(0), shape)};
}

Results Squeeze(OpContext& n) {
  const GraphVar x = n.In(0);
  const std::vector<int32_t> given = n.op.options.Numbers<int32_t>(0, "squeeze_dims");
  std::vector<int64_t> axes = n.Axes({given.begin(), given.end()}, Maker::RankOf(x));
  if (axes.empty()) {
    for (size_t d = 0; d < Maker::ShapeOf(x).size(); ++d) {
      if (ir::IsOne(Maker::ShapeOf(x)[d])) axes.push_back(static_cast<int64_t>(d));
    }
  }
  return {axes.empty() ? n.Call("identity", {x}) : n.Squeeze(x, axes)};
}

Results ExpandDims(OpContext& n) {
  const int64_t rank = Maker::RankOf(n.In(0));
  return {n.ExpandDims(n.In(0), n.Axis(n.Int(1, "axis"), rank + 1))};
}

Results Transpose(OpContext& n) {
  const GraphVar x = n.In(0);
  const std::vector<int64_t> axes = n.Axes(n.Ints(1, "perm"), Maker::RankOf(x));
  const GraphVar y = n.Transpose(x, axes);
  return {y.same_as(x) ? n.Call("identity", {x}) : y};
}

// Parts with other scales than the result get its scale: they look their numbers up.
Results Concatenation(OpContext& n) {
  std::vector<GraphVar> parts = n.All();
  const int64_t axis = n.Axis(n.Number(0, "axis"), Maker::RankOf(parts[0]));
  if (IsQuantised8(n.OutInfo())) {
    const Affine out = AffineOf(n, n.OutInfo());
    const float inverse = 1 / out.scale;
    for (size_t i = 0; i < parts.size(); ++i) {
      if (SameAffine(n.InInfo(i), n.OutInfo())) continue;
      const Affine in = AffineOf(n, n.InInfo(i));
      const float factor = in.scale * inverse;
      const float shift = static_cast<float>(-in.zero_point) * factor;
      parts[i] = LookedUp(n, i, TableOf(n, i, [&](int64_t q) {
                            const float y = std::round(static_cast<float>(q) * factor + shift);
                            return static_cast<int64_t>(y) + out.zero_point;
                          }));
    }
  }
  const int64_t activation = n.Byte(1, "the fused activation");
  const GraphVar y = n.Call("concatenate", parts, {{"axis", IntAttr(axis)}});
  if (IsQuantised(n.OutInfo()) && activation != 0) {
    n.Fail("has a fused activation, which quantised parts cannot have", "NONE",
           std::to_string(activation));
  }
  return {Activated(n, y, activation)};
}

Results Pack(OpContext& n) {
  const std::vector<GraphVar> parts = n.All();
  const int64_t rank = Maker::RankOf(parts[0]);
  return {n.Call("stack", parts, {{"axis", IntAttr(n.Axis(n.Number(1, "axis"), rank + 1))}})};
}

Results Unpack(OpContext& n) {
  const int64_t axis = n.Axis(n.Number(1, "axis"), Maker::RankOf(n.In(0)));
  const Expr& extent = Maker::ShapeOf(n.In(0))[static_cast<size_t>(axis)];
  if (!ir::IsConstInt(extent, static_cast<int64_t>(n.op.outputs.size()))) {
    n.Fail("has another number of outputs than its input has parts", TypeText(n.In(0)->type),
           std::to_string(n.op.outputs.size()) + " outputs");
  }
  return n.Fields(n.Call("unbind", {n.In(0)}, {{"axis", IntAttr(axis)}}));
}

Results Tile(OpContext& n) {
  return {n.Call("tile", {n.In(0)}, {{"reps", ShapeAttr(n.Extents(1, "multiples"))}})};
}

Results BroadcastTo(OpContext& n) { return {n.BroadcastTo(n.In(0), n.Extents(1, "shape"))}; }

// The shape of the result of two operands, of their shapes.
Results BroadcastArgs(OpContext& n) {
  const std::vector<int64_t> a = n.Ints(0, "s0"), b = n.Ints(1, "s1");
  std::vector<int64_t> shape(std::max(a.size(), b.size()), 1);
  const auto merge = [&](const std::vector<int64_t>& other) {
    for (size_t i = 0; i < other.size(); ++i) {
      int64_t& extent = shape[shape.size() - 1 - i];
      const int64_t more = other[other.size() - 1 - i];
      if (more != 1 && extent != 1 && more != extent) {
        n.Fail("has shapes that do not fit", std::to_string(extent), std::to_string(more));
      }
      if (more != 1) extent = more;
    }
  };
  merge(a);
  merge(b);
  return {n.IntTensor(shape, n.OutType())};
}

Results Shape(OpContext& n) {
  return {n.Call("shape_of", {n.In(0)}, {{"dtype", StringAttr(n.OutType().ToString())}})};
}

Results Rank(OpContext& n) {
  return {n.Constant(MakeInts({Maker::RankOf(n.In(0))}, {}, n.OutType()))};
}

Results Fill(OpContext& n) {
  return {n.Call(
      "full", {n.In(1)},
      {{"shape", ShapeAttr(n.Extents(0, "dims"))}, {"dtype", StringAttr(n.OutType().ToString())}})};
}

Results NumberRange(OpContext& n) {
  const auto start = n.Known(0), delta = n.Known(2);
  const DataType type = n.OutType();
  if (type.is_float()) {
    const auto stop = n.Known(1);
    if (!start) n.FailValue(0, "start");
    if (!stop) n.FailValue(1, "limit");
    if (!delta) n.FailValue(2, "delta");
    const double from = FloatsOf(*start)[0], to = FloatsOf(*stop)[0], by = FloatsOf(*delta)[0];
    const double count = by == 0 ? -1 : std::ceil((to - from) / by);
    if (!(count >= 0) || count > static_cast<double>(Values::kMostElements)) {
      n.Fail("has impossible bounds");
    }
    std::vector<double> values;
    for (int64_t i = 0; i < static_cast<int64_t>(count); ++i) {
      values.push_back(from + static_cast<double>(i) * by);
    }
    const auto length = static_cast<int64_t>(values.size());
    return {n.Constant(MakeFloats(values, {length}, type))};
  }
  const auto one = [&](size_t i, const char* what) {
    std::vector<Expr> extents = n.Extents(i, what);
    if (extents.size() != 1) n.Fail("has a wrong input " + std::to_string(i), "one number", "");
    return extents[0];
  };
  return {n.Call("arange", {},
                 {{"start", ShapeAttr({one(0, "start")})},
                  {"stop", ShapeAttr({one(1, "limit")})},
                  {"step", IntAttr(n.Int(2, "delta"))},
                  {"dtype", StringAttr(type.ToString())}})};
}

// -- Frames.

std::vector<int64_t> FrameOf(OpContext& n) {
  std::vector<int64_t> widths = n.Ints(1, "paddings");
  if (static_cast<int64_t>(widths.size()) != 2 * Maker::RankOf(n.In(0))) {
    n.Fail("has paddings for another number of dimensions",
           std::to_string(2 * Maker::RankOf(n.In(0))), std::to_string(widths.size()));
  }
  return widths;
}

Results Pad(OpContext& n) {
  const std::vector<int64_t> widths = FrameOf(n);
  const DataType type = Maker::DTypeOf(n.In(0));
  GraphVar value;
  if (n.Has(2)) {
    value = Maker::RankOf(n.In(2)) == 0 ? n.In(2) : n.Reshape(n.In(2), {});
  } else if (IsQuantised(n.OutInfo())) {
    value = n.Constant(MakeInts({AffineOf(n, n.OutInfo()).zero_point}, {}, type));
  } else {
    value = n.Scalar(0, type);
  }
  return {n.Call("nn.pad", {n.In(0), value}, {{"pad_width", IntsAttr(widths)}})};
}

Results MirrorPad(OpContext& n) {
  const int64_t mode = n.Byte(0, "mode");
  if (mode != 0 && mode != 1) n.Fail("has an unknown mode", "0 or 1", std::to_string(mode));
  return {n.Call("nn.mirror_pad", {n.In(0)},
                 {{"pad_width", IntsAttr(FrameOf(n))},
                  {"mode", StringAttr(mode == 0 ? "REFLECT" : "SYMMETRIC")}})};
}

// -- Blocks.

Converter Blocks(const std::string& op) {
  return [op](OpContext& n) -> Results {
    const int64_t block = n.Number(0, "block_size");
    return {
        n.Call(op, {n.In(0)}, {{"block_size", IntAttr(block)}, {"layout", StringAttr("NHWC")}})};
  };
}

Results SpaceToBatch(OpContext& n) {
  const double value =
      IsQuantised(n.OutInfo()) ? static_cast<double>(AffineOf(n, n.OutInfo()).zero_point) : 0;
  return {n.Call("nn.space_to_batch_nd", {n.In(0)},
                 {{"block_shape", IntsAttr(n.Ints(1, "block_shape"))},
                  {"paddings", IntsAttr(n.Ints(2, "paddings"))},
                  {"pad_value", FloatAttr(value)}})};
}

Results BatchToSpace(OpContext& n) {
  return {n.Call("nn.batch_to_space_nd", {n.In(0)},
                 {{"block_shape", IntsAttr(n.Ints(1, "block_shape"))},
                  {"crops", IntsAttr(n.Ints(2, "crops"))}})};
}

// -- Others.

Results Reverse(OpContext& n) {
  const std::vector<int64_t> axes = n.Axes(n.Ints(1, "axis"), Maker::RankOf(n.In(0)));
  if (axes.empty()) return {n.Call("identity", {n.In(0)})};
  return {n.Call("reverse", {n.In(0)}, {{"axis", IntsAttr(axes)}})};
}

Results ReverseSequence(OpContext& n) {
  return {n.Call("reverse_sequence", {n.In(0), n.In(1)},
                 {{"seq_axis", IntAttr(n.Number(0, "seq_dim"))},
                  {"batch_axis", IntAttr(n.Number(1, "batch_dim"))}})};
}

Results OneHot(OpContext& n) {
  const int64_t rank = Maker::RankOf(n.In(0));
  return {n.Call("one_hot", {n.In(0), n.In(2), n.In(3)},
                 {{"depth", ShapeAttr({Int64(n.Int(1, "depth"))})},
                  {"axis", IntAttr(n.Axis(n.Number(0, "axis"), rank + 1))},
                  {"dtype", StringAttr(n.OutType().ToString())}})};
}

// Rows of a diagonal, and zeros elsewhere.
Results MatrixDiagonal(OpContext& n) {
  const GraphVar x = n.In(0);
  const int64_t rank = Maker::RankOf(x);
  if (rank < 1) n.Fail("has an input without dimensions");
  const int64_t* extent = ir::AsConstInt(Maker::ShapeOf(x).back());
  if (extent == nullptr) n.Fail("needs rows of a known length", "a number", TypeText(x->type));
  const DataType type = Maker::DTypeOf(x);
  const GraphVar unit = n.Call(
      "eye", {}, {{"n", ShapeAttr({Int64(*extent)})}, {"dtype", StringAttr(type.ToString())}});
  return {n.Mul(n.ExpandDims(x, rank), unit)};
}

}  // namespace

std::vector<Conversion> Shapes() {
  return {
      {"RESHAPE", kReshapeOptions, Reshape},
      {"SQUEEZE", kSqueezeOptions, Squeeze},
      {"EXPAND_DIMS", 0, ExpandDims},
      {"TRANSPOSE", 0, Transpose},
      {"CONCATENATION", kConcatenationOptions, Concatenation},
      {"PACK", kPackOptions, Pack},
      {"UNPACK", kUnpackOptions, Unpack},
      {"TILE", 0, Tile},
      {"BROADCAST_TO", 0, BroadcastTo},
      {"BROADCAST_ARGS", 0, BroadcastArgs},
      {"SHAPE", kShapeOptions, Shape},
      {"RANK", 0, Rank},
      {"FILL", 0, Fill},
      {"RANGE", 0, NumberRange},
      {"PAD", 0, Pad},
      {"PADV2", 0, Pad},
      {"MIRROR_PAD", kMirrorPadOptions, MirrorPad},
      {"SPACE_TO_DEPTH", kSpaceToDepthOptions, Blocks("nn.space_to_depth")},
      {"DEPTH_TO_SPACE", kDepthToSpaceOptions, Blocks("nn.depth_to_space")},
      {"SPACE_TO_BATCH_ND", 0, SpaceToBatch},
      {"BATCH_TO_SPACE_ND", 0, BatchToSpace},
      {"REVERSE_V2", 0, Reverse},
      {"REVERSE_SEQUENCE", kReverseSequenceOptions, ReverseSequence},
      {"ONE_HOT", kOneHotOptions, OneHot},
      {"MATRIX_DIAG", 0, MatrixDiagonal},
  };
}

}  // namespace lathe::graph::tflite
