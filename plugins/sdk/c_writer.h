// Lines of a C-like text, and the names in it. Part of c_source.h, not for vendors.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "plugins/sdk/c_dialect.h"

namespace lathe::sdk::internal {

// Lines with indentation. A capture collects the lines written meanwhile separately.
class CLines {
 public:
  void Add(std::string text) { lines_.push_back({indent_, std::move(text)}); }
  // `text` ends with `{`.
  void Open(std::string text) {
    Add(std::move(text));
    ++indent_;
  }
  void Close(std::string text = "}") {
    --indent_;
    Add(std::move(text));
  }

  // After a Close whose text opens a block again (`} else {`).
  void Reopen() { ++indent_; }

  struct Line {
    int indent;
    std::string text;
  };
  using Captured = std::vector<Line>;
  void BeginCapture() {
    outer_.push_back({std::move(lines_), indent_});
    lines_.clear();
    indent_ = 0;
  }
  Captured EndCapture() {
    Captured out = std::move(lines_);
    lines_ = std::move(outer_.back().lines);
    indent_ = outer_.back().indent;
    outer_.pop_back();
    return out;
  }
  void Add(Captured lines) {
    for (Line& line : lines) lines_.push_back({indent_ + line.indent, std::move(line.text)});
  }

  std::string ToString() const {
    std::string out;
    for (const Line& line : lines_)
      out += std::string(static_cast<size_t>(line.indent) * 2, ' ') + line.text + "\n";
    return out;
  }

 private:
  struct Outer {
    Captured lines;
    int indent;
  };
  Captured lines_;
  std::vector<Outer> outer_;
  int indent_ = 0;
};

// The identifiers of one function (or of a whole text): each is unique and not reserved.
class CNames {
 public:
  explicit CNames(CDialect& dialect) : dialect_(dialect) {}
  // No other identifier becomes `name`.
  void Take(const std::string& name) { used_.insert(name); }
  // A new name similar to `wanted`, which may be any text.
  std::string New(std::string_view wanted) {
    std::string name;
    for (const char c : wanted) {
      const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
      const bool digit = c >= '0' && c <= '9';
      if (digit && name.empty()) name = "v";
      if (letter || digit) {
        name += c;
      } else if (!name.empty() && name.back() != '_') {
        name += '_';  // two in a row, or one at the beginning, may be reserved
      }
    }
    if (name.empty()) name = "v";
    if (dialect_.IsReserved(name)) name += name.back() == '_' ? "v" : "_";
    std::string unique = name;
    for (int& n = next_[name]; !used_.insert(unique).second;) {
      unique = name + (name.back() == '_' ? "" : "_") + std::to_string(++n);
    }
    return unique;
  }

 private:
  CDialect& dialect_;
  std::unordered_set<std::string> used_;
  std::unordered_map<std::string, int> next_;
};

}  // namespace lathe::sdk::internal
