#include "driver/link/shared_object.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <map>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "driver/link/elf_tables.h"
#include "runtime/artifact/bytes.h"
#include "runtime/artifact/elf_format.h"
#include "runtime/artifact/elf_linker.h"
#include "runtime/artifact/elf_reader.h"
#include "runtime/status.h"

namespace lathe::driver {
namespace {

namespace elf = runtime::elf;
using runtime::AlignUp;
using runtime::DynamicRelocation;
using runtime::LinkedImage;
using runtime::LinkedImport;
using runtime::LinkedSegment;
using runtime::LinkedSymbol;
using runtime::Machine;
using runtime::MakeStatus;
using runtime::SegmentKind;

constexpr uint64_t kConstantAlignment = 64;

class SharedObjectWriter {
 public:
  SharedObjectWriter(const SharedObjectOptions& options, const Machine& machine)
      : options_(options), machine_(machine), is_64_(machine.is_64) {
    for (const runtime::ArtifactConstant& constant : options.constants) {
      const uint64_t at = AlignUp(constants_bytes_, kConstantAlignment);
      if (constant_at_.emplace(constant.symbol, at).second)
        constants_bytes_ = at + constant.data.size();
    }
  }

  runtime::LinkReservation Reserve(const std::vector<LinkedImport>& imports,
                                   size_t num_relocations);
  absl::StatusOr<Pieces> Write(LinkedImage& image);

 private:
  size_t header_bytes() const { return is_64_ ? 64 : 52; }
  size_t program_header_bytes() const { return is_64_ ? 56 : 32; }
  size_t section_header_bytes() const { return is_64_ ? 64 : 40; }
  size_t symbol_bytes() const { return is_64_ ? 24 : 16; }
  // 64-bit machines keep addends in the relocations, 32-bit machines keep them in the relocated
  // word.
  size_t relocation_bytes() const { return is_64_ ? 24 : 8; }

  bool IsConstant(const std::string& name) const { return constant_at_.count(name) != 0; }
  void BindConstants(LinkedImage& image);
  // At most four load segments, dynamic, relro and stack; one more for constants.
  size_t num_program_headers() const { return options_.constants.empty() ? 7 : 8; }

  void PlanTables();
  void PlanSegment(const LinkedImage& image, const LinkedSegment& segment);
  void PlanSections(const LinkedImage& image);
  void WriteSymbols(const LinkedImage& image);
  void WriteRelocations(const LinkedImage& image);
  void WriteDynamic();
  std::string Headers(const LinkedImage& image, uint64_t section_headers) const;
  uint32_t SectionOf(uint64_t address) const;
  void Copy(LinkedImage& image, uint64_t address, const std::string& bytes) const;

  const SharedObjectOptions& options_;
  const Machine& machine_;
  bool is_64_;
  // Known when Reserve knows the imports.
  StringTable strings_;
  std::vector<std::string> exports_;
  std::vector<uint32_t> needed_names_;
  uint32_t soname_ = 0;
  size_t num_symbols_ = 0, num_relocations_ = 0, num_dynamic_ = 0;
  uint64_t symbols_at_ = 0, hash_at_ = 0, strings_at_ = 0, relocations_at_ = 0, reserved_end_ = 0;
  uint64_t dynamic_at_ = 0;
  size_t num_relative_ = 0;

  // Where the constants begin in memory and in the file, and the offset of each constant from
  // there.
  uint64_t constants_at_ = 0, constants_offset_ = 0, constants_bytes_ = 0;
  std::map<std::string, uint64_t, std::less<>> constant_at_;

  std::vector<ElfSectionHeader> sections_;
  std::string symbol_table_, hash_table_, relocation_table_, dynamic_table_;
};

runtime::LinkReservation SharedObjectWriter::Reserve(const std::vector<LinkedImport>& imports,
                                                     size_t num_relocations) {
  exports_ = options_.exports;
  std::sort(exports_.begin(), exports_.end());
  exports_.erase(std::unique(exports_.begin(), exports_.end()), exports_.end());
  std::vector<std::string> imported;
  for (const LinkedImport& import : imports) {
    if (!IsConstant(import.name)) imported.push_back(import.name);
  }
  for (const std::string& name : imported) strings_.Add(name);
  for (const std::string& name : exports_) strings_.Add(name);
  for (const std::string& name : options_.needed ? *options_.needed : StandardLibraries(imported)) {
    needed_names_.push_back(strings_.Add(name));
  }
  if (!options_.soname.empty()) soname_ = strings_.Add(options_.soname);

  num_symbols_ = 1 + imported.size() + exports_.size();
  num_relocations_ = num_relocations;
  // Tags: soname, needed, hash, strings and their size, symbols and their size, relocations (4),
  // flags (2), the end.
  num_dynamic_ = needed_names_.size() + (soname_ != 0) + 5 + (num_relocations != 0 ? 4 : 0) + 3;

  uint64_t at = header_bytes() + num_program_headers() * program_header_bytes();
  auto place = [&](uint64_t bytes) {
    const uint64_t start = AlignUp(at, 8);
    at = start + bytes;
    return start;
  };
  hash_at_ = place(HashTableBytes(num_symbols_ - 1));
  symbols_at_ = place(num_symbols_ * symbol_bytes());
  strings_at_ = place(strings_.bytes().size());
  relocations_at_ = place(num_relocations * relocation_bytes());
  reserved_end_ = at;
  return {at, num_dynamic_ * 2 * machine_.word_bytes()};
}

// References to constants now point behind the image; they are no longer imports.
void SharedObjectWriter::BindConstants(LinkedImage& image) {
  constants_at_ = AlignUp(image.memory_bytes, machine_.max_page_bytes);
  std::vector<LinkedImport> others;
  std::vector<int> number(image.imports.size(), -1);
  for (size_t i = 0; i < image.imports.size(); ++i) {
    if (IsConstant(image.imports[i].name)) continue;
    number[i] = static_cast<int>(others.size());
    others.push_back(image.imports[i]);
  }
  for (DynamicRelocation& relocation : image.relocations) {
    if (relocation.import < 0) continue;
    const std::string& name = image.imports[static_cast<size_t>(relocation.import)].name;
    relocation.import = number[static_cast<size_t>(relocation.import)];
    if (relocation.import >= 0) continue;
    relocation.addend += static_cast<int64_t>(constants_at_ + constant_at_.at(name));
    Copy(image, relocation.address,
         ElfWriter(is_64_).Native(static_cast<uint64_t>(relocation.addend)).bytes());
  }
  image.imports = std::move(others);
}

void SharedObjectWriter::PlanTables() {
  sections_.push_back({.type = elf::kSectionNull, .flags = 0, .alignment = 0});
  sections_.push_back({.name = ".hash",
                       .type = elf::kSectionHash,
                       .address = hash_at_,
                       .size = HashTableBytes(num_symbols_ - 1),
                       .link = 2,
                       .alignment = 8,
                       .entry_size = 4});
  sections_.push_back({.name = ".dynsym",
                       .type = elf::kSectionDynsym,
                       .address = symbols_at_,
                       .size = num_symbols_ * symbol_bytes(),
                       .link = 3,
                       .info = 1,
                       .alignment = 8,
                       .entry_size = symbol_bytes()});
  sections_.push_back({.name = ".dynstr",
                       .type = elf::kSectionStrtab,
                       .address = strings_at_,
                       .size = strings_.bytes().size()});
  if (num_relocations_ != 0) {
    sections_.push_back({.name = is_64_ ? ".rela.dyn" : ".rel.dyn",
                         .type = is_64_ ? elf::kSectionRela : elf::kSectionRel,
                         .address = relocations_at_,
                         .size = num_relocations_ * relocation_bytes(),
                         .link = 2,
                         .alignment = 8,
                         .entry_size = relocation_bytes()});
  }
}

// The sections of one segment, in the order of their addresses.
void SharedObjectWriter::PlanSegment(const LinkedImage& image, const LinkedSegment& segment) {
  const size_t word = machine_.word_bytes();
  uint64_t start = segment.address;
  const uint64_t file_end = segment.address + segment.bytes.size();
  ElfSectionHeader section{.address = start, .alignment = 64};
  switch (segment.kind) {
    case SegmentKind::kReadOnly:
      section.name = ".rodata";
      start = reserved_end_;
      section.alignment = 1;
      break;
    case SegmentKind::kCode:
      section.name = ".text";
      section.flags |= elf::kFlagExec;
      break;
    case SegmentKind::kRelro:
      dynamic_at_ = image.relro_reservation;
      sections_.push_back({.name = ".dynamic",
                           .type = elf::kSectionDynamic,
                           .flags = elf::kFlagAlloc | elf::kFlagWrite,
                           .address = dynamic_at_,
                           .size = num_dynamic_ * 2 * word,
                           .link = 3,
                           .alignment = word,
                           .entry_size = 2 * word});
      start = dynamic_at_ + num_dynamic_ * 2 * word;
      section.name = ".data.rel.ro";
      section.flags |= elf::kFlagWrite;
      section.alignment = word;
      break;
    case SegmentKind::kData:
      section.name = ".data";
      section.flags |= elf::kFlagWrite;
      break;
  }
  section.address = start;
  section.size = file_end - start;
  if (section.size != 0) sections_.push_back(section);
  if (segment.memory_bytes > segment.bytes.size()) {
    sections_.push_back({.name = ".bss",
                         .type = elf::kSectionNobits,
                         .flags = elf::kFlagAlloc | elf::kFlagWrite,
                         .address = file_end,
                         .size = segment.memory_bytes - segment.bytes.size()});
  }
}

void SharedObjectWriter::PlanSections(const LinkedImage& image) {
  PlanTables();
  for (const LinkedSegment& segment : image.segments) PlanSegment(image, segment);
  for (ElfSectionHeader& section : sections_) {
    for (const LinkedSegment& segment : image.segments) {
      if (section.type == elf::kSectionNull || section.address < segment.address ||
          section.address > segment.address + segment.bytes.size()) {
        continue;
      }
      section.offset = segment.file_offset + (section.address - segment.address);
    }
  }
}

uint32_t SharedObjectWriter::SectionOf(uint64_t address) const {
  for (uint32_t i = 1; i < sections_.size(); ++i) {
    const ElfSectionHeader& section = sections_[i];
    if (address >= section.address && address - section.address < section.size) return i;
  }
  return elf::kIndexAbsolute;
}

void SharedObjectWriter::WriteSymbols(const LinkedImage& image) {
  ElfWriter out(is_64_);
  std::vector<std::string> names;
  auto add = [&](const std::string& name, uint8_t info, uint64_t section, uint64_t value,
                 uint64_t size) {
    const uint32_t name_at = strings_.Add(name);
    if (is_64_) {
      out.Word(name_at).Byte(info).Byte(0).Half(section).Native(value).Native(size);
    } else {
      out.Word(name_at).Native(value).Native(size).Byte(info).Byte(0).Half(section);
    }
    names.push_back(name);
  };
  add("", 0, 0, 0, 0);
  names.clear();  // the hash table leaves out symbol 0
  for (const LinkedImport& import : image.imports) {
    add(import.name, (import.weak ? elf::kBindWeak : elf::kBindGlobal) << 4, 0, 0, 0);
  }
  for (const std::string& name : exports_) {
    const LinkedSymbol& symbol = image.symbols.at(name);
    const uint8_t type = symbol.is_function ? elf::kSymbolFunction : elf::kSymbolObject;
    const uint32_t section =
        symbol.is_absolute ? elf::kIndexAbsolute : SectionOf(symbol.address & ~uint64_t{1});
    add(name, elf::kBindGlobal << 4 | type, section, symbol.address, symbol.size);
  }
  symbol_table_ = out.bytes();

  hash_table_ = WriteHashTable(names, is_64_);
}

void SharedObjectWriter::WriteRelocations(const LinkedImage& image) {
  ElfWriter out(is_64_);
  auto add = [&](const DynamicRelocation& relocation) {
    // Symbol 0 is "no symbol"; the imports follow it.
    const uint64_t symbol = relocation.import + 1;
    const uint32_t type =
        relocation.import < 0 ? machine_.dynamic_relative : machine_.dynamic_symbol;
    out.Native(relocation.address);
    if (is_64_) {
      out.Native(symbol << 32 | type).Native(static_cast<uint64_t>(relocation.addend));
    } else {
      out.Native(symbol << 8 | type);
    }
  };
  // Relative relocations first: dynamic linkers process them in one batch.
  for (const DynamicRelocation& relocation : image.relocations) {
    if (relocation.import >= 0) continue;
    add(relocation);
    ++num_relative_;
  }
  for (const DynamicRelocation& relocation : image.relocations) {
    if (relocation.import >= 0) add(relocation);
  }
  relocation_table_ = out.bytes();
}

void SharedObjectWriter::WriteDynamic() {
  ElfWriter out(is_64_);
  auto add = [&](uint64_t tag, uint64_t value) { out.Native(tag).Native(value); };
  for (const uint32_t name : needed_names_) add(elf::kDynamicNeeded, name);
  if (soname_ != 0) add(elf::kDynamicSoname, soname_);
  add(elf::kDynamicHash, hash_at_);
  add(elf::kDynamicStrtab, strings_at_);
  add(elf::kDynamicSymtab, symbols_at_);
  add(elf::kDynamicStrtabSize, strings_.bytes().size());
  add(elf::kDynamicSymtabEntry, symbol_bytes());
  if (num_relocations_ != 0) {
    add(is_64_ ? elf::kDynamicRela : elf::kDynamicRel, relocations_at_);
    add(is_64_ ? elf::kDynamicRelaSize : elf::kDynamicRelSize, relocation_table_.size());
    add(is_64_ ? elf::kDynamicRelaEntry : elf::kDynamicRelEntry, relocation_bytes());
    add(is_64_ ? elf::kDynamicRelaCount : elf::kDynamicRelCount, num_relative_);
  }
  add(elf::kDynamicFlags, elf::kDynamicBindNow);
  add(elf::kDynamicFlags1, elf::kDynamic1Now);
  add(elf::kDynamicNull, 0);
  dynamic_table_ = out.bytes();
}

std::string SharedObjectWriter::Headers(const LinkedImage& image, uint64_t section_headers) const {
  ElfWriter out(is_64_);
  size_t count = 0;
  ElfWriter program(is_64_);
  auto add = [&](uint32_t type, uint32_t flags, uint64_t offset, uint64_t address,
                 uint64_t file_bytes, uint64_t memory_bytes, uint64_t alignment) {
    program.Word(type);
    if (is_64_) program.Word(flags);
    program.Native(offset).Native(address).Native(address).Native(file_bytes).Native(memory_bytes);
    if (!is_64_) program.Word(flags);
    program.Native(alignment);
    ++count;
  };
  const uint64_t page = machine_.max_page_bytes;
  // Relro is protected in whole pages, so it must end at a page boundary.
  auto memory_bytes = [&](const LinkedSegment& segment) {
    return segment.kind == SegmentKind::kRelro
               ? AlignUp(segment.address + segment.memory_bytes, page) - segment.address
               : segment.memory_bytes;
  };
  for (const LinkedSegment& segment : image.segments) {
    uint32_t flags = elf::kProtectRead;
    if (segment.kind == SegmentKind::kCode) flags |= elf::kProtectExec;
    if (segment.kind == SegmentKind::kRelro || segment.kind == SegmentKind::kData)
      flags |= elf::kProtectWrite;
    add(elf::kSegmentLoad, flags, segment.file_offset, segment.address, segment.bytes.size(),
        memory_bytes(segment), page);
  }
  if (constants_bytes_ != 0) {
    add(elf::kSegmentLoad, elf::kProtectRead, constants_offset_, constants_at_, constants_bytes_,
        constants_bytes_, page);
  }
  for (const LinkedSegment& segment : image.segments) {
    if (segment.kind != SegmentKind::kRelro) continue;
    add(elf::kSegmentDynamic, elf::kProtectRead | elf::kProtectWrite,
        segment.file_offset + (dynamic_at_ - segment.address), dynamic_at_, dynamic_table_.size(),
        dynamic_table_.size(), machine_.word_bytes());
    add(elf::kSegmentRelro, elf::kProtectRead, segment.file_offset, segment.address,
        segment.bytes.size(), memory_bytes(segment), 1);
  }
  add(elf::kSegmentStack, elf::kProtectRead | elf::kProtectWrite, 0, 0, 0, 0, 16);

  for (int i = 0; i < 4; ++i) out.Byte(static_cast<uint8_t>(elf::kMagic[i]));
  out.Byte(is_64_ ? elf::kClass64 : elf::kClass32).Byte(elf::kLittleEndian).Byte(elf::kVersion);
  for (int i = 0; i < 9; ++i) out.Byte(0);
  out.Half(elf::kTypeShared)
      .Half(machine_.number)
      .Word(elf::kVersion)
      .Native(0)
      .Native(header_bytes());
  out.Native(section_headers)
      .Word(image.flags)
      .Half(header_bytes())
      .Half(program_header_bytes())
      .Half(count);
  out.Half(section_header_bytes()).Half(sections_.size()).Half(sections_.size() - 1);
  return out.bytes() + program.bytes();
}

void SharedObjectWriter::Copy(LinkedImage& image, uint64_t address,
                              const std::string& bytes) const {
  for (LinkedSegment& segment : image.segments) {
    if (address < segment.address || address >= segment.address + segment.memory_bytes) continue;
    std::copy(bytes.begin(), bytes.end(), segment.bytes.begin() + (address - segment.address));
  }
}

absl::StatusOr<Pieces> SharedObjectWriter::Write(LinkedImage& image) {
  for (const std::string& name : exports_) {
    if (image.symbols.count(name) == 0) {
      return MakeStatus(
          absl::StatusCode::kNotFound, "artifact-no-export",
          absl::StrCat("no object defines `", name, "`, which the shared object is to export"));
    }
  }
  BindConstants(image);
  PlanSections(image);
  WriteSymbols(image);
  WriteRelocations(image);
  WriteDynamic();

  uint64_t end = 0;
  for (const LinkedSegment& segment : image.segments) {
    if (!segment.bytes.empty()) end = segment.file_offset + segment.bytes.size();
  }
  if (constants_bytes_ != 0) {
    constants_offset_ = AlignUp(end, machine_.max_page_bytes);
    end = constants_offset_ + constants_bytes_;
    sections_.push_back({.name = ".lathe.constants",
                         .address = constants_at_,
                         .offset = constants_offset_,
                         .size = constants_bytes_,
                         .alignment = kConstantAlignment});
  }
  StringTable names;
  for (const ElfSectionHeader& section : sections_) names.Add(section.name);
  names.Add(".shstrtab");
  sections_.push_back({.name = ".shstrtab",
                       .type = elf::kSectionStrtab,
                       .flags = 0,
                       .offset = end,
                       .size = names.bytes().size()});
  const uint64_t section_headers = AlignUp(end + names.bytes().size(), 8);

  Copy(image, 0, Headers(image, section_headers));
  Copy(image, hash_at_, hash_table_);
  Copy(image, symbols_at_, symbol_table_);
  Copy(image, strings_at_, strings_.bytes());
  Copy(image, relocations_at_, relocation_table_);
  Copy(image, dynamic_at_, dynamic_table_);

  Pieces file;
  const auto fill = [&](uint64_t until) { file.Append(std::string(until - file.size(), '\0')); };
  for (const LinkedSegment& segment : image.segments) {
    if (segment.bytes.empty()) continue;
    fill(segment.file_offset);
    file.Append({reinterpret_cast<const char*>(segment.bytes.data()), segment.bytes.size()});
  }
  for (const runtime::ArtifactConstant& constant : options_.constants) {
    const uint64_t at = constants_offset_ + constant_at_.at(constant.symbol);
    if (at < file.size()) continue;  // the same constant once more
    fill(at);
    file.Borrow(constant.data);
  }
  file.Append(names.bytes());
  fill(section_headers);
  file.Append(WriteSectionHeaders(sections_, is_64_, names));
  return file;
}

}  // namespace

absl::StatusOr<Pieces> LinkSharedObject(absl::Span<const runtime::ObjectBytes> objects,
                                        const SharedObjectOptions& options) {
  std::vector<runtime::ElfObject> read;
  read.reserve(objects.size());
  for (const runtime::ObjectBytes& object : objects) {
    LATHE_ASSIGN_OR_RETURN(runtime::ElfObject one,
                           runtime::ReadElfObject(object.bytes, object.name));
    read.push_back(std::move(one));
  }
  const Machine* machine =
      read.empty() ? nullptr : runtime::FindMachine(read[0].machine, read[0].is_64);
  // If the machine is unknown, LinkObjects reports the error.
  std::optional<SharedObjectWriter> writer;
  runtime::LinkOptions link;
  if (machine != nullptr) {
    writer.emplace(options, *machine);
    link.reserve = [&](const std::vector<LinkedImport>& imports, size_t num_relocations) {
      return writer->Reserve(imports, num_relocations);
    };
  }
  LATHE_ASSIGN_OR_RETURN(LinkedImage image, runtime::LinkObjects(read, link));
  return writer->Write(image);
}

}  // namespace lathe::driver
