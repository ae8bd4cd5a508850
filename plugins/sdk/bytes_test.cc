#include "plugins/sdk/bytes.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

namespace lathe::sdk {
namespace {

std::string NameOfFailure(const std::string& bytes) {
  try {
    Reader reader("MAG1", bytes);
    reader.Text();
    reader.Ints();
  } catch (const Error& error) {
    return error.name();
  }
  return "";
}

TEST(Bytes, RoundTrip) {
  Writer writer("MAG1");
  writer.Text("name");
  writer.Ints({0, -1, INT64_MIN, INT64_MAX});
  const std::string bytes = writer.Take();
  Reader reader("MAG1", bytes);
  EXPECT_EQ(reader.Text(), "name");
  EXPECT_EQ(reader.Ints(), (Words{0, -1, INT64_MIN, INT64_MAX}));
  EXPECT_TRUE(reader.done());
}

TEST(Bytes, WhatDoesNotFitIsDamaged) {
  Writer writer("MAG1");
  writer.Text("name");
  writer.Ints({1, 2, 3});
  const std::string bytes = writer.Take();
  EXPECT_EQ(NameOfFailure(bytes), "");
  for (size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_EQ(NameOfFailure(bytes.substr(0, size)), "module-damaged") << size;
  }
  EXPECT_EQ(NameOfFailure("XXXX" + bytes.substr(4)), "module-damaged");
  // A length beyond the possible maximum, or a negative one, allocates nothing.
  for (const unsigned char high : {0x7f, 0x80, 0xff}) {
    std::string huge = bytes;
    huge[11] = static_cast<char>(high);
    EXPECT_EQ(NameOfFailure(huge), "module-damaged");
  }
}

TEST(Bytes, AModuleOfWordsHasItsFunctions) {
  const std::string bytes = SaveWordFunctions("MAG1", {{"f", {1, 2}}, {"g", {}}});
  const auto module = WordModuleLoader("MAG1", [](const Words& words, const Args&) {
    return Value(static_cast<int64_t>(words.size()));
  })(bytes);
  EXPECT_EQ(module->GetFunction("f")(Args(nullptr, 0)).raw().v_int, 2);
  EXPECT_EQ(module->GetFunction("g")(Args(nullptr, 0)).raw().v_int, 0);
  EXPECT_FALSE(module->GetFunction("h"));
  EXPECT_EQ(module->Save(), bytes);
  EXPECT_EQ(module->Describe("metadata"), "");
}

TEST(Bytes, AModuleOfWordsKeepsItsMetadata) {
  const std::string bytes = SaveWordFunctions("MAG1", {{"f", {1}}}, R"({"lathe": 1})");
  const auto module =
      WordModuleLoader("MAG1", [](const Words&, const Args&) { return Value(); })(bytes);
  EXPECT_TRUE(module->GetFunction("f"));
  EXPECT_FALSE(module->GetFunction(""));
  EXPECT_EQ(module->Describe("metadata"), R"({"lathe": 1})");
  EXPECT_EQ(module->Describe("source"), "");
  EXPECT_EQ(module->Save(), bytes);
}

}  // namespace
}  // namespace lathe::sdk
