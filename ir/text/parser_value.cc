// Definitions, references, dictionaries, and the generic form Kind(field=value, ...).

#include <bit>

#include "ir/text/parser_impl.h"

namespace lathe::ir::internal {

// -- Definitions.

Parser::TypeSpec Parser::TakeTypeSpec() {
  TypeSpec spec;
  spec.has_type = true;
  const uint32_t line = Peek().line;
  spec.is_size = Accept("size");
  // The type must be on the same line, because a cast may begin the next line.
  if (!spec.is_size || (AtType() && Peek().line == line)) spec.dtype = TakeType();
  return spec;
}

Var Parser::NewVar(const std::string& name, DataType dtype, bool is_size, const Token& at,
                   const std::string& own) {
  Ref<VarNode> node = Make<VarNode>();
  node->name = own.empty() ? name : own;
  node->dtype = dtype;
  node->is_size = is_size;
  Var var = Finish(std::move(node), at);
  Define(name, var, at);
  return var;
}

// NAME [: [size] type]. Without a type: `inferred`, or int32 if that is null.
Var Parser::TakeVarDefinition(const DataType* inferred) {
  const Token& at = Peek();
  const std::string name = TakeName("a name");
  TypeSpec spec;
  if (inferred != nullptr) spec.dtype = *inferred;
  if (Accept(":")) spec = TakeTypeSpec();
  return NewVar(name, spec.dtype, spec.is_size, at);
}

// NAME: type[shape](options)
Buffer Parser::TakeBufferDefinition() {
  const Token& at = Peek();
  const std::string name = TakeName("the name of a buffer");
  Expect(":");
  const DataType dtype = TakeType();
  return FinishBuffer(name, at, dtype);
}

// Reads a buffer definition from the shape on.
Buffer Parser::FinishBuffer(const std::string& name, const Token& at, DataType dtype) {
  Ref<BufferNode> node = Make<BufferNode>();
  node->name = name;
  node->dtype = dtype;
  Expect("[");
  node->shape = TakeExprList("]");
  if (Accept("(")) {
    do {
      const Token& option = Take();
      Expect("=");
      if (option.Is("name")) {
        node->name = TakeString("the buffer's name");
      } else if (option.Is("data")) {
        const Token& data_at = Peek();
        const std::string data = TakeName("a handle variable");
        if (Accept(":")) {
          const TypeSpec spec = TakeTypeSpec();
          node->data = NewVar(data, spec.dtype, spec.is_size, data_at);
        } else {
          node->data = RefAs<VarNode>(Find(data));
          if (!node->data) UnknownName(data_at, data, "a handle variable");
        }
      } else if (option.Is("strides")) {
        Expect("[");
        node->strides = TakeExprList("]");
      } else if (option.Is("offset")) {
        node->elem_offset = ReadExpr();
      } else if (option.Is("scope")) {
        node->scope = TakeString("a memory scope");
      } else if (option.Is("align")) {
        node->alignment = TakeInteger("a number of bytes");
      } else if (option.Is("offset_factor")) {
        node->offset_factor = TakeInteger("a number of elements");
      } else if (option.Is("separators")) {
        Expect("[");
        node->axis_separators = TakeExprList("]");
      } else {
        static const std::vector<std::string> kOptions = {
            "name", "data", "strides", "offset", "scope", "align", "offset_factor", "separators"};
        const std::vector<std::string> nearest = NearestNames(option.text, kOptions);
        Fail(option, {.name = "text-unknown-field",
                      .message = "a buffer has no `" + std::string(option.text) + "`",
                      .expected = QuotedList(kOptions),
                      .help = nearest.empty() ? "" : "did you mean " + QuotedList(nearest) + "?"});
      }
    } while (Accept(","));
    Expect(")");
  }
  if (!node->data) {
    Ref<VarNode> data = Make<VarNode>();
    data->name = node->name;
    data->dtype = DataType::Handle();
    node->data = Finish(std::move(data), at);
    const std::string usual = name + ".data";
    Define(usual, node->data, at);
  }
  Buffer buffer = Finish(std::move(node), at);
  Define(name, buffer, at);
  return buffer;
}

// NAME [: type] in range(...) [kind] ["tag"]. "in null" if there is no domain.
IterVar Parser::TakeIterDefinition(IterKind usual) {
  const Token& at = Peek();
  const std::string name = TakeName("the name of an iteration variable");
  TypeSpec spec;
  if (Accept(":")) spec = TakeTypeSpec();
  return FinishIter(name, at, spec, usual);
}

IterVar Parser::FinishIter(const std::string& name, const Token& at, TypeSpec spec,
                           IterKind usual) {
  Ref<IterVarNode> node = Make<IterVarNode>();
  node->iter_kind = usual;
  Expect("in");
  if (!Accept("null")) {
    node->domain = TakeRange();
    if (!spec.has_type) spec.dtype = node->domain->extent->dtype;
  }
  for (size_t i = 0; i < std::size(IterVarNode::kIterKindNames); ++i) {
    if (Accept(IterVarNode::kIterKindNames[i])) {
      node->iter_kind = static_cast<IterKind>(i);
      break;
    }
  }
  if (Peek().kind == TokenKind::kString) node->thread_tag = TakeString("a thread tag");
  const std::string own = Accept("named") ? TakeString("the variable's name") : name;
  node->var = NewVar(name, spec.dtype, spec.is_size, at, own);
  IterVar iter = Finish(std::move(node), at);
  DefineIter(name, iter);
  return iter;
}

// The value of a field that defines something: a variable, a buffer, an iteration variable, or NAME
// = Kind(...).
NodeRef Parser::TakeAnyDefinition() {
  if (Accept("null")) return nullptr;
  const Token& at = Peek();
  if (At("%")) {
    const GraphVar var = TakeGraphVarDefinition();
    DefineGraphVar(var, at);
    return var;
  }
  const std::string name = TakeName("a definition");
  if (At("in")) return FinishIter(name, at, {}, IterKind::kData);
  if (Accept("=")) {
    const Token& word = Peek();
    NodeKind kind;
    if (word.kind != TokenKind::kWord || !syntax::KindNamed(word.text, &kind)) {
      Unexpected("the kind of a node");
    }
    Take();
    NodeRef node = TakeGeneric(kind, nullptr);
    if (IsOp(node.get())) {
      DefineOp(name, Op(static_cast<const OpNode*>(node.get())), at);
    } else if (IterVar iter = RefAs<IterVarNode>(node)) {
      Define(name, iter->var, at);
      DefineIter(name, iter);
    } else {
      Define(name, node, at);
    }
    return node;
  }
  if (!At(":")) {
    // A parameter that the shape of an earlier parameter introduced.
    NodeRef known = parameters_ ? Find(name) : nullptr;
    if (As<VarNode>(known) != nullptr) return known;
    Unexpected("`:` and a type");
  }
  Take();
  if (!At("size")) {
    const DataType dtype = TakeType();
    if (At("[")) return FinishBuffer(name, at, dtype);
    if (At("in")) return FinishIter(name, at, {false, true, dtype}, IterKind::kData);
    return NewVar(name, dtype, false, at);
  }
  const TypeSpec spec = TakeTypeSpec();
  if (At("in")) return FinishIter(name, at, spec, IterKind::kData);
  return NewVar(name, spec.dtype, true, at);
}

// A word and a definition, as in `given` lines and programs.
NodeRef Parser::TakeDefinitionLine() {
  if (Accept("var")) return TakeVarDefinition(nullptr);
  if (Accept("buffer")) return TakeBufferDefinition();
  if (Accept("iter")) {
    if (Peek(1).Is("=")) return TakeAnyDefinition();
    return TakeIterDefinition(IterKind::kData);
  }
  if (At("placeholder")) return TakePlaceholder();
  if (At("compute")) return TakeCompute();
  if (Accept("op")) return TakeLabelled(false);
  if (Accept("intrin")) return TakeLabelled(true);
  if (Accept("value")) {
    if (!At("%")) Unexpected("`%` and a name");
    return TakeAnyDefinition();
  }
  Unexpected("`var`, `buffer`, `iter`, `placeholder`, `compute`, `op`, `intrin` or `value`");
}

// NAME = Kind(...). The name is also the node's name, unless its fields give another.
NodeRef Parser::TakeLabelled(bool intrin) {
  const Token& at = Peek();
  const std::string name = TakeName("a name");
  Expect("=");
  const Token& word = Peek();
  NodeKind kind;
  if (word.kind != TokenKind::kWord || !syntax::KindNamed(word.text, &kind) ||
      (intrin ? kind != NodeKind::kTensorIntrinNode : !IsOp(kind))) {
    Unexpected(intrin ? "`TensorIntrin(...)`" : "the kind of an operation");
  }
  Take();
  NodeRef node = TakeGeneric(kind, &name);
  if (intrin)
    Define(name, node, at);
  else
    DefineOp(name, Op(static_cast<const OpNode*>(node.get())), at);
  return node;
}

// -- Values.

// Reads a node of any kind.
NodeRef Parser::ReadValue() {
  const Token& start = Peek();
  if (Accept("null")) return nullptr;
  if (At("%")) return TakeGraphVar();
  if (At("{")) return ReadGraphBlock();
  if (At("range") && Peek(1).Is("(")) return TakeRange();
  if (At("iter") || At("op") || At("intrin")) return TakeReference();
  if (Accept("stmt")) return ReadBlock();
  NodeKind kind;
  if (start.kind == TokenKind::kWord && syntax::KindNamed(start.text, &kind) && !IsExpr(kind)) {
    Take();
    NodeRef node = TakeGeneric(kind, nullptr);
    if (Reducer reducer = RefAs<ReducerNode>(node)) {
      if (!At("(")) return reducer;
      return ReadInfix(TakeReduce(start, reducer->name, reducer), start, syntax::kLowest);
    }
    return node;
  }
  if (AtName() && !Peek(1).Is("[") && !AtCall() && !(parameters_ && Peek(1).Is(":"))) {
    const size_t begin = at_;
    NodeRef node = Find(TakeName("a value"));
    if (node && !IsExpr(node.get())) return node;
    at_ = begin;
  }
  return ReadExpr();
}

IterVar Parser::TakeIterReference() {
  const Token& at = Peek();
  const std::string name = TakeName("an iteration variable");
  auto it = names_.find(name);
  if (it == names_.end() || !it->second.back().iter) UnknownName(at, name, "an iteration variable");
  return it->second.back().iter;
}

NodeRef Parser::TakeReference() {
  const Token& word = Take();
  if (word.Is("iter")) return TakeIterReference();
  const Token& at = Peek();
  const std::string name = TakeName("a name");
  NodeRef node = Find(name);
  if (word.Is("op")) {
    if (const auto* tensor = As<TensorNode>(node)) return tensor->op;
    if (IsOp(node.get())) return node;
  } else if (As<TensorIntrinNode>(node) != nullptr) {
    return node;
  }
  UnknownName(at, name, word.Is("op") ? "an operation" : "a tensor intrinsic");
}

// range(extent), range(begin, end), range(min, extent=extent)
Range Parser::TakeRange() {
  const Token& start = Expect("range");
  Ref<RangeNode> node = Make<RangeNode>();
  auto read = [&] {
    const Token& at = Peek();
    Expr expr = ReadExpr();
    if (!expr->dtype.is_integral() || !expr->dtype.is_scalar()) {
      Fail(at, {.name = "type-mismatch",
                .message = "a range is of integers",
                .expected = "an integer",
                .found = expr->dtype.ToString()});
    }
    return expr;
  };
  Expect("(");
  node->min = read();
  if (Accept(",")) {
    const bool by_extent = At("extent") && Peek(1).Is("=");
    if (by_extent) Take(), Take();
    node->extent = read();
    Adapt(node->min, node->extent);
    if (!by_extent && !IsZero(node->min)) {
      if (node->min->dtype != node->extent->dtype)
        MakeInfix(NodeKind::kSub, node->extent, node->min, start);
      node->extent = node->extent - node->min;
    }
  } else {
    node->extent = std::move(node->min);
    node->min = Int(0, node->extent->dtype);
  }
  Expect(")");
  return Finish(std::move(node), start);
}

std::vector<Expr> Parser::TakeExprList(std::string_view close) {
  std::vector<Expr> out;
  while (!Accept(close)) {
    if (!out.empty()) Expect(",");
    out.push_back(ReadExpr());
  }
  return out;
}

std::vector<NodeRef> Parser::TakeValueList(std::string_view close) {
  std::vector<NodeRef> out;
  while (!Accept(close)) {
    if (!out.empty()) Expect(",");
    out.push_back(ReadValue());
  }
  return out;
}

Dict Parser::TakeDict() {
  Dict out;
  Expect("{");
  while (!Accept("}")) {
    if (!out.empty()) Expect(",");
    const Token& at = Peek();
    std::string key = at.kind == TokenKind::kString ? TakeString("a key") : TakeWord("a key");
    Expect("=");
    NodeRef value = ReadValue();
    if (!value) Fail(at, {.name = "text-ill-formed", .message = "a value must not be null"});
    if (!out.emplace(std::move(key), std::move(value)).second) {
      Fail(at, {.name = "text-duplicate", .message = "the key stands twice in one dictionary"});
    }
  }
  return out;
}

Dict Parser::TakeWith() { return Accept("with") ? TakeDict() : Dict(); }

// Reads the generic form after the kind's name. `label` becomes the field `name` if the text gives
// none.
Ref<Node> Parser::TakeGeneric(NodeKind kind, const std::string* label) {
  const Nesting nesting(*this);
  const Token& start = tokens_[at_ - 1];
  Ref<Node> node = NewNode(kind);
  const std::span<const FieldInfo> fields = FieldsOf(kind);
  std::vector<bool> given(fields.size());
  Expect("(");
  {
    const Scope scope(*this);
    bool first = true;
    while (!Accept(")")) {
      if (!first) Expect(",");
      first = false;
      const Token& at = Peek();
      if (at.kind != TokenKind::kWord) Unexpected("the name of a field");
      size_t i = 0;
      while (i < fields.size() && fields[i].name != at.text) ++i;
      if (i == fields.size()) {
        std::vector<std::string> known;
        for (const FieldInfo& field : fields) known.emplace_back(field.name);
        const std::vector<std::string> nearest = NearestNames(at.text, known);
        Fail(at, {.name = "text-unknown-field",
                  .message = std::string(NodeKindName(kind)) + " has no field `" +
                             std::string(at.text) + "`",
                  .expected = QuotedList(known),
                  .help = nearest.empty() ? "" : "did you mean " + QuotedList(nearest) + "?"});
      }
      if (given[i]) {
        Fail(at, {.name = "text-duplicate",
                  .message = "the field `" + std::string(at.text) + "` is given twice"});
      }
      given[i] = true;
      Take();
      Expect("=");
      TakeField(*node, fields[i]);
    }
  }
  for (size_t i = 0; i < fields.size(); ++i) {
    if (label != nullptr && !given[i] && fields[i].name == std::string_view("name")) {
      fields[i].set_string(*node, *label);
    }
  }
  Check(*node, start);
  return node;
}

void Parser::TakeField(Node& node, const FieldInfo& field) {
  const Token& at = Peek();
  const bool defines = field.role == FieldRole::kDefine;
  auto misfit = [&] {
    Fail(at, {.name = "text-ill-formed",
              .message = std::string("the field `") + field.name + "` of " +
                         NodeKindName(node.node_kind()) + " cannot hold this"});
  };
  switch (field.type) {
    case FieldType::kNode: {
      NodeRef value = defines ? TakeAnyDefinition() : ReadValue();
      if (!field.set_node(node, std::move(value))) misfit();
      break;
    }
    case FieldType::kList: {
      Expect("[");
      std::vector<NodeRef> values;
      while (!Accept("]")) {
        if (!values.empty()) Expect(",");
        values.push_back(defines ? TakeAnyDefinition() : ReadValue());
      }
      if (!field.set_list(node, std::move(values))) misfit();
      break;
    }
    case FieldType::kDict:
      field.set_dict(node, TakeDict());
      break;
    case FieldType::kString:
      field.set_string(node, TakeString("a string"));
      break;
    case FieldType::kInt:
      field.set_integer(node, TakeInteger("an integer"));
      break;
    case FieldType::kFloat: {
      const Expr value = ReadExpr(syntax::kPrimary);
      const auto* number = As<FloatImm>(value);
      if (number == nullptr)
        misfit();
      else
        field.set_number(node, number->value);
      break;
    }
    case FieldType::kBool:
      if (!At("true") && !At("false")) Unexpected("`true` or `false`");
      field.set_boolean(node, Take().Is("true"));
      break;
    case FieldType::kDType:
      field.set_dtype(node, TakeType());
      break;
    case FieldType::kBlob:
      field.set_blob(node, TakeBlob());
      break;
    case FieldType::kEnum: {
      size_t i = 0;
      while (i < field.enum_names.size() && !At(field.enum_names[i])) ++i;
      if (i == field.enum_names.size()) {
        Unexpected(QuotedList({field.enum_names.begin(), field.enum_names.end()}));
      }
      Take();
      field.set_enumerator(node, static_cast<int>(i));
      break;
    }
  }
}

}  // namespace lathe::ir::internal
