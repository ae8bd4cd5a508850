// What operators require of their operands and numbers. Every function throws Error "topi-operand",
// which names the operator and what does not fit. Pure functions; thread-safe.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "te/operation.h"

namespace lathe::topi::ops {

// An operand by the name that the operator's description gives it.
struct Operand {
  std::string_view name;
  const te::Tensor& tensor;
};

// The operands of one operator, "matmul".
class Operands {
 public:
  explicit Operands(std::string_view of) : operator_(of) {}

  // `what` says the dimensions in words: "2 (rows, columns)".
  void HaveRank(const Operand& operand, int least, int most, std::string_view what) const;
  // Dimension `of_a` of `a` and `of_b` of `b` have the same extent, which must be provable: what an
  // operator reads beyond an operand's end nobody checks later.
  void Agree(const Operand& a, int of_a, const Operand& b, int of_b) const;
  void HaveOneType(const Operand& a, const Operand& b) const;
  void AreFloats(const Operand& operand) const;
  // A number of elements that is known when the program is made.
  int64_t Constant(const Operand& operand, int dim) const;
  // A number that is no operand lies in [low, high].
  void InRange(std::string_view name, int64_t value, int64_t low, int64_t high) const;

 private:
  [[noreturn]] void Refuse(std::string what, std::string expected, std::string found) const;
  std::string operator_;
};

}  // namespace lathe::topi::ops
