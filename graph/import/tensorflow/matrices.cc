// Matrices and their diagonals.
//
// A band is a tensor of diagonals [..., diagonals, longest], or [..., longest] if it has one. The
// first is the highest. Shorter ones stand at the left or the right end of their row, as `align`
// says.
#include <algorithm>

#include "graph/import/tensorflow/operators.h"

namespace lathe::graph::tensorflow {
namespace {

struct Band {
  int64_t low = 0, high = 0;  // 0 is the main diagonal, 1 that above it
  bool right_above = false, right_below = false;
  bool IsOne() const { return low == high; }
  int64_t Count() const { return high - low + 1; }
};
struct Matrix {
  int64_t rows, columns;
  int64_t LengthOf(int64_t diagonal) const {
    return std::min(columns - std::max<int64_t>(diagonal, 0),
                    rows + std::min<int64_t>(diagonal, 0));
  }
  int64_t LongestOf(const Band& band) const {
    return std::min(columns - std::max<int64_t>(band.low, 0),
                    rows + std::min<int64_t>(band.high, 0));
  }
};

// By input `k` and the attribute `align`. The first version of the operators has neither, and the
// second no `align`.
Band BandOf(const NodeContext& n, size_t k, int version) {
  Band band;
  if (version == 1) return band;
  const std::vector<int64_t> diagonals = n.Ints(k, "k");
  constexpr int64_t kMost = INT32_MAX;
  if (diagonals.empty() || diagonals.size() > 2 || diagonals[0] > diagonals.back() ||
      diagonals[0] < -kMost || diagonals.back() > kMost) {
    n.Fail("has impossible diagonals", "one number, or the lowest and the highest",
           std::to_string(diagonals.size()) + " numbers");
  }
  band.low = diagonals[0];
  band.high = diagonals.back();
  if (version == 2) return band;
  const std::string align = n.String("align", "RIGHT_LEFT");
  if (align != "RIGHT_LEFT" && align != "LEFT_RIGHT" && align != "LEFT_LEFT" &&
      align != "RIGHT_RIGHT") {
    n.Fail("has an unknown align", "RIGHT_LEFT, LEFT_RIGHT, LEFT_LEFT or RIGHT_RIGHT", align);
  }
  band.right_above = align.starts_with("RIGHT");
  band.right_below = align.ends_with("RIGHT");
  return band;
}

void CheckBand(const NodeContext& n, const Band& band, const Matrix& matrix) {
  if (matrix.rows < 1 || matrix.columns < 1 || band.low <= -matrix.rows ||
      band.high >= matrix.columns) {
    n.Fail("has diagonals that its matrix lacks",
           std::to_string(1 - matrix.rows) + " to " + std::to_string(matrix.columns - 1),
           std::to_string(band.low) + " to " + std::to_string(band.high));
  }
  if (matrix.rows * matrix.columns > Values::kMostElements) {
    n.Fail("has a matrix that is too large", std::to_string(Values::kMostElements) + " elements",
           std::to_string(matrix.rows * matrix.columns));
  }
}

// Extent `from_end` of the last two, as a number; 1 is the last.
int64_t LastExtent(const NodeContext& n, const GraphVar& x, size_t from_end) {
  const std::vector<Expr>& shape = Maker::ShapeOf(x);
  if (shape.size() < from_end) {
    n.Fail("has a wrong input", "at least " + std::to_string(from_end) + " dimensions",
           TypeText(x->type));
  }
  constexpr int64_t kMost = INT32_MAX;
  const int64_t* extent = ir::AsConstInt(shape[shape.size() - from_end]);
  if (extent == nullptr || *extent > kMost) {
    n.Fail("needs matrices of a known size", "numbers", TypeText(x->type),
           "give the model's inputs a shape at import");
  }
  return *extent;
}

// The same elements in another order: element i of the last dimensions of the result is element
// places[i] of the last `from` dimensions of `x`, or that of `other` where the place is negative.
GraphVar Arrange(const NodeContext& n, const GraphVar& x, size_t from, std::vector<int64_t> places,
                 const std::vector<int64_t>& to, const GraphVar& other) {
  std::vector<Expr> shape = Maker::ShapeOf(x);
  const size_t first = shape.size() - from;
  const Expr count = ProductOf(shape, first, shape.size());
  shape.resize(first);
  std::vector<Expr> flat = shape, out = shape;
  flat.push_back(count);
  for (const int64_t extent : to) out.push_back(Int64(extent));
  std::vector<int64_t> is_there;
  for (int64_t& place : places) {
    is_there.push_back(place >= 0 ? 1 : 0);
    place = std::max<int64_t>(place, 0);
  }
  const GraphVar taken = n.Call("take", {n.Reshape(x, flat), n.IntTensor(places)},
                                {{"axis", IntAttr(static_cast<int64_t>(first))}});
  const GraphVar y = n.Reshape(taken, out);
  if (std::ranges::count(is_there, 0) == 0) return y;
  const GraphVar mask = n.Constant(MakeInts(is_there, to, DataType::Bool()));
  return n.Call("where", {mask, y, other});
}

// Calls rule(element of the matrix, element of the band) for each element of the diagonals.
template <class Rule>
void ForEachElement(const Band& band, const Matrix& matrix, const Rule& rule) {
  const int64_t longest = matrix.LongestOf(band);
  for (int64_t d = band.low; d <= band.high; ++d) {
    const int64_t length = matrix.LengthOf(d);
    const bool right = (d >= 0 && band.right_above) || (d <= 0 && band.right_below);
    const int64_t shift = right ? longest - length : 0;
    for (int64_t i = 0; i < length; ++i) {
      const int64_t row = i + std::max<int64_t>(-d, 0), column = i + std::max<int64_t>(d, 0);
      rule(row * matrix.columns + column, (band.high - d) * longest + i + shift);
    }
  }
}

// A number for what the diagonals leave out.
GraphVar Padding(const NodeContext& n, size_t i, int version) {
  if (version == 1) return n.Scalar(0, Maker::DTypeOf(n.In(0)));
  if (Maker::RankOf(n.In(i)) == 0) return n.In(i);
  n.Fail("has a wrong padding_value", "one number", TypeText(n.In(i)->type));
}

// A matrix with the diagonals, `other` elsewhere.
GraphVar WithDiagonals(const NodeContext& n, const GraphVar& diagonals, const Band& band,
                       const Matrix& matrix, const GraphVar& other) {
  CheckBand(n, band, matrix);
  const int64_t longest = matrix.LongestOf(band);
  if (LastExtent(n, diagonals, 1) != longest ||
      (!band.IsOne() && LastExtent(n, diagonals, 2) != band.Count())) {
    n.Fail("has diagonals that do not fit its matrix",
           std::to_string(band.Count()) + " of " + std::to_string(longest),
           TypeText(diagonals->type));
  }
  std::vector<int64_t> places(static_cast<size_t>(matrix.rows * matrix.columns), -1);
  ForEachElement(band, matrix, [&](int64_t element, int64_t of_band) {
    places[static_cast<size_t>(element)] = of_band;
  });
  return Arrange(n, diagonals, band.IsOne() ? 1 : 2, std::move(places),
                 {matrix.rows, matrix.columns}, other);
}

Converter FromDiagonals(int version) {
  return [version](NodeContext& n) -> Results {
    const GraphVar x = n.In(0);
    const Band band = BandOf(n, 1, version);
    int64_t rows = version == 1 ? -1 : n.Int(2, "num_rows");
    int64_t columns = version == 1 ? -1 : n.Int(3, "num_cols");
    const GraphVar padding = Padding(n, 4, version);
    const int64_t rank = Maker::RankOf(x);
    if (band.low == 0 && band.high == 0 && rows == -1 && columns == -1 && rank > 0) {
      // The common case, for any extent.
      const Expr& extent = Maker::ShapeOf(x).back();
      const GraphVar on =
          n.Call("eye", {}, {{"n", ShapeAttr({extent})}, {"dtype", StringAttr("bool")}});
      return {n.Call("where", {on, n.ExpandDims(x, rank - 1), padding})};
    }
    const int64_t longest = LastExtent(n, x, 1);
    const int64_t least_rows = longest - std::min<int64_t>(band.high, 0);
    const int64_t least_columns = longest + std::max<int64_t>(band.low, 0);
    if (rows == -1 && columns == -1) rows = columns = std::max(least_rows, least_columns);
    if (rows == -1) rows = least_rows;
    if (columns == -1) columns = least_columns;
    if (rows < least_rows || columns < least_columns || rows > INT32_MAX || columns > INT32_MAX ||
        (rows != least_rows && columns != least_columns)) {
      n.Fail("has a size that does not fit its diagonals",
             std::to_string(least_rows) + " rows or " + std::to_string(least_columns) + " columns",
             std::to_string(rows) + " and " + std::to_string(columns));
    }
    return {WithDiagonals(n, x, band, {rows, columns}, padding)};
  };
}

Converter DiagonalsOf(int version) {
  return [version](NodeContext& n) -> Results {
    const GraphVar x = n.In(0);
    const Band band = BandOf(n, 1, version);
    const Matrix matrix{LastExtent(n, x, 2), LastExtent(n, x, 1)};
    CheckBand(n, band, matrix);
    const int64_t longest = matrix.LongestOf(band);
    std::vector<int64_t> places(static_cast<size_t>(band.Count() * longest), -1);
    ForEachElement(band, matrix, [&](int64_t element, int64_t of_band) {
      places[static_cast<size_t>(of_band)] = element;
    });
    std::vector<int64_t> to{longest};
    if (!band.IsOne()) to.insert(to.begin(), band.Count());
    return {Arrange(n, x, 2, std::move(places), to, Padding(n, 2, version))};
  };
}

Converter SetDiagonals(int version) {
  return [version](NodeContext& n) -> Results {
    const GraphVar x = n.In(0);
    const Matrix matrix{LastExtent(n, x, 2), LastExtent(n, x, 1)};
    return {WithDiagonals(n, n.In(1), BandOf(n, 2, version), matrix, x)};
  };
}

// What is at most `lower` below the diagonal and at most `upper` above it; below 0: all.
Results BandPart(NodeContext& n) {
  const GraphVar x = n.In(0);
  const int64_t lower = n.Int(1, "num_lower"), upper = n.Int(2, "num_upper");
  const size_t rank = Maker::ShapeOf(x).size();
  if (rank < 2) n.Fail("has an input that is no matrix", "2 dimensions", TypeText(x->type));
  const auto steps = [&](size_t d) {
    return n.Call("arange", {},
                  {{"start", ShapeAttr({Int64(0)})},
                   {"stop", ShapeAttr({Maker::ShapeOf(x)[d]})},
                   {"dtype", StringAttr("int64")}});
  };
  const GraphVar below = n.Sub(n.ExpandDims(steps(rank - 2), 1), steps(rank - 1));
  const DataType i64 = DataType::Int(64);
  GraphVar keep;
  const auto bound = [&](const char* op, int64_t value) {
    const GraphVar condition = n.Call(op, {below, n.Constant(MakeInts({value}, {}, i64))});
    keep = keep ? n.Call("logical_and", {keep, condition}) : condition;
  };
  if (lower >= 0) bound("less_equal", lower);
  if (upper >= 0) bound("greater_equal", -upper);
  if (!keep) return {n.Identity(x)};
  return {n.Call("where", {keep, x, n.Scalar(0, Maker::DTypeOf(x))})};
}

}  // namespace

std::vector<Conversion> Matrices() {
  return {
      {"MatrixDiag", FromDiagonals(1)},     {"MatrixDiagV2", FromDiagonals(2)},
      {"MatrixDiagV3", FromDiagonals(3)},   {"MatrixDiagPart", DiagonalsOf(1)},
      {"MatrixDiagPartV2", DiagonalsOf(2)}, {"MatrixDiagPartV3", DiagonalsOf(3)},
      {"MatrixSetDiag", SetDiagonals(1)},   {"MatrixSetDiagV2", SetDiagonals(2)},
      {"MatrixSetDiagV3", SetDiagonals(3)}, {"MatrixBandPart", BandPart},
  };
}

}  // namespace lathe::graph::tensorflow
