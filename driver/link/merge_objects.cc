#include "driver/link/merge_objects.h"

#include <list>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "driver/link/object_writer.h"
#include "runtime/status.h"

namespace lathe::driver {
namespace {

namespace elf = runtime::elf;
using runtime::ElfObject;
using runtime::ElfRelocation;
using runtime::ElfSection;
using runtime::ElfSymbol;
using runtime::MakeStatus;
using Place = ElfSymbol::Place;

// Builds the structure lathe_artifact in the layout of the target machine, which may differ from
// this machine's.
class ArtifactLayout {
 public:
  explicit ArtifactLayout(size_t word) : word_(word) {}

  uint64_t Number32(uint32_t value) { return Put(value, 4); }
  uint64_t Number64(uint64_t value) { return Put(value, 8); }
  uint64_t Pointer() { return Put(0, word_); }
  std::string Finish() {
    bytes_.resize(runtime::AlignUp(bytes_.size(), 8), '\0');
    runtime::WriteLittle<uint32_t>(bytes_.data(), static_cast<uint32_t>(bytes_.size()));
    return std::move(bytes_);
  }

 private:
  // Returns the member's offset. On all machines every number is aligned to its size.
  uint64_t Put(uint64_t value, size_t size) {
    bytes_.resize(runtime::AlignUp(bytes_.size(), size), '\0');
    const uint64_t at = bytes_.size();
    for (size_t i = 0; i < size; ++i) bytes_.push_back(static_cast<char>(value >> (8 * i)));
    return at;
  }
  size_t word_;
  std::string bytes_;
};

class Merger {
 public:
  Merger(const MergeOptions& options, const runtime::Machine& machine, uint32_t flags)
      : options_(options), machine_(machine), writer_(machine, flags) {}

  absl::Status Add(const ElfObject& object);
  void AddConstants();
  absl::StatusOr<Pieces> Finish();

 private:
  bool Keep(const ElfSection& section);
  void AddSections(const ElfObject& object);
  absl::Status AddSymbols(const ElfObject& object);
  absl::Status AddRelocations(const ElfObject& object);
  uint32_t Undefined(const ElfSymbol& symbol);
  uint32_t Local(std::string_view name, uint32_t section, uint64_t size);

  const MergeOptions& options_;
  const runtime::Machine& machine_;
  ObjectWriter writer_;
  std::set<std::pair<uint32_t, std::string_view>> once_;  // kept only from the first object
  std::map<std::string_view, uint32_t> undefined_;  // symbol numbers by name, also of constants
  std::vector<uint32_t> parts_;                     // symbols of the parts' artefacts
  std::list<std::string> kept_;                     // contents of sections that are made here
  // For the object that is being added: its number -> the result's number; 0: left out.
  std::vector<uint32_t> section_, symbol_;
};

// Keeps sections that are loaded into memory, and sections that say how the object was compiled.
bool Merger::Keep(const ElfSection& section) {
  if ((section.flags & elf::kFlagExclude) != 0) return false;
  const bool attributes =
      section.type >= elf::kSectionProcessorFirst && section.type <= elf::kSectionProcessorLast;
  const bool stack = section.name == ".note.GNU-stack";
  if ((section.flags & elf::kFlagAlloc) != 0) return section.type != elf::kSectionNote;
  return (attributes || stack) && once_.emplace(section.type, section.name).second;
}

void Merger::AddSections(const ElfObject& object) {
  section_.assign(object.sections.size(), 0);
  for (uint32_t i = 1; i < object.sections.size(); ++i) {
    ElfSection section = object.sections[i];
    if (!Keep(section)) continue;
    section.relocations.clear();
    // Sections stay separate: the linker must not merge their contents, and none is in a group.
    section.flags &= ~(elf::kFlagMerge | elf::kFlagStrings | elf::kFlagGroup);
    section.group = -1;
    section_[i] = writer_.AddSection(std::move(section));
  }
  for (uint32_t i = 1; i < object.sections.size(); ++i) {
    if (section_[i] == 0) continue;
    const uint32_t link = object.sections[i].link;
    const bool ordered = (object.sections[i].flags & elf::kFlagLinkOrder) != 0;
    writer_.section(section_[i]).link = ordered && link < section_.size() ? section_[link] : 0;
  }
}

uint32_t Merger::Undefined(const ElfSymbol& symbol) {
  const auto [entry, inserted] = undefined_.emplace(symbol.name, 0);
  if (inserted) entry->second = writer_.AddSymbol(symbol);
  // A symbol that one object needs strongly is strong in the result.
  ElfSymbol& known = writer_.symbol(entry->second);
  if (symbol.binding == elf::kBindGlobal && known.is_global()) known.binding = elf::kBindGlobal;
  return entry->second;
}

absl::Status Merger::AddSymbols(const ElfObject& object) {
  symbol_.assign(object.symbols.size(), 0);
  bool found = false;
  for (uint32_t i = 1; i < object.symbols.size(); ++i) {
    ElfSymbol symbol = object.symbols[i];
    if (symbol.place == Place::kUndefined) {
      if (symbol.is_global()) symbol_[i] = Undefined(symbol);
      continue;
    }
    if (symbol.place == Place::kCommon) {
      return MakeStatus(absl::StatusCode::kUnimplemented, "artifact-unsupported",
                        absl::StrCat("`", object.name, "` has the common symbol `", symbol.name,
                                     "`; compile it with -fno-common"));
    }
    if (symbol.type == elf::kSymbolFile) continue;
    if (symbol.place == Place::kSection) {
      symbol.section = section_[symbol.section];
      if (symbol.section == 0) continue;
    }
    const bool artifact = symbol.is_global() && symbol.name == LATHE_ARTIFACT_SYMBOL;
    symbol.binding = elf::kBindLocal;
    symbol.visibility = elf::kVisibilityDefault;
    symbol_[i] = writer_.AddSymbol(symbol);
    if (artifact) parts_.push_back(symbol_[i]);
    found = found || artifact;
  }
  if (found) return absl::OkStatus();
  return MakeStatus(absl::StatusCode::kNotFound, "artifact-no-symbol",
                    absl::StrCat("`", object.name, "` does not define `", LATHE_ARTIFACT_SYMBOL,
                                 "`, so it is no part of a module"));
}

absl::Status Merger::AddRelocations(const ElfObject& object) {
  for (uint32_t i = 1; i < object.sections.size(); ++i) {
    if (section_[i] == 0) continue;
    ElfSection& to = writer_.section(section_[i]);
    to.relocations = object.sections[i].relocations;
    for (ElfRelocation& relocation : to.relocations) {
      const uint32_t symbol = symbol_[relocation.symbol];
      if (symbol == 0 && relocation.symbol != 0) {
        return MakeStatus(
            absl::StatusCode::kUnimplemented, "artifact-unsupported",
            absl::StrCat(
                "section `", to.name, "` of `", object.name,
                "` refers to what is not in memory; compile it without debug information"));
      }
      relocation.symbol = symbol;
    }
  }
  return absl::OkStatus();
}

absl::Status Merger::Add(const ElfObject& object) {
  AddSections(object);
  LATHE_RETURN_IF_ERROR(AddSymbols(object));
  return AddRelocations(object);
}

uint32_t Merger::Local(std::string_view name, uint32_t section, uint64_t size) {
  ElfSymbol symbol;
  symbol.name = name;
  symbol.type = elf::kSymbolObject;
  symbol.size = size;
  symbol.place = Place::kSection;
  symbol.section = section;
  return writer_.AddSymbol(symbol);
}

// Call it before adding objects: their undefined symbols are then found under the constants' names.
void Merger::AddConstants() {
  for (const runtime::ArtifactConstant& constant : options_.constants) {
    ElfSection section;
    section.name = ".rodata.lathe_constant";
    section.type = elf::kSectionProgbits;
    section.flags = elf::kFlagAlloc;
    section.size = constant.data.size();
    section.alignment = 64;
    section.contents = constant.data;
    const uint32_t number = writer_.AddSection(std::move(section));
    undefined_.emplace(constant.symbol, Local(constant.symbol, number, constant.data.size()));
  }
}

absl::StatusOr<Pieces> Merger::Finish() {
  const size_t word = machine_.word_bytes();
  const std::string& pointers = kept_.emplace_back(parts_.size() * word, '\0');
  ElfSection list;
  list.name = ".data.rel.ro.lathe_parts";
  list.type = elf::kSectionProgbits;
  list.flags = elf::kFlagAlloc | elf::kFlagWrite;  // written during relocation
  list.size = pointers.size();
  list.alignment = word;
  list.contents = pointers;
  for (size_t i = 0; i < parts_.size(); ++i)
    list.relocations.push_back(writer_.AddressOf(parts_[i], i * word));
  const uint32_t list_symbol =
      Local("lathe_parts", writer_.AddSection(std::move(list)), pointers.size());

  ArtifactLayout layout(word);
  layout.Number32(0);  // the size; Finish fills it in
  layout.Number32(LATHE_KERNEL_ABI_PARTS);
  layout.Pointer();  // no table: the artefact itself has no code
  layout.Pointer();  // no functions of its own
  layout.Number64(0);
  layout.Pointer();  // no metadata: the parts have it
  layout.Number64(0);
  const uint64_t imports_at = layout.Pointer();
  layout.Number64(options_.imports.size());
  const uint64_t parts_at = layout.Pointer();
  layout.Number64(parts_.size());
  const std::string& bytes = kept_.emplace_back(layout.Finish());

  ElfSection artifact;
  artifact.name = ".data.rel.ro.lathe_artifact";
  artifact.type = elf::kSectionProgbits;
  artifact.flags = elf::kFlagAlloc | elf::kFlagWrite;
  artifact.size = bytes.size();
  artifact.alignment = 8;
  artifact.contents = bytes;
  if (!options_.imports.empty()) {
    ElfSection imports;
    imports.name = ".rodata.lathe_imports";
    imports.type = elf::kSectionProgbits;
    imports.flags = elf::kFlagAlloc;
    imports.size = options_.imports.size();
    imports.alignment = 16;
    imports.contents = kept_.emplace_back(options_.imports);
    const uint32_t symbol =
        Local("lathe_imports", writer_.AddSection(std::move(imports)), options_.imports.size());
    artifact.relocations.push_back(writer_.AddressOf(symbol, imports_at));
  }
  artifact.relocations.push_back(writer_.AddressOf(list_symbol, parts_at));
  ElfSymbol symbol;
  symbol.name = options_.symbol;
  symbol.type = elf::kSymbolObject;
  symbol.binding = elf::kBindGlobal;
  symbol.size = bytes.size();
  symbol.place = Place::kSection;
  symbol.section = writer_.AddSection(std::move(artifact));
  writer_.AddSymbol(symbol);
  LATHE_ASSIGN_OR_RETURN(Pieces out, writer_.Write());
  out.Keep(std::move(kept_));
  return out;
}

}  // namespace

absl::StatusOr<Pieces> MergeArtifacts(absl::Span<const runtime::ObjectBytes> objects,
                                      const MergeOptions& options) {
  std::vector<ElfObject> read;
  read.reserve(objects.size());
  for (const runtime::ObjectBytes& object : objects) {
    LATHE_ASSIGN_OR_RETURN(ElfObject one, runtime::ReadElfObject(object.bytes, object.name));
    read.push_back(std::move(one));
  }
  const runtime::Machine* machine =
      read.empty() ? nullptr : runtime::FindMachine(read[0].machine, read[0].is_64);
  if (machine == nullptr) {
    return MakeStatus(absl::StatusCode::kFailedPrecondition, "artifact-machine",
                      read.empty()
                          ? std::string("there are no objects to merge")
                          : absl::StrCat("`", read[0].name, "` is for ",
                                         runtime::ElfMachineName(read[0].machine, read[0].is_64),
                                         "; expected ", runtime::KnownMachines()));
  }
  Merger merger(options, *machine, read[0].flags);
  merger.AddConstants();
  for (const ElfObject& object : read) {
    if (runtime::FindMachine(object.machine, object.is_64) != machine ||
        object.flags != read[0].flags) {
      return MakeStatus(
          absl::StatusCode::kFailedPrecondition, "artifact-machine",
          absl::StrCat("`", object.name, "` is for ",
                       runtime::ElfMachineName(object.machine, object.is_64), " (ELF flags ",
                       object.flags, "), but `", read[0].name, "` is for ", machine->name,
                       " (ELF flags ", read[0].flags, "); compile both for one target"));
    }
    LATHE_RETURN_IF_ERROR(merger.Add(object));
  }
  return merger.Finish();
}

}  // namespace lathe::driver
