#include "runtime/json.h"

#include <charconv>
#include <cmath>

#include "runtime/status.h"

namespace lathe::runtime {
namespace {

constexpr size_t kMaxMembers = 10000;

// The length of the UTF-8 sequence at `at`; 0 if it is not valid (overlong, surrogate, above
// U+10FFFF, truncated).
size_t Utf8Length(std::string_view text, size_t at) {
  const auto byte = [&](size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0;
  };
  const auto continues = [&](size_t i) { return (byte(i) & 0xc0) == 0x80; };
  const unsigned first = byte(at);
  if (first < 0x80) return 1;
  if (first >= 0xc2 && first <= 0xdf) return continues(at + 1) ? 2 : 0;
  const unsigned second = byte(at + 1);
  if (first >= 0xe0 && first <= 0xef) {
    if ((first == 0xe0 && second < 0xa0) || (first == 0xed && second > 0x9f)) return 0;
    return continues(at + 1) && continues(at + 2) ? 3 : 0;
  }
  if (first >= 0xf0 && first <= 0xf4) {
    if ((first == 0xf0 && second < 0x90) || (first == 0xf4 && second > 0x8f)) return 0;
    return continues(at + 1) && continues(at + 2) && continues(at + 3) ? 4 : 0;
  }
  return 0;
}

void AppendUtf8(std::string& out, uint32_t code) {
  if (code < 0x80) {
    out += static_cast<char>(code);
  } else if (code < 0x800) {
    out += static_cast<char>(0xc0 | code >> 6);
    out += static_cast<char>(0x80 | (code & 0x3f));
  } else if (code < 0x10000) {
    out += static_cast<char>(0xe0 | code >> 12);
    out += static_cast<char>(0x80 | (code >> 6 & 0x3f));
    out += static_cast<char>(0x80 | (code & 0x3f));
  } else {
    out += static_cast<char>(0xf0 | code >> 18);
    out += static_cast<char>(0x80 | (code >> 12 & 0x3f));
    out += static_cast<char>(0x80 | (code >> 6 & 0x3f));
    out += static_cast<char>(0x80 | (code & 0x3f));
  }
}

}  // namespace

// kMaxDepth limits recursion. The parser keeps the first failure and stops.
class Json::Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  absl::StatusOr<Json> Document() {
    Json value;
    if (Parse(0, &value)) {
      SkipBlanks();
      if (at_ < text_.size()) Fail("nothing more after the document");
    }
    if (!failure_.empty())
      return MakeStatus(absl::StatusCode::kInvalidArgument, "json-malformed", failure_);
    return value;
  }

 private:
  bool Parse(int depth, Json* out) {
    SkipBlanks();
    if (depth > kMaxDepth) return Fail("at most " + std::to_string(kMaxDepth) + " levels");
    out->line_ = line_;
    if (at_ >= text_.size()) return Fail("a value");
    switch (text_[at_]) {
      case '{':
        return Members(depth, out);
      case '[':
        return Items(depth, out);
      case '"':
        out->kind_ = Kind::kString;
        return String(&out->string_);
      case 't':
        out->kind_ = Kind::kBool;
        out->int_ = 1;
        return Word("true");
      case 'f':
        out->kind_ = Kind::kBool;
        return Word("false");
      case 'n':
        return Word("null");
      default:
        return NumberValue(out);
    }
  }

  bool Members(int depth, Json* out) {
    out->kind_ = Kind::kObject;
    ++at_;
    SkipBlanks();
    if (Take('}')) return true;
    while (true) {
      SkipBlanks();
      if (at_ >= text_.size() || text_[at_] != '"') return Fail("a key in quotes");
      const size_t key_at = at_;
      std::string key;
      if (!String(&key)) return false;
      if (out->Find(key) != nullptr) {
        at_ = key_at;
        return Fail("each key once; \"" + key.substr(0, 60) + "\" is there already");
      }
      SkipBlanks();
      if (!Take(':')) return Fail("':'");
      // Bounds the check for duplicates, which is quadratic, to a second for any input.
      if (out->members_.size() >= kMaxMembers) return Fail("at most 10000 members");
      out->members_.emplace_back(std::move(key), Json());
      if (!Parse(depth + 1, &out->members_.back().second)) return false;
      SkipBlanks();
      if (Take('}')) return true;
      if (!Take(',')) return Fail("',' or '}'");
    }
  }

  bool Items(int depth, Json* out) {
    out->kind_ = Kind::kArray;
    ++at_;
    SkipBlanks();
    if (Take(']')) return true;
    while (true) {
      out->items_.emplace_back();
      if (!Parse(depth + 1, &out->items_.back())) return false;
      SkipBlanks();
      if (Take(']')) return true;
      if (!Take(',')) return Fail("',' or ']'");
    }
  }

  bool String(std::string* out) {
    ++at_;
    while (true) {
      if (at_ >= text_.size()) return Fail("a closing quote");
      const char c = text_[at_];
      if (c == '"') {
        ++at_;
        return true;
      }
      if (static_cast<unsigned char>(c) < 0x20) return Fail("control characters escaped");
      if (c == '\\') {
        if (!Escape(out)) return false;
        continue;
      }
      const size_t length = Utf8Length(text_, at_);
      if (length == 0) return Fail("sound UTF-8");
      out->append(text_, at_, length);
      at_ += length;
    }
  }

  bool Escape(std::string* out) {
    constexpr std::string_view kFrom = "\"\\/bfnrt", kTo = "\"\\/\b\f\n\r\t";
    const char c = at_ + 1 < text_.size() ? text_[at_ + 1] : '\0';
    if (const size_t which = kFrom.find(c); c != '\0' && which != std::string_view::npos) {
      *out += kTo[which];
      at_ += 2;
      return true;
    }
    uint32_t code = 0;
    if (c != 'u' || !Hex(&code)) return Fail("a sound escape");
    if (code >= 0xdc00 && code <= 0xdfff) return Fail("a high surrogate first");
    if (code >= 0xd800 && code <= 0xdbff) {
      uint32_t low = 0;
      if (!Hex(&low) || low < 0xdc00 || low > 0xdfff)
        return Fail("a low surrogate after a high one");
      code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
    }
    AppendUtf8(*out, code);
    return true;
  }

  // "\uXXXX" at at_.
  bool Hex(uint32_t* code) {
    if (text_.size() - at_ < 6 || text_[at_] != '\\' || text_[at_ + 1] != 'u') return false;
    const char* start = text_.data() + at_ + 2;
    const auto [end, error] = std::from_chars(start, start + 4, *code, 16);
    if (error != std::errc() || end != start + 4) return false;
    at_ += 6;
    return true;
  }

  bool NumberValue(Json* out) {
    const size_t start = at_;
    const auto digits = [&] {
      const size_t from = at_;
      while (at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9') ++at_;
      return at_ - from;
    };
    Take('-');
    const size_t first = at_;
    const size_t whole = digits();
    if (whole == 0 || (whole > 1 && text_[first] == '0')) {
      at_ = start;
      return Fail("a value");
    }
    bool integral = true;
    if (Take('.')) {
      integral = false;
      if (digits() == 0) return Fail("a digit");
    }
    if (at_ < text_.size() && (text_[at_] == 'e' || text_[at_] == 'E')) {
      integral = false;
      ++at_;
      if (!Take('+')) Take('-');
      if (digits() == 0) return Fail("a digit");
    }
    const char* begin = text_.data() + start;
    const char* end = text_.data() + at_;
    if (integral && std::from_chars(begin, end, out->int_).ec == std::errc()) {
      out->kind_ = Kind::kInt;
      return true;
    }
    out->int_ = 0;
    out->kind_ = Kind::kDouble;
    if (std::from_chars(begin, end, out->double_).ec != std::errc())
      return Fail("a number that a double can hold");
    return true;
  }

  bool Word(std::string_view word) {
    if (text_.substr(at_, word.size()) != word) return Fail("a value");
    at_ += word.size();
    return true;
  }

  bool Take(char c) {
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  void SkipBlanks() {
    for (; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (c == '\n') {
        ++line_;
        line_start_ = at_ + 1;
      } else if (c != ' ' && c != '\t' && c != '\r') {
        return;
      }
    }
  }

  bool Fail(const std::string& expected) {
    std::string found = "the end";
    if (at_ < text_.size()) {
      const auto c = static_cast<unsigned char>(text_[at_]);
      found = c > 0x20 && c < 0x7f ? "'" + std::string(1, text_[at_]) + "'"
                                   : "byte " + std::to_string(c);
    }
    failure_ = "line " + std::to_string(line_) + ", column " +
               std::to_string(at_ - line_start_ + 1) + ": expected " + expected + ", found " +
               found;
    return false;
  }

  std::string_view text_;
  size_t at_ = 0;
  size_t line_start_ = 0;
  int line_ = 1;
  std::string failure_;
};

absl::StatusOr<Json> Json::Parse(std::string_view text, size_t max_bytes) {
  if (text.size() > max_bytes) {
    return MakeStatus(absl::StatusCode::kInvalidArgument, "json-malformed",
                      "the document has " + std::to_string(text.size()) + " bytes, more than the " +
                          std::to_string(max_bytes) + " allowed");
  }
  return Parser(text).Document();
}

const char* Json::kind_name() const {
  switch (kind_) {
    case Kind::kNull:
      return "null";
    case Kind::kBool:
      return "a bool";
    case Kind::kInt:
      return "an integer";
    case Kind::kDouble:
      return "a number with a fraction";
    case Kind::kString:
      return "a string";
    case Kind::kArray:
      return "an array";
    case Kind::kObject:
      return "an object";
  }
  return "";
}

const Json* Json::Find(std::string_view key) const {
  for (const Member& member : members_) {
    if (member.first == key) return &member.second;
  }
  return nullptr;
}

Json& Json::Set(std::string_view key, Json value) {
  for (Member& member : members_) {
    if (member.first == key) {
      member.second = std::move(value);
      return *this;
    }
  }
  members_.emplace_back(std::string(key), std::move(value));
  return *this;
}

Json& Json::Append(Json value) {
  items_.push_back(std::move(value));
  return *this;
}

void AppendJsonString(std::string& out, std::string_view text) {
  constexpr char kHex[] = "0123456789abcdef";
  out += '"';
  for (size_t i = 0; i < text.size();) {
    const auto c = static_cast<unsigned char>(text[i]);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += text[i++];
    } else if (c == '\n') {
      out += "\\n";
      ++i;
    } else if (c < 0x20) {
      out += "\\u00";
      out += kHex[c >> 4];
      out += kHex[c & 15];
      ++i;
    } else if (const size_t length = Utf8Length(text, i); length > 0) {
      out.append(text, i, length);
      i += length;
    } else {
      out += "\\ufffd";  // the replacement character
      ++i;
    }
  }
  out += '"';
}

std::string Json::Dump(int indent) const {
  std::string out;
  DumpTo(out, indent, 0);
  return out;
}

void Json::DumpTo(std::string& out, int indent, int level) const {
  const auto new_line = [&](int at_level) {
    if (indent == 0) return;
    out += '\n';
    out.append(static_cast<size_t>(indent) * static_cast<size_t>(at_level), ' ');
  };
  switch (kind_) {
    case Kind::kNull:
      out += "null";
      return;
    case Kind::kBool:
      out += int_ != 0 ? "true" : "false";
      return;
    case Kind::kInt:
      out += std::to_string(int_);
      return;
    case Kind::kDouble: {
      if (!std::isfinite(double_)) {
        out += "null";
        return;
      }
      char buffer[40];
      const auto result = std::to_chars(buffer, buffer + sizeof(buffer), double_);
      out.append(buffer, result.ptr);
      return;
    }
    case Kind::kString:
      AppendJsonString(out, string_);
      return;
    case Kind::kArray:
      out += '[';
      for (size_t i = 0; i < items_.size(); ++i) {
        if (i > 0) out += indent == 0 ? ", " : ",";
        new_line(level + 1);
        items_[i].DumpTo(out, indent, level + 1);
      }
      if (!items_.empty()) new_line(level);
      out += ']';
      return;
    case Kind::kObject:
      out += '{';
      for (size_t i = 0; i < members_.size(); ++i) {
        if (i > 0) out += indent == 0 ? ", " : ",";
        new_line(level + 1);
        AppendJsonString(out, members_[i].first);
        out += ": ";
        members_[i].second.DumpTo(out, indent, level + 1);
      }
      if (!members_.empty()) new_line(level);
      out += '}';
      return;
  }
}

}  // namespace lathe::runtime
