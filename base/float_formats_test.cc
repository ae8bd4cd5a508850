#include "base/float_formats.h"

#include <bit>
#include <cmath>
#include <limits>

#include "gtest/gtest.h"

namespace lathe {
namespace {

const DataType kSmall[] = {
    DataType::Float(16),     DataType::BFloat16(),       {kDLFloat8_e3m4, 8},
    {kDLFloat8_e4m3, 8},     {kDLFloat8_e4m3b11fnuz, 8}, {kDLFloat8_e4m3fn, 8},
    {kDLFloat8_e4m3fnuz, 8}, {kDLFloat8_e5m2, 8},        {kDLFloat8_e5m2fnuz, 8},
    {kDLFloat8_e8m0fnu, 8},
};

TEST(FloatFormats, EveryPatternRoundTrips) {
  for (DataType t : kSmall) {
    for (uint64_t bits = 0; bits < (uint64_t{1} << t.bits()); ++bits) {
      const double value = DecodeFloat(bits, t);
      if (std::isnan(value)) {
        EXPECT_TRUE(std::isnan(DecodeFloat(EncodeFloat(value, t), t))) << t.ToString();
      } else {
        EXPECT_EQ(EncodeFloat(value, t), bits) << t.ToString() << " " << value;
      }
    }
  }
}

// Between two neighbours the nearer one wins, and the midpoint goes to the even pattern.
TEST(FloatFormats, RoundsToNearestEven) {
  for (DataType t : kSmall) {
    const uint64_t positive = uint64_t{1} << (t.code() == kDLFloat8_e8m0fnu ? 8 : t.bits() - 1);
    for (uint64_t bits = 0; bits + 1 < positive; ++bits) {
      const double low = DecodeFloat(bits, t), high = DecodeFloat(bits + 1, t);
      if (!std::isfinite(low) || !std::isfinite(high)) continue;
      const double middle = low + (high - low) / 2;
      EXPECT_EQ(EncodeFloat(middle, t), (bits & 1) != 0 ? bits + 1 : bits) << t.ToString() << bits;
      EXPECT_EQ(EncodeFloat(std::nextafter(middle, low), t), bits) << t.ToString() << bits;
      EXPECT_EQ(EncodeFloat(std::nextafter(middle, high), t), bits + 1) << t.ToString() << bits;
    }
  }
}

TEST(FloatFormats, TopOfTheRange) {
  const DataType e4m3fn(kDLFloat8_e4m3fn, 8);
  EXPECT_EQ(RoundToType(448, e4m3fn), 448);
  EXPECT_EQ(RoundToType(464, e4m3fn), 448);  // the midpoint to the missing 480 rounds down to even
  EXPECT_TRUE(std::isnan(RoundToType(465, e4m3fn)));
  EXPECT_EQ(RoundToType(65519, DataType::Float(16)), 65504);
  EXPECT_TRUE(std::isinf(RoundToType(65520, DataType::Float(16))));
  EXPECT_TRUE(
      std::isnan(RoundToType(std::numeric_limits<double>::infinity(), {kDLFloat8_e4m3fnuz, 8})));
  EXPECT_FALSE(std::signbit(RoundToType(-0.0, {kDLFloat8_e5m2fnuz, 8})));
  EXPECT_TRUE(std::signbit(RoundToType(-0.0, DataType::BFloat16())));
}

TEST(FloatFormats, BFloat16IsTheUpperHalfOfFloat32) {
  for (uint32_t high = 0; high < 0x7f80; high += 7) {
    EXPECT_EQ(DecodeFloat(high, DataType::BFloat16()), std::bit_cast<float>(high << 16));
  }
}

}  // namespace
}  // namespace lathe
