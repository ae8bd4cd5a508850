// Ifs, loops and functions, compiled and interpreted.
#include "driver/default_plugins.h"
#include "graph/compare.h"
#include "graph/infer.h"
#include "gtest/gtest.h"
#include "ir/text/parser.h"

namespace lathe::graph {
namespace {

// Compares the last function of the text, at both ends of the optimisation levels.
void Check(const std::string& text, std::vector<int64_t> sizes = {5}) {
  driver::UseDefaultPlugins();
  const ir::GraphModule module = InferTypes(ir::ParseGraphModule(text));
  for (const int level : {0, 3}) {
    CompareOptions options{.sizes = sizes};
    options.build.opt_level = level;
    options.module = module;
    EXPECT_EQ(CompareWithInterpreter(module->functions.back(), options), "") << "level " << level;
  }
}

TEST(ControlFlow, ALoopCountsRounds) {
  Check(R"(graph main(%x: float32[n], %rounds: int32[]) {
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
}

TEST(ControlFlow, CarriedValuesChangePlaces) {
  Check(R"(graph main(%x: float32[n], %y: float32[n], %rounds: int32[]) {
             %zero = zeros(shape=[], dtype="int32")
             %one = ones(shape=[], dtype="int32")
             %0 = loop (%i = %zero, %a = %x, %b = %y) while {
               %1 = less(%i, %rounds)
               return %1
             } do {
               %2 = add(%i, %one)
               %3 = (%2, %b, %a)
               return %3
             }
             return %0
           })");
}

TEST(ControlFlow, AnIfInALoop) {
  Check(R"(graph main(%x: float32[n, 3], %rounds: int32[]) {
             %zero = zeros(shape=[], dtype="int32")
             %one = ones(shape=[], dtype="int32")
             %limit = zeros(shape=[], dtype="float32")
             %0 = loop (%i = %zero, %y = %x) while {
               %1 = less(%i, %rounds)
               return %1
             } do {
               %2 = add(%i, %one)
               %sum = sum(%y)
               %low = less(%sum, %limit)
               %3 = if %low {
                 %4 = abs(%y)
                 return %4
               } else {
                 %5 = negative(%y)
                 return %5
               }
               %6 = (%2, %3)
               return %6
             }
             %7 = %0.1
             %8 = exp(%7)
             return %8
           })");
}

TEST(ControlFlow, FunctionsOfTheModule) {
  Check(R"(graph scaled(%a: float32[k], %s: float32[]) -> float32[k] {
             %0 = multiply(%a, %s)
             return %0
           }
           graph main(%x: float32[n], %y: float32[2 * n, 3], %s: float32[]) {
             %0 = @scaled(%x, %s)
             %1 = reshape(%y, newshape=[-1])
             %2 = @scaled(%1, %s)
             %3 = (%0, %2)
             return %3
           })");
}

}  // namespace
}  // namespace lathe::graph
