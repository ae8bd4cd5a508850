#include "backends/cuda/residue.h"

#include <gtest/gtest.h>

#include "ir/expr.h"

namespace lathe::cuda {
namespace {

using ir::Expr;
using ir::Int;

bool Is(const Expr& e, const Residues& known, int64_t rest) {
  return IsResidue(ResidueOf(e, known), 8, rest);
}

TEST(Residue, KnownVariablesGiveNumbers) {
  const ir::Var thread = ir::MakeVar("t", DataType::Int(32)),
                k = ir::MakeVar("k", DataType::Int(32));
  const Expr column = ir::FloorModulo(thread, Int(4)) * 2,
             row = ir::FloorDivide(ir::FloorModulo(thread, Int(32)), Int(4)) * 40;
  for (int64_t t = 0; t < 64; ++t) {
    const Residues known = {{thread.get(), {0, t}}};
    EXPECT_TRUE(Is(column + k * 136 + 64, known, t % 4 * 2)) << t;
    EXPECT_TRUE(Is(row + k * 16 - 8, known, 0)) << t;
    EXPECT_FALSE(Is(column + k * 4, known, t % 4 * 2)) << "k is any number";
  }
}

TEST(Residue, OfUnknownNumbersOnlyWhatDividesIsKnown) {
  const ir::Var k = ir::MakeVar("k", DataType::Int(32));
  EXPECT_FALSE(Is(k, {}, 0));
  EXPECT_TRUE(Is(k * 8 + 3, {}, 3));
  EXPECT_TRUE(Is(ir::FloorModulo(k * 64 + 72, Int(64)), {}, 0));  // 8
  EXPECT_TRUE(Is(ir::FloorDivide(k * 64 + 40, Int(8)), {}, 5));   // k * 8 + 5
  EXPECT_FALSE(Is(ir::FloorModulo(k * 4, Int(64)), {}, 0));
  EXPECT_FALSE(Is(ir::FloorDivide(k * 8, Int(16)), {}, 0));
  EXPECT_TRUE(Is(Int(0) - k * 8 - 1, {}, 7)) << "below zero as well";
  EXPECT_FALSE(Is(k * k, {}, 0));
  EXPECT_TRUE(Is((k * 4) * (k * 2), {}, 0));
}

}  // namespace
}  // namespace lathe::cuda
