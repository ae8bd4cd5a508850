// Reads relocatable ELF objects (`.o`): sections, symbols, relocations and groups, every field
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
  uint32_t type = 0;    // numbered by the machine
  uint32_t symbol = 0;  // index into ElfObject::symbols
  int64_t addend = 0;
  bool implicit_addend = false;  // the addend is in the place itself (REL)
};

struct ElfSection {
  std::string_view name;
  uint32_t type = 0;
  uint64_t flags = 0;
  uint32_t link = 0;          // with the flag kFlagLinkOrder: the section that it belongs to
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

// Sections that must be taken or left together.
struct ElfGroup {
  std::string_view signature;
  bool comdat = false;  // only the first group of a signature counts
};

// One object. Everything views the bytes it was read from, which must outlive it. Immutable, so
// thread-safe.
struct ElfObject {
  std::string name;  // for messages
  uint16_t machine = 0;
  uint32_t flags = 0;  // e_flags
  bool is_64 = true;
  std::vector<ElfSection> sections;
  std::vector<ElfSymbol> symbols;
  std::vector<ElfGroup> groups;
};

// True where `bytes` start as an ELF file does.
bool LooksLikeElf(std::string_view bytes);

// What the head of an ELF file says; enough to tell objects from libraries and machines apart.
struct ElfIdentity {
  bool is_64 = false;
  bool little_endian = false;
  uint16_t type = 0;     // elf::kType...
  uint16_t machine = 0;  // elf::kMachine...
};
absl::StatusOr<ElfIdentity> ReadElfIdentity(std::string_view bytes, std::string_view name);

// "x86_64", "aarch64", ..., or "machine 21" where it has no name here.
std::string ElfMachineName(uint16_t machine, bool is_64);

// `name` stands in messages. Fails with `artifact-corrupt`, or `artifact-not-an-object` for other
// kinds of ELF files.
absl::StatusOr<ElfObject> ReadElfObject(std::string_view bytes, std::string_view name);

}  // namespace lathe::runtime
