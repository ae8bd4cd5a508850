#include "tests/faults/symbols.h"

#include <cxxabi.h>
#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>

namespace lathe::faults {
namespace {

// The bytes of a file; null if there are none. They stay mapped, because symbols refer to them, and
// cost forks nothing.
const char* Mapped(const std::string& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  struct stat about;
  void* bytes = MAP_FAILED;
  if (file >= 0 && fstat(file, &about) == 0 && about.st_size >= int64_t{sizeof(Elf64_Ehdr)})
    bytes = mmap(nullptr, static_cast<size_t>(about.st_size), PROT_READ, MAP_PRIVATE, file, 0);
  if (file >= 0) close(file);
  return bytes == MAP_FAILED ? nullptr : static_cast<const char*>(bytes);
}

// The loader has no name for the program itself.
std::string FileOf(const char* name) {
  if (name != nullptr && std::filesystem::exists(name)) return name;
  return std::filesystem::read_symlink("/proc/self/exe");
}

}  // namespace

struct Symbols::Table {
  struct Function {
    uint64_t begin, end;
    const char* name;
  };
  std::vector<Function> functions;  // sorted by `begin`
};

Symbols::Symbols() {
  const auto enter = [](dl_phdr_info* info, size_t, void* self) {
    for (const auto* part = info->dlpi_phdr; part != info->dlpi_phdr + info->dlpi_phnum; ++part) {
      if (part->p_type != PT_LOAD || (part->p_flags & PF_X) == 0) continue;
      const uintptr_t begin = info->dlpi_addr + part->p_vaddr;
      static_cast<Symbols*>(self)->objects_.push_back(
          {begin, begin + part->p_memsz, info->dlpi_addr, FileOf(info->dlpi_name)});
    }
    return 0;
  };
  dl_iterate_phdr(enter, this);
  std::sort(objects_.begin(), objects_.end(),
            [](const Object& a, const Object& b) { return a.begin < b.begin; });
  for (const Object& object : objects_) TableOf(object.path);
}
Symbols::~Symbols() = default;

const Symbols::Table& Symbols::TableOf(const std::string& path) {
  std::unique_ptr<Table>& table = tables_[path];
  if (table) return *table;
  table = std::make_unique<Table>();
  const char* const bytes = Mapped(path);
  // The linker wrote these files and the loader has read them, so they are not checked again.
  if (bytes == nullptr) return *table;
  Elf64_Ehdr header;
  std::memcpy(&header, bytes, sizeof header);
  std::vector<Elf64_Shdr> sections(header.e_shnum);
  std::memcpy(sections.data(), bytes + header.e_shoff, sections.size() * sizeof(Elf64_Shdr));
  for (const Elf64_Shdr& section : sections) {
    if (section.sh_type != SHT_SYMTAB && section.sh_type != SHT_DYNSYM) continue;
    const char* const names = bytes + sections[section.sh_link].sh_offset;
    for (uint64_t at = 0; at < section.sh_size; at += sizeof(Elf64_Sym)) {
      Elf64_Sym symbol;
      std::memcpy(&symbol, bytes + section.sh_offset + at, sizeof symbol);
      if (ELF64_ST_TYPE(symbol.st_info) != STT_FUNC || symbol.st_size == 0) continue;
      table->functions.push_back(
          {symbol.st_value, symbol.st_value + symbol.st_size, names + symbol.st_name});
    }
  }
  std::sort(table->functions.begin(), table->functions.end(),
            [](const auto& a, const auto& b) { return a.begin < b.begin; });
  return *table;
}

// Not by dladdr, which looks at every symbol of a library each time.
bool Symbols::Find(uintptr_t address, Object* object) const {
  auto after = std::upper_bound(objects_.begin(), objects_.end(), address,
                                [](uintptr_t value, const Object& o) { return value < o.begin; });
  if (after != objects_.begin() && address < (--after)->end) {
    *object = *after;
    return true;
  }
  Dl_info info;  // of a library that was loaded later
  if (dladdr(reinterpret_cast<void*>(address), &info) == 0) return false;
  *object = {0, 0, reinterpret_cast<uintptr_t>(info.dli_fbase), FileOf(info.dli_fname)};
  return true;
}

const Symbol& Symbols::Of(const void* address) {
  const auto [entry, added] = known_.try_emplace(address);
  Symbol& symbol = entry->second;
  // The call lies before its return address.
  const uintptr_t call = reinterpret_cast<uintptr_t>(address) - 1;
  Object object;
  if (!added || !Find(call, &object)) return symbol;
  symbol.object = std::filesystem::path(object.path).filename();
  const uint64_t offset = call - object.base;
  const auto& functions = TableOf(object.path).functions;
  auto function = std::upper_bound(functions.begin(), functions.end(), offset,
                                   [](uint64_t value, const auto& f) { return value < f.begin; });
  if (function == functions.begin() || offset >= (--function)->end) return symbol;
  int status = 0;
  char* const demangled = abi::__cxa_demangle(function->name, nullptr, nullptr, &status);
  symbol.name = status == 0 ? demangled : function->name;
  std::free(demangled);
  return symbol;
}

}  // namespace lathe::faults
