// The functional language: data types, matches, recursion, functions as values.
#include <functional>

#include "base/error.h"
#include "graph/builder.h"
#include "graph/datatypes.h"
#include "graph/infer.h"
#include "graph/interpreter/interpreter.h"
#include "gtest/gtest.h"
#include "ir/structural.h"
#include "ir/text/parser.h"
#include "ir/text/printer.h"
#include "ir/verify_graph.h"

namespace lathe::graph {
namespace {

using runtime::Tensor;

// Lists of float32[], and functions over them.
constexpr char kLists[] = R"(
type List { Nil, Cons(float32[], List) }
graph map(%f: fn(float32[]) -> float32[], %l: List) -> List {
  %0 = match %l {
    List.Nil => { return %l }
    List.Cons(%h, %t) => {
      %1 = %f(%h)
      %2 = @map(%f, %t)
      %3 = new List.Cons(%1, %2)
      return %3
    }
  }
  return %0
}
graph fold(%f: fn(float32[], float32[]) -> float32[], %z: float32[], %l: List) -> float32[] {
  %0 = match %l {
    List.Nil => { return %z }
    List.Cons(%h, %t) => {
      %1 = %f(%z, %h)
      %2 = @fold(%f, %1, %t)
      return %2
    }
  }
  return %0
}
graph count(%n: float32[], %l: List) -> List {
  %zero = zeros(shape=[], dtype="float32")
  %one = ones(shape=[], dtype="float32")
  %more = greater(%n, %zero)
  %0 = if %more {
    %1 = subtract(%n, %one)
    %2 = new List.Cons(%n, %l)
    %3 = @count(%1, %2)
    return %3
  } else { return %l }
  return %0
}
)";

ir::GraphModule Module(const std::string& text) {
  const ir::GraphModule parsed = ir::ParseGraphModule(text);
  ir::VerifyGraph(parsed);
  ir::GraphModule typed = InferTypes(parsed);
  ir::VerifyGraph(typed);
  return typed;
}

Tensor Scalar(float value) {
  return Tensor::FromHost(&value, sizeof(value), std::vector<int64_t>{}, DataType::Float(32))
      .value();
}
float FloatOf(const GraphValue& value) {
  return *static_cast<const float*>(value.tensor.dl().data);
}

Diagnostic ErrorOf(const std::function<void()>& run) {
  try {
    run();
  } catch (const Error& error) {
    return error.diagnostic();
  }
  ADD_FAILURE() << "no error";
  return {};
}

TEST(Language, MapAndFoldOverAList) {
  const ir::GraphModule module = Module(std::string(kLists) + R"(
graph main(%n: float32[], %k: float32[]) -> float32[] {
  %nil = new List.Nil()
  %l = @count(%n, %nil)
  %scale = graph(%a: float32[]) { %0 = multiply(%a, %k) return %0 }
  %add = graph(%a: float32[], %b: float32[]) { %0 = add(%a, %b) return %0 }
  %m = @map(%scale, %l)
  %z = zeros(shape=[], dtype="float32")
  %s = @fold(%add, %z, %m)
  return %s
})");
  EXPECT_EQ(FloatOf(Interpret(module, "main", {Scalar(4), Scalar(10)})), 100);
  // The text reads back with its types.
  EXPECT_EQ(ir::ToText(Module(ir::ToText(module))), ir::ToText(module));
}

TEST(Language, DeepRecursionWorks) {
  const ir::GraphModule module = Module(std::string(kLists) + R"(
graph same(%a: float32[]) -> float32[] { return %a }
graph main(%n: float32[]) -> List {
  %nil = new List.Nil()
  %l = @count(%n, %nil)
  %same = graph(%a: float32[]) { return %a }
  %m = @map(%same, %l)
  return %m
})");
  // With an operator per element this would take long: the list is made here.
  GraphValue list = MakeGraphData("List.Nil", {});
  for (int i = 0; i < 10000; ++i)
    list = MakeGraphData("List.Cons", {Scalar(static_cast<float>(i)), list});
  const ir::GraphModule copies = Module(std::string(kLists) + R"(
graph main(%l: List) -> List {
  %same = graph(%a: float32[]) { return %a }
  %m = @map(%same, %l)
  return %m
})");
  GraphValue copy = Interpret(copies, "main", {list});
  EXPECT_EQ(copy.data().constructor, "List.Cons");
  EXPECT_EQ(FloatOf(copy.data().fields[0]), 9999);
  int length = 0;
  for (const GraphValue* at = &copy; at->data().constructor == "List.Cons";
       at = &at->data().fields[1])
    ++length;
  EXPECT_EQ(length, 10000);
  EXPECT_EQ(Interpret(module, "main", {Scalar(3)}).data().constructor, "List.Cons");
}

TEST(Language, TenThousandLayersAreAList) {
  Builder builder("main");
  ir::GraphVar x = builder.Input("x", DataType::Float(32), {});
  for (int i = 0; i < 10000; ++i) x = builder.Call("negative", {x});
  Ref<ir::GraphModuleNode> module = Make<ir::GraphModuleNode>();
  module->functions = {builder.Finish(x)};
  const ir::GraphModule typed = InferTypes(ir::GraphModule(module));
  ir::VerifyGraph(typed);
  EXPECT_EQ(FloatOf(Interpret(typed, "main", {Scalar(3)})), 3);
}

TEST(Language, ACycleIsRefused) {
  // %a = negative(%b); %b = negative(%a), put together by hand.
  const ir::GraphVar x = ir::MakeGraphVar("x", ir::MakeTensorType(DataType::Float(32), {}));
  const ir::GraphVar a = ir::MakeGraphVar("a"), b = ir::MakeGraphVar("b");
  const auto negative = [](const ir::GraphVar& of) {
    Ref<ir::GraphCall> call = Make<ir::GraphCall>();
    call->op = "negative";
    call->args = {of};
    return call;
  };
  Ref<ir::GraphFunc> func = Make<ir::GraphFunc>();
  func->name = "main";
  func->params = {x};
  func->body = ir::MakeGraphBlock({ir::Bind(a, negative(b)), ir::Bind(b, negative(a))}, b);
  Ref<ir::GraphModuleNode> module = Make<ir::GraphModuleNode>();
  module->functions = {func};
  const Diagnostic error = ErrorOf([&] { ir::VerifyGraph(ir::GraphModule(module)); });
  EXPECT_EQ(error.name, "verify-undefined");
  EXPECT_NE(error.message.find("`%b`"), std::string::npos) << error.message;
  EXPECT_EQ(ErrorOf([&] { InferTypes(ir::GraphModule(module)); }).name, "graph-type");
}

TEST(Language, RecursionWithoutEndNamesTheFunction) {
  const ir::GraphModule module = Module(R"(
graph odd(%x: float32[]) -> float32[] { %0 = @even(%x) return %0 }
graph even(%x: float32[]) -> float32[] { %0 = @odd(%x) return %0 }
)");
  const Diagnostic error = ErrorOf([&] { Interpret(module, "even", {Scalar(1)}); });
  EXPECT_EQ(error.name, "graph-call-depth");
  EXPECT_NE(error.message.find("`@even`"), std::string::npos) << error.message;
}

TEST(Language, AClosureKeepsWhatItSees) {
  const ir::GraphModule module = Module(R"(
graph adder(%k: float32[n]) -> fn(float32[n]) -> float32[n] {
  %0 = graph(%a: float32[n]) { %1 = add(%a, %k) return %1 }
  return %0
}
graph main(%x: float32[2], %y: float32[2]) -> float32[2] {
  %f = @adder(%y)
  %g = @adder(%x)
  %0 = %f(%x)
  %1 = %g(%0)
  return %1
})");
  const float two[] = {1, 2}, ten[] = {10, 20};
  const Tensor x = Tensor::FromHost(two, 8, std::vector<int64_t>{2}, DataType::Float(32)).value();
  const Tensor y = Tensor::FromHost(ten, 8, std::vector<int64_t>{2}, DataType::Float(32)).value();
  EXPECT_EQ(FloatOf(Interpret(module, "main", {x, y})), 12);
}

TEST(Language, AChainOfClosuresIsFreedWithoutRecursion) {
  // Each function of the chain calls the one before.
  const ir::GraphModule module = Module(R"(
graph chain(%n: int32[], %f: fn(float32[]) -> float32[]) -> fn(float32[]) -> float32[] {
  %zero = zeros(shape=[], dtype="int32")
  %one = ones(shape=[], dtype="int32")
  %more = greater(%n, %zero)
  %0 = if %more {
    %1 = subtract(%n, %one)
    %g = graph(%a: float32[]) { %2 = %f(%a) return %2 }
    %3 = @chain(%1, %g)
    return %3
  } else { return %f }
  return %0
}
graph main(%n: int32[], %x: float32[]) -> float32[] {
  %id = graph(%a: float32[]) { return %a }
  %f = @chain(%n, %id)
  %0 = %f(%x)
  return %0
})");
  const int32_t rounds = 3000;
  const Tensor n = Tensor::FromHost(&rounds, 4, std::vector<int64_t>{}, DataType::Int(32)).value();
  EXPECT_EQ(FloatOf(Interpret(module, "main", {n, Scalar(7)})), 7);
}

TEST(Language, WrongTypesNameTheConstructor) {
  const auto main_of = [](const std::string& body) {
    return ErrorOf([&] {
      InferTypes(
          ir::ParseGraphModule("type List { Nil, Cons(float32[], List) }\n"
                               "graph main(%x: float32[2], %l: List) -> List {" +
                               body + "}"));
    });
  };
  Diagnostic error = main_of("%0 = new List.Cons(%x, %l) return %0");
  EXPECT_EQ(error.name, "graph-type");
  EXPECT_EQ(error.message, "field 0 of `List.Cons` has the wrong type");
  EXPECT_EQ(error.expected, "float32[]");
  EXPECT_EQ(error.found, "float32[2]");
  error = main_of("%0 = new List.Con(%x, %l) return %0");
  EXPECT_EQ(error.name, "graph-datatype");
  EXPECT_EQ(error.help, "did you mean `List.Cons` or `List.Nil`?");
  error = main_of("%0 = match %l { List.Nil => { return %l } } return %0");
  EXPECT_EQ(error.name, "graph-match-missing");
  EXPECT_EQ(error.found, "no case for `List.Cons`");
  error = main_of("%0 = match %x { List.Nil => { return %l } } return %0");
  EXPECT_EQ(error.found, "float32[2]");
  error = main_of(
      "%0 = match %l { List.Nil => { return %l } List.Cons(%h, %t) => { return %h } } return %0");
  EXPECT_EQ(error.message, "the case `List.Cons` gives another type than the first");
}

TEST(Language, ArgumentsOfDataTypesAreChecked) {
  const ir::GraphModule module = Module(R"(
type A { Zero }
type B { Zero }
graph main(%a: A) -> A { return %a }
)");
  EXPECT_EQ(ErrorOf([&] { Interpret(module, "main", {Scalar(1)}); }).name,
            "graph-interpret-argument");
  const Diagnostic error =
      ErrorOf([&] { Interpret(module, "main", {MakeGraphData("B.Zero", {})}); });
  EXPECT_EQ(error.found, "a value of B.Zero");
  EXPECT_EQ(Interpret(module, "main", {MakeGraphData("A.Zero", {})}).data().constructor, "A.Zero");
}

// -- Nested patterns.

ir::GraphModule Types() {
  return Module(
      "type List { Nil, Cons(float32[], List) }\n"
      "type Option { None, Some(List) }\n"
      "graph main(%x: float32[]) -> float32[] { return %x }");
}

TEST(Patterns, AMissingCaseIsShown) {
  const auto missing = [](std::vector<Pattern> clauses) {
    return ErrorOf([&] { Decide(Types(), clauses); });
  };
  const Pattern any = Pattern::Any(), nil = Pattern::Of("List.Nil");
  const auto cons = [&](Pattern h, Pattern t) {
    return Pattern::Of("List.Cons", {std::move(h), std::move(t)});
  };
  Diagnostic error = missing({nil, cons(any, nil)});
  EXPECT_EQ(error.name, "graph-match-missing");
  EXPECT_EQ(error.found, "no clause for List.Cons(_, List.Cons(_, _))");
  error = missing({Pattern::Tuple({nil, nil}), Pattern::Tuple({cons(any, any), any})});
  EXPECT_EQ(error.found, "no clause for (List.Nil, List.Cons(_, _))");
  error = missing({Pattern::Of("Option.Some", {nil}), Pattern::Of("Option.None")});
  EXPECT_EQ(error.found, "no clause for Option.Some(List.Cons(_, _))");
  error = missing({any, nil});
  EXPECT_EQ(error.name, "graph-match-clause");
  error = missing({Pattern::Of("List.Cons", {any}), any});
  EXPECT_EQ(error.name, "graph-match-pattern");
  error = missing({nil, Pattern::Of("Option.None")});
  EXPECT_EQ(error.name, "graph-match-pattern");
  error = missing({Pattern::Of("List.Nul")});
  EXPECT_EQ(error.name, "graph-datatype");
  EXPECT_NE(Decide(Types(), {cons(any, cons(any, any)), any}), nullptr);
}

TEST(Patterns, TheFirstClauseThatFitsIsChosen) {
  // match l { Cons(a, Cons(b, _)) => a - b; Cons(a, Nil) => a; _ => 0 }
  Builder builder("second", Types());
  const ir::GraphVar list = builder.Input("l", MakeTypeRef("List"));
  const Pattern var = Pattern::Var(), any = Pattern::Any();
  const auto cons = [](Pattern h, Pattern t) {
    return Pattern::Of("List.Cons", {std::move(h), std::move(t)});
  };
  using Vars = std::vector<ir::GraphVar>;
  const ir::GraphVar result =
      EmitMatch(builder, list,
                {{cons(var, cons(var, any)),
                  [](Builder& b, const Vars& v) { return b.Call("subtract", {v[0], v[1]}); }},
                 {cons(var, Pattern::Of("List.Nil")), [](Builder&, const Vars& v) { return v[0]; }},
                 {any, [](Builder& b, const Vars&) { return b.Scalar(0, DataType::Float(32)); }}});
  Ref<ir::GraphModuleNode> module = CopyOf(*Types());
  module->functions = {builder.Finish(result)};
  ir::VerifyGraph(ir::GraphModule(module));
  const auto run = [&](std::vector<float> elements) {
    GraphValue value = MakeGraphData("List.Nil", {});
    for (size_t i = elements.size(); i-- > 0;)
      value = MakeGraphData("List.Cons", {Scalar(elements[i]), value});
    return FloatOf(Interpret(ir::GraphModule(module), "second", {value}));
  };
  EXPECT_EQ(run({}), 0);
  EXPECT_EQ(run({5}), 5);
  EXPECT_EQ(run({5, 3}), 2);
  EXPECT_EQ(run({5, 3, 1}), 2);
}

// A result's type that mentions a size which the body defines.
TEST(Sizes, OfTheBodyInTheResult) {
  const auto made = [] {
    Builder b("main");
    return b.Finish(b.Call("argwhere", {b.Input("x", DataType::Float(32), {b.Size("n")})}));
  };
  const GraphFuncRef one = made(), two = made();
  EXPECT_EQ(ir::StructuralDifference(one, two), "");
  EXPECT_EQ(ir::StructuralHash(one), ir::StructuralHash(two));
  Ref<ir::GraphFunc> other = CopyOf(*two);
  const auto& type = static_cast<const ir::TensorType&>(*two->result_type);
  other->result_type = ir::MakeTensorType(type.dtype, {two->sizes[0], type.shape[1]});
  EXPECT_NE(ir::StructuralDifference(one, GraphFuncRef(other)), "");
}

}  // namespace
}  // namespace lathe::graph
