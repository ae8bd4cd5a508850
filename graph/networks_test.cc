// Small versions of well-known networks, at every optimisation level, against the interpreter.
#include "graph/networks/networks.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "base/address_sanitizer.h"
#include "base/error.h"
#include "driver/default_plugins.h"
#include "graph/build.h"
#include "graph/compare.h"
#include "graph/infer.h"
#include "graph/networks/weights.h"
#include "gtest/gtest.h"
#include "ir/text/parser.h"
#include "runtime/graph/executor.h"
#include "target/host_target.h"

namespace lathe::graph {
namespace {

class Networks : public testing::TestWithParam<int> {
 protected:
  static void SetUpTestSuite() { driver::UseDefaultPlugins(); }
  CompareOptions Options() const {
    CompareOptions options;
    options.build.opt_level = GetParam();
    options.tolerance = 2e-3;  // dozens of layers, whose sums are in another order
    return options;
  }
};

TEST_P(Networks, ResNet18) { EXPECT_EQ(CompareWithInterpreter(ResNet(18, 1, 32), Options()), ""); }

TEST_P(Networks, MobileNetV2) {
  EXPECT_EQ(CompareWithInterpreter(MobileNetV2(1, 32), Options()), "");
}

TEST_P(Networks, LstmOfAnyLength) {
  for (const int64_t steps : {1, 6}) {
    CompareOptions options = Options();
    options.sizes = {steps};
    EXPECT_EQ(CompareWithInterpreter(Lstm(24, 2), options), "") << steps << " steps";
  }
}

TEST_P(Networks, BertOfAnyLength) {
  const BertConfig small{.layers = 2,
                         .hidden = 64,
                         .heads = 4,
                         .intermediate = 128,
                         .vocabulary = 50,
                         .positions = 40};
  for (const int64_t tokens : {1, 39}) {
    CompareOptions options = Options();
    options.sizes = {tokens};
    EXPECT_EQ(CompareWithInterpreter(Bert(small), options), "") << tokens << " tokens";
  }
}

// Concatenations whose operands are written where they belong, and those where that cannot be.
TEST(Concatenations, CostNothingWherePossible) {
  driver::UseDefaultPlugins();
  struct Case {
    const char* name;
    size_t parts;  // tensors that lie in another one
    const char* body;
  };
  // A product reads %c, because concatenations in front of a sum are a part of its kernel.
  const Case cases[] = {
      {"two", 2, "%a = sum(%x, axis=[1])\n %b = max(%x, axis=[1])\n %c = concatenate(%a, %b)\n"},
      {"in another one", 4,
       "%a = sum(%x, axis=[1])\n %b = max(%x, axis=[1])\n %d = concatenate(%a, %b)\n"
       "%s = sum(%d)\n %e = min(%x, axis=[1])\n %f = add(%e, %s)\n"
       "%c = concatenate(%f, %d)\n"},
      {"also read apart", 2,
       "%a = sum(%x, axis=[1])\n %b = max(%x, axis=[1])\n %d = concatenate(%a, %b)\n"
       "%e = sum(%d)\n %f = sum(%a)\n %g = add(%e, %f)\n %c = add(%d, %g)\n"},
      {"of one size known later", 0,
       "%a = sum(%z, axis=[1])\n %b = max(%z, axis=[1])\n %c = concatenate(%a, %b)\n"},
      {"twice the same", 0, "%a = sum(%x, axis=[1])\n %c = concatenate(%a, %a)\n"},
      {"an input", 0, "%a = sum(%x, axis=[1])\n %c = concatenate(%a, %v)\n"},
      {"not aligned", 0,
       "%a = sum(%y, axis=[1])\n %b = max(%x, axis=[1])\n %c = concatenate(%a, %b)\n"},
      {"along the columns", 0,
       "%a = sum(%x, axis=[1], keepdims=true)\n %b = max(%x, axis=[1], keepdims=true)\n"
       "%c = concatenate(%a, %b, axis=1)\n"},
      {"in two", 2,
       "%a = sum(%x, axis=[1])\n %b = max(%x, axis=[1])\n %d = concatenate(%a, %b)\n"
       "%t = reshape(%d, newshape=[1, -1])\n %s = nn.dense(%t, %t)\n"
       "%g = reshape(%s, newshape=[1])\n %e = concatenate(%b, %a)\n %c = add(%e, %g)\n"},
  };
  for (const Case& one : cases) {
    const std::string text =
        "graph main(%x: float32[32, 8], %y: float32[15, 8], %v: float32[32], %z: float32[n, 8]) "
        "{\n" +
        std::string(one.body) +
        "%m = reshape(%c, newshape=[1, -1])\n %r = nn.dense(%m, %m)\n return %r\n}\n";
    const ir::GraphModule module = InferTypes(ir::ParseGraphModule(text));
    const auto compiled = CompileGraph(module, "main", target::HostTarget(), {});
    ASSERT_TRUE(compiled.ok()) << one.name << ": " << compiled.status();
    const auto parts = std::ranges::count_if(compiled->plan.tensors, [](const auto& tensor) {
      return tensor.memory == runtime::graph::PlanTensor::Memory::kPart;
    });
    EXPECT_EQ(static_cast<size_t>(parts), one.parts) << one.name;
    EXPECT_EQ(CompareWithInterpreter(module->functions[0]), "") << one.name;
  }
}

INSTANTIATE_TEST_SUITE_P(Levels, Networks, testing::Values(0, 3));

// The most memory that this process has had so far, in kilobytes.
int64_t PeakKilobytes() {
  std::ifstream status("/proc/self/status");
  std::string word;
  int64_t kilobytes = 0;
  while (status >> word) {
    if (word == "VmHWM:") status >> kilobytes;
  }
  return kilobytes;
}

// x[1, inputs] times weights of `rows` rows, one after the other.
ir::GraphModule Products(const std::vector<int64_t>& rows, bool transposed) {
  Builder builder("main");
  RandomWeights weights(&builder, 7);
  ir::GraphVar x = builder.Input("x", DataType::Float(32), {Int64(1), Int64(rows[0])});
  for (size_t i = 0; i + 1 < rows.size(); ++i) {
    const std::string name = "w" + std::to_string(i);
    x = transposed
            ? builder.Call("nn.dense", {x, weights.Make(name, {rows[i + 1], rows[i]}, 0.05F)})
            : builder.Call("matmul", {x, weights.Make(name, {rows[i], rows[i + 1]}, 0.05F)});
  }
  Ref<ir::GraphModuleNode> module = Make<ir::GraphModuleNode>();
  module->functions.push_back(builder.Finish(x));
  return module;
}

// Exits with 0 if compiling needs little memory beside one copy of the weights.
void CompileAndExit(const std::vector<int64_t>& rows, bool transposed) {
  driver::UseDefaultPlugins();
  const target::Target target = target::HostTarget();
  // What the compiler itself needs does not count.
  const auto small = CompileGraph(Products({512, 512}, transposed), "main", target, {});
  ir::GraphModule module = Products(rows, transposed);
  int64_t kilobytes = 0;
  for (size_t i = 0; i + 1 < rows.size(); ++i) kilobytes += rows[i] * rows[i + 1] * 4 / 1024;
  const int64_t before = PeakKilobytes();
  const auto compiled = CompileGraph(std::move(module), "main", target, {});
  const int64_t more = PeakKilobytes() - before;
  std::fprintf(stderr, "%lld kB of weights, %lld kB more at the peak\n",
               static_cast<long long>(kilobytes), static_cast<long long>(more));
  std::exit(small.ok() && compiled.ok() && more < kilobytes / 2 ? 0 : 1);
}

// A second copy of them would be all of it, and an intermediate value another.
TEST(Memory, WeightsAreThereOnceWhileTheyArePacked) {
  if (kAddressSanitizer) GTEST_SKIP() << "memory that is freed stays";
  GTEST_FLAG_SET(death_test_style, "threadsafe");  // in a process of its own
  for (const bool transposed : {false, true}) {
    EXPECT_EXIT(CompileAndExit({4096, 4096}, transposed), testing::ExitedWithCode(0), "");
    EXPECT_EXIT(CompileAndExit({1024, 2048, 2048, 2048, 2048, 1024}, transposed),
                testing::ExitedWithCode(0), "");
  }
}

// Packed in steps and by rows, the products are the same.
TEST(Memory, PackedInStepsIsTheSame) {
  driver::UseDefaultPlugins();
  for (const bool transposed : {false, true}) {
    std::vector<runtime::Tensor> results[2];
    for (const int level : {0, 3}) {
      const auto compiled = CompileGraph(Products({4096, 4096, 1024}, transposed), "main",
                                         target::HostTarget(), {.opt_level = level});
      ASSERT_TRUE(compiled.ok()) << compiled.status();
      const auto executable = LoadGraph(*compiled);
      ASSERT_TRUE(executable.ok()) << executable.status();
      std::vector<float> x(4096);
      for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i % 13) - 6;
      const auto input = runtime::Tensor::FromHost(
          x.data(), x.size() * 4, std::vector<int64_t>{1, 4096}, DataType::Float(32));
      const auto outputs = runtime::graph::Context(*executable).RunOnce(std::vector{*input});
      ASSERT_TRUE(outputs.ok()) << outputs.status();
      results[level == 0 ? 0 : 1] = *outputs;
    }
    const auto* plain = static_cast<const float*>(results[0][0].dl().data);
    const auto* packed = static_cast<const float*>(results[1][0].dl().data);
    for (int i = 0; i < 1024; ++i) ASSERT_NEAR(plain[i], packed[i], 1e-2) << i;
  }
}

}  // namespace
}  // namespace lathe::graph
