// Compiled artefacts as modules: shared libraries, ELF objects and tar archives of them.
//
// Loads the output of a code generator with the runtime alone: no compiler, no linker.
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
  // Where functions that compiled code calls by name (call_extern) are searched: after the
  // artefact's own objects, and before RegisterArtifactLibrary's symbols and the process's. Not
  // used for shared libraries: the dynamic linker resolves their symbols.
  std::vector<SymbolSource> libraries;
  // Data that the artefact's code refers to but does not contain. The module keeps it, and saves it
  // together with itself.
  std::vector<ArtifactConstant> constants;
};

// Loads a file. Its content decides the kind: a shared library that exports LATHE_ARTIFACT_SYMBOL,
// an ELF object that defines it, or a tar archive of objects one of which defines it. The module
// lists the artefact's functions, has its metadata and imported modules, and can be saved. Every
// load has its own data; the memory is freed with the module and its functions. Constants are not
// copied but mapped from the file: of a library, those beside the objects in an archive, and those
// in sections of their own of an object that Lathe wrote. Nobody may write to that file meanwhile
// (replacing it by another file is harmless).
//
// Files that Lathe wrote carry digests (runtime/artifact/seal.h); those of code and metadata are
// checked before any code of the file runs.
//
// Fails with `module-file-unreadable`, `artifact-unknown-kind`, `artifact-damaged`,
// `artifact-no-symbol`, `artifact-kernel-abi` (compiled for a newer runtime), `artifact-corrupt` (a
// table that points outside the image), and with the errors of LoadedElf::Load, OpenLibraryImage,
// Metadata::FromJson, CheckMetadata and Module::DeserializeImports.
absl::StatusOr<Module> LoadArtifact(const std::string& path, const ArtifactOptions& options = {});
// The same for bytes in memory, as ModuleNode::Save returns them; `name` is for messages.
absl::StatusOr<Module> LoadArtifactBytes(std::string_view bytes, const std::string& name,
                                         const ArtifactOptions& options = {});

// Checks that a file is unchanged since it was written: code, metadata and constants (loading
// checks only the first two). Loads nothing. Fails with `artifact-damaged`, `artifact-no-digests`
// if the file has none, and `module-file-unreadable`.
absl::Status CheckArtifactFile(const std::string& path);

// The contents from which an artefact can be written again: the bytes of its object, or of an
// archive of several, and the constants beside them.
struct ArtifactContents {
  std::string_view kind;  // of `bytes`: "elf", "tar", "so"; lives as long as the module
  std::string bytes;
  std::span<const ArtifactConstant> constants;  // the module's own
};
// Fails as ModuleNode::Save does. For a module that is not an artefact: its saved bytes and kind.
absl::StatusOr<ArtifactContents> ContentsOf(const Module& module);

// Makes symbols available to all artefacts that are loaded from objects from now on. Thread-safe;
// cannot be undone.
void RegisterArtifactLibrary(SymbolSource library);

// The module of an artefact that is linked into this program and lives as long as the program. Its
// code finds the functions of the modules that it imports; other artefacts may have imports with
// functions of the same names. If the artefact does not list its call sites (it was compiled before
// call sites were listed), its imports' functions go into the global registry
// (`registry-name-taken` if a name exists). Otherwise fails as LoadArtifact does.
absl::StatusOr<Module> StaticArtifact(const lathe_artifact* artifact);

// Registers "module.load.elf", ".tar" and ".so" (bytes -> module), "module.load_file.o", ".tar" and
// ".so" (path -> module), "module.check_file" (CheckArtifactFile). Thread-safe; a second call does
// nothing.
absl::Status RegisterArtifactLoaders();

}  // namespace lathe::runtime
