// The last bytes of an artefact's file: digests of everything before them, so that damage is found
// before any code runs.
//
//   per constant: u64 offset  u64 bytes  u64 digest low  u64 digest high
//   u64 constants
//   u64 digest low  u64 digest high  of: the digest of each stretch of bytes before, between and
//                                    behind the constants, then the list and the number
//   "lathe seal 1\n\0\0\0"
//
// Little endian. Linkers, tar and the dynamic linker ignore bytes after the end that their formats
// describe, so one kind of seal works for .o, .so and .tar. It finds damage (a bad disk, an
// incomplete copy), not attacks: anyone who can write the file can write its seal. A file without a
// seal (made by another linker, or after `strip`) is loaded without this check.
#pragma once

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "base/pieces.h"
#include "runtime/artifact/symbol_source.h"

namespace lathe::runtime {

// The bytes to append to a file with these contents. A constant is not read if the contents borrow
// it whole and its symbol is LATHE_CONSTANT_PREFIX with a digest: that digest is used.
std::string SealOf(const Pieces& contents, absl::Span<const ArtifactConstant> constants);

bool IsSealed(std::string_view file);
// The file before its seal; the whole file if it has no seal.
std::string_view WithoutSeal(std::string_view file);

enum class SealCheck {
  kCode,        // everything but the constants; loading uses this
  kEverything,  // the constants, too
};
// Fails with `artifact-damaged`, which names the part of the file `name` that has changed. A file
// without a seal passes.
absl::Status CheckSeal(std::string_view file, std::string_view name, SealCheck what);

}  // namespace lathe::runtime
