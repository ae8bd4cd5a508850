// Measures the error of an expansion of a mathematical function.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "ir/expr.h"

namespace lathe::lower {

// One float32 function as straight-line code over blocks of numbers, made from an expansion
// (expansion.h). Thread-safe.
class MathProgram {
 public:
  // `function` is one of ExpandedFunctions. With `contract`, a product that only an addition uses
  // is not rounded separately, as on a machine with fused operations.
  MathProgram(const std::string& function, bool contract);
  ~MathProgram();
  // Both spans have the same size, which may be any.
  void Run(std::span<const float> x, std::span<float> y) const;

 private:
  struct Code;
  std::unique_ptr<Code> code_;
};

// The function in float64, by the C library.
double ExactMath(const std::string& function, double x);

// |got - exact| in units of the last place of a float32 at `exact` (at least the smallest
// subnormal). An infinity counts as 2^128. Infinite if exactly one of both is NaN.
double UlpError(float got, double exact);

struct WorstError {
  double ulps = 0;
  float at = 0;
};
// Over the inputs whose bit patterns are begin, begin + 1, ..., end - 1.
WorstError MeasureRange(const MathProgram& program, const std::string& function, uint64_t begin,
                        uint64_t end);

}  // namespace lathe::lower
