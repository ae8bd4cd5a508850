#include "base/error.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace lathe {
namespace {

void AppendLabelled(std::string& out, std::string_view label, std::string_view text) {
  if (text.empty()) return;
  out += "\n  ";
  out += label;
  out += ": ";
  for (char c : text) {
    out += c;
    if (c == '\n') out += "    ";
  }
}

size_t EditDistance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 0; i < a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i + 1;
    for (size_t j = 0; j < b.size(); ++j) {
      const size_t substitute = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({substitute, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row[b.size()];
}

}  // namespace

std::string Diagnostic::ToString() const {
  std::string out = "error[" + name + "]: " + message;
  if (where.line > 0) {
    const std::string number = std::to_string(where.line);
    const std::string gutter(number.size(), ' ');
    out += "\n" + gutter + "--> " + where.file + ":" + number + ":" + std::to_string(where.column);
    if (!where.text.empty()) {
      out += "\n" + gutter + " |\n" + number + " | " + where.text + "\n" + gutter + " | ";
      for (int i = 1; i < where.column; ++i) {
        const size_t at = static_cast<size_t>(i - 1);
        out += at < where.text.size() && where.text[at] == '\t' ? '\t' : ' ';
      }
      out += '^';
    }
  }
  AppendLabelled(out, "expected", expected);
  AppendLabelled(out, "found", found);
  for (const std::string& note : notes) AppendLabelled(out, "note", note);
  AppendLabelled(out, "help", help);
  return out;
}

Error::Error(Diagnostic diagnostic)
    : diagnostic_(std::move(diagnostic)), text_(diagnostic_.ToString()) {}

namespace internal {

CheckFailure::CheckFailure(const char* file, int line, const char* condition) {
  stream_ << "internal error at " << file << ":" << line << ": " << condition << " does not hold. ";
}

CheckFailure::~CheckFailure() noexcept(false) {
  throw InternalError(stream_.str() + "\nThis is a bug in Lathe; please report it with this text.");
}

}  // namespace internal

std::vector<std::string> NearestNames(std::string_view wanted,
                                      const std::vector<std::string>& known, size_t most) {
  std::vector<std::pair<size_t, std::string>> ranked;
  const size_t limit = std::max<size_t>(2, wanted.size() / 2);
  for (const std::string& name : known) {
    const size_t distance = EditDistance(wanted, name);
    if (distance <= limit) ranked.emplace_back(distance, name);
  }
  std::sort(ranked.begin(), ranked.end());
  std::vector<std::string> out;
  for (size_t i = 0; i < ranked.size() && i < most; ++i) out.push_back(ranked[i].second);
  return out;
}

std::string QuotedList(const std::vector<std::string>& names) {
  if (names.empty()) return "nothing";
  std::string out;
  for (size_t i = 0; i < names.size(); ++i) {
    if (i > 0) out += i + 1 == names.size() ? " or " : ", ";
    out += "`" + names[i] + "`";
  }
  return out;
}

std::string NearOrAll(std::string_view wanted, const std::vector<std::string>& known) {
  const std::vector<std::string> near = NearestNames(wanted, known);
  return near.empty() ? "one of " + QuotedList(known) : "perhaps " + QuotedList(near);
}

}  // namespace lathe
