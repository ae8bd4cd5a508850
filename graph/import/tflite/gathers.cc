// Elements at places that other tensors say.
#include <numeric>

#include "graph/import/tflite/operators.h"
#include "graph/import/tflite/quantised.h"

namespace lathe::graph::tflite {
namespace {

// Options of the schema.
enum Options : int32_t { kGatherOptions = 23, kUniqueOptions = 80, kBucketizeOptions = 115 };

// Places as a type that our operators take.
GraphVar Places(const OpContext& n, size_t input) {
  const GraphVar places = n.In(input);
  const DataType type = Maker::DTypeOf(places);
  return type.is_int() && type.bits() >= 32 ? places : n.Cast(places, DataType::Int(32));
}

// The last dimension, which has the entries of a place, first.
GraphVar EntriesFirst(const OpContext& n, const GraphVar& places) {
  const int64_t rank = Maker::RankOf(places);
  if (rank < 1) n.Fail("has places without dimensions", "1 and more", TypeText(places->type));
  std::vector<int64_t> axes{rank - 1};
  for (int64_t d = 0; d + 1 < rank; ++d) axes.push_back(d);
  return n.Transpose(places, axes);
}

Results Gather(OpContext& n) {
  const int64_t axis = n.Axis(n.Number(0, "axis"), Maker::RankOf(n.In(0)));
  const int64_t places = Maker::RankOf(n.In(1));
  int64_t batch = n.Number(1, "batch_dims");
  if (batch != 0) batch = batch < 0 ? batch + places : batch;
  if (batch < 0 || batch > axis || batch > places) {
    n.Fail("has impossible batch_dims", "0 to " + std::to_string(axis), std::to_string(batch));
  }
  return {n.Call("take", {n.In(0), Places(n, 1)},
                 {{"axis", IntAttr(axis)}, {"batch_dims", IntAttr(batch)}})};
}

Results GatherNd(OpContext& n) {
  return {n.Call("gather_nd", {n.In(0), EntriesFirst(n, Places(n, 1))})};
}

Results EmbeddingLookup(OpContext& n) {
  const GraphVar rows = n.Call("take", {n.In(1), Places(n, 0)}, {{"axis", IntAttr(0)}});
  const TensorInfo& table = n.InInfo(1);
  if (!IsQuantised(table) || IsQuantised(n.OutInfo())) return {rows};
  const Affine affine = AffineOf(n, table);
  return {
      n.Call("qnn.dequantize", {rows, n.Scalar(affine.scale, DataType::Float(32)),
                                n.Constant(MakeInts({affine.zero_point}, {}, DataType::Int(32)))})};
}

GraphVar Zeros(const OpContext& n, std::vector<Expr> shape, DataType type) {
  return n.Call("zeros", {},
                {{"shape", ShapeAttr(std::move(shape))}, {"dtype", StringAttr(type.ToString())}});
}

// Elements at equal places are added.
Results ScatterNd(OpContext& n) {
  const GraphVar updates = n.In(1);
  const GraphVar zeros = Zeros(n, n.Extents(2, "shape"), Maker::DTypeOf(updates));
  return {n.Call("scatter_nd", {zeros, EntriesFirst(n, Places(n, 0)), updates},
                 {{"mode", StringAttr("add")}})};
}

Results SparseToDense(OpContext& n) {
  const std::vector<Expr> shape = n.Extents(1, "output_shape");
  const DataType type = Maker::DTypeOf(n.In(2));
  GraphVar places = Places(n, 0);
  const int64_t rank = Maker::RankOf(places);
  if (rank == 0) places = n.Reshape(places, {Int64(1), Int64(1)});
  if (rank == 1) places = n.ExpandDims(places, 1);
  const GraphVar fill = n.Call(
      "full", {n.In(3)}, {{"shape", ShapeAttr(shape)}, {"dtype", StringAttr(type.ToString())}});
  const GraphVar values = n.BroadcastTo(n.In(2), {Maker::ShapeOf(places)[0]});
  return {n.Call("scatter_nd", {fill, EntriesFirst(n, places), values})};
}

// x with a part of it replaced; a part that would go beyond the ends is moved inwards.
Results DynamicUpdateSlice(OpContext& n) {
  const GraphVar x = n.In(0), part = n.In(1);
  const std::vector<int64_t> whole = n.FixedShape(x, "an operand");
  const std::vector<int64_t> size = n.FixedShape(part, "an update");
  if (whole.size() != size.size()) n.Fail("has an update of another rank");
  const DataType i64 = DataType::Int(64);
  const GraphVar begin = n.Cast(n.In(2), i64);
  std::vector<GraphVar> args{x, part};
  for (size_t d = 0; d < whole.size(); ++d) {
    if (size[d] > whole[d]) n.Fail("has an update that is larger than its operand");
    const auto axis = static_cast<int64_t>(d);
    const GraphVar first = n.Reshape(n.Slice(begin, 0, Int64(axis), Int64(axis + 1)), {});
    const GraphVar inside =
        n.Call("maximum",
               {n.Call("minimum", {first, n.Scalar(static_cast<double>(whole[d] - size[d]), i64)}),
                n.Scalar(0, i64)});
    std::vector<int64_t> steps(static_cast<size_t>(size[d]));
    std::iota(steps.begin(), steps.end(), 0);
    const GraphVar along = n.Add(n.IntTensor(steps), inside);
    args.push_back(n.ExpandDims(along, 1, static_cast<int64_t>(whole.size()) - 1 - axis));
  }
  return {n.Call("index_put", args)};
}

Results Where(OpContext& n) {
  if (n.inputs.size() != 1) n.Fail("has the wrong number of inputs", "1", "");
  return {n.Call("argwhere", {n.In(0)}, {{"dtype", StringAttr(n.OutType().ToString())}})};
}

Results Unique(OpContext& n) {
  const GraphVar all =
      n.Call("unique", {n.In(0)},
             {{"is_sorted", BoolAttr(false)}, {"dtype", StringAttr(n.OutType(1).ToString())}});
  return {n.Field(all, 0, std::string(n.OutInfo(0).name)),
          n.Field(all, 2, std::string(n.OutInfo(1).name))};
}

// How many of the borders are at most x.
Results Bucketize(OpContext& n) {
  const std::vector<float> borders = n.op.options.Numbers<float>(0, "boundaries");
  const GraphVar x = n.Cast(n.In(0), DataType::Float(32));
  const std::vector<double> values(borders.begin(), borders.end());
  const GraphVar row =
      n.Constant(MakeFloats(values, {static_cast<int64_t>(values.size())}, DataType::Float(32)));
  return {n.Cast(n.Call("searchsorted", {row, x}, {{"right", BoolAttr(true)}}), n.OutType())};
}

// Rows with equal numbers of segments, reduced. The numbers are known or not; `count` is.
GraphVar Segments(const OpContext& n, const std::string& mode, const Expr& count) {
  const GraphVar x = n.In(0);
  const DataType type = Maker::DTypeOf(x);
  std::vector<Expr> shape(Maker::ShapeOf(x).begin() + 1, Maker::ShapeOf(x).end());
  shape.insert(shape.begin(), count);
  const GraphVar zeros = Zeros(n, shape, type);
  return n.Call("scatter_nd", {zeros, n.ExpandDims(Places(n, 1), 0), x},
                {{"mode", StringAttr(mode)}});
}

Results SegmentSum(OpContext& n) {
  const std::vector<int64_t> numbers = n.Ints(1, "segment_ids");
  const int64_t count = numbers.empty() ? 0 : numbers.back() + 1;
  if (count < 0 || count > Values::kMostElements) n.Fail("has impossible segment_ids");
  if (Maker::RankOf(n.In(1)) != 1) n.Fail("has segment_ids that are no row");
  return {Segments(n, "add", Int64(count))};
}

Results UnsortedSegmentSum(OpContext& n) {
  if (Maker::RankOf(n.In(1)) != 1) n.Fail("has segment_ids that are no row", "1 dimension", "");
  const std::vector<Expr> count = n.Extents(2, "num_segments");
  if (count.size() != 1) n.Fail("has a wrong input 2", "one number", "");
  return {Segments(n, "add", count[0])};
}

}  // namespace

std::vector<Conversion> Gathers() {
  return {
      {"GATHER", kGatherOptions, Gather},
      {"GATHER_ND", 0, GatherNd},
      {"EMBEDDING_LOOKUP", 0, EmbeddingLookup},
      {"SCATTER_ND", 0, ScatterNd},
      {"SPARSE_TO_DENSE", 0, SparseToDense},
      {"DYNAMIC_UPDATE_SLICE", 0, DynamicUpdateSlice},
      {"WHERE", 0, Where},
      {"UNIQUE", kUniqueOptions, Unique},
      {"BUCKETIZE", kBucketizeOptions, Bucketize},
      {"SEGMENT_SUM", 0, SegmentSum},
      {"UNSORTED_SEGMENT_SUM", 0, UnsortedSegmentSum},
  };
}

}  // namespace lathe::graph::tflite
