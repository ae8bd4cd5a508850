#include "runtime/artifact/link_plan.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "runtime/artifact/bytes.h"
#include "runtime/artifact/elf_format.h"
#include "runtime/status.h"

namespace lathe::runtime {
namespace {

using F = RelocationField;
using Kind = ResolvedSymbol::Kind;
using V = RelocationValue;

}  // namespace

bool IsGotValue(RelocationValue value) {
  return value == V::kGotRelative || value == V::kGotPage || value == V::kGotPageOffset ||
         value == V::kGotOffset;
}

bool IsThumbBranch(RelocationField field) {
  return field == F::kThumbCall || field == F::kThumbJump24 || field == F::kThumbJump19;
}
bool IsArmBranch(RelocationField field) { return field == F::kArmCall || field == F::kArmJump24; }

int64_t BranchBias(const Machine& machine, RelocationField field) {
  if (IsArmBranch(field)) return -8;
  if (IsThumbBranch(field)) return -4;
  return &machine == &kX8664 ? -4 : 0;
}

absl::Status LinkPlan::Fail(const LinkPlace& place, std::string_view name,
                            std::string_view what) const {
  const ElfSection& section = input_.Section(*place.section);
  std::string about;
  if (place.symbol >= 0) {
    const ResolvedSymbol& target = symbol(place.symbol);
    about = absl::StrCat(" against `", target.name.empty() ? "a section" : target.name, "`");
  }
  return MakeStatus(absl::StatusCode::kInvalidArgument, name,
                    absl::StrCat("`", input_.objects()[place.section->object].name,
                                 "`: ", place.kind->name, " at ", section.name, "+0x",
                                 absl::Hex(place.relocation->offset), about, " ", what));
}

absl::StatusOr<LinkPlace> LinkPlan::Examine(InputSection& section,
                                            const ElfRelocation& relocation) const {
  static constexpr RelocationKind kUnknown = {0, "a relocation", V::kNone, F::kNone};
  LinkPlace place = {&section, &relocation,       machine().Find(relocation.type),
                     -1,       relocation.addend, 0};
  if (place.kind == nullptr) {
    place.kind = &kUnknown;
    return Fail(
        place, "artifact-relocation",
        absl::StrCat("is of kind ", relocation.type, ", which is not known for ", machine().name,
                     " (thread-local storage and code models beyond `small` are not supported)"));
  }
  const std::string_view contents = input_.Section(section).contents;
  const size_t bytes = FieldBytes(place.kind->field);
  if (!WithinBounds(relocation.offset, bytes, contents.size())) {
    return Fail(place, "artifact-corrupt", "lies outside its section");
  }
  if (place.kind->value == V::kNone) return place;
  if (relocation.symbol != 0) {
    place.symbol = input_.FindSymbol(section.object, relocation.symbol);
    if (place.symbol < 0) {
      return Fail(place, "artifact-corrupt", "names a symbol of a section that is not loaded");
    }
  }
  if (relocation.implicit_addend) {
    if (machine().is_64)
      return Fail(place, "artifact-corrupt", "has no addend, which this machine's must have");
    place.addend = ReadImplicitAddend(
        place.kind->field, reinterpret_cast<const uint8_t*>(contents.data()) + relocation.offset);
  }
  // Keeps sums far away from overflow.
  if (place.addend > INT64_C(1) << 40 || place.addend < -(INT64_C(1) << 40)) {
    return Fail(place, "artifact-relocation", "has an addend beyond any image");
  }
  return place;
}

// Splits code into runs of sections such that any branch in a run reaches the run's end, where its
// stubs are.
void LinkPlan::AssignChunks() {
  const uint64_t reach =
      options_.branch_reach != 0 ? options_.branch_reach : machine().branch_reach;
  uint64_t used = 0;
  int chunk = 0;
  bool any = false;
  for (InputSection& section : input_.sections()) {
    if (section.segment != SegmentKind::kCode) continue;
    const uint64_t bytes =
        input_.Section(section).contents.size() + input_.Section(section).alignment;
    if (any && used + bytes > reach / 2) {
      ++chunk;
      used = 0;
    }
    section.chunk = chunk;
    used += bytes;
    any = true;
  }
  stubs_per_chunk_.assign(chunk + 1, 0);
}

bool LinkPlan::NeedsStub(const LinkPlace& place) const {
  if (place.kind->value != V::kBranch || place.symbol < 0) return false;
  const ResolvedSymbol& target = symbol(place.symbol);
  if (target.kind != Kind::kSection) return true;
  const InputSection& section = input_.sections()[target.index];
  if (section.segment == SegmentKind::kCode && place.section->segment == SegmentKind::kCode &&
      section.chunk != place.section->chunk) {
    return true;
  }
  // A jump cannot switch between Arm and Thumb state; a call can.
  if (place.kind->field == F::kArmJump24) return target.is_thumb();
  if (place.kind->field == F::kThumbJump24 || place.kind->field == F::kThumbJump19) {
    return target.type == elf::kSymbolFunction && !target.is_thumb();
  }
  return false;
}

absl::Status LinkPlan::AddImport(int index) {
  const ResolvedSymbol& wanted = symbol(index);
  const std::string& object = input_.objects()[wanted.object].name;
  if (wanted.hidden && !wanted.weak) {
    return MakeStatus(absl::StatusCode::kNotFound, "artifact-unresolved-symbol",
                      absl::StrCat("`", object, "` needs the hidden symbol `", wanted.name,
                                   "`, which none of the linked objects defines"));
  }
  if (import_index_.emplace(index, static_cast<int>(imports_.size())).second) {
    imports_.push_back({std::string(wanted.name), wanted.weak, object});
  }
  return absl::OkStatus();
}

absl::Status LinkPlan::Scan(const LinkPlace& place) {
  const V value = place.kind->value;
  if (place.symbol < 0) {
    if (value == V::kAbsolute || value == V::kDifference || value == V::kSize)
      return absl::OkStatus();
    return Fail(place, "artifact-corrupt", "names no symbol");
  }
  const ResolvedSymbol& target = symbol(place.symbol);
  const bool import = target.kind == Kind::kImport;
  if (import) LATHE_RETURN_IF_ERROR(AddImport(place.symbol));

  if (IsGotValue(value)) {
    got_.emplace(LinkTarget{place.symbol, 0}, got_.size());
    return absl::OkStatus();
  }
  if (NeedsStub(place)) {
    const LinkTarget to = {place.symbol, place.addend - BranchBias(machine(), place.kind->field)};
    got_.emplace(to, got_.size());
    size_t& count = stubs_per_chunk_[place.section->chunk];
    if (stubs_.emplace(std::pair(place.section->chunk, to), count).second) ++count;
    return absl::OkStatus();
  }
  if (value == V::kAbsolute) {
    if (target.kind == Kind::kAbsolute) return absl::OkStatus();
    const bool word = place.kind->field == (machine().is_64 ? F::kWord64 : F::kWord32);
    if (!word || place.section->segment == SegmentKind::kCode) {
      return Fail(place, "artifact-not-position-independent",
                  "needs the address at which the code will lie; compile with -fPIC (relocation "
                  "model `pic`)");
    }
    // Pointers in constant data: the loader writes them once, then protects them.
    if (place.section->segment == SegmentKind::kReadOnly)
      place.section->segment = SegmentKind::kRelro;
    words_.push_back({place.section, place.relocation->offset, {place.symbol, place.addend}});
    return absl::OkStatus();
  }
  if (import && value != V::kSize && value != V::kGotBase) {
    return Fail(
        place, "artifact-not-position-independent",
        "reaches outside of the linked objects without the global offset table; compile with -fPIC "
        "(relocation model `pic`)");
  }
  if (target.kind == Kind::kAbsolute && value != V::kSize && value != V::kDifference &&
      value != V::kGotBase) {
    return Fail(place, "artifact-not-position-independent",
                "is relative, but the symbol is a plain number");
  }
  return absl::OkStatus();
}

size_t LinkPlan::NumDynamicRelocations() const {
  size_t count = words_.size();
  for (const auto& [target, unused] : got_) count += symbol(target.first).kind != Kind::kAbsolute;
  return count;
}

absl::Status LinkPlan::Make() {
  LATHE_RETURN_IF_ERROR(input_.Resolve());
  AssignChunks();
  for (InputSection& section : input_.sections()) {
    for (const ElfRelocation& relocation : input_.Section(section).relocations) {
      LATHE_ASSIGN_OR_RETURN(const LinkPlace place, Examine(section, relocation));
      if (place.kind->value != V::kNone) LATHE_RETURN_IF_ERROR(Scan(place));
    }
  }
  return absl::OkStatus();
}

}  // namespace lathe::runtime
