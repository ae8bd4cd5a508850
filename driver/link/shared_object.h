// Writes shared objects (.so) from relocatable objects: no linker and no compiler needed, for any
// supported machine.
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
  // What dlsym finds. Each must be defined by an object.
  std::vector<std::string> exports = {LATHE_ARTIFACT_SYMBOL};
  // DT_SONAME; none where empty.
  std::string soname;
  // Libraries that must be loaded with it (DT_NEEDED). By default GNU/Linux's libm.so.6 where a
  // function of it is missing, and libc.so.6 where anything else is. Android's are named libm.so
  // and libc.so.
  std::optional<std::vector<std::string>> needed;
  // Data that the objects refer to (LATHE_CONSTANT_PREFIX): a segment of its own behind everything
  // else, read-only and at a page, so that it is mapped as it lies in the file and processes share
  // it. Borrowed by the result.
  std::vector<runtime::ArtifactConstant> constants;
};

// The bytes of an ELF shared object for the machine of the objects: code and constants not
// writable, data not executable, pointers in constant data protected after relocation. What the
// objects do not define is asked from the process when it is loaded, all at once (BIND_NOW). The
// same inputs give the same bytes.
//
// Fails as runtime::ReadElfObject and runtime::LinkObjects do, with `artifact-no-export` where an
// export is not defined.
absl::StatusOr<Pieces> LinkSharedObject(absl::Span<const runtime::ObjectBytes> objects,
                                        const SharedObjectOptions& options = {});

}  // namespace lathe::driver
