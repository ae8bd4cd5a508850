// Assembly line by line, with queries for tests of machine code.
#pragma once

#include <cstdint>
#include <map>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

namespace lathe::topi::cpu {

using Lines = std::vector<std::string>;

// Returns the innermost loops: from a label to the first jump back to it, without another such loop
// inside.
inline std::vector<Lines> InnerLoops(const std::string& assembly) {
  static const std::regex kLabel("^(\\.LBB[0-9_]+):"),
      kJump("^\\s+(j[a-z]+|b\\.[a-z]+|b|cbn?z|tbn?z)\\s.*(\\.LBB[0-9_]+)");
  std::vector<Lines> loops;
  Lines lines;
  std::istringstream in(assembly);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  std::map<std::string, size_t> labels;
  size_t last_end = 0;
  for (size_t i = 0; i < lines.size(); ++i) {
    std::smatch match;
    if (std::regex_search(lines[i], match, kLabel)) labels[match[1]] = i;
    if (!std::regex_search(lines[i], match, kJump)) continue;
    const auto label = labels.find(match[2]);
    if (label == labels.end() || label->second < last_end) continue;
    loops.emplace_back(lines.begin() + static_cast<ptrdiff_t>(label->second),
                       lines.begin() + static_cast<ptrdiff_t>(i) + 1);
    last_end = i;
  }
  return loops;
}

inline int64_t Count(const Lines& lines, const std::string& pattern) {
  const std::regex regex(pattern);
  int64_t count = 0;
  for (const std::string& line : lines) count += std::regex_search(line, regex) ? 1 : 0;
  return count;
}

// Counts accesses to the stack in an inner loop, which are spills. AArch64's x29 holds the address
// of the frame. If the loop changes x29, it is an ordinary pointer instead.
inline int64_t StackAccesses(const Lines& loop) {
  const bool frame = Count(loop, "(add|sub|mov)\\s+x29,") == 0;
  return Count(loop, frame ? "%rsp|\\[sp|\\[x29" : "%rsp|\\[sp");
}

inline std::string Join(const Lines& lines) {
  std::string out;
  for (const std::string& line : lines) out += line + "\n";
  return out;
}

}  // namespace lathe::topi::cpu
