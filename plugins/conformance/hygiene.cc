#include "plugins/conformance/hygiene.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <string_view>

#include "lathe/abi/plugin.h"
#include "runtime/plugin_loader/elf_sections.h"
#include "runtime/status.h"

namespace lathe::plugins {
namespace {

using runtime::ElfSections;
using Section = ElfSections::Section;

// ELF numbers used here.
constexpr uint32_t kDynamicSymbols = 11, kDynamicTable = 6, kVersions = 0x6fffffff,
                   kVersionNeeds = 0x6ffffffe;
constexpr int kBindLocal = 0, kBindWeak = 2, kBindUnique = 10;
constexpr uint64_t kNeeded = 1;
constexpr uint64_t kMaxBytes = 64 << 20;

constexpr std::string_view kSystemLibraries[] = {"libc.so.6",    "libm.so.6",  "libpthread.so.0",
                                                 "libdl.so.2",   "librt.so.1", "libstdc++.so.6",
                                                 "libgcc_s.so.1"};
// Weak references that libraries have: the toolchain's; the trap that gcc's vtables refer to
// weakly, which a static libstdc++ is therefore not asked for; and its transactional memory
// (prefixes).
constexpr std::string_view kToolchainWeak[] = {"__gmon_start__", "_ITM_deregisterTMCloneTable",
                                               "_ITM_registerTMCloneTable", "__cxa_finalize",
                                               "__cxa_pure_virtual"};

constexpr std::string_view kToolchainWeakPrefixes[] = {"_ITM_", "_ZGTt"};

bool IsToolchainWeak(std::string_view name) {
  for (std::string_view prefix : kToolchainWeakPrefixes)
    if (name.starts_with(prefix)) return true;
  return std::find(std::begin(kToolchainWeak), std::end(kToolchainWeak), name) !=
         std::end(kToolchainWeak);
}

bool IsSystemLibrary(std::string_view name) {
  return name.starts_with("ld-linux") ||
         std::find(std::begin(kSystemLibraries), std::end(kSystemLibraries), name) !=
             std::end(kSystemLibraries);
}

// In a sanitizer's build the executable has its runtime.
bool IsSanitizer([[maybe_unused]] std::string_view name) {
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || \
    __has_feature(undefined_behavior_sanitizer)
  for (std::string_view prefix : {"__asan_", "__ubsan_", "__tsan_", "__sanitizer_", "__lsan_",
                                  "__sancov_", "__dynamic_cast"}) {
    if (name.starts_with(prefix)) return true;
  }
#endif
#endif
  return false;
}

const Section* FindType(const ElfSections& elf, uint32_t type) {
  for (const Section& section : elf.sections()) {
    if (section.type == type) return &section;
  }
  return nullptr;
}

std::string_view NameAt(const std::string& strings, uint64_t offset) {
  if (offset >= strings.size()) return "?";
  const char* start = strings.data() + offset;
  return {start, strnlen(start, strings.size() - offset)};
}

absl::StatusOr<std::string> LinkedStrings(const ElfSections& elf, const Section& section) {
  if (section.link >= elf.sections().size()) {
    return runtime::MakeStatus(absl::StatusCode::kInvalidArgument, "elf-malformed",
                               "a section's strings are missing");
  }
  return elf.Read(elf.sections()[section.link], kMaxBytes);
}

// Which library each version index of .gnu.version comes from.
absl::StatusOr<std::map<uint64_t, std::string>> VersionLibraries(const ElfSections& elf) {
  std::map<uint64_t, std::string> libraries;
  const Section* section = FindType(elf, kVersionNeeds);
  if (section == nullptr) return libraries;
  LATHE_ASSIGN_OR_RETURN(const std::string bytes, elf.Read(*section, kMaxBytes));
  LATHE_ASSIGN_OR_RETURN(const std::string strings, LinkedStrings(elf, *section));
  // Verneed {version, count, file, aux, next}, Vernaux {hash, flags, other, name, next}: 16 bytes
  // each, in chains.
  for (uint64_t need = 0; need + 16 <= bytes.size();) {
    const uint64_t count = elf.Number(&bytes[need + 2], 2);
    const std::string library(NameAt(strings, elf.Number(&bytes[need + 4], 4)));
    uint64_t aux = need + elf.Number(&bytes[need + 8], 4);
    for (uint64_t i = 0; i < count && aux + 16 <= bytes.size(); ++i) {
      libraries[elf.Number(&bytes[aux + 6], 2)] = library;
      const uint64_t next = elf.Number(&bytes[aux + 12], 4);
      if (next == 0) break;
      aux += next;
    }
    const uint64_t next = elf.Number(&bytes[need + 12], 4);
    if (next == 0) break;
    need += next;
  }
  return libraries;
}

absl::Status CheckNeeded(const ElfSections& elf, std::vector<std::string>* problems) {
  const Section* section = FindType(elf, kDynamicTable);
  if (section == nullptr) return absl::OkStatus();
  LATHE_ASSIGN_OR_RETURN(const std::string bytes, elf.Read(*section, kMaxBytes));
  LATHE_ASSIGN_OR_RETURN(const std::string strings, LinkedStrings(elf, *section));
  const int word = elf.is_64_bit() ? 8 : 4;
  for (size_t at = 0; at + 2 * static_cast<size_t>(word) <= bytes.size();
       at += 2 * static_cast<size_t>(word)) {
    if (elf.Number(&bytes[at], word) != kNeeded) continue;
    const std::string_view library =
        NameAt(strings, elf.Number(&bytes[at + static_cast<size_t>(word)], word));
    if (!IsSystemLibrary(library)) {
      problems->push_back("it needs " + std::string(library) +
                          ", which is none of the system's C and C++ libraries");
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::vector<std::string>> CheckHygiene(const std::string& path) {
  LATHE_ASSIGN_OR_RETURN(const ElfSections elf, ElfSections::Open(path));
  std::vector<std::string> problems;
  const Section* section = FindType(elf, kDynamicSymbols);
  if (section == nullptr) {
    problems.push_back("it has no dynamic symbols: this is no shared library");
    return problems;
  }
  LATHE_ASSIGN_OR_RETURN(const std::string symbols, elf.Read(*section, kMaxBytes));
  LATHE_ASSIGN_OR_RETURN(const std::string strings, LinkedStrings(elf, *section));
  LATHE_ASSIGN_OR_RETURN(const auto libraries, VersionLibraries(elf));
  std::string versions;
  if (const Section* found = FindType(elf, kVersions)) {
    LATHE_ASSIGN_OR_RETURN(versions, elf.Read(*found, kMaxBytes));
  }
  const size_t entry = elf.is_64_bit() ? 24 : 16;
  bool has_entry_point = false;
  for (size_t i = 1; (i + 1) * entry <= symbols.size(); ++i) {
    const char* symbol = &symbols[i * entry];
    const std::string name(NameAt(strings, elf.Number(symbol, 4)));
    const int binding = static_cast<unsigned char>(symbol[elf.is_64_bit() ? 4 : 12]) >> 4;
    if (binding == kBindLocal) continue;  // of sections, which gold writes down
    const bool defined = elf.Number(symbol + (elf.is_64_bit() ? 6 : 14), 2) != 0;
    if (binding == kBindUnique)
      problems.push_back("symbol " + name + " has binding STB_GNU_UNIQUE");
    if (defined) {
      if (name == LATHE_PLUGIN_QUERY_SYMBOL) {
        has_entry_point = true;
      } else {
        problems.push_back("it exports " + name +
                           "; only " LATHE_PLUGIN_QUERY_SYMBOL " may be seen from outside");
      }
      continue;
    }
    const bool toolchain = binding == kBindWeak && IsToolchainWeak(name);
    if (toolchain || IsSanitizer(name)) continue;
    const uint64_t index =
        (i + 1) * 2 <= versions.size() ? elf.Number(&versions[i * 2], 2) & 0x7fff : 0;
    const auto library = libraries.find(index);
    if (library == libraries.end() || !IsSystemLibrary(library->second)) {
      problems.push_back("it leaves " + name + " open, which no system library defines");
    }
  }
  if (!has_entry_point) problems.push_back("it does not export " LATHE_PLUGIN_QUERY_SYMBOL);
  LATHE_RETURN_IF_ERROR(CheckNeeded(elf, &problems));
  return problems;
}

}  // namespace lathe::plugins
