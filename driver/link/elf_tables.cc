#include "driver/link/elf_tables.h"

#include <algorithm>
#include <iterator>

namespace lathe::driver {
namespace {

// The hash function of the System V ABI, chapter 5.
uint32_t SysvHash(std::string_view name) {
  uint32_t hash = 0;
  for (const char c : name) {
    hash = (hash << 4) + static_cast<unsigned char>(c);
    hash = (hash ^ (hash >> 24 & 0xf0)) & 0x0fffffff;
  }
  return hash;
}

// Functions that GNU/Linux keeps outside of the C library. It does no harm that both libraries have
// a few of these names.
bool IsMathFunction(std::string_view name) {
  static constexpr std::string_view kNames[] = {
      "acos",  "acosh",  "asin",      "asinh",  "atan",      "atan2",     "atanh", "cbrt",
      "ceil",  "cos",    "cosh",      "erf",    "erfc",      "exp",       "exp10", "exp2",
      "expm1", "fabs",   "fdim",      "floor",  "fma",       "fmax",      "fmin",  "fmod",
      "hypot", "ilogb",  "lgamma",    "llrint", "llround",   "log",       "log10", "log1p",
      "log2",  "logb",   "lrint",     "lround", "nearbyint", "nextafter", "pow",   "remainder",
      "rint",  "round",  "roundeven", "sin",    "sincos",    "sinh",      "sqrt",  "tan",
      "tanh",  "tgamma", "trunc"};
  auto known = [](std::string_view one) {
    return std::binary_search(std::begin(kNames), std::end(kNames), one);
  };
  return known(name) ||
         (!name.empty() && name.back() == 'f' && known(name.substr(0, name.size() - 1)));
}

size_t NumBuckets(size_t num_names) { return std::max<size_t>(1, (num_names + 1) / 2); }

}  // namespace

std::string WriteSectionHeaders(absl::Span<const ElfSectionHeader> sections, bool is_64,
                                StringTable& names) {
  ElfWriter out(is_64);
  for (const ElfSectionHeader& section : sections) {
    out.Word(names.Add(section.name)).Word(section.type).Native(section.flags);
    out.Native(section.address).Native(section.offset).Native(section.size);
    out.Word(section.link).Word(section.info).Native(section.alignment).Native(section.entry_size);
  }
  return out.bytes();
}

uint64_t HashTableBytes(size_t num_names) {
  return (2 + NumBuckets(num_names) + num_names + 1) * 4;
}

std::string WriteHashTable(absl::Span<const std::string> names, bool is_64) {
  std::vector<uint32_t> buckets(NumBuckets(names.size())), chains(names.size() + 1);
  for (uint32_t i = 0; i < names.size(); ++i) {
    uint32_t& bucket = buckets[SysvHash(names[i]) % buckets.size()];
    chains[i + 1] = bucket;
    bucket = i + 1;
  }
  ElfWriter out(is_64);
  out.Word(buckets.size()).Word(chains.size());
  for (const uint32_t bucket : buckets) out.Word(bucket);
  for (const uint32_t chain : chains) out.Word(chain);
  return out.bytes();
}

std::vector<std::string> StandardLibraries(absl::Span<const std::string> names) {
  bool math = false, other = false;
  for (const std::string& name : names) (IsMathFunction(name) ? math : other) = true;
  std::vector<std::string> libraries;
  if (math) libraries.push_back("libm.so.6");
  if (other) libraries.push_back("libc.so.6");
  return libraries;
}

}  // namespace lathe::driver
