// Images of another size, and parts of them.
#include <algorithm>
#include <cmath>
#include <map>

#include "graph/import/tensorflow/operators.h"
#include "graph/import/tensorflow_rules.h"

namespace lathe::graph::tensorflow {
namespace {

const DataType kReal = DataType::Float(32);

void NeedImage(const NodeContext& n) {
  if (Maker::RankOf(n.In(0)) == 4) return;
  n.Fail("has a wrong input 0", "an image of 4 dimensions", TypeText(n.In(0)->type));
}

std::vector<Expr> SizeOf(const NodeContext& n, size_t i, const char* what) {
  const std::vector<Expr> size = n.Extents(i, what);
  if (size.size() != 2) {
    n.Fail("has a size of the wrong length", "2", std::to_string(size.size()));
  }
  return size;
}

void CheckPlaces(const NodeContext& n) {
  if (!n.Flag("align_corners") || !n.Flag("half_pixel_centers")) return;
  n.Fail("has align_corners and half_pixel_centers", "one of them", "both");
}

Converter Resize(bool nearest) {
  return [nearest](NodeContext& n) -> Results {
    NeedImage(n);
    CheckPlaces(n);
    // The linear one gives floats for images of any type.
    const GraphVar x = nearest ? n.In(0) : n.Cast(n.In(0), kReal);
    return {ResizeImage(n, x, SizeOf(n, 1, "size"), nearest, n.Flag("align_corners"),
                        n.Flag("half_pixel_centers"))};
  };
}

// -- Resizes whose weights are computed here.

// Along one dimension: element i of the result is the sum over t < count of weights[i, t] times
// element places[i, t].
struct Taps {
  int64_t count = 0;
  std::vector<int64_t> places;
  std::vector<double> weights;
};

// In floats, as TensorFlow has it: which element a place belongs to may depend on how they round.
float ScaleOf(int64_t in, int64_t out, bool corners) {
  return corners && out > 1 ? static_cast<float>(in - 1) / static_cast<float>(out - 1)
                            : static_cast<float>(in) / static_cast<float>(out);
}

double Keys(double distance, double a) {
  const double x = std::abs(distance);
  if (x <= 1) return ((a + 2) * x - (a + 3)) * x * x + 1;
  return x < 2 ? ((a * x - 5 * a) * x + 8 * a) * x - 4 * a : 0;
}

// Cubic convolution [Keys, 1981]. TensorFlow takes its weights from a table with 1024 steps between
// two elements. With half_pixel_centers, elements outside have no weight, and the coefficient is
// another.
Taps CubicTaps(int64_t in, int64_t out, bool corners, bool half_pixel) {
  constexpr double kSteps = 1024;
  const float scale = ScaleOf(in, out, corners);
  const double a = half_pixel ? -0.5 : -0.75;
  Taps taps{.count = 4};
  for (int64_t i = 0; i < out; ++i) {
    const auto at = static_cast<float>(i);
    const float place = half_pixel ? (at + 0.5F) * scale - 0.5F : at * scale;
    const float low = std::floor(place);
    const double part = std::nearbyint(static_cast<double>(place - low) * kSteps) / kSteps;
    double weights[4] = {}, sum = 0;
    for (int64_t t = 0; t < taps.count; ++t) {
      const int64_t element = static_cast<int64_t>(low) + t - 1;
      const int64_t inside = std::clamp<int64_t>(element, 0, in - 1);
      taps.places.push_back(inside);
      if (half_pixel && inside != element) continue;
      weights[t] = Keys(static_cast<double>(t - 1) - part, a);
      sum += weights[t];
    }
    for (const double weight : weights) {
      taps.weights.push_back(half_pixel && sum != 0 ? weight / sum : weight);
    }
  }
  return taps;
}

// The mean of what a place of the result covers.
Taps AreaTaps(int64_t in, int64_t out, bool corners) {
  const float scale = ScaleOf(in, out, corners);
  std::vector<std::map<int64_t, double>> rows(static_cast<size_t>(out));
  size_t most = 1;
  for (int64_t i = 0; i < out; ++i) {
    std::map<int64_t, double>& row = rows[static_cast<size_t>(i)];
    const auto from = static_cast<double>(static_cast<float>(i) * scale);
    const auto to = static_cast<double>(static_cast<float>(i + 1) * scale);
    const auto last = static_cast<int64_t>(std::ceil(to));
    double sum = 0;
    for (auto k = static_cast<int64_t>(std::floor(from)); k < last; ++k) {
      const auto begin = static_cast<double>(k);
      const double covered = std::min(begin + 1, to) - std::max(begin, from);
      row[std::clamp<int64_t>(k, 0, in - 1)] += covered;
      sum += covered;
    }
    // With one element and align_corners, nothing is covered: the first element it is.
    if (sum == 0) row[0] = sum = 1;
    for (auto& [element, weight] : row) weight /= sum;
    most = std::max(most, row.size());
  }
  Taps taps{.count = static_cast<int64_t>(most)};
  for (const std::map<int64_t, double>& row : rows) {
    for (const auto& [element, weight] : row) {
      taps.places.push_back(element);
      taps.weights.push_back(weight);
    }
    const size_t missing = most - row.size();
    taps.places.insert(taps.places.end(), missing, 0);
    taps.weights.insert(taps.weights.end(), missing, 0);
  }
  return taps;
}

// The sums along dimension `axis` of an image.
GraphVar Blended(const NodeContext& n, const GraphVar& x, const Taps& taps, int64_t axis) {
  const int64_t out = static_cast<int64_t>(taps.places.size()) / taps.count;
  const GraphVar places = n.Constant(MakeInts(taps.places, {out, taps.count}, DataType::Int(32)));
  const GraphVar parts = n.Call("take", {x, places}, {{"axis", IntAttr(axis)}});
  std::vector<int64_t> shape{out, taps.count};
  shape.insert(shape.end(), static_cast<size_t>(3 - axis), 1);
  const GraphVar weights = n.Constant(MakeFloats(taps.weights, shape, kReal));
  return n.Call("sum", {n.Mul(parts, weights)}, {{"axis", IntsAttr({axis + 1})}});
}

// The extents of the image's rows and columns if they, and those of the result, are known.
std::optional<std::pair<std::vector<int64_t>, std::vector<int64_t>>> KnownSizes(
    const NodeContext& n, const std::vector<Expr>& size) {
  std::vector<int64_t> in, out;
  for (size_t d = 0; d < 2; ++d) {
    const int64_t* before = ir::AsConstInt(Maker::ShapeOf(n.In(0))[d + 1]);
    const int64_t* after = ir::AsConstInt(size[d]);
    if (before == nullptr || after == nullptr) return std::nullopt;
    if (*before < 1 || *after < 1 || *before > Values::kMostElements ||
        *after > Values::kMostElements) {
      n.Fail("has an image of an impossible size", "1 to " + std::to_string(Values::kMostElements),
             std::to_string(*before) + " and " + std::to_string(*after));
    }
    in.push_back(*before);
    out.push_back(*after);
  }
  return std::pair(in, out);
}

Results ResizeBicubic(NodeContext& n) {
  NeedImage(n);
  CheckPlaces(n);
  const bool corners = n.Flag("align_corners"), half_pixel = n.Flag("half_pixel_centers");
  const std::vector<Expr> size = SizeOf(n, 1, "size");
  GraphVar x = n.Cast(n.In(0), kReal);
  if (const auto known = KnownSizes(n, size)) {
    for (size_t d = 0; d < 2; ++d) {
      const Taps taps = CubicTaps(known->first[d], known->second[d], corners, half_pixel);
      x = Blended(n, x, taps, static_cast<int64_t>(d) + 1);
    }
    return {x};
  }
  // Without TensorFlow's table: weights differ by less than 0.001.
  const char* places = corners ? "align_corners" : half_pixel ? "half_pixel" : "asymmetric";
  return {n.Call("image.resize2d", {x},
                 {{"size", ShapeAttr(size)},
                  {"layout", StringAttr("NHWC")},
                  {"method", StringAttr("cubic")},
                  {"coordinate_transformation_mode", StringAttr(places)},
                  {"cubic_alpha", FloatAttr(half_pixel ? -0.5 : -0.75)},
                  {"cubic_exclude", IntAttr(half_pixel ? 1 : 0)}})};
}

Results ResizeArea(NodeContext& n) {
  NeedImage(n);
  const auto known = KnownSizes(n, SizeOf(n, 1, "size"));
  if (!known) {
    n.Fail("needs an image and a result of a known size", "numbers", TypeText(n.In(0)->type),
           "give the model's inputs a shape at import");
  }
  GraphVar x = n.Cast(n.In(0), kReal);
  for (size_t d = 0; d < 2; ++d) {
    const Taps taps = AreaTaps(known->first[d], known->second[d], n.Flag("align_corners"));
    x = Blended(n, x, taps, static_cast<int64_t>(d) + 1);
  }
  return {x};
}

// -- Parts of images, of one size.

// Places along one dimension [boxes, out]: two neighbours, how near the second is, and whether the
// place is within the image.
struct Places {
  GraphVar low, high, part, inside;
};

// Dimension d of boxes (y1, x1, y2, x2), which are fractions of an image with `in` elements.
Places PlacesOf(const NodeContext& n, const GraphVar& boxes, int64_t d, int64_t in, int64_t out,
                bool nearest) {
  const auto number = [&](double value) { return n.Scalar(value, kReal); };
  const auto last = static_cast<double>(in - 1);
  const GraphVar start = n.Slice(boxes, 1, Int64(d), Int64(d + 1));
  const GraphVar end = n.Slice(boxes, 1, Int64(d + 2), Int64(d + 3));
  GraphVar place = n.Mul(n.Add(start, end), number(0.5 * last));
  if (out > 1) {
    std::vector<double> steps;
    for (int64_t i = 0; i < out; ++i) steps.push_back(static_cast<double>(i));
    const GraphVar width = n.Mul(n.Sub(end, start), number(last / static_cast<double>(out - 1)));
    place = n.Add(n.Mul(start, number(last)),
                  n.Mul(width, n.Constant(MakeFloats(steps, {1, out}, kReal))));
  }
  Places places;
  places.inside = n.Call("logical_and", {n.Call("greater_equal", {place, number(0)}),
                                         n.Call("less_equal", {place, number(last)})});
  // Places outside are not read, but have to be elements.
  place = n.Call("where", {places.inside, place, number(0)});
  const GraphVar low = n.Call("floor", {nearest ? n.Add(place, number(0.5)) : place});
  places.low = n.Cast(low, DataType::Int(32));
  if (nearest) return places;
  places.high = n.Cast(n.Call("ceil", {place}), DataType::Int(32));
  places.part = n.Sub(place, low);
  return places;
}

Results CropAndResize(NodeContext& n) {
  NeedImage(n);
  const GraphVar image = n.Cast(n.In(0), kReal), boxes = n.Cast(n.In(1), kReal), owner = n.In(2);
  if (Maker::RankOf(boxes) != 2 || !ir::IsConstInt(Maker::ShapeOf(boxes)[1], 4)) {
    n.Fail("has wrong boxes", "[boxes, 4]", TypeText(boxes->type));
  }
  if (Maker::RankOf(owner) != 1) n.Fail("has a wrong box_ind", "[boxes]", TypeText(owner->type));
  const std::vector<int64_t> size = n.Ints(3, "crop_size");
  if (size.size() != 2 || std::ranges::min(size) < 1 ||
      std::ranges::max(size) > Values::kMostElements) {
    n.Fail("has an impossible crop_size", "2 numbers, 1 and more",
           std::to_string(size.size()) + " numbers");
  }
  const std::string method = n.String("method", "bilinear");
  const bool nearest = method == "nearest";
  if (!nearest && method != "bilinear") {
    n.Fail("has an unknown method", "bilinear or nearest", method);
  }
  const Expr& images = Maker::ShapeOf(image)[0];
  if (const auto known = n.Known(2); known && ir::AsConstInt(images) != nullptr) {
    for (const int64_t one : IntsOf(*known)) {
      if (one >= 0 && one < *ir::AsConstInt(images)) continue;
      n.Fail("has a box of an image that is not there",
             "below " + std::to_string(*ir::AsConstInt(images)), std::to_string(one));
    }
  }
  Places places[2];
  for (size_t d = 0; d < 2; ++d) {
    const int64_t* in = ir::AsConstInt(Maker::ShapeOf(image)[d + 1]);
    if (in == nullptr || *in < 1) {
      n.Fail("needs an image of a known size", "numbers", TypeText(image->type),
             "give the model's inputs a shape at import");
    }
    places[d] = PlacesOf(n, boxes, static_cast<int64_t>(d), *in, size[d], nearest);
  }
  // The rows and columns [boxes, height, width] of elements, and these elements.
  const std::vector<Expr> shape{Maker::ShapeOf(boxes)[0], Int64(size[0]), Int64(size[1])};
  const auto elements = [&](const GraphVar& rows, const GraphVar& columns) {
    const GraphVar at =
        n.Call("stack",
               {n.BroadcastTo(n.ExpandDims(n.Cast(owner, DataType::Int(32)), 1, 2), shape),
                n.BroadcastTo(n.ExpandDims(rows, 2), shape),
                n.BroadcastTo(n.ExpandDims(columns, 1), shape)},
               {{"axis", IntAttr(0)}});
    return n.Call("gather_nd", {image, at});
  };
  const auto of_rows = [&](const GraphVar& x) { return n.ExpandDims(x, 2, 2); };
  const auto of_columns = [&](const GraphVar& x) { return n.ExpandDims(n.ExpandDims(x, 1), 3); };
  const auto between = [&](const GraphVar& a, const GraphVar& b, const GraphVar& part) {
    return n.Add(a, n.Mul(n.Sub(b, a), part));
  };
  const Places &y = places[0], &x = places[1];
  GraphVar values = elements(y.low, x.low);
  if (!nearest) {
    const GraphVar along = of_columns(x.part);
    values =
        between(between(values, elements(y.low, x.high), along),
                between(elements(y.high, x.low), elements(y.high, x.high), along), of_rows(y.part));
  }
  const GraphVar inside = n.Call("logical_and", {of_rows(y.inside), of_columns(x.inside)});
  return {n.Call("where", {inside, values, n.Scalar(n.Float("extrapolation_value", 0), kReal)})};
}

}  // namespace

std::vector<Conversion> Images() {
  return {{"ResizeBilinear", Resize(false)},
          {"ResizeNearestNeighbor", Resize(true)},
          {"ResizeBicubic", ResizeBicubic},
          {"ResizeArea", ResizeArea},
          {"CropAndResize", CropAndResize}};
}

}  // namespace lathe::graph::tensorflow
