#include "tune/split_candidates.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "runtime/status.h"

namespace lathe::tune {
namespace {

using Splits = std::vector<std::vector<int64_t>>;

Splits Of(int64_t length, SplitOptions options = {}) { return *SplitCandidates(length, options); }

TEST(SplitCandidates, Policies) {
  EXPECT_EQ(Of(12), (Splits{{1}, {2}, {3}, {4}, {6}, {12}}));
  EXPECT_EQ(Of(4, {.parts = 3}), (Splits{{1, 1}, {1, 2}, {1, 4}, {2, 1}, {2, 2}, {4, 1}}));
  EXPECT_EQ(Of(12, {.policy = SplitPolicy::kPower2, .no_tail = false}),
            (Splits{{1}, {2}, {4}, {8}}));
  EXPECT_EQ(Of(12, {.policy = SplitPolicy::kPower2}), (Splits{{1}, {2}, {4}}));
  EXPECT_EQ(Of(12, {.policy = SplitPolicy::kVerbose, .no_tail = false}),
            (Splits{{1}, {2}, {3}, {4}, {6}, {8}, {12}}));
  EXPECT_EQ(Of(12, {.max_factor = 4}), (Splits{{1}, {2}, {3}, {4}}));
  EXPECT_EQ(Of(12, {.parts = 1}), (Splits{{}}));
  EXPECT_EQ(Of(1, {.parts = 4}), (Splits{{1, 1, 1}}));
  EXPECT_EQ(Of(7), (Splits{{1}, {7}}));
}

// Against trying all numbers.
TEST(SplitCandidates, NoneIsMissingAndNoneIsTwice) {
  for (int64_t length = 1; length <= 40; ++length) {
    for (const bool no_tail : {true, false}) {
      for (const SplitPolicy policy :
           {SplitPolicy::kFactors, SplitPolicy::kPower2, SplitPolicy::kVerbose}) {
        const auto may = [&](int64_t factor) {
          const bool divides = length % factor == 0, power = (factor & (factor - 1)) == 0;
          return (policy != SplitPolicy::kPower2 && divides) ||
                 (policy != SplitPolicy::kFactors && power);
        };
        Splits all;
        for (int64_t a = 1; a <= length; ++a) {
          for (int64_t b = 1; b <= length; ++b) {
            if (may(a) && may(b) && a * b <= length && (!no_tail || length % (a * b) == 0))
              all.push_back({a, b});
          }
        }
        EXPECT_EQ(Of(length, {.policy = policy, .parts = 3, .no_tail = no_tail}), all) << length;
      }
    }
  }
}

TEST(SplitCandidates, WhatCannotBeSplit) {
  const auto name = [](int64_t length, SplitOptions options) {
    const absl::Status status = SplitCandidates(length, options).status();
    return std::string(runtime::StatusName(status));
  };
  EXPECT_EQ(name(0, {}), "tune-split");
  EXPECT_EQ(name(-4, {}), "tune-split");
  EXPECT_EQ(name(4, {.parts = 0}), "tune-split");
  EXPECT_EQ(name(4, {.parts = 17}), "tune-split");
  EXPECT_EQ(name(int64_t{1} << 62, {}), "tune-split");
  EXPECT_EQ(name(int64_t{1} << 40, {.parts = 9}), "tune-split") << "more than a million";
  EXPECT_EQ(Of(int64_t{1} << 40).size(), 41u);
}

}  // namespace
}  // namespace lathe::tune
