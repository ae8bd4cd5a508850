// Statements. `let`, `allocate` and similar statements hold for the rest of their block, and there
// may be many. So they are kept on a list, not on the C++ stack.

#include "ir/text/parser_impl.h"

namespace lathe::ir::internal {

namespace {

// The body from the lines of a block. A single statement is the body itself.
Stmt Body(std::vector<Stmt> lines, Span span) {
  if (lines.size() == 1) return std::move(lines[0]);
  Ref<Seq> node = Make<Seq>();
  node->span = span;
  node->stmts = std::move(lines);
  return node;
}

}  // namespace

void Parser::SetBody(Node& node, Stmt body) const {
  for (const FieldInfo& field : FieldsOf(node.node_kind())) {
    if (field.name == std::string_view("body")) field.set_node(node, std::move(body));
  }
}

Stmt Parser::ReadBlock() {
  const Nesting nesting(*this);
  Expect("{");
  const Scope scope(*this);
  Stmt body = ReadLines();
  Expect("}");
  return body;
}

Stmt Parser::ReadLines() {
  struct Open {
    Ref<Node> node;
    const Token* at;
    std::vector<Stmt> before;
  };
  std::vector<Open> open;
  std::vector<Stmt> lines;
  const Token& start = Peek();
  while (!At("}") && Peek().kind != TokenKind::kEnd) {
    if (Accept(";")) continue;
    const Token& at = Peek();
    Ref<Node> holder;
    OpenScope();
    if (TakeHolder(&holder)) {
      open.push_back({std::move(holder), &at, std::move(lines)});
      lines.clear();
      continue;
    }
    CloseScope();
    lines.push_back(ReadStmt());
  }
  Stmt body = Body(std::move(lines), {start.line, start.column});
  while (!open.empty()) {
    Open top = std::move(open.back());
    open.pop_back();
    CloseScope();
    SetBody(*top.node, std::move(body));
    Check(*top.node, *top.at);
    top.before.push_back(RefStmt(top.node));
    body = Body(std::move(top.before), {start.line, start.column});
  }
  return body;
}

void Parser::TakeBounds(std::vector<Range>* bounds) {
  Expect("bounds");
  Expect("[");
  while (!Accept("]")) {
    if (!bounds->empty()) Expect(",");
    bounds->push_back(TakeRange());
  }
}

// Reads the head of a statement whose body is the rest of the block. False if there is none.
bool Parser::TakeHolder(Ref<Node>* holder) {
  if (Accept("let")) {
    Ref<LetStmt> node = Make<LetStmt>();
    const Token& at = Peek();
    const std::string name = TakeName("a name");
    TypeSpec spec;
    if (Accept(":")) spec = TakeTypeSpec();
    Expect("=");
    node->value = ReadExpr();
    if (spec.has_type) node->value = AdaptTo(node->value, spec.dtype);
    node->var = NewVar(name, spec.has_type ? spec.dtype : node->value->dtype, spec.is_size, at);
    *holder = node;
  } else if (Accept("realize")) {
    Ref<Realize> node = Make<Realize>();
    node->buffer = TakeBufferDefinition();
    TakeBounds(&node->bounds);
    *holder = node;
  } else if (Accept("allocate")) {
    Ref<Allocate> node = Make<Allocate>();
    node->buffer = TakeBufferDefinition();
    node->annotations = TakeWith();
    *holder = node;
  } else if (Accept("allocate_const")) {
    Ref<AllocConst> node = Make<AllocConst>();
    node->buffer = TakeBufferDefinition();
    Expect("index");
    node->index = TakeInteger("the constant's index");
    *holder = node;
  } else if (Accept("decl_buffer")) {
    Ref<DeclBuffer> node = Make<DeclBuffer>();
    node->buffer = TakeBufferDefinition();
    Expect("=");
    node->data = ReadExpr();
    *holder = node;
  } else if (Accept("attr")) {
    Ref<Attr> node = Make<Attr>();
    node->key = TakeString("a key");
    if (Accept("of")) node->node = ReadValue();
    Expect("=");
    node->value = ReadExpr();
    *holder = node;
  } else {
    return false;
  }
  return true;
}

Stmt Parser::ReadStmt() {
  const Token& start = Peek();
  if (At("{")) return ReadBlock();
  for (const char* word : {"for", "parallel", "vectorized", "unrolled", "thread", "serial"}) {
    if (At(word)) return TakeFor();
  }
  if (At("if")) return TakeIf();
  if (Accept("while")) {
    Ref<While> node = Make<While>();
    node->condition = ReadExpr();
    node->body = ReadBlock();
    return Finish(std::move(node), start);
  }
  if (Accept("assert")) {
    Ref<Assert> node = Make<Assert>();
    node->condition = ReadExpr();
    Expect(",");
    node->name = TakeString("the error's name");
    Expect(",");
    node->message = TakeString("the error's message");
    while (Accept(",")) node->values.push_back(ReadExpr());
    return Finish(std::move(node), start);
  }
  if (Accept("prefetch")) {
    Ref<Prefetch> node = Make<Prefetch>();
    const Token& at = Peek();
    const std::string name = TakeName("a buffer");
    node->buffer = RefAs<BufferNode>(Find(name));
    if (!node->buffer) UnknownName(at, name, "a buffer");
    TakeBounds(&node->bounds);
    return Finish(std::move(node), start);
  }
  if (Accept("evaluate")) {
    Ref<Evaluate> node = Make<Evaluate>();
    node->value = ReadExpr();
    return Finish(std::move(node), start);
  }
  if (Accept("seq")) {
    const Nesting nesting(*this);
    Ref<Seq> node = Make<Seq>();
    Expect("{");
    while (!Accept("}")) {
      if (Accept(";")) continue;
      // Each statement stands alone here: one that holds for the rest of a block needs braces.
      node->stmts.push_back(ReadStmt());
    }
    return Finish(std::move(node), start);
  }
  NodeKind kind;
  if (start.kind == TokenKind::kWord && syntax::KindNamed(start.text, &kind)) {
    Take();
    Stmt stmt = RefStmt(TakeGeneric(kind, nullptr));
    if (!stmt) {
      Fail(start, {.name = "text-unexpected",
                   .message = "the text does not go on as it must",
                   .expected = "a statement",
                   .found = "a " + std::string(start.text)});
    }
    return stmt;
  }
  if (AtName() && AtCall()) {
    Ref<Evaluate> node = Make<Evaluate>();
    node->value = TakeCall(true);
    return Finish(std::move(node), start);
  }
  if (AtName() && Peek(1).Is("[")) return TakeStore();
  if (AtName()) {
    const std::string word(start.text);
    const std::vector<std::string> nearest = NearestNames(word, syntax::StatementWords());
    const Token& next = Peek(1);
    if (next.Is("=")) {
      Unexpected("a statement", "a name is given to a value by `let " + word +
                                    " = ...`, a buffer is written by `" + word + "[...] = ...`");
    }
    Unexpected("a statement", nearest.empty() ? "" : "did you mean " + QuotedList(nearest) + "?");
  }
  Unexpected("a statement");
}

Stmt Parser::TakeFor() {
  const Token& start = Peek();
  const Scope scope(*this);
  Ref<For> node = Make<For>();
  for (size_t i = 0; i < std::size(For::kForKindNames); ++i) {
    if (Accept(For::kForKindNames[i])) {
      node->for_kind = static_cast<ForKind>(i);
      break;
    }
  }
  if (node->for_kind == ForKind::kThread) {
    Expect("(");
    node->thread_tag = TakeString("a thread tag such as \"threadIdx.x\"");
    Expect(")");
  }
  Expect("for");
  const Token& at = Peek();
  const std::string name = TakeName("the loop variable");
  TypeSpec spec;
  if (Accept(":")) spec = TakeTypeSpec();
  Expect("in");
  const Range range = TakeRange();
  node->min = spec.has_type ? AdaptTo(range->min, spec.dtype) : range->min;
  node->extent = spec.has_type ? AdaptTo(range->extent, spec.dtype) : range->extent;
  node->var = NewVar(name, spec.has_type ? spec.dtype : node->extent->dtype, spec.is_size, at);
  node->annotations = TakeWith();
  node->body = ReadBlock();
  return Finish(std::move(node), start);
}

// The chain of `else if` may have any length.
Stmt Parser::TakeIf() {
  struct Arm {
    const Token* at;
    Expr condition;
    Stmt then_case;
  };
  std::vector<Arm> arms;
  Stmt last;
  for (;;) {
    const Token& at = Expect("if");
    Expr condition = ReadExpr();
    Stmt then_case = ReadBlock();
    arms.push_back({&at, std::move(condition), std::move(then_case)});
    if (!Accept("else")) break;
    if (!At("if")) {
      last = ReadBlock();
      break;
    }
  }
  while (!arms.empty()) {
    Ref<If> node = Make<If>();
    node->condition = std::move(arms.back().condition);
    node->then_case = std::move(arms.back().then_case);
    node->else_case = std::move(last);
    last = Finish(std::move(node), *arms.back().at);
    arms.pop_back();
  }
  return last;
}

Stmt Parser::TakeStore() {
  const Token& start = Peek();
  const std::string name = TakeName("a buffer");
  Ref<Store> node = Make<Store>();
  const NodeRef target = Find(name);
  node->buffer = RefAs<BufferNode>(target);
  if (!node->buffer) {
    if (!target) UnknownName(start, name, "a buffer");
    Fail(start, {.name = "text-unexpected",
                 .message = "`" + name + "` cannot be stored to",
                 .expected = "a buffer",
                 .found = std::string("a ") + NodeKindName(target->node_kind())});
  }
  node->indices = TakeIndices(&node->mask);
  Expect("=");
  node->value = ReadExpr();
  const bool scalar = node->indices.empty() || node->indices.back()->dtype.is_scalar();
  if (scalar) node->value = AdaptTo(node->value, node->buffer->dtype);
  return Finish(std::move(node), start);
}

}  // namespace lathe::ir::internal
