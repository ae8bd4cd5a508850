#include "ir/text/lexer.h"

#include <algorithm>

#include "ir/text/printer.h"
#include "ir/text/syntax.h"

namespace lathe::ir {
namespace {

bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsContinuation(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

int HexDigit(char c) {
  if (IsDigit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

}  // namespace

void Lexer::Advance(size_t bytes) {
  for (const size_t end = at_ + bytes; at_ < end; ++at_) {
    if (text_[at_] == '\n') {
      ++line_;
      column_ = 1;
    } else if (!IsContinuation(text_[at_])) {
      ++column_;
    }
  }
}

void Lexer::SkipSpace() {
  while (at_ < text_.size()) {
    const char c = text_[at_];
    if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
      Advance(1);
    } else if (c == '#' && !comments_) {
      Advance(std::min(text_.find('\n', at_), text_.size()) - at_);
    } else {
      break;
    }
  }
}

Token Lexer::Take(Token token, TokenKind kind, size_t length) {
  token.kind = kind;
  token.text = text_.substr(at_, length);
  Advance(length);
  return token;
}

Token Lexer::Bad(Token token, size_t length, const char* problem) {
  token = Take(token, TokenKind::kBad, length);
  token.problem = problem;
  return token;
}

Token Lexer::TakeNumber(Token token) {
  size_t end = at_;
  auto peek = [&](size_t ahead) { return end + ahead < text_.size() ? text_[end + ahead] : '\0'; };
  if (peek(0) == '0' && peek(1) == 'x') {
    end += 2;
    while (HexDigit(peek(0)) >= 0) ++end;
    if (end == at_ + 2) return Bad(token, 2, "a hexadecimal number needs digits");
    return Take(token, TokenKind::kNumber, end - at_);
  }
  while (IsDigit(peek(0))) ++end;
  if (peek(0) == '.' && IsDigit(peek(1))) {
    ++end;
    while (IsDigit(peek(0))) ++end;
  }
  if (peek(0) == 'e' || peek(0) == 'E') {
    const size_t sign = peek(1) == '+' || peek(1) == '-' ? 1 : 0;
    if (IsDigit(peek(1 + sign))) {
      end += 1 + sign;
      while (IsDigit(peek(0))) ++end;
    }
  }
  while (IsLetter(peek(0)) || IsDigit(peek(0))) ++end;
  return Take(token, TokenKind::kNumber, end - at_);
}

Token Lexer::TakeQuoted(Token token, char quote) {
  size_t end = at_ + 1;
  while (end < text_.size() && text_[end] != quote && text_[end] != '\n') {
    end += text_[end] == '\\' && end + 1 < text_.size() && text_[end + 1] != '\n' ? 2 : 1;
  }
  if (end >= text_.size() || text_[end] != quote) {
    return Bad(token, end - at_,
               quote == '"' ? "the string has no end on its line"
                            : "the quoted name has no end on its line");
  }
  return Take(token, quote == '"' ? TokenKind::kString : TokenKind::kQuotedName, end + 1 - at_);
}

Token Lexer::Next() {
  SkipSpace();
  Token token;
  token.offset = at_;
  token.line = line_;
  token.column = column_;
  if (at_ >= text_.size()) return token;
  const char c = text_[at_];
  const char next = at_ + 1 < text_.size() ? text_[at_ + 1] : '\0';
  if (c == '#') {
    return Take(token, TokenKind::kComment, std::min(text_.find('\n', at_), text_.size()) - at_);
  }
  if (IsLetter(c)) {
    size_t end = at_ + 1;
    while (end < text_.size()) {
      const bool dot = text_[end] == '.' && end + 1 < text_.size() &&
                       (IsLetter(text_[end + 1]) || IsDigit(text_[end + 1]));
      if (!dot && !IsLetter(text_[end]) && !IsDigit(text_[end])) break;
      ++end;
    }
    return Take(token, TokenKind::kWord, end - at_);
  }
  if (IsDigit(c)) return TakeNumber(token);
  if (c == '"' || c == '`') return TakeQuoted(token, c);
  const bool pair = (next == '=' && (c == '=' || c == '!' || c == '<' || c == '>')) ||
                    (c == '/' && next == '/') || ((c == '-' || c == '=') && next == '>');
  if (pair) return Take(token, TokenKind::kSign, 2);
  // %`a name`.0 is an element of a tuple. In words the dot is part of the token.
  const char before = at_ > 0 ? text_[at_ - 1] : ' ';
  const bool element =
      c == '.' && IsDigit(next) && (before == '`' || IsLetter(before) || IsDigit(before));
  if (element || std::string_view("()[]{},:;=<>+-*/%@").find(c) != std::string_view::npos) {
    return Take(token, TokenKind::kSign, 1);
  }
  if (c == '&') return Bad(token, next == '&' ? 2 : 1, "conjunction is written `and`");
  if (c == '|') return Bad(token, next == '|' ? 2 : 1, "disjunction is written `or`");
  if (c == '!') return Bad(token, 1, "negation is written `not`");
  size_t length = 1;
  while (at_ + length < text_.size() && IsContinuation(text_[at_ + length])) ++length;
  return Bad(token, length, "names with such characters are written in backquotes");
}

bool Unquote(std::string_view token, std::string* out, const char** problem) {
  out->clear();
  const std::string_view body = token.substr(1, token.size() - 2);
  for (size_t i = 0; i < body.size(); ++i) {
    if (body[i] != '\\') {
      *out += body[i];
      continue;
    }
    const char escape = ++i < body.size() ? body[i] : '\0';
    switch (escape) {
      case 'n':
        *out += '\n';
        break;
      case 't':
        *out += '\t';
        break;
      case 'r':
        *out += '\r';
        break;
      case '"':
      case '`':
      case '\\':
        *out += escape;
        break;
      case 'x': {
        const int high = i + 1 < body.size() ? HexDigit(body[i + 1]) : -1;
        const int low = i + 2 < body.size() ? HexDigit(body[i + 2]) : -1;
        if (high < 0 || low < 0) {
          *problem = "`\\x` needs two hexadecimal digits";
          return false;
        }
        *out += static_cast<char>(high * 16 + low);
        i += 2;
        break;
      }
      default:
        *problem = "the escapes are \\n \\t \\r \\\" \\` \\\\ and \\xHH";
        return false;
    }
  }
  return true;
}

std::string LineAt(std::string_view text, size_t offset) {
  constexpr size_t kMost = 1000;
  offset = std::min(offset, text.size());
  size_t begin = offset;
  while (begin > 0 && text[begin - 1] != '\n') --begin;
  if (offset - begin > kMost) return "";  // the caret would be far outside the screen
  const size_t end = std::min({text.find('\n', offset), text.size(), begin + 2 * kMost});
  return std::string(text.substr(begin, end - begin));
}

std::string Colorize(const std::string& text) {
  std::string out;
  size_t copied = 0;
  Lexer lexer(text, /*comments=*/true);
  for (Token token = lexer.Next(); token.kind != TokenKind::kEnd; token = lexer.Next()) {
    const char* color = nullptr;
    DataType dtype;
    switch (token.kind) {
      case TokenKind::kWord:
        if (DataType::Parse(token.text, &dtype))
          color = "\x1b[36m";
        else if (syntax::IsReserved(token.text))
          color = "\x1b[1;34m";
        break;
      case TokenKind::kNumber:
        color = "\x1b[35m";
        break;
      case TokenKind::kString:
        color = "\x1b[32m";
        break;
      case TokenKind::kComment:
        color = "\x1b[90m";
        break;
      default:
        break;
    }
    if (color == nullptr) continue;
    out.append(text, copied, token.offset - copied);
    out += color;
    out += token.text;
    out += "\x1b[0m";
    copied = token.offset + token.text.size();
  }
  out.append(text, copied);
  return out;
}

}  // namespace lathe::ir
