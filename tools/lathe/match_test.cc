#include "tools/lathe/match.h"

#include <limits>

#include "gtest/gtest.h"
#include "runtime/status.h"

namespace lathe::cli {
namespace {

using runtime::Tensor;

Tensor Floats(const std::vector<int64_t>& shape, const std::vector<float>& values) {
  auto tensor =
      Tensor::FromHost(values.data(), values.size() * sizeof(float), shape, DataType::Float(32));
  EXPECT_TRUE(tensor.ok()) << tensor.status();
  return *tensor;
}

// The counterparts' places among the peer's values; -1: none.
std::vector<int> Matched(const std::vector<Tensor>& ours, const std::vector<Tensor>& theirs) {
  auto matcher = ValueMatcher::Create(ours, {});
  EXPECT_TRUE(matcher.ok()) << matcher.status();
  for (size_t i = 0; i < theirs.size(); ++i)
    EXPECT_EQ(matcher->Offer(i, theirs[i]), absl::OkStatus());
  std::vector<int> out;
  for (const auto& found : matcher->counterparts())
    out.push_back(found ? static_cast<int>(found->index) : -1);
  return out;
}

TEST(Match, FindsTheNearestOfTheSameShape) {
  const Tensor a = Floats({1, 2, 2}, {1, 2, 3, 4});
  const Tensor b = Floats({4}, {1, 2, 3, 4});
  const Tensor near = Floats({2, 2}, {1, 2, 3.001, 4});
  const Tensor nearer = Floats({2, 1, 2}, {1, 2, 3.0001, 4});
  const Tensor other = Floats({2, 2}, {1, 2, 3.1, 4});
  EXPECT_EQ(Matched({a, b}, {other, near, nearer}), (std::vector<int>{2, -1}));
  EXPECT_EQ(Matched({a, b}, {b, other}), (std::vector<int>{-1, 0}));
  EXPECT_EQ(Matched({a}, {near, near}), (std::vector<int>{0}));
}

TEST(Match, LooksAtElementsBetweenTheSampleToo) {
  std::vector<float> values(1000);
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i % 17);
  const Tensor ours = Floats({10, 100}, values);
  EXPECT_EQ(Matched({ours}, {Floats({10, 100}, values)}), (std::vector<int>{0}));
  values[1] = 9;
  EXPECT_EQ(Matched({ours}, {Floats({10, 100}, values)}), (std::vector<int>{-1}));
}

TEST(Match, AllowsWhatTheLargestElementOfTheWholeAllows) {
  std::vector<float> values(1000, 1), near(1000, 1.5);
  values[1] = near[1] = 1000;  // not in the sample
  EXPECT_EQ(Matched({Floats({1000}, values)}, {Floats({1000}, near)}), (std::vector<int>{0}));
}

TEST(Match, KnowsWhatSaysNothing) {
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  const auto varies = [](const std::vector<float>& values) {
    const Tensor tensor = Floats({static_cast<int64_t>(values.size())}, values);
    auto matcher = ValueMatcher::Create({tensor}, {});
    EXPECT_TRUE(matcher.ok() && matcher->Offer(0, tensor).ok());
    EXPECT_TRUE(matcher->counterparts()[0].has_value());
    return matcher->counterparts()[0]->varies;
  };
  EXPECT_TRUE(varies({1, 2, 3}));
  EXPECT_TRUE(varies({kNan, 2, 3}));
  EXPECT_FALSE(varies({0, 0, 0}));
  EXPECT_FALSE(varies({1000, 1000.5, 1000}));
  EXPECT_FALSE(varies({7}));
  EXPECT_FALSE(varies({}));
  EXPECT_FALSE(varies({kNan, kNan}));
}

TEST(Match, NamesTheFirstThatDiffers) {
  const std::optional<Counterpart> none, some = Counterpart{0, {}, true},
                                         zeros = Counterpart{0, {}, false};
  // A chain: the second is part of an operator of the peer.
  const std::vector<std::vector<size_t>> chain = {{}, {0}, {1}, {2}};
  EXPECT_EQ(FirstDifferent(chain, {some, none, some, some}), std::nullopt);
  EXPECT_EQ(FirstDifferent(chain, {some, none, some, none}), 3U);
  EXPECT_EQ(FirstDifferent(chain, {some, none, none, none}), 1U);
  EXPECT_EQ(FirstDifferent(chain, {none, none, none, none}), 0U);
  // Zeros are no evidence for what they are computed from, and nothing against themselves.
  EXPECT_EQ(FirstDifferent(chain, {some, none, zeros, none}), 1U);
  EXPECT_EQ(FirstDifferent(chain, {some, zeros, zeros, zeros}), std::nullopt);
  // Two branches from one value.
  const std::vector<std::vector<size_t>> fork = {{}, {0}, {0}, {1, 2}};
  EXPECT_EQ(FirstDifferent(fork, {none, some, none, none}), 2U);
  EXPECT_EQ(FirstDifferent(fork, {none, none, some, some}), std::nullopt);
  EXPECT_EQ(FirstDifferent({}, {}), std::nullopt);
}

}  // namespace
}  // namespace lathe::cli
