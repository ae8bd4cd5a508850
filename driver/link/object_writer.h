// Relocatable ELF objects, put together from sections, symbols and relocations.
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

// Sections and symbols are known by the numbers that their functions return; sections count from 1,
// as in the file. What is passed as a view must live as long as what Write returns. Not
// thread-safe.
class ObjectWriter {
 public:
  ObjectWriter(const runtime::Machine& machine, uint32_t flags)
      : machine_(machine), flags_(flags) {}

  // `section.link` is a number of this object's. Relocations name symbols by numbers of this
  // object's, which AddSymbol may return later.
  uint32_t AddSection(runtime::ElfSection section);
  // `symbol.section` is a number of this object's.
  uint32_t AddSymbol(const runtime::ElfSymbol& symbol);
  runtime::ElfSection& section(uint32_t number) { return sections_[number - 1]; }
  runtime::ElfSymbol& symbol(uint32_t number) { return symbols_[number]; }

  // A relocation that puts the address of `symbol` into a word.
  runtime::ElfRelocation AddressOf(uint32_t symbol, uint64_t offset) const;

  // Fails with `artifact-too-large` beyond 65,000 sections.
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
