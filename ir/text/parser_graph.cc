// Graphs: modules, functions, blocks, bindings, types and sizes.

#include "ir/text/parser_impl.h"

namespace lathe::ir::internal {

// -- Names. Those of variables are kept with their sign, apart from variables of expressions.

// % and a word, a number or a name in backquotes. A dot and a number after that select an element
// of a tuple; null `element`: they must not stand here.
std::string Parser::TakeGraphName(std::string_view what, std::string_view* element) {
  if (!At("%")) Unexpected(what);
  Take();
  const Token& token = Peek();
  std::string name;
  std::string_view index, tuple = token.text;
  if (token.kind == TokenKind::kQuotedName) {
    name = TakeName(what);
  } else if (token.kind == TokenKind::kWord || token.kind == TokenKind::kNumber) {
    const bool split = syntax::SplitElement(token.text, &tuple, &index);
    std::string_view rest, unused;
    const bool number = token.kind == TokenKind::kNumber;
    if (number ? tuple.find_first_of(".+-") != tuple.npos
               : split && syntax::SplitElement(tuple, &rest, &unused)) {
      Unexpected("a name", number ? "such a name is written in backquotes"
                                  : "one element at a time: give `%" + std::string(tuple) +
                                        "` a name of its own");
    }
    name = tuple;
    Take();
  } else {
    Unexpected("a name, a number or a name in backquotes");
  }
  if (index.empty() && Accept(".")) index = Take().text;  // a number follows, see Lexer
  if (element != nullptr) {
    *element = index;
  } else if (!index.empty()) {
    Fail(token, {.name = "text-unexpected",
                 .message = "an element of a tuple cannot stand here",
                 .expected = std::string(what),
                 .found = "element " + std::string(index) + " of `%" + name + "`",
                 .help = "give the element a name by a line `%name = %" + name + "." +
                         std::string(index) + "`"});
  }
  return name;
}

GraphVar Parser::FindGraphVar(const std::string& name, const Token& at) const {
  GraphVar var = RefAs<GraphVarNode>(Find("%" + name));
  if (!var) UnknownName(at, "%" + name, "a value that is computed before");
  return var;
}

GraphVar Parser::TakeGraphVar() {
  const Token& at = Peek();
  return FindGraphVar(TakeGraphName("a value: `%` and its name"), at);
}

// %NAME [: type]. Not visible yet, see DefineGraphVar.
GraphVar Parser::TakeGraphVarDefinition() {
  const Token& at = Peek();
  Ref<GraphVarNode> node = Make<GraphVarNode>();
  node->name = TakeGraphName("a new name: `%` and the name");
  if (Accept(":")) node->type = ReadGraphType();
  return Finish(std::move(node), at);
}

void Parser::DefineGraphVar(const GraphVar& var, const Token& at) {
  Define("%" + var->name, var, at);
}

// -- Sizes.

// Calls `read`, in which unknown names become sizes. Returns them in the order of first mention.
template <class F>
std::vector<Parser::NewSize> Parser::WithNewSizes(F read) {
  std::vector<NewSize> sizes;
  new_sizes_ = &sizes;
  new_sizes_scope_ = scopes_.size() - 1;
  try {
    read();
  } catch (...) {
    new_sizes_ = nullptr;
    throw;
  }
  new_sizes_ = nullptr;
  return sizes;
}

// Reads the type after the first mention of a size. The size is visible in the scope of what it is
// a size of, even if it is mentioned in an inner one.
void Parser::DefineNewSize(const std::string& name, const Token& at) {
  TypeSpec spec{.is_size = true, .dtype = DataType::Int(64)};
  if (Accept(":")) spec = TakeTypeSpec();
  Ref<VarNode> node = Make<VarNode>();
  node->name = name;
  node->dtype = spec.dtype;
  node->is_size = spec.is_size;
  const Var var = Finish(std::move(node), at);
  names_[name].push_back({var, nullptr});
  scopes_[new_sizes_scope_].insert(name);
  new_sizes_->push_back({var, &at});
}

// The list after `sizes`: all new sizes, those that types mention too.
std::vector<Var> Parser::TakeSizes(const std::vector<NewSize>& mentioned) {
  std::vector<Var> sizes;
  std::unordered_set<const Node*> listed, allowed;
  for (const NewSize& size : mentioned) allowed.insert(size.var.get());
  Expect("[");
  WithNewSizes([&] {
    while (!Accept("]")) {
      if (!sizes.empty()) Expect(",");
      const Token& at = Peek();
      const std::string name = TakeName("the name of a size");
      const NodeRef known = Find(name);
      if (!known) {
        DefineNewSize(name, at);
        allowed.insert(new_sizes_->back().var.get());
      }
      Var size = known ? RefAs<VarNode>(known) : new_sizes_->back().var;
      if (!allowed.contains(size.get()) || !listed.insert(size.get()).second) {
        Fail(at, {.name = "text-duplicate",
                  .message = "`" + name + "` is defined already",
                  .expected = "the name of a new size",
                  .help = "give one of the two another name"});
      }
      sizes.push_back(std::move(size));
    }
  });
  for (const NewSize& size : mentioned) {
    if (listed.contains(size.var.get())) continue;
    Fail(*size.at, {.name = "text-unknown-name",
                    .message = "`" + size.var->name + "` is not defined here",
                    .expected = "a size",
                    .help = "add it to the list of new sizes: `sizes [" + size.var->name + "]`"});
  }
  return sizes;
}

// -- Types.

std::vector<NodeRef> Parser::TakeGraphTypes(std::string_view close) {
  std::vector<NodeRef> types;
  while (!Accept(close)) {
    if (!types.empty()) {
      Expect(",");
      if (Accept(close)) break;
    }
    types.push_back(ReadGraphType());
  }
  return types;
}

NodeRef Parser::ReadGraphType() {
  const Nesting nesting(*this);
  const Wide wide(*this);
  const Token& start = Peek();
  if (Accept("(")) {
    Ref<TupleType> node = Make<TupleType>();
    node->fields = TakeGraphTypes(")");
    return Finish(std::move(node), start);
  }
  if (At("fn") && Peek(1).Is("(")) {
    Ref<FuncType> node = Make<FuncType>();
    Take();
    Take();
    node->params = TakeGraphTypes(")");
    Expect("->");
    node->result = ReadGraphType();
    return Finish(std::move(node), start);
  }
  if (AtName() && !Peek(1).Is("[")) {
    Ref<TypeRef> node = Make<TypeRef>();
    node->name = TakeName("a type");
    return Finish(std::move(node), start);
  }
  if (start.kind != TokenKind::kWord) {
    Unexpected("a type such as float32[n, 4], (T, T), fn(T) -> T or the name of a data type");
  }
  Ref<TensorType> node = Make<TensorType>();
  node->dtype = TakeType();
  if (!At("[")) Unexpected("`[` and a shape", "the type of a single number has an empty shape: []");
  Take();
  node->shape = TakeExprList("]");
  return Finish(std::move(node), start);
}

// A comma that stands directly within the first brackets, or nothing in them: no expression.
bool Parser::AtTupleType() const {
  if (!At("(")) return false;
  if (Peek(1).Is(")")) return true;
  int depth = 0;
  for (size_t i = at_; i < tokens_.size(); ++i) {
    const Token& token = tokens_[i];
    if (token.Is("(") || token.Is("[") || token.Is("{")) ++depth;
    if (token.Is(")") || token.Is("]") || token.Is("}")) --depth;
    if (depth <= 0) return false;
    if (depth == 1 && token.Is(",")) return true;
  }
  return false;
}

// -- Blocks and functions.

Ref<const GraphBinding> Parser::ReadGraphBinding() {
  const Token& start = Peek();
  Ref<GraphBinding> node = Make<GraphBinding>();
  const std::vector<NewSize> mentioned =
      WithNewSizes([&] { node->var = TakeGraphVarDefinition(); });
  if (Accept("sizes")) {
    node->sizes = TakeSizes(mentioned);
  } else if (!mentioned.empty()) {
    const std::string& name = mentioned[0].var->name;
    Fail(*mentioned[0].at,
         {.name = "text-unknown-name",
          .message = "`" + name + "` is not defined here",
          .expected = "a size of the function",
          .help = "a size that is known only with the value is listed: `sizes [" + name + "]`"});
  }
  Expect("=");
  node->value = ReadGraphValue();
  DefineGraphVar(node->var, start);
  return Finish(std::move(node), start);
}

Ref<const GraphBlock> Parser::ReadGraphBlock() {
  const Nesting nesting(*this);
  const Token& start = Expect("{");
  const Scope scope(*this);
  Ref<GraphBlock> node = Make<GraphBlock>();
  while (!At("return")) {
    if (Accept(";")) continue;
    if (!At("%")) Unexpected("a line `%name = value`, or `return`");
    node->bindings.push_back(ReadGraphBinding());
  }
  Take();
  node->result = TakeGraphVar();
  while (Accept(";")) {
  }
  Expect("}");
  return Finish(std::move(node), start);
}

Ref<const GraphFunc> Parser::ReadGraphFunc() {
  const Token& start = Expect("graph");
  const Scope scope(*this);
  const Wide wide(*this);
  Ref<GraphFunc> node = Make<GraphFunc>();
  if (!At("(")) node->name = TakeName("the function's name");
  Expect("(");
  const std::vector<NewSize> mentioned = WithNewSizes([&] {
    while (!Accept(")")) {
      if (!node->params.empty()) Expect(",");
      const Token& at = Peek();
      node->params.push_back(TakeGraphVarDefinition());
      DefineGraphVar(node->params.back(), at);
    }
  });
  if (Accept("sizes")) {
    node->sizes = TakeSizes(mentioned);
  } else {
    for (const NewSize& size : mentioned) node->sizes.push_back(size.var);
  }
  if (Accept("->")) node->result_type = ReadGraphType();
  node->attrs = TakeWith();
  node->body = ReadGraphBlock();
  return Finish(std::move(node), start);
}

// -- Modules.

Ref<const GraphDataType> Parser::ReadDataType() {
  const Token& start = Expect("type");
  Ref<GraphDataType> node = Make<GraphDataType>();
  node->name = TakeName("the name of a data type");
  Expect("{");
  while (!Accept("}")) {
    if (!node->constructors.empty()) Expect(",");
    const Token& at = Peek();
    Ref<GraphConstructor> constructor = Make<GraphConstructor>();
    constructor->name = TakeName("the name of a constructor");
    if (Accept("(")) constructor->fields = TakeGraphTypes(")");
    node->constructors.push_back(Finish(std::move(constructor), at));
  }
  return Finish(std::move(node), start);
}

// "graph module (" begins a function of that name.
bool Parser::AtGraphModule() const {
  return At("graph") && Peek(1).Is("module") && !Peek(2).Is("(");
}

GraphModule Parser::ReadGraphModule() {
  const Token& start = Peek();
  Ref<GraphModuleNode> node = Make<GraphModuleNode>();
  const bool headed = AtGraphModule();
  if (headed) {
    Take();
    Take();
    node->attrs = TakeWith();
  }
  std::unordered_set<std::string> functions, types;
  while (Peek().kind != TokenKind::kEnd) {
    const Token& at = Peek();
    const bool is_type = At("type");
    if (is_type) {
      node->datatypes.push_back(ReadDataType());
    } else if (At("graph")) {
      node->functions.push_back(ReadGraphFunc());
    } else {
      Unexpected(headed ? "`graph` or `type`" : "`graph module`, `graph` or `type`");
    }
    const std::string& name = is_type ? node->datatypes.back()->name : node->functions.back()->name;
    if (!(is_type ? types : functions).insert(name).second) {
      Fail(at, {.name = "text-duplicate",
                .message = std::string("the module has two ") +
                           (is_type ? "data types `" : "functions `") + name + "`",
                .help = "give one of the two another name"});
    }
  }
  if (!headed && node->functions.empty() && node->datatypes.empty())
    Unexpected("`graph module`, `graph` or `type`");
  return Finish(std::move(node), start);
}

}  // namespace lathe::ir::internal
