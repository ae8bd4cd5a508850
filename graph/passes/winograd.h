// When a convolution is computed by Winograd's algorithm. Used by the pass choose_layouts.
#pragma once

#include <cstdint>

namespace lathe::graph {

// A convolution with a window of 3x3, steps of 1 and no groups. All numbers are above 0.
struct WinogradCase {
  int64_t channels = 0, filters = 0;          // with those that fill up the last block
  int64_t images = 0, rows = 0, columns = 0;  // of the result
};

// The rows of the tiles (2 or 4) that are clearly faster than the convolution itself on vectors of
// `lanes` elements; 0: none are. Estimates multiply-adds, transforms, and how often weights are
// read, which are up to four times as many.
int64_t WinogradTileSize(const WinogradCase& conv, int lanes);

}  // namespace lathe::graph
