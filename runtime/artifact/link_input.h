// The first part of linking: which sections of several objects are used, and what each symbol
// means.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "runtime/artifact/elf_reader.h"
#include "runtime/artifact/machine.h"

namespace lathe::runtime {

enum class SegmentKind : uint8_t { kReadOnly, kCode, kRelro, kData };
inline constexpr int kNumSegmentKinds = 4;

// A section that will be loaded into memory.
struct InputSection {
  uint32_t object = 0;
  uint32_t section = 0;
  SegmentKind segment = SegmentKind::kData;
  bool zeros = false;    // NOBITS
  int chunk = 0;         // code: the run of sections that share an island of stubs
  uint64_t address = 0;  // set by layout; relative to the image
};

// The meaning of a global name or a local symbol.
struct ResolvedSymbol {
  enum class Kind : uint8_t {
    kSection,   // `value` bytes into the input section `index`
    kCommon,    // storage of `size` bytes that the linker makes, aligned to `value`
    kAbsolute,  // `value`
    kGotBase,   // the start of the global offset table
    kImport,    // found when the image is loaded
  } kind = Kind::kImport;
  bool weak = false;    // a weak definition, or an import that may be absent
  bool hidden = false;  // of an import: it must not come from outside
  uint8_t type = 0;
  int index = -1;
  uint64_t value = 0;
  uint64_t size = 0;
  std::string_view name;
  uint32_t object = 0;  // the object that defines it or first refers to it

  // Arm: code in Thumb state; bit 0 of its address is set.
  bool is_thumb() const;
};

// Several objects, checked for consistency. Views the objects, which must outlive it.
class LinkInput {
 public:
  explicit LinkInput(absl::Span<const ElfObject> objects) : objects_(objects) {}

  // Fails with `artifact-machine`, `artifact-unsupported`, `artifact-duplicate-symbol`.
  absl::Status Resolve();

  const Machine& machine() const { return *machine_; }
  uint32_t flags() const { return flags_; }
  absl::Span<const ElfObject> objects() const { return objects_; }
  std::vector<InputSection>& sections() { return sections_; }
  const std::vector<InputSection>& sections() const { return sections_; }
  const std::vector<ResolvedSymbol>& symbols() const { return symbols_; }
  // Global names that some object defines or refers to -> index into symbols().
  const std::unordered_map<std::string_view, int>& globals() const { return globals_; }

  const ElfSection& Section(const InputSection& input) const {
    return objects_[input.object].sections[input.section];
  }
  // The index into sections(), or -1 if the section is left out.
  int FindSection(uint32_t object, uint32_t section) const {
    return section_index_[object][section];
  }
  // The index into symbols() of an object's symbol; -1 for a local symbol in a section that is left
  // out.
  int FindSymbol(uint32_t object, uint32_t symbol) const { return symbol_index_[object][symbol]; }

 private:
  absl::Status CheckMachines();
  absl::Status SelectSections();
  absl::Status CheckSection(const ElfObject& object, const ElfSection& section) const;
  absl::Status AddGlobal(uint32_t object, uint32_t symbol);

  absl::Span<const ElfObject> objects_;
  const Machine* machine_ = nullptr;
  uint32_t flags_ = 0;
  std::vector<InputSection> sections_;
  std::vector<ResolvedSymbol> symbols_;
  std::unordered_map<std::string_view, int> globals_;
  std::vector<std::vector<int>> section_index_;
  std::vector<std::vector<int>> symbol_index_;
};

}  // namespace lathe::runtime
