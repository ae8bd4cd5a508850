// Splits text into words, numbers, strings and signs. Comments run from `#` to the end of the line.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/error.h"

namespace lathe::ir {

enum class TokenKind : uint8_t {
  kEnd,
  kWord,        // a plain name or a reserved word; may have inner dots
  kQuotedName,  // `...`
  kNumber,      // with its suffix
  kString,      // "..."
  kSign,        // ( ) [ ] { } , : ; = < > + - * / % @ and == != <= >= // -> =>; also a dot
                // between a name and a number, if it is not part of another token
  kComment,     // only if the caller asked for comments
  kBad,         // not a token of this language; see `problem`
};

struct Token {
  TokenKind kind = TokenKind::kEnd;
  std::string_view text;  // as written, quotes included
  size_t offset = 0;      // in bytes
  uint32_t line = 1;
  uint32_t column = 1;  // in characters
  const char* problem = nullptr;

  bool Is(std::string_view sign_or_word) const {
    return (kind == TokenKind::kSign || kind == TokenKind::kWord) && text == sign_or_word;
  }
};

// Does not own the text, which must outlive the Lexer and its tokens.
class Lexer {
 public:
  explicit Lexer(std::string_view text, bool comments = false) : text_(text), comments_(comments) {}
  // After the end it always returns kEnd. Never throws: text that is not a token becomes a kBad
  // token.
  Token Next();

 private:
  void Advance(size_t bytes);
  void SkipSpace();
  Token Take(Token token, TokenKind kind, size_t length);
  Token Bad(Token token, size_t length, const char* problem);
  Token TakeNumber(Token token);
  Token TakeQuoted(Token token, char quote);

  std::string_view text_;
  bool comments_;
  size_t at_ = 0;
  uint32_t line_ = 1, column_ = 1;
};

// The contents of a kString or kQuotedName token. False, with `*problem` set, if an escape is
// invalid.
bool Unquote(std::string_view token, std::string* out, const char** problem);

// The line of `text` that contains `offset`. A very long line is shortened, or empty if `offset` is
// far from its start.
std::string LineAt(std::string_view text, size_t offset);

}  // namespace lathe::ir
