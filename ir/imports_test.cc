#include "ir/imports.h"

#include "base/error.h"
#include "gtest/gtest.h"
#include "ir/binary.h"
#include "ir/structural.h"
#include "ir/text/parser.h"
#include "ir/text/printer.h"

namespace lathe::ir {
namespace {

Func Empty(const std::string& name, Dict attrs) {
  return MakeFunc(name, {}, MakeEvaluate(Int(0)), std::move(attrs));
}

TEST(Imports, EachOnceInOrder) {
  Dict attrs;
  // Eleven imports, so that the numbers are not in the order of their texts.
  for (int i = 0; i < 11; ++i) AddImport(&attrs, {"c", "int f" + std::to_string(i) + ";"});
  AddImport(&attrs, {"c", "int f3;"});
  AddImport(&attrs, {"llvm", "declare void @f()"});
  const std::vector<std::string> sources = ImportsOf(attrs, "c");
  ASSERT_EQ(sources.size(), 11u);
  for (size_t i = 0; i < 11; ++i) EXPECT_EQ(sources[i], "int f" + std::to_string(i) + ";");
  EXPECT_EQ(ImportsIn(attrs).back(), (Import{"llvm", "declare void @f()"}));
  EXPECT_TRUE(WithoutImports(attrs).empty());
  // Also after a gap in the numbers.
  Dict gap = {{"import_c.1", String("int b;")}};
  AddImport(&gap, {"c", "int a;"});
  EXPECT_EQ(ImportsOf(gap, "c").size(), 2u);
}

TEST(Imports, OfFunctionsBecomeTheModules) {
  Dict first = {{"is_entry", Bool(true)}}, second;
  AddImport(&first, {"c", "int a;"});
  AddImport(&second, {"c", "int b;"});
  AddImport(&second, {"c", "int a;"});
  const Module module = MakeModule({Empty("f", first), Empty("g", second), Empty("h", {})});
  const Module gathered = GatherImports(module);
  EXPECT_EQ(ImportsOf(gathered->attrs, "c"), (std::vector<std::string>{"int a;", "int b;"}));
  for (const Func& func : gathered->functions) EXPECT_TRUE(ImportsIn(func->attrs).empty());
  EXPECT_EQ(gathered->functions[0]->attrs.count("is_entry"), 1u);
  EXPECT_TRUE(GatherImports(gathered).same_as(gathered));
  // After a round trip through text and through bytes.
  for (const Module& read : {ParseModule(ToText(gathered)), DecodeModule(EncodeModule(gathered))})
    EXPECT_TRUE(StructuralEqual(read, gathered));
}

TEST(Imports, WhatIsNoneIsRefused) {
  for (const Dict& attrs : {Dict{{"import_c", String("int a;")}}, Dict{{"import_c.0", Int(1)}},
                            Dict{{"import_.0", String("")}}, Dict{{"import_c.x", String("")}}}) {
    try {
      ImportsIn(attrs);
      FAIL();
    } catch (const Error& error) {
      EXPECT_EQ(error.diagnostic().name, "import-malformed");
    }
  }
}

}  // namespace
}  // namespace lathe::ir
