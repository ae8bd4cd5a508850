#include "ir/text/syntax.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>

namespace lathe::ir::syntax {
namespace {

constexpr Infix kInfixes[] = {
    {NodeKind::kOr, "or", kOr},
    {NodeKind::kAnd, "and", kAnd},
    {NodeKind::kEQ, "==", kCompare},
    {NodeKind::kNE, "!=", kCompare},
    {NodeKind::kLT, "<", kCompare},
    {NodeKind::kLE, "<=", kCompare},
    {NodeKind::kGT, ">", kCompare},
    {NodeKind::kGE, ">=", kCompare},
    {NodeKind::kAdd, "+", kSum},
    {NodeKind::kSub, "-", kSum},
    {NodeKind::kMul, "*", kProduct},
    {NodeKind::kDiv, "/", kProduct},
    {NodeKind::kFloorDiv, "//", kProduct},
    {NodeKind::kFloorMod, "%", kProduct},
};

struct Function {
  NodeKind kind;
  std::string_view name;
};
constexpr Function kFunctions[] = {
    {NodeKind::kMin, "min"},
    {NodeKind::kMax, "max"},
    {NodeKind::kDiv, "truncdiv"},
    {NodeKind::kMod, "truncmod"},
};

// Words that begin a statement; none of them can be a plain name.
constexpr std::string_view kStatementWords[] = {
    "for",   "parallel", "vectorized", "unrolled", "thread",         "serial",
    "while", "if",       "assert",     "let",      "realize",        "allocate",
    "attr",  "prefetch", "evaluate",   "seq",      "allocate_const", "decl_buffer",
};
// Words between or before expressions. Words that only definitions use (compute, size, tag, ...)
// are not reserved, because no name can stand where they have a meaning.
constexpr std::string_view kOtherWords[] = {
    "else", "in",   "and",  "or", "not",  "true", "false", "with",   "where",
    "over", "stmt", "iter", "op", "null", "nan",  "inf",   "intrin",
};
// Before a bracket these words do not begin a call.
constexpr std::string_view kFunctionWords[] = {"range",    "ramp",  "broadcast", "shuffle",
                                               "select",   "min",   "max",       "truncdiv",
                                               "truncmod", "graph", "fn"};
constexpr std::string_view kGraphWords[] = {"if", "loop", "match", "graph", "new", "constant"};

bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// The length of the printable UTF-8 sequence at the start of `text`; 0 if there is none.
size_t Utf8Length(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  if (lead < 0x80) return lead >= 0x20 && lead != 0x7f ? 1 : 0;
  const size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || text.size() < length) return 0;
  uint32_t code = lead & (0x7fu >> length);
  for (size_t i = 1; i < length; ++i) {
    const auto next = static_cast<unsigned char>(text[i]);
    if ((next & 0xc0) != 0x80) return 0;
    code = (code << 6) | (next & 0x3f);
  }
  constexpr uint32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = code >= 0xd800 && code <= 0xdfff;
  return code < kLeast[length] || code > 0x10ffff || surrogate || code < 0xa0 ? 0 : length;
}

std::string Escape(std::string_view text, char quote) {
  std::string out(1, quote);
  while (!text.empty()) {
    size_t length = 1;
    const char c = text[0];
    if (c == quote || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\t') {
      out += "\\t";
    } else if (c == '\r') {
      out += "\\r";
    } else if (length = Utf8Length(text); length != 0) {
      out += text.substr(0, length);
    } else {
      constexpr char kHex[] = "0123456789abcdef";
      const auto byte = static_cast<unsigned char>(c);
      out += "\\x";
      out += kHex[byte >> 4];
      out += kHex[byte & 15];
      length = 1;
    }
    text.remove_prefix(length);
  }
  out += quote;
  return out;
}

}  // namespace

std::span<const Infix> Infixes() { return kInfixes; }

const Infix* InfixOf(NodeKind kind) {
  for (const Infix& infix : kInfixes) {
    if (infix.kind == kind) return &infix;
  }
  return nullptr;
}

const Infix* InfixOf(std::string_view text) {
  for (const Infix& infix : kInfixes) {
    if (infix.text == text) return &infix;
  }
  return nullptr;
}

std::string_view FunctionOf(NodeKind kind) {
  for (const Function& function : kFunctions) {
    if (function.kind == kind) return function.name;
  }
  return {};
}

bool FunctionNamed(std::string_view name, NodeKind* kind) {
  for (const Function& function : kFunctions) {
    if (function.name == name) {
      *kind = function.kind;
      return true;
    }
  }
  return false;
}

bool IsReserved(std::string_view word) {
  DataType dtype;
  NodeKind kind;
  return std::ranges::find(kStatementWords, word) != std::end(kStatementWords) ||
         std::ranges::find(kOtherWords, word) != std::end(kOtherWords) ||
         DataType::Parse(word, &dtype) || KindNamed(word, &kind);
}

std::vector<std::string> StatementWords() {
  return {std::begin(kStatementWords), std::end(kStatementWords)};
}

bool IsFunctionWord(std::string_view word) {
  return std::ranges::find(kFunctionWords, word) != std::end(kFunctionWords);
}

bool KindNamed(std::string_view name, NodeKind* kind) {
  if (name.empty() || name[0] < 'A' || name[0] > 'Z') return false;
  for (NodeKind candidate : AllNodeKinds()) {
    if (NodeKindName(candidate) == name) {
      *kind = candidate;
      return true;
    }
  }
  return false;
}

bool IsWord(std::string_view name) {
  if (name.empty() || !IsLetter(name[0])) return false;
  for (size_t i = 1; i < name.size(); ++i) {
    const char c = name[i];
    if (c == '.') {
      if (i + 1 == name.size() || name[i - 1] == '.') return false;
    } else if (!IsLetter(c) && !IsDigit(c)) {
      return false;
    }
  }
  return true;
}

bool IsPlainName(std::string_view name) { return IsWord(name) && !IsReserved(name); }

std::string QuoteName(std::string_view name) {
  return IsPlainName(name) ? std::string(name) : Escape(name, '`');
}

bool SplitElement(std::string_view name, std::string_view* tuple, std::string_view* index) {
  const size_t dot = name.rfind('.');
  if (dot == std::string_view::npos || dot == 0 || dot + 1 == name.size()) return false;
  if (!std::ranges::all_of(name.substr(dot + 1), IsDigit)) return false;
  *tuple = name.substr(0, dot);
  *index = name.substr(dot + 1);
  return true;
}

std::string QuoteGraphName(std::string_view name) {
  std::string_view tuple, index;
  const bool word = IsWord(name) && !SplitElement(name, &tuple, &index);
  // As the lexer reads a number: "0x" begins a hexadecimal one.
  const bool number = !name.empty() && IsDigit(name[0]) && !name.starts_with("0x") &&
                      std::ranges::all_of(name, [](char c) { return IsLetter(c) || IsDigit(c); });
  return word || number ? std::string(name) : Escape(name, '`');
}

std::string QuoteOperator(std::string_view name) {
  NodeKind kind;
  return IsWord(name) && !IsGraphWord(name) && !KindNamed(name, &kind) ? std::string(name)
                                                                       : Escape(name, '`');
}

bool IsGraphWord(std::string_view word) {
  return std::ranges::find(kGraphWords, word) != std::end(kGraphWords);
}

std::string QuoteString(std::string_view text) { return Escape(text, '"'); }

std::string SuffixOf(DataType dtype, bool wide) {
  const int plain = wide ? 64 : 32;
  if (dtype.is_int()) return dtype.bits() == plain ? "" : "i" + std::to_string(dtype.bits());
  if (dtype.is_uint()) return "u" + std::to_string(dtype.bits());
  if (dtype.is_bfloat16()) return "bf16";
  if (dtype.is_float8()) return "_" + dtype.ToString();
  return dtype.bits() == plain ? "" : "f" + std::to_string(dtype.bits());
}

bool ParseSuffix(std::string_view suffix, DataType* dtype) {
  if (suffix == "bf16") {
    *dtype = DataType::BFloat16();
    return true;
  }
  if (suffix.empty()) return false;
  std::string name;
  switch (suffix[0]) {
    case 'i':
      name = "int";
      break;
    case 'u':
      name = "uint";
      break;
    case 'f':
      name = "float";
      break;
    case '_':
      break;
    default:
      return false;
  }
  name += suffix.substr(1);
  return DataType::Parse(name, dtype) && dtype->is_scalar() &&
         (dtype->is_integral() || dtype->is_float());
}

std::string FormatInteger(int64_t value, DataType dtype, bool wide) {
  if (dtype.is_bool()) return value != 0 ? "true" : "false";
  const std::string digits =
      dtype.is_uint() ? std::to_string(static_cast<uint64_t>(value)) : std::to_string(value);
  return digits + SuffixOf(dtype, wide);
}

std::string FormatFloat(double value, DataType dtype, bool wide) {
  const bool plain = dtype == DataType::Float(32);
  const auto bits = std::bit_cast<uint64_t>(value);
  std::array<char, 40> buffer;
  if (std::isnan(value)) {
    if (bits == kPlainNan) return plain ? "nan" : "nan<" + dtype.ToString() + ">";
    const auto end = std::to_chars(buffer.begin(), buffer.end(), bits, 16).ptr;
    return "nan<" + dtype.ToString() + ", 0x" + std::string(buffer.begin(), end) + ">";
  }
  if (std::isinf(value)) {
    const std::string sign = value < 0 ? "-" : "";
    return sign + (plain ? "inf" : "inf<" + dtype.ToString() + ">");
  }
  const auto narrow = static_cast<float>(value);
  const auto end = dtype.bits() < 64 && static_cast<double>(narrow) == value
                       ? std::to_chars(buffer.begin(), buffer.end(), narrow).ptr
                       : std::to_chars(buffer.begin(), buffer.end(), value).ptr;
  std::string out(buffer.begin(), end);
  if (out.find_first_of(".e") == std::string::npos) out += ".0";
  return out + SuffixOf(dtype, wide);
}

std::string FormatLanes(DataType dtype) {
  return (dtype.is_scalable() ? "vscalex" : "") + std::to_string(dtype.lanes());
}

std::string HexOf(std::string_view bytes) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string out;
  out.reserve(2 * bytes.size());
  for (const char c : bytes) {
    out += kDigits[static_cast<uint8_t>(c) >> 4];
    out += kDigits[static_cast<uint8_t>(c) & 15];
  }
  return out;
}

bool BytesOfHex(std::string_view digits, std::string* bytes) {
  const auto value_of = [](char c) {
    if (c >= '0' && c <= '9') return c - '0';
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
  };
  if (digits.size() % 2 != 0) return false;
  bytes->clear();
  bytes->reserve(digits.size() / 2);
  for (size_t i = 0; i < digits.size(); i += 2) {
    const int high = value_of(digits[i]), low = value_of(digits[i + 1]);
    if (high < 0 || low < 0) return false;
    *bytes += static_cast<char>(high * 16 + low);
  }
  return true;
}

}  // namespace lathe::ir::syntax
