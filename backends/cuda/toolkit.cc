#include "backends/cuda/toolkit.h"

#include <algorithm>
#include <cstdlib>
#include <set>
#include <string_view>

#include "base/trusted_file.h"
#include "plugins/sdk/value.h"

namespace lathe::cuda {
namespace {

std::vector<std::string>& OwnFolders() {
  static std::vector<std::string>& folders = *new std::vector<std::string>;
  return folders;
}

// The source lines to which messages `NAME(LINE): ...` refer, each once.
std::string QuoteSource(const std::string& source, const std::string& name,
                        const std::string& log) {
  constexpr size_t kMostLines = 5;
  std::vector<std::string_view> lines;
  for (size_t begin = 0; begin < source.size();) {
    const size_t end = std::min(source.find('\n', begin), source.size());
    lines.push_back(std::string_view(source).substr(begin, end - begin));
    begin = end + 1;
  }
  std::set<size_t> seen;
  std::string out;
  const std::string mark = name + "(";
  for (size_t at = log.find(mark); at != std::string::npos; at = log.find(mark, at + 1)) {
    const size_t number = std::strtoul(log.c_str() + at + mark.size(), nullptr, 10);
    if (number == 0 || number > lines.size() || seen.size() == kMostLines) continue;
    if (!seen.insert(number).second) continue;
    out += name + ":" + std::to_string(number) + ": " + std::string(lines[number - 1]) + "\n";
  }
  return out;
}

void TrimNul(std::string* text) {
  while (!text->empty() && (text->back() == '\0' || text->back() == '\n')) text->pop_back();
}

}  // namespace

std::vector<std::string> ToolkitFolders(bool* only) {
  std::vector<std::string> folders;
  const auto add = [&](const char* variable) {
    const char* value = secure_getenv(variable);
    if (value == nullptr || *value == '\0') return false;
    if (const std::string refused = RefusalOf(variable, value); !refused.empty()) {
      throw sdk::Error(LATHE_INVALID_ARGUMENT, "cuda-path-relative", refused,
                       "help: name the toolkit's folder from the root, or unset the variable");
    }
    folders.emplace_back(value);
    return true;
  };
  *only = add("LATHE_CUDA_HOME");
  if (*only) return folders;
  add("CUDA_HOME");
  add("CUDA_PATH");
  folders.insert(folders.end(), OwnFolders().begin(), OwnFolders().end());
  folders.emplace_back("/usr/local/cuda");
  return folders;
}

void AddToolkitFolder(std::string folder) { OwnFolders().push_back(std::move(folder)); }

std::string CleanLog(const std::string& log) {
  std::string out;
  for (size_t begin = 0; begin < log.size();) {
    const size_t end = std::min(log.find('\n', begin), log.size());
    const std::string line = log.substr(begin, end - begin);
    if (line.find("Compile time") == std::string::npos) out += line + "\n";
    begin = end + 1;
  }
  TrimNul(&out);
  return out;
}

void ThrowCompileFailed(const std::string& source, const std::string& name, const std::string& arch,
                        const std::string& reason, const std::string& log,
                        const std::string& note) {
  std::string notes = QuoteSource(source, name, log) + note;
  TrimNul(&notes);
  throw sdk::Error(LATHE_INVALID_ARGUMENT, "cuda-compile-failed",
                   "CUDA C for " + arch + " does not compile (" + reason + "):\n" + log, notes);
}

}  // namespace lathe::cuda
