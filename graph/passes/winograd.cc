#include "graph/passes/winograd.h"

#include <algorithm>

namespace lathe::graph {
namespace {

// All estimates are in cycles of a core with two multiply-adds a cycle.
constexpr double kProductsPerCycle = 2;
// Bytes of weights that a core reads in a cycle from memory, and again from the last cache; the
// nearer cache that keeps what was read.
constexpr double kFromMemory = 6, kFromCache = 16, kNearCache = 512 << 10;
// Instructions of both transforms for each product of a channel and a tile.
constexpr double kTransform = 5;
// Weights are read once for about so many tiles: as many as topi/cpu/winograd.cc puts into a strip.
constexpr double kTilesOfStrip = 24;
// The estimate is rough, and rounding errors are larger: a small gain is none.
constexpr double kWorthwhile = 0.85;

double Double(int64_t number) { return static_cast<double>(number); }

double DirectCycles(const WinogradCase& conv, double lanes) {
  const double weights = 9 * Double(conv.channels) * Double(conv.filters);
  const double places = Double(conv.images) * Double(conv.rows) * Double(conv.columns);
  return places * weights / lanes / kProductsPerCycle + 4 * weights / kFromMemory;
}

double WinogradCycles(const WinogradCase& conv, int64_t m, double lanes) {
  const auto tiles_of = [&](int64_t extent) { return Double((extent + m - 1) / m); };
  const double steps = Double((m + 2) * (m + 2)),
               weights = steps * Double(conv.channels) * Double(conv.filters),
               tiles = Double(conv.images) * tiles_of(conv.rows) * tiles_of(conv.columns);
  const double transforms = kTransform * steps * Double(conv.channels + conv.filters) / lanes;
  const double again = std::max(0.0, tiles / kTilesOfStrip - 1),
               far = std::max(0.0, 4 * weights - kNearCache);
  return tiles * (weights / lanes / kProductsPerCycle + transforms) + 4 * weights / kFromMemory +
         again * far / kFromCache;
}

}  // namespace

int64_t WinogradTileSize(const WinogradCase& conv, int lanes) {
  double least = kWorthwhile * DirectCycles(conv, lanes);
  int64_t best = 0;
  for (const int64_t m : {4, 2}) {
    const double cycles = WinogradCycles(conv, m, lanes);
    if (cycles >= least) continue;
    least = cycles;
    best = m;
  }
  return best;
}

}  // namespace lathe::graph
