// Expressions: precedence climbing for infix operators. Everything else begins with a word, a
// constant or a bracket.

#include <bit>
#include <charconv>
#include <cmath>
#include <limits>

#include "base/float_formats.h"
#include "ir/reducers.h"
#include "ir/text/parser_impl.h"

namespace lathe::ir::internal {

namespace {

DataType WithLanesOf(DataType element, DataType lanes) {
  return DataType(DLDataType{element.dl().code, element.dl().bits, lanes.dl().lanes});
}

}  // namespace

Expr NewBinary(NodeKind kind, Expr a, Expr b, Span span) {
  const bool boolean = kind >= NodeKind::kEQ && kind <= NodeKind::kOr;
  Ref<Node> node = NewNode(kind);
  node->span = span;
  auto& expr = static_cast<ExprNode&>(*node);
  expr.dtype = boolean ? WithLanesOf(DataType::Bool(), a->dtype) : a->dtype;
  for (const FieldInfo& field : FieldsOf(kind)) {
    if (field.name == std::string_view("a")) field.set_node(*node, a);
    if (field.name == std::string_view("b")) field.set_node(*node, b);
  }
  return RefExpr(node);
}

Expr Parser::ReadExpr(int level) {
  const Nesting nesting(*this);
  const Token& start = Peek();
  return ReadInfix(ReadPrefix(level), start, level);
}

Expr Parser::ReadInfix(Expr left, const Token& start, int level) {
  for (;;) {
    const Token& token = Peek();
    if (token.kind != TokenKind::kSign && token.kind != TokenKind::kWord) return left;
    const syntax::Infix* infix = syntax::InfixOf(token.text);
    if (infix == nullptr || infix->precedence < level) return left;
    Take();
    Expr right = ReadExpr(infix->precedence + 1);
    left = MakeInfix(infix->kind, std::move(left), std::move(right), start);
    if (infix->precedence == syntax::kCompare) {
      const syntax::Infix* next =
          Peek().kind == TokenKind::kSign ? syntax::InfixOf(Peek().text) : nullptr;
      if (next != nullptr && next->precedence == syntax::kCompare) {
        Unexpected("an end of the comparison", "comparisons do not chain: write `a < b and b < c`");
      }
    }
  }
}

Expr Parser::AdaptTo(const Expr& expr, DataType dtype) const {
  if (expr->dtype == dtype || !dtype.is_scalar()) return expr;
  if (const auto* imm = As<IntImm>(expr);
      imm != nullptr && imm->dtype == DataType::Int(wide_ ? 64 : 32)) {
    Ref<Node> adapted;
    if (dtype.is_float()) {
      Ref<FloatImm> number = Make<FloatImm>();
      number->dtype = dtype;
      number->value = RoundToType(static_cast<double>(imm->value), dtype);
      adapted = number;
    } else if (dtype.is_integral()) {
      Ref<IntImm> number = Make<IntImm>();
      number->dtype = dtype;
      number->value = imm->value;
      if ((dtype.is_uint() && imm->value < 0) || !CheckNode(*number).empty()) return expr;
      adapted = number;
    } else {
      return expr;
    }
    adapted->span = expr->span;
    return RefExpr(adapted);
  }
  if (auto it = float_literals_.find(expr.get()); it != float_literals_.end() && dtype.is_float()) {
    const std::string_view digits = it->second.second;
    double value = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), value);
    Ref<FloatImm> number = Make<FloatImm>();
    number->dtype = dtype;
    number->value = RoundToType(std::signbit(As<FloatImm>(expr)->value) ? -value : value, dtype);
    number->span = expr->span;
    return number;
  }
  return expr;
}

void Parser::Adapt(Expr& a, Expr& b) const {
  if (a->dtype == b->dtype) return;
  const Expr first = AdaptTo(a, b->dtype);
  if (first.same_as(a))
    b = AdaptTo(b, a->dtype);
  else
    a = first;
}

Expr Parser::MakeInfix(NodeKind kind, Expr a, Expr b, const Token& at) {
  Adapt(a, b);
  if (a->dtype != b->dtype) {
    Fail(at, {.name = "type-mismatch",
              .message = "the operands have different types",
              .expected = "two operands of one type",
              .found = a->dtype.ToString() + " and " + b->dtype.ToString(),
              .help = "cast one of them, as in " + a->dtype.ToString() + "(...)"});
  }
  if (kind == NodeKind::kDiv && a->dtype.is_integral()) {
    Fail(at, {.name = "type-mismatch",
              .message = "`/` on integers could round either way",
              .expected = "floating operands",
              .found = a->dtype.ToString(),
              .help = "use `//` (rounds down) or truncdiv(a, b) (toward zero, as in C)"});
  }
  Expr out = NewBinary(kind, std::move(a), std::move(b), {at.line, at.column});
  Check(const_cast<ExprNode&>(*out), at);
  return out;
}

Expr Parser::ReadPrefix(int level) {
  const Token& start = Peek();
  if (start.Is("not") && level <= syntax::kNot) {
    Take();
    Ref<Not> node = Make<Not>();
    node->a = ReadExpr(syntax::kNot);
    node->dtype = WithLanesOf(DataType::Bool(), node->a->dtype);
    return Finish(std::move(node), start);
  }
  if (start.Is("let") && level <= syntax::kLowest) return TakeLet();
  if (start.Is("-")) {
    Take();
    if (Peek().kind == TokenKind::kNumber) return TakeNumber(true);
    if (At("inf") || At("nan")) return TakeSpecialFloat(true);
    Expr value = ReadExpr(syntax::kPrimary);
    Expr zero = Const(0, value->dtype.element_of());
    if (!value->dtype.is_scalar()) {
      Ref<Broadcast> wide = Make<Broadcast>();
      wide->dtype = value->dtype;
      wide->value = zero;
      zero = wide;
    }
    return MakeInfix(NodeKind::kSub, zero, value, start);
  }
  return ReadPrimary();
}

Expr Parser::TakeNumber(bool negative) {
  const Token& token = Take();
  const std::string_view text = token.text;
  auto bad = [&](const char* message) {
    Fail(token,
         {.name = "text-bad-number",
          .message = message,
          .found = "`" + std::string(text) + "`",
          .help = "constants look like 5, 5i64, 5u8, 1.5, 1e-3f64, 1.5bf16, 1.5_float8_e4m3fn"});
  };
  if (text.starts_with("0x")) bad("hexadecimal constants are not part of the language");
  const size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
  const bool has_point = digits < text.size() && text[digits] == '.';
  size_t end = digits;
  if (has_point) end = std::min(text.find_first_not_of("0123456789", digits + 1), text.size());
  bool has_exponent = false;
  if (end < text.size() && (text[end] == 'e' || text[end] == 'E')) {
    size_t at = end + 1;
    if (at < text.size() && (text[at] == '+' || text[at] == '-')) ++at;
    const size_t after = std::min(text.find_first_not_of("0123456789", at), text.size());
    if (after > at) has_exponent = true, end = after;
  }
  const std::string_view number = text.substr(0, end);
  const std::string_view suffix = text.substr(end);
  const bool floating = has_point || has_exponent;
  const int bits = wide_ ? 64 : 32;
  DataType dtype = floating ? DataType::Float(bits) : DataType::Int(bits);
  if (!suffix.empty() && !syntax::ParseSuffix(suffix, &dtype))
    bad("the constant's suffix is no type");
  if (dtype.is_integral() && floating) bad("an integer constant has no fraction and no exponent");
  if (dtype.is_integral()) {
    uint64_t value = 0;
    if (std::from_chars(number.data(), number.data() + number.size(), value).ec != std::errc()) {
      bad("the constant does not fit 64 bits");
    }
    constexpr uint64_t kHalf = uint64_t{1} << 63;
    const bool fits =
        dtype.is_uint() ? !negative || value == 0 : value < kHalf + (negative ? 1 : 0);
    Ref<IntImm> node = Make<IntImm>();
    node->dtype = dtype;
    node->value = static_cast<int64_t>(negative ? 0 - value : value);
    const bool uint64 = dtype == DataType::UInt(64);
    if (!fits || (!uint64 && dtype.is_uint() && node->value < 0) || !CheckNode(*node).empty()) {
      bad("the constant does not fit its type");
    }
    return Finish(std::move(node), token);
  }
  double value = 0;
  std::errc error;
  if (dtype.bits() == 64) {
    error = std::from_chars(number.data(), number.data() + number.size(), value).ec;
  } else {
    // Through float32: the printer writes shortest float32 decimals for narrower types too.
    float narrow = 0;
    error = std::from_chars(number.data(), number.data() + number.size(), narrow).ec;
    value = narrow;
  }
  if (error != std::errc()) bad("the constant is out of its type's range");
  Ref<FloatImm> node = Make<FloatImm>();
  node->dtype = dtype;
  node->value = RoundToType(negative ? -value : value, dtype);
  Expr out = Finish(std::move(node), token);
  if (suffix.empty()) float_literals_[out.get()] = {out, number};
  return out;
}

// inf, inf<float64>, nan, nan<float16>, nan<float32, 0x7ff8000000000001>
Expr Parser::TakeSpecialFloat(bool negative) {
  const Token& start = Take();
  Ref<FloatImm> node = Make<FloatImm>();
  node->dtype = DataType::Float(32);
  uint64_t bits = start.text == "inf"
                      ? std::bit_cast<uint64_t>(std::numeric_limits<double>::infinity())
                      : syntax::kPlainNan;
  if (At("<") && AtType(1)) {
    Take();
    node->dtype = TakeType();
    if (start.text == "nan" && Accept(",")) {
      const Token& token = Peek();
      const char* begin = token.text.data();
      const char* end = begin + token.text.size();
      const bool hex = token.kind == TokenKind::kNumber && token.text.starts_with("0x");
      const auto parsed = std::from_chars(hex ? begin + 2 : end, end, bits, 16);
      if (!hex || parsed.ec != std::errc() || parsed.ptr != end ||
          !std::isnan(std::bit_cast<double>(bits))) {
        Fail(token, {.name = "text-bad-number",
                     .message = "these are not the bits of a NaN",
                     .expected = "the 64 bits of a double NaN, as 0x7ff8000000000001",
                     .found = "`" + std::string(token.text) + "`"});
      }
      Take();
    }
    Expect(">");
  }
  if (negative) bits ^= uint64_t{1} << 63;
  node->value = std::bit_cast<double>(bits);
  return Finish(std::move(node), start);
}

Expr Parser::ReadPrimary() {
  const Token& start = Peek();
  switch (start.kind) {
    case TokenKind::kNumber:
      return TakeNumber(false);
    case TokenKind::kString: {
      Ref<StringImm> node = Make<StringImm>();
      node->value = TakeString("a string");
      return Finish(std::move(node), start);
    }
    case TokenKind::kQuotedName:
    case TokenKind::kWord:
      return ReadWord();
    default:
      break;
  }
  if (Accept("(")) {
    Expr inner = ReadExpr();
    Expect(")");
    return inner;
  }
  Unexpected("an expression");
}

bool Parser::AtCall() const {
  // name( or name<type>(
  if (Peek(1).Is("(")) return true;
  return Peek(1).Is("<") && AtType(2) && Peek(3).Is(">") && Peek(4).Is("(");
}

Expr Parser::ReadWord() {
  const Token& start = Peek();
  if (start.kind == TokenKind::kWord) {
    if (start.Is("true") || start.Is("false")) {
      Take();
      Ref<IntImm> node = Make<IntImm>();
      node->dtype = DataType::Bool();
      node->value = start.Is("true") ? 1 : 0;
      return Finish(std::move(node), start);
    }
    if (start.Is("inf") || start.Is("nan")) return TakeSpecialFloat(false);
    if (AtType()) return TakeCast(start);
    const bool applied = Peek(1).Is("(");
    if (applied &&
        (start.Is("ramp") || start.Is("broadcast") || start.Is("shuffle") || start.Is("select"))) {
      return TakeVector(start);
    }
    NodeKind kind;
    if (applied && syntax::FunctionNamed(start.text, &kind)) return TakeFunction(start);
    if (syntax::KindNamed(start.text, &kind)) {
      Take();
      NodeRef node = TakeGeneric(kind, nullptr);
      if (Reducer reducer = RefAs<ReducerNode>(node)) {
        return TakeReduce(start, reducer->name, reducer);
      }
      Expr expr = RefExpr(node);
      if (!expr) {
        Fail(start, {.name = "text-unexpected",
                     .message = "the text does not go on as it must",
                     .expected = "an expression",
                     .found = "a " + std::string(start.text)});
      }
      return expr;
    }
    if (start.Is("not") || start.Is("let")) Unexpected("an operand", "put it in parentheses");
    if (syntax::IsReserved(start.text)) Unexpected("an expression");
  }
  if (AtCall()) return TakeCall(false);
  const std::string name = TakeName("an expression");
  if (parameters_ && At(":")) {
    if (Find(name)) {
      Fail(start, {.name = "text-duplicate",
                   .message = "`" + name + "` is defined twice in one place",
                   .help = "give the type only where the name comes first"});
    }
    Take();
    const TypeSpec spec = TakeTypeSpec();
    return NewVar(name, spec.dtype, spec.is_size, start);
  }
  if (new_sizes_ != nullptr && !At("[") && !Find(name)) DefineNewSize(name, start);
  NodeRef node = Find(name);
  if (!node) UnknownName(start, name, At("[") ? "a buffer or a tensor" : "a variable");
  if (At("[")) return TakeAccess(start, std::move(node));
  Expr expr = RefExpr(node);
  if (!expr) {
    Fail(start, {.name = "text-unexpected",
                 .message = "`" + name + "` is no value by itself",
                 .expected = "an expression",
                 .found = std::string("a ") + NodeKindName(node->node_kind()),
                 .help = "read an element: `" + name + "[...]`"});
  }
  return expr;
}

}  // namespace lathe::ir::internal
