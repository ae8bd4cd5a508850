// Pieces of ELF files: numbers in a row, string tables, section headers, the hash function.
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

// Numbers in the order they are appended, in the file's class.
class ElfWriter {
 public:
  explicit ElfWriter(bool is_64) : is_64_(is_64) {}
  ElfWriter& Byte(uint64_t value) { return Put<uint8_t>(value); }
  ElfWriter& Half(uint64_t value) { return Put<uint16_t>(value); }
  ElfWriter& Word(uint64_t value) { return Put<uint32_t>(value); }
  // 4 or 8 bytes.
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

// NUL-terminated strings in a row, each once.
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

// What a section header says.
struct ElfSectionHeader {
  std::string name;
  uint32_t type = runtime::elf::kSectionProgbits;
  uint64_t flags = runtime::elf::kFlagAlloc, address = 0, offset = 0, size = 0;
  uint32_t link = 0, info = 0;
  uint64_t alignment = 1, entry_size = 0;
};

// The section headers in the file's class; their names go into `names`.
std::string WriteSectionHeaders(absl::Span<const ElfSectionHeader> sections, bool is_64,
                                StringTable& names);

// The contents of a hash section (DT_HASH) for symbols 1, 2, ... of these names.
std::string WriteHashTable(absl::Span<const std::string> names, bool is_64);
// Its size for so many symbols, symbol 0 not counted.
uint64_t HashTableBytes(size_t num_names);

// The libraries of GNU/Linux that define functions of these names.
std::vector<std::string> StandardLibraries(absl::Span<const std::string> names);

}  // namespace lathe::driver
