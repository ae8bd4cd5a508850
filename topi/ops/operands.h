// Checks of operators' operands and other arguments. Every function throws Error "topi-operand",
// which names the operator and the operand that does not fit. Pure functions; thread-safe.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "te/operation.h"

namespace lathe::topi::ops {

// An operand, with its name in the operator's description.
struct Operand {
  std::string_view name;
  const te::Tensor& tensor;
};

// The checks of one operator, such as "matmul".
class Operands {
 public:
  explicit Operands(std::string_view of) : operator_(of) {}

  // `what` lists the dimensions in words: "2 (rows, columns)".
  void HaveRank(const Operand& operand, int least, int most, std::string_view what) const;
  // Dimension `of_a` of `a` and dimension `of_b` of `b` have the same extent. It must be possible
  // to prove this now: nothing checks later whether an operator reads beyond an operand's end.
  void Agree(const Operand& a, int of_a, const Operand& b, int of_b) const;
  void HaveOneType(const Operand& a, const Operand& b) const;
  void AreFloats(const Operand& operand) const;
  // Returns the extent of a dimension, which must be a constant.
  int64_t Constant(const Operand& operand, int dim) const;
  // `value`, an argument that is no tensor, lies in [low, high].
  void InRange(std::string_view name, int64_t value, int64_t low, int64_t high) const;

 private:
  [[noreturn]] void Refuse(std::string what, std::string expected, std::string found) const;
  std::string operator_;
};

}  // namespace lathe::topi::ops
