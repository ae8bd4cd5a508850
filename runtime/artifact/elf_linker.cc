#include "runtime/artifact/elf_linker.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"
#include "runtime/artifact/bytes.h"
#include "runtime/artifact/elf_format.h"
#include "runtime/artifact/link_plan.h"
#include "runtime/status.h"

namespace lathe::runtime {
namespace {

using F = RelocationField;
using Kind = ResolvedSymbol::Kind;
using V = RelocationValue;

constexpr uint64_t kGotAlignment = 8;

// Limits memory: a damaged object may ask for many large alignments. A real one needs far less
// padding.
constexpr uint64_t kMaxPaddingBytes = 64 << 20;

class Linker {
 public:
  Linker(absl::Span<const ElfObject> objects, const LinkOptions& options)
      : options_(options), plan_(objects, options), input_(plan_.input()) {}

  absl::StatusOr<LinkedImage> Link();

 private:
  // Gives out places in memory one after another.
  struct Placer {
    uint64_t most = 0;  // bytes of the whole image
    uint64_t address = 0, padding = 0;
    absl::StatusOr<uint64_t> Place(uint64_t bytes, uint64_t alignment);
    absl::Status TooLarge() const;
  };

  absl::Status PlaceTables(SegmentKind kind, const LinkReservation& reservation, Placer* placer);
  absl::Status PlaceSections(SegmentKind kind, Placer* placer);
  absl::Status PlaceZeros(Placer* placer);
  absl::Status Layout();
  absl::Status WriteTables();
  absl::Status Apply(InputSection& section);
  absl::StatusOr<int64_t> Value(const LinkPlace& place) const;
  absl::StatusOr<int64_t> PairedValue(const LinkPlace& place);

  uint64_t AddressOf(int symbol) const;
  uint64_t GotAddress(LinkTarget target) const {
    return got_address_ + plan_.got().at(target) * machine().word_bytes();
  }
  uint8_t* BytesAt(SegmentKind kind, uint64_t address) {
    LinkedSegment& segment = segments_[static_cast<int>(kind)];
    return segment.bytes.data() + (address - segment.address);
  }
  const Machine& machine() const { return plan_.machine(); }
  const ResolvedSymbol& symbol(int index) const { return plan_.symbol(index); }

  const LinkOptions& options_;
  LinkPlan plan_;
  LinkInput& input_;
  LinkedImage image_;
  LinkedSegment segments_[kNumSegmentKinds];
  std::vector<uint64_t> island_address_;  // of each chunk
  std::map<int, uint64_t> common_address_;
  uint64_t got_address_ = 0;
  // For the section being relocated: offset -> high part of a pair. Filled on first use.
  std::unordered_map<uint64_t, const ElfRelocation*> pairs_;
  const InputSection* pairs_of_ = nullptr;
};

absl::StatusOr<uint64_t> Linker::Placer::Place(uint64_t bytes, uint64_t alignment) {
  const uint64_t at = AlignUp(address, alignment);
  padding += at - address;
  if (bytes > most || at + bytes > most || padding > kMaxPaddingBytes) return TooLarge();
  address = at + bytes;
  return at;
}

absl::Status Linker::Placer::TooLarge() const {
  return MakeStatus(absl::StatusCode::kResourceExhausted, "artifact-too-large",
                    absl::StrCat("the linked objects take more than ", most, " bytes of memory"));
}

// The linker's own tables, at the start of a segment.
absl::Status Linker::PlaceTables(SegmentKind kind, const LinkReservation& reservation,
                                 Placer* placer) {
  const size_t word = machine().word_bytes();
  if (kind == SegmentKind::kReadOnly) return placer->Place(reservation.read_only_bytes, 1).status();
  if (kind != SegmentKind::kRelro) return absl::OkStatus();
  LATHE_ASSIGN_OR_RETURN(image_.relro_reservation, placer->Place(reservation.relro_bytes, word));
  LATHE_ASSIGN_OR_RETURN(got_address_, placer->Place(plan_.got().size() * word, kGotAlignment));
  return absl::OkStatus();
}

// The sections that have bytes; islands of stubs between those of code.
absl::Status Linker::PlaceSections(SegmentKind kind, Placer* placer) {
  int chunk = 0;
  auto end_chunks = [&](int until) -> absl::Status {
    for (; chunk < until; ++chunk) {
      LATHE_ASSIGN_OR_RETURN(island_address_[chunk],
                             placer->Place(plan_.stubs_per_chunk()[chunk] * machine().stub_bytes,
                                           machine().stub_alignment));
    }
    return absl::OkStatus();
  };
  for (InputSection& section : input_.sections()) {
    if (section.segment != kind || section.zeros) continue;
    if (kind == SegmentKind::kCode) LATHE_RETURN_IF_ERROR(end_chunks(section.chunk));
    const ElfSection& from = input_.Section(section);
    LATHE_ASSIGN_OR_RETURN(section.address, placer->Place(from.contents.size(), from.alignment));
  }
  return kind == SegmentKind::kCode ? end_chunks(static_cast<int>(island_address_.size()))
                                    : absl::OkStatus();
}

// What has no bytes: sections of zeros, and common symbols.
absl::Status Linker::PlaceZeros(Placer* placer) {
  for (InputSection& section : input_.sections()) {
    if (!section.zeros) continue;
    const ElfSection& from = input_.Section(section);
    LATHE_ASSIGN_OR_RETURN(section.address, placer->Place(from.size, from.alignment));
  }
  for (size_t i = 0; i < input_.symbols().size(); ++i) {
    if (symbol(i).kind != Kind::kCommon) continue;
    LATHE_ASSIGN_OR_RETURN(common_address_[static_cast<int>(i)],
                           placer->Place(symbol(i).size, symbol(i).value));
  }
  return absl::OkStatus();
}

absl::Status Linker::Layout() {
  const uint64_t page = machine().max_page_bytes;
  LinkReservation reservation;
  if (options_.reserve)
    reservation = options_.reserve(plan_.imports(), plan_.NumDynamicRelocations());
  Placer placer{.most = options_.max_image_bytes};
  if (reservation.read_only_bytes > placer.most || reservation.relro_bytes > placer.most)
    return placer.TooLarge();
  uint64_t file_offset = 0;
  for (int k = 0; k < kNumSegmentKinds; ++k) {
    LinkedSegment& segment = segments_[k];
    segment.kind = static_cast<SegmentKind>(k);
    // Starts the next page, at the same offset within the page as in the file: so the file needs no
    // gaps.
    if (k > 0) placer.address = AlignUp(placer.address, page) + file_offset % page;
    // Aligns the segment's start to 64 bytes, the most common demand, so that the gap above is not
    // wasted.
    placer.address = AlignUp(placer.address, 64);
    file_offset = AlignUp(file_offset, 64);
    segment.address = placer.address;
    segment.file_offset = file_offset;
    LATHE_RETURN_IF_ERROR(PlaceTables(segment.kind, reservation, &placer));
    LATHE_RETURN_IF_ERROR(PlaceSections(segment.kind, &placer));
    segment.bytes.resize(placer.address - segment.address);
    if (segment.kind == SegmentKind::kData) LATHE_RETURN_IF_ERROR(PlaceZeros(&placer));
    segment.memory_bytes = placer.address - segment.address;
    file_offset += segment.bytes.size();
    if (segment.memory_bytes != 0) image_.memory_bytes = placer.address;
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
    case Kind::kSection:
      return input_.sections()[target.index].address + target.value;
    case Kind::kCommon:
      return common_address_.at(index);
    case Kind::kAbsolute:
      return target.value;
    case Kind::kGotBase:
      return got_address_;
    case Kind::kImport:
      return 0;
  }
  return 0;
}

// Writes the global offset table, the stubs, and the words that depend on the image's address.
absl::Status Linker::WriteTables() {
  auto add = [&](uint8_t* bytes, uint64_t address, LinkTarget target) {
    const ResolvedSymbol& to = symbol(target.first);
    const uint64_t addend = AddressOf(target.first) + static_cast<uint64_t>(target.second);
    DynamicRelocation relocation{address, -1, static_cast<int64_t>(addend)};
    if (to.kind == Kind::kImport) relocation.import = plan_.ImportOf(target.first);
    if (machine().is_64) {
      WriteLittle<int64_t>(bytes, relocation.addend);
    } else {
      relocation.addend = static_cast<int32_t>(relocation.addend);
      WriteLittle<int32_t>(bytes, static_cast<int32_t>(relocation.addend));
    }
    if (to.kind != Kind::kAbsolute) image_.relocations.push_back(relocation);
  };
  for (const auto& [target, index] : plan_.got()) {
    const uint64_t address = GotAddress(target);
    add(BytesAt(SegmentKind::kRelro, address), address, target);
  }
  for (const LinkPlan::PendingWord& word : plan_.words()) {
    const uint64_t address = word.section->address + word.offset;
    add(BytesAt(word.section->segment, address), address, word.target);
  }
  std::sort(image_.relocations.begin(), image_.relocations.end(),
            [](const DynamicRelocation& a, const DynamicRelocation& b) {
              return std::tie(a.address, a.import, a.addend) <
                     std::tie(b.address, b.import, b.addend);
            });
  for (const auto& [key, index] : plan_.stubs()) {
    const uint64_t address = island_address_[key.first] + index * machine().stub_bytes;
    if (!machine().write_stub(BytesAt(SegmentKind::kCode, address), address,
                              GotAddress(key.second))) {
      return MakeStatus(absl::StatusCode::kResourceExhausted, "artifact-too-large",
                        "code and data lie too far apart for calls to other libraries");
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<int64_t> Linker::PairedValue(const LinkPlace& place) {
  const ResolvedSymbol& label = symbol(place.symbol);
  if (label.kind != Kind::kSection || &input_.sections()[label.index] != place.section) {
    return plan_.Fail(place, "artifact-corrupt", "names no place in its own section");
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
  if (found == pairs_.end())
    return plan_.Fail(place, "artifact-corrupt", "has no high part to go with");
  LATHE_ASSIGN_OR_RETURN(LinkPlace high, plan_.Examine(*place.section, *found->second));
  high.address = place.section->address + high.relocation->offset;
  return Value(high);
}

// Called only if Scan found no error.
absl::StatusOr<int64_t> Linker::Value(const LinkPlace& place) const {
  // Unsigned: with a hostile absolute symbol the sums wrap, and are then out of range or wrong, but
  // defined behaviour.
  const uint64_t p = place.address;
  const auto a = static_cast<uint64_t>(place.addend);
  uint64_t s = place.symbol < 0 ? 0 : AddressOf(place.symbol);
  const uint64_t base = got_address_;
  constexpr uint64_t kPageMask = ~UINT64_C(0xfff);
  switch (place.kind->value) {
    case V::kAbsolute:
    case V::kPageOffset:
    case V::kDifference:
      return s + a;
    case V::kRelative:
      return s + a - p;
    case V::kBranch: {
      const F field = place.kind->field;
      if (plan_.NeedsStub(place)) {
        const auto bias = static_cast<uint64_t>(BranchBias(machine(), field));
        const LinkTarget to = {place.symbol, static_cast<int64_t>(a - bias)};
        uint64_t entry = island_address_[place.section->chunk] +
                         plan_.stubs().at({place.section->chunk, to}) * machine().stub_bytes;
        if (IsArmBranch(field)) entry += kArmStubEntry;
        if (IsThumbBranch(field)) entry |= 1;
        return entry + bias - p;
      }
      // A label that is not a function is code in the state (Arm or Thumb) of the jump to it.
      if (IsThumbBranch(field) && symbol(place.symbol).type != elf::kSymbolFunction) s |= 1;
      return s + a - p;
    }
    case V::kPage:
      return ((s + a) & kPageMask) - (p & kPageMask);
    case V::kFromGotBase:
      return s + a - base;
    case V::kGotBase:
      return base + a - p;
    case V::kSize:
      return (place.symbol < 0 ? 0 : symbol(place.symbol).size) + a;
    default:
      break;
  }
  const uint64_t got = GotAddress({place.symbol, 0});
  switch (place.kind->value) {
    case V::kGotRelative:
      return got + a - p;
    case V::kGotPage:
      return ((got + a) & kPageMask) - (p & kPageMask);
    case V::kGotPageOffset:
      return got + a;
    case V::kGotOffset:
      return got + a - base;
    default:
      return plan_.Fail(place, "artifact-relocation", "has no value");
  }
}

absl::Status Linker::Apply(InputSection& section) {
  for (const ElfRelocation& relocation : input_.Section(section).relocations) {
    LATHE_ASSIGN_OR_RETURN(LinkPlace place, plan_.Examine(section, relocation));
    const V value_kind = place.kind->value;
    if (value_kind == V::kNone) continue;
    place.address = section.address + relocation.offset;
    const bool dynamic = value_kind == V::kAbsolute && place.symbol >= 0 &&
                         symbol(place.symbol).kind != Kind::kAbsolute;
    if (dynamic) continue;  // WriteTables did it
    absl::StatusOr<int64_t> value = value_kind == V::kPairedLow ? PairedValue(place) : Value(place);
    if (!value.ok()) return value.status();
    switch (PatchField(place.kind->field, *value, BytesAt(section.segment, place.address))) {
      case PatchResult::kOk:
        break;
      case PatchResult::kOutOfRange:
        return plan_.Fail(place, "artifact-relocation",
                          absl::StrCat("is out of reach by ", *value, " bytes"));
      case PatchResult::kMisaligned:
        return plan_.Fail(place, "artifact-relocation",
                          absl::StrCat("has the misaligned value ", *value));
      case PatchResult::kWrongInstruction:
        return plan_.Fail(place, "artifact-relocation", "is on an instruction that cannot take it");
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<LinkedImage> Linker::Link() {
  LATHE_RETURN_IF_ERROR(plan_.Make());
  island_address_.assign(plan_.stubs_per_chunk().size(), 0);
  LATHE_RETURN_IF_ERROR(Layout());
  LATHE_RETURN_IF_ERROR(WriteTables());
  for (InputSection& section : input_.sections()) LATHE_RETURN_IF_ERROR(Apply(section));
  for (const auto& [name, index] : input_.globals()) {
    const ResolvedSymbol& defined = symbol(index);
    if (defined.kind == Kind::kImport || defined.kind == Kind::kGotBase) continue;
    image_.symbols.emplace(std::string(name), LinkedSymbol{AddressOf(index), defined.size,
                                                           defined.type == elf::kSymbolFunction,
                                                           defined.kind == Kind::kAbsolute});
  }
  image_.imports = std::move(plan_.imports());
  image_.machine = &machine();
  image_.flags = input_.flags();
  for (LinkedSegment& segment : segments_) {
    if (segment.memory_bytes != 0) image_.segments.push_back(std::move(segment));
  }
  return std::move(image_);
}

}  // namespace

absl::StatusOr<LinkedImage> LinkObjects(absl::Span<const ElfObject> objects,
                                        const LinkOptions& options) {
  if (objects.empty()) {
    return MakeStatus(absl::StatusCode::kInvalidArgument, "artifact-corrupt",
                      "there is no object to link");
  }
  return Linker(objects, options).Link();
}

}  // namespace lathe::runtime
