// ONNX's Resize as its operator specification defines it (Resize-19): weights of neighbours by the
// fraction of the place between them. Cubic: Keys, 1981. With antialias, shrinking stretches the
// filter.
#include "graph/import/onnx/resize.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace lathe::graph::onnx {
namespace {

double PlaceOf(const ResizeRule& rule, int64_t i, int64_t in, int64_t out, double scale,
               double begin, double end) {
  const auto x = static_cast<double>(i), n = static_cast<double>(in);
  const double length = scale * n;  // of the result, before rounding
  const std::string& how = rule.transformation;
  if (how == "asymmetric") return x / scale;
  if (how == "align_corners") return length == 1 ? 0 : x * (n - 1) / (length - 1);
  if (how == "pytorch_half_pixel") return length == 1 ? -0.5 : (x + 0.5) / scale - 0.5;
  if (how == "tf_half_pixel_for_nn") return (x + 0.5) / scale;
  if (how == "tf_crop_and_resize") {
    if (out == 1) return 0.5 * (begin + end) * (n - 1);
    return begin * (n - 1) + x * (end - begin) * (n - 1) / (length - 1);
  }
  if (how == "half_pixel_symmetric") {
    // The centres of both images meet, whatever was rounded away.
    const double adjustment = static_cast<double>(out) / length;
    return n / 2 * (1 - adjustment) + (x + 0.5) / scale - 0.5;
  }
  return (x + 0.5) / scale - 0.5;
}

double Keys(double distance, double a) {
  const double x = std::abs(distance);
  if (x <= 1) return ((a + 2) * x - (a + 3)) * x * x + 1;
  if (x < 2) return ((a * x - 5 * a) * x + 8 * a) * x - 4 * a;
  return 0;
}

// Which of two neighbours, for a fraction in (0, 1].
bool TakesRight(const std::string& rounding, double fraction) {
  if (fraction == 1) return true;
  if (rounding == "floor") return false;
  if (rounding == "ceil") return true;
  return rounding == "round_prefer_ceil" ? fraction >= 0.5 : fraction > 0.5;
}

// Weights of the elements first, first + 1, ..., where `first` is relative to the left neighbour.
std::pair<int64_t, std::vector<double>> Filter(const ResizeRule& rule, double fraction,
                                               double scale) {
  if (rule.mode == "nearest") {
    const bool right = TakesRight(rule.rounding, fraction);
    return {0, {right ? 0.0 : 1.0, right ? 1.0 : 0.0}};
  }
  const bool cubic = rule.mode == "cubic";
  const double stretch = rule.antialias ? std::min(scale, 1.0) : 1.0;
  const double radius = (cubic ? 2 : 1) / stretch;
  const auto first = static_cast<int64_t>(std::floor(-radius)) + 1;
  std::vector<double> weights;
  double sum = 0;
  for (int64_t k = first; k <= 1 - first; ++k) {
    const double distance = (static_cast<double>(k) - fraction) * stretch;
    weights.push_back(cubic ? Keys(distance, rule.cubic) : std::max(0.0, 1 - std::abs(distance)));
    sum += weights.back();
  }
  if (rule.antialias) {
    for (double& weight : weights) weight /= sum;
  }
  return {first, weights};
}

}  // namespace

ResizeTaps TapsOf(const ResizeRule& rule, int64_t in, int64_t out, double scale, double begin,
                  double end) {
  std::vector<std::map<int64_t, double>> rows(static_cast<size_t>(out));
  ResizeTaps taps;
  taps.outside.assign(static_cast<size_t>(out), false);
  size_t most = 1;
  for (int64_t i = 0; i < out; ++i) {
    const double place = PlaceOf(rule, i, in, out, scale, begin, end);
    std::map<int64_t, double>& row = rows[static_cast<size_t>(i)];
    if (rule.transformation == "tf_crop_and_resize" &&
        (place < 0 || place > static_cast<double>(in - 1))) {
      taps.outside[static_cast<size_t>(i)] = true;
      row[0] = 0;
      continue;
    }
    const double floor = std::floor(place);
    const double left = place == floor ? floor - 1 : floor;
    const auto [first, weights] = Filter(rule, place - left, scale);
    double kept = 0;
    for (size_t k = 0; k < weights.size(); ++k) {
      const int64_t at = static_cast<int64_t>(left) + first + static_cast<int64_t>(k);
      if (rule.exclude_outside && (at < 0 || at >= in)) continue;
      if (weights[k] == 0) continue;
      row[std::clamp<int64_t>(at, 0, in - 1)] += weights[k];
      kept += weights[k];
    }
    if (rule.exclude_outside && kept != 0) {
      for (auto& [at, weight] : row) weight /= kept;
    }
    most = std::max(most, row.size());
  }
  taps.places.assign(most, std::vector<int64_t>(rows.size(), 0));
  taps.weights.assign(most, std::vector<double>(rows.size(), 0));
  for (size_t i = 0; i < rows.size(); ++i) {
    size_t t = 0;
    for (const auto& [at, weight] : rows[i]) {
      taps.places[t][i] = at;
      taps.weights[t++][i] = weight;
    }
  }
  return taps;
}

}  // namespace lathe::graph::onnx
