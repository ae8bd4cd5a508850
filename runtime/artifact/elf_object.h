// Loads relocatable ELF objects (.o) into this process; needs no linker and no compiler.
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

// The bytes of one object, and a name for messages. Both must stay valid during the call only (but
// see ElfLoadOptions::constants_in_place).
struct ObjectBytes {
  std::string_view name;
  std::string_view bytes;
};

struct ElfLoadOptions {
  // Searched in order for symbols that the objects do not define. A symbol that is found nowhere is
  // an error, unless it is weak.
  std::vector<SymbolSource> sources = {ProcessSymbols()};
  // See LinkOptions.
  uint64_t max_image_bytes = 0x7fff0000;
  uint64_t branch_reach = 0;
  // Uses constants where they lie in the objects' bytes (runtime/artifact/constants_in_place.h), if
  // there are some; then the bytes must outlive the loaded code.
  bool constants_in_place = false;
};

// The code and data of one or several objects, linked together. Code is mapped readable and
// executable, constants readable, data writable; the destructor unmaps them. Immutable, so
// thread-safe (the code itself may race on its data).
//
// The bytes need not be trusted: damaged ones give errors, never crashes. This does not hold for
// running the loaded code.
class LoadedElf {
 public:
  // Fails as ReadElfObject and LinkObjects do; with `artifact-machine` for objects of another
  // machine, `artifact-unresolved-symbol` (with all missing names), `artifact-memory`.
  static absl::StatusOr<std::unique_ptr<LoadedElf>> Load(absl::Span<const ObjectBytes> objects,
                                                         const ElfLoadOptions& options);

  // The address of a global symbol that the objects define; null if there is none.
  void* Find(const std::string& name) const;
  // The names for which Find returns an address, sorted.
  std::vector<std::string> SymbolNames() const;
  // True if all of [data, data + bytes) is readable memory of this image.
  bool Contains(const void* data, uint64_t bytes) const;
  // The same for writable memory.
  bool ContainsWritable(const void* data, uint64_t bytes) const;
  // True if `address` is in code, so that it may be called.
  bool ContainsCode(const void* address) const;
  // True if the code uses constants in the bytes of its objects.
  bool uses_bytes() const { return uses_bytes_; }
  // The first byte and one past the last.
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
  bool uses_bytes_ = false;
  std::unordered_map<std::string, void*> symbols_;
};

}  // namespace lathe::runtime
