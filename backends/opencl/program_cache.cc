#include "backends/opencl/program_cache.h"

#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <system_error>

namespace lathe::opencl_backend {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kMagic = "LATHE-OPENCL-BINARY-1\n";

std::string Variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

fs::path Folder() {
  if (Variable("LATHE_OPENCL_CACHE") == "0") return {};
  if (const std::string own = Variable("LATHE_CACHE_DIR"); !own.empty())
    return fs::path(own) / "opencl";
  if (const std::string xdg = Variable("XDG_CACHE_HOME"); !xdg.empty())
    return fs::path(xdg) / "lathe" / "opencl";
  if (const std::string home = Variable("HOME"); !home.empty())
    return fs::path(home) / ".cache" / "lathe" / "opencl";
  return {};
}

// FNV-1a. The key itself stands in the file: two keys of one hash only overwrite each other.
uint64_t Hash(std::string_view text, uint64_t seed) {
  uint64_t hash = 14695981039346656037u ^ seed;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211u;
  return hash;
}

std::string Hex(uint64_t value) {
  std::array<char, 17> text{};
  std::snprintf(text.data(), text.size(), "%016llx", static_cast<unsigned long long>(value));
  return text.data();
}

fs::path FileOf(const fs::path& folder, const std::string& key) {
  return folder / (Hex(Hash(key, 0)) + Hex(Hash(key, 0x9e3779b97f4a7c15)) + ".clbin");
}

std::string Header(const std::string& key, const std::string& binary) {
  return std::string(kMagic) + std::to_string(key.size()) + " " + std::to_string(binary.size()) +
         " " + Hex(Hash(binary, 0)) + "\n" + key;
}

}  // namespace

std::string FindBinary(const std::string& key) {
  const fs::path folder = Folder();
  if (folder.empty()) return "";
  std::ifstream file(FileOf(folder, key), std::ios::binary);
  if (!file) return "";
  std::ostringstream text;
  text << file.rdbuf();
  const std::string bytes = std::move(text).str();
  // The header of the binary that would be there, were it the right one.
  std::string_view rest = bytes;
  if (!rest.starts_with(kMagic)) return "";
  const size_t line = rest.find('\n', kMagic.size());
  if (line == std::string_view::npos) return "";
  const size_t begin = line + 1 + key.size();
  if (begin > bytes.size()) return "";
  std::string binary = bytes.substr(begin);
  return bytes.substr(0, begin) == Header(key, binary) ? binary : "";
}

void KeepBinary(const std::string& key, const std::string& binary) {
  const fs::path folder = Folder();
  if (folder.empty() || binary.empty()) return;
  std::error_code error;
  fs::create_directories(folder, error);
  static std::atomic<int> count{0};
  const fs::path target = FileOf(folder, key);
  const fs::path part =
      target.string() + "." + std::to_string(getpid()) + "." + std::to_string(count++) + ".part";
  {
    std::ofstream file(part, std::ios::binary);
    file << Header(key, binary) << binary;
    if (!file.flush()) {
      fs::remove(part, error);
      return;
    }
  }
  fs::rename(part, target, error);
  if (error) fs::remove(part, error);
}

}  // namespace lathe::opencl_backend
