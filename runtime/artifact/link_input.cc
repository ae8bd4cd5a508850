#include "runtime/artifact/link_input.h"

#include <algorithm>
#include <unordered_set>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "runtime/artifact/elf_format.h"
#include "runtime/status.h"

namespace lathe::runtime {
namespace {

using Kind = ResolvedSymbol::Kind;
using Place = ElfSymbol::Place;

absl::Status Unsupported(const ElfObject& object, std::string_view what) {
  return MakeStatus(absl::StatusCode::kUnimplemented, "artifact-unsupported",
                    absl::StrCat("`", object.name, "` ", what));
}

// Unwind tables are left out: compiled kernels report errors by return codes and never throw, and
// the runtime does not throw through them. (Without tables an exception ends in std::terminate, as
// intended.)
bool IsUnwindTable(const ElfSection& section) {
  return section.type == elf::kSectionUnwind || section.name == ".eh_frame" ||
         absl::StartsWith(section.name, ".ARM.exidx") ||
         absl::StartsWith(section.name, ".ARM.extab") ||
         absl::StartsWith(section.name, ".gcc_except_table");
}

bool IsLoaded(const ElfSection& section) {
  if ((section.flags & elf::kFlagAlloc) == 0 || (section.flags & elf::kFlagExclude) != 0)
    return false;
  if (section.type == elf::kSectionNote || section.type == elf::kSectionNull) return false;
  return !IsUnwindTable(section);
}

}  // namespace

bool ResolvedSymbol::is_thumb() const { return type == elf::kSymbolFunction && (value & 1) != 0; }

absl::Status LinkInput::CheckMachines() {
  for (const ElfObject& object : objects_) {
    const Machine* machine = FindMachine(object.machine, object.is_64);
    if (machine == nullptr) {
      return MakeStatus(
          absl::StatusCode::kFailedPrecondition, "artifact-machine",
          absl::StrCat("`", object.name, "` is for ", ElfMachineName(object.machine, object.is_64),
                       "; expected ", KnownMachines()));
    }
    if (machine_ == nullptr) {
      machine_ = machine;
      flags_ = object.flags;
    } else if (machine != machine_) {
      return MakeStatus(
          absl::StatusCode::kFailedPrecondition, "artifact-machine",
          absl::StrCat("`", object.name, "` is for ", machine->name, ", but `", objects_[0].name,
                       "` is for ", machine_->name, "; compile both for one target"));
    }
    if (machine == &kRiscv64) {
      constexpr uint32_t kMustAgree = elf::kRiscvFloatAbi | elf::kRiscvEmbedded;
      if ((object.flags & kMustAgree) != elf::kRiscvFloatAbiDouble) {
        return MakeStatus(
            absl::StatusCode::kFailedPrecondition, "artifact-machine",
            absl::StrCat("`", object.name, "` uses another calling convention: expected lp64d ",
                         "(ELF flags 4), found ELF flags ", object.flags & kMustAgree,
                         "; compile with -mabi=lp64d"));
      }
      flags_ |= object.flags & elf::kRiscvCompressed;
    }
    if (machine == &kArm) {
      if ((object.flags & elf::kArmEabiMask) != elf::kArmEabi5 ||
          (object.flags & elf::kArmSoftFloat) != 0) {
        return MakeStatus(absl::StatusCode::kFailedPrecondition, "artifact-machine",
                          absl::StrCat("`", object.name,
                                       "` uses another calling convention: expected EABI 5 with ",
                                       "hard floats, found ELF flags ", absl::Hex(object.flags)));
      }
      // Objects store the float ABI as an attribute; only executables and libraries store it as a
      // flag.
      flags_ = elf::kArmEabi5 | elf::kArmHardFloat;
    }
  }
  return absl::OkStatus();
}

absl::Status LinkInput::CheckSection(const ElfObject& object, const ElfSection& section) const {
  if ((section.flags & elf::kFlagTls) != 0) {
    return Unsupported(object,
                       absl::StrCat("has thread-local storage (section `", section.name,
                                    "`), which needs a dynamic linker; use a shared library"));
  }
  if ((section.flags & elf::kFlagCompressed) != 0) {
    return Unsupported(object, absl::StrCat("has a compressed section `", section.name, "`"));
  }
  if (section.type == elf::kSectionInitArray || section.type == elf::kSectionFiniArray ||
      section.type == elf::kSectionPreinitArray || absl::StartsWith(section.name, ".ctors") ||
      absl::StartsWith(section.name, ".dtors")) {
    return Unsupported(
        object, absl::StrCat("has static constructors or destructors (section `", section.name,
                             "`); use a shared library, or initialize on first use"));
  }
  if ((section.flags & elf::kFlagWrite) != 0 && (section.flags & elf::kFlagExec) != 0) {
    return Unsupported(object,
                       absl::StrCat("has section `", section.name,
                                    "`, both writable and executable, which is never mapped"));
  }
  if (section.alignment > machine_->max_page_bytes) {
    return Unsupported(
        object, absl::StrCat("wants section `", section.name, "` aligned to ", section.alignment,
                             " bytes; at most ", machine_->max_page_bytes, " is possible"));
  }
  return absl::OkStatus();
}

absl::Status LinkInput::SelectSections() {
  std::unordered_set<std::string_view> seen_groups;
  section_index_.resize(objects_.size());
  for (uint32_t o = 0; o < objects_.size(); ++o) {
    const ElfObject& object = objects_[o];
    std::vector<bool> keep_group;
    keep_group.reserve(object.groups.size());
    for (const ElfGroup& group : object.groups) {
      keep_group.push_back(!group.comdat || seen_groups.insert(group.signature).second);
    }
    section_index_[o].assign(object.sections.size(), -1);
    for (uint32_t s = 1; s < object.sections.size(); ++s) {
      const ElfSection& section = object.sections[s];
      if (!IsLoaded(section)) continue;
      if (section.group >= 0 && !keep_group[section.group]) continue;
      LATHE_RETURN_IF_ERROR(CheckSection(object, section));
      InputSection input;
      input.object = o;
      input.section = s;
      input.zeros = section.type == elf::kSectionNobits;
      if ((section.flags & elf::kFlagExec) != 0) {
        if (input.zeros && section.size != 0) {
          return Unsupported(
              object, absl::StrCat("has code without contents (section `", section.name, "`)"));
        }
        input.zeros = false;
        input.segment = SegmentKind::kCode;
      } else if ((section.flags & elf::kFlagWrite) != 0 || input.zeros) {
        input.segment =
            section.name == ".data.rel.ro" || absl::StartsWith(section.name, ".data.rel.ro.")
                ? SegmentKind::kRelro
                : SegmentKind::kData;
        if (input.zeros) input.segment = SegmentKind::kData;
      } else {
        input.segment = SegmentKind::kReadOnly;
      }
      section_index_[o][s] = static_cast<int>(sections_.size());
      sections_.push_back(input);
    }
  }
  return absl::OkStatus();
}

absl::Status LinkInput::AddGlobal(uint32_t object, uint32_t index) {
  const ElfSymbol& symbol = objects_[object].symbols[index];
  ResolvedSymbol found;
  found.name = symbol.name;
  found.object = object;
  found.type = symbol.type;
  found.size = symbol.size;
  found.value = symbol.value;
  found.weak = symbol.binding == elf::kBindWeak;
  found.hidden =
      symbol.visibility == elf::kVisibilityHidden || symbol.visibility == elf::kVisibilityInternal;
  switch (symbol.place) {
    case Place::kUndefined:
      found.kind = Kind::kImport;
      break;
    case Place::kAbsolute:
      found.kind = Kind::kAbsolute;
      break;
    case Place::kCommon:
      found.kind = Kind::kCommon;
      break;
    case Place::kSection:
      found.kind = Kind::kSection;
      found.index = FindSection(object, symbol.section);
      // The section is in a group whose copy in another object is used, or is not loaded: treat the
      // symbol as undefined.
      if (found.index < 0) found.kind = Kind::kImport;
      break;
  }
  if (found.kind == Kind::kCommon) {
    const uint64_t alignment = found.value == 0 ? 1 : found.value;
    if ((alignment & (alignment - 1)) != 0 || alignment > machine_->max_page_bytes) {
      return Unsupported(objects_[object], absl::StrCat("wants `", found.name, "` aligned to ",
                                                        found.value, " bytes"));
    }
    found.value = alignment;
  }
  const auto [entry, inserted] = globals_.emplace(symbol.name, static_cast<int>(symbols_.size()));
  symbol_index_[object][index] = entry->second;
  if (inserted) {
    if (found.kind == Kind::kImport && found.name == "_GLOBAL_OFFSET_TABLE_")
      found.kind = Kind::kGotBase;
    symbols_.push_back(found);
    return absl::OkStatus();
  }
  ResolvedSymbol& known = symbols_[entry->second];
  if (found.kind == Kind::kImport) {
    // One reference that is not weak makes the import strong; one hidden reference makes it hidden.
    if (known.kind == Kind::kImport) {
      known.weak &= found.weak;
      known.hidden |= found.hidden;
    }
    return absl::OkStatus();
  }
  if (known.kind == Kind::kImport || known.kind == Kind::kGotBase) {
    known = found;
  } else if (known.kind == Kind::kCommon && found.kind == Kind::kCommon) {
    known.size = std::max(known.size, found.size);
    known.value = std::max(known.value, found.value);
  } else if (found.weak || (found.kind == Kind::kCommon && !known.weak)) {
    // The existing definition stays.
  } else if (known.weak || known.kind == Kind::kCommon) {
    known = found;
  } else {
    return MakeStatus(
        absl::StatusCode::kAlreadyExists, "artifact-duplicate-symbol",
        absl::StrCat("`", symbol.name, "` is defined by `", objects_[known.object].name,
                     "` and by `", objects_[object].name, "`; rename one, or make it static"));
  }
  return absl::OkStatus();
}

absl::Status LinkInput::Resolve() {
  LATHE_RETURN_IF_ERROR(CheckMachines());
  LATHE_RETURN_IF_ERROR(SelectSections());
  symbol_index_.resize(objects_.size());
  for (uint32_t o = 0; o < objects_.size(); ++o) {
    const ElfObject& object = objects_[o];
    symbol_index_[o].assign(object.symbols.size(), -1);
    for (uint32_t s = 1; s < object.symbols.size(); ++s) {
      const ElfSymbol& symbol = object.symbols[s];
      if (symbol.type == elf::kSymbolFile) continue;
      if (symbol.type == elf::kSymbolTls) {
        return Unsupported(object,
                           absl::StrCat("uses thread-local storage (symbol `", symbol.name,
                                        "`), which needs a dynamic linker; use a shared library"));
      }
      if (symbol.type == elf::kSymbolIndirect) {
        return Unsupported(object, absl::StrCat("has a function chosen at load time (symbol `",
                                                symbol.name, "`, an IFUNC); use a shared library"));
      }
      if (symbol.is_global()) {
        LATHE_RETURN_IF_ERROR(AddGlobal(o, s));
        continue;
      }
      ResolvedSymbol local;
      local.name = symbol.name;
      local.object = o;
      local.type = symbol.type;
      local.size = symbol.size;
      local.value = symbol.value;
      if (symbol.place == Place::kSection) {
        local.kind = Kind::kSection;
        local.index = FindSection(o, symbol.section);
        if (local.index < 0) continue;
      } else if (symbol.place == Place::kAbsolute) {
        local.kind = Kind::kAbsolute;
      } else {
        continue;  // local undefined or common symbols mean nothing
      }
      symbol_index_[o][s] = static_cast<int>(symbols_.size());
      symbols_.push_back(local);
    }
  }
  return absl::OkStatus();
}

}  // namespace lathe::runtime
