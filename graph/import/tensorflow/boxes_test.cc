// Which boxes stay, and in which order.
#include <algorithm>

#include "graph/import/tensorflow/import_checks.h"
#include "gtest/gtest.h"

namespace lathe::graph::tensorflow {
namespace {

using runtime::Tensor;
using Numbers = std::vector<float>;

const Numbers kBoxes{0, 0,  1, 1,  0, 0.1F,  1, 1.1F,  0, -0.1F, 1, 0.9F,
                     0, 10, 1, 11, 0, 10.1F, 1, 11.1F, 0, 100,   1, 101};
const Numbers kScores{0.9F, 0.75F, 0.6F, 0.95F, 0.5F, 0.3F};

// The constants are inputs 2 and up.
std::string Suppression(const std::string& op, const std::vector<TestNode>& limits,
                        std::vector<std::string> attributes = {},
                        const std::vector<int64_t>& shape = {6}) {
  std::vector<TestNode> nodes{Input("b", {shape[0], 4}), Input("s", shape)};
  std::vector<std::string> inputs{"b", "s"};
  for (const TestNode& limit : limits) {
    nodes.push_back(limit);
    inputs.push_back(limit.name);
  }
  nodes.push_back({"y", op, inputs, std::move(attributes)});
  return GraphBytes(nodes);
}

std::vector<Tensor> Stay(const std::string& model, const std::vector<std::string>& outputs,
                         std::vector<GraphValue> more = {}) {
  std::vector<GraphValue> inputs{FloatTensor(kBoxes, {6, 4}), FloatTensor(kScores, {6})};
  inputs.insert(inputs.end(), more.begin(), more.end());
  return ResultsOf(Import(model, {.outputs = outputs}), inputs);
}

const TestNode kMost = Int32s("m", {}, {4});
const TestNode kOverlap = Floats("o", {}, {0.5F}), kScore = Floats("t", {}, {0.4F});
const TestNode kNoScore = Floats("t", {}, {-1});

TEST(Boxes, ThatStay) {
  using Indices = std::vector<int32_t>;
  const auto first = [](const std::vector<Tensor>& results) {
    return ElementsOf<int32_t>(results.at(0));
  };
  EXPECT_EQ(first(Stay(Suppression("NonMaxSuppression", {kMost}), {"y"})), (Indices{3, 0, 5}));
  EXPECT_EQ(
      first(Stay(Suppression("NonMaxSuppression", {kMost}, {FloatOf("iou_threshold", 1)}), {"y"})),
      (Indices{3, 0, 1, 2}));
  EXPECT_EQ(first(Stay(Suppression("NonMaxSuppressionV2", {kMost, kOverlap}), {"y"})),
            (Indices{3, 0, 5}));
  const std::vector<TestNode> limits{kMost, kOverlap, kScore};
  EXPECT_EQ(first(Stay(Suppression("NonMaxSuppressionV3", limits), {"y"})), (Indices{3, 0}));
  const auto pads = BoolOf("pad_to_max_output_size", true);
  for (const bool pad : {false, true}) {
    const auto results =
        Stay(Suppression("NonMaxSuppressionV4", limits, {BoolOf("pad_to_max_output_size", pad)}),
             {"y", "y:1"});
    EXPECT_EQ(first(results), pad ? (Indices{3, 0, 0, 0}) : (Indices{3, 0}));
    EXPECT_EQ(ElementsOf<int32_t>(results.at(1)), Indices{2});
  }
  const auto results = Stay(
      Suppression("NonMaxSuppressionV5", {kMost, kOverlap, kNoScore, Floats("g", {}, {0})}, {pads}),
      {"y", "y:1", "y:2"});
  EXPECT_EQ(first(results), (Indices{3, 0, 5, 0}));
  EXPECT_EQ(ElementsOf<float>(results.at(1)), (Numbers{0.95F, 0.9F, 0.3F, 0}));
  EXPECT_EQ(ElementsOf<int32_t>(results.at(2)), Indices{3});
}

TEST(Boxes, LimitsThatOnlyARunKnows) {
  const std::string model =
      Suppression("NonMaxSuppressionV3", {Input("m", {}, 3), Input("o", {}), Input("t", {})});
  for (const int32_t most : {0, 1, 2, 9}) {
    const auto results = Stay(
        model, {"y"}, {Int32Tensor({most}, {}), FloatTensor({0.5F}, {}), FloatTensor({0.4F}, {})});
    const std::vector<int32_t> all{3, 0};
    EXPECT_EQ(ElementsOf<int32_t>(results.at(0)),
              std::vector<int32_t>(all.begin(), all.begin() + std::min(most, 2)));
  }
}

TEST(Boxes, WhatIsRefused) {
  const auto error = [](const std::string& op, const std::vector<TestNode>& limits,
                        std::vector<std::string> attributes = {}) {
    return ErrorOf(Suppression(op, limits, std::move(attributes)));
  };
  EXPECT_TRUE(Has(error("NonMaxSuppressionV5", {kMost, kOverlap, kScore, Floats("g", {}, {1})}),
                  "soft_nms_sigma"));
  EXPECT_TRUE(Has(error("NonMaxSuppression", {Int32s("m", {}, {-1})}), "max_output_size"));
  EXPECT_TRUE(Has(error("NonMaxSuppressionV2", {kMost, Floats("o", {}, {2})}), "iou_threshold"));
  EXPECT_TRUE(
      Has(error("NonMaxSuppressionV2", {kMost, Floats("o", {2}, {1, 1})}), "iou_threshold"));
  EXPECT_TRUE(Has(error("NonMaxSuppressionV4", {Input("m", {}, 3), kOverlap, kScore},
                        {BoolOf("pad_to_max_output_size", true)}),
                  "tensorflow-value-needed"));
  EXPECT_TRUE(Has(ErrorOf(Suppression("NonMaxSuppression", {kMost}, {}, {6, 1})), "wrong scores"));
}

// Boxes [1, 6, own, 4] and scores [1, 6, 2]: the second class has the last box only.
std::vector<Tensor> Best(int64_t own, int32_t per_class, int32_t total,
                         std::vector<std::string> attributes) {
  Numbers boxes, scores;
  for (size_t i = 0; i < 6; ++i) {
    for (int64_t k = 0; k < own; ++k) {
      boxes.insert(boxes.end(), kBoxes.begin() + 4 * static_cast<ptrdiff_t>(i),
                   kBoxes.begin() + 4 * static_cast<ptrdiff_t>(i + 1));
    }
    scores.push_back(kScores[i]);
    scores.push_back(i == 5 ? 0.99F : 0);
  }
  const ImportedModel model = Import(GraphBytes({Input("b", {-1, 6, own, 4}),
                                                 Input("s", {-1, 6, 2}),
                                                 Int32s("c", {}, {per_class}),
                                                 Int32s("m", {}, {total}),
                                                 Floats("o", {}, {0.5F}),
                                                 Floats("t", {}, {0.1F}),
                                                 {"y",
                                                  "CombinedNonMaxSuppression",
                                                  {"b", "s", "c", "m", "o", "t"},
                                                  std::move(attributes)}}),
                                     {.shapes = {{"b", {"n", 6, own, 4}}, {"s", {"n", 6, 2}}},
                                      .outputs = {"y", "y:1", "y:2", "y:3"}});
  return ResultsOf(model, {FloatTensor(boxes, {1, 6, own, 4}), FloatTensor(scores, {1, 6, 2})});
}

TEST(Boxes, TheBestOfAllClasses) {
  for (const int64_t own : {1, 2}) {
    const auto few = Best(own, 4, 3, {BoolOf("clip_boxes", false)});
    EXPECT_EQ(ElementsOf<float>(few.at(0)), (Numbers{0, 100, 1, 101, 0, 10, 1, 11, 0, 0, 1, 1}));
    EXPECT_EQ(ElementsOf<float>(few.at(1)), (Numbers{0.99F, 0.95F, 0.9F}));
    EXPECT_EQ(ElementsOf<float>(few.at(2)), (Numbers{1, 0, 0}));
    EXPECT_EQ(ElementsOf<int32_t>(few.at(3)), std::vector<int32_t>{3});
    // More than there are boxes and classes.
    const auto many = Best(own, 2, 20, {});
    Numbers scores{0.99F, 0.95F, 0.9F};
    scores.resize(20);
    EXPECT_EQ(ElementsOf<float>(many.at(1)), scores);
    EXPECT_EQ(ElementsOf<int32_t>(many.at(3)), std::vector<int32_t>{3});
    const Numbers clipped = ElementsOf<float>(many.at(0));
    EXPECT_EQ(Numbers(clipped.begin(), clipped.begin() + 4), (Numbers{0, 1, 1, 1}));
    EXPECT_EQ(ElementsOf<float>(Best(own, 2, 20, {BoolOf("pad_per_class", true)}).at(1)).size(),
              4U);
  }
}

TEST(Boxes, ClassesThatDoNotFit) {
  const auto error = [](const std::vector<int64_t>& boxes, const std::vector<int64_t>& scores,
                        int32_t total) {
    return ErrorOf(
        GraphBytes({Input("b", boxes),
                    Input("s", scores),
                    kMost,
                    Int32s("n", {}, {total}),
                    kOverlap,
                    kScore,
                    {"y", "CombinedNonMaxSuppression", {"b", "s", "m", "n", "o", "t"}}}));
  };
  EXPECT_EQ(error({1, 6, 1, 4}, {1, 6, 2}, 3), "");
  EXPECT_TRUE(Has(error({1, 6, 3, 4}, {1, 6, 2}, 3), "another number of classes"));
  EXPECT_TRUE(Has(error({1, 6, 1, 4}, {1, 6, 2}, 0), "an impossible number of results"));
  EXPECT_TRUE(Has(error({1, 6, 1, 4}, {1, -1, 2}, 3), "known numbers of boxes"));
  EXPECT_TRUE(Has(error({1, 6, 4}, {1, 6, 2}, 3), "rank 4"));
  EXPECT_TRUE(Has(error({1, 6, 1, 4}, {1, 6}, 3), "rank 3"));
}

}  // namespace
}  // namespace lathe::graph::tensorflow
