// Operators of elements, of grids and of matrices: their results, and what they refuse.
#include <cmath>
#include <limits>

#include "graph/import/tensorflow/import_checks.h"
#include "gtest/gtest.h"

namespace lathe::graph::tensorflow {
namespace {

using Numbers = std::vector<float>;

void ExpectNear(const Numbers& found, const Numbers& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], expected[i], 1e-6F) << i;
}

Numbers OfTwo(const std::string& op, const Numbers& x, const Numbers& y) {
  const auto count = static_cast<int64_t>(x.size());
  const ImportedModel model =
      Import(GraphBytes({Input("x", {count}), Input("y", {count}), {"z", op, {"x", "y"}}}));
  return ResultOf(model, {FloatTensor(x, {count}), FloatTensor(y, {count})});
}

TEST(Elementwise, NothingTimesAnything) {
  const float infinite = std::numeric_limits<float>::infinity(), none = std::nanf("");
  const float two = 2 * std::log(2.0F);
  ExpectNear(OfTwo("Xdivy", {0, 2, 0, 0}, {0, 4, none, -1}), {0, 0.5F, 0, 0});
  ExpectNear(OfTwo("Xlogy", {0, 2, 0, 0}, {0, 2, none, -1}), {0, two, 0, 0});
  ExpectNear(OfTwo("Xlog1py", {0, 2, 0, 0}, {-1, 1, none, -3}), {0, two, 0, 0});
  ExpectNear(OfTwo("MulNoNan", {infinite, 2, none}, {0, 3, 0}), {0, 6, 0});
}

// -- Rows.

std::string Steps(const std::vector<int64_t>& shape_of_start, int32_t count) {
  return GraphBytes({Input("a", shape_of_start),
                     Floats("b", {}, {2}),
                     Int32s("n", {}, {count}),
                     {"y", "LinSpace", {"a", "b", "n"}}});
}

TEST(Rows, StepsBetweenTwoNumbers) {
  EXPECT_EQ(ResultOf(Import(Steps({}, 5)), {FloatTensor({1}, {})}),
            (Numbers{1, 1.25F, 1.5F, 1.75F, 2}));
  EXPECT_EQ(ResultOf(Import(Steps({}, 1)), {FloatTensor({1}, {})}), Numbers{1});
  const Numbers many = ResultOf(Import(Steps({}, 1000)), {FloatTensor({0.1F}, {})});
  EXPECT_EQ(many.front(), 0.1F);
  EXPECT_EQ(many.back(), 2);
  EXPECT_TRUE(Has(ErrorOf(Steps({}, 0)), "an impossible number of elements"));
  EXPECT_TRUE(Has(ErrorOf(Steps({2}, 3)), "one number"));
  EXPECT_TRUE(Has(ErrorOf(GraphBytes({Floats("a", {}, {1}),
                                      Floats("b", {}, {2}),
                                      Input("n", {}, 3),
                                      {"y", "LinSpace", {"a", "b", "n"}}})),
                  "tensorflow-value-needed"));
}

TEST(Rows, InversePermutations) {
  const TestNode node{"y", "InvertPermutation", {"p"}};
  const ImportedModel unknown = Import(GraphBytes({Input("p", {4}, 3), node}));
  EXPECT_EQ(ResultOf<int32_t>(unknown, {Int32Tensor({2, 3, 1, 0}, {4})}),
            (std::vector<int32_t>{3, 2, 0, 1}));
  // Known ones may decide shapes.
  const ImportedModel known = Import(GraphBytes(
      {Int32s("p", {3}, {1, 2, 0}), Input("x", {5, 6, 7}), node, {"t", "Transpose", {"x", "y"}}}));
  EXPECT_EQ(TypeOfResult(known), "float32[7, 5, 6]");
  for (const int32_t wrong : {1, 3, -1}) {
    EXPECT_TRUE(
        Has(ErrorOf(GraphBytes({Int32s("p", {3}, {1, wrong, 0}), node})), "is no permutation"));
  }
  EXPECT_TRUE(Has(ErrorOf(GraphBytes({Input("p", {2, 2}, 3), node})), "1 dimension"));
}

// -- Numbers on grids.

TEST(FakeQuant, OneGrid) {
  const Numbers x{-3, 0.4F, 0.5F, 2.5F, 300};
  const auto node = [](std::vector<std::string> inputs, std::vector<std::string> attributes) {
    return TestNode{"y", inputs.size() == 1 ? "FakeQuantWithMinMaxArgs" : "FakeQuantWithMinMaxVars",
                    std::move(inputs), std::move(attributes)};
  };
  const ImportedModel attributes =
      Import(GraphBytes({Input("x", {5}), node({"x"}, {FloatOf("min", 0), FloatOf("max", 255)})}));
  EXPECT_EQ(ResultOf(attributes, {FloatTensor(x, {5})}), (Numbers{0, 0, 1, 3, 255}));
  const auto by_inputs = [&](float low, float high, std::vector<std::string> more) {
    return GraphBytes({Input("x", {5}), Floats("a", {}, {low}), Floats("b", {}, {high}),
                       node({"x", "a", "b"}, std::move(more))});
  };
  const auto result = [&](const std::string& model, const Numbers& of) {
    return ResultOf(Import(model), {FloatTensor(of, {5})});
  };
  EXPECT_EQ(result(by_inputs(0, 255, {}), x), (Numbers{0, 0, 1, 3, 255}));
  // 0 is always on the grid, which is moved for it.
  EXPECT_EQ(result(by_inputs(-1.2F, 1.8F, {IntOf("num_bits", 2)}), {-9, -0.6F, 0, 0.6F, 9}),
            (Numbers{-1, -1, 0, 1, 2}));
  EXPECT_EQ(result(by_inputs(-1, 1, {IntOf("num_bits", 2), BoolOf("narrow_range", true)}),
                   {-5, -0.4F, 0, 0.6F, 5}),
            (Numbers{-1, 0, 0, 1, 1}));
  EXPECT_EQ(result(by_inputs(0, 0, {}), x), (Numbers{0, 0, 0, 0, 0}));
  EXPECT_TRUE(Has(ErrorOf(by_inputs(0, 1, {IntOf("num_bits", 17)})), "num_bits"));
  EXPECT_TRUE(Has(ErrorOf(by_inputs(1, 1, {})), "min below max"));
  EXPECT_TRUE(Has(ErrorOf(GraphBytes({Input("x", {5}), Input("a", {}), Floats("b", {}, {1}),
                                      node({"x", "a", "b"}, {})})),
                  "`min` that only a run knows"));
}

TEST(FakeQuant, AGridForEachChannel) {
  const auto model = [](const std::vector<int64_t>& shape, const Numbers& low) {
    return GraphBytes(
        {Input("x", shape),
         Floats("a", {static_cast<int64_t>(low.size())}, low),
         Floats("b", {2}, {3, 0}),
         {"y", "FakeQuantWithMinMaxVarsPerChannel", {"x", "a", "b"}, {IntOf("num_bits", 2)}}});
  };
  EXPECT_EQ(ResultOf(Import(model({2, 2}, {0, -3})), {FloatTensor({1.4F, -1.4F, 9, -9}, {2, 2})}),
            (Numbers{1, -1, 3, -3}));
  // Nothing was measured for the second channel.
  EXPECT_EQ(ResultOf(Import(model({2}, {0, 0})), {FloatTensor({1.4F, -1.4F}, {2})}),
            (Numbers{1, 0}));
  EXPECT_TRUE(Has(ErrorOf(model({2, 2}, {0})), "another number of bounds"));
  EXPECT_TRUE(Has(ErrorOf(model({2, 3}, {0, -3})), "another number of bounds"));
  EXPECT_TRUE(Has(ErrorOf(model({2, -1}, {0, -3})), "a known number of channels"));
}

// -- Matrices.

TestNode Diagonals(const std::string& align) {
  return {"y", "MatrixDiagPartV3", {"x", "k", "p"}, {TextOf("align", align)}};
}
// With rows and columns, and 9 for what is left out.
std::string FromDiagonals(const std::vector<int64_t>& shape, const std::vector<int32_t>& k,
                          int32_t rows, int32_t columns, const std::string& align) {
  return GraphBytes({Input("x", shape),
                     Int32s("k", {static_cast<int64_t>(k.size())}, k),
                     Int32s("r", {}, {rows}),
                     Int32s("c", {}, {columns}),
                     Floats("p", {}, {9}),
                     {"y", "MatrixDiagV3", {"x", "k", "r", "c", "p"}, {TextOf("align", align)}}});
}

TEST(Matrices, BandsStandAtEitherEnd) {
  const Numbers matrix{1, 2, 3, 4, 5, 6, 7, 8, 10, 11, 12, 13};
  struct {
    const char* align;
    Numbers band;
  } const cases[] = {{"RIGHT_LEFT", {0, 3, 8, 2, 7, 13, 1, 6, 12, 5, 11, 0}},
                     {"LEFT_RIGHT", {3, 8, 0, 2, 7, 13, 1, 6, 12, 0, 5, 11}},
                     {"LEFT_LEFT", {3, 8, 0, 2, 7, 13, 1, 6, 12, 5, 11, 0}},
                     {"RIGHT_RIGHT", {0, 3, 8, 2, 7, 13, 1, 6, 12, 0, 5, 11}}};
  for (const auto& [align, band] : cases) {
    const ImportedModel parts = Import(GraphBytes({Input("x", {1, 3, 4}), Int32s("k", {2}, {-1, 2}),
                                                   Floats("p", {}, {0}), Diagonals(align)}));
    EXPECT_EQ(TypeOfResult(parts), "float32[1, 4, 3]");
    EXPECT_EQ(ResultOf(parts, {FloatTensor(matrix, {1, 3, 4})}), band) << align;
    const ImportedModel whole = Import(FromDiagonals({1, 4, 3}, {-1, 2}, 3, 4, align));
    EXPECT_EQ(TypeOfResult(whole), "float32[1, 3, 4]");
    EXPECT_EQ(ResultOf(whole, {FloatTensor(band, {1, 4, 3})}),
              (Numbers{1, 2, 3, 9, 5, 6, 7, 8, 9, 11, 12, 13}))
        << align;
  }
}

TEST(Matrices, FromOneDiagonal) {
  EXPECT_EQ(
      ResultOf(Import(FromDiagonals({2}, {1}, -1, -1, "LEFT_LEFT")), {FloatTensor({1, 2}, {2})}),
      (Numbers{9, 1, 9, 9, 9, 2, 9, 9, 9}));
  EXPECT_EQ(ResultOf(Import(FromDiagonals({2}, {-1, -1}, -1, 2, "LEFT_LEFT")),
                     {FloatTensor({1, 2}, {2})}),
            (Numbers{9, 9, 1, 9, 9, 2}));
  // The main one may have any length.
  const ImportedModel open = Import(FromDiagonals({2, -1}, {0}, -1, -1, "RIGHT_LEFT"));
  EXPECT_EQ(TypeOfResult(open), "float32[2, x_1, x_1]");
  EXPECT_EQ(ResultOf(open, {FloatTensor({1, 2, 3, 4}, {2, 2})}), (Numbers{1, 9, 9, 2, 3, 9, 9, 4}));
  const ImportedModel first = Import(GraphBytes({Input("x", {2}), {"y", "MatrixDiag", {"x"}}}));
  EXPECT_EQ(ResultOf(first, {FloatTensor({1, 2}, {2})}), (Numbers{1, 0, 0, 2}));
}

TEST(Matrices, MainDiagonals) {
  const ImportedModel part =
      Import(GraphBytes({Input("x", {-1, 2, 3}), {"y", "MatrixDiagPart", {"x"}}}));
  EXPECT_EQ(TypeOfResult(part), "float32[x_0, 2]");
  EXPECT_EQ(ResultOf(part, {FloatTensor({1, 2, 3, 4, 5, 6}, {1, 2, 3})}), (Numbers{1, 5}));
  const ImportedModel set = Import(GraphBytes(
      {Input("x", {2, 3}), Floats("d", {2}, {7, 8}), {"y", "MatrixSetDiag", {"x", "d"}}}));
  EXPECT_EQ(ResultOf(set, {FloatTensor({1, 2, 3, 4, 5, 6}, {2, 3})}), (Numbers{7, 2, 3, 4, 8, 6}));
  const ImportedModel above = Import(GraphBytes({Input("x", {2, 3}),
                                                 Floats("d", {2, 2}, {0, 7, 8, 9}),
                                                 Int32s("k", {2}, {1, 2}),
                                                 {"y", "MatrixSetDiagV3", {"x", "d", "k"}}}));
  EXPECT_EQ(ResultOf(above, {FloatTensor({1, 2, 3, 4, 5, 6}, {2, 3})}),
            (Numbers{1, 8, 7, 4, 5, 9}));
}

TEST(Matrices, WhatDoesNotFit) {
  const auto part = [](const std::vector<int64_t>& shape, const std::vector<int32_t>& k,
                       const TestNode& padding, const std::string& align) {
    return ErrorOf(GraphBytes({Input("x", shape), Int32s("k", {static_cast<int64_t>(k.size())}, k),
                               padding, Diagonals(align)}));
  };
  const TestNode zero = Floats("p", {}, {0});
  EXPECT_EQ(part({2, 3}, {-1, 2}, zero, "LEFT_LEFT"), "");
  EXPECT_TRUE(Has(part({2, 3}, {-2}, zero, "LEFT_LEFT"), "its matrix lacks"));
  EXPECT_TRUE(Has(part({2, 3}, {3}, zero, "LEFT_LEFT"), "its matrix lacks"));
  EXPECT_TRUE(Has(part({2, 3}, {1, 0}, zero, "LEFT_LEFT"), "impossible diagonals"));
  EXPECT_TRUE(Has(part({2, 3}, {}, zero, "LEFT_LEFT"), "impossible diagonals"));
  EXPECT_TRUE(Has(part({2, 3}, {0}, zero, "MIDDLE"), "an unknown align"));
  EXPECT_TRUE(Has(part({2, -1}, {0}, zero, "LEFT_LEFT"), "a known size"));
  EXPECT_TRUE(Has(part({2}, {0}, zero, "LEFT_LEFT"), "2 dimensions"));
  EXPECT_TRUE(Has(part({2, 3}, {0}, Floats("p", {1}, {0}), "LEFT_LEFT"), "padding_value"));
  EXPECT_TRUE(Has(ErrorOf(FromDiagonals({2}, {0}, 3, 4, "LEFT_LEFT")), "does not fit"));
  EXPECT_TRUE(Has(ErrorOf(FromDiagonals({3, 2}, {0, 1}, 2, 2, "LEFT_LEFT")), "do not fit"));
  EXPECT_TRUE(Has(ErrorOf(FromDiagonals({1 << 20}, {1}, -1, -1, "LEFT_LEFT")), "too large"));
}

}  // namespace
}  // namespace lathe::graph::tensorflow
