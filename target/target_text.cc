#include "target/target_text.h"

#include <charconv>

#include "base/error.h"

namespace lathe::target {
namespace {

constexpr size_t kMaxTargetBytes = 64 << 10;

bool IsBlank(char c) { return c == ' ' || c == '\t' || c == '\n'; }
bool IsKeyChar(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '-' || c == '.';
}

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  TargetText Read() {
    if (text_.size() > kMaxTargetBytes)
      Fail("the target string is longer than 64 KiB", "a shorter one");
    TargetText target;
    SkipBlanks();
    target.kind = TakeName();
    if (target.kind.empty()) Fail("the target string has no kind", "a kind first, such as `llvm`");
    if (target.kind[0] == '-') {
      at_ = 0;
      Fail("the target string starts with an attribute", "a kind first, such as `llvm`");
    }
    while (SkipBlanks(), at_ < text_.size()) ReadAttribute(target);
    return target;
  }

 private:
  void ReadAttribute(TargetText& target) {
    const size_t start = at_;
    if (text_[at_] != '-')
      Fail("`" + std::string(RestOfWord()) + "` is no attribute", "-key=value");
    while (at_ < text_.size() && text_[at_] == '-' && at_ - start < 2) ++at_;  // --key is -key
    const std::string key = TakeName();
    if (key.empty()) Fail("an attribute has no key", "-key=value");
    if (key[0] == '-') Fail("an attribute starts with three dashes", "-key=value or --key=value");
    std::string value = "1";
    if (at_ < text_.size() && text_[at_] == '=') {
      ++at_;
      value = TakeValue();
    } else if (at_ < text_.size() && !IsBlank(text_[at_])) {
      Fail("a character that no key has", "letters, digits, '-', '_' and '.', then '='");
    }
    if (!target.attributes.emplace(key, std::move(value)).second) {
      at_ = start;
      Fail("attribute `" + key + "` is given twice", "each attribute once");
    }
  }

  std::string TakeName() {
    const size_t start = at_;
    while (at_ < text_.size() && IsKeyChar(text_[at_])) ++at_;
    return std::string(text_.substr(start, at_ - start));
  }

  std::string TakeValue() {
    std::string value;
    if (at_ >= text_.size() || text_[at_] != '"') {
      for (; at_ < text_.size() && !IsBlank(text_[at_]); ++at_) {
        if (text_[at_] == '"' || static_cast<unsigned char>(text_[at_]) < ' ') {
          Fail("a quote within a value", "the whole value in quotes");
        }
        value += text_[at_];
      }
      return value;
    }
    for (++at_; at_ < text_.size() && text_[at_] != '"'; ++at_) {
      if (text_[at_] == '\\' && at_ + 1 < text_.size()) ++at_;
      value += text_[at_];
    }
    if (at_ >= text_.size()) Fail("a quoted value does not end", "a closing quote");
    ++at_;
    return value;
  }

  std::string_view RestOfWord() const {
    size_t end = at_;
    while (end < text_.size() && !IsBlank(text_[end])) ++end;
    return text_.substr(at_, end - at_);
  }

  void SkipBlanks() {
    while (at_ < text_.size() && IsBlank(text_[at_])) ++at_;
  }

  [[noreturn]] void Fail(const std::string& message, const std::string& expected) const {
    Diagnostic diagnostic{.name = "target-malformed", .message = message, .expected = expected};
    diagnostic.where = {.file = "target",
                        .line = 1,
                        .column = static_cast<int>(at_) + 1,
                        .text = std::string(text_.substr(0, 400))};
    diagnostic.help = "a target reads like `llvm -mtriple=x86_64-linux-gnu -mcpu=znver4`";
    throw Error(std::move(diagnostic));
  }

  std::string_view text_;
  size_t at_ = 0;
};

}  // namespace

const std::string& TargetText::Get(std::string_view key) const {
  static const std::string& none = *new std::string;
  const auto found = attributes.find(std::string(key));
  return found == attributes.end() ? none : found->second;
}

int64_t TargetText::GetInt(std::string_view key, int64_t otherwise) const {
  const std::string& text = Get(key);
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() ? value : otherwise;
}

bool TargetText::GetFlag(std::string_view key) const { return Get(key) == "1"; }

std::vector<std::string> TargetText::GetList(std::string_view key) const {
  std::vector<std::string> items;
  std::string_view rest = Get(key);
  while (!rest.empty()) {
    const size_t comma = rest.find(',');
    if (comma != 0) items.emplace_back(rest.substr(0, comma));
    if (comma == std::string_view::npos) break;
    rest.remove_prefix(comma + 1);
  }
  return items;
}

std::string TargetText::ToString() const {
  std::string out = kind;
  for (const auto& [key, value] : attributes) {
    out += " -" + key + "=";
    const bool plain = value.find_first_of(" \t\n\"\\") == std::string::npos && !value.empty();
    if (plain) {
      out += value;
      continue;
    }
    out += '"';
    for (char c : value) {
      if (c == '"' || c == '\\') out += '\\';
      out += c;
    }
    out += '"';
  }
  return out;
}

TargetText ParseTargetText(std::string_view text) { return Reader(text).Read(); }

}  // namespace lathe::target
