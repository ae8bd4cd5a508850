// Writes shared objects (.so) from relocatable objects, for any supported machine. Needs no linker
// and no compiler.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "base/pieces.h"
#include "lathe/abi/kernel.h"
#include "runtime/artifact/elf_object.h"
#include "runtime/artifact/symbol_source.h"

namespace lathe::driver {

struct SharedObjectOptions {
  // The symbols that dlsym finds. An object must define each of them.
  std::vector<std::string> exports = {LATHE_ARTIFACT_SYMBOL};
  // DT_SONAME; none if empty.
  std::string soname;
  // Libraries that must be loaded with it (DT_NEEDED). The default is for GNU/Linux: libm.so.6 if
  // one of its functions is undefined, and libc.so.6 if any other symbol is undefined. Android's
  // libraries are named libm.so and libc.so.
  std::optional<std::vector<std::string>> needed;
  // Data that the objects refer to (LATHE_CONSTANT_PREFIX). It becomes a separate read-only segment
  // after everything else, aligned to a page. So it is mapped directly from the file, and processes
  // share it. The result borrows the data.
  std::vector<runtime::ArtifactConstant> constants;
};

// The bytes of an ELF shared object for the objects' machine. Code and constants are not writable,
// data is not executable, and pointers in constant data are protected after relocation. Symbols
// that no object defines are resolved when the library is loaded, all at once (BIND_NOW). The same
// inputs give the same bytes.
//
// Fails as runtime::ReadElfObject and runtime::LinkObjects do, and with `artifact-no-export` if no
// object defines an export.
absl::StatusOr<Pieces> LinkSharedObject(absl::Span<const runtime::ObjectBytes> objects,
                                        const SharedObjectOptions& options = {});

}  // namespace lathe::driver
