#include "runtime/artifact/elf_linker.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"
#include "runtime/artifact/bytes.h"
#include "runtime/artifact/elf_format.h"
#include "runtime/status.h"

namespace lathe::runtime {
namespace {

using F = RelocationField;
using Kind = ResolvedSymbol::Kind;
using V = RelocationValue;

constexpr uint64_t kGotAlignment = 8;

// A small object may ask for many far-apart alignments; a sane one never comes near this.
constexpr uint64_t kMaxPaddingBytes = 64 << 20;

// A symbol, and how far behind it.
using Target = std::pair<int, int64_t>;

bool IsGotValue(V value) {
  return value == V::kGotRelative || value == V::kGotPage || value == V::kGotPageOffset || value == V::kGotOffset;
}

bool IsThumbField(F field) {
  return field == F::kThumbCall || field == F::kThumbJump24 || field == F::kThumbJump19;
}
bool IsArmBranch(F field) { return field == F::kArmCall || field == F::kArmJump24; }

// Branches count from a little behind the place; this is the addend of one that goes right to its symbol.
int64_t BranchBias(const Machine& machine, F field) {
  if (IsArmBranch(field)) return -8;
  if (IsThumbField(field)) return -4;
  return &machine == &kX8664 ? -4 : 0;
}

class Linker {
 public:
  Linker(absl::Span<const ElfObject> objects, const LinkOptions& options) : input_(objects), options_(options) {}

  absl::StatusOr<LinkedImage> Link();

 private:
  // One relocation with all that is known of it.
  struct Place {
    InputSection* section;
    const ElfRelocation* relocation;
    const RelocationKind* kind;
    int symbol;  // into input_.symbols(); -1: none, its value is 0
    int64_t addend;
    uint64_t address;  // relative to the image; after layout
  };
  // A word that depends on the base or an import, before layout.
  struct PendingWord {
    const InputSection* section;
    uint64_t offset;
    Target target;
  };

  absl::Status Fail(const Place& place, std::string_view name, std::string_view what) const;
  absl::StatusOr<Place> Examine(InputSection& section, const ElfRelocation& relocation) const;
  bool NeedsStub(const Place& place) const;
  absl::Status Scan(const Place& place);
  absl::Status AddImport(int symbol);
  void AssignChunks();
  absl::Status Layout();
  absl::Status WriteTables();
  absl::Status Apply(InputSection& section);
  absl::StatusOr<int64_t> Value(const Place& place) const;
  absl::StatusOr<int64_t> PairedValue(const Place& place);
  absl::Status ForEachRelocation(absl::Status (Linker::*step)(const Place&));

  uint64_t AddressOf(int symbol) const;
  uint64_t GotAddress(Target target) const { return got_address_ + got_.at(target) * machine().word_bytes(); }
  uint8_t* BytesAt(SegmentKind kind, uint64_t address) {
    LinkedSegment& segment = segments_[static_cast<int>(kind)];
    return segment.bytes.data() + (address - segment.address);
  }
  const Machine& machine() const { return input_.machine(); }
  const ResolvedSymbol& symbol(int index) const { return input_.symbols()[index]; }

  LinkInput input_;
  const LinkOptions& options_;
  LinkedImage image_;
  LinkedSegment segments_[kNumSegmentKinds];
  std::map<Target, size_t> got_;                           // -> index of the entry
  std::map<std::pair<int, Target>, size_t> stubs_;         // (chunk, target) -> index within the chunk
  std::vector<size_t> stubs_per_chunk_;
  std::vector<uint64_t> island_address_;                   // of each chunk
  std::map<int, int> imports_;                             // symbol -> index into image_.imports
  std::map<int, uint64_t> common_address_;
  std::vector<PendingWord> words_;
  uint64_t got_address_ = 0;
  // Of the section being relocated: offset -> high part of a pair. Filled when first wanted.
  std::unordered_map<uint64_t, const ElfRelocation*> pairs_;
  const InputSection* pairs_of_ = nullptr;
};

absl::Status Linker::Fail(const Place& place, std::string_view name, std::string_view what) const {
  const ElfSection& section = input_.Section(*place.section);
  std::string about;
  if (place.symbol >= 0) {
    const ResolvedSymbol& target = symbol(place.symbol);
    about = absl::StrCat(" against `", target.name.empty() ? "a section" : target.name, "`");
  }
  return MakeStatus(absl::StatusCode::kInvalidArgument, name,
                    absl::StrCat("`", input_.objects()[place.section->object].name, "`: ", place.kind->name, " at ",
                                 section.name, "+0x", absl::Hex(place.relocation->offset), about, " ", what));
}

absl::StatusOr<Linker::Place> Linker::Examine(InputSection& section, const ElfRelocation& relocation) const {
  static constexpr RelocationKind kUnknown = {0, "a relocation", V::kNone, F::kNone};
  Place place = {&section, &relocation, machine().Find(relocation.type), -1, relocation.addend, 0};
  if (place.kind == nullptr) {
    place.kind = &kUnknown;
    return Fail(place, "artifact-relocation",
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
    if (machine().is_64) return Fail(place, "artifact-corrupt", "has no addend, which this machine's must have");
    place.addend = ReadImplicitAddend(place.kind->field,
                                      reinterpret_cast<const uint8_t*>(contents.data()) + relocation.offset);
  }
  // Keeps sums far from overflow.
  if (place.addend > INT64_C(1) << 40 || place.addend < -(INT64_C(1) << 40)) {
    return Fail(place, "artifact-relocation", "has an addend beyond any image");
  }
  return place;
}

absl::Status Linker::ForEachRelocation(absl::Status (Linker::*step)(const Place&)) {
  for (InputSection& section : input_.sections()) {
    for (const ElfRelocation& relocation : input_.Section(section).relocations) {
      LATHE_ASSIGN_OR_RETURN(const Place place, Examine(section, relocation));
      if (place.kind->value != V::kNone) LATHE_RETURN_IF_ERROR((this->*step)(place));
    }
  }
  return absl::OkStatus();
}

// Splits code into runs of sections that any branch within reaches the end of, where the run's stubs are.
void Linker::AssignChunks() {
  const uint64_t reach = options_.branch_reach != 0 ? options_.branch_reach : machine().branch_reach;
  uint64_t used = 0;
  int chunk = 0;
  bool any = false;
  for (InputSection& section : input_.sections()) {
    if (section.segment != SegmentKind::kCode) continue;
    const uint64_t bytes = input_.Section(section).contents.size() + input_.Section(section).alignment;
    if (any && used + bytes > reach / 2) {
      ++chunk;
      used = 0;
    }
    section.chunk = chunk;
    used += bytes;
    any = true;
  }
  stubs_per_chunk_.assign(chunk + 1, 0);
  island_address_.assign(chunk + 1, 0);
}

bool Linker::NeedsStub(const Place& place) const {
  if (place.kind->value != V::kBranch || place.symbol < 0) return false;
  const ResolvedSymbol& target = symbol(place.symbol);
  if (target.kind != Kind::kSection) return true;
  const InputSection& section = input_.sections()[target.index];
  if (section.segment == SegmentKind::kCode && place.section->segment == SegmentKind::kCode &&
      section.chunk != place.section->chunk) {
    return true;
  }
  // A jump cannot change between Arm and Thumb state; a call can.
  if (place.kind->field == F::kArmJump24) return target.is_thumb();
  if (place.kind->field == F::kThumbJump24 || place.kind->field == F::kThumbJump19) {
    return target.type == elf::kSymbolFunction && !target.is_thumb();
  }
  return false;
}

absl::Status Linker::AddImport(int index) {
  const ResolvedSymbol& wanted = symbol(index);
  const std::string& object = input_.objects()[wanted.object].name;
  if (wanted.hidden && !wanted.weak) {
    return MakeStatus(absl::StatusCode::kNotFound, "artifact-unresolved-symbol",
                      absl::StrCat("`", object, "` needs the hidden symbol `", wanted.name,
                                   "`, which none of the linked objects defines"));
  }
  if (imports_.emplace(index, static_cast<int>(image_.imports.size())).second) {
    image_.imports.push_back({std::string(wanted.name), wanted.weak, object});
  }
  return absl::OkStatus();
}

absl::Status Linker::Scan(const Place& place) {
  const V value = place.kind->value;
  if (place.symbol < 0) {
    if (value == V::kAbsolute || value == V::kDifference || value == V::kSize) return absl::OkStatus();
    return Fail(place, "artifact-corrupt", "names no symbol");
  }
  const ResolvedSymbol& target = symbol(place.symbol);
  const bool import = target.kind == Kind::kImport;
  if (import) LATHE_RETURN_IF_ERROR(AddImport(place.symbol));

  if (IsGotValue(value)) {
    got_.emplace(Target{place.symbol, 0}, got_.size());
    return absl::OkStatus();
  }
  if (NeedsStub(place)) {
    const Target to = {place.symbol, place.addend - BranchBias(machine(), place.kind->field)};
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
                  "needs the address at which the code will lie; compile with -fPIC (relocation model `pic`)");
    }
    // Pointers in constant data: written once, then protected.
    if (place.section->segment == SegmentKind::kReadOnly) place.section->segment = SegmentKind::kRelro;
    words_.push_back({place.section, place.relocation->offset, {place.symbol, place.addend}});
    return absl::OkStatus();
  }
  if (import && value != V::kSize && value != V::kGotBase) {
    return Fail(place, "artifact-not-position-independent",
                "reaches outside of the linked objects without the global offset table; compile with -fPIC "
                "(relocation model `pic`)");
  }
  if (target.kind == Kind::kAbsolute && value != V::kSize && value != V::kDifference && value != V::kGotBase) {
    return Fail(place, "artifact-not-position-independent", "is relative, but the symbol is a plain number");
  }
  return absl::OkStatus();
}

absl::Status Linker::Layout() {
  const uint64_t page = machine().max_page_bytes;
  const size_t word = machine().word_bytes();
  LinkReservation reservation;
  size_t dynamic = words_.size();
  for (const auto& [target, unused] : got_) dynamic += symbol(target.first).kind != Kind::kAbsolute;
  if (options_.reserve) reservation = options_.reserve(image_.imports, dynamic);

  const absl::Status too_large = MakeStatus(
      absl::StatusCode::kResourceExhausted, "artifact-too-large",
      absl::StrCat("the linked objects take more than ", options_.max_image_bytes, " bytes of memory"));
  if (reservation.read_only_bytes > options_.max_image_bytes || reservation.relro_bytes > options_.max_image_bytes) {
    return too_large;
  }
  uint64_t address = 0, file_offset = 0, padding = 0;
  for (int k = 0; k < kNumSegmentKinds; ++k) {
    const auto kind = static_cast<SegmentKind>(k);
    LinkedSegment& segment = segments_[k];
    segment.kind = kind;
    // The next page, as far into it as the file is: the file then has no gaps.
    if (k > 0) address = AlignUp(address, page) + file_offset % page;
    // A segment's first bytes are aligned as any object's most common demand, so that the gap above costs nothing.
    address = AlignUp(address, 64);
    file_offset = AlignUp(file_offset, 64);
    segment.address = address;
    segment.file_offset = file_offset;
    auto place = [&](uint64_t bytes, uint64_t alignment) -> absl::StatusOr<uint64_t> {
      const uint64_t at = AlignUp(address, alignment);
      padding += at - address;
      if (bytes > options_.max_image_bytes || at + bytes > options_.max_image_bytes ||
          padding > kMaxPaddingBytes) {
        return too_large;
      }
      address = at + bytes;
      return at;
    };
    if (kind == SegmentKind::kReadOnly) {
      LATHE_RETURN_IF_ERROR(place(reservation.read_only_bytes, 1).status());
    } else if (kind == SegmentKind::kRelro) {
      LATHE_ASSIGN_OR_RETURN(image_.relro_reservation, place(reservation.relro_bytes, word));
      LATHE_ASSIGN_OR_RETURN(got_address_, place(got_.size() * word, kGotAlignment));
    }
    int chunk = 0;
    auto end_chunks = [&](int until) -> absl::Status {
      for (; chunk < until; ++chunk) {
        LATHE_ASSIGN_OR_RETURN(island_address_[chunk],
                               place(stubs_per_chunk_[chunk] * machine().stub_bytes, machine().stub_alignment));
      }
      return absl::OkStatus();
    };
    for (InputSection& section : input_.sections()) {
      if (section.segment != kind || section.zeros) continue;
      if (kind == SegmentKind::kCode) LATHE_RETURN_IF_ERROR(end_chunks(section.chunk));
      const ElfSection& from = input_.Section(section);
      LATHE_ASSIGN_OR_RETURN(section.address, place(from.contents.size(), from.alignment));
    }
    if (kind == SegmentKind::kCode) {
      LATHE_RETURN_IF_ERROR(end_chunks(static_cast<int>(island_address_.size())));
    }
    segment.bytes.resize(address - segment.address);
    if (kind == SegmentKind::kData) {
      for (InputSection& section : input_.sections()) {
        if (!section.zeros) continue;
        const ElfSection& from = input_.Section(section);
        LATHE_ASSIGN_OR_RETURN(section.address, place(from.size, from.alignment));
      }
      for (size_t i = 0; i < input_.symbols().size(); ++i) {
        if (symbol(i).kind != Kind::kCommon) continue;
        LATHE_ASSIGN_OR_RETURN(common_address_[static_cast<int>(i)], place(symbol(i).size, symbol(i).value));
      }
    }
    segment.memory_bytes = address - segment.address;
    file_offset += segment.bytes.size();
    if (segment.memory_bytes != 0) image_.memory_bytes = address;
  }
  for (const InputSection& section : input_.sections()) {
    const std::string_view contents = input_.Section(section).contents;
    if (!contents.empty()) {
      std::copy(contents.begin(), contents.end(), BytesAt(section.segment, section.address));
    }
  }
  return absl::OkStatus();
}

uint64_t Linker::AddressOf(int index) const {
  const ResolvedSymbol& target = symbol(index);
  switch (target.kind) {
    case Kind::kSection: return input_.sections()[target.index].address + target.value;
    case Kind::kCommon: return common_address_.at(index);
    case Kind::kAbsolute: return target.value;
    case Kind::kGotBase: return got_address_;
    case Kind::kImport: return 0;
  }
  return 0;
}

// The global offset table, the stubs, and the words that depend on where the image lies.
absl::Status Linker::WriteTables() {
  auto add = [&](uint8_t* bytes, uint64_t address, Target target) {
    const ResolvedSymbol& to = symbol(target.first);
    const uint64_t addend = AddressOf(target.first) + static_cast<uint64_t>(target.second);
    DynamicRelocation relocation{address, -1, static_cast<int64_t>(addend)};
    if (to.kind == Kind::kImport) relocation.import = imports_.at(target.first);
    if (machine().is_64) {
      WriteLittle<int64_t>(bytes, relocation.addend);
    } else {
      relocation.addend = static_cast<int32_t>(relocation.addend);
      WriteLittle<int32_t>(bytes, static_cast<int32_t>(relocation.addend));
    }
    if (to.kind != Kind::kAbsolute) image_.relocations.push_back(relocation);
  };
  for (const auto& [target, index] : got_) {
    const uint64_t address = GotAddress(target);
    add(BytesAt(SegmentKind::kRelro, address), address, target);
  }
  for (const PendingWord& word : words_) {
    const uint64_t address = word.section->address + word.offset;
    add(BytesAt(word.section->segment, address), address, word.target);
  }
  std::sort(image_.relocations.begin(), image_.relocations.end(),
            [](const DynamicRelocation& a, const DynamicRelocation& b) {
              return std::tie(a.address, a.import, a.addend) < std::tie(b.address, b.import, b.addend);
            });
  for (const auto& [key, index] : stubs_) {
    const uint64_t address = island_address_[key.first] + index * machine().stub_bytes;
    if (!machine().write_stub(BytesAt(SegmentKind::kCode, address), address, GotAddress(key.second))) {
      return MakeStatus(absl::StatusCode::kResourceExhausted, "artifact-too-large",
                        "code and data lie too far apart for calls to other libraries");
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<int64_t> Linker::PairedValue(const Place& place) {
  const ResolvedSymbol& label = symbol(place.symbol);
  if (label.kind != Kind::kSection || &input_.sections()[label.index] != place.section) {
    return Fail(place, "artifact-corrupt", "names no place in its own section");
  }
  if (pairs_of_ != place.section) {
    pairs_.clear();
    pairs_of_ = place.section;
    for (const ElfRelocation& other : input_.Section(*place.section).relocations) {
      const RelocationKind* kind = machine().Find(other.type);
      if (kind != nullptr && kind->field == F::kRvHigh20) pairs_.emplace(other.offset, &other);
    }
  }
  const auto found = pairs_.find(label.value);
  if (found == pairs_.end()) return Fail(place, "artifact-corrupt", "has no high part to go with");
  LATHE_ASSIGN_OR_RETURN(Place high, Examine(*place.section, *found->second));
  high.address = place.section->address + high.relocation->offset;
  return Value(high);
}

// Only called where Scan found nothing wrong.
absl::StatusOr<int64_t> Linker::Value(const Place& place) const {
  // Unsigned: sums with a hostile absolute symbol wrap, and are then out of range or wrong, but defined.
  const uint64_t p = place.address;
  const auto a = static_cast<uint64_t>(place.addend);
  uint64_t s = place.symbol < 0 ? 0 : AddressOf(place.symbol);
  const uint64_t base = got_address_;
  constexpr uint64_t kPageMask = ~UINT64_C(0xfff);
  switch (place.kind->value) {
    case V::kAbsolute:
    case V::kPageOffset:
    case V::kDifference: return s + a;
    case V::kRelative: return s + a - p;
    case V::kBranch: {
      const F field = place.kind->field;
      if (NeedsStub(place)) {
        const auto bias = static_cast<uint64_t>(BranchBias(machine(), field));
        const Target to = {place.symbol, static_cast<int64_t>(a - bias)};
        uint64_t entry = island_address_[place.section->chunk] +
                         stubs_.at({place.section->chunk, to}) * machine().stub_bytes;
        if (IsArmBranch(field)) entry += kArmStubEntry;
        if (IsThumbField(field)) entry |= 1;
        return entry + bias - p;
      }
      // Labels that are no functions are in the state of the code that jumps to them.
      if (IsThumbField(field) && symbol(place.symbol).type != elf::kSymbolFunction) s |= 1;
      return s + a - p;
    }
    case V::kPage: return ((s + a) & kPageMask) - (p & kPageMask);
    case V::kFromGotBase: return s + a - base;
    case V::kGotBase: return base + a - p;
    case V::kSize: return (place.symbol < 0 ? 0 : symbol(place.symbol).size) + a;
    default: break;
  }
  const uint64_t got = GotAddress({place.symbol, 0});
  switch (place.kind->value) {
    case V::kGotRelative: return got + a - p;
    case V::kGotPage: return ((got + a) & kPageMask) - (p & kPageMask);
    case V::kGotPageOffset: return got + a;
    case V::kGotOffset: return got + a - base;
    default: return Fail(place, "artifact-relocation", "has no value");
  }
}

absl::Status Linker::Apply(InputSection& section) {
  for (const ElfRelocation& relocation : input_.Section(section).relocations) {
    LATHE_ASSIGN_OR_RETURN(Place place, Examine(section, relocation));
    const V value_kind = place.kind->value;
    if (value_kind == V::kNone) continue;
    place.address = section.address + relocation.offset;
    const bool dynamic = value_kind == V::kAbsolute && place.symbol >= 0 && symbol(place.symbol).kind != Kind::kAbsolute;
    if (dynamic) continue;  // WriteTables did it
    absl::StatusOr<int64_t> value = value_kind == V::kPairedLow ? PairedValue(place) : Value(place);
    if (!value.ok()) return value.status();
    switch (PatchField(place.kind->field, *value, BytesAt(section.segment, place.address))) {
      case PatchResult::kOk: break;
      case PatchResult::kOutOfRange:
        return Fail(place, "artifact-relocation", absl::StrCat("is out of reach by ", *value, " bytes"));
      case PatchResult::kMisaligned:
        return Fail(place, "artifact-relocation", absl::StrCat("has the misaligned value ", *value));
      case PatchResult::kWrongInstruction:
        return Fail(place, "artifact-relocation", "is on an instruction that cannot take it");
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<LinkedImage> Linker::Link() {
  LATHE_RETURN_IF_ERROR(input_.Resolve());
  AssignChunks();
  LATHE_RETURN_IF_ERROR(ForEachRelocation(&Linker::Scan));
  LATHE_RETURN_IF_ERROR(Layout());
  LATHE_RETURN_IF_ERROR(WriteTables());
  for (InputSection& section : input_.sections()) LATHE_RETURN_IF_ERROR(Apply(section));
  for (const auto& [name, index] : input_.globals()) {
    const ResolvedSymbol& defined = symbol(index);
    if (defined.kind == Kind::kImport || defined.kind == Kind::kGotBase) continue;
    image_.symbols.emplace(std::string(name),
                           LinkedSymbol{AddressOf(index), defined.size, defined.type == elf::kSymbolFunction,
                                        defined.kind == Kind::kAbsolute});
  }
  image_.machine = &machine();
  image_.flags = input_.flags();
  for (LinkedSegment& segment : segments_) {
    if (segment.memory_bytes != 0) image_.segments.push_back(std::move(segment));
  }
  return std::move(image_);
}

}  // namespace

absl::StatusOr<LinkedImage> LinkObjects(absl::Span<const ElfObject> objects, const LinkOptions& options) {
  if (objects.empty()) {
    return MakeStatus(absl::StatusCode::kInvalidArgument, "artifact-corrupt", "there is no object to link");
  }
  return Linker(objects, options).Link();
}

}  // namespace lathe::runtime
