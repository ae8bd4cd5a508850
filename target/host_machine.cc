#include "target/host_machine.h"

#include <sched.h>
#include <unistd.h>

#include <charconv>
#include <cstdint>
#include <fstream>
#include <set>
#include <sstream>

#include "runtime/cpu_device.h"

namespace lathe::target {
namespace {

constexpr int kMostCaches = 16;
constexpr int64_t kMostBytes = int64_t{1} << 40;
constexpr int kMostProcessors = 1 << 16;

// The first line; "" where there is no such file.
std::string LineOf(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

bool ReadNumber(std::string_view text, int64_t* number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *number);
  return error == std::errc() && end == text.data() + text.size();
}

// "48K", "2M", "65536"; 0 for anything else.
int64_t BytesOf(std::string text) {
  int64_t unit = 1;
  if (!text.empty() && text.back() == 'K') unit = 1024;
  if (!text.empty() && text.back() == 'M') unit = 1024 * 1024;
  if (unit != 1) text.pop_back();
  int64_t number = 0;
  if (!ReadNumber(text, &number) || number <= 0 || number > kMostBytes / unit) return 0;
  return number * unit;
}

// "0-3,8" -> 0, 1, 2, 3, 8; empty for anything else.
std::set<int64_t> ProcessorsOf(const std::string& text) {
  std::set<int64_t> out;
  std::istringstream parts(text);
  for (std::string part; std::getline(parts, part, ',');) {
    const size_t dash = part.find('-');
    int64_t first = 0, last = 0;
    if (!ReadNumber(part.substr(0, dash), &first)) return {};
    last = first;
    if (dash != std::string::npos && !ReadNumber(part.substr(dash + 1), &last)) return {};
    if (first < 0 || last < first || last >= kMostProcessors) return {};
    for (int64_t one = first; one <= last; ++one) out.insert(one);
  }
  return out;
}

int FirstUsableProcessor() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof(set), &set) != 0) return 0;
  for (int i = 0; i < CPU_SETSIZE; ++i) {
    if (CPU_ISSET(i, &set)) return i;
  }
  return 0;
}

#if defined(_SC_LEVEL1_DCACHE_SIZE) && defined(_SC_LEVEL2_CACHE_SIZE)
// What the C library says where the system's files are hidden. Its third level counts every core's
// share of some processors, so it is not asked for that.
void AddFromLibrary(std::map<std::string, std::string>* figures) {
  const std::pair<const char*, int> names[] = {{"l1-cache-bytes", _SC_LEVEL1_DCACHE_SIZE},
                                               {"l2-cache-bytes", _SC_LEVEL2_CACHE_SIZE}};
  for (const auto& [key, name] : names) {
    const int64_t bytes = sysconf(name);
    if (bytes > 0 && bytes <= kMostBytes) figures->try_emplace(key, std::to_string(bytes));
  }
}
#else
void AddFromLibrary(std::map<std::string, std::string>*) {}
#endif

}  // namespace

std::map<std::string, std::string> CachesIn(const std::string& processor_folder) {
  std::map<std::string, std::string> figures;
  const std::set<int64_t> own_core =
      ProcessorsOf(LineOf(processor_folder + "/topology/thread_siblings_list"));
  for (int i = 0; i < kMostCaches; ++i) {
    const std::string folder = processor_folder + "/cache/index" + std::to_string(i) + "/";
    const std::string type = LineOf(folder + "type");
    if (type.empty()) break;
    const std::string level = LineOf(folder + "level");
    const int64_t bytes = BytesOf(LineOf(folder + "size"));
    const bool known = level == "1" || level == "2" || level == "3";
    if (!known || bytes == 0 || (type != "Data" && type != "Unified")) continue;
    figures["l" + level + "-cache-bytes"] = std::to_string(bytes);
    if (level != "2" || own_core.empty()) continue;
    bool shared = false;
    for (const int64_t one : ProcessorsOf(LineOf(folder + "shared_cpu_list")))
      shared = shared || own_core.count(one) == 0;
    figures["l2-cache-shared"] = shared ? "1" : "0";
  }
  return figures;
}

std::map<std::string, std::string> HostFigures() {
  static const auto& caches = *new std::map<std::string, std::string>([] {
    auto found = CachesIn("/sys/devices/system/cpu/cpu" + std::to_string(FirstUsableProcessor()));
    AddFromLibrary(&found);
    return found;
  }());
  std::map<std::string, std::string> figures = caches;
  figures["num-cores"] = std::to_string(runtime::UsableProcessors());
  return figures;
}

}  // namespace lathe::target
