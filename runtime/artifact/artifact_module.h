// Compiled artefacts as modules: shared libraries, ELF objects and tar archives of them.
//
// What a code generator leaves is loaded here with the runtime alone: no compiler, no linker.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lathe/abi/kernel.h"
#include "runtime/artifact/symbol_source.h"
#include "runtime/module.h"

namespace lathe::runtime {

struct ArtifactOptions {
  // Where functions that compiled code calls by name (call_extern) are looked for, after the
  // artefact's own objects and before RegisterArtifactLibrary's and the process's symbols. Shared
  // libraries do not ask them: the dynamic linker resolves those.
  std::vector<SymbolSource> libraries;
  // What the artefact's code refers to and does not bring along. The module keeps them, and saves
  // them with itself.
  std::vector<ArtifactConstant> constants;
};

// Loads a file, by its content: a shared library exporting LATHE_ARTIFACT_SYMBOL, an ELF object
// defining it, or a tar archive of objects one of which does. The module lists the artefact's
// functions, has its metadata and imported modules, and can be saved. Every load has data of its
// own; the memory goes with the module and its functions. Constants that lie in an archive beside
// the objects are not copied: they are mapped from the file, which must not be written to meanwhile
// (replacing it by another file does no harm).
//
// Files that Lathe wrote carry digests (runtime/artifact/seal.h); those of code and metadata are
// checked before anything of the file runs.
//
// Fails with `module-file-unreadable`, `artifact-unknown-kind`, `artifact-damaged`, what
// LoadedElf::Load or OpenLibraryImage fail with, `artifact-no-symbol`, `artifact-kernel-abi`
// (compiled for a newer runtime), `artifact-corrupt` (a table that points nowhere), and what
// Metadata::FromJson, CheckMetadata and Module::DeserializeImports fail with.
absl::StatusOr<Module> LoadArtifact(const std::string& path, const ArtifactOptions& options = {});
// The same for bytes in memory, as ModuleNode::Save gives them; `name` stands in messages.
absl::StatusOr<Module> LoadArtifactBytes(std::string_view bytes, const std::string& name,
                                         const ArtifactOptions& options = {});

// Whether a file is as it was written: code, metadata and constants (loading it looks at the first
// two). Nothing is loaded. Fails with `artifact-damaged`, `artifact-no-digests` where the file
// states none, and `module-file-unreadable`.
absl::Status CheckArtifactFile(const std::string& path);

// What an artefact is written from again: the bytes of its object, or of an archive of several, and
// the constants beside them.
struct ArtifactContents {
  std::string_view kind;  // of `bytes`: "elf", "tar", "so"; lives as long as the module
  std::string bytes;
  std::span<const ArtifactConstant> constants;  // the module's own
};
// Fails as ModuleNode::Save does. A module that is no artefact has its saved bytes and their kind.
absl::StatusOr<ArtifactContents> ContentsOf(const Module& module);

// Makes symbols known to all artefacts loaded from objects from now on. Thread-safe; never taken
// back.
void RegisterArtifactLibrary(SymbolSource library);

// The module of an artefact that is linked into this program and lives as long as it. Its code
// finds functions of the modules that it imports, whatever other artefacts call theirs. Where it
// does not list its call sites (it was compiled before they did) those functions go into the global
// registry (`registry-name-taken` where a name is). Otherwise fails as LoadArtifact does.
absl::StatusOr<Module> StaticArtifact(const lathe_artifact* artifact);

// Puts into the registry: "module.load.elf", ".tar" and ".so" (bytes -> module),
// "module.load_file.o", ".tar" and ".so" (path -> module), "module.check_file" (CheckArtifactFile).
// Thread-safe; a second call does nothing.
absl::Status RegisterArtifactLoaders();

}  // namespace lathe::runtime
