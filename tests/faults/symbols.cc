#include "tests/faults/symbols.h"

#include <cxxabi.h>
#include <dlfcn.h>
#include <elf.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

namespace lathe::faults {

struct Symbols::Table {
  struct Function {
    uint64_t begin, end;
    std::string name;
  };
  std::vector<Function> functions;  // sorted by `begin`
};

Symbols::Symbols() = default;
Symbols::~Symbols() = default;

const Symbols::Table& Symbols::TableOf(const std::string& path) {
  std::unique_ptr<Table>& table = tables_[path];
  if (table) return *table;
  table = std::make_unique<Table>();
  std::ifstream file(path, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  // The linker wrote these files and the loader has read them, so they are not checked again.
  Elf64_Ehdr header;
  if (bytes.size() < sizeof header) return *table;
  std::memcpy(&header, bytes.data(), sizeof header);
  std::vector<Elf64_Shdr> sections(header.e_shnum);
  std::memcpy(sections.data(), bytes.data() + header.e_shoff, sections.size() * sizeof(Elf64_Shdr));
  for (const Elf64_Shdr& section : sections) {
    if (section.sh_type != SHT_SYMTAB && section.sh_type != SHT_DYNSYM) continue;
    const char* const names = bytes.data() + sections[section.sh_link].sh_offset;
    for (uint64_t at = 0; at < section.sh_size; at += sizeof(Elf64_Sym)) {
      Elf64_Sym symbol;
      std::memcpy(&symbol, bytes.data() + section.sh_offset + at, sizeof symbol);
      if (ELF64_ST_TYPE(symbol.st_info) != STT_FUNC || symbol.st_size == 0) continue;
      table->functions.push_back(
          {symbol.st_value, symbol.st_value + symbol.st_size, names + symbol.st_name});
    }
  }
  std::sort(table->functions.begin(), table->functions.end(),
            [](const auto& a, const auto& b) { return a.begin < b.begin; });
  return *table;
}

const Symbol& Symbols::Of(const void* address) {
  const auto [entry, added] = known_.try_emplace(address);
  Symbol& symbol = entry->second;
  Dl_info info;
  // The call lies before its return address.
  if (!added || dladdr(static_cast<const char*>(address) - 1, &info) == 0) return symbol;
  symbol.object = std::filesystem::path(info.dli_fname).filename();
  const uint64_t offset = static_cast<uint64_t>(static_cast<const char*>(address) - 1 -
                                                static_cast<const char*>(info.dli_fbase));
  // The program itself is position independent, so its first byte is at offset 0, too.
  const auto& functions =
      TableOf(std::filesystem::exists(info.dli_fname) ? info.dli_fname : "/proc/self/exe")
          .functions;
  auto function = std::upper_bound(functions.begin(), functions.end(), offset,
                                   [](uint64_t value, const auto& f) { return value < f.begin; });
  if (function == functions.begin() || offset >= (--function)->end) return symbol;
  int status = 0;
  char* const demangled = abi::__cxa_demangle(function->name.c_str(), nullptr, nullptr, &status);
  symbol.name = status == 0 ? demangled : function->name;
  std::free(demangled);
  return symbol;
}

}  // namespace lathe::faults
