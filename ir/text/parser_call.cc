// Expressions that begin with a word: lets, casts, vectors, functions, reductions, calls, accesses.

#include "ir/intrinsic.h"
#include "ir/reducers.h"
#include "ir/text/call_types.h"
#include "ir/text/parser_impl.h"

namespace lathe::ir::internal {

Expr Parser::TakeLet() {
  const Token& start = Take();
  Ref<Let> node = Make<Let>();
  const Scope scope(*this);
  const Token& at = Peek();
  const std::string name = TakeName("a name");
  TypeSpec spec;
  if (Accept(":")) spec = TakeTypeSpec();
  Expect("=");
  node->value = ReadExpr(syntax::kOr);
  if (spec.has_type) node->value = AdaptTo(node->value, spec.dtype);
  node->var = NewVar(name, spec.has_type ? spec.dtype : node->value->dtype, spec.is_size, at);
  Expect("in");
  node->body = ReadExpr();
  node->dtype = node->body->dtype;
  return Finish(std::move(node), start);
}

Expr Parser::TakeCast(const Token& start) {
  Ref<Cast> node = Make<Cast>();
  node->dtype = TakeType();
  Expect("(");
  node->value = ReadExpr();
  Expect(")");
  return Finish(std::move(node), start);
}

int Parser::TakeLanes() {
  const Token& token = Peek();
  DataType dtype;
  const bool good = (token.kind == TokenKind::kNumber &&
                     DataType::Parse("int32x" + std::string(token.text), &dtype)) ||
                    (token.kind == TokenKind::kWord && token.text.starts_with("vscalex") &&
                     DataType::Parse("int32x" + std::string(token.text), &dtype));
  if (!good) Unexpected("a number of lanes: 2 to 32767, or vscalex4");
  Take();
  return static_cast<int16_t>(dtype.dl().lanes);
}

Expr Parser::TakeVector(const Token& start) {
  Take();
  Expect("(");
  if (start.Is("select")) {
    Ref<Select> node = Make<Select>();
    node->condition = ReadExpr();
    Expect(",");
    node->true_value = ReadExpr();
    Expect(",");
    node->false_value = ReadExpr();
    Expect(")");
    Adapt(node->true_value, node->false_value);
    node->dtype = node->true_value->dtype;
    return Finish(std::move(node), start);
  }
  if (start.Is("shuffle")) {
    Ref<Shuffle> node = Make<Shuffle>();
    Expect("[");
    node->vectors = TakeExprList("]");
    Expect(",");
    Expect("[");
    node->indices = TakeExprList("]");
    Expect(")");
    if (!node->vectors.empty() && node->indices.size() <= 32767) {
      node->dtype =
          node->vectors[0]->dtype.element_of().with_lanes(static_cast<int>(node->indices.size()));
    }
    return Finish(std::move(node), start);
  }
  if (start.Is("broadcast")) {
    Ref<Broadcast> node = Make<Broadcast>();
    node->value = ReadExpr();
    Expect(",");
    node->dtype = node->value->dtype.with_lanes(TakeLanes());
    Expect(")");
    return Finish(std::move(node), start);
  }
  Ref<Ramp> node = Make<Ramp>();
  node->base = ReadExpr();
  Expect(",");
  node->stride = ReadExpr();
  Adapt(node->base, node->stride);
  Expect(",");
  node->dtype = node->base->dtype.with_lanes(TakeLanes());
  Expect(")");
  return Finish(std::move(node), start);
}

// Reads min, max, truncdiv, truncmod. With `axis=`, min and max are reductions.
Expr Parser::TakeFunction(const Token& start) {
  NodeKind kind;
  syntax::FunctionNamed(start.text, &kind);
  Take();
  Expect("(");
  Expr a = ReadExpr();
  Expect(",");
  if (At("axis") && IsReducerName(start.text)) {
    return TakeReduceRest(start, std::string(start.text), nullptr, {a});
  }
  Expr b = ReadExpr();
  Expect(")");
  Adapt(a, b);
  if (a->dtype != b->dtype) return MakeInfix(kind, a, b, start);  // throws the right error
  Expr out = NewBinary(kind, std::move(a), std::move(b), {start.line, start.column});
  if (kind == NodeKind::kDiv && !out->dtype.is_integral()) {
    Fail(start, {.name = "type-mismatch",
                 .message = "truncdiv is of integers",
                 .expected = "integers",
                 .found = out->dtype.ToString(),
                 .help = "use `/`"});
  }
  Check(const_cast<ExprNode&>(*out), start);
  return out;
}

Expr Parser::TakeReduce(const Token& start, const std::string& name, Reducer reducer) {
  std::vector<Expr> sources;
  Expect("(");
  while (!At("axis") || !Peek(1).Is("=")) {
    sources.push_back(ReadExpr());
    Expect(",");
  }
  return TakeReduceRest(start, name, std::move(reducer), std::move(sources));
}

// Reads a reduction from `axis=` on.
Expr Parser::TakeReduceRest(const Token& start, const std::string& name, Reducer reducer,
                            std::vector<Expr> sources) {
  Ref<Reduce> node = Make<Reduce>();
  node->condition = Bool(true);
  node->sources = std::move(sources);
  Take();
  Expect("=");
  Expect("[");
  while (!Accept("]")) {
    if (!node->axis.empty()) Expect(",");
    node->axis.push_back(TakeIterReference());
  }
  bool indexed = false;
  while (Accept(",")) {
    const Token& option = Peek();
    if (Accept("where")) {
      Expect("=");
      node->condition = ReadExpr();
    } else if (Accept("index")) {
      Expect("=");
      indexed = true;
      node->value_index = TakeInteger("the number of a source");
    } else if (option.Is("init")) {
      Take();
      Expect("=");
      Expect("[");
      node->init = TakeExprList("]");
      for (size_t i = 0; i < node->init.size() && i < node->sources.size(); ++i) {
        node->init[i] = AdaptTo(node->init[i], node->sources[i]->dtype);
      }
    } else {
      Unexpected("`where=`, `init=` or `index=`");
    }
  }
  Expect(")");
  if (!reducer) {
    std::vector<DataType> types;
    for (const Expr& source : node->sources) types.push_back(source->dtype);
    reducer = NamedReducer(name, types);
    if (!reducer) {
      std::string found;
      for (DataType type : types) found += (found.empty() ? "" : ", ") + type.ToString();
      Fail(start,
           {.name = "type-mismatch",
            .message = "`" + name + "` cannot reduce these sources",
            .expected = name == reducer_name::kArgmin || name == reducer_name::kArgmax
                            ? "an integer index and a number"
                        : name == reducer_name::kAny || name == reducer_name::kAll ? "one bool"
                                                                                   : "one number",
            .found = found});
    }
  }
  node->reducer = reducer;
  if (node->value_index >= 0 && static_cast<size_t>(node->value_index) < node->sources.size()) {
    node->dtype = node->sources[static_cast<size_t>(node->value_index)]->dtype;
  }
  if (!indexed && node->sources.size() > 1) last_reduce_of_all_ = node.get();
  return Finish(std::move(node), start);
}

Expr Parser::TakeCall(bool statement) {
  const Token& start = Peek();
  const bool quoted = start.kind == TokenKind::kQuotedName;
  Ref<Call> node = Make<Call>();
  node->op = TakeName("the name of an intrinsic");
  if (!quoted && IsReducerName(node->op)) return TakeReduce(start, node->op, nullptr);
  bool has_type = false;
  if (Accept("<")) {
    node->dtype = TakeType();
    has_type = true;
    Expect(">");
  }
  Expect("(");
  while (!Accept(")")) {
    if (!node->args.empty()) {
      Expect(",");
    }
    if (At("{")) {
      node->attrs = TakeDict();
      Expect(")");
      break;
    }
    NodeRef arg = ReadValue();
    if (!arg) Fail(start, {.name = "text-ill-formed", .message = "an argument must not be null"});
    node->args.push_back(std::move(arg));
  }
  if (!has_type && !InferCallType(node->op, node->args, statement, &node->dtype)) {
    if (FindIntrinsic(node->op) == nullptr) {
      const std::vector<std::string> nearest = NearestNames(node->op, IntrinsicNames());
      Fail(start, {.name = "text-unknown-intrinsic",
                   .message = "there is no intrinsic `" + node->op + "`",
                   .expected = "a known intrinsic, or a call with its type: `" + node->op +
                               "<float32>(...)`",
                   .help = nearest.empty() ? "" : "did you mean " + QuotedList(nearest) + "?"});
    }
    Fail(start, {.name = "text-missing-type",
                 .message = "the type of `" + node->op + "` does not follow from its arguments",
                 .expected = "the type after the name: `" + node->op + "<float32>(...)`"});
  }
  return Finish(std::move(node), start);
}

std::vector<Expr> Parser::TakeIndices(Expr* mask) {
  std::vector<Expr> indices;
  Expect("[");
  while (!Accept("]")) {
    if (Accept("where")) {
      *mask = ReadExpr();
      Expect("]");
      break;
    }
    if (!indices.empty()) Expect(",");
    indices.push_back(ReadExpr());
  }
  return indices;
}

Expr Parser::TakeAccess(const Token& start, NodeRef source) {
  Ref<Load> node = Make<Load>();
  node->source = std::move(source);
  node->indices = TakeIndices(&node->mask);
  DataType element;
  if (const auto* buffer = As<BufferNode>(node->source)) {
    element = buffer->dtype;
  } else if (const auto* tensor = As<TensorNode>(node->source)) {
    element = tensor->dtype();
  }
  if (!node->indices.empty() && !node->indices.back()->dtype.is_scalar()) {
    element = DataType(element.code(), element.bits(),
                       static_cast<int16_t>(node->indices.back()->dtype.dl().lanes) *
                           static_cast<int16_t>(element.dl().lanes));
  }
  node->dtype = element;
  return Finish(std::move(node), start);
}

}  // namespace lathe::ir::internal
