// Graphs: what a binding computes.

#include <charconv>

#include "ir/constants.h"
#include "ir/names.h"
#include "ir/text/parser_impl.h"

namespace lathe::ir::internal {

std::vector<GraphVar> Parser::TakeGraphArgs() {
  std::vector<GraphVar> args;
  Expect("(");
  while (!Accept(")")) {
    if (!args.empty()) {
      Expect(",");
      if (Accept(")")) break;
    }
    args.push_back(TakeGraphVar());
  }
  return args;
}

// %t.0 is an element of a tuple, %f(%x) a call of a function that is a value.
NodeRef Parser::TakeFromGraphVar(const Token& start) {
  std::string_view element;
  const std::string name = TakeGraphName("a value", &element);
  GraphVar var = FindGraphVar(name, start);
  if (!element.empty()) {
    Ref<GraphTupleGet> node = Make<GraphTupleGet>();
    node->tuple = std::move(var);
    const char* end = element.data() + element.size();
    const auto parsed = std::from_chars(element.data(), end, node->index);
    if (parsed.ec != std::errc() || parsed.ptr != end) {
      Fail(start, {.name = "text-bad-number",
                   .message = "not the number of an element",
                   .expected = "a number of 64 bits",
                   .found = "`" + std::string(element) + "`"});
    }
    return Finish(std::move(node), start);
  }
  if (!At("(")) {
    Unexpected("`.0` or another element, or `(` and arguments",
               "a line computes a value; `%" + name + "` has a name already");
  }
  Ref<GraphInvoke> node = Make<GraphInvoke>();
  node->callee = std::move(var);
  node->args = TakeGraphArgs();
  return Finish(std::move(node), start);
}

NodeRef Parser::ReadGraphAttribute() {
  const Nesting nesting(*this);
  const Token& start = Peek();
  if (Accept("[")) {
    Ref<Call> list = Make<Call>();
    list->op = kListOperand;
    list->dtype = DataType::Handle();
    while (!Accept("]")) {
      if (!list->args.empty()) Expect(",");
      list->args.push_back(ReadGraphAttribute());
    }
    return Finish(std::move(list), start);
  }
  NodeRef value = ReadValue();
  if (!value) Fail(start, {.name = "text-ill-formed", .message = "a value must not be null"});
  return value;
}

// nn.conv2d(%x, %w, padding=[1, 1])
NodeRef Parser::TakeGraphCall(const Token& start) {
  const Wide wide(*this);
  Ref<GraphCall> node = Make<GraphCall>();
  node->op = TakeWord("the name of an operator");
  Expect("(");
  bool first = true;
  while (!Accept(")")) {
    if (!first) Expect(",");
    first = false;
    if (At("%")) {
      if (!node->attrs.empty()) Unexpected("an attribute", "arguments come before attributes");
      node->args.push_back(TakeGraphVar());
      continue;
    }
    const Token& at = Peek();
    if (at.kind != TokenKind::kString && at.kind != TokenKind::kWord)
      Unexpected("an argument `%name`, or an attribute `name=value`");
    std::string key = at.kind == TokenKind::kString ? TakeString("a name") : TakeWord("a name");
    if (!At("=")) {
      const bool known = As<GraphVarNode>(Find("%" + key)) != nullptr;
      Unexpected("`=` and the attribute's value", known ? "did you mean `%" + key + "`?" : "");
    }
    Take();
    if (!node->attrs.emplace(key, ReadGraphAttribute()).second) {
      Fail(at, {.name = "text-duplicate", .message = "the attribute `" + key + "` is given twice"});
    }
  }
  return Finish(std::move(node), start);
}

// if %c { ... } else { ... }
NodeRef Parser::TakeGraphIf(const Token& start) {
  Ref<GraphIf> node = Make<GraphIf>();
  Take();
  node->condition = TakeGraphVar();
  node->then_block = ReadGraphBlock();
  if (!At("else")) Unexpected("`else`", "a value is needed in both cases");
  Take();
  node->else_block = ReadGraphBlock();
  return Finish(std::move(node), start);
}

// loop (%i = %zero, ...) while { ... return %goes_on } do { ... return %tuple }
NodeRef Parser::TakeGraphLoop(const Token& start) {
  Ref<GraphLoop> node = Make<GraphLoop>();
  const Scope scope(*this);
  std::vector<const Token*> places;
  Take();
  Expect("(");
  while (!Accept(")")) {
    if (!places.empty()) Expect(",");
    places.push_back(&Peek());
    node->carried.push_back(TakeGraphVarDefinition());
    Expect("=");
    node->init.push_back(TakeGraphVar());
  }
  // The values that a loop begins with do not see what it carries.
  for (size_t i = 0; i < places.size(); ++i) DefineGraphVar(node->carried[i], *places[i]);
  Expect("while");
  node->condition = ReadGraphBlock();
  Expect("do");
  node->body = ReadGraphBlock();
  return Finish(std::move(node), start);
}

// match %l { List.Nil => { ... } List.Cons(%h, %t) => { ... } }
NodeRef Parser::TakeGraphMatch(const Token& start) {
  Ref<GraphMatch> node = Make<GraphMatch>();
  Take();
  node->value = TakeGraphVar();
  Expect("{");
  while (!Accept("}")) {
    if (Accept(";")) continue;
    const Token& at = Peek();
    const Scope scope(*this);
    Ref<GraphCase> arm = Make<GraphCase>();
    arm->constructor = TakeName("a constructor such as List.Cons, or `}`");
    if (Accept("(")) {
      while (!Accept(")")) {
        if (!arm->vars.empty()) Expect(",");
        const Token& var_at = Peek();
        arm->vars.push_back(TakeGraphVarDefinition());
        DefineGraphVar(arm->vars.back(), var_at);
      }
    }
    Expect("=>");
    arm->block = ReadGraphBlock();
    node->cases.push_back(Finish(std::move(arm), at));
  }
  return Finish(std::move(node), start);
}

// constant float32[2, 3] "digest"
NodeRef Parser::TakeGraphConstant(const Token& start) {
  const Wide wide(*this);
  Ref<Constant> node = Make<Constant>();
  Take();
  node->dtype = TakeType();
  Expect("[");
  node->shape = TakeExprList("]");
  node->data = TakeBlob();
  return Finish(std::move(node), start);
}

NodeRef Parser::ReadGraphValue() {
  const Token& start = Peek();
  if (At("%")) return TakeFromGraphVar(start);
  if (At("(")) {
    Ref<GraphTuple> node = Make<GraphTuple>();
    node->fields = TakeGraphArgs();
    return Finish(std::move(node), start);
  }
  if (Accept("@")) {
    Ref<GraphInvoke> node = Make<GraphInvoke>();
    node->global = TakeName("the name of a function");
    node->args = TakeGraphArgs();
    return Finish(std::move(node), start);
  }
  if (At("if")) return TakeGraphIf(start);
  if (At("loop")) return TakeGraphLoop(start);
  if (At("match")) return TakeGraphMatch(start);
  if (At("graph")) return ReadGraphFunc();
  if (At("constant")) return TakeGraphConstant(start);
  if (Accept("new")) {
    Ref<GraphConstruct> node = Make<GraphConstruct>();
    node->constructor = TakeName("a constructor such as List.Cons");
    node->args = TakeGraphArgs();
    return Finish(std::move(node), start);
  }
  NodeKind kind;
  if (start.kind == TokenKind::kWord && syntax::KindNamed(start.text, &kind)) {
    Take();
    return TakeGeneric(kind, nullptr);
  }
  if ((start.kind == TokenKind::kWord || start.kind == TokenKind::kQuotedName) && Peek(1).Is("("))
    return TakeGraphCall(start);
  Unexpected(
      "a value: a call of an operator, `@function(...)`, `(...)`, `if`, `loop`, `match`, "
      "`new`, `graph` or `constant`",
      As<GraphVarNode>(Find("%" + std::string(start.text))) != nullptr
          ? "did you mean `%" + std::string(start.text) + "`?"
          : "");
}

}  // namespace lathe::ir::internal
