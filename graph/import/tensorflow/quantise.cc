// Numbers as quantised models will have them, for training that knows of it: floats on a grid.
#include <algorithm>
#include <cmath>

#include "graph/import/tensorflow/operators.h"

namespace lathe::graph::tensorflow {
namespace {

// The grids of all channels, or one for all elements.
struct Grids {
  std::vector<double> from, to, step;
};

// Appends the grid of the bounds, moved so that 0 is on it. In floats, as TensorFlow computes it:
// where 0 comes to lie may depend on how they round.
void AddGrid(const NodeContext& n, float low, float high, Grids* grids) {
  const int64_t bits = n.Int("num_bits", 8);
  if (bits < 2 || bits > 16) n.Fail("has impossible num_bits", "2 to 16", std::to_string(bits));
  if (low == 0 && high == 0) {  // nothing was measured: all is 0
    grids->from.push_back(0);
    grids->to.push_back(0);
    grids->step.push_back(1);
    return;
  }
  if (!(low < high) || !std::isfinite(low) || !std::isfinite(high)) {
    n.Fail("has impossible bounds", "min below max",
           std::to_string(low) + " and " + std::to_string(high));
  }
  const float least = n.Flag("narrow_range") ? 1 : 0;
  const auto most = static_cast<float>((int64_t{1} << bits) - 1);
  const float step = (high - low) / (most - least);
  const float zero = std::clamp(std::round(least - low / step), least, most);
  grids->from.push_back(static_cast<double>((least - zero) * step));
  grids->to.push_back(static_cast<double>((most - zero) * step));
  grids->step.push_back(static_cast<double>(step));
}

// The nearest places of the grids; what is in the middle goes up.
GraphVar OnGrid(const NodeContext& n, const GraphVar& x, const Grids& grids, bool per_channel) {
  const DataType real = DataType::Float(32);
  if (Maker::DTypeOf(x) != real) {
    n.Fail("has a wrong input 0", real.ToString(), TypeText(x->type));
  }
  const auto numbers = [&](const std::vector<double>& values) {
    std::vector<int64_t> shape;
    if (per_channel) shape.push_back(static_cast<int64_t>(values.size()));
    return n.Constant(MakeFloats(values, shape, real));
  };
  const GraphVar from = numbers(grids.from), step = numbers(grids.step);
  const GraphVar inside = n.Call("minimum", {n.Call("maximum", {x, from}), numbers(grids.to)});
  std::vector<double> inverse;
  for (const double one : grids.step) inverse.push_back(1 / one);
  const GraphVar steps = n.Mul(n.Sub(inside, from), numbers(inverse));
  const GraphVar whole = n.Call("floor", {n.Add(steps, n.Scalar(0.5, real))});
  return n.Add(n.Mul(whole, step), from);
}

Results ByAttributes(NodeContext& n) {
  Grids grids;
  AddGrid(n, static_cast<float>(n.Float("min", -6)), static_cast<float>(n.Float("max", 6)), &grids);
  return {OnGrid(n, n.In(0), grids, false)};
}

std::vector<double> Bounds(const NodeContext& n, size_t i, const char* what) {
  if (!n.Known(i)) {
    n.Fail("has a bound `" + std::string(what) + "` that only a run knows", "a constant",
           n.importer.OriginOf(n.In(i)), "freeze the model, so that its bounds are constants");
  }
  return n.Floats(i, what);
}

Converter ByInputs(bool per_channel) {
  return [per_channel](NodeContext& n) -> Results {
    const GraphVar x = n.In(0);
    const std::vector<double> low = Bounds(n, 1, "min"), high = Bounds(n, 2, "max");
    size_t wanted = 1;
    if (per_channel) {
      const int64_t* channels =
          Maker::RankOf(x) == 0 ? nullptr : ir::AsConstInt(Maker::ShapeOf(x).back());
      if (channels == nullptr) {
        n.Fail("has a wrong input 0", "a known number of channels", TypeText(x->type));
      }
      wanted = static_cast<size_t>(*channels);
    }
    if (low.size() != wanted || high.size() != wanted) {
      n.Fail("has another number of bounds than of channels", std::to_string(wanted),
             std::to_string(low.size()) + " and " + std::to_string(high.size()));
    }
    Grids grids;
    for (size_t i = 0; i < wanted; ++i) {
      AddGrid(n, static_cast<float>(low[i]), static_cast<float>(high[i]), &grids);
    }
    return {OnGrid(n, x, grids, per_channel)};
  };
}

}  // namespace

std::vector<Conversion> Quantisations() {
  return {
      {"FakeQuantWithMinMaxArgs", ByAttributes},
      {"FakeQuantWithMinMaxVars", ByInputs(false)},
      {"FakeQuantWithMinMaxVarsPerChannel", ByInputs(true)},
  };
}

}  // namespace lathe::graph::tensorflow
