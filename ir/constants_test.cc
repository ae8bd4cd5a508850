#include "ir/constants.h"

#include "base/error.h"
#include "gtest/gtest.h"
#include "ir/expr.h"

namespace lathe::ir {
namespace {

std::string NameOf(const NodeRef& attribute) {
  try {
    ReadConstant(attribute);
    return "no error";
  } catch (const Error& error) {
    return error.name();
  }
}

TEST(Constants, ReadBackWhatWasMade) {
  const Constant made{DataType::Int(16), {2, 1}, std::string("\x00\xff\x80\x07", 4)};
  const Expr attribute = MakeConstant(made);
  EXPECT_EQ(static_cast<const StringImm&>(*attribute).value, "int16[2, 1]:00ff8007");
  const Constant read = ReadConstant(attribute);
  EXPECT_EQ(read.dtype, made.dtype);
  EXPECT_EQ(read.shape, made.shape);
  EXPECT_EQ(read.bytes, made.bytes);
  EXPECT_EQ(ReadConstant(MakeConstant({DataType::Float(32), {}, "abcd"})).shape.size(), 0u);
  EXPECT_EQ(ReadConstant(MakeConstant({DataType::Float(32), {0, 9}, ""})).bytes, "");
}

TEST(Constants, WhatIsNoneIsRefused) {
  EXPECT_EQ(NameOf(String("int16[2]:00ff8007")), "no error");
  for (const char* text :
       {"", "int16", "int16[2", "int16[2]:00ff80", "int16[2]:00ff800g", "int17x[2]:00ff8007",
        "int16[x]:", "int16[-1]:", "int16[9223372036854775807, 9223372036854775807]:"}) {
    EXPECT_EQ(NameOf(String(text)), "constant-malformed") << text;
  }
  EXPECT_EQ(NameOf(Int(3)), "constant-malformed");
  EXPECT_THROW(MakeConstant({DataType::Int(16), {2}, "abc"}), Error);
}

TEST(Constants, TablesHoldEqualOnesOnce) {
  std::vector<NodeRef> table;
  EXPECT_EQ(IndexOfConstant(&table, String("int8[1]:00")), 0);
  EXPECT_EQ(IndexOfConstant(&table, String("int8[1]:01")), 1);
  EXPECT_EQ(IndexOfConstant(&table, String("int8[1]:00")), 0);
  EXPECT_EQ(ConstantsIn({{"constant.0", table[0]}, {"constant.1", table[1]}, {"x", Int(1)}}).size(),
            2u);
  EXPECT_THROW(ConstantsIn({{"constant.1", table[1]}}), Error);
}

}  // namespace
}  // namespace lathe::ir
