// Reads relocatable ELF objects (`.o`): sections, symbols, relocations and groups. Every field is
// checked.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace lathe::runtime {

struct ElfRelocation {
  uint64_t offset = 0;  // into the section; bytes
  uint32_t type = 0;    // the machine's number
  uint32_t symbol = 0;  // index into ElfObject::symbols
  int64_t addend = 0;
  bool implicit_addend = false;  // the addend is in the relocated word (REL)
};

struct ElfSection {
  std::string_view name;
  uint32_t type = 0;
  uint64_t flags = 0;
  uint32_t link = 0;          // with kFlagLinkOrder: the section that it belongs to
  uint64_t size = 0;          // in memory
  uint64_t alignment = 1;     // a power of two
  std::string_view contents;  // empty for NOBITS
  std::vector<ElfRelocation> relocations;
  int group = -1;  // index into ElfObject::groups; -1: none
};

struct ElfSymbol {
  std::string_view name;  // empty for section symbols
  uint64_t value = 0;     // offset into the section; alignment of a common symbol
  uint64_t size = 0;
  uint8_t binding = 0;
  uint8_t type = 0;
  uint8_t visibility = 0;
  enum class Place : uint8_t { kUndefined, kSection, kAbsolute, kCommon } place = Place::kUndefined;
  uint32_t section = 0;  // for kSection: index into ElfObject::sections

  bool is_global() const;
};

// Sections that are all kept or all left out.
struct ElfGroup {
  std::string_view signature;
  bool comdat = false;  // only the first group of a signature counts
};

// One object. All members are views of the bytes from which it was read; the bytes must outlive it.
// Immutable, so thread-safe.
struct ElfObject {
  std::string name;  // for messages
  uint16_t machine = 0;
  uint32_t flags = 0;  // e_flags
  bool is_64 = true;
  std::vector<ElfSection> sections;
  std::vector<ElfSymbol> symbols;
  std::vector<ElfGroup> groups;
};

// True if `bytes` start like an ELF file.
bool LooksLikeElf(std::string_view bytes);

// The header of an ELF file, enough to distinguish objects, libraries and machines.
struct ElfIdentity {
  bool is_64 = false;
  bool little_endian = false;
  uint16_t type = 0;     // elf::kType...
  uint16_t machine = 0;  // elf::kMachine...
};
absl::StatusOr<ElfIdentity> ReadElfIdentity(std::string_view bytes, std::string_view name);

// "x86_64", "aarch64", ...; "machine 21" if this file has no name for the number.
std::string ElfMachineName(uint16_t machine, bool is_64);

// `name` is for messages. Fails with `artifact-corrupt`, or `artifact-not-an-object` for other
// kinds of ELF files.
absl::StatusOr<ElfObject> ReadElfObject(std::string_view bytes, std::string_view name);

}  // namespace lathe::runtime
