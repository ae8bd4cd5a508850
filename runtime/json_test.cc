#include "runtime/json.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <utility>

#include "runtime/status.h"

namespace lathe::runtime {
namespace {

TEST(Json, ParsesEveryKindAndDumpsItBack) {
  const std::string text =
      R"({"a": [1, -2.5, true, false, null], "b": {"c": "x\"\\\n\u00e9\ud83d\ude00"}, "d": []})";
  const auto json = Json::Parse(text);
  ASSERT_TRUE(json.ok()) << json.status();
  EXPECT_EQ(json->Find("a")->items()[0].int_value(), 1);
  EXPECT_EQ(json->Find("a")->items()[1].number(), -2.5);
  EXPECT_TRUE(json->Find("a")->items()[2].bool_value());
  EXPECT_TRUE(json->Find("a")->items()[4].is_null());
  EXPECT_EQ(json->Find("b")->Find("c")->string(), "x\"\\\n\xc3\xa9\xf0\x9f\x98\x80");
  EXPECT_EQ(json->Find("nothing"), nullptr);
  for (int indent : {0, 2}) {
    const auto again = Json::Parse(json->Dump(indent));
    ASSERT_TRUE(again.ok()) << again.status();
    EXPECT_EQ(again->Dump(), json->Dump());
  }
}

TEST(Json, IntegersStayExact) {
  EXPECT_EQ(Json::Parse("9223372036854775807")->int_value(), INT64_MAX);
  EXPECT_EQ(Json::Parse("-9223372036854775808")->int_value(), INT64_MIN);
  EXPECT_EQ(Json::Parse("9223372036854775808")->kind(), Json::Kind::kDouble);
  EXPECT_EQ(Json(INT64_MIN).Dump(), "-9223372036854775808");
  EXPECT_EQ(Json(std::numeric_limits<double>::infinity()).Dump(), "null");
}

TEST(Json, BuildsObjectsInOrder) {
  Json json = Json::Object();
  json.Set("b", 1).Set("a", Json::Array().Append("x").Append(true)).Set("b", 2);
  EXPECT_EQ(json.Dump(), R"({"b": 2, "a": ["x", true]})");
  EXPECT_EQ(Json("\x01\xff").Dump(), R"("\u0001\ufffd")");
}

TEST(Json, SaysWhereItIsMalformed) {
  const std::pair<std::string, std::string> cases[] = {
      {"", "line 1, column 1: expected a value, found the end"},
      {"{\"a\": 1,\n  2}", "line 2, column 3: expected a key in quotes, found '2'"},
      {"[1 2]", "line 1, column 4: expected ',' or ']', found '2'"},
      {"{\"a\" 1}", "expected ':'"},
      {"{\"a\": 1, \"a\": 2}", "each key once"},
      {"01", "expected a value"},
      {"1.", "expected a digit"},
      {"1e400", "a number that a double can hold"},
      {"tru", "expected a value"},
      {"\"\\x\"", "a sound escape"},
      {"\"\\udc00\"", "a high surrogate first"},
      {"\"\\ud800x\"", "a low surrogate after a high one"},
      {"\"\n\"", "control characters escaped"},
      {"\"\xc0\x80\"", "sound UTF-8"},
      {"\"abc", "a closing quote"},
      {"1 1", "nothing more after the document"},
      {std::string(70, '[') + std::string(70, ']'), "at most 64 levels"},
      {std::string(Json::kMaxBytes + 1, ' '), "more than the 1048576 allowed"},
  };
  for (const auto& [text, expected] : cases) {
    const auto json = Json::Parse(text);
    ASSERT_FALSE(json.ok()) << text.substr(0, 40);
    EXPECT_EQ(StatusName(json.status()), "json-malformed");
    EXPECT_NE(json.status().message().find(expected), std::string_view::npos)
        << json.status().message().substr(0, 200);
  }
}

TEST(Json, RefusesObjectsWithTooManyMembers) {
  std::string text = "{";
  for (int i = 0; i < 10001; ++i) text += (i > 0 ? ",\"" : "\"") + std::to_string(i) + "\":0";
  EXPECT_FALSE(Json::Parse(text + "}").ok());
}

}  // namespace
}  // namespace lathe::runtime
