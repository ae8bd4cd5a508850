// Reads sections of an ELF file (32 or 64 bit, either byte order, any processor) without loading
// it.
//
// Reads only what is asked for, checks every offset and trusts nothing: any bytes give an answer or
// a status (`elf-malformed`, `file-unreadable`).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace lathe::runtime {

// Not thread-safe.
class ElfSections {
 public:
  struct Section {
    std::string name;
    uint32_t type = 0;
    uint32_t link = 0;
    uint64_t offset = 0;
    uint64_t size = 0;
  };

  static absl::StatusOr<ElfSections> Open(const std::string& path);
  // `bytes` must outlive the reader.
  static absl::StatusOr<ElfSections> FromBytes(std::string_view bytes);

  ElfSections(ElfSections&&) = default;
  ElfSections& operator=(ElfSections&&) = default;

  bool is_64_bit() const { return is_64_bit_; }
  bool is_little_endian() const { return little_; }
  // e_type (3: shared object) and e_machine (62: x86-64, 183: aarch64, 40: arm, 243: riscv).
  uint16_t type() const { return type_; }
  uint16_t machine() const { return machine_; }
  const std::vector<Section>& sections() const { return sections_; }
  // NULL if there is no section of that name; the first if there are several.
  const Section* Find(std::string_view name) const;

  // Fails with `elf-malformed` if the section is larger than `most` bytes or is outside the file.
  absl::StatusOr<std::string> Read(const Section& section, uint64_t most) const;

  // An unsigned number of `bytes` bytes at `data`, in the file's byte order.
  uint64_t Number(const char* data, int bytes) const;

 private:
  class Source;
  struct FileSource;
  struct MemorySource;

  explicit ElfSections(std::unique_ptr<Source> source);
  absl::Status ReadHeaders();
  absl::Status ReadAt(uint64_t offset, uint64_t size, std::string* out) const;

  std::shared_ptr<Source> source_;
  bool is_64_bit_ = false;
  bool little_ = true;
  uint16_t type_ = 0;
  uint16_t machine_ = 0;
  std::vector<Section> sections_;
};

// "x86-64", "aarch64", "machine 77".
std::string ElfMachineName(uint16_t machine);
// The machine for which this process runs.
uint16_t ThisElfMachine();

}  // namespace lathe::runtime
