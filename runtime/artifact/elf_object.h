// Loads relocatable ELF objects (.o) into this process: no linker and no compiler on the machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "runtime/artifact/executable_memory.h"
#include "runtime/artifact/symbol_source.h"

namespace lathe::runtime {

// The bytes of one object and a name for messages. Both are only read during the call they are
// passed to.
struct ObjectBytes {
  std::string_view name;
  std::string_view bytes;
};

struct ElfLoadOptions {
  // Asked in order for what the objects do not define. An address found nowhere is an error, unless
  // it is weak.
  std::vector<SymbolSource> sources = {ProcessSymbols()};
  // See LinkOptions.
  uint64_t max_image_bytes = 0x7fff0000;
  uint64_t branch_reach = 0;
};

// Code and data of one or several objects linked together. Code is mapped readable and executable,
// constants readable, data writable; the memory goes with this. Immutable, so thread-safe (what the
// code does with its data is its own business).
//
// Bytes may come from anywhere: damaged ones are errors, never crashes. That says nothing about
// what well-formed code does when it is run.
class LoadedElf {
 public:
  // Fails as ReadElfObject and LinkObjects do, with `artifact-machine` for objects of another
  // machine than this one, `artifact-unresolved-symbol` (with all their names), `artifact-memory`.
  static absl::StatusOr<std::unique_ptr<LoadedElf>> Load(absl::Span<const ObjectBytes> objects,
                                                         const ElfLoadOptions& options);

  // The address of a global symbol that the objects define; null where there is none.
  void* Find(const std::string& name) const;
  // Names that Find answers to, sorted.
  std::vector<std::string> SymbolNames() const;
  // Whether all of [data, data + bytes) is mapped memory of this image that may be read.
  bool Contains(const void* data, uint64_t bytes) const;
  // The same for memory that may be written.
  bool ContainsWritable(const void* data, uint64_t bytes) const;
  // Whether `address` may be called: it is in code.
  bool ContainsCode(const void* address) const;
  // First and one past the last byte.
  const void* begin() const { return memory_.base(); }
  const void* end() const { return memory_.base() + memory_.bytes(); }

 private:
  LoadedElf() = default;

  struct Range {
    uint64_t address, bytes;
    SegmentKind kind;
  };
  bool ContainsIn(const void* data, uint64_t bytes, bool (*wanted)(SegmentKind)) const;

  ExecutableMemory memory_;
  std::vector<Range> ranges_;
  std::unordered_map<std::string, void*> symbols_;
};

}  // namespace lathe::runtime
