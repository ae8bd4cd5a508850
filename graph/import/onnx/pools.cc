// Pools.
#include <limits>
#include <tuple>
#include <utility>

#include "graph/import/onnx/operators.h"
#include "graph/import/onnx/windows.h"

namespace lathe::graph::onnx {
namespace {

// Where the windows of a pool read: for each tap, all windows of an image.
struct TapTables {
  std::vector<int64_t> read;     // the element's place in the image, row-major
  std::vector<int64_t> numbers;  // as ONNX counts it: the same, or column-major
};

// The frame has no elements: there a window's first element stands once more.
TapTables TablesOf(const Window& window, int64_t height, int64_t width, int64_t rows,
                   int64_t across, bool columns) {
  const int64_t taps = window.kernel[0] * window.kernel[1], count = rows * across;
  TapTables tables;
  tables.read.resize(static_cast<size_t>(taps * count));
  tables.numbers.resize(tables.read.size());
  for (int64_t w = 0; w < count; ++w) {
    // (row, column) in the image; nothing within the frame.
    const auto place_of = [&](int64_t t) -> std::optional<std::pair<int64_t, int64_t>> {
      const int64_t row = w / across * window.strides[0] - window.before[0] +
                          t / window.kernel[1] * window.dilations[0];
      const int64_t column = w % across * window.strides[1] - window.before[1] +
                             t % window.kernel[1] * window.dilations[1];
      if (row < 0 || row >= height || column < 0 || column >= width) return std::nullopt;
      return std::pair(row, column);
    };
    std::pair<int64_t, int64_t> first_inside;
    for (int64_t t = taps; t-- > 0;) {
      if (const auto place = place_of(t)) first_inside = *place;
    }
    for (int64_t t = 0; t < taps; ++t) {
      const auto [row, column] = place_of(t).value_or(first_inside);
      const auto entry = static_cast<size_t>(t * count + w);
      tables.read[entry] = row * width + column;
      tables.numbers[entry] = columns ? column * height + row : tables.read[entry];
    }
  }
  return tables;
}

// The places from which a pool of an image takes its greatest elements, as ONNX counts them: in the
// whole tensor, row-major, or with `columns` column-major within an image.
GraphVar PlacesOfMaxima(NodeContext& n, const GraphVar& x, const Window& window, bool columns) {
  const std::vector<int64_t> shape = n.FixedShape(x, "an input, for Indices,");
  if (window.kernel.size() != 2) n.Fail("has Indices", "an image", TypeText(x->type));
  const int64_t height = shape[2], width = shape[3];
  const int64_t taps = window.kernel[0] * window.kernel[1];
  const auto places = [&](size_t d) {
    const int64_t reach = (window.kernel[d] - 1) * window.dilations[d] + 1;
    return (shape[d + 2] + window.before[d] + window.after[d] - reach) / window.strides[d] + 1;
  };
  const int64_t rows = places(0), across = places(1);
  // Of a table with an entry for each tap of each window.
  if (rows > Importer::kMostElements / across || rows * across > Importer::kMostElements / taps) {
    n.Fail("has Indices of too many windows",
           std::to_string(Importer::kMostElements) + " elements in all",
           std::to_string(rows) + " x " + std::to_string(across) + " windows of " +
               std::to_string(taps));
  }
  const int64_t count = rows * across;
  const TapTables tables = TablesOf(window, height, width, rows, across, columns);
  const auto table = [&](const std::vector<int64_t>& values) {
    return n.importer.Constant(MakeInts(values, {1, 1, taps, count}, DataType::Int(64)), n.name());
  };
  const std::vector<Expr> of_taps = AsExtents({shape[0], shape[1], taps, count});
  const GraphVar taken = n.Reshape(
      n.Call(
          "take",
          {n.Reshape(x, AsExtents({shape[0], shape[1], height * width})), n.IntTensor(tables.read)},
          {{"axis", IntAttr(2)}}),
      of_taps);
  const GraphVar tap =
      n.Call("argmax", {taken}, {{"axis", IntsAttr({2})}, {"keepdims", BoolAttr(true)}});
  const GraphVar place = n.Call("gather", {n.BroadcastTo(table(tables.numbers), of_taps), tap},
                                {{"axis", IntAttr(2)}});
  std::vector<int64_t> images;  // where each image begins
  for (int64_t i = 0; i < shape[0] * shape[1]; ++i) images.push_back(i * height * width);
  const GraphVar base = n.importer.Constant(
      MakeInts(images, {shape[0], shape[1], 1, 1}, DataType::Int(64)), n.name());
  return n.Reshape(n.Add(place, base), AsExtents({shape[0], shape[1], rows, across}));
}

// As little as anything of the types that ONNX's MaxPool takes.
double Least(DataType dtype) {
  if (dtype.is_float()) return -std::numeric_limits<double>::infinity();
  return dtype.is_int() ? -128 : 0;
}

Results MaxPool(NodeContext& n) {
  GraphVar x = n.In(0);
  const Window window = WindowAndFrame(n, &x, Least(NodeContext::DTypeOf(x)));
  const bool columns = n.Int("storage_order", 0) != 0;
  const bool ceil_mode = n.Int("ceil_mode", 0) != 0;
  const GraphVar y = n.Call("nn.max_pool" + window.Suffix(), {x},
                            {{"pool_size", IntsAttr(window.kernel)},
                             {"strides", IntsAttr(window.strides)},
                             {"dilation", IntsAttr(window.dilations)},
                             {"padding", window.Padding()},
                             {"ceil_mode", BoolAttr(ceil_mode)}});
  if (!n.Wants(1)) return {y};
  if (ceil_mode) n.Fail("has Indices and ceil_mode", "one of them", "both");
  return {y, PlacesOfMaxima(n, x, window, columns)};
}

Results AveragePool(NodeContext& n) {
  const GraphVar x = n.In(0);
  Window window = WindowOf(n, x);
  bool ceil_mode = n.Int("ceil_mode", 0) != 0;
  const bool counts_frame = n.Int("count_include_pad", 0) != 0;
  if (ceil_mode && counts_frame) {
    // A window that begins within the frame and ends behind it counts as a whole.
    const std::vector<int64_t> shape = n.FixedShape(x, "an input, with ceil_mode,");
    for (size_t d = 0; d < window.kernel.size(); ++d) {
      const int64_t reach = (window.kernel[d] - 1) * window.dilations[d] + 1;
      const int64_t whole = shape[d + 2] + window.before[d] + window.after[d];
      const int64_t rest = (whole - reach) % window.strides[d];
      if (rest == 0 || whole < reach) continue;
      const int64_t more = window.strides[d] - rest;
      // A window that would begin in the frame behind the image is left out.
      const int64_t begin = whole + more - reach;
      if (begin < shape[d + 2] + window.before[d]) window.after[d] += more;
    }
    ceil_mode = false;
  }
  return {n.Call("nn.avg_pool" + window.Suffix(), {x},
                 {{"pool_size", IntsAttr(window.kernel)},
                  {"strides", IntsAttr(window.strides)},
                  {"dilation", IntsAttr(window.dilations)},
                  {"padding", window.Padding()},
                  {"ceil_mode", BoolAttr(ceil_mode)},
                  {"count_include_pad", BoolAttr(counts_frame)}})};
}

Results LpPool(NodeContext& n) {
  const GraphVar x = n.In(0);
  const Window window = WindowOf(n, x);
  if (n.Int("ceil_mode", 0) != 0) n.Fail("has ceil_mode", "0", "1");
  return {n.Call("nn.lp_pool" + window.Suffix(), {x},
                 {{"p", IntAttr(n.Int("p", 2))},
                  {"pool_size", IntsAttr(window.kernel)},
                  {"strides", IntsAttr(window.strides)},
                  {"dilation", IntsAttr(window.dilations)},
                  {"padding", window.Padding()}})};
}

Operator Global(std::string name, std::string ours) {
  return {std::move(name), [ours](NodeContext& n) -> Results {
            const GraphVar x = n.In(0);
            NeedImage(n, x);
            return {n.Call(ours + std::to_string(NodeContext::RankOf(x) - 2) + "d", {x})};
          }};
}

Results GlobalLpPool(NodeContext& n) {
  const GraphVar x = n.In(0);
  const std::vector<int64_t> shape = n.FixedShape(x, "an input");
  return {n.Call(
      "nn.lp_pool" + std::to_string(shape.size() - 2) + "d", {x},
      {{"p", IntAttr(n.Int("p", 2))}, {"pool_size", IntsAttr({shape.begin() + 2, shape.end()})}})};
}

// The places of `indices` count within the whole tensor; each image gets its own.
Results MaxUnpool(NodeContext& n) {
  const GraphVar x = n.In(0);
  const Window window = WindowOf(n, x);
  const std::vector<int64_t> shape = n.FixedShape(x, "an input");
  std::vector<int64_t> out{shape[0], shape[1]};
  for (size_t d = 0; d < window.kernel.size(); ++d) {
    out.push_back((shape[d + 2] - 1) * window.strides[d] - window.before[d] - window.after[d] +
                  window.kernel[d]);
  }
  int64_t places = 1;
  for (const int64_t extent : out) places *= extent;
  const DataType dtype = NodeContext::DTypeOf(x);
  const GraphVar zeros = n.Call("full", {n.Scalar(0, dtype)}, {{"shape", IntsAttr({places})}});
  const GraphVar filled = n.Call(
      "scatter_elements", {zeros, n.Reshape(n.In(1), {Int64(-1)}), n.Reshape(x, {Int64(-1)})},
      {{"axis", IntAttr(0)}});
  GraphVar y = n.Reshape(filled, AsExtents(out));
  if (n.Has(2)) {
    // A larger result: the rest is zeros, and the places still count within the smaller one.
    const std::vector<int64_t> wanted = n.Ints(2, "output_shape");
    std::vector<int64_t> frame;
    for (size_t d = 0; d < out.size(); ++d) {
      const int64_t more = d < wanted.size() ? wanted[d] - out[d] : -1;
      if (more < 0 || wanted.size() != out.size()) n.Fail("has an output_shape that is too small");
      frame.insert(frame.end(), {0, more});
    }
    y = n.Call("nn.pad", {y}, {{"pad_width", IntsAttr(frame)}});
  }
  return {y};
}

}  // namespace

std::vector<Operator> Pools() {
  return {
      Global("GlobalAveragePool", "nn.global_avg_pool"),
      Global("GlobalMaxPool", "nn.global_max_pool"),
      {"AveragePool", AveragePool},
      {"GlobalLpPool", GlobalLpPool},
      {"LpPool", LpPool},
      {"MaxPool", MaxPool},
      {"MaxUnpool", MaxUnpool},
  };
}

}  // namespace lathe::graph::onnx
