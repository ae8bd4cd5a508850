// Writes pieces of ELF files: numbers, string tables, section headers, hash tables.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "absl/types/span.h"
#include "runtime/artifact/bytes.h"
#include "runtime/artifact/elf_format.h"

namespace lathe::driver {

// Appends numbers in the file's class (32 or 64 bits), little endian.
class ElfWriter {
 public:
  explicit ElfWriter(bool is_64) : is_64_(is_64) {}
  ElfWriter& Byte(uint64_t value) { return Put<uint8_t>(value); }
  ElfWriter& Half(uint64_t value) { return Put<uint16_t>(value); }
  ElfWriter& Word(uint64_t value) { return Put<uint32_t>(value); }
  // 8 bytes in 64-bit files, 4 bytes in 32-bit files.
  ElfWriter& Native(uint64_t value) { return is_64_ ? Put<uint64_t>(value) : Put<uint32_t>(value); }
  const std::string& bytes() const { return bytes_; }

 private:
  template <class T>
  ElfWriter& Put(uint64_t value) {
    char raw[sizeof(T)];
    runtime::WriteLittle<T>(raw, static_cast<T>(value));
    bytes_.append(raw, sizeof(T));
    return *this;
  }
  bool is_64_;
  std::string bytes_;
};

// NUL-terminated strings one after the other, each stored once.
class StringTable {
 public:
  uint32_t Add(std::string_view text) {
    const auto [entry, inserted] = offsets_.emplace(std::string(text), bytes_.size());
    if (inserted) bytes_.append(text).push_back('\0');
    return entry->second;
  }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_ = std::string(1, '\0');
  std::unordered_map<std::string, uint32_t> offsets_ = {{"", 0}};
};

// The fields of a section header.
struct ElfSectionHeader {
  std::string name;
  uint32_t type = runtime::elf::kSectionProgbits;
  uint64_t flags = runtime::elf::kFlagAlloc, address = 0, offset = 0, size = 0;
  uint32_t link = 0, info = 0;
  uint64_t alignment = 1, entry_size = 0;
};

// The section headers in the file's class. Adds their names to `names`.
std::string WriteSectionHeaders(absl::Span<const ElfSectionHeader> sections, bool is_64,
                                StringTable& names);

// The contents of a hash section (DT_HASH) for symbols 1, 2, ... with these names.
std::string WriteHashTable(absl::Span<const std::string> names, bool is_64);
// The size in bytes of that section for `num_names` symbols. Symbol 0 does not count.
uint64_t HashTableBytes(size_t num_names);

// The GNU/Linux libraries that define functions of these names.
std::vector<std::string> StandardLibraries(absl::Span<const std::string> names);

}  // namespace lathe::driver
