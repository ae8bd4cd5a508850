// Expressions over sizes as they stand in a function's metadata: "(n + 15) // 16 * 64".
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace lathe::runtime::graph {

// Integers, names, + - * // %, min, max, truncdiv, truncmod, casts to integers, parentheses: the
// text form of arithmetic (docs/text.md). Immutable, so thread-safe.
class SizeExpression {
 public:
  // The number 0.
  SizeExpression() : code_{{Op::kNumber, 0}} {}
  // `names` are the sizes, in the order of the values that Evaluate takes. Fails with
  // `size-expression-invalid`, which names the place. Depth and length are bounded.
  static absl::StatusOr<SizeExpression> Parse(std::string_view text,
                                              std::span<const std::string> names);
  // Empty if the value does not fit 64 bits, or a divisor is not positive.
  std::optional<int64_t> Evaluate(std::span<const int64_t> values) const;

 private:
  enum class Op : uint8_t {
    kNumber,
    kSize,
    kAdd,
    kSub,
    kMul,
    kFloorDiv,
    kFloorMod,
    kMin,
    kMax,
    kTruncDiv,
    kTruncMod
  };
  struct Instruction {
    Op op;
    int64_t number;  // of kNumber; of kSize, the position of its value
  };
  class Parser;
  std::vector<Instruction> code_;  // operands first
};

}  // namespace lathe::runtime::graph
