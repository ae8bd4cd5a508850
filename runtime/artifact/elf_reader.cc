#include "runtime/artifact/elf_reader.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "runtime/artifact/bytes.h"
#include "runtime/artifact/elf_format.h"
#include "runtime/status.h"

namespace lathe::runtime {
namespace {

struct RawSection {
  uint32_t name = 0, type = 0, link = 0, info = 0;
  uint64_t flags = 0, offset = 0, size = 0, alignment = 0, entry_size = 0;
};

// The offsets and sizes that differ between 32-bit and 64-bit files.
struct Layout {
  size_t header, section_header, symbol, rel, rela;
};
constexpr Layout kLayout32 = {52, 40, 16, 8, 12};
constexpr Layout kLayout64 = {64, 64, 24, 16, 24};

absl::Status Corrupt(std::string_view message) {
  return MakeStatus(absl::StatusCode::kDataLoss, "artifact-corrupt", message);
}

class Reader {
 public:
  Reader(std::string_view bytes, std::string_view name) : bytes_(bytes) {
    object_.name = std::string(name);
  }

  absl::StatusOr<ElfObject> Read();

 private:
  absl::Status Bad(std::string_view what) const {
    return Corrupt(absl::StrCat("`", object_.name, "` is not a well-formed ELF object: ", what,
                                "; the file is truncated or damaged: build or copy it again"));
  }
  absl::Status ReadSections();
  absl::Status ReadSymbols();
  absl::Status ReadGroups();
  absl::Status ReadRelocations(const RawSection& raw);

  // A NUL-terminated string of string table `table`.
  bool ReadString(uint32_t table, uint32_t offset, std::string_view* out);
  // The reason why ReadString returned false.
  std::string NameProblem(std::string_view what, uint64_t index) const {
    return name_bytes_ > kMaxNameUses * bytes_.size()
               ? "names of sections and symbols that lie in one another are longer than all of it"
               : absl::StrCat(what, " ", index, " has no name");
  }
  RawSection ParseSection(size_t at) const;
  std::string_view Contents(const RawSection& raw) const {
    return bytes_.substr(raw.offset, raw.size);
  }

  template <class T>
  T At(size_t offset) const {
    return ReadLittle<T>(bytes_.data() + offset);
  }

  std::string_view bytes_;
  Layout layout_ = kLayout64;
  std::vector<RawSection> raw_;
  int symtab_ = -1;
  // Limits how often names may share bytes. Compilers let a name be the end of another one. But if
  // all names overlapped, time and memory would grow with the square of the file size.
  static constexpr uint64_t kMaxNameUses = 8;
  uint64_t name_bytes_ = 0;
  ElfObject object_;
};

RawSection Reader::ParseSection(size_t at) const {
  RawSection raw;
  raw.name = At<uint32_t>(at);
  raw.type = At<uint32_t>(at + 4);
  if (object_.is_64) {
    raw.flags = At<uint64_t>(at + 8);
    raw.offset = At<uint64_t>(at + 24);
    raw.size = At<uint64_t>(at + 32);
    raw.link = At<uint32_t>(at + 40);
    raw.info = At<uint32_t>(at + 44);
    raw.alignment = At<uint64_t>(at + 48);
    raw.entry_size = At<uint64_t>(at + 56);
  } else {
    raw.flags = At<uint32_t>(at + 8);
    raw.offset = At<uint32_t>(at + 16);
    raw.size = At<uint32_t>(at + 20);
    raw.link = At<uint32_t>(at + 24);
    raw.info = At<uint32_t>(at + 28);
    raw.alignment = At<uint32_t>(at + 32);
    raw.entry_size = At<uint32_t>(at + 36);
  }
  return raw;
}

bool Reader::ReadString(uint32_t table, uint32_t offset, std::string_view* out) {
  if (table >= raw_.size() || raw_[table].type != elf::kSectionStrtab) return false;
  const std::string_view strings = Contents(raw_[table]);
  if (offset >= strings.size()) return false;
  const size_t end = strings.find('\0', offset);
  if (end == std::string_view::npos) return false;
  *out = strings.substr(offset, end - offset);
  name_bytes_ += out->size();
  return name_bytes_ <= kMaxNameUses * bytes_.size();
}

absl::Status Reader::ReadSections() {
  const uint64_t table = object_.is_64 ? At<uint64_t>(40) : At<uint32_t>(32);
  const size_t tail = object_.is_64 ? 58 : 46;  // e_shentsize, e_shnum, e_shstrndx
  uint64_t count = At<uint16_t>(tail + 2);
  uint32_t names = At<uint16_t>(tail + 4);
  if (table == 0) return Bad("it has no sections");
  if (At<uint16_t>(tail) != layout_.section_header)
    return Bad("its section headers have an odd size");
  if (!WithinBounds(table, layout_.section_header, bytes_.size())) {
    return Bad("the section headers lie outside the file");
  }
  // Counts of more than 16 bits are stored in section 0.
  const RawSection first = ParseSection(table);
  if (count == 0) count = first.size;
  if (names == elf::kIndexExtended) names = first.link;
  if (count == 0 || count > (bytes_.size() - table) / layout_.section_header) {
    return Bad("the section headers lie outside the file");
  }
  raw_.reserve(count);
  uint64_t covered = 0;
  for (uint64_t i = 0; i < count; ++i) {
    raw_.push_back(ParseSection(table + i * layout_.section_header));
    RawSection& raw = raw_.back();
    if (i == 0) raw = RawSection();
    const bool in_file = raw.type != elf::kSectionNobits && raw.type != elf::kSectionNull;
    if (in_file && !WithinBounds(raw.offset, raw.size, bytes_.size())) {
      return Bad(absl::StrCat("section ", i, " lies outside the file"));
    }
    // Sections may not share bytes: otherwise a small file could cause unlimited work.
    if (in_file) covered += raw.size;
    if (covered > bytes_.size()) return Bad("its sections overlap");
    if (raw.alignment == 0) raw.alignment = 1;
    if ((raw.alignment & (raw.alignment - 1)) != 0) {
      return Bad(absl::StrCat("the alignment of section ", i, " is no power of two"));
    }
  }
  object_.sections.resize(count);
  for (uint64_t i = 1; i < count; ++i) {
    const RawSection& raw = raw_[i];
    ElfSection& section = object_.sections[i];
    if (!ReadString(names, raw.name, &section.name)) {
      return Bad(NameProblem("section", i));
    }
    section.type = raw.type;
    section.flags = raw.flags;
    section.link = raw.link;
    section.size = raw.size;
    section.alignment = raw.alignment;
    if (raw.type != elf::kSectionNobits && raw.type != elf::kSectionNull) {
      section.contents = Contents(raw);
    }
    if (raw.type == elf::kSectionSymtab) {
      if (symtab_ >= 0) return Bad("it has two symbol tables");
      symtab_ = static_cast<int>(i);
    }
  }
  return absl::OkStatus();
}

absl::Status Reader::ReadSymbols() {
  if (symtab_ < 0) return absl::OkStatus();
  const RawSection& raw = raw_[symtab_];
  if (raw.size % layout_.symbol != 0) return Bad("its symbol table has an odd size");
  std::string_view extended;  // section indices beyond 16 bits
  for (const RawSection& other : raw_) {
    if (other.type == elf::kSectionSymtabShndx && other.link == static_cast<uint32_t>(symtab_)) {
      extended = Contents(other);
    }
  }
  const size_t count = raw.size / layout_.symbol;
  object_.symbols.resize(count);
  for (size_t i = 1; i < count; ++i) {
    const size_t at = raw.offset + i * layout_.symbol;
    ElfSymbol& symbol = object_.symbols[i];
    const auto name = At<uint32_t>(at);
    uint8_t info, other;
    uint32_t index;
    if (object_.is_64) {
      info = At<uint8_t>(at + 4);
      other = At<uint8_t>(at + 5);
      index = At<uint16_t>(at + 6);
      symbol.value = At<uint64_t>(at + 8);
      symbol.size = At<uint64_t>(at + 16);
    } else {
      symbol.value = At<uint32_t>(at + 4);
      symbol.size = At<uint32_t>(at + 8);
      info = At<uint8_t>(at + 12);
      other = At<uint8_t>(at + 13);
      index = At<uint16_t>(at + 14);
    }
    if (!ReadString(raw.link, name, &symbol.name)) {
      return Bad(NameProblem("symbol", i));
    }
    symbol.binding = info >> 4;
    symbol.type = info & 15;
    symbol.visibility = other & 3;
    bool special = index >= elf::kIndexReserved;
    if (index == elf::kIndexExtended) {
      if (!WithinBounds(i * 4, 4, extended.size())) {
        return Bad(absl::StrCat("symbol ", i, " has no section index"));
      }
      index = ReadLittle<uint32_t>(extended.data() + i * 4);
      special = false;
    }
    using Place = ElfSymbol::Place;
    if (special && index == elf::kIndexAbsolute) {
      symbol.place = Place::kAbsolute;
    } else if (special && index == elf::kIndexCommon) {
      symbol.place = Place::kCommon;
    } else if (special) {
      return Bad(absl::StrCat("symbol ", i, " is in the unknown special section ", index));
    } else if (index != elf::kIndexUndefined) {
      if (index >= object_.sections.size()) {
        return Bad(
            absl::StrCat("symbol ", i, " is in section ", index, " of ", object_.sections.size()));
      }
      symbol.place = Place::kSection;
      symbol.section = index;
      if (symbol.value > object_.sections[index].size &&
          (object_.sections[index].flags & elf::kFlagAlloc) != 0) {
        return Bad(absl::StrCat("symbol `", symbol.name, "` lies outside its section"));
      }
    }
    if (symbol.is_global() && symbol.name.empty()) {
      return Bad(absl::StrCat("the global symbol ", i, " has an empty name"));
    }
  }
  return absl::OkStatus();
}

absl::Status Reader::ReadGroups() {
  for (const RawSection& raw : raw_) {
    if (raw.type != elf::kSectionGroup) continue;
    if (raw.size < 4 || raw.size % 4 != 0) return Bad("a section group has an odd size");
    if (static_cast<int64_t>(raw.link) != symtab_ || raw.info >= object_.symbols.size()) {
      return Bad("a section group has no signature");
    }
    const ElfSymbol& signature = object_.symbols[raw.info];
    ElfGroup group;
    group.signature = signature.name;
    // Assemblers may use a section symbol, whose name is its section's.
    if (group.signature.empty() && signature.place == ElfSymbol::Place::kSection) {
      group.signature = object_.sections[signature.section].name;
    }
    group.comdat = (At<uint32_t>(raw.offset) & elf::kGroupComdat) != 0;
    const int index = static_cast<int>(object_.groups.size());
    object_.groups.push_back(group);
    for (size_t at = 4; at < raw.size; at += 4) {
      const auto member = At<uint32_t>(raw.offset + at);
      if (member == 0 || member >= object_.sections.size()) {
        return Bad("a section group names a section that does not exist");
      }
      if (object_.sections[member].group >= 0) return Bad("a section is in two groups");
      object_.sections[member].group = index;
    }
  }
  return absl::OkStatus();
}

absl::Status Reader::ReadRelocations(const RawSection& raw) {
  const bool rela = raw.type == elf::kSectionRela;
  const size_t entry = rela ? layout_.rela : layout_.rel;
  if (raw.size % entry != 0) return Bad("a relocation section has an odd size");
  if (raw.info == 0 || raw.info >= object_.sections.size()) {
    return Bad("a relocation section belongs to no section");
  }
  ElfSection& section = object_.sections[raw.info];
  // Debug information and similar sections are not loaded.
  if ((section.flags & elf::kFlagAlloc) == 0) return absl::OkStatus();
  if (static_cast<int64_t>(raw.link) != symtab_) return Bad("relocations name no symbol table");
  section.relocations.reserve(section.relocations.size() + raw.size / entry);
  for (size_t at = raw.offset; at < raw.offset + raw.size; at += entry) {
    ElfRelocation relocation;
    relocation.implicit_addend = !rela;
    if (object_.is_64) {
      relocation.offset = At<uint64_t>(at);
      const auto info = At<uint64_t>(at + 8);
      relocation.type = static_cast<uint32_t>(info);
      relocation.symbol = static_cast<uint32_t>(info >> 32);
      if (rela) relocation.addend = At<int64_t>(at + 16);
    } else {
      relocation.offset = At<uint32_t>(at);
      const auto info = At<uint32_t>(at + 4);
      relocation.type = info & 0xff;
      relocation.symbol = info >> 8;
      if (rela) relocation.addend = At<int32_t>(at + 8);
    }
    if (relocation.offset > section.contents.size()) {
      return Bad(absl::StrCat("a relocation lies outside section `", section.name, "`"));
    }
    if (relocation.symbol >= object_.symbols.size() && relocation.symbol != 0) {
      return Bad(absl::StrCat("a relocation of section `", section.name,
                              "` names a symbol that does not exist"));
    }
    section.relocations.push_back(relocation);
  }
  return absl::OkStatus();
}

absl::StatusOr<ElfObject> Reader::Read() {
  LATHE_ASSIGN_OR_RETURN(const ElfIdentity identity, ReadElfIdentity(bytes_, object_.name));
  if (!identity.little_endian) return Bad("it is big-endian, and every supported machine is not");
  object_.is_64 = identity.is_64;
  object_.machine = identity.machine;
  layout_ = object_.is_64 ? kLayout64 : kLayout32;
  if (bytes_.size() < layout_.header) return Bad("its header is cut off");
  if (identity.type != elf::kTypeRelocatable) {
    return MakeStatus(
        absl::StatusCode::kInvalidArgument, "artifact-not-an-object",
        absl::StrCat("`", object_.name,
                     "` is not a relocatable object (.o): expected ELF type 1, found ",
                     identity.type, identity.type == elf::kTypeShared ? " (a shared library)" : "",
                     identity.type == elf::kTypeExecutable ? " (an executable)" : ""));
  }
  object_.flags = At<uint32_t>(object_.is_64 ? 48 : 36);
  LATHE_RETURN_IF_ERROR(ReadSections());
  LATHE_RETURN_IF_ERROR(ReadSymbols());
  LATHE_RETURN_IF_ERROR(ReadGroups());
  for (const RawSection& raw : raw_) {
    if (raw.type != elf::kSectionRel && raw.type != elf::kSectionRela) continue;
    LATHE_RETURN_IF_ERROR(ReadRelocations(raw));
  }
  return std::move(object_);
}

}  // namespace

bool ElfSymbol::is_global() const { return binding != elf::kBindLocal; }

bool LooksLikeElf(std::string_view bytes) {
  return bytes.substr(0, 4) == std::string_view(elf::kMagic, 4);
}

absl::StatusOr<ElfIdentity> ReadElfIdentity(std::string_view bytes, std::string_view name) {
  if (!LooksLikeElf(bytes)) {
    return Corrupt(absl::StrCat("`", name, "` is not an ELF file"));
  }
  if (bytes.size() < 20) {
    return Corrupt(absl::StrCat("the ELF header of `", name, "` is cut off"));
  }
  ElfIdentity identity;
  const auto elf_class = static_cast<uint8_t>(bytes[4]);
  if (elf_class != elf::kClass32 && elf_class != elf::kClass64) {
    return Corrupt(absl::StrCat("`", name, "` is of unknown ELF class ", elf_class));
  }
  identity.is_64 = elf_class == elf::kClass64;
  identity.little_endian = bytes[5] == elf::kLittleEndian;
  auto half = [&](size_t at) -> uint16_t {
    const auto value = ReadLittle<uint16_t>(bytes.data() + at);
    return identity.little_endian ? value : static_cast<uint16_t>(value << 8 | value >> 8);
  };
  identity.type = half(16);
  identity.machine = half(18);
  return identity;
}

std::string ElfMachineName(uint16_t machine, bool is_64) {
  switch (machine) {
    case elf::kMachineX8664:
      return is_64 ? "x86_64" : "x86_64 (x32)";
    case elf::kMachineAArch64:
      return is_64 ? "aarch64" : "aarch64 (ilp32)";
    case elf::kMachineArm:
      return "arm";
    case elf::kMachineRiscv:
      return is_64 ? "riscv64" : "riscv32";
    case elf::kMachine386:
      return "i386";
    default:
      return absl::StrCat("machine ", machine);
  }
}

absl::StatusOr<ElfObject> ReadElfObject(std::string_view bytes, std::string_view name) {
  return Reader(bytes, name).Read();
}

}  // namespace lathe::runtime
