// Measures an expansion against the function it stands for.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "ir/expr.h"

namespace lathe::lower {

// One float32 function as straight-line code over blocks of numbers: what an expansion
// (expansion.h) is. Thread-safe.
class MathProgram {
 public:
  // `function` is a name of ExpandedFunctions. With `contract`, a product that only an addition
  // uses is not rounded by itself, as a machine with fused operations does it.
  MathProgram(const std::string& function, bool contract);
  ~MathProgram();
  // Spans of one size, any.
  void Run(std::span<const float> x, std::span<float> y) const;

 private:
  struct Code;
  std::unique_ptr<Code> code_;
};

// The function in float64, by the C library.
double ExactMath(const std::string& function, double x);

// |got - exact| in units of the last place of a float32 at `exact` (at least the smallest
// subnormal). An infinity counts as 2^128. Infinite where exactly one of both is NaN.
double UlpError(float got, double exact);

struct WorstError {
  double ulps = 0;
  float at = 0;
};
// Over the inputs whose bit patterns are begin, begin + 1, ..., end - 1.
WorstError MeasureRange(const MathProgram& program, const std::string& function, uint64_t begin,
                        uint64_t end);

}  // namespace lathe::lower
