// Which boxes of a detector stay: those with a score, and none that a better one overlaps.
//
// Boxes are rows (class, score, x1, y1, x2, y2), or in another order that attributes say. Results
// have a fixed size: rows that hold nothing are -1.
#include "graph/ops/define.h"
#include "graph/ops/families.h"
#include "ir/text/printer.h"

namespace lathe::graph::ops {
namespace {

using Buffers = std::vector<te::Buffer>;

const DataType kNumber = DataType::Int(32);

ir::Stmt Loop(const ir::Var& var, const Expr& from, const Expr& to, ir::Stmt body,
              ir::ForKind kind = ir::ForKind::kSerial) {
  return ir::MakeFor(var, from, to - from, kind, std::move(body));
}

void CheckColumn(const TypeContext& c, const char* attr, int64_t least, int64_t columns) {
  const int64_t* width = ir::AsConstInt(c.shape(0)[2]);
  const int64_t column = c.attrs.Int(attr);
  if (column >= least && (width == nullptr || column + columns <= *width)) return;
  c.FailAttr(attr, "is no column of `data`",
             std::to_string(least) + " or more, within " + ExtentText(c.shape(0)[2]) + " columns",
             std::to_string(column));
}

// Does a row have a class? Classes below 0 say that there is no box.
Expr HasClass(const std::function<Expr(int64_t)>& entry, int64_t id_index) {
  if (id_index < 0) return ir::Bool(true);
  const Expr id = entry(id_index);
  return Num(0, id->dtype) <= id;
}

OpDef GetValidCounts() {
  return {
      .name = "vision.get_valid_counts",
      .doc =
          "Boxes with a score above a threshold and a class, in front of all others: (their number "
          "[batch], the rows [batch, boxes, columns], their numbers in `data` [batch, boxes]). "
          "What "
          "follows is -1.",
      .inputs = {{"data", "boxes [batch, boxes, columns]", kFloats}},
      .attrs = {Required(Number("score_threshold", "scores must be greater", 0)),
                Int("id_index", "the column of the class; negative: none", 0),
                Int("score_index", "the column of the score", 1, 0)},
      .type = [](const TypeContext& c) -> TypeResult {
        c.NeedRank(0, 3, 3);
        CheckColumn(c, "id_index", INT64_MIN, 1);
        CheckColumn(c, "score_index", 0, 1);
        const Shape& x = c.shape(0);
        return TupleOf({TensorOf(kNumber, {x[0]}), c.types[0], TensorOf(kNumber, {x[0], x[1]})});
      },
      .compute =
          [](const ComputeContext& c) {
            const te::Shape& x = c.in(0)->shape();
            const DataType dtype = c.in(0)->dtype();
            return te::Extern(
                c.output_shapes, c.output_dtypes, {c.in(0)},
                [&](const Buffers& from, const Buffers& to) {
                  const ir::Var b = ir::MakeVar("b"), i = ir::MakeVar("i"), k = ir::MakeVar("k"),
                                j = ir::MakeVar("j"), m = ir::MakeVar("m");
                  const std::function<Expr(int64_t)> entry = [&](int64_t column) {
                    return ir::MakeLoad(from[0], {Expr(b), Expr(i), ir::Int(column)});
                  };
                  const Expr score = entry(c.attrs.Int("score_index"));
                  const Expr is_valid =
                      ir::LogicalAnd(Num(c.attrs.Float("score_threshold"), dtype) < score,
                                     HasClass(entry, c.attrs.Int("id_index")));
                  const Expr count = ir::MakeLoad(to[0], {b});
                  const ir::Stmt keep = ir::MakeSeq(
                      {Loop(k, ir::Int(0), x[2],
                            ir::MakeStore(to[1], ir::MakeLoad(from[0], {b, i, k}), {b, count, k})),
                       ir::MakeStore(to[2], i, {b, count}), ir::MakeStore(to[0], count + 1, {b})});
                  const ir::Stmt clear =
                      Loop(j, ir::Int(0), x[1],
                           ir::MakeSeq({ir::MakeStore(to[2], ir::Int(-1), {b, j}),
                                        Loop(m, ir::Int(0), x[2],
                                             ir::MakeStore(to[1], Num(-1, dtype), {b, j, m}))}));
                  return Loop(b, ir::Int(0), x[0],
                              ir::MakeSeq({ir::MakeStore(to[0], ir::Int(0), {b}), clear,
                                           Loop(i, ir::Int(0), x[1], ir::MakeIf(is_valid, keep))}),
                              ir::ForKind::kParallel);
                },
                "valid");
          },
      .examples = {{{"T[n, 6, 6]"}, {{"score_threshold", FloatAttr(0.1)}}},
                   {{"T[2, n, 5]"},
                    {{"score_threshold", FloatAttr(-0.5)},
                     {"id_index", IntAttr(-1)},
                     {"score_index", IntAttr(4)}}}}};
}

// Boxes [batch, boxes] by number, -1 where there is none.
struct Boxes {
  Tensor by_score;  // of equal scores the first box comes first
  Tensor kept;      // 1 where the box of that rank stays
  Tensor packed;    // those that stay, in front
  Tensor count;     // [batch, 1]
};

// The order of scores: the rank of a box is the number of boxes that are better.
Tensor ByScore(const ComputeContext& c) {
  const te::Shape rows{c.in(0)->shape()[0], c.in(0)->shape()[1]};
  return te::Extern(
      {rows, rows}, {kNumber, kNumber}, {c.in(0), c.in(1)},
      [&](const Buffers& from, const Buffers& to) {
        const ir::Var b = ir::MakeVar("b"), i = ir::MakeVar("i"), j = ir::MakeVar("j"),
                      k = ir::MakeVar("k"), valid = ir::MakeVar("valid");
        const auto score = [&](const ir::Var& box) {
          return ir::MakeLoad(from[0], {Expr(b), Expr(box), ir::Int(c.attrs.Int("score_index"))});
        };
        const Expr rank = ir::MakeLoad(to[1], {b, i});
        const Expr is_better = ir::LogicalOr(
            score(i) < score(j), ir::LogicalAnd(ir::Equal(score(i), score(j)), j < Expr(i)));
        const ir::Stmt place =
            ir::MakeSeq({ir::MakeStore(to[1], ir::Int(0), {b, i}),
                         Loop(j, ir::Int(0), valid,
                              ir::MakeIf(is_better, ir::MakeStore(to[1], rank + 1, {b, i}))),
                         ir::MakeStore(to[0], i, {b, rank})});
        const Expr count = ir::MakeCast(kNumber, ir::MakeLoad(from[1], {b}));
        const ir::Stmt body = ir::MakeLetStmt(
            valid, ir::MakeMax(ir::MakeMin(count, rows[1]), ir::Int(0)),
            ir::MakeSeq({Loop(k, ir::Int(0), rows[1], ir::MakeStore(to[0], ir::Int(-1), {b, k})),
                         Loop(i, ir::Int(0), valid, place)}));
        return Loop(b, ir::Int(0), rows[0], body, ir::ForKind::kParallel);
      },
      "by_score")[0];
}

// Does `a` overlap `b` by the threshold or more?
Expr Overlaps(const ComputeContext& c, const std::function<Expr(const Expr&, int64_t)>& entry,
              const Expr& a, const Expr& b) {
  const int64_t first = c.attrs.Int("coord_start");
  const DataType dtype = c.in(0)->dtype();
  const auto side = [&](const Expr& low, const Expr& high) {
    return ir::MakeMax(high - low, Num(0, dtype));
  };
  Expr common, areas[2];
  for (const int64_t d : {0, 1}) {
    const Expr low = ir::MakeMax(entry(a, first + d), entry(b, first + d));
    const Expr high = ir::MakeMin(entry(a, first + d + 2), entry(b, first + d + 2));
    common = common ? common * side(low, high) : side(low, high);
  }
  for (const int k : {0, 1}) {
    const Expr& box = k == 0 ? a : b;
    areas[k] = side(entry(box, first), entry(box, first + 2)) *
               side(entry(box, first + 1), entry(box, first + 3));
  }
  const Expr both = areas[0] + areas[1] - common;
  // common / both >= threshold, without a division by the area 0.
  return ir::LogicalAnd(Num(0, dtype) < both,
                        Num(c.attrs.Float("iou_threshold"), dtype) * both <= common);
}

Boxes Suppress(const ComputeContext& c) {
  const te::Shape rows{c.in(0)->shape()[0], c.in(0)->shape()[1]};
  const Tensor by_score = ByScore(c);
  const int64_t most = c.attrs.Int("max_output_size"), best = c.attrs.Int("top_k");
  const int64_t id = c.attrs.Int("id_index");
  const std::vector<Tensor> results = te::Extern(
      {rows, rows, {rows[0], ir::Int(1)}}, {kNumber, kNumber, kNumber}, {c.in(0), by_score},
      [&](const Buffers& from, const Buffers& to) {
        const ir::Var b = ir::MakeVar("b"), i = ir::MakeVar("i"), j = ir::MakeVar("j"),
                      k = ir::MakeVar("k"), box = ir::MakeVar("box"), other = ir::MakeVar("other");
        const auto entry = [&](const Expr& of, int64_t column) {
          return ir::MakeLoad(from[0], {Expr(b), of, ir::Int(column)});
        };
        const auto clear = [&](size_t result, int64_t value) {
          return ir::MakeStore(to[result], ir::Int(value), {b, k});
        };
        const Expr kept = ir::MakeLoad(to[0], {b, i});
        const Expr count = ir::MakeLoad(to[2], {Expr(b), ir::Int(0)});
        const std::vector<Expr> of_count{Expr(b), ir::Int(0)};
        // Better boxes that stay, of the same class unless classes do not matter.
        Expr drops = Overlaps(c, entry, box, other);
        if (id >= 0 && !c.attrs.Bool("force_suppress")) {
          drops = ir::LogicalAnd(ir::Equal(entry(box, id), entry(other, id)), drops);
        }
        const ir::Stmt compare =
            Loop(j, ir::Int(0), i,
                 ir::MakeIf(
                     ir::Equal(ir::MakeLoad(to[0], {b, j}), ir::Int(1)),
                     ir::MakeLetStmt(other, ir::MakeLoad(from[1], {b, j}),
                                     ir::MakeIf(drops, ir::MakeStore(to[0], ir::Int(0), {b, i})))));
        const ir::Stmt keep = ir::MakeIf(ir::Equal(kept, ir::Int(1)),
                                         ir::MakeSeq({ir::MakeStore(to[1], box, {Expr(b), count}),
                                                      ir::MakeStore(to[2], count + 1, of_count)}));
        ir::Stmt look =
            ir::MakeSeq({ir::MakeStore(to[0], ir::Int(1), {b, i}),
                         c.attrs.Float("iou_threshold") > 0 ? compare : ir::Nop(), keep});
        look = ir::MakeIf(HasClass([&](int64_t column) { return entry(box, column); }, id), look);
        Expr is_wanted = box >= 0;
        if (most > 0) is_wanted = ir::LogicalAnd(is_wanted, count < ir::Int(most));
        const Expr ranks = best > 0 ? ir::MakeMin(rows[1], ir::Int(best)) : rows[1];
        return Loop(
            b, ir::Int(0), rows[0],
            ir::MakeSeq({ir::MakeStore(to[2], ir::Int(0), of_count),
                         Loop(k, ir::Int(0), rows[1], ir::MakeSeq({clear(0, 0), clear(1, -1)})),
                         Loop(i, ir::Int(0), ranks,
                              ir::MakeLetStmt(box, ir::MakeLoad(from[1], {b, i}),
                                              ir::MakeIf(is_wanted, look)))}),
            ir::ForKind::kParallel);
      },
      "suppressed");
  return {by_score, results[0], results[1], results[2]};
}

Results ComputeSuppression(const ComputeContext& c) {
  const Boxes boxes = Suppress(c);
  const auto missing = [](const Expr& box) { return box < 0; };
  if (c.attrs.Bool("return_indices")) {
    const DataType dtype = c.output_dtypes[0];
    return {te::Compute(
                c.output_shapes[0],
                [&](const Indices& i) {
                  const Expr box = At(boxes.packed, AsExprs(i));
                  return ir::IfThenElse(missing(box), Num(-1, dtype), At(c.in(2), {i[0], box}));
                },
                "indices"),
            te::Compute(
                c.output_shapes[1], [&](const Indices& i) { return At(boxes.count, AsExprs(i)); },
                "count")};
  }
  const bool packs = c.attrs.Bool("invalid_to_bottom");
  return One(
      c.shape(),
      [&](const Indices& i) {
        const std::vector<Expr> at{i[0], i[1]};
        const Expr box = At(packs ? boxes.packed : boxes.by_score, at);
        const Expr none = packs ? missing(box) : ir::Equal(At(boxes.kept, at), ir::Int(0));
        return ir::IfThenElse(none, Num(-1, c.dtype()), At(c.in(0), {i[0], box, i[2]}));
      },
      "boxes");
}

OpDef NonMaxSuppression() {
  return {
      .name = "vision.non_max_suppression",
      .doc =
          "Of boxes that overlap, the one with the highest score: in the order of scores, a box "
          "stays if its intersection over union with each box that stays is below the threshold. "
          "Returns (the entries of `indices` of the boxes that stay, in the order of their scores, "
          "then -1 [batch, boxes]; how many they are [batch, 1]), or the boxes themselves, with "
          "rows of -1 for those that were dropped. As in Relay, boxes without a class (below 0) "
          "are "
          "none, and overlaps equal to the threshold drop a box.",
      .inputs = {{"data", "boxes [batch, boxes, columns]", kFloats},
                 {"valid_count", "how many boxes count; those in front [batch]", kIndices},
                 {"indices", "the numbers that are returned for the boxes [batch, boxes]",
                  kIndices}},
      .attrs = {Int("max_output_size", "no more boxes stay; 0 or less: any number", -1),
                Number("iou_threshold",
                       "the overlap that drops a box; 0 or less: nothing is dropped", 0.5),
                Flag("force_suppress", "do boxes drop those of other classes?", false),
                Int("top_k", "only as many of the best boxes count; 0 or less: all", -1),
                Int("coord_start", "the first of the columns x1, y1, x2, y2", 2, 0),
                Int("score_index", "the column of the score", 1, 0),
                Int("id_index", "the column of the class; negative: none", 0),
                Flag("return_indices", "are the boxes' numbers the result?", true),
                Flag("invalid_to_bottom", "are the boxes that stay in front?", false)},
      .type = [](const TypeContext& c) -> TypeResult {
        c.NeedRank(0, 3, 3);
        c.NeedRank(1, 1, 1);
        c.NeedRank(2, 2, 2);
        const Shape& x = c.shape(0);
        for (const size_t i : {1, 2}) c.NeedExtent(i, 0, x[0], "the batch of `data`");
        c.NeedExtent(2, 1, x[1], "the boxes of `data`");
        CheckColumn(c, "coord_start", 0, 4);
        CheckColumn(c, "score_index", 0, 1);
        CheckColumn(c, "id_index", INT64_MIN, 1);
        if (!c.attrs.Bool("return_indices")) return c.types[0];
        return TupleOf({c.types[2], TensorOf(kNumber, {x[0], ir::Int(1, DataType::Int(64))})});
      },
      .compute = ComputeSuppression,
      .examples = {{{"T[n, 9, 6] in 0:2", "int32[n] in 5:9", "int32[n, 9] in 0:8"},
                    {{"iou_threshold", FloatAttr(0.1)}, {"force_suppress", BoolAttr(true)}}},
                   {{"T[n, 9, 5] in 0:2", "int64[n] in 9:9", "int32[n, 9] in 0:8"},
                    {{"iou_threshold", FloatAttr(0.2)},
                     {"id_index", IntAttr(-1)},
                     {"score_index", IntAttr(4)},
                     {"coord_start", IntAttr(0)},
                     {"top_k", IntAttr(6)},
                     {"return_indices", BoolAttr(false)}}},
                   {{"T[2, n, 6] in -0.5:2", "int32[2] in 0:5", "int64[2, n] in 0:8"},
                    {{"max_output_size", IntAttr(2)},
                     {"return_indices", BoolAttr(false)},
                     {"invalid_to_bottom", BoolAttr(true)}}},
                   {{"T[2, n, 6] in 0:2", "int32[2] in 5:5", "int64[2, n] in 0:8"},
                    {{"iou_threshold", FloatAttr(0)}}}}};
}

}  // namespace

std::vector<OpDef> Suppression() { return {GetValidCounts(), NonMaxSuppression()}; }

}  // namespace lathe::graph::ops
