#include "driver/link/object_writer.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "runtime/status.h"

namespace lathe::driver {
namespace {

namespace elf = runtime::elf;
using runtime::ElfRelocation;
using runtime::ElfSection;
using runtime::ElfSymbol;

constexpr size_t kMaxSections = 65000;

uint32_t SectionIndex(const ElfSymbol& symbol) {
  switch (symbol.place) {
    case ElfSymbol::Place::kSection:
      return symbol.section;
    case ElfSymbol::Place::kAbsolute:
      return elf::kIndexAbsolute;
    case ElfSymbol::Place::kCommon:
      return elf::kIndexCommon;
    case ElfSymbol::Place::kUndefined:
      break;
  }
  return elf::kIndexUndefined;
}

}  // namespace

uint32_t ObjectWriter::AddSection(ElfSection section) {
  sections_.push_back(std::move(section));
  return static_cast<uint32_t>(sections_.size());
}

uint32_t ObjectWriter::AddSymbol(const ElfSymbol& symbol) {
  symbols_.push_back(symbol);
  return static_cast<uint32_t>(symbols_.size() - 1);
}

ElfRelocation ObjectWriter::AddressOf(uint32_t symbol, uint64_t offset) const {
  const auto word =
      machine_.is_64 ? runtime::RelocationField::kWord64 : runtime::RelocationField::kWord32;
  ElfRelocation relocation;
  relocation.offset = offset;
  relocation.symbol = symbol;
  relocation.implicit_addend = !machine_.is_64;
  for (const runtime::RelocationKind& kind : machine_.relocations) {
    if (kind.value != runtime::RelocationValue::kAbsolute || kind.field != word) continue;
    relocation.type = kind.number;
    break;
  }
  return relocation;
}

// The format requires local symbols first. Returns the symbols' numbers in the order of the file.
std::vector<uint32_t> ObjectWriter::OrderSymbols() {
  std::vector<uint32_t> order, global;
  for (uint32_t i = 0; i < symbols_.size(); ++i)
    (i != 0 && symbols_[i].is_global() ? global : order).push_back(i);
  num_local_ = order.size();
  order.insert(order.end(), global.begin(), global.end());
  return order;
}

std::string ObjectWriter::SymbolTable(const std::vector<uint32_t>& order) {
  ElfWriter out(machine_.is_64);
  for (const uint32_t number : order) {
    const ElfSymbol& symbol = symbols_[number];
    const uint32_t name = strings_.Add(symbol.name);
    const auto info = static_cast<uint8_t>(symbol.binding << 4 | symbol.type);
    if (machine_.is_64) {
      out.Word(name).Byte(info).Byte(symbol.visibility).Half(SectionIndex(symbol));
      out.Native(symbol.value).Native(symbol.size);
    } else {
      out.Word(name).Native(symbol.value).Native(symbol.size);
      out.Byte(info).Byte(symbol.visibility).Half(SectionIndex(symbol));
    }
  }
  return out.bytes();
}

std::string ObjectWriter::Relocations(const ElfSection& section,
                                      const std::vector<uint32_t>& place) const {
  ElfWriter out(machine_.is_64);
  for (const ElfRelocation& relocation : section.relocations) {
    const uint64_t symbol = place[relocation.symbol];
    out.Native(relocation.offset);
    out.Native(machine_.is_64 ? symbol << 32 | relocation.type : symbol << 8 | relocation.type);
    if (!relocation.implicit_addend) out.Native(static_cast<uint64_t>(relocation.addend));
  }
  return out.bytes();
}

std::string ObjectWriter::Header(uint64_t section_headers, size_t count) const {
  const bool is_64 = machine_.is_64;
  ElfWriter out(is_64);
  for (int i = 0; i < 4; ++i) out.Byte(static_cast<uint8_t>(elf::kMagic[i]));
  out.Byte(is_64 ? elf::kClass64 : elf::kClass32).Byte(elf::kLittleEndian).Byte(elf::kVersion);
  for (int i = 0; i < 9; ++i) out.Byte(0);
  out.Half(elf::kTypeRelocatable).Half(machine_.number).Word(elf::kVersion);
  out.Native(0).Native(0).Native(section_headers).Word(flags_);
  out.Half(is_64 ? 64 : 52).Half(0).Half(0).Half(is_64 ? 64 : 40).Half(count).Half(count - 1);
  return out.bytes();
}

absl::StatusOr<Pieces> ObjectWriter::Write() {
  const bool is_64 = machine_.is_64;
  // Each section may need a second one for its relocations.
  if (sections_.size() * 2 + 4 > kMaxSections) {
    return runtime::MakeStatus(absl::StatusCode::kResourceExhausted, "artifact-too-large",
                               absl::StrCat("the object would have more than ", kMaxSections,
                                            " sections; make several artefacts of its parts"));
  }
  const std::vector<uint32_t> order = OrderSymbols();
  std::vector<uint32_t> place(order.size());
  for (uint32_t i = 0; i < order.size(); ++i) place[order[i]] = i;

  Pieces body;  // everything after the header
  const uint64_t start = is_64 ? 64 : 52;
  std::vector<ElfSectionHeader> headers = {{.type = elf::kSectionNull, .flags = 0, .alignment = 0}};
  const auto place_next = [&](ElfSectionHeader header, uint64_t size) {
    const uint64_t at = start + body.size();
    body.Append(std::string(runtime::AlignUp(at, header.alignment) - at, '\0'));
    header.offset = start + body.size();
    if (header.type != elf::kSectionNobits) header.size = size;
    headers.push_back(std::move(header));
  };
  const auto append = [&](ElfSectionHeader header, std::string contents) {
    place_next(std::move(header), contents.size());
    body.Append(std::move(contents));
  };
  for (const ElfSection& section : sections_) {
    place_next({.name = std::string(section.name),
                .type = section.type,
                .flags = section.flags,
                .size = section.size,
                .link = section.link,
                .alignment = section.alignment},
               section.contents.size());
    body.Borrow(section.contents);
  }
  const auto symtab = static_cast<uint32_t>(headers.size());
  append({.name = ".symtab",
          .type = elf::kSectionSymtab,
          .flags = 0,
          .link = symtab + 1,
          .info = static_cast<uint32_t>(num_local_),
          .alignment = 8,
          .entry_size = uint64_t{is_64 ? 24u : 16u}},
         SymbolTable(order));
  append({.name = ".strtab", .type = elf::kSectionStrtab, .flags = 0}, strings_.bytes());
  for (uint32_t i = 0; i < sections_.size(); ++i) {
    if (sections_[i].relocations.empty()) continue;
    const bool rela = !sections_[i].relocations.front().implicit_addend;
    append({.name = absl::StrCat(rela ? ".rela" : ".rel", sections_[i].name),
            .type = rela ? elf::kSectionRela : elf::kSectionRel,
            .flags = elf::kFlagInfoLink,
            .link = symtab,
            .info = i + 1,
            .alignment = 8,
            .entry_size = uint64_t{is_64 ? (rela ? 24u : 16u) : (rela ? 12u : 8u)}},
           Relocations(sections_[i], place));
  }
  StringTable names;
  for (const ElfSectionHeader& header : headers) names.Add(header.name);
  names.Add(".shstrtab");
  append({.name = ".shstrtab", .type = elf::kSectionStrtab, .flags = 0}, names.bytes());
  const uint64_t end = start + body.size();
  body.Append(std::string(runtime::AlignUp(end, 8) - end, '\0'));

  Pieces file(Header(start + body.size(), headers.size()));
  file.Append(std::move(body));
  file.Append(WriteSectionHeaders(headers, is_64, names));
  return file;
}

}  // namespace lathe::driver
