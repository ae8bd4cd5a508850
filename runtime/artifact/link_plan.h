// The second part of linking: from the relocations, which entries of the global offset table,
// stubs, imports and words for the loader the image needs. No address is known yet.
#pragma once

#include <cstdint>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "runtime/artifact/elf_linker.h"
#include "runtime/artifact/link_input.h"

namespace lathe::runtime {

// A symbol (index into LinkInput::symbols), and an offset from it.
using LinkTarget = std::pair<int, int64_t>;

// One relocation with everything that is known about it.
struct LinkPlace {
  InputSection* section;
  const ElfRelocation* relocation;
  const RelocationKind* kind;
  int symbol;  // index into LinkInput::symbols; -1: none, its value is 0
  int64_t addend;
  uint64_t address;  // relative to the image; after layout
};

// True if the value depends on the symbol's entry in the global offset table only.
bool IsGotValue(RelocationValue value);
// True for branch fields of Thumb code.
bool IsThumbBranch(RelocationField field);
bool IsArmBranch(RelocationField field);
// Branches count from an address a little after the instruction; this is the addend of a branch
// exactly to its symbol.
int64_t BranchBias(const Machine& machine, RelocationField field);

// Views the objects and the options, which must outlive it.
class LinkPlan {
 public:
  // A word whose value depends on the image's address or on an import.
  struct PendingWord {
    const InputSection* section;
    uint64_t offset;
    LinkTarget target;
  };

  LinkPlan(absl::Span<const ElfObject> objects, const LinkOptions& options)
      : input_(objects), options_(options) {}

  // Fails as LinkObjects does.
  absl::Status Make();

  LinkInput& input() { return input_; }
  const LinkInput& input() const { return input_; }
  const Machine& machine() const { return input_.machine(); }
  const ResolvedSymbol& symbol(int index) const { return input_.symbols()[index]; }

  // Entries of the global offset table -> their index.
  const std::map<LinkTarget, size_t>& got() const { return got_; }
  // (chunk, target) -> index of the stub within the chunk's island.
  const std::map<std::pair<int, LinkTarget>, size_t>& stubs() const { return stubs_; }
  // For each chunk: how many stubs its island has.
  const std::vector<size_t>& stubs_per_chunk() const { return stubs_per_chunk_; }
  const std::vector<PendingWord>& words() const { return words_; }
  std::vector<LinkedImport>& imports() { return imports_; }
  // Index into imports() of an imported symbol.
  int ImportOf(int symbol) const { return import_index_.at(symbol); }
  // How many words a loader must fill in.
  size_t NumDynamicRelocations() const;

  // The relocation's kind, symbol and addend, checked.
  absl::StatusOr<LinkPlace> Examine(InputSection& section, const ElfRelocation& relocation) const;
  bool NeedsStub(const LinkPlace& place) const;
  // An error that names the place.
  absl::Status Fail(const LinkPlace& place, std::string_view name, std::string_view what) const;

 private:
  void AssignChunks();
  absl::Status AddImport(int symbol);
  absl::Status Scan(const LinkPlace& place);

  LinkInput input_;
  const LinkOptions& options_;
  std::map<LinkTarget, size_t> got_;
  std::map<std::pair<int, LinkTarget>, size_t> stubs_;
  std::vector<size_t> stubs_per_chunk_;
  std::vector<PendingWord> words_;
  std::vector<LinkedImport> imports_;
  std::map<int, int> import_index_;
};

}  // namespace lathe::runtime
