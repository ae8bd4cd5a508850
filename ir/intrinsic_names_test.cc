// Compares the constants of ir/intrinsic_names.h with the table of intrinsics. This test has its
// own process, because other tests add entries to the table.
#include "ir/intrinsic_names.h"

#include <algorithm>
#include <cctype>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "ir/intrinsic.h"

namespace lathe::ir {
namespace {

// The constants of the header: text by name.
std::map<std::string, std::string> Constants() {
  std::ifstream file("ir/intrinsic_names.h");
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  const std::regex constant(R"re(inline constexpr char (k\w+)\[\] = "(\w+)";)re");
  std::map<std::string, std::string> out;
  for (std::sregex_iterator it(text.begin(), text.end(), constant), end; it != end; ++it)
    EXPECT_TRUE(out.emplace((*it)[1], (*it)[2]).second) << (*it)[1] << " stands there twice";
  return out;
}

// "if_then_else" -> "kIfThenElse".
std::string ConstantOf(const std::string& name) {
  std::string out = "k";
  bool begins = true;
  for (const char c : name) {
    if (c != '_') out += begins ? static_cast<char>(std::toupper(c)) : c;
    begins = c == '_';
  }
  return out;
}

TEST(IntrinsicNames, EachIntrinsicHasOneConstant) {
  const std::map<std::string, std::string> constants = Constants();
  ASSERT_FALSE(constants.empty()) << "the header was not found, or has another form";
  for (const std::string& name : IntrinsicNames()) {
    const auto found = constants.find(ConstantOf(name));
    ASSERT_NE(found, constants.end()) << "`" << name << "` has no constant " << ConstantOf(name);
    EXPECT_EQ(found->second, name);
  }
}

TEST(IntrinsicNames, EachConstantNamesAnIntrinsic) {
  const std::vector<std::string> known = IntrinsicNames();
  for (const auto& [constant, name] : Constants()) {
    if (constant.ends_with("Prefix")) {
      EXPECT_TRUE(std::any_of(known.begin(), known.end(), [text = name](const std::string& one) {
        return one.starts_with(text);
      })) << constant;
    } else {
      EXPECT_NE(FindIntrinsic(name), nullptr) << constant << " names `" << name << "`";
      EXPECT_EQ(constant, ConstantOf(name));
    }
  }
}

// A constant can be used wherever its text is expected.
TEST(IntrinsicNames, StandsForTheText) {
  const Expr call = CallIntrinsic(intrinsic::kExp, {Const(1.0, DataType::Float(32))});
  EXPECT_EQ(As<Call>(call)->op, "exp");
  EXPECT_TRUE(As<Call>(call)->op == intrinsic::kExp);
}

}  // namespace
}  // namespace lathe::ir
