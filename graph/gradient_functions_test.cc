// Gradients of functions: tuples, shared values, calls, ifs, loops, and what has none.
#include "base/error.h"
#include "driver/default_plugins.h"
#include "graph/compare.h"
#include "graph/finite_differences.h"
#include "graph/infer.h"
#include "graph/passes/gradient.h"
#include "gtest/gtest.h"
#include "ir/text/parser.h"
#include "ir/text/printer.h"

namespace lathe::graph {
namespace {

using runtime::Tensor;

constexpr int64_t kN = 4;  // the value of all sizes

Tensor InputFor(const ir::GraphVar& param, uint64_t seed) {
  const auto& type = static_cast<const ir::TensorType&>(*param->type);
  std::vector<int64_t> shape;
  for (const ir::Expr& extent : type.shape) {
    const int64_t* number = ir::AsConstInt(extent);
    shape.push_back(number != nullptr ? *number : kN);
  }
  return RandomTensor(type.dtype, shape, type.dtype.is_float() ? -1 : 0,
                      type.dtype.is_float() ? 1 : 3, seed);
}

// The last function of the text: its gradient, and the gradient's gradient, equal finite
// differences; and the compiled gradient is the interpreted one.
void Check(const std::string& text, bool is_compiled = true) {
  const ir::GraphModule module = InferTypes(ir::ParseGraphModule(text));
  const GraphFuncRef func = module->functions.back();
  std::vector<Tensor> inputs;
  for (const ir::GraphVar& param : func->params) {
    inputs.push_back(InputFor(param, 7 + inputs.size()));
  }
  EXPECT_EQ(CompareWithDifferences(func, inputs, {.module = module}), "");
  const GraphFuncRef gradient = Gradient(func, module);
  EXPECT_EQ(CompareWithDifferences(gradient, inputs, {.tolerance = 1e-5, .module = module}), "");
  if (!is_compiled) return;
  driver::UseDefaultPlugins();
  for (const int level : {0, 3}) {
    CompareOptions options{.sizes = {kN}};
    options.build.opt_level = level;
    EXPECT_EQ(CompareWithInterpreter(gradient, options), "") << "level " << level;
  }
}

// The error of differentiating the last function of the text.
std::string ErrorOf(const std::string& text) {
  const ir::GraphModule module = InferTypes(ir::ParseGraphModule(text));
  try {
    Gradient(module->functions.back(), module);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Gradient, OfTheExampleInTheHeader) {
  const ir::GraphModule module = InferTypes(ir::ParseGraphModule(R"(graph f(%x: float32[n]) {
             %y = tanh(%x)
             return %y
           })"));
  const GraphFuncRef gradient = Gradient(module->functions[0], module);
  const std::string text = ir::ToText(ir::NodeRef(gradient), {.max_data = 0});
  const std::string body = R"(
  %y: float32[n] = tanh(%x)
  %0: float32[n] = ones_like(%y)
  %1: float32[n] = multiply(%y, %y)
  %2: float32[] = constant float32[] "1d4b6a41cf2eed9cfbe37bf1e021d7bc"
  %3: float32[n] = subtract(%2, %1)
  %4: float32[n] = multiply(%0, %3)
  %5: (float32[n],) = (%4,)
  %6: (float32[n], (float32[n],)) = (%y, %5)
  return %6
})";
  EXPECT_NE(text.find(body), std::string::npos) << text;
}

TEST(Gradient, SumsOverSharedValuesAndTuples) {
  Check(R"(graph main(%x: float64[n], %y: float64[n]) {
             %0 = multiply(%x, %y)
             %1 = (%0, %x, %0)
             %2 = %1.0
             %3 = %1.2
             %4 = multiply(%2, %3)
             %5 = tanh(%4)
             %6 = (%5, %4, %1)
             return %6
           })");
}

TEST(Gradient, SumsWhereOperandsWereBroadcast) {
  Check(R"(graph main(%x: float64[n, 1, 3], %y: float64[m, 1], %z: float64[]) {
             %0 = multiply(%x, %y)
             %1 = add(%0, %z)
             %2 = sin(%1)
             return %2
           })");
}

TEST(Gradient, AssumesThatSizesAreEqual) {
  Check(R"(graph main(%x: float64[n], %y: float64[m]) {
             %0 = multiply(%x, %y)
             %1 = exp(%0)
             return %1
           })");
}

TEST(Gradient, OfIntegersIsZero) {
  const ir::GraphModule module = InferTypes(ir::ParseGraphModule(
      R"(graph main(%x: float64[n], %i: int64[2], %p: (float64[3], bool[])) {
             %0 = take(%x, %i)
             return %0
           })"));
  const GraphFuncRef gradient = Gradient(module->functions[0], module);
  EXPECT_EQ(TypeText(gradient->result_type),
            "(float64[2], (float64[n], int64[2], (float64[3], bool[])))");
}

TEST(Gradient, OfClosuresAndFunctions) {
  Check(R"(graph scaled(%a: float64[k], %s: float64[]) -> float64[k] {
             %0 = multiply(%a, %s)
             return %0
           }
           graph main(%x: float64[n], %s: float64[]) {
             %f = graph(%p: float64[n]) {
               %0 = @scaled(%p, %s)
               %1 = tanh(%0)
               return %1
             }
             %2 = %f(%x)
             %3 = %f(%2)
             return %3
           })");
}

constexpr const char* kIf = R"(graph main(%x: float64[n], %y: float64[n], %z: float64[n]) {
             %sum = sum(%x)
             %limit = zeros(shape=[], dtype="float64")
             %low = less(%sum, %limit)
             %0 = if %low {
               %1 = multiply(%x, %y)
               %2 = (%1, %z)
               return %2
             } else {
               %3 = if %low {
                 return %x
               } else {
                 %4 = exp(%x)
                 return %4
               }
               %5 = (%3, %x)
               return %5
             }
             %6 = %0.0
             %7 = %0.1
             %8 = multiply(%6, %7)
             return %8
           })";

TEST(Gradient, OfAnIf) {
  Check(kIf);
  std::string other = kIf;
  other.replace(other.find("less(%sum"), 9, "greater(%sum");
  Check(other);
}

TEST(Gradient, OfALoopThatCounts) {
  Check(R"(graph main(%x: float64[n], %w: float64[n]) {
             %zero = zeros(shape=[], dtype="int32")
             %one = ones(shape=[], dtype="int32")
             %five = full(%one, shape=[], dtype="int32")
             %0 = loop (%i = %zero, %y = %x, %z = %w) while {
               %b = shape_of(%x)
               %c = reshape(%b, newshape=[])
               %1 = less(%i, %c)
               return %1
             } do {
               %2 = add(%i, %one)
               %3 = multiply(%y, %w)
               %4 = tanh(%3)
               %5 = multiply(%z, %4)
               %6 = (%2, %5, %y)
               return %6
             }
             return %0
           })");
}

TEST(Gradient, OfALoopWithAnEarlyEnd) {
  Check(R"(graph main(%x: float64[n], %limit: float64[]) {
             %zero = zeros(shape=[], dtype="int64")
             %one = ones(shape=[], dtype="int64")
             %first = arange(start=9, stop=10, dtype="int64")
             %start = reshape(%first, newshape=[])
             %0 = loop (%i = %start, %y = %x) while {
               %1 = greater_equal(%i, %zero)
               %sum = sum(%y)
               %2 = greater(%sum, %limit)
               %3 = logical_or(%2, %2)
               %4 = logical_and(%3, %1)
               return %4
             } do {
               %5 = subtract(%i, %one)
               %6 = sin(%y)
               %7 = (%5, %6)
               return %7
             }
             %8 = %0.1
             %9 = multiply(%8, %8)
             return %9
           })");
}

TEST(Gradient, OfALoopWithinALoopAndAnIf) {
  Check(R"(graph main(%x: float64[n]) {
             %zero = zeros(shape=[], dtype="int64")
             %one = ones(shape=[], dtype="int64")
             %three = arange(start=3, stop=4, dtype="int64")
             %bound = reshape(%three, newshape=[])
             %limit = zeros(shape=[], dtype="float64")
             %0 = loop (%i = %zero, %y = %x) while {
               %1 = less(%i, %bound)
               return %1
             } do {
               %2 = loop (%j = %zero, %z = %y) while {
                 %3 = less_equal(%j, %one)
                 return %3
               } do {
                 %4 = add(%j, %one)
                 %5 = multiply(%z, %x)
                 %sum = sum(%5)
                 %low = less(%sum, %limit)
                 %6 = if %low {
                   %7 = cos(%5)
                   return %7
                 } else {
                   %8 = sin(%5)
                   return %8
                 }
                 %9 = (%4, %6)
                 return %9
               }
               %10 = add(%i, %one)
               %11 = %2.1
               %12 = (%10, %11)
               return %12
             }
             %13 = %0.1
             return %13
           })");
}

TEST(Gradient, RefusesALoopOfUnknownLength) {
  const std::string error = ErrorOf(R"(graph main(%x: float64[n], %rounds: int32[]) {
             %zero = zeros(shape=[], dtype="int32")
             %one = ones(shape=[], dtype="int32")
             %0 = loop (%i = %zero, %y = %x) while {
               %1 = less(%i, %rounds)
               return %1
             } do {
               %2 = add(%i, %one)
               %3 = tanh(%y)
               %4 = (%2, %3)
               return %4
             }
             %5 = %0.1
             return %5
           })");
  EXPECT_NE(error.find("error[graph-gradient-loop]"), std::string::npos) << error;
  EXPECT_NE(error.find("while the gradient of this was made: %0"), std::string::npos) << error;
}

// Nothing has to be stored for a loop whose body is linear.
TEST(Gradient, OfALinearLoopOfUnknownLength) {
  Check(R"(graph main(%x: float64[n], %rounds: int32[]) {
             %zero = zeros(shape=[], dtype="int32")
             %one = ones(shape=[], dtype="int32")
             %0 = loop (%i = %zero, %y = %x) while {
               %1 = less(%i, %rounds)
               return %1
             } do {
               %2 = add(%i, %one)
               %3 = add(%y, %x)
               %4 = (%2, %3)
               return %4
             }
             %5 = %0.1
             return %5
           })");
}

TEST(Gradient, NamesAllOperatorsWithoutOne) {
  const std::string error = ErrorOf(R"(graph main(%x: float32[2, 3, 8, 8], %r: float32[k, 5]) {
             %a = vision.roi_pool(%x, %r, pooled_size=[2, 2], spatial_scale=1.0)
             %b = vision.roi_pool(%x, %r, pooled_size=[2, 2], spatial_scale=1.0)
             %c = add(%a, %b)
             return %c
           })");
  EXPECT_NE(error.find("error[graph-no-gradient]"), std::string::npos) << error;
  EXPECT_NE(error.find("`vision.roi_pool` (2 calls, the first is `%a`)"), std::string::npos)
      << error;
}

TEST(Gradient, RefusesRecursion) {
  const std::string error = ErrorOf(R"(graph main(%x: float32[]) -> float32[] {
             %0 = @main(%x)
             return %0
           })");
  EXPECT_NE(error.find("error[graph-no-gradient]"), std::string::npos) << error;
  EXPECT_NE(error.find("@main"), std::string::npos) << error;
}

TEST(Gradient, RefusesResultsWithoutFloats) {
  EXPECT_NE(ErrorOf(R"(graph main(%x: float32[n]) {
             %0 = argmax(%x)
             return %0
           })")
                .find("has no floating elements"),
            std::string::npos);
}

TEST(Gradient, IsStopped) {
  const ir::GraphModule module = InferTypes(ir::ParseGraphModule(R"(graph main(%x: float64[n]) {
             %0 = stop_gradient(%x)
             %1 = multiply(%0, %x)
             return %1
           })"));
  const std::vector<Tensor> inputs{RandomTensor(DataType::Float(64), {3}, -1, 1, 1)};
  // d (c x) / dx = c, and not 2 x.
  const std::string text = ir::ToText(ir::NodeRef(Gradient(module->functions[0], module)));
  EXPECT_EQ(text.find("add("), std::string::npos) << text;
}

TEST(Gradient, EveryOperatorHasOneOrAReason) {
  for (const OpDef* op : AllOps()) {
    EXPECT_NE(WhyNoGradient(*op), "nobody has written it") << op->name;
  }
}

}  // namespace
}  // namespace lathe::graph
