#include "te/layout_free.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "ir/text/parser.h"
#include "te/operation.h"
#include "te/workload_key.h"

namespace lathe::te {
namespace {

// A product of `names`.
Op Product(const std::string& a, const std::string& b, const std::string& c,
           std::vector<Tensor>* inputs) {
  const Tensor left = Placeholder({ir::Int(4), ir::Int(6)}, DataType::Float(32), a);
  const Tensor right = Placeholder({ir::Int(6), ir::Int(8)}, DataType::Float(32), b);
  const IterVar k = ReduceAxis(ir::Int(0), ir::Int(6), "k");
  *inputs = {left, right};
  return Compute(
             {ir::Int(4), ir::Int(8)},
             [&](const Indices& i) {
               return Sum(At(left, {i[0], k->var}) * At(right, {k->var, i[1]}), {k});
             },
             c)
      ->op;
}

std::string KeyOf(const std::vector<Tensor>& inputs, const Op& op) {
  return WorkloadKey({inputs[0], inputs[1], ir::OutputOf(op, 0)}, "").ToString();
}

TEST(LayoutFree, IsPartOfTheProgramWithoutNames) {
  std::vector<Tensor> inputs, others;
  const Op plain = Product("A", "B", "C", &inputs);
  const Op marked = MarkLayoutFree(plain, {inputs[1]});
  const Op renamed = Product("x", "weight", "y", &others);
  EXPECT_TRUE(LayoutFreeInputs({plain}).empty());
  ASSERT_EQ(LayoutFreeInputs({plain, marked, marked}).size(), 1u);
  EXPECT_TRUE(ir::SameTensor(LayoutFreeInputs({marked})[0], inputs[1]));
  EXPECT_NE(KeyOf(inputs, plain), KeyOf(inputs, marked));
  EXPECT_NE(KeyOf(inputs, MarkLayoutFree(plain, {inputs[0]})), KeyOf(inputs, marked));
  EXPECT_EQ(KeyOf(others, MarkLayoutFree(renamed, {others[1]})), KeyOf(inputs, marked));
}

TEST(LayoutFree, OnlyInputsThatAreRead) {
  std::vector<Tensor> inputs, others;
  const Op op = Product("A", "B", "C", &inputs);
  Product("D", "E", "F", &others);
  EXPECT_THROW(
      try { MarkLayoutFree(op, {others[0]}); } catch (const Error& error) {
        EXPECT_EQ(error.name(), "layout-free-input");
        throw;
      },
      Error);
  const Tensor c = ir::OutputOf(op, 0);
  const Op reader = Compute(
                        {ir::Int(4), ir::Int(8)},
                        [&](const Indices& i) { return At(c, {i[0], i[1]}) * ir::Float(2); }, "D")
                        ->op;
  EXPECT_THROW(MarkLayoutFree(reader, {c}), Error);
}

// What a file says is not believed.
TEST(LayoutFree, PositionsThatAreNoneAreLeftOut) {
  for (const char* const attribute : {"list<handle>(7)", "list<handle>(-1)", "3", "\"B\""}) {
    const ir::Program program = ir::ParseProgram(
        "program p { placeholder A: float32[4] compute B[i in range(4)] with {layout_free = " +
        std::string(attribute) + "} = A[i] args [A, B] }");
    EXPECT_TRUE(LayoutFreeInputs(program->ops).empty()) << attribute;
  }
}

}  // namespace
}  // namespace lathe::te
