#include "target/target_text.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace lathe::target {
namespace {

TEST(TargetText, ParsesAndPrintsSorted) {
  const TargetText target =
      ParseTargetText("llvm  -mtriple=x86_64-linux-gnu --mcpu=znver4 -mattr=+avx512f,+fma -flag");
  EXPECT_EQ(target.kind, "llvm");
  EXPECT_EQ(target.Get("mcpu"), "znver4");
  EXPECT_EQ(target.GetList("mattr"), (std::vector<std::string>{"+avx512f", "+fma"}));
  EXPECT_TRUE(target.GetFlag("flag"));
  EXPECT_EQ(target.GetInt("absent", 7), 7);
  EXPECT_EQ(target.ToString(),
            "llvm -flag=1 -mattr=+avx512f,+fma -mcpu=znver4 -mtriple=x86_64-linux-gnu");
}

TEST(TargetText, QuotesRoundTrip) {
  const TargetText target = ParseTargetText(R"(cuda -host="llvm -mcpu=\"x y\"" -empty="")");
  EXPECT_EQ(target.Get("host"), R"(llvm -mcpu="x y")");
  EXPECT_EQ(target.attributes.count("empty"), 1u);
  EXPECT_EQ(ParseTargetText(target.ToString()).ToString(), target.ToString());
  EXPECT_EQ(ParseTargetText(target.ToString()).attributes, target.attributes);
}

TEST(TargetText, MalformedIsNamedWithItsColumn) {
  const std::pair<const char*, int> cases[] = {
      {"", 1},
      {"   ", 4},
      {"-mcpu=x", 1},
      {"llvm mcpu=x", 6},
      {"llvm -=x", 7},
      {"llvm -a=\"b", 11},
      {"llvm -a=b\"c", 10},
      {"llvm -a -a", 9},
      {"llvm -a=1 -a=2", 11},
      {"llvm -a$=2", 8},
      {"llvm ---a", 10},
  };
  for (const auto& [text, column] : cases) {
    try {
      ParseTargetText(text);
      ADD_FAILURE() << text;
    } catch (const Error& error) {
      EXPECT_EQ(error.name(), "target-malformed") << text;
      EXPECT_EQ(error.diagnostic().where.column, column) << text;
    }
  }
  EXPECT_THROW(ParseTargetText("llvm -a=" + std::string(70000, 'x')), Error);
}

}  // namespace
}  // namespace lathe::target
