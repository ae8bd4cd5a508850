// The bytes of an artefact before it is loaded: archives, whose constants are used in place.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "base/file.h"
#include "base/object.h"
#include "runtime/artifact/symbol_source.h"
#include "runtime/artifact/tar.h"

namespace lathe::runtime {

// The objects of a tar archive, and its constants. Constants are views of `owner`'s memory, which
// begins at a page; if `owner` is null, they are copies. Fails as ReadTar does.
struct ArchiveContents {
  std::vector<TarEntry> objects;
  std::vector<ArtifactConstant> constants;
};
absl::StatusOr<ArchiveContents> ReadArchive(std::string_view bytes, std::string_view name,
                                            const Ref<const Object>& owner);

// A file's bytes, mapped: they are read from disk when they are accessed.
struct MappedFile {
  std::string_view bytes;
  Ref<const Object> owner;
};
// `path` is for messages. Fails with `module-file-unreadable`. The compiler maps models by
// graph/import/map_file.h, which a board does not have.
absl::StatusOr<MappedFile> MapFile(const FileHandle& file, const std::string& path);

}  // namespace lathe::runtime
