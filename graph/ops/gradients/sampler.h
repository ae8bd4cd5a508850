// Reading images at real places, as a composition of operators with gradients.
#pragma once

#include <string>
#include <vector>

#include "graph/ops/gradients/formula.h"

namespace lathe::graph::ops {

// How the elements around a place are weighted.
enum class Taps : uint8_t { kNearest, kLinear, kCubic };

// `data` [n, channels, space...] at `places`, one [n, p] for each dimension of space, counted in
// elements: [n, channels, p]. Elements outside count as 0. `moved` moves an element's place along
// dimension d inside, or is null. Cubic interpolation is that of Keys (1981) with alpha -0.75.
Value SampleAt(const Value& data, const std::vector<Value>& places, Taps taps,
               const std::function<Value(const Value& place, size_t d)>& moved = {});

}  // namespace lathe::graph::ops
