// Links relocatable objects into one position-independent image: the common part of loading objects
// into this process and of writing shared objects.
// Every defined symbol is bound within the image. A missing symbol is an import: it is reached
// through the global offset table, and calls to it through stubs. Words that depend on the image's
// final address remain as dynamic relocations.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "runtime/artifact/elf_reader.h"
#include "runtime/artifact/link_input.h"

namespace lathe::runtime {

// Bytes for `address` (relative to the image) with one protection: kReadOnly R, kCode RX, kRelro RW
// until relocated and then R, kData RW. Two segments never share a page.
struct LinkedSegment {
  SegmentKind kind = SegmentKind::kReadOnly;
  uint64_t address = 0;
  uint64_t file_offset = 0;   // congruent to `address` modulo the page size
  uint64_t memory_bytes = 0;  // >= bytes.size(); the rest is zero
  std::vector<uint8_t> bytes;
};

struct LinkedImport {
  std::string name;
  bool weak = false;      // its address is 0 if it is found nowhere
  std::string wanted_by;  // an object's name, for messages
};

// The word at `address` becomes base + addend (import < 0), or the import's address + addend. The
// image's bytes already contain the addend.
struct DynamicRelocation {
  uint64_t address = 0;
  int import = -1;
  int64_t addend = 0;
};

struct LinkedSymbol {
  uint64_t address = 0;  // relative to the image; bit 0 set for Thumb code
  uint64_t size = 0;
  bool is_function = false;
  bool is_absolute = false;
};

// Zeroed space for a writer's own tables: at address 0 (before read-only data) and in the relocated
// data.
struct LinkReservation {
  uint64_t read_only_bytes = 0;
  uint64_t relro_bytes = 0;
};

struct LinkOptions {
  // The limit of the image's size in bytes.
  uint64_t max_image_bytes = 0x7fff0000;
  // The reach of a direct branch in bytes; 0 means the machine's reach. Tests use it for stub
  // islands.
  uint64_t branch_reach = 0;
  // Called when the imports and the number of dynamic relocations are known.
  std::function<LinkReservation(const std::vector<LinkedImport>&, size_t)> reserve;
};

struct LinkedImage {
  const Machine* machine = nullptr;
  uint32_t flags = 0;                                     // e_flags
  std::vector<LinkedSegment> segments;                    // by address; empty ones are left out
  std::vector<LinkedImport> imports;                      // in order of first use
  std::vector<DynamicRelocation> relocations;             // by address
  std::unordered_map<std::string, LinkedSymbol> symbols;  // all defined globals
  uint64_t relro_reservation = 0;                         // address of LinkReservation::relro_bytes
  uint64_t memory_bytes = 0;                              // the end of the last segment
};

// Fails with `artifact-machine`, `artifact-unsupported`, `artifact-duplicate-symbol`,
// `artifact-not-position-independent`, `artifact-relocation` (unknown, out of reach or damaged),
// `artifact-unresolved-symbol` (a hidden one) or `artifact-too-large`. The same objects in the same
// order give the same image.
absl::StatusOr<LinkedImage> LinkObjects(absl::Span<const ElfObject> objects,
                                        const LinkOptions& options);

}  // namespace lathe::runtime
