// Random tensor programs.
//
// Most are exact in every element type, so that results can be compared bitwise. Inputs are
// integers of -4 ... 4 (0 ... 4 if unsigned). The generator tracks the greatest magnitude of each
// value. It clamps the value or uses a wider type before a type could round or overflow. One
// program in ten is of a known kind, with its arithmetic written by hand (known_program.h). Some of
// these have inputs that are not integers.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "ir/tensor_op.h"

namespace lathe::prove {

// An extent that the generator chose. The program can be made again with other values: it is the
// same program, but smaller.
struct Extent {
  bool symbolic = false;
  int64_t value = 0;  // for a symbolic extent, its greatest value
};

// A tensor argument as plain numbers, row-major. `magnitude` is the sum of the absolute values of
// the terms that a value consists of. It bounds the rounding error.
struct Array {
  std::vector<int64_t> shape;
  std::vector<long double> value, magnitude;
  int64_t terms = 0;  // of the longest sum; set for outputs

  // The offset of an element.
  size_t At(std::initializer_list<int64_t> index) const {
    int64_t offset = 0;
    size_t d = 0;
    for (int64_t i : index) offset = offset * shape[d++] + i;
    return static_cast<size_t>(offset);
  }
};
// Fills the outputs among the tensor arguments from the inputs. The outputs' shapes are set
// already.
using Arithmetic = std::function<void(std::vector<Array>& tensors)>;

struct TestProgram {
  std::vector<ir::NodeRef> args;  // placeholders, outputs, perhaps a size variable
  std::vector<ir::Op> outputs;
  std::vector<std::pair<ir::Var, int64_t>> sizes;  // symbolic extents and their greatest values
  std::vector<Extent> extents;                     // in the order in which they were chosen
  std::vector<std::string> features;  // what is in it: "reduction", "stencil", "symbolic", ...
  Arithmetic arithmetic;              // for a program of a known kind, else null
  bool big = false;                   // thousands of elements
  bool real_inputs = false;  // inputs are any numbers of -1 ... 1; results are compared within
                             // gamma_n times the magnitude
};

// Makes the program of a seed. If `extents` is not empty, its values replace the chosen ones in
// order.
TestProgram RandomProgram(uint64_t seed, const std::vector<Extent>& extents = {});

}  // namespace lathe::prove
