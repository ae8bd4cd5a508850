#include "runtime/artifact/constants_in_place.h"

#include <cstdint>
#include <vector>

#include "absl/strings/match.h"
#include "lathe/abi/kernel.h"
#include "runtime/artifact/elf_format.h"
#include "runtime/artifact/link_plan.h"

namespace lathe::runtime {
namespace {

using Place = ElfSymbol::Place;

// True if the section is only data that nothing changes.
bool IsConstantData(const ElfSection& section) {
  constexpr uint64_t kAlignment = 64;  // as ArtifactConstant::data
  constexpr uint64_t kKind = elf::kFlagAlloc | elf::kFlagWrite | elf::kFlagExec | elf::kFlagMerge |
                             elf::kFlagTls | elf::kFlagLinkOrder;
  return section.type == elf::kSectionProgbits && (section.flags & kKind) == elf::kFlagAlloc &&
         section.relocations.empty() && section.group < 0 && !section.contents.empty() &&
         reinterpret_cast<uintptr_t>(section.contents.data()) % kAlignment == 0;
}

}  // namespace

std::unordered_map<std::string, const char*> TakeConstants(const Machine& machine,
                                                           ElfObject* object) {
  // The constant's symbol by section; 0: none, or more than one.
  std::vector<uint32_t> constant(object->sections.size(), 0);
  std::vector<bool> several(object->sections.size(), false);
  for (uint32_t i = 1; i < object->symbols.size(); ++i) {
    const ElfSymbol& symbol = object->symbols[i];
    if (symbol.place != Place::kSection || symbol.type == elf::kSymbolSection) continue;
    if (constant[symbol.section] != 0) several[symbol.section] = true;
    constant[symbol.section] = i;
  }
  for (uint32_t s = 0; s < constant.size(); ++s) {
    if (constant[s] == 0) continue;
    const ElfSymbol& symbol = object->symbols[constant[s]];
    if (several[s] || !IsConstantData(object->sections[s]) || symbol.value != 0 ||
        symbol.size != object->sections[s].contents.size() ||
        !absl::StartsWith(symbol.name, LATHE_CONSTANT_PREFIX))
      constant[s] = 0;
  }
  for (const ElfSection& section : object->sections) {
    for (const ElfRelocation& relocation : section.relocations) {
      if (relocation.symbol >= object->symbols.size()) continue;
      const ElfSymbol& symbol = object->symbols[relocation.symbol];
      if (symbol.place != Place::kSection) continue;
      const RelocationKind* kind = machine.Find(relocation.type);
      const bool by_table = kind != nullptr && IsGotValue(kind->value);
      if (!by_table || symbol.type == elf::kSymbolSection) constant[symbol.section] = 0;
    }
  }
  std::unordered_map<std::string, const char*> taken;
  for (uint32_t s = 0; s < constant.size(); ++s) {
    if (constant[s] == 0) continue;
    ElfSymbol& symbol = object->symbols[constant[s]];
    ElfSection& section = object->sections[s];
    if (!taken.emplace(symbol.name, section.contents.data()).second) continue;
    symbol.place = Place::kUndefined;
    symbol.binding = elf::kBindGlobal;
    symbol.section = 0;
    symbol.value = 0;
    section.flags = 0;  // the linker leaves it out
    section.contents = {};
    section.size = 0;
  }
  return taken;
}

}  // namespace lathe::runtime
