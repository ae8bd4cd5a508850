#include "tune/operations.h"

#include <gtest/gtest.h>

#include "te/operation.h"
#include "te/test_programs.h"

namespace lathe::tune {
namespace {

using ir::Float;
using ir::Int;
using te::Indices;
using te::Tensor;

int64_t Count(const Tensor& output) {
  const ir::Op op = output->op;
  return CountOperations({&op, 1});
}

TEST(Operations, OfAProduct) {
  const te::Gemm gemm(Int(4), Int(5), Int(6));
  EXPECT_EQ(Count(gemm.c), 2 * 4 * 5 * 6);
}

TEST(Operations, OfAllThatIsNeeded) {
  const te::Gemm gemm(Int(4), Int(5), Int(6));
  const Tensor twice = te::Compute(
      {Int(4), Int(5)},
      [&](const Indices& i) { return te::At(gemm.c, {i[0], i[1]}) * Float(2.0) + Float(1.0); },
      "d");
  EXPECT_EQ(Count(twice), 2 * 4 * 5 * 6 + 2 * 4 * 5);
}

TEST(Operations, NotOfIndicesAndConditions) {
  const Tensor a = te::Placeholder({Int(10)}, DataType::Float(32), "a");
  const Tensor b = te::Compute(
      {Int(8)},
      [&](const Indices& i) {
        const ir::Expr one = te::At(a, {i[0] * Int(1) + Int(2)});
        return ir::MakeSelect(i[0] < Int(4), one * one * Float(3.0), one);
      },
      "b");
  EXPECT_EQ(Count(b), 2 * 8);
}

TEST(Operations, OfAnUnknownLengthIsZero) {
  const ir::Var n = ir::MakeVar("n");
  const te::Gemm gemm(n, Int(5), Int(6));
  EXPECT_EQ(Count(gemm.c), 0);
}

}  // namespace
}  // namespace lathe::tune
