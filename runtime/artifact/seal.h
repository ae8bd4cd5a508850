// The last bytes of an artefact's file: digests of all that stands before them, so that damage is
// found before any of it runs.
//
//   per constant: u64 offset  u64 bytes  u64 digest low  u64 digest high
//   u64 constants
//   u64 digest low  u64 digest high  of: the digest of each stretch of bytes before, between and
//                                    behind the constants, then the list and the number
//   "lathe seal 1\n\0\0\0"
//
// Little endian. Linkers, tar and the dynamic linker ignore bytes behind what their formats
// describe, so that one seal serves .o, .so and .tar. It finds damage (a bad disk, a copy that was
// cut off), not attackers: whoever can write the file can write its seal. A file without a seal,
// from another linker or `strip`, is loaded unchecked.
#pragma once

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "base/pieces.h"
#include "runtime/artifact/symbol_source.h"

namespace lathe::runtime {

// What is appended to a file of these contents. Constants that the contents borrow whole, and whose
// symbols are LATHE_CONSTANT_PREFIX with a digest, are not read: they count by that digest.
std::string SealOf(const Pieces& contents, absl::Span<const ArtifactConstant> constants);

bool IsSealed(std::string_view file);
// The file before its seal; the whole file where it has none.
std::string_view WithoutSeal(std::string_view file);

enum class SealCheck {
  kCode,        // all but the constants: what loading does
  kEverything,  // reads the constants, too
};
// Fails with `artifact-damaged`, which says what of the file `name` has changed. A file without a
// seal is fine.
absl::Status CheckSeal(std::string_view file, std::string_view name, SealCheck what);

}  // namespace lathe::runtime
