// Small versions of well-known networks, at every optimisation level, against the interpreter.
#include "graph/networks/networks.h"
#include "base/error.h"
#include "driver/default_plugins.h"
#include "graph/compare.h"
#include "gtest/gtest.h"

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

INSTANTIATE_TEST_SUITE_P(Levels, Networks, testing::Values(0, 3));

}  // namespace
}  // namespace lathe::graph
