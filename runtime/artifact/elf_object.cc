#include "runtime/artifact/elf_object.h"

#include <algorithm>
#include <cstring>
#include <unordered_map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "runtime/artifact/bytes.h"
#include "runtime/artifact/constants_in_place.h"
#include "runtime/artifact/elf_format.h"
#include "runtime/artifact/elf_linker.h"
#include "runtime/artifact/elf_reader.h"
#include "runtime/status.h"

namespace lathe::runtime {
namespace {

constexpr size_t kMaxNamedSymbols = 20;

absl::Status CheckHost(const ElfObject& object) {
  const Machine* host = HostMachine();
  if (host == nullptr) {
    return MakeStatus(
        absl::StatusCode::kUnimplemented, "artifact-machine",
        absl::StrCat("this machine cannot load ELF objects; that takes ", KnownMachines(),
                     "; load the artefact as a shared library (.so) instead"));
  }
  if (FindMachine(object.machine, object.is_64) != host) {
    return MakeStatus(
        absl::StatusCode::kFailedPrecondition, "artifact-machine",
        absl::StrCat("`", object.name, "` was compiled for ",
                     ElfMachineName(object.machine, object.is_64), ", but this machine is ",
                     host->name, "; compile it with -mtriple=", host->name, "-linux-gnu"));
  }
  return absl::OkStatus();
}

// The addresses of the imports, in order.
absl::StatusOr<std::vector<uint64_t>> FindImports(const std::vector<LinkedImport>& imports,
                                                  const std::vector<SymbolSource>& sources) {
  std::vector<uint64_t> addresses;
  addresses.reserve(imports.size());
  std::string missing;
  size_t num_missing = 0;
  for (const LinkedImport& import : imports) {
    void* address = nullptr;
    for (const SymbolSource& source : sources) {
      address = source.find(import.name);
      if (address != nullptr) break;
    }
    if (address == nullptr && !import.weak && ++num_missing <= kMaxNamedSymbols) {
      absl::StrAppend(&missing, missing.empty() ? "" : ", ", "`", import.name, "` (wanted by `",
                      import.wanted_by, "`)");
    }
    addresses.push_back(reinterpret_cast<uintptr_t>(address));
  }
  if (num_missing == 0) return addresses;
  if (num_missing > kMaxNamedSymbols)
    absl::StrAppend(&missing, " and ", num_missing - kMaxNamedSymbols, " more");
  std::string looked = "the objects themselves";
  for (const SymbolSource& source : sources) absl::StrAppend(&looked, ", ", source.name);
  return MakeStatus(
      absl::StatusCode::kNotFound, "artifact-unresolved-symbol",
      absl::StrCat("nobody defines ", missing, "\nexpected: a definition in ", looked,
                   "\nhelp: link what has it, or load it before (dlopen with RTLD_GLOBAL)"));
}

}  // namespace

absl::StatusOr<std::unique_ptr<LoadedElf>> LoadedElf::Load(absl::Span<const ObjectBytes> objects,
                                                           const ElfLoadOptions& options) {
  std::vector<ElfObject> read;
  read.reserve(objects.size());
  std::unordered_map<std::string, const char*> in_place;
  for (const ObjectBytes& object : objects) {
    LATHE_ASSIGN_OR_RETURN(ElfObject one, ReadElfObject(object.bytes, object.name));
    LATHE_RETURN_IF_ERROR(CheckHost(one));
    if (options.constants_in_place) in_place.merge(TakeConstants(*HostMachine(), &one));
    read.push_back(std::move(one));
  }
  std::vector<SymbolSource> sources = options.sources;
  if (!in_place.empty()) {
    sources.insert(sources.begin(),
                   {"their constants", [&](const std::string& wanted) -> void* {
                      const auto found = in_place.find(wanted);
                      return found == in_place.end() ? nullptr : const_cast<char*>(found->second);
                    }});
  }
  LinkOptions link;
  link.max_image_bytes = options.max_image_bytes;
  link.branch_reach = options.branch_reach;
  LATHE_ASSIGN_OR_RETURN(const LinkedImage image, LinkObjects(read, link));
  LATHE_ASSIGN_OR_RETURN(const std::vector<uint64_t> imports, FindImports(image.imports, sources));

  std::unique_ptr<LoadedElf> loaded(new LoadedElf());
  loaded->uses_bytes_ = !in_place.empty();
  LATHE_ASSIGN_OR_RETURN(loaded->memory_, ExecutableMemory::Allocate(
                                              image.memory_bytes, image.machine->max_page_bytes));
  loaded->memory_.Copy(image);
  uint8_t* base = loaded->memory_.base();
  for (const DynamicRelocation& relocation : image.relocations) {
    const uint64_t from =
        relocation.import < 0 ? reinterpret_cast<uintptr_t>(base) : imports[relocation.import];
    const uint64_t value = from + static_cast<uint64_t>(relocation.addend);
    if (image.machine->is_64) {
      WriteLittle<uint64_t>(base + relocation.address, value);
    } else {
      WriteLittle<uint32_t>(base + relocation.address, static_cast<uint32_t>(value));
    }
  }
  LATHE_RETURN_IF_ERROR(loaded->memory_.Protect(image));
  for (const LinkedSegment& segment : image.segments) {
    loaded->ranges_.push_back({segment.address, segment.memory_bytes, segment.kind});
  }
  loaded->symbols_.reserve(image.symbols.size());
  for (const auto& [name, symbol] : image.symbols) {
    const uint64_t start = symbol.is_absolute ? 0 : reinterpret_cast<uintptr_t>(base);
    loaded->symbols_.emplace(
        name, reinterpret_cast<void*>(static_cast<uintptr_t>(start + symbol.address)));
  }
  return loaded;
}

void* LoadedElf::Find(const std::string& name) const {
  const auto found = symbols_.find(name);
  return found == symbols_.end() ? nullptr : found->second;
}

std::vector<std::string> LoadedElf::SymbolNames() const {
  std::vector<std::string> names;
  names.reserve(symbols_.size());
  for (const auto& [name, address] : symbols_) names.push_back(name);
  std::sort(names.begin(), names.end());
  return names;
}

bool LoadedElf::ContainsIn(const void* data, uint64_t bytes, bool (*wanted)(SegmentKind)) const {
  const uint64_t offset =
      reinterpret_cast<uintptr_t>(data) - reinterpret_cast<uintptr_t>(memory_.base());
  for (const Range& range : ranges_) {
    if (wanted(range.kind) && offset >= range.address &&
        WithinBounds(offset - range.address, bytes, range.bytes)) {
      return true;
    }
  }
  return false;
}

bool LoadedElf::Contains(const void* data, uint64_t bytes) const {
  return ContainsIn(data, bytes, [](SegmentKind) { return true; });
}

bool LoadedElf::ContainsWritable(const void* data, uint64_t bytes) const {
  return ContainsIn(data, bytes, [](SegmentKind kind) { return kind == SegmentKind::kData; });
}

bool LoadedElf::ContainsCode(const void* address) const {
  return ContainsIn(address, 1, [](SegmentKind kind) { return kind == SegmentKind::kCode; });
}

}  // namespace lathe::runtime
