#include "ir/constants.h"

#include "base/error.h"
#include "gtest/gtest.h"
#include "ir/binary.h"
#include "ir/module.h"
#include "ir/structural.h"
#include "ir/text/parser.h"
#include "ir/text/printer.h"

namespace lathe::ir {
namespace {

template <class F>
std::string NameOf(F f) {
  try {
    f();
    return "no error";
  } catch (const Error& error) {
    return error.name();
  }
}

ConstantRef Bytes(std::string_view bytes) {
  return MakeConstant(DataType::Int(8), {static_cast<int64_t>(bytes.size())}, Blob::Copy(bytes));
}

Func HolderOf(const ConstantRef& constant) {
  return MakeFunc("f", {}, MakeEvaluate(Int(0)), {{ConstantKey(0), constant}});
}

TEST(Constants, HoldWhatTheyWereMadeOf) {
  const ConstantRef made =
      MakeConstant(DataType::Int(16), {2, 1}, Blob::Copy({"\x00\xff\x80\x07", 4}));
  EXPECT_EQ(ShapeOf(*made), (std::vector<int64_t>{2, 1}));
  EXPECT_EQ(made->data->size(), 4u);
  EXPECT_EQ(ShapeOf(*MakeConstant(DataType::Float(32), {}, Blob::Copy("abcd"))).size(), 0u);
  EXPECT_EQ(MakeConstant(DataType::Float(32), {0, 9}, Blob::Copy(""))->data->size(), 0u);
}

TEST(Constants, DataThatDoesNotFitIsRefused) {
  const std::vector<std::vector<int64_t>> shapes = {
      {2}, {-2}, {INT64_MAX, INT64_MAX}, {INT64_MAX}, {0}};
  for (const std::vector<int64_t>& shape : shapes) {
    EXPECT_EQ(NameOf([&] { MakeConstant(DataType::Int(16), shape, Blob::Copy("abc")); }),
              "constant-size");
  }
}

TEST(Constants, TablesHoldEqualOnesOnce) {
  std::vector<ConstantRef> table;
  EXPECT_EQ(IndexOfConstant(&table, Bytes("a")), 0);
  EXPECT_EQ(IndexOfConstant(&table, Bytes("b")), 1);
  EXPECT_EQ(IndexOfConstant(&table, Bytes("a")), 0);
  // The same bytes with another type are another constant.
  EXPECT_EQ(IndexOfConstant(&table, MakeConstant(DataType::UInt(8), {1}, Blob::Copy("a"))), 2);
  const Dict attrs = {{"constant.0", table[0]}, {"constant.1", table[1]}, {"x", Int(1)}};
  EXPECT_EQ(ConstantsIn(attrs).size(), 2u);
  EXPECT_EQ(WithoutConstants(attrs).size(), 1u);
  EXPECT_EQ(NameOf([&] { ConstantsIn({{"constant.1", table[1]}}); }), "constant-malformed");
  EXPECT_EQ(NameOf([&] { ConstantsIn({{"constant.0", String("a")}}); }), "constant-malformed");
}

TEST(Constants, CompareByContent) {
  EXPECT_TRUE(StructuralEqual(Bytes("same"), Bytes("same")));
  EXPECT_FALSE(StructuralEqual(Bytes("same"), Bytes("sane")));
  EXPECT_EQ(StructuralHash(Bytes("same")), StructuralHash(Bytes("same")));
  EXPECT_NE(StructuralHash(Bytes("same")), StructuralHash(Bytes("sane")));
}

TEST(Constants, SmallDataTravelsWithTheText) {
  std::string text;
  {
    const Func func = HolderOf(Bytes("\x01\x02travels"));
    text = ToText(func);
    EXPECT_EQ(text.substr(0, 12), "given data \"");
  }
  const Func read = ParseFunc(text);  // nothing else holds the data
  EXPECT_EQ(ConstantsIn(read->attrs)[0]->data->bytes(), "\x01\x02travels");
  EXPECT_EQ(ToText(read), text);
}

TEST(Constants, LargeDataIsNamedAlone) {
  const std::string bytes(1 << 20, 'x');
  std::string text;
  {
    const Func func = HolderOf(Bytes(bytes));
    text = ToText(func);
    EXPECT_LT(text.size(), 300u);
    EXPECT_TRUE(StructuralEqual(ParseFunc(text), func));  // found in this process
    EXPECT_LT(EncodeNode(func).size(), 300u);
    EXPECT_TRUE(StructuralEqual(DecodeNode(EncodeNode(func)), func));
    EXPECT_GT(ToText(func, {.max_data = bytes.size()}).size(), 2 * bytes.size());
  }
  EXPECT_EQ(NameOf([&] { ParseFunc(text); }), "constant-not-here");
}

TEST(Constants, DataThatWentIsMissedByReadersOfBytes) {
  const std::string encoded = EncodeNode(HolderOf(Bytes("short-lived data")));
  EXPECT_EQ(NameOf([&] { DecodeNode(encoded); }), "constant-not-here");
}

TEST(Constants, DamagedTextIsRefused) {
  std::string text = ToText(HolderOf(Bytes("damaged")));
  const size_t at = text.find("\" \"") + 3;
  std::string other = text;
  other[at] = other[at] == '0' ? '1' : '0';
  EXPECT_EQ(NameOf([&] { ParseFunc(other); }), "text-ill-formed");
  other[at] = 'g';
  EXPECT_EQ(NameOf([&] { ParseFunc(other); }), "text-bad-token");
}

}  // namespace
}  // namespace lathe::ir
