// One relocatable object of several artefacts (what `ld -r` does): their functions become one
// module.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "base/pieces.h"
#include "lathe/abi/kernel.h"
#include "runtime/artifact/elf_object.h"
#include "runtime/artifact/symbol_source.h"

namespace lathe::driver {

struct MergeOptions {
  // The one symbol that the result defines for others. Another name lets several artefacts be
  // linked into one program.
  std::string symbol = LATHE_ARTIFACT_SYMBOL;
  // Data that the objects refer to (LATHE_CONSTANT_PREFIX) and that goes into the result, each in a
  // section of its own, aligned to 64 bytes. Borrowed by the result.
  std::vector<runtime::ArtifactConstant> constants;
  // Modules that the result imports beside those of its parts, as runtime::SerializeParts writes
  // them; empty: none.
  std::string imports;
};

// Each object defines LATHE_ARTIFACT_SYMBOL and keeps its code, data and relocations as they are.
// The result's artefact lists theirs as its parts (abi/kernel.h). Whatever else an object defines
// is its own: objects do not see each other's symbols. What an object does not define stays
// undefined. Debug information is left out. The same objects in the same order give the same bytes.
//
// Fails as runtime::ReadElfObject does, with `artifact-machine` where objects are for different
// machines or for an unknown one, `artifact-no-symbol` where one is no artefact, and
// `artifact-unsupported` for common symbols.
//
// The result borrows the objects' bytes.
absl::StatusOr<Pieces> MergeArtifacts(absl::Span<const runtime::ObjectBytes> objects,
                                      const MergeOptions& options = {});

}  // namespace lathe::driver
