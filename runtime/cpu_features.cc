#include "runtime/cpu_features.h"

#include <sys/auxv.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "runtime/status.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace lathe::runtime {
namespace {

struct Feature {
  std::string_view name;
  bool present;
};

#if defined(__x86_64__)
std::vector<Feature> Probe() {
  uint32_t a = 0, b1 = 0, c1 = 0, d1 = 0, b7 = 0, c7 = 0, d7 = 0, a71 = 0, b71 = 0, c71 = 0,
           d71 = 0;
  uint32_t cx = 0, unused = 0;
  __get_cpuid(1, &a, &b1, &c1, &d1);
  __get_cpuid_count(7, 0, &a, &b7, &c7, &d7);
  __get_cpuid_count(7, 1, &a71, &b71, &c71, &d71);
  __get_cpuid(0x80000001, &unused, &unused, &cx, &unused);
  // The registers that the operating system saves; without that, the instructions fault.
  uint32_t saved = 0;
  if ((c1 & (1u << 27)) != 0) {
    uint32_t high = 0;
    asm volatile("xgetbv" : "=a"(saved), "=d"(high) : "c"(0));
  }
  const bool avx = (saved & 0x6) == 0x6;
  const bool avx512 = avx && (saved & 0xe0) == 0xe0;
  const bool amx = (saved & 0x60000) == 0x60000;
  const auto bit = [](uint32_t word, int n) { return ((word >> n) & 1) != 0; };
  return {
      {"sse3", bit(c1, 0)},
      {"ssse3", bit(c1, 9)},
      {"sse4.1", bit(c1, 19)},
      {"sse4.2", bit(c1, 20)},
      {"popcnt", bit(c1, 23)},
      {"cx16", bit(c1, 13)},
      {"movbe", bit(c1, 22)},
      {"lzcnt", bit(cx, 5)},
      {"avx", avx && bit(c1, 28)},
      {"fma", avx && bit(c1, 12)},
      {"f16c", avx && bit(c1, 29)},
      {"avx2", avx && bit(b7, 5)},
      {"bmi", bit(b7, 3)},
      {"bmi2", bit(b7, 8)},
      {"avx512f", avx512 && bit(b7, 16)},
      {"avx512dq", avx512 && bit(b7, 17)},
      {"avx512cd", avx512 && bit(b7, 28)},
      {"avx512bw", avx512 && bit(b7, 30)},
      {"avx512vl", avx512 && bit(b7, 31)},
      {"avx512vbmi", avx512 && bit(c7, 1)},
      {"avx512vbmi2", avx512 && bit(c7, 6)},
      {"avx512vnni", avx512 && bit(c7, 11)},
      {"avx512bitalg", avx512 && bit(c7, 12)},
      {"avx512vpopcntdq", avx512 && bit(c7, 14)},
      {"avx512fp16", avx512 && bit(d7, 23)},
      {"avx512bf16", avx512 && bit(a71, 5)},
      {"avxvnni", avx && bit(a71, 4)},
      {"avxvnniint8", avx && bit(d71, 4)},
      {"amx-bf16", amx && bit(d7, 22)},
      {"amx-tile", amx && bit(d7, 24)},
      {"amx-int8", amx && bit(d7, 25)},
  };
}
#elif defined(__aarch64__)
std::vector<Feature> Probe() {
  const unsigned long caps = getauxval(AT_HWCAP);
  const unsigned long caps2 = getauxval(AT_HWCAP2);
  const auto bit = [](unsigned long word, int n) { return ((word >> n) & 1) != 0; };
  return {
      {"neon", bit(caps, 1)},     {"fullfp16", bit(caps, 10)}, {"lse", bit(caps, 8)},
      {"dotprod", bit(caps, 20)}, {"sve", bit(caps, 22)},      {"sve2", bit(caps2, 1)},
      {"i8mm", bit(caps2, 13)},   {"bf16", bit(caps2, 14)},
  };
}
#elif defined(__riscv)
std::vector<Feature> Probe() {
  const unsigned long caps = getauxval(AT_HWCAP);
  const auto letter = [&](char c) { return ((caps >> (c - 'a')) & 1) != 0; };
  return {{"m", letter('m')}, {"a", letter('a')}, {"f", letter('f')},
          {"d", letter('d')}, {"c", letter('c')}, {"v", letter('v')}};
}
#else
std::vector<Feature> Probe() {
  const unsigned long caps = getauxval(AT_HWCAP);
  return {{"neon", ((caps >> 12) & 1) != 0}, {"vfp4", ((caps >> 16) & 1) != 0}};
}
#endif

const std::vector<Feature>& Features() {
  static const auto* features = new std::vector<Feature>(Probe());
  return *features;
}

// The processors of the psABI's levels, and a few for which people often export. Nothing is known
// about others by name alone.
struct Level {
  std::string_view processor;
  std::string_view needs;  // space separated
};
constexpr Level kLevels[] = {
    {"x86-64-v2", "sse3 ssse3 sse4.1 sse4.2 popcnt cx16"},
    {"x86-64-v3", "sse4.2 popcnt avx avx2 bmi bmi2 f16c fma lzcnt movbe"},
    {"x86-64-v4", "avx2 fma avx512f avx512bw avx512cd avx512dq avx512vl"},
    {"haswell", "avx2 bmi bmi2 f16c fma lzcnt movbe"},
    {"skylake-avx512", "avx2 fma avx512f avx512bw avx512cd avx512dq avx512vl"},
    {"cascadelake", "avx512f avx512bw avx512dq avx512vl avx512vnni"},
    {"icelake-server", "avx512f avx512bw avx512dq avx512vl avx512vnni avx512vbmi"},
    {"sapphirerapids", "avx512f avx512vnni avx512bf16 avx512fp16 amx-tile amx-int8 amx-bf16"},
    {"znver4", "avx512f avx512bw avx512dq avx512vl avx512vnni avx512bf16"},
    {"znver5", "avx512f avx512bw avx512dq avx512vl avx512vnni avx512bf16 avxvnni"},
};

std::vector<std::string_view> Split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const size_t at = text.find(separator);
    const std::string_view part = text.substr(0, at);
    if (!part.empty()) parts.push_back(part);
    text = at == std::string_view::npos ? std::string_view() : text.substr(at + 1);
  }
  return parts;
}

std::string OptionOf(std::string_view target, std::initializer_list<std::string_view> keys) {
  for (std::string_view word : Split(target, ' '))
    for (std::string_view key : keys)
      if (word.starts_with(key)) return std::string(word.substr(key.size()));
  return "";
}

absl::Status Wrong(std::string_view target, const std::string& expected, const std::string& found) {
  return MakeStatus(
      absl::StatusCode::kFailedPrecondition, "module-wrong-target",
      {"the module was compiled for another processor (`", target, "`)\nexpected: ", expected,
       "\nfound: ", found, "\nhelp: compile it for this machine, or for a lower -mcpu"});
}

}  // namespace

std::string_view HostArchitecture() {
#if defined(__x86_64__)
  return "x86_64";
#elif defined(__aarch64__)
  return "aarch64";
#elif defined(__riscv)
  return "riscv64";
#else
  return "arm";
#endif
}

std::string_view ArchitectureOf(std::string_view triple) {
  const std::string_view first = triple.substr(0, triple.find('-'));
  if (first == "arm64") return "aarch64";
  if (first == "amd64" || first == "x86-64") return "x86_64";
  if (first.starts_with("arm") || first.starts_with("thumb")) return "arm";
  return first;
}

std::vector<std::string> HostFeatures() {
  std::vector<std::string> names;
  for (const Feature& feature : Features())
    if (feature.present) names.emplace_back(feature.name);
  std::sort(names.begin(), names.end());
  return names;
}

Support HostSupports(std::string_view name) {
  for (const Feature& feature : Features())
    if (feature.name == name) return feature.present ? Support::kYes : Support::kNo;
  return Support::kUnknown;
}

absl::Status CheckTargetRunsHere(std::string_view target) {
  const std::string triple = OptionOf(target, {"-mtriple=", "-target="});
  if (!triple.empty() && ArchitectureOf(triple) != HostArchitecture())
    return Wrong(target, std::string(ArchitectureOf(triple)), std::string(HostArchitecture()));
  const std::string processor = OptionOf(target, {"-mcpu="});
  std::vector<std::string> needed;
  for (const Level& level : kLevels)
    if (level.processor == processor)
      for (std::string_view name : Split(level.needs, ' ')) needed.emplace_back(name);
  const std::string attributes = OptionOf(target, {"-mattr="});
  for (std::string_view attribute : Split(attributes, ',')) {
    if (attribute.starts_with('+')) needed.emplace_back(attribute.substr(1));
    if (attribute.starts_with('-')) std::erase(needed, attribute.substr(1));
  }
  std::string missing;
  for (const std::string& feature : needed)
    if (HostSupports(feature) == Support::kNo) missing += (missing.empty() ? "" : ", ") + feature;
  if (missing.empty()) return absl::OkStatus();
  return Wrong(target, "a processor with " + missing,
               "this " + std::string(HostArchitecture()) + " processor, which lacks it");
}

absl::Status RequestProcessorState(std::string_view state) {
  const auto refused = [&](const std::string& found) {
    return MakeStatus(absl::StatusCode::kFailedPrecondition, "module-processor-state",
                      {"the module needs a part of the processor's state that this process may not "
                       "use\nexpected: `",
                       std::string(state), "`, given on request\nfound: ", found,
                       "\nhelp: compile it for a target without that feature"});
  };
#if defined(__x86_64__) && defined(SYS_arch_prctl)
  if (state == "amx-tile") {
    constexpr long kRequestPermission = 0x1023, kTileData = 18;  // NOLINT(google-runtime-int)
    if (syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0) return absl::OkStatus();
    return refused(std::string("the operating system says: ") + std::strerror(errno));
  }
#endif
  return refused("this runtime knows no such state on " + std::string(HostArchitecture()));
}

}  // namespace lathe::runtime
