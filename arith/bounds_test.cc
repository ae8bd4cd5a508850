// Exhaustive checks of constant bounds and modular sets against their meaning.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <optional>

#include "arith/const_bound.h"
#include "arith/int_math.h"
#include "arith/modular_set.h"

namespace lathe::arith {
namespace {

using Operation = std::function<std::optional<int64_t>(int64_t, int64_t)>;

std::optional<int64_t> Shift(int64_t b, int64_t value) {
  return b < 0 || b > 62 ? std::nullopt : std::optional<int64_t>(value);
}

// Every interval within [-6, 6], with finite and with infinite ends. Values beyond infinite ends
// are sampled.
TEST(ConstBound, OperationsContainEveryValue) {
  struct Case {
    const char* name;
    ConstBound (*of)(ConstBound, ConstBound);
    Operation exact;
    bool tight;  // finite ends give the smallest interval
  };
  const Case cases[] = {
      {"add", [](ConstBound a, ConstBound b) { return a + b; },
       [](int64_t a, int64_t b) { return a + b; }, true},
      {"sub", [](ConstBound a, ConstBound b) { return a - b; },
       [](int64_t a, int64_t b) { return a - b; }, true},
      {"mul", [](ConstBound a, ConstBound b) { return a * b; },
       [](int64_t a, int64_t b) { return a * b; }, true},
      {"min", MinOf, [](int64_t a, int64_t b) { return std::min(a, b); }, true},
      {"max", MaxOf, [](int64_t a, int64_t b) { return std::max(a, b); }, true},
      {"floordiv", FloorDivOf,
       [](int64_t a, int64_t b) {
         return b == 0 ? std::nullopt : std::optional<int64_t>(FloorDivInt(a, b));
       },
       true},
      {"floormod", FloorModOf,
       [](int64_t a, int64_t b) {
         return b == 0 ? std::nullopt : std::optional<int64_t>(FloorModInt(a, b));
       },
       false},
      {"truncdiv", TruncDivOf,
       [](int64_t a, int64_t b) { return b == 0 ? std::nullopt : std::optional<int64_t>(a / b); },
       true},
      {"truncmod", TruncModOf,
       [](int64_t a, int64_t b) { return b == 0 ? std::nullopt : std::optional<int64_t>(a % b); },
       false},
      {"and", BitAndOf, [](int64_t a, int64_t b) { return a & b; }, false},
      {"shr", ShiftRightOf, [](int64_t a, int64_t b) { return Shift(b, a >> (b & 63)); }, false},
      {"shl", ShiftLeftOf,
       [](int64_t a, int64_t b) {
         return Shift(b, static_cast<int64_t>(static_cast<uint64_t>(a) << (b & 63)));
       },
       false},
  };
  constexpr int kEnd = 6;
  // An end beyond kEnd stands for infinity.
  auto bound = [](int low, int high) {
    return ConstBound{low < -kEnd ? ConstBound::kNegInf : low,
                      high > kEnd ? ConstBound::kPosInf : high};
  };
  for (const Case& c : cases) {
    for (int al = -kEnd - 1; al <= kEnd; ++al) {
      for (int ah = std::max(al, -kEnd); ah <= kEnd + 1; ++ah) {
        for (int bl = -kEnd - 1; bl <= kEnd; ++bl) {
          for (int bh = std::max(bl, -kEnd); bh <= kEnd + 1; ++bh) {
            const ConstBound a = bound(al, ah), b = bound(bl, bh), r = c.of(a, b);
            ConstBound seen = ConstBound::Nothing();
            // Samples infinite ends a little beyond kEnd.
            for (int x = al - (al < -kEnd ? 5 : 0); x <= ah + (ah > kEnd ? 5 : 0); ++x) {
              for (int y = bl - (bl < -kEnd ? 5 : 0); y <= bh + (bh > kEnd ? 5 : 0); ++y) {
                const auto value = c.exact(x, y);
                if (!value) continue;
                seen = Union(seen, ConstBound::Point(*value));
                ASSERT_TRUE(r.Contains(*value))
                    << c.name << " " << a.ToString() << " " << b.ToString() << " is "
                    << r.ToString() << " without " << *value << " of " << x << ", " << y;
              }
            }
            const bool finite = a.has_min() && a.has_max() && b.has_min() && b.has_max();
            if (c.tight && finite && !seen.is_empty()) {
              ASSERT_EQ(r, seen) << c.name << " " << a.ToString() << " " << b.ToString();
            }
          }
        }
      }
    }
  }
}

TEST(ConstBound, SaturatesAtTheEndsOfInt64) {
  const ConstBound huge = ConstBound::Point(INT64_MAX - 1);
  EXPECT_EQ((huge + huge).max, ConstBound::kPosInf);
  EXPECT_EQ((huge * huge).max, ConstBound::kPosInf);
  EXPECT_EQ((huge * ConstBound::Point(-3)).min, ConstBound::kNegInf);
  EXPECT_FALSE((huge + huge).is_point());
  EXPECT_EQ(FloorDivOf(ConstBound::Everything(), ConstBound::Point(2)), ConstBound::Everything());
  EXPECT_EQ(FloorDivOf({-7, ConstBound::kPosInf}, {2, ConstBound::kPosInf}),
            (ConstBound{-4, ConstBound::kPosInf}));
}

TEST(ConstBound, OfTypes) {
  EXPECT_EQ(ConstBound::OfType(DataType::Int(8)), (ConstBound{-128, 127}));
  EXPECT_EQ(ConstBound::OfType(DataType::UInt(8)), (ConstBound{0, 255}));
  EXPECT_EQ(ConstBound::OfType(DataType::UInt(64)), (ConstBound{0, ConstBound::kPosInf}));
  EXPECT_EQ(ConstBound::OfType(DataType::Bool()), (ConstBound{0, 1}));
  EXPECT_EQ(ConstBound::OfType(DataType::Float(32)), ConstBound::Everything());
  EXPECT_EQ(FitInto({0, 300}, DataType::UInt(8)), (ConstBound{0, 255}));
  EXPECT_EQ(FitInto({3, 200}, DataType::UInt(8)), (ConstBound{3, 200}));
  EXPECT_EQ((ConstBound{0, ConstBound::kPosInf}).ToString(), "[0, inf]");
}

TEST(ModularSet, OperationsContainEveryValue) {
  std::vector<ModularSet> sets;
  for (int64_t value = -4; value <= 4; ++value) sets.push_back(ModularSet::Point(value));
  for (int64_t coeff = 1; coeff <= 6; ++coeff) {
    for (int64_t base = 0; base < coeff; ++base) sets.push_back(ModularSet::Of(coeff, base));
  }
  constexpr int64_t kReach = 24;
  for (const ModularSet& a : sets) {
    for (const ModularSet& b : sets) {
      bool empty = false;
      const ModularSet both = Intersect(a, b, &empty), either = Union(a, b);
      bool any = false;
      for (int64_t x = -kReach; x <= kReach; ++x) {
        if (a.Contains(x) || b.Contains(x)) {
          ASSERT_TRUE(either.Contains(x));
        }
        if (a.Contains(x) && b.Contains(x)) {
          any = true;
          ASSERT_TRUE(both.Contains(x)) << a.ToString() << " and " << b.ToString();
        }
        if (!a.Contains(x)) continue;
        for (int64_t y = -kReach; y <= kReach; ++y) {
          if (!b.Contains(y)) continue;
          ASSERT_TRUE((a + b).Contains(x + y));
          ASSERT_TRUE((a - b).Contains(x - y));
          ASSERT_TRUE((a * b).Contains(x * y));
        }
        for (int64_t d = 1; d <= 8; ++d) {
          ASSERT_TRUE(FloorDivOf(a, d).Contains(FloorDivInt(x, d))) << a.ToString() << " // " << d;
          ASSERT_TRUE(FloorModOf(a, d).Contains(FloorModInt(x, d))) << a.ToString() << " % " << d;
          if (a.DivisibleBy(d)) {
            ASSERT_EQ(FloorModInt(x, d), 0);
          }
        }
      }
      // The sets repeat within lcm(6, 5) = 30 < 2 * kReach.
      ASSERT_EQ(empty, !any) << a.ToString() << " and " << b.ToString();
    }
  }
}

}  // namespace
}  // namespace lathe::arith
