#include "backends/opencl/program_cache.h"

#include <array>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "base/file.h"
#include "base/trusted_file.h"
#include "plugins/sdk/value.h"

namespace lathe::opencl_backend {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kMagic = "LATHE-OPENCL-BINARY-1\n";

constexpr uint64_t kMostBytes = uint64_t{1} << 30;

// Complains once: the second program need not report the same folder again.
void Complain(const std::string& what) {
  static std::atomic<bool> said{false};
  if (!said.exchange(true)) sdk::Log(LATHE_LOG_WARNING, "opencl.program-cache", what);
}

void Complain(const Distrust& distrust) {
  Complain("compiled programs are neither kept nor read: " + distrust.text +
           "\nhelp: " + distrust.help + "; or set LATHE_CACHE_DIR to another folder");
}

fs::path Folder() {
  const char* kept = secure_getenv("LATHE_OPENCL_CACHE");
  if (kept != nullptr && std::string_view(kept) == "0") return {};
  const CachePlace place = FindCachePlace();
  if (!place.refused.empty()) Complain("compiled programs are not kept: " + place.refused);
  return place.folder.empty() ? fs::path() : fs::path(place.folder) / "opencl";
}

// FNV-1a. The file has the key itself, so two keys with the same hash only overwrite each other.
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
  const std::string path = FileOf(folder, key);
  FileProblem problem;
  const FileHandle file = OpenFile(path, &problem, Links::kRefuse);
  if (!problem.ok()) return "";
  if (const Distrust distrust = DistrustOf(file, path); !distrust.ok()) {
    Complain(distrust);
    return "";
  }
  std::string bytes;
  if (!ReadFile(file, kMostBytes, &bytes).ok()) return "";
  // The header that the file must have if it is the right one.
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
  if (!fs::is_directory(folder, error)) return;
  if (const Distrust distrust = DistrustOfFolder(folder); !distrust.ok()) return Complain(distrust);
  const std::string path = FileOf(folder, key);
  if (const FileProblem problem = WriteFile(path, Header(key, binary) + binary, 0600);
      !problem.ok())
    Complain("compiled programs are not kept: cannot write " + path + ": " + problem.text);
}

}  // namespace lathe::opencl_backend
