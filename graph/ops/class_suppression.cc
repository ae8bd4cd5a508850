// The boxes of a detector that stay, for each class by itself.
#include <array>

#include "graph/ops/families.h"
#include "graph/ops/loops.h"
#include "graph/ops/sorts.h"

namespace lathe::graph::ops {
namespace {

// The corners of a box, in order whatever the input's order is: {low y, low x, high y, high x}.
std::array<Expr, 4> CornersOf(const ComputeContext& c, const Buffer& boxes, const Expr& batch,
                              const Expr& box) {
  const auto entry = [&](int64_t k) { return LoadAt(boxes, {batch, box, ir::Int(k)}); };
  if (c.attrs.Bool("center_point_box")) {
    const Expr half_width = entry(2) / Num(2, boxes->dtype);
    const Expr half_height = entry(3) / Num(2, boxes->dtype);
    return {entry(1) - half_height, entry(0) - half_width, entry(1) + half_height,
            entry(0) + half_width};
  }
  return {ir::MakeMin(entry(0), entry(2)), ir::MakeMin(entry(1), entry(3)),
          ir::MakeMax(entry(0), entry(2)), ir::MakeMax(entry(1), entry(3))};
}

// Is the intersection over the union of two boxes above the threshold?
Expr Overlap(const std::array<Expr, 4>& a, const std::array<Expr, 4>& b, const Expr& threshold) {
  const DataType dtype = a[0]->dtype;
  const auto side = [&](const Expr& low, const Expr& high) {
    return ir::MakeMax(high - low, Num(0, dtype));
  };
  const auto area = [&](const std::array<Expr, 4>& box) {
    return side(box[0], box[2]) * side(box[1], box[3]);
  };
  const Expr common = side(ir::MakeMax(a[0], b[0]), ir::MakeMin(a[2], b[2])) *
                      side(ir::MakeMax(a[1], b[1]), ir::MakeMin(a[3], b[3]));
  // Without a division by the area 0.
  return common > threshold * (area(a) + area(b) - common);
}

TypeResult Type(const TypeContext& c) {
  c.NeedRank(0, 3, 3);
  c.NeedRank(1, 3, 3);
  if (c.size() == 3) c.NeedRank(2, 0, 0);
  const DataType wide = DataType::Int(64);
  c.NeedExtent(0, 2, ir::Int(4, wide), "the coordinates of a box");
  c.NeedExtent(1, 0, c.shape(0)[0], "the batch of `boxes`");
  c.NeedExtent(1, 2, c.shape(0)[1], "the number of `boxes`");
  const ir::Var count = ir::MakeSizeVar("count", wide);
  TypeResult result(TensorOf(wide, {count, ir::Int(3, wide)}));
  result.sizes = {count};
  Expr per_class = c.shape(1)[2];
  const int64_t most = c.attrs.Int("max_output_boxes_per_class");
  if (most >= 0) per_class = ir::MakeMin(per_class, ir::Int(most, wide));
  result.most = {c.shape(1)[0] * c.shape(1)[1] * per_class};
  return result;
}

Results ComputeClassSuppression(const ComputeContext& c) {
  const Tensor order = OrderAlong(c.in(1), 2, false);
  const int64_t most = c.attrs.Int("max_output_boxes_per_class");
  const DataType wide = DataType::Int(64);
  const Buffer state = ir::MakeBuffer("state", wide, {ir::Int(2)});
  const std::vector<Expr> begin{ir::Int(0)}, stays{ir::Int(1)}, first{ir::Int(0)};
  std::vector<Tensor> inputs{c.in(0), c.in(1), order};
  if (c.size() == 3) inputs.push_back(c.in(2));
  return te::Extern(
      c.output_shapes, c.output_dtypes, inputs,
      [&](const std::vector<Buffer>& in, const std::vector<Buffer>& out) {
        const te::Shape& scores = c.in(1)->shape();
        const Expr count = LoadAt(out[1], first);
        const auto look = [&](const Expr& b, const Expr& kind, const Expr& box) {
          const auto mine = CornersOf(c, in[0], b, box);
          const DataType dtype = in[0]->dtype;
          const Expr threshold = in.size() == 4 ? ir::MakeCast(dtype, LoadAt(in[3], {}))
                                                : Num(c.attrs.Float("iou_threshold"), dtype);
          const Stmt compare = ForRange(
              LoadAt(state, begin), count - LoadAt(state, begin), "row", [&](const Expr& row) {
                const Expr other = LoadAt(out[0], {row, ir::Int(2)});
                return ir::MakeIf(Overlap(mine, CornersOf(c, in[0], b, other), threshold),
                                  StoreAt(state, Num(0, wide), stays));
              });
          const Stmt keep =
              ir::MakeSeq({StoreAt(out[0], ir::MakeCast(wide, b), {count, ir::Int(0)}),
                           StoreAt(out[0], ir::MakeCast(wide, kind), {count, ir::Int(1)}),
                           StoreAt(out[0], ir::MakeCast(wide, box), {count, ir::Int(2)}),
                           StoreAt(out[1], count + Num(1, wide), first)});
          Expr wanted = LoadAt(in[1], {b, kind, box}) >
                        Num(c.attrs.Float("score_threshold"), c.in(1)->dtype());
          if (most >= 0) {
            wanted = ir::LogicalAnd(wanted, count - LoadAt(state, begin) < Num(most, wide));
          }
          return ir::MakeIf(
              wanted,
              ir::MakeSeq({StoreAt(state, Num(1, wide), stays), compare,
                           ir::MakeIf(ir::Equal(LoadAt(state, stays), Num(1, wide)), keep)}));
        };
        const Stmt classes = ForEach({scores[0], scores[1]}, [&](const std::vector<Expr>& at) {
          const Stmt boxes =
              ForRange(Num(0, scores[2]->dtype), scores[2], "rank", [&](const Expr& rank) {
                return LetIn("box", LoadAt(in[2], {at[0], at[1], rank}),
                             [&](const Expr& box) { return look(at[0], at[1], box); });
              });
          return ir::MakeSeq({StoreAt(state, count, begin), boxes});
        });
        return ir::MakeAllocate(state,
                                ir::MakeSeq({StoreAt(out[1], Num(0, wide), first), classes}));
      },
      "selected");
}

OpDef AllClassNonMaxSuppression() {
  return {
      .name = "vision.all_class_non_max_suppression",
      .doc =
          "For each image and each class, in the order of scores, the boxes whose intersection "
          "over "
          "union with every box that stays is at most the threshold (ONNX's NonMaxSuppression): "
          "(image, class, box) of each [their number, 3].",
      .inputs = {{"boxes",
                  "two corners (y1, x1, y2, x2) of each box, in any order [images, boxes, 4]",
                  kFloats},
                 {"scores", "[images, classes, boxes]", kFloats, 0},
                 {"overlap", "takes the place of `iou_threshold` []", kFloats}},
      .attrs = {Int("max_output_boxes_per_class", "no more boxes stay; negative: any number", -1),
                Number("iou_threshold", "a larger overlap drops a box", 0),
                Number("score_threshold", "scores must be greater", -1),
                Flag("center_point_box", "are boxes (x, y, width, height), from the middle?",
                     false)},
      .kind = OpKind::kOpaque,
      .optional_inputs = 1,
      .type = Type,
      .compute = ComputeClassSuppression,
      .examples = {
          {{"T[n, 6, 4] in 0:2", "T[n, 2, 6] in 0:1"}, {{"iou_threshold", FloatAttr(0.2)}}},
          {{"float32[2, n, 4] in 0.5:2", "float32[2, 3, n] in 0:1"},
           {{"max_output_boxes_per_class", IntAttr(2)},
            {"iou_threshold", FloatAttr(0.5)},
            {"score_threshold", FloatAttr(0.3)},
            {"center_point_box", BoolAttr(true)}}},
          {{"T[2, 6, 4] in 0:2", "T[2, 2, 6] in 0:1", "float32[] in 0:1"}, {}}}};
}

}  // namespace

std::vector<OpDef> ClassSuppression() { return {AllClassNonMaxSuppression()}; }

}  // namespace lathe::graph::ops
