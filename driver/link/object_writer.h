// Writes relocatable ELF objects from sections, symbols and relocations.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "base/pieces.h"
#include "driver/link/elf_tables.h"
#include "runtime/artifact/elf_reader.h"
#include "runtime/artifact/machine.h"

namespace lathe::driver {

// Functions return the numbers of sections and symbols. Sections count from 1, as in the file.
// Views that are passed in must stay valid as long as the result of Write. Not thread-safe.
class ObjectWriter {
 public:
  ObjectWriter(const runtime::Machine& machine, uint32_t flags)
      : machine_(machine), flags_(flags) {}

  // `section.link` is the number of a section of this object. Relocations name symbols by numbers
  // of this object, which AddSymbol may return later.
  uint32_t AddSection(runtime::ElfSection section);
  // `symbol.section` is the number of a section of this object.
  uint32_t AddSymbol(const runtime::ElfSymbol& symbol);
  runtime::ElfSection& section(uint32_t number) { return sections_[number - 1]; }
  runtime::ElfSymbol& symbol(uint32_t number) { return symbols_[number]; }

  // A relocation that writes the address of `symbol` into the word at `offset`.
  runtime::ElfRelocation AddressOf(uint32_t symbol, uint64_t offset) const;

  // Fails with `artifact-too-large` if the object would have more than 65,000 sections.
  absl::StatusOr<Pieces> Write();

 private:
  std::vector<uint32_t> OrderSymbols();
  std::string SymbolTable(const std::vector<uint32_t>& order);
  std::string Relocations(const runtime::ElfSection& section,
                          const std::vector<uint32_t>& place) const;
  std::string Header(uint64_t section_headers, size_t count) const;

  const runtime::Machine& machine_;
  uint32_t flags_;
  std::vector<runtime::ElfSection> sections_;
  std::vector<runtime::ElfSymbol> symbols_ = std::vector<runtime::ElfSymbol>(1);
  StringTable strings_;
  size_t num_local_ = 0;
};

}  // namespace lathe::driver
