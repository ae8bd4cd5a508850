// Elements at places that other tensors say, orders, running sums.
#include <limits>

#include "graph/import/onnx/at_run.h"
#include "graph/import/onnx/operators.h"

namespace lathe::graph::onnx {

GraphVar ExtentAsTensor(const NodeContext& n, const Expr& extent, DataType dtype) {
  if (const int64_t* number = ir::AsConstInt(extent)) {
    return n.Scalar(static_cast<double>(*number), dtype);
  }
  const GraphVar ones = n.Call("full", {n.Scalar(1, dtype)}, {{"shape", ShapeAttr({extent})}});
  return n.Call("ndarray_size", {ones}, {{"dtype", StringAttr(dtype.ToString())}});
}

GraphVar FromBegin(NodeContext& n, const GraphVar& indices, const Expr& extent) {
  if (const auto known = n.importer.ConstantOf(indices)) {
    bool negative = false;
    for (const int64_t index : IntsOf(*known)) negative = negative || index < 0;
    if (!negative) return indices;
  }
  const DataType dtype = NodeContext::DTypeOf(indices);
  const GraphVar is_negative = n.Call("less", {indices, n.Scalar(0, dtype)});
  const GraphVar size = ExtentAsTensor(n, extent, dtype);
  return n.Call("where", {is_negative, n.Add(indices, size), indices});
}

namespace {

Results Gather(NodeContext& n) {
  const GraphVar x = n.In(0);
  const int64_t axis = n.Axis(n.Int("axis", 0), NodeContext::RankOf(x));
  const Expr extent = NodeContext::ShapeOf(x)[static_cast<size_t>(axis)];
  return {n.Call("take", {x, FromBegin(n, n.In(1), extent)}, {{"axis", IntAttr(axis)}})};
}

Results GatherElements(NodeContext& n) {
  const int64_t axis = n.Axis(n.Int("axis", 0), NodeContext::RankOf(n.In(0)));
  return {n.Call("gather", {n.In(0), n.In(1)}, {{"axis", IntAttr(axis)}})};
}

// Ours has the coordinates of a place along the first dimension of the indices, ONNX along the
// last.
GraphVar CoordinatesFirst(NodeContext& n, const GraphVar& indices) {
  const int64_t rank = NodeContext::RankOf(indices);
  std::vector<int64_t> order{rank - 1};
  for (int64_t d = 0; d + 1 < rank; ++d) order.push_back(d);
  return n.Transpose(indices, order);
}

Results GatherND(NodeContext& n) {
  return {n.Call("gather_nd", {n.In(0), CoordinatesFirst(n, n.In(1))},
                 {{"batch_dims", IntAttr(n.Int("batch_dims", 0))}})};
}

std::string Reduction(NodeContext& n) {
  const std::string reduction = n.String("reduction", "none");
  return reduction == "none" ? "update" : reduction;
}

Results ScatterElements(NodeContext& n) {
  const int64_t axis = n.Axis(n.Int("axis", 0), NodeContext::RankOf(n.In(0)));
  return {n.Call("scatter_elements", {n.In(0), n.In(1), n.In(2)},
                 {{"axis", IntAttr(axis)}, {"reduction", StringAttr(Reduction(n))}})};
}

Results ScatterND(NodeContext& n) {
  return {n.Call("scatter_nd", {n.In(0), CoordinatesFirst(n, n.In(1)), n.In(2)},
                 {{"mode", StringAttr(Reduction(n))}})};
}

Results OneHot(NodeContext& n) {
  GraphVar indices = n.In(0);
  const std::vector<Expr> depth = n.Extents(1, "depth");
  if (depth.size() != 1) n.Fail("has a wrong input 1", "one number", "several");
  const GraphVar values = n.In(2);
  const DataType dtype = NodeContext::DTypeOf(values);
  const auto value = [&](int64_t at) {
    return n.Reshape(n.Slice(values, 0, Int64(at), Int64(at + 1)), {});
  };
  const int64_t axis = n.Axis(n.Int("axis", -1), NodeContext::RankOf(indices) + 1);
  indices = FromBegin(n, n.Cast(indices, DataType::Int(64)), depth[0]);
  return {n.Call("one_hot", {indices, value(1), value(0)},
                 {{"depth", ShapeAttr(depth)},
                  {"axis", IntAttr(axis)},
                  {"dtype", StringAttr(dtype.ToString())}})};
}

Results TopK(NodeContext& n) {
  const GraphVar x = n.In(0);
  std::vector<Expr> k = n.opset < 10 ? AsExtents({n.Int("k", 1)}) : n.Extents(1, "K");
  n.Ignore({"sorted"});  // sorted results are right in any case
  const int64_t axis = n.Axis(n.Int("axis", -1), NodeContext::RankOf(x));
  if (k.size() == 1 && ir::IsZero(k[0])) {  // ours takes 0 for all
    const GraphVar none = n.Slice(x, axis, Int64(0), Int64(0));
    return {none, n.Cast(none, DataType::Int(64))};
  }
  return n.Fields(n.Call("topk", {x},
                         {{"k", ShapeAttr(k)},
                          {"axis", IntAttr(axis)},
                          {"is_ascend", BoolAttr(n.Int("largest", 1) == 0)},
                          {"dtype", StringAttr("int64")}}));
}

Operator ArgExtreme(std::string name, std::string ours) {
  return {std::move(name), [ours](NodeContext& n) -> Results {
            const GraphVar x = n.In(0);
            const int64_t axis = n.Axis(n.Int("axis", 0), NodeContext::RankOf(x));
            const GraphVar place =
                n.Call(ours, {x},
                       {{"axis", IntsAttr({axis})},
                        {"keepdims", BoolAttr(n.Int("keepdims", 1) != 0)},
                        {"select_last_index", BoolAttr(n.Int("select_last_index", 0) != 0)}});
            return {n.Cast(place, DataType::Int(64))};
          }};
}

Operator Running(std::string name, std::string ours) {
  return {std::move(name), [ours](NodeContext& n) -> Results {
            const GraphVar x = n.In(0);
            if (!n.Known(1)) return RunningAtRun(n, ours);
            const int64_t axis = n.Axis(n.Int(1, "axis"), NodeContext::RankOf(x));
            return {n.Call(ours, {x},
                           {{"axis", IntsAttr({axis})},
                            {"exclusive", BoolAttr(n.Int("exclusive", 0) != 0)},
                            {"reverse", BoolAttr(n.Int("reverse", 0) != 0)}})};
          }};
}

Results ReverseSequence(NodeContext& n) {
  return {n.Call("reverse_sequence", {n.In(0), n.In(1)},
                 {{"seq_axis", IntAttr(n.Int("time_axis", 0))},
                  {"batch_axis", IntAttr(n.Int("batch_axis", 1))}})};
}

Results Trilu(NodeContext& n) {
  std::vector<GraphVar> args{n.In(0)};
  if (n.Has(1)) args.push_back(n.Reshape(n.In(1), {}));
  return {n.Call("trilu", args, {{"upper", BoolAttr(n.Int("upper", 1) != 0)}})};
}

Results NonZero(NodeContext& n) { return {n.Call("nonzero", {n.In(0)})}; }

Results Compress(NodeContext& n) {
  std::vector<int64_t> axes;
  if (n.Has("axis")) axes.push_back(n.Axis(n.Int("axis", 0), NodeContext::RankOf(n.In(0))));
  return {n.Call("compress", {n.In(1), n.In(0)}, {{"axis", IntsAttr(axes)}})};
}

// How many of the rows [n, m] come before each in lexicographic order [n]; so rows are equal where
// these numbers are.
GraphVar RanksOfRows(NodeContext& n, const GraphVar& rows) {
  const DataType narrow = DataType::Int(32), wide = DataType::Int(64);
  // Where each pair of rows differs first: [n, n], symmetric.
  const GraphVar differs = n.Call("not_equal", {n.ExpandDims(rows, 1), n.ExpandDims(rows, 0)});
  const GraphVar place = n.Call("argmax", {n.Cast(differs, narrow)},
                                {{"axis", IntsAttr({2})}, {"keepdims", BoolAttr(false)}});
  const GraphVar mine = n.Call("gather", {rows, place}, {{"axis", IntAttr(1)}});
  const GraphVar before = n.Call("less", {n.Transpose(mine, {1, 0}), mine});
  return n.Call("sum", {n.Cast(before, wide)},
                {{"axis", IntsAttr({1})}, {"keepdims", BoolAttr(false)}});
}

Results Unique(NodeContext& n) {
  const auto unique = [&](const GraphVar& x) {
    return n.Fields(n.Call("unique", {x},
                           {{"is_sorted", BoolAttr(n.Int("sorted", 1) != 0)},
                            {"return_counts", BoolAttr(true)},
                            {"dtype", StringAttr("int64")}}));
  };
  const GraphVar x = n.In(0);
  const int64_t rank = NodeContext::RankOf(x);
  if (rank == 1 || !n.Has("axis")) {
    n.Ignore({"axis"});
    return unique(rank == 1 ? x : n.Reshape(x, {Int64(-1)}));
  }
  // Slices are rows; those that differ have different ranks among all.
  const int64_t axis = n.Axis(n.Int("axis", 0), rank);
  std::vector<int64_t> order{axis};
  for (int64_t d = 0; d < rank; ++d) {
    if (d != axis) order.push_back(d);
  }
  const GraphVar slices = n.Transpose(x, order);
  const std::vector<Expr>& shape = NodeContext::ShapeOf(slices);
  GraphVar rows = n.Reshape(slices, {shape[0], ProductOf(shape, 1, shape.size())});
  if (NodeContext::DTypeOf(rows).is_bool()) rows = n.Cast(rows, DataType::UInt(8));
  Results results = unique(RanksOfRows(n, rows));
  results[0] = n.Call("take", {x, results[1].tensor}, {{"axis", IntAttr(axis)}});
  return results;
}

// The first `most` [] rows of each image and class, of rows (image, class, box) in their order.
GraphVar FirstOfEachClass(NodeContext& n, const GraphVar& rows, const GraphVar& most) {
  const DataType wide = DataType::Int(64);
  const Expr count = NodeContext::ShapeOf(rows)[0];
  const auto column = [&](int64_t at) {
    return n.Reshape(n.Slice(rows, 1, Int64(at), Int64(at + 1)), {count});
  };
  const GraphVar classes = ExtentAsTensor(n, NodeContext::ShapeOf(n.In(1))[1], wide);
  const GraphVar kind = n.Add(n.Mul(column(0), classes), column(1));
  const GraphVar first = n.Cast(n.Call("searchsorted", {kind, kind}), wide);
  const GraphVar place =
      n.Call("arange", {}, {{"stop", ShapeAttr({count})}, {"dtype", StringAttr("int64")}});
  const GraphVar stays = n.Call("less", {n.Sub(place, first), most});
  return n.Call("compress", {stays, rows}, {{"axis", IntsAttr({0})}});
}

// Limits that only a run knows are not attributes of ours: scores that are too small become
// -infinity, rows that are too many are left out, and the overlap is an input.
Results NonMaxSuppression(NodeContext& n) {
  constexpr double kNever = -std::numeric_limits<double>::infinity();
  const auto is_given = [&](size_t i) { return n.Has(i) && !n.Known(i); };
  const auto number = [&](size_t i, const char* what, double fallback) {
    return n.Has(i) ? n.Floats(i, what).at(0) : fallback;
  };
  GraphVar scores = n.In(1);
  const DataType dtype = NodeContext::DTypeOf(scores);
  double least = kNever;
  if (is_given(4)) {
    const GraphVar bound = n.Cast(n.Reshape(n.In(4), {}), dtype);
    scores = n.Call("where", {n.Call("greater", {scores, bound}), scores, n.Scalar(kNever, dtype)});
  } else {
    least = number(4, "score_threshold", kNever);
  }
  const double most = is_given(2) ? -1 : number(2, "max_output_boxes_per_class", 0);
  std::vector<GraphVar> inputs{n.In(0), scores};
  if (is_given(3)) inputs.push_back(n.Reshape(n.In(3), {}));
  const double overlap = is_given(3) ? 0 : number(3, "iou_threshold", 0);
  const GraphVar rows = n.Call("vision.all_class_non_max_suppression", inputs,
                               {{"max_output_boxes_per_class", IntAttr(static_cast<int64_t>(most))},
                                {"iou_threshold", FloatAttr(overlap)},
                                {"score_threshold", FloatAttr(least)},
                                {"center_point_box", BoolAttr(n.Int("center_point_box", 0) != 0)}});
  if (!is_given(2)) return {rows};
  return {FirstOfEachClass(n, rows, n.Reshape(n.Cast(n.In(2), DataType::Int(64)), {}))};
}

}  // namespace

std::vector<Operator> Indexing() {
  return {
      {"Compress", Compress},
      {"NonMaxSuppression", NonMaxSuppression},
      {"NonZero", NonZero},
      {"Unique", Unique},
      ArgExtreme("ArgMax", "argmax"),
      ArgExtreme("ArgMin", "argmin"),
      Running("CumProd", "cumprod"),
      Running("CumSum", "cumsum"),
      {"Gather", Gather},
      {"GatherElements", GatherElements},
      {"GatherND", GatherND},
      {"OneHot", OneHot},
      {"ReverseSequence", ReverseSequence},
      {"Scatter", ScatterElements},
      {"ScatterElements", ScatterElements},
      {"ScatterND", ScatterND},
      {"TopK", TopK},
      {"Trilu", Trilu},
  };
}

}  // namespace lathe::graph::onnx
