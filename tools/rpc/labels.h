// How texts of errors are printed: alike, whether they are statuses or diagnostics.
#pragma once

#include <string>
#include <string_view>

namespace lathe::rpc_tools {

inline constexpr std::string_view kLabels[] = {"expected: ", "found: ", "note: ", "help: "};

// `text` with two spaces before each line that begins with a label, as in "expected: ...". Statuses
// have their labels at the beginning of lines, diagnostics have them indented already.
inline std::string IndentLabels(std::string_view text) {
  std::string out;
  for (size_t begin = 0;;) {
    const size_t end = text.find('\n', begin);
    const std::string_view line = text.substr(begin, end - begin);
    for (const std::string_view label : kLabels)
      if (begin > 0 && line.starts_with(label)) out += "  ";
    out += line;
    if (end == std::string_view::npos) return out;
    out += '\n';
    begin = end + 1;
  }
}

}  // namespace lathe::rpc_tools
