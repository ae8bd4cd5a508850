// Limits and options of the text form, positions in source text, and errors that no file test can
// cause. tests/file_test/testdata shows what texts look like.

#include <gtest/gtest.h>

#include <string>

#include "base/error.h"
#include "ir/structural.h"
#include "ir/text/parser.h"
#include "ir/text/printer.h"
#include "ir/walk.h"

namespace lathe::ir {
namespace {

template <class F>
std::string ErrorOf(F run) {
  try {
    run();
  } catch (const Error& error) {
    return error.name();
  }
  return "";
}

std::string Repeat(const std::string& text, int times) {
  std::string out;
  for (int i = 0; i < times; ++i) out += text;
  return out;
}

TEST(Text, NegativeExtentsAreADiagnostic) {
  for (const char* program : {"program p {\n  placeholder A: float32[-1]\n  args [A]\n}\n",
                              "program p {\n  compute A[i in range(-3)] = 1.0\n  args [A]\n}\n"}) {
    EXPECT_EQ(ErrorOf([&] { ParseProgram(program); }), "shape-negative") << program;
  }
  EXPECT_EQ(
      ErrorOf([] { ParseProgram("program p {\n  placeholder A: float32[0]\n  args [A]\n}\n"); }),
      "");
}

TEST(TextLimits, DeepNestingIsADiagnostic) {
  constexpr int kDeep = 100000;
  for (const std::string& text :
       {Repeat("(", kDeep), Repeat("not ", kDeep), Repeat("-", kDeep), Repeat("min(1, ", kDeep),
        Repeat("exp(", kDeep), Repeat("Not(dtype=bool, a=", kDeep), "1" + Repeat(" + (1", kDeep),
        Repeat("(let x = ", kDeep), Repeat("let x = 1 in ", kDeep), Repeat("float32(", kDeep),
        Repeat("sum(", kDeep), Repeat("f<int32>({a = ", kDeep), Repeat("f<int32>(stmt {", kDeep)}) {
    EXPECT_EQ(ErrorOf([&] { ParseExpr(text); }), "text-too-deep") << text.substr(0, 20);
  }
  for (const std::string& text :
       {Repeat("{", kDeep), Repeat("if true {", kDeep), Repeat("seq {", kDeep),
        Repeat("for i in range(2) {", kDeep), Repeat("while true {", kDeep)}) {
    EXPECT_EQ(ErrorOf([&] { ParseStmt(text); }), "text-too-deep") << text.substr(0, 20);
  }
}

TEST(TextLimits, FiveHundredLevelsWork) {
  EXPECT_TRUE(ParseExpr(Repeat("(", 500) + "1" + Repeat(")", 500)));
  EXPECT_TRUE(ParseStmt(Repeat("if true {", 500) + Repeat("}", 500)));
}

TEST(TextLimits, ChainsOfAnyLengthWork) {
  EXPECT_TRUE(ParseExpr("1" + Repeat(" + 1", 50000)));
  const Stmt lets = ParseStmt(Repeat("let x = 1\n", 50000) + "evaluate x");
  EXPECT_TRUE(StructuralEqual(lets, ParseStmt(ToText(lets))));
  std::string chain = "if true {}";
  for (int i = 0; i < 20000; ++i) chain += " else if true {}";
  EXPECT_TRUE(ParseStmt(chain));
}

TEST(TextLimits, DeepNodesPrint) {
  Stmt stmt = Nop();
  for (int i = 0; i < 20000; ++i)
    stmt = MakeFor(MakeVar("i"), Int(0), Int(2), ForKind::kSerial, stmt);
  const std::string text = ToText(stmt);
  EXPECT_EQ(ErrorOf([&] { ParseStmt(text); }), "text-too-deep");
}

TEST(TextLimits, HugeTextsOfSmallGraphs) {
  Expr e = MakeVar("x");
  for (int i = 0; i < 60; ++i) e = MakeBinary(NodeKind::kAdd, e, e);
  PrintOptions options;
  options.max_bytes = 100000;
  EXPECT_EQ(ErrorOf([&] { ToText(e, options); }), "text-too-large");
}

TEST(TextLimits, DeepGraphsAreADiagnostic) {
  constexpr int kDeep = 100000;
  for (const std::string& text :
       {Repeat("graph f(%x) { %0 = ", 1) + Repeat("if %x { %0 = ", kDeep),
        "graph f(%x) { %0 = " + Repeat("graph(%y) { %1 = ", kDeep),
        "graph f(%x) { %0 = " + Repeat("loop () while { %1 = ", kDeep),
        "graph f(%x) { %0 = " + Repeat("match %x { A.B => { %1 = ", kDeep),
        "graph f(%x: " + Repeat("(", kDeep), "graph f(%x: " + Repeat("fn() -> ", kDeep),
        "graph f(%x) { %0 = a(b=" + Repeat("[", kDeep), "type T { A(" + Repeat("fn(", kDeep)}) {
    EXPECT_EQ(ErrorOf([&] { ParseGraphModule(text); }), "text-too-deep") << text.substr(0, 40);
  }
  const std::string deep = "graph f(%x) { " + Repeat("%0 = if %x { ", 500) + "return %x" +
                           Repeat("} else { return %x } return %0 ", 500) + "}";
  const GraphModule module = ParseGraphModule(deep);
  EXPECT_TRUE(StructuralEqual(module, ParseGraphModule(ToText(module))));
}

TEST(TextLimits, GraphsOfManyBindingsAreLists) {
  std::string text = "graph f(%0: float32[n]) {\n";
  for (int i = 1; i <= 10000; ++i)
    text += "  %" + std::to_string(i) + " = relu(%" + std::to_string(i - 1) + ")\n";
  text += "  return %10000\n}\n";
  const GraphModule module = ParseGraphModule(text);
  EXPECT_EQ(ToText(module), "graph module\n\n" + text);
  // Equal names get suffixes, missing names numbers.
  for (const char* name : {"x", ""}) {
    GraphVar last = MakeGraphVar(name);
    Ref<GraphFunc> func = Make<GraphFunc>();
    func->name = "f";
    func->params = {last};
    List<GraphBinding> bindings;
    for (int i = 0; i < 10000; ++i) {
      Ref<GraphTuple> tuple = Make<GraphTuple>();
      tuple->fields = {last};
      last = MakeGraphVar(name);
      bindings.push_back(Bind(last, tuple));
    }
    func->body = MakeGraphBlock(std::move(bindings), last);
    Ref<GraphModuleNode> made = Make<GraphModuleNode>();
    made->functions = {func};
    EXPECT_TRUE(StructuralEqual(GraphModule(made), ParseGraphModule(ToText(GraphModule(made)))));
  }
}

TEST(TextLimits, DeepGraphsPrint) {
  const GraphVar x = MakeGraphVar("x");
  Ref<const GraphBlock> block = MakeGraphBlock({}, x);
  NodeRef type = MakeTensorType(DataType::Float(32), {});
  for (int i = 0; i < 5000; ++i) {
    Ref<GraphIf> branch = Make<GraphIf>();
    branch->condition = x;
    branch->then_block = block;
    branch->else_block = MakeGraphBlock({}, x);
    Ref<TupleType> tuple = Make<TupleType>();
    tuple->fields = {type};
    type = tuple;
    const GraphVar var = MakeGraphVar("y");
    block = MakeGraphBlock({Bind(var, branch)}, var);
  }
  EXPECT_NE(ToText(block), "");
  EXPECT_NE(ToText(type), "");
}

TEST(TextGraphs, PartsReadBack) {
  for (const char* text :
       {"float32[]", "float32[3, 4]", "()", "(float32[],)", "(float32[2], (List, int8[]))",
        "fn() -> float32[]", "fn(float32[2], fn() -> List) -> (List,)",
        "type List { Nil, Cons(List) }", "type Never {}", "TypeRef(name=\"List\")"}) {
    EXPECT_EQ(ToText(ParseNode(text)), text);
  }
  // Expressions that begin as types and functions do.
  for (const char* text : {"(a + b) * c", "graph % type", "fn + 1", "type % fn"}) {
    EXPECT_EQ(ToText(ParseExpr(text, "t",
                               {MakeVar("a"), MakeVar("b"), MakeVar("c"), MakeVar("fn"),
                                MakeVar("graph"), MakeVar("type")})),
              text);
  }
  PrintOptions options;
  options.declare_free = true;
  const char* line = "given value %x: float32[3]\n%y: float32[3] = relu(%x)\n";
  EXPECT_EQ(ToText(ParseNode(line), options), line);
  const GraphVar x = MakeGraphVar("x");
  const NodeRef use = ParseNode("%y = relu(%x)", "free", {x});
  EXPECT_TRUE(As<GraphCall>(As<GraphBinding>(use)->value)->args[0].same_as(x));
}

TEST(TextPlaces, NodesKnowWhereTheyStand) {
  const Stmt stmt = ParseStmt("\n  for i in range(4) {\n    evaluate i * 2\n  }");
  EXPECT_EQ(stmt->span.line, 2u);
  EXPECT_EQ(stmt->span.column, 3u);
  const auto& evaluate = *As<Evaluate>(As<For>(stmt)->body);
  EXPECT_EQ(evaluate.span.line, 3u);
  EXPECT_EQ(evaluate.value->span.line, 3u);
  EXPECT_EQ(evaluate.value->span.column, 14u);
}

TEST(TextPlaces, ColumnsCountCharacters) {
  try {
    ParseExpr("\"\xc3\xa9\xc3\xa9\" oops", "place.txt");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.diagnostic().where.file, "place.txt");
    EXPECT_EQ(error.diagnostic().where.column, 6);
  }
}

TEST(TextOptions, ShortFormAndColor) {
  const Expr e = ParseExpr("given var x: int64\nx + 3i64");
  PrintOptions brief;
  brief.short_form = true;
  EXPECT_EQ(ToText(e, brief), "x + 3");
  PrintOptions color;
  color.color = true;
  EXPECT_EQ(ToText(e, color), "x + \x1b[35m3i64\x1b[0m");
}

TEST(TextOptions, FreeThingsAreGiven) {
  const Buffer a = MakeBuffer("A", DataType::Float(32), {MakeSizeVar("n")});
  const Expr load = MakeLoad(a, {MakeVar("n")});
  PrintOptions options;
  options.declare_free = true;
  EXPECT_EQ(ToText(load, options),
            "given var n: size\ngiven buffer A: float32[n]\ngiven var n_1: int32\nA[n_1]\n");
}

TEST(TextFree, NamesComeFromTheCaller) {
  const Var n = MakeVar("n");
  const Buffer a = MakeBuffer("A", DataType::Float(32), {n});
  const Expr e = ParseExpr("A[n + 1]", "free", {n, a});
  EXPECT_TRUE(As<Load>(e)->source.same_as(NodeRef(a)));
  EXPECT_EQ(ErrorOf([&] { ParseExpr("B[n]", "free", {n, a}); }), "text-unknown-name");
}

TEST(TextConstants, ReadBackBitForBit) {
  for (const char* text : {"1.0",
                           "0.1",
                           "-0.0",
                           "3.4028235e+38",
                           "1e-45",
                           "0.1f64",
                           "5e-324f64",
                           "inf",
                           "-inf<float64>",
                           "nan",
                           "nan<float64, 0xfff8000000000001>",
                           "1.5f16",
                           "1.5bf16",
                           "448.0_float8_e4m3fn",
                           "-9223372036854775808i64",
                           "18446744073709551615u64",
                           "-2147483648",
                           "7i4",
                           "1u1",
                           "true"}) {
    EXPECT_EQ(ToText(ParseExpr(text)), text);
  }
  for (const char* text : {"2147483648", "256u8", "-1u8", "9223372036854775808i64", "1e400f64",
                           "1e39", "0x10", "1.5i64", "8i4", "nan<float32, 0x1>"}) {
    EXPECT_EQ(ErrorOf([&] { ParseExpr(text); }), "text-bad-number") << text;
  }
}

}  // namespace
}  // namespace lathe::ir
