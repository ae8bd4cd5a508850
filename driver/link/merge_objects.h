// Merges several artefacts into one relocatable object, as `ld -r` does. Their functions become one
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
  // The one global symbol that the result defines. Different names let several artefacts be linked
  // into one program.
  std::string symbol = LATHE_ARTIFACT_SYMBOL;
  // Data that the objects refer to (LATHE_CONSTANT_PREFIX). Each becomes a section of the result,
  // aligned to 64 bytes. The result borrows the data.
  std::vector<runtime::ArtifactConstant> constants;
  // Modules that the result imports in addition to the imports of its parts, in the form of
  // runtime::SerializeParts. Empty if there are none.
  std::string imports;
};

// Each object must define LATHE_ARTIFACT_SYMBOL. It keeps its code, data and relocations as they
// are. The result's artefact lists the objects' artefacts as its parts (abi/kernel.h). All other
// symbols of an object become local: objects do not see each other's symbols. Symbols that an
// object does not define stay undefined. Debug information is left out. The same objects in the
// same order give the same bytes.
//
// Fails as runtime::ReadElfObject does. Fails with `artifact-machine` if the objects are for
// different machines or an unknown one, `artifact-no-symbol` if an object is not an artefact, and
// `artifact-unsupported` for common symbols and for sections that refer to debug information.
//
// The result borrows the objects' bytes.
absl::StatusOr<Pieces> MergeArtifacts(absl::Span<const runtime::ObjectBytes> objects,
                                      const MergeOptions& options = {});

}  // namespace lathe::driver
