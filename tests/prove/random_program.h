// Random tensor programs whose results are exact in every element type, so that they can be
// compared bitwise.
//
// Inputs are integers of -4 ... 4 (0 ... 4 where unsigned). The generator follows the greatest
// magnitude that each value can have and clamps it, or goes to a wider type, before a type could
// round or overflow.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "ir/tensor_op.h"

namespace lathe::prove {

// An extent that the generator chose. Making a program again with other values gives the same
// program, smaller.
struct Extent {
  bool symbolic = false;
  int64_t value = 0;  // for a symbolic one the greatest value it is bound to
};

struct TestProgram {
  std::vector<ir::NodeRef> args;  // placeholders, outputs, perhaps a size variable
  std::vector<ir::Op> outputs;
  std::vector<std::pair<ir::Var, int64_t>> sizes;  // symbolic extents and their greatest values
  std::vector<Extent> extents;                     // in the order they were chosen
  std::vector<std::string> features;  // what is in it: "reduction", "stencil", "symbolic", ...
};

// The program of a seed; where `extents` is not empty, its values replace the chosen ones in order.
TestProgram RandomProgram(uint64_t seed, const std::vector<Extent>& extents = {});

}  // namespace lathe::prove
