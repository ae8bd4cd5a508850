// Signals: windows, Fourier transforms; random numbers; small operators of ai.onnx.ml.
#include <cmath>

#include "graph/import/onnx/operators.h"

namespace lathe::graph::onnx {
namespace {

DataType TypeAttribute(NodeContext& n, std::string_view name, DataType fallback) {
  if (!n.Has(name)) return fallback;
  const auto type = static_cast<int32_t>(n.Int(name, 0));
  const std::optional<DataType> dtype = DTypeOf(type);
  if (!dtype) n.FailAttribute(name, "is not supported", "a type of numbers", ElementTypeName(type));
  return *dtype;
}

Operator WindowOperator(std::string name, std::string ours) {
  return {std::move(name), [ours](NodeContext& n) -> Results {
            const DataType dtype = TypeAttribute(n, "output_datatype", DataType::Float(32));
            return {n.Call(ours, {},
                           {{"size", ShapeAttr(n.Extents(0, "size"))},
                            {"periodic", BoolAttr(n.Int("periodic", 1) != 0)},
                            {"dtype", StringAttr(dtype.ToString())}})};
          }};
}

// Real numbers get an imaginary part of 0.
GraphVar Complex(NodeContext& n, const GraphVar& x) {
  if (!ir::IsOne(NodeContext::ShapeOf(x).back())) return x;
  const int64_t rank = NodeContext::RankOf(x);
  return n.Call("concatenate", {x, n.Call("zeros_like", {x})}, {{"axis", IntAttr(rank - 1)}});
}

// In float64: sums of many terms that cancel would leave errors of the size of the terms.
GraphVar Transform(NodeContext& n, const GraphVar& x, int64_t axis, bool inverse, bool onesided) {
  const GraphVar y = n.Call(
      "dft", {Complex(n, n.Cast(x, DataType::Float(64)))},
      {{"axis", IntAttr(axis)}, {"inverse", BoolAttr(inverse)}, {"onesided", BoolAttr(onesided)}});
  return n.Cast(y, NodeContext::DTypeOf(x));
}

Results Dft(NodeContext& n) {
  GraphVar x = n.In(0);
  const int64_t rank = NodeContext::RankOf(x);
  const int64_t axis = n.Axis(n.opset < 20 ? n.Int("axis", 1)
                              : n.Has(2)   ? n.Int(2, "axis")
                                           : -2,
                              rank);
  if (n.Has(1)) {
    // Cut off, or filled with zeros.
    const int64_t length = n.Int(1, "dft_length");
    const int64_t have = n.FixedShape(x, "an input")[static_cast<size_t>(axis)];
    if (length < have) x = n.Slice(x, axis, Int64(0), Int64(length));
    if (length > have) {
      std::vector<int64_t> width(static_cast<size_t>(2 * rank), 0);
      width[static_cast<size_t>(2 * axis + 1)] = length - have;
      x = n.Call("nn.pad", {x}, {{"pad_width", IntsAttr(width)}});
    }
  }
  return {Transform(n, x, axis, n.Int("inverse", 0) != 0, n.Int("onesided", 0) != 0)};
}

// Frames of the signal, weighted by a window, each transformed.
Results Stft(NodeContext& n) {
  const GraphVar signal = n.In(0);
  const std::vector<int64_t> shape = n.FixedShape(signal, "a signal");
  const int64_t step = n.Int(1, "frame_step");
  int64_t length = 0;
  if (n.Has(3)) {
    length = n.Int(3, "frame_length");
  } else if (n.Has(2)) {
    length = n.FixedShape(n.In(2), "a window")[0];
  }
  if (shape.size() != 3 || step < 1 || length < 1 || length > shape[1]) {
    n.Fail("has a wrong frame", "1 to " + std::to_string(shape.size() > 1 ? shape[1] : 0),
           std::to_string(length));
  }
  const int64_t frames = (shape[1] - length) / step + 1;
  std::vector<int64_t> places;
  for (int64_t f = 0; f < frames; ++f) {
    for (int64_t i = 0; i < length; ++i) places.push_back(f * step + i);
  }
  const GraphVar index =
      n.importer.Constant(MakeInts(places, {frames, length}, DataType::Int(32)), n.name());
  // [batch, frames, length, 1 or 2].
  GraphVar x = n.Call("take", {signal, index}, {{"axis", IntAttr(1)}});
  if (n.Has(2)) x = n.Mul(x, n.ExpandDims(n.In(2), 1));
  return {Transform(n, x, 2, false, n.Int("onesided", 1) != 0)};
}

// Triangles on the mel scale, 2595 log10(1 + f / 700).
Results MelWeightMatrix(NodeContext& n) {
  const int64_t bins = n.Int(0, "num_mel_bins"), size = n.Int(1, "dft_length");
  const int64_t rate = n.Int(2, "sample_rate");
  const double low = n.Floats(3, "lower_edge_hertz")[0], high = n.Floats(4, "upper_edge_hertz")[0];
  const DataType dtype = TypeAttribute(n, "output_datatype", DataType::Float(32));
  const int64_t rows = size / 2 + 1;
  if (bins < 1 || size < 1 || rate < 1 || bins > 1 << 12 || rows > Importer::kMostElements / bins) {
    n.Fail("has impossible sizes");
  }
  const auto mel = [](double hertz) { return 2595 * std::log10(1 + hertz / 700); };
  const auto hertz = [](double value) { return 700 * (std::pow(10, value / 2595) - 1); };
  // The rows at which the triangles begin, peak and end.
  std::vector<int64_t> corners;
  const double first = mel(low), step = (mel(high) - first) / static_cast<double>(bins + 2);
  for (int64_t i = 0; i < bins + 2; ++i) {
    const double frequency = hertz(static_cast<double>(i) * step + first);
    corners.push_back(static_cast<int64_t>(
        std::floor(frequency * static_cast<double>(size + 1) / static_cast<double>(rate))));
  }
  std::vector<double> matrix(static_cast<size_t>(rows * bins), 0);
  const auto set = [&](int64_t row, int64_t bin, double value) {
    if (row >= 0 && row < rows) matrix[static_cast<size_t>(row * bins + bin)] = value;
  };
  for (int64_t bin = 0; bin < bins; ++bin) {
    const auto at = static_cast<size_t>(bin);
    const int64_t begin = corners[at], peak = corners[at + 1], end = corners[at + 2];
    if (peak == begin) set(peak, bin, 1);
    for (int64_t row = begin; peak > begin && row <= peak; ++row) {
      set(row, bin, static_cast<double>(row - begin) / static_cast<double>(peak - begin));
    }
    for (int64_t row = peak; end > peak && row < end; ++row) {
      set(row, bin, static_cast<double>(end - row) / static_cast<double>(end - peak));
    }
  }
  return {n.importer.Constant(MakeFloats(matrix, {rows, bins}, dtype), n.name())};
}

// -- Random numbers: the same in every run. Nodes without a seed are numbered by their place.

GraphVar Key(NodeContext& n) {
  const double seed = n.Float("seed", 0);
  const uint64_t own =
      n.Has("seed") ? static_cast<uint64_t>(static_cast<int64_t>(seed)) : n.importer.NextKey();
  return n.importer.Constant(MakeInts({static_cast<int64_t>(own)}, {}, DataType::Int(64)),
                             n.name());
}

Operator Random(std::string name, std::string ours, std::pair<const char*, const char*> bounds,
                std::pair<double, double> fallbacks, bool like) {
  return {std::move(name), [=](NodeContext& n) -> Results {
            std::vector<Expr> shape =
                like ? NodeContext::ShapeOf(n.In(0)) : AsExtents(n.Ints("shape"));
            const DataType own = like ? NodeContext::DTypeOf(n.In(0)) : DataType::Float(32);
            const DataType dtype = TypeAttribute(n, "dtype", own);
            return {n.Call(ours, {Key(n)},
                           {{"shape", ShapeAttr(std::move(shape))},
                            {"dtype", StringAttr(dtype.ToString())},
                            {bounds.first, FloatAttr(n.Float(bounds.first, fallbacks.first))},
                            {bounds.second, FloatAttr(n.Float(bounds.second, fallbacks.second))}})};
          }};
}

Results Bernoulli(NodeContext& n) {
  const DataType dtype = TypeAttribute(n, "dtype", NodeContext::DTypeOf(n.In(0)));
  return {n.Call("random.bernoulli", {Key(n), n.In(0)}, {{"dtype", StringAttr(dtype.ToString())}})};
}

// -- ai.onnx.ml.

Results ArrayFeatureExtractor(NodeContext& n) {
  const GraphVar x = n.In(0);
  const GraphVar y = n.Call("take", {x, n.Reshape(n.In(1), {Int64(-1)})},
                            {{"axis", IntAttr(NodeContext::RankOf(x) - 1)}});
  return {NodeContext::RankOf(x) == 1 ? n.ExpandDims(y, 0) : y};
}

Results Binarizer(NodeContext& n) {
  const GraphVar x = n.In(0);
  const DataType dtype = NodeContext::DTypeOf(x);
  return {n.Cast(n.Call("greater", {x, n.Scalar(n.Float("threshold", 0), dtype)}), dtype)};
}

}  // namespace

std::vector<Operator> Signals() {
  return {
      Random("RandomNormal", "random.normal", {"mean", "scale"}, {0, 1}, false),
      Random("RandomNormalLike", "random.normal", {"mean", "scale"}, {0, 1}, true),
      Random("RandomUniform", "random.uniform", {"low", "high"}, {0, 1}, false),
      Random("RandomUniformLike", "random.uniform", {"low", "high"}, {0, 1}, true),
      WindowOperator("BlackmanWindow", "blackman_window"),
      WindowOperator("HammingWindow", "hamming_window"),
      WindowOperator("HannWindow", "hann_window"),
      {"Bernoulli", Bernoulli},
      {"DFT", Dft},
      {"MelWeightMatrix", MelWeightMatrix},
      {"STFT", Stft},
      {"ai.onnx.ml.ArrayFeatureExtractor", ArrayFeatureExtractor},
      {"ai.onnx.ml.Binarizer", Binarizer},
  };
}

}  // namespace lathe::graph::onnx
