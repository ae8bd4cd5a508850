// The base of the parser: tokens, errors, names, entry points.

#include "ir/text/parser.h"

#include <algorithm>
#include <charconv>

#include "base/poll.h"
#include "ir/text/parser_impl.h"

namespace lathe::ir {
namespace internal {

namespace {

constexpr int kMostNesting = 600;

std::string Describe(const Token& token) {
  switch (token.kind) {
    case TokenKind::kEnd:
      return "the end of the text";
    case TokenKind::kString:
      return "the string " + std::string(token.text);
    case TokenKind::kNumber:
      return "the number `" + std::string(token.text) + "`";
    default:
      return "`" + std::string(token.text) + "`";
  }
}

}  // namespace

Parser::Nesting::Nesting(Parser& parser) : parser_(parser) {
  if (parser.depth_ >= kMostNesting) {
    parser.Fail(parser.Peek(),
                {.name = "text-too-deep",
                 .message = "the text is nested too deeply",
                 .expected = "at most " + std::to_string(kMostNesting) + " levels",
                 .help = "name parts of the expression with `let`, or move blocks into functions"});
  }
  ++parser.depth_;
}

Parser::Parser(std::string_view text, const std::string& filename)
    : text_(text), filename_(filename) {
  Lexer lexer(text);
  do {
    tokens_.push_back(lexer.Next());
  } while (tokens_.back().kind != TokenKind::kEnd);
  scopes_.emplace_back();
}

// -- Tokens.

bool Parser::AtName(size_t ahead) const {
  const Token& token = Peek(ahead);
  return token.kind == TokenKind::kQuotedName ||
         (token.kind == TokenKind::kWord && !syntax::IsReserved(token.text));
}

const Token& Parser::Take() {
  const Token& token = Peek();
  if (token.kind == TokenKind::kBad) Unexpected("");
  if (at_ + 1 < tokens_.size()) ++at_;
  return token;
}

bool Parser::Accept(std::string_view text) {
  if (!At(text)) return false;
  Take();
  return true;
}

const Token& Parser::Expect(std::string_view text) {
  if (!At(text)) Unexpected("`" + std::string(text) + "`");
  return Take();
}

std::string Parser::TakeName(std::string_view what) {
  const Token& token = Peek();
  if (token.kind == TokenKind::kQuotedName) {
    std::string name;
    const char* problem = nullptr;
    if (!Unquote(token.text, &name, &problem)) {
      Fail(token,
           {.name = "text-bad-token", .message = "the name has a wrong escape", .help = problem});
    }
    Take();
    return name;
  }
  if (!AtName()) {
    const bool reserved = token.kind == TokenKind::kWord;
    Unexpected(what, reserved
                         ? "`" + std::string(token.text) +
                               "` is a word of the language; as a name it is written in backquotes"
                         : "");
  }
  return std::string(Take().text);
}

std::string Parser::TakeString(std::string_view what) {
  const Token& token = Peek();
  if (token.kind != TokenKind::kString) Unexpected(what);
  std::string out;
  const char* problem = nullptr;
  if (!Unquote(token.text, &out, &problem)) {
    Fail(token,
         {.name = "text-bad-token", .message = "the string has a wrong escape", .help = problem});
  }
  Take();
  return out;
}

int64_t Parser::TakeInteger(std::string_view what) {
  const bool negative = Accept("-");
  const Token& token = Peek();
  if (token.kind != TokenKind::kNumber) Unexpected(what);
  const std::string digits = (negative ? "-" : "") + std::string(token.text);
  int64_t value = 0;
  const char* end = digits.data() + digits.size();
  const auto result = std::from_chars(digits.data(), end, value);
  if (result.ec != std::errc() || result.ptr != end) {
    Fail(token, {.name = "text-bad-number",
                 .message = "not a plain 64-bit integer",
                 .expected = std::string(what),
                 .found = Describe(token)});
  }
  Take();
  return value;
}

bool Parser::AtType(size_t ahead) const {
  DataType dtype;
  return Peek(ahead).kind == TokenKind::kWord && DataType::Parse(Peek(ahead).text, &dtype);
}

DataType Parser::TakeType() {
  const Token& token = Peek();
  DataType dtype;
  if (token.kind != TokenKind::kWord) Unexpected("a type");
  if (!DataType::Parse(token.text, &dtype)) {
    static const std::vector<std::string> kKnown = {
        "bool",     "int8",          "int16",       "int32",   "int64",    "uint8",
        "uint16",   "uint32",        "uint64",      "float16", "float32",  "float64",
        "bfloat16", "float8_e4m3fn", "float8_e5m2", "handle",  "void",     "int4",
        "uint4",    "int1",          "uint1",       "int32x4", "float32x4"};
    const std::vector<std::string> nearest = NearestNames(token.text, kKnown);
    Fail(token, {.name = "text-unknown-type",
                 .message = "`" + std::string(token.text) + "` is no type",
                 .expected = "a type such as float32, int8x16, float32xvscalex4, bool or handle",
                 .help = nearest.empty() ? "" : "did you mean " + QuotedList(nearest) + "?"});
  }
  Take();
  return dtype;
}

// -- Errors.

void Parser::Fail(const Token& at, Diagnostic diagnostic) const {
  diagnostic.where.file = filename_;
  diagnostic.where.line = static_cast<int>(at.line);
  diagnostic.where.column = static_cast<int>(at.column);
  diagnostic.where.text = LineAt(text_, at.offset);
  throw Error(std::move(diagnostic));
}

void Parser::Unexpected(std::string_view expected, std::string help) const {
  const Token& token = Peek();
  if (token.kind == TokenKind::kBad) {
    Fail(token, {.name = "text-bad-token",
                 .message = "this cannot be read",
                 .expected = std::string(expected),
                 .found = Describe(token),
                 .help = token.problem});
  }
  Fail(token, {.name = "text-unexpected",
               .message = "the text does not go on as it must",
               .expected = std::string(expected),
               .found = Describe(token),
               .help = std::move(help)});
}

void Parser::UnknownName(const Token& at, const std::string& name, std::string_view what) const {
  std::vector<std::string> known;
  for (const auto& [candidate, bindings] : names_) {
    if (!bindings.empty() && bindings.back().node) known.push_back(candidate);
  }
  std::ranges::sort(known);
  const std::vector<std::string> nearest = NearestNames(name, known);
  std::string help = nearest.empty() ? "it must be defined before it is used"
                                     : "did you mean " + QuotedList(nearest) + "?";
  if (parameters_) help = "write `" + name + ": size` where a parameter's shape first mentions it";
  Fail(at, {.name = "text-unknown-name",
            .message = "`" + name + "` is not defined here",
            .expected = std::string(what),
            .help = std::move(help)});
}

void Parser::Check(Node& node, const Token& at) const {
  node.span = {at.line, at.column};
  for (const FieldInfo& field : FieldsOf(node.node_kind())) {
    if (field.type == FieldType::kNode && !field.nullable && field.node(node) == nullptr) {
      Fail(at, {.name = "text-missing-field",
                .message = std::string(NodeKindName(node.node_kind())) + " needs its field `" +
                           field.name + "`",
                .expected = "`" + std::string(field.name) + "=...`"});
    }
  }
  if (std::string problem = CheckNode(node); !problem.empty()) {
    Fail(at, {.name = "text-ill-formed",
              .message = std::string("this is no sound ") + NodeKindName(node.node_kind()) + ": " +
                         problem,
              .help = "change the operands so that they agree"});
  }
}

// -- Names.

void Parser::CloseScope() {
  for (const std::string& name : scopes_.back()) {
    auto it = names_.find(name);
    it->second.pop_back();
    if (it->second.empty()) names_.erase(it);
  }
  scopes_.pop_back();
}

void Parser::Define(const std::string& name, NodeRef node, const Token& at) {
  std::vector<Binding>& bindings = names_[name];
  // Reserve first: if memory runs out here, the scope must not contain a name without its binding.
  if (bindings.size() == bindings.capacity()) bindings.reserve(2 * bindings.size() + 1);
  if (!scopes_.back().insert(name).second) {
    Fail(at, {.name = "text-duplicate",
              .message = "`" + name + "` is defined twice in one place",
              .help = "give one of the two another name"});
  }
  bindings.push_back({std::move(node), nullptr});
}

void Parser::DefineOp(const std::string& name, const Op& op, const Token& at) {
  const int64_t outputs = NumOutputs(*op);
  if (outputs == 1) return Define(name, OutputOf(op, 0), at);
  Define(name, op, at);
  for (int64_t i = 0; i < outputs; ++i) {
    Define(name + ".v" + std::to_string(i), OutputOf(op, i), at);
  }
}

void Parser::DefineIter(const std::string& name, IterVar iter) {
  names_[name].back().iter = std::move(iter);
}

NodeRef Parser::Find(const std::string& name) const {
  auto it = names_.find(name);
  return it == names_.end() ? nullptr : it->second.back().node;
}

void Parser::DefineFree(const std::vector<NodeRef>& free) {
  for (const NodeRef& node : free) {
    const Token& at = tokens_.front();
    if (const auto* var = As<VarNode>(node)) {
      Define(var->name, node, at);
    } else if (const auto* buffer = As<BufferNode>(node)) {
      Define(buffer->name, node, at);
      const std::string data = buffer->name + ".data";
      if (!Find(data)) Define(data, buffer->data, at);
    } else if (IterVar iter = RefAs<IterVarNode>(node)) {
      Define(iter->var->name, iter->var, at);
      DefineIter(iter->var->name, iter);
    } else if (const auto* tensor = As<TensorNode>(node)) {
      Define(tensor->name(), node, at);
    } else if (const auto* intrin = As<TensorIntrinNode>(node)) {
      Define(intrin->name, node, at);
    } else if (GraphVar value = RefAs<GraphVarNode>(node)) {
      DefineGraphVar(value, at);
    } else if (IsOp(node.get())) {
      const Op op(static_cast<const OpNode*>(node.get()));
      DefineOp(op->name, op, at);
    }
  }
}

void Parser::Givens() {
  while (At("given") && Peek(1).kind == TokenKind::kWord) {
    Take();
    if (Accept("data"))
      TakeData();
    else
      TakeDefinitionLine();
  }
}

// "DIGEST" "bytes in hexadecimal": the data of a constant. Its node names the digest.
void Parser::TakeData() {
  const Token& at = Peek();
  const std::string name = TakeString("the digest of a constant's data");
  const Token& data_at = Peek();
  std::string bytes;
  if (!syntax::BytesOfHex(TakeString("the data in hexadecimal"), &bytes)) {
    Fail(data_at, {.name = "text-bad-token",
                   .message = "the data cannot be read",
                   .expected = "pairs of the digits 0 to 9 and a to f"});
  }
  data_.push_back(Blob::Copy(bytes));
  if (const std::string found = data_.back()->digest().ToString(); found != name) {
    Fail(at, {.name = "text-ill-formed",
              .message = "the data is not that of its digest",
              .expected = "`" + name + "`",
              .found = "`" + found + "`",
              .help = "the text was changed or damaged; print it again"});
  }
}

Ref<const Blob> Parser::TakeBlob() {
  const Token& at = Peek();
  const std::string name = TakeString("the digest of a constant's data");
  Digest digest;
  if (!Digest::Parse(name, &digest)) {
    Fail(at, {.name = "text-ill-formed",
              .message = "this is no digest",
              .expected = "32 hexadecimal digits"});
  }
  Ref<const Blob> blob = Blob::Find(digest);
  if (!blob) {
    Fail(at, {.name = "constant-not-here",
              .message = "the text names a constant whose data is not in it",
              .expected = "a line `given data \"" + name + "\" \"...\"` before it",
              .help = "print the text with its data: large data is left out unless asked for "
                      "(PrintOptions::max_data)"});
  }
  return blob;
}

void Parser::ExpectEnd() {
  if (Peek().kind != TokenKind::kEnd) Unexpected("the end of the text");
}

NodeRef Parser::ReadRoot() {
  if (At("func")) return ReadFunc();
  if (At("module")) return ReadModule();
  if (At("program")) return ReadProgram();
  if (AtGraphModule()) return ReadGraphModule();
  if (At("graph") && (Peek(1).Is("(") || AtName(1))) return ReadGraphFunc();
  if (At("type") && AtName(1) && Peek(2).Is("{")) return ReadDataType();
  if (At("{")) return ReadGraphBlock();
  if (At("%") && Peek(2).kind != TokenKind::kEnd) return ReadGraphBinding();
  if ((AtType() && Peek(1).Is("[")) || (At("fn") && Peek(1).Is("(")) || AtTupleType()) {
    return ReadGraphType();
  }
  for (const char* word : {"var", "buffer", "iter", "placeholder", "compute", "op", "intrin"}) {
    // Neither the variable `var` nor the reference "op C" is a definition.
    if (At(word) && AtName(1) && Peek(2).kind != TokenKind::kEnd) return TakeDefinitionLine();
  }
  return ReadValue();
}

}  // namespace internal

namespace {

template <class F>
auto Parse(std::string_view text, const std::string& filename, const std::vector<NodeRef>& free,
           F read) {
  internal::Parser parser(text, filename);
  try {
    parser.DefineFree(free);
    parser.Givens();
    auto result = read(parser);
    parser.ExpectEnd();
    return result;
  } catch (const Interruption&) {
    throw;
  } catch (const Error& error) {
    if (error.diagnostic().where.line == 0) parser.Place(error);
    throw;
  }
}

}  // namespace

Module ParseModule(std::string_view text, const std::string& filename) {
  return Parse(text, filename, {}, [](internal::Parser& parser) { return parser.ReadModule(); });
}

Func ParseFunc(std::string_view text, const std::string& filename) {
  return Parse(text, filename, {}, [](internal::Parser& parser) { return parser.ReadFunc(); });
}

Program ParseProgram(std::string_view text, const std::string& filename) {
  return Parse(text, filename, {}, [](internal::Parser& parser) { return parser.ReadProgram(); });
}

GraphModule ParseGraphModule(std::string_view text, const std::string& filename) {
  return Parse(text, filename, {},
               [](internal::Parser& parser) { return parser.ReadGraphModule(); });
}

Stmt ParseStmt(std::string_view text, const std::string& filename,
               const std::vector<NodeRef>& free) {
  return Parse(text, filename, free, [](internal::Parser& parser) { return parser.ReadLines(); });
}

Expr ParseExpr(std::string_view text, const std::string& filename,
               const std::vector<NodeRef>& free) {
  return Parse(text, filename, free, [](internal::Parser& parser) { return parser.ReadExpr(); });
}

Ref<const StepNode> ParseStep(std::string_view text, const std::string& filename,
                              const std::vector<NodeRef>& free) {
  return Parse(text, filename, free, [](internal::Parser& parser) { return parser.ReadStep(); });
}

NodeRef ParseNode(std::string_view text, const std::string& filename,
                  const std::vector<NodeRef>& free) {
  return Parse(text, filename, free, [](internal::Parser& parser) { return parser.ReadRoot(); });
}

}  // namespace lathe::ir
