// Functions, modules and program files.

#include "ir/text/parser_impl.h"

namespace lathe::ir::internal {

Func Parser::ReadFunc() {
  const Token& start = Expect("func");
  const Scope scope(*this);
  Ref<FuncNode> node = Make<FuncNode>();
  node->name = TakeName("the function's name");
  Expect("(");
  parameters_ = true;
  while (!Accept(")")) {
    if (!node->params.empty()) Expect(",");
    const Token& at = Peek();
    NodeRef param = TakeAnyDefinition();
    if (!param) Fail(at, {.name = "text-ill-formed", .message = "a parameter must not be null"});
    node->params.push_back(std::move(param));
  }
  parameters_ = false;
  if (Accept("->")) node->return_type = TakeType();
  node->attrs = TakeWith();
  node->body = ReadBlock();
  return Finish(std::move(node), start);
}

Module Parser::ReadModule() {
  const Token& start = Peek();
  Ref<ModuleNode> node = Make<ModuleNode>();
  const bool headed = Accept("module");
  if (headed) node->attrs = TakeWith();
  std::unordered_set<std::string> names;
  while (Peek().kind != TokenKind::kEnd) {
    const Token& at = Peek();
    if (!At("func")) Unexpected(headed ? "`func`" : "`module` or `func`");
    node->functions.push_back(ReadFunc());
    if (!names.insert(node->functions.back()->name).second) {
      Fail(at, {.name = "text-duplicate",
                .message = "the module has two functions `" + node->functions.back()->name + "`",
                .help = "give one of the two another name"});
    }
  }
  if (!headed && node->functions.empty()) Unexpected("`module` or `func`");
  return Finish(std::move(node), start);
}

// Rejects what te::CheckShape rejects in programs that are built by calls.
void Parser::CheckExtents(const Token& at, const std::string& name,
                          const std::vector<Expr>& shape) const {
  for (size_t i = 0; i < shape.size(); ++i) {
    const int64_t* extent = shape[i] ? AsConstInt(shape[i]) : nullptr;
    if (extent == nullptr || *extent >= 0) continue;
    Fail(at, {.name = "shape-negative",
              .message = "extent " + std::to_string(i) + " of `" + name + "` is negative",
              .expected = "an extent >= 0",
              .found = std::to_string(*extent),
              .help = "an empty dimension has extent 0"});
  }
}

Op Parser::TakePlaceholder() {
  const Token& start = Expect("placeholder");
  Ref<PlaceholderOp> node = Make<PlaceholderOp>();
  const Token& at = Peek();
  const std::string name = TakeName("the tensor's name");
  node->name = name;
  Expect(":");
  node->dtype = TakeType();
  const Token& extents = Expect("[");
  node->shape = TakeExprList("]");
  CheckExtents(extents, name, node->shape);
  if (Accept("named")) node->name = TakeString("the operation's name");
  if (Accept("tag")) node->tag = TakeString("a tag");
  node->attrs = TakeWith();
  Op op = Finish(std::move(node), start);
  DefineOp(name, op, at);
  return op;
}

// compute C[i in range(n)] over [k in range(m)] named "C" tag "t" with {...} = body, body
Op Parser::TakeCompute() {
  const Token& start = Expect("compute");
  Ref<ComputeOp> node = Make<ComputeOp>();
  const Token& at = Peek();
  const std::string name = TakeName("the tensor's name");
  node->name = name;
  {
    const Scope scope(*this);
    auto axes = [&](std::vector<IterVar>* axis, IterKind kind) {
      Expect("[");
      while (!Accept("]")) {
        if (!axis->empty()) Expect(",");
        axis->push_back(TakeIterDefinition(kind));
      }
    };
    axes(&node->axis, IterKind::kData);
    for (const IterVar& iter : node->axis) {
      if (iter->domain) node->shape.push_back(iter->domain->extent);
    }
    CheckExtents(at, name, node->shape);
    if (Accept("over")) axes(&node->reduce_axis, IterKind::kReduce);
    if (Accept("named")) node->name = TakeString("the operation's name");
    if (Accept("tag")) node->tag = TakeString("a tag");
    node->attrs = TakeWith();
    Expect("=");
    do {
      node->body.push_back(ReadExpr());
    } while (Accept(","));
    if (const auto* reduce = As<Reduce>(node->body[0]);
        reduce != nullptr && node->body.size() == 1 && reduce == last_reduce_of_all_) {
      for (size_t i = 1; i < reduce->sources.size(); ++i) {
        const Ref<Node> next = CloneNode(*reduce);
        auto& value = static_cast<Reduce&>(*next);
        value.value_index = static_cast<int64_t>(i);
        value.dtype = reduce->sources[i]->dtype;
        node->body.push_back(RefExpr(next));
      }
    }
  }
  Op op = Finish(std::move(node), start);
  DefineOp(name, op, at);
  return op;
}

Program Parser::ReadProgram() {
  const Token& start = Expect("program");
  const Scope scope(*this);
  Ref<ProgramNode> node = Make<ProgramNode>();
  node->name = TakeName("the program's name");
  node->attrs = TakeWith();
  Expect("{");
  bool has_args = false;
  while (!Accept("}")) {
    const Token& at = Peek();
    if (Accept("args")) {
      if (has_args)
        Fail(at, {.name = "text-duplicate", .message = "a program has one list of arguments"});
      has_args = true;
      Expect("[");
      for (NodeRef& arg : TakeValueList("]")) {
        if (As<TensorNode>(arg) == nullptr && As<VarNode>(arg) == nullptr) {
          Fail(at, {.name = "text-ill-formed",
                    .message = "an argument of a program is a tensor or a variable"});
        }
        node->args.push_back(std::move(arg));
      }
    } else if (Accept("schedule")) {
      Expect("{");
      while (!Accept("}")) {
        if (Accept(";")) continue;
        node->trace.push_back(ReadStep());
      }
    } else if (Accept("var")) {
      node->vars.push_back(TakeVarDefinition(nullptr));
    } else if (At("placeholder") || At("compute") || At("op")) {
      NodeRef op = TakeDefinitionLine();
      node->ops.push_back(Op(static_cast<const OpNode*>(op.get())));
    } else {
      const std::vector<std::string> words = {"var", "placeholder", "compute",
                                              "op",  "args",        "schedule"};
      const std::vector<std::string> nearest =
          at.kind == TokenKind::kWord ? NearestNames(at.text, words) : std::vector<std::string>();
      Unexpected("`}`, " + QuotedList(words),
                 nearest.empty() ? "" : "did you mean " + QuotedList(nearest) + "?");
    }
  }
  return Finish(std::move(node), start);
}

// a, b = split(C.i, factor=32)
Ref<const StepNode> Parser::ReadStep() {
  const Token& start = Peek();
  Ref<StepNode> node = Make<StepNode>();
  auto text_node = [](std::string value, const Token& at) {
    Ref<StringImm> string = Make<StringImm>();
    string->value = std::move(value);
    string->span = {at.line, at.column};
    return Ref<const StringImm>(string);
  };
  std::string name = TakeWord("a step of the schedule");
  if (!At("(")) {
    node->results.push_back(text_node(std::move(name), start));
    while (Accept(",")) {
      const Token& at = Peek();
      node->results.push_back(text_node(TakeWord("the name of a result"), at));
    }
    Expect("=");
    name = TakeWord("a scheduling primitive");
  }
  node->primitive = std::move(name);
  Expect("(");
  size_t position = 0;
  bool first = true;
  while (!Accept(")")) {
    if (!first) Expect(",");
    first = false;
    const Token& at = Peek();
    std::string key;
    const bool named = Peek(1).Is("=");
    if (named) {
      key = TakeWord("an operand's name");
      Take();
    } else {
      key = std::to_string(position++);
    }
    const Token& value_at = Peek();
    NodeRef value;
    if (value_at.kind == TokenKind::kString) {
      value = text_node(TakeString("a string"), value_at);
    } else if (AtName()) {
      value = text_node(TakeName("a name"), value_at);
    } else if (Accept("(")) {
      value = ReadValue();
      Expect(")");
    } else {
      value = ReadExpr(syntax::kPrimary);
    }
    if (!value)
      Fail(value_at, {.name = "text-ill-formed", .message = "an operand must not be null"});
    if (!node->operands.emplace(std::move(key), std::move(value)).second) {
      Fail(at, {.name = "text-duplicate", .message = "the operand is given twice"});
    }
  }
  return Finish(std::move(node), start);
}

}  // namespace lathe::ir::internal
