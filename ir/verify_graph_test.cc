#include "ir/verify_graph.h"

#include <functional>

#include "base/error.h"
#include "gtest/gtest.h"
#include "ir/names.h"
#include "ir/text/parser.h"

namespace lathe::ir {
namespace {

Diagnostic ErrorOf(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.diagnostic();
  }
  return Diagnostic{.name = "sound"};
}
std::string Verdict(std::string_view text) {
  return ErrorOf([&] { VerifyGraph(ParseGraphModule(text)); }).name;
}

NodeRef Call(const std::string& op, std::vector<GraphVar> args, Dict attrs = {}) {
  Ref<GraphCall> node = Make<GraphCall>();
  node->op = op;
  node->args = std::move(args);
  node->attrs = std::move(attrs);
  return node;
}
Ref<const GraphFunc> Func(const std::string& name, std::vector<GraphVar> params,
                          List<GraphBinding> bindings, GraphVar result,
                          std::vector<Var> sizes = {}) {
  Ref<GraphFunc> node = Make<GraphFunc>();
  node->name = name;
  node->sizes = std::move(sizes);
  node->params = std::move(params);
  node->body = MakeGraphBlock(std::move(bindings), std::move(result));
  return node;
}
std::string VerdictOf(List<GraphFunc> functions) {
  Ref<GraphModuleNode> module = Make<GraphModuleNode>();
  module->functions = std::move(functions);
  return ErrorOf([&] { VerifyGraph(module); }).name;
}
NodeRef Vector(Expr extent) { return MakeTensorType(DataType::Float(32), {std::move(extent)}); }

TEST(VerifyGraph, SoundModules) {
  EXPECT_EQ(Verdict("graph module"), "sound");
  EXPECT_EQ(Verdict(R"(
type List { Nil, Cons(float32[3], List) }
graph main(%x: float32[n, 784], %w: float32[10, 784], %l: List)
    with {primitive = true, pass = stmt {}} {
  %0: float32[n, 10] = nn.dense(%x, %w)
  %1: int64[k] sizes [k] = nonzero(%0, shape=[2, n, n * 2 + 1], mode="same", eps=1e-5, keep=true)
  %2: int64[k + n] = graph(%a: int64[m]) -> int64[m] { %b = add(%a, %1); return %b }
  %3 = %2(%1)
  %zero = constant_of(value=0)
  %4 = loop (%i: int64[] = %zero, %s = %x) while { %c = less(%i, %zero); return %c } do {
    %t = (%i, %s)
    return %t
  }
  %5 = %4.1
  %6 = match %l {
    List.Nil => { return %5 }
    List.Cons(%head, %tail) => { %7 = new List.Cons(%head, %tail); %8 = @other(%7); return %8 }
  }
  %9 = if %zero { return %6 } else { return %5 }
  return %9
}
graph other(%x: List) { return %x })"),
            "sound");
}

TEST(VerifyGraph, DefinedBeforeUseAndOnce) {
  const GraphVar x = MakeGraphVar("x"), y = MakeGraphVar("y"), z = MakeGraphVar("z");
  EXPECT_EQ(VerdictOf({Func("f", {x}, {Bind(y, Call("relu", {x}))}, y)}), "sound");
  EXPECT_EQ(VerdictOf({Func("f", {}, {Bind(y, Call("relu", {x}))}, y)}), "verify-undefined");
  EXPECT_EQ(VerdictOf({Func("f", {x}, {}, y)}), "verify-undefined");
  EXPECT_EQ(VerdictOf({Func("f", {x}, {Bind(y, Call("relu", {y}))}, y)}), "verify-undefined");
  EXPECT_EQ(
      VerdictOf({Func("f", {x}, {Bind(y, Call("add", {x, z})), Bind(z, Call("one", {}))}, y)}),
      "verify-undefined");
  EXPECT_EQ(VerdictOf({Func("f", {x, x}, {}, x)}), "verify-redefined");
  EXPECT_EQ(VerdictOf({Func("f", {x}, {Bind(x, Call("one", {}))}, x)}), "verify-redefined");
  EXPECT_EQ(VerdictOf({Func("f", {x}, {}, x), Func("g", {x}, {}, x)}), "verify-redefined");
  EXPECT_EQ(VerdictOf({Func("f", {x}, {}, x), Func("g", {y}, {}, x)}), "verify-undefined");
}

TEST(VerifyGraph, BlocksSeeWhatIsAroundThemOnly) {
  const GraphVar c = MakeGraphVar("c"), x = MakeGraphVar("x"), y = MakeGraphVar("y");
  const auto branch = [&](Ref<const GraphBlock> then_block) {
    Ref<GraphIf> node = Make<GraphIf>();
    node->condition = c;
    node->then_block = std::move(then_block);
    node->else_block = MakeGraphBlock({}, c);
    return node;
  };
  const auto inner = MakeGraphBlock({Bind(x, Call("relu", {c}))}, x);
  EXPECT_EQ(VerdictOf({Func("f", {c}, {Bind(y, branch(inner))}, y)}), "sound");
  EXPECT_EQ(VerdictOf({Func("f", {c}, {Bind(y, branch(inner))}, x)}), "verify-undefined");
  const GraphVar z = MakeGraphVar("z");
  EXPECT_EQ(VerdictOf({Func("f", {c}, {Bind(y, branch(inner)), Bind(z, branch(inner))}, z)}),
            "verify-redefined");
  // A loop does not see what it carries where it begins.
  Ref<GraphLoop> loop = Make<GraphLoop>();
  loop->init = {x};
  loop->carried = {x};
  loop->condition = loop->body = MakeGraphBlock({}, x);
  EXPECT_EQ(VerdictOf({Func("f", {c}, {Bind(y, loop)}, y)}), "verify-undefined");
}

TEST(VerifyGraph, Sizes) {
  const Var n = MakeGraphSize("n"), k = MakeGraphSize("k");
  const GraphVar x = MakeGraphVar("x", Vector(n)), y = MakeGraphVar("y", Vector(k));
  EXPECT_EQ(VerdictOf({Func("f", {x}, {}, x, {n})}), "sound");
  EXPECT_EQ(VerdictOf({Func("f", {x}, {}, x)}), "verify-undefined");
  EXPECT_EQ(VerdictOf({Func("f", {x}, {}, x, {n, n})}), "verify-redefined");
  const NodeRef value = Call("nonzero", {x});
  EXPECT_EQ(VerdictOf({Func("f", {x}, {Bind(y, value, {k})}, y, {n})}), "sound");
  EXPECT_EQ(VerdictOf({Func("f", {x}, {Bind(y, value)}, y, {n})}), "verify-undefined");
  // A type that two variables share is checked again where its sizes are no longer defined.
  const NodeRef shared = Vector(n);
  const GraphVar a = MakeGraphVar("a", shared), b = MakeGraphVar("b", shared);
  EXPECT_EQ(VerdictOf({Func("f", {a, b}, {}, a, {n})}), "sound");
  EXPECT_EQ(VerdictOf({Func("f", {a}, {}, a, {n}), Func("g", {b}, {}, b)}), "verify-undefined");
  EXPECT_EQ(Verdict("graph f(%x: float32[n], %y: float32[exp(n)]) { return %x }"),
            "verify-malformed");
  EXPECT_EQ(Verdict("graph f(%x: float32[let m = n in m]) { return %x }"), "verify-malformed");
}

TEST(VerifyGraph, NodesFitTogether) {
  const GraphVar x = MakeGraphVar("x"), y = MakeGraphVar("y");
  const auto verdict = [&](NodeRef value) {
    return VerdictOf({Func("f", {x}, {Bind(y, std::move(value))}, y)});
  };
  EXPECT_EQ(verdict(nullptr), "verify-malformed");
  EXPECT_EQ(verdict(Int(3)), "verify-malformed");
  EXPECT_EQ(verdict(Call("", {x})), "verify-malformed");
  EXPECT_EQ(verdict(Call("relu", {GraphVar()})), "verify-malformed");
  Ref<GraphInvoke> invoke = Make<GraphInvoke>();
  EXPECT_EQ(verdict(invoke), "verify-malformed") << "no function";
  invoke->global = "f";
  EXPECT_EQ(verdict(invoke), "sound");
  invoke->callee = x;
  EXPECT_EQ(verdict(invoke), "verify-malformed") << "two functions";
  Ref<GraphTupleGet> get = Make<GraphTupleGet>();
  get->tuple = x;
  get->index = -1;
  EXPECT_EQ(verdict(get), "verify-malformed");
  Ref<GraphLoop> loop = Make<GraphLoop>();
  loop->init = {x};
  loop->condition = loop->body = MakeGraphBlock({}, x);
  EXPECT_EQ(verdict(loop), "verify-malformed");
  const auto typed = [&](NodeRef type) {
    const GraphVar z = MakeGraphVar("z", std::move(type));
    return VerdictOf({Func("f", {z}, {}, z)});
  };
  Ref<TensorType> tensor = Make<TensorType>();
  EXPECT_EQ(typed(tensor), "verify-malformed") << "no element type";
  tensor->dtype = DataType::Float(32, 4);
  EXPECT_EQ(typed(tensor), "verify-malformed") << "vectors as elements";
  tensor->dtype = DataType::Float(32);
  EXPECT_EQ(typed(tensor), "sound");
  tensor->shape = {Int(3)};
  EXPECT_EQ(typed(tensor), "verify-malformed") << "an int32";
  EXPECT_EQ(typed(Vector(Int(-3))), "verify-malformed");
  EXPECT_EQ(typed(Int(3)), "verify-malformed");
}

TEST(VerifyGraph, FunctionsAndCalls) {
  const GraphVar x = MakeGraphVar("x"), y = MakeGraphVar("y"), z = MakeGraphVar("z");
  EXPECT_EQ(VerdictOf({Func("", {x}, {}, x)}), "verify-function");
  EXPECT_EQ(VerdictOf({Func("f", {x}, {}, x), Func("f", {y}, {}, y)}), "verify-function");
  EXPECT_EQ(VerdictOf({Func("f", {x}, {Bind(y, Func("g", {z}, {}, z))}, y)}), "verify-function");
  EXPECT_EQ(VerdictOf({Func("f", {x}, {Bind(y, Func("", {z}, {}, x))}, y)}), "sound");
  const Diagnostic error = ErrorOf(
      [] { VerifyGraph(ParseGraphModule("graph helper(%x) { %1 = @helpr(%x); return %1 }")); });
  EXPECT_EQ(error.name, "verify-call");
  EXPECT_EQ(error.help, "did you mean `helper`?");
  ASSERT_EQ(error.notes.size(), 1u);
  EXPECT_EQ(error.notes[0], "in: %1 = @helpr(%x)");
}

TEST(VerifyGraph, Attributes) {
  const GraphVar x = MakeGraphVar("x"), y = MakeGraphVar("y");
  const auto verdict = [&](NodeRef value) {
    return VerdictOf({Func("f", {x}, {Bind(y, Call("op", {x}, {{"a", std::move(value)}}))}, y)});
  };
  const auto list = [](std::vector<NodeRef> items) {
    return MakeCall(DataType::Handle(), kListOperand, std::move(items));
  };
  for (const NodeRef& value : std::vector<NodeRef>{Int(1), Float(1), String("s"), Bool(true)}) {
    EXPECT_EQ(verdict(value), "sound");
    EXPECT_EQ(verdict(list({value})), "sound");
  }
  EXPECT_EQ(verdict(list({})), "sound");
  EXPECT_EQ(verdict(nullptr), "verify-attribute");
  EXPECT_EQ(verdict(x), "verify-attribute");
  EXPECT_EQ(verdict(list({list({Int(1)})})), "verify-attribute");
  EXPECT_EQ(verdict(MakeCall(DataType::Handle(), "tuple", {})), "verify-attribute");
  const Var n = MakeGraphSize("n");
  EXPECT_EQ(verdict(list({n})), "verify-undefined");
  EXPECT_EQ(verdict(n), "verify-attribute");
}

TEST(VerifyGraph, DataTypes) {
  const std::string list = "type List { Nil, Cons(float32[3], List) }\n";
  const auto value = [&](const std::string& text) {
    return Verdict(list + "graph f(%x: List) { %1 = " + text + " return %1 }");
  };
  EXPECT_EQ(value("new List.Cons(%x, %x)"), "sound");
  EXPECT_EQ(value("new List.Cons(%x)"), "verify-datatype");
  EXPECT_EQ(value("new List.Kons(%x, %x)"), "verify-datatype");
  EXPECT_EQ(value("new Lisp.Cons(%x, %x)"), "verify-datatype");
  EXPECT_EQ(value("new Cons(%x, %x)"), "text-ill-formed");
  const std::string nil = "List.Nil => { return %x } ";
  const std::string cons = "List.Cons(%h, %t) => { return %h } ";
  EXPECT_EQ(value("match %x { " + nil + cons + "}"), "sound");
  EXPECT_EQ(value("match %x { " + cons + nil + "}"), "sound");
  EXPECT_EQ(value("match %x { " + nil + "}"), "verify-datatype");
  EXPECT_EQ(value("match %x { }"), "verify-datatype");
  EXPECT_EQ(value("match %x { " + nil + nil + cons + "}"), "verify-datatype");
  EXPECT_EQ(value("match %x { " + nil + "List.Cons(%h) => { return %h } }"), "verify-datatype");
  EXPECT_EQ(value("match %x { " + nil + "Tree.Leaf => { return %x } }"), "verify-datatype");
  EXPECT_EQ(Verdict("graph f(%x: List) { return %x }"), "verify-datatype");
  EXPECT_EQ(Verdict("type T { A, A }"), "verify-datatype");
  EXPECT_EQ(Verdict("type T { A(float32[n]) }"), "text-unknown-name");
  Ref<GraphModuleNode> twice = Make<GraphModuleNode>();
  twice->datatypes = {ParseGraphModule(list)->datatypes[0], ParseGraphModule(list)->datatypes[0]};
  EXPECT_EQ(ErrorOf([&] { VerifyGraph(twice); }).name, "verify-datatype");
}

TEST(VerifyGraph, DepthIsBounded) {
  const auto nested = [](int depth) {
    const GraphVar c = MakeGraphVar("c");
    Ref<const GraphBlock> block = MakeGraphBlock({}, c);
    for (int i = 1; i < depth; ++i) {
      Ref<GraphIf> branch = Make<GraphIf>();
      branch->condition = c;
      branch->then_block = MakeGraphBlock({}, c);
      branch->else_block = std::move(block);
      const GraphVar var = MakeGraphVar("");
      block = MakeGraphBlock({Bind(var, branch)}, var);
    }
    Ref<GraphFunc> func = Make<GraphFunc>();
    func->name = "f";
    func->params = {c};
    func->body = std::move(block);
    return func;
  };
  EXPECT_EQ(VerdictOf({nested(kMaxGraphDepth)}), "sound");
  EXPECT_EQ(VerdictOf({nested(kMaxGraphDepth + 1)}), "verify-too-deep");
  EXPECT_EQ(VerdictOf({nested(50000)}), "verify-too-deep");
  // Shared types are walked once, and their heights add up.
  NodeRef type = Vector(Int(1, DataType::Int(64)));
  std::vector<GraphVar> vars;
  for (int i = 1; i < kMaxGraphDepth; ++i) {
    Ref<TupleType> pair = Make<TupleType>();
    pair->fields = {type, type};
    type = pair;
    vars.push_back(MakeGraphVar("v", type));
  }
  EXPECT_EQ(VerdictOf({Func("f", vars, {}, vars[0])}), "sound");
  Ref<TupleType> more = Make<TupleType>();
  more->fields = {type};
  vars.push_back(MakeGraphVar("v", more));
  EXPECT_EQ(VerdictOf({Func("f", vars, {}, vars[0])}), "verify-too-deep");
}

}  // namespace
}  // namespace lathe::ir
