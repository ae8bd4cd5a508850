// The boxes of a detector that stay.
#include <limits>

#include "graph/import/tensorflow/operators.h"

namespace lathe::graph::tensorflow {
namespace {

constexpr double kNever = -std::numeric_limits<double>::infinity();
const DataType kWide = DataType::Int(64);

// What drops boxes: an overlap that is larger, and scores that are not greater.
struct Thresholds {
  double overlap = 0.5, score = kNever;
  size_t overlap_input = 0, score_input = 0;  // 0: none
};

double OneNumber(const NodeContext& n, size_t i, const char* what) {
  const std::vector<double> numbers = n.Floats(i, what);
  if (numbers.size() != 1) {
    n.Fail("has a wrong " + std::string(what), "one number",
           std::to_string(numbers.size()) + " numbers");
  }
  return numbers[0];
}

// Rows (image, class, box) of those that stay [their number, 3], for boxes [images, boxes, 4] and
// scores [images, classes, boxes]. Thresholds that only a run knows are no attributes of ours:
// scores that are too small become -infinity, and the overlap is an input.
GraphVar RowsThatStay(const NodeContext& n, const GraphVar& boxes, GraphVar scores, Thresholds drop,
                      int64_t most) {
  const DataType dtype = Maker::DTypeOf(scores);
  if (drop.score_input != 0 && n.Known(drop.score_input)) {
    drop.score = OneNumber(n, drop.score_input, "score_threshold");
  } else if (drop.score_input != 0) {
    const GraphVar bound = n.Cast(n.Reshape(n.In(drop.score_input), {}), dtype);
    scores = n.Call("where", {n.Call("greater", {scores, bound}), scores, n.Scalar(kNever, dtype)});
  }
  std::vector<GraphVar> inputs{boxes, scores};
  if (drop.overlap_input != 0 && n.Known(drop.overlap_input)) {
    drop.overlap = OneNumber(n, drop.overlap_input, "iou_threshold");
  } else if (drop.overlap_input != 0) {
    inputs.push_back(n.Reshape(n.In(drop.overlap_input), {}));
  }
  if (!(drop.overlap >= 0 && drop.overlap <= 1)) {
    n.Fail("has an impossible iou_threshold", "0 to 1", std::to_string(drop.overlap));
  }
  return n.Call("vision.all_class_non_max_suppression", inputs,
                {{"max_output_boxes_per_class", IntAttr(most)},
                 {"iou_threshold", FloatAttr(drop.overlap)},
                 {"score_threshold", FloatAttr(drop.score)}});
}

GraphVar NumbersBelow(const NodeContext& n, const Expr& count) {
  return n.Call("arange", {}, {{"stop", ShapeAttr({count})}, {"dtype", StringAttr("int64")}});
}

// A row of at most `count` elements with zeros behind it, so that they are `count`.
GraphVar Padded(const NodeContext& n, const GraphVar& row, int64_t count) {
  const GraphVar zeros =
      n.Call("zeros", {},
             {{"shape", IntsAttr({count})}, {"dtype", StringAttr(Maker::DTypeOf(row).ToString())}});
  const GraphVar places = n.ExpandDims(NumbersBelow(n, Maker::ShapeOf(row)[0]), 0);
  return n.Call("scatter_nd", {zeros, places, row}, {{"mode", StringAttr("update")}});
}

// Versions 1 to 5. From 2, the overlap is an input, and from 3 the score. Version 4 counts the
// boxes and 5 returns their scores, too; both can have results of a fixed size.
Converter Suppression(int version) {
  return [version](NodeContext& n) -> Results {
    const GraphVar boxes = n.In(0), scores = n.In(1);
    if (Maker::RankOf(boxes) != 2) n.Fail("has wrong boxes", "[boxes, 4]", TypeText(boxes->type));
    if (Maker::RankOf(scores) != 1) n.Fail("has wrong scores", "[boxes]", TypeText(scores->type));
    if (version == 5 && OneNumber(n, 5, "soft_nms_sigma") != 0) {
      n.Fail("has a soft_nms_sigma that is not supported", "0: boxes stay or do not", "another");
    }
    Thresholds drop{.overlap = n.Float("iou_threshold", 0.5)};
    if (version >= 2) drop.overlap_input = 3;
    if (version >= 3) drop.score_input = 4;
    const bool knows = n.Known(2).has_value();
    const int64_t most = knows ? n.Int(2, "max_output_size") : -1;
    if (knows && (most < 0 || most > Values::kMostElements)) {
      n.Fail("has an impossible max_output_size", "0 and more", std::to_string(most));
    }
    const GraphVar rows =
        RowsThatStay(n, n.ExpandDims(boxes, 0), n.ExpandDims(scores, 0, 2), drop, most);
    const Expr count = Maker::ShapeOf(rows)[0];
    GraphVar stay = n.Reshape(n.Slice(rows, 1, Int64(2), Int64(3)), {count});
    if (!knows) {
      const GraphVar limit = n.Cast(n.Reshape(n.In(2), {}), kWide);
      const GraphVar first = n.Call("less", {NumbersBelow(n, count), limit});
      stay = n.Call("compress", {first, stay}, {{"axis", IntsAttr({0})}});
    }
    stay = n.Cast(stay, DataType::Int(32));
    if (version < 4) return {stay};
    const GraphVar number =
        n.Reshape(n.Call("shape_of", {stay}, {{"dtype", StringAttr("int32")}}), {});
    GraphVar their_scores = n.Call("take", {scores, stay}, {{"axis", IntAttr(0)}});
    if (n.Flag("pad_to_max_output_size")) {
      if (!knows) n.FailValue(2, "max_output_size");
      stay = Padded(n, stay, most);
      their_scores = Padded(n, their_scores, most);
    }
    if (version == 4) return {stay, number};
    return {stay, their_scores, number};
  };
}

// Zeros behind the elements of dimension 1, so that they are `count`.
GraphVar PaddedColumns(const NodeContext& n, const GraphVar& x, int64_t more) {
  if (more == 0) return x;
  std::vector<int64_t> widths(static_cast<size_t>(2 * Maker::RankOf(x)), 0);
  widths[3] = more;
  return n.Call("nn.pad", {x, n.Scalar(0, Maker::DTypeOf(x))}, {{"pad_width", IntsAttr(widths)}});
}

// For each class by itself; of what stays of all classes, the best of each image. Boxes are
// [images, boxes, 1 or classes, 4], scores [images, boxes, classes].
Results CombinedSuppression(NodeContext& n) {
  if (Maker::RankOf(n.In(0)) != 4) n.Fail("has wrong boxes", "rank 4", TypeText(n.In(0)->type));
  if (Maker::RankOf(n.In(1)) != 3) n.Fail("has wrong scores", "rank 3", TypeText(n.In(1)->type));
  const Expr images = Maker::ShapeOf(n.In(1))[0];
  const auto extent = [&](size_t i, size_t d) {
    const int64_t* number = ir::AsConstInt(Maker::ShapeOf(n.In(i))[d]);
    if (number == nullptr || *number < 1 || *number > Values::kMostElements) {
      n.Fail("needs known numbers of boxes and classes", "1 and more", TypeText(n.In(i)->type),
             "give the model's inputs a shape at import");
    }
    return *number;
  };
  const int64_t boxes = extent(1, 1), classes = extent(1, 2), own = extent(0, 2);
  if (boxes * classes > INT32_MAX) {
    n.Fail("has too many boxes", "numbers of int32", TypeText(n.In(1)->type));
  }
  if (own != 1 && own != classes) {
    n.Fail("has boxes for another number of classes", "1 or " + std::to_string(classes),
           std::to_string(own));
  }
  const int64_t per_class = n.Int(2, "max_output_size_per_class");
  int64_t total = n.Int(3, "max_total_size");
  if (per_class < 1 || total < 1 || total > Values::kMostElements) {
    n.Fail("has an impossible number of results", "1 and more",
           std::to_string(per_class) + " and " + std::to_string(total));
  }
  if (n.Flag("pad_per_class") && per_class < (total + classes - 1) / classes) {
    total = per_class * classes;
  }
  // Classes with boxes of their own are like images with one class.
  GraphVar places = n.Transpose(n.In(0), {0, 2, 1, 3});
  GraphVar scores = n.Transpose(n.In(1), {0, 2, 1});
  if (own == 1) {
    places = n.Reshape(places, {images, Int64(boxes), Int64(4)});
  } else {
    places = n.Reshape(places, {images * classes, Int64(boxes), Int64(4)});
    scores = n.Reshape(scores, {images * classes, Int64(1), Int64(boxes)});
  }
  const GraphVar rows =
      RowsThatStay(n, places, scores, {.overlap_input = 4, .score_input = 5}, per_class);
  // The scores of those that stay, and -infinity [images, classes * boxes].
  const DataType dtype = Maker::DTypeOf(scores);
  const GraphVar never = n.Scalar(kNever, dtype);
  const GraphVar at = n.Transpose(rows, {1, 0});
  GraphVar stay =
      n.Call("scatter_nd",
             {n.BroadcastTo(never, Maker::ShapeOf(scores)), at, n.Call("gather_nd", {scores, at})},
             {{"mode", StringAttr("update")}});
  stay = n.Reshape(stay, {images, Int64(classes * boxes)});
  const int64_t best = std::min(total, classes * boxes);
  const GraphVar both = n.Call("topk", {stay},
                               {{"k", ShapeAttr({Int64(best)})},
                                {"axis", IntAttr(1)},
                                {"ret_type", StringAttr("both")},
                                {"dtype", StringAttr("int32")}});
  const GraphVar values = n.Field(both, 0, n.name()), which = n.Field(both, 1, n.name());
  const GraphVar is_box = n.Call("greater", {values, never});
  const auto only_boxes = [&](const GraphVar& mask, const GraphVar& x) {
    return PaddedColumns(n, n.Call("where", {mask, x, n.Scalar(0, Maker::DTypeOf(x))}),
                         total - best);
  };
  const GraphVar divisor = n.Constant(MakeInts({boxes}, {}, DataType::Int(32)));
  const GraphVar kind = n.Cast(n.Call("trunc_divide", {which, divisor}), dtype);
  GraphVar from = which;
  if (own == 1) {
    from = n.Call("trunc_mod", {which, divisor});
  } else {
    places = n.Reshape(places, {images, Int64(classes * boxes), Int64(4)});
  }
  GraphVar found =
      n.Call("take", {places, from}, {{"axis", IntAttr(1)}, {"batch_dims", IntAttr(1)}});
  if (n.Flag("clip_boxes", true)) {
    found = n.Call("clip", {found}, {{"a_min", FloatAttr(0)}, {"a_max", FloatAttr(1)}});
  }
  const GraphVar count =
      n.Call("sum", {n.Cast(is_box, DataType::Int(32))}, {{"axis", IntsAttr({1})}});
  return {only_boxes(n.ExpandDims(is_box, 2), found), only_boxes(is_box, values),
          only_boxes(is_box, kind), count};
}

}  // namespace

std::vector<Conversion> Boxes() {
  return {
      {"NonMaxSuppression", Suppression(1)},
      {"NonMaxSuppressionV2", Suppression(2)},
      {"NonMaxSuppressionV3", Suppression(3)},
      {"NonMaxSuppressionV4", Suppression(4), {"selected_indices", "valid_outputs"}},
      {"NonMaxSuppressionV5",
       Suppression(5),
       {"selected_indices", "selected_scores", "valid_outputs"}},
      {"CombinedNonMaxSuppression",
       CombinedSuppression,
       {"nmsed_boxes", "nmsed_scores", "nmsed_classes", "valid_detections"}},
  };
}

}  // namespace lathe::graph::tensorflow
