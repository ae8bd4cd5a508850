// The memory that holds an artefact's code and data, for every kind of artefact.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "base/file.h"
#include "base/object.h"
#include "lathe/abi/kernel.h"
#include "runtime/artifact/elf_object.h"

namespace lathe::runtime {

// Immutable, so thread-safe. The destructor releases the memory.
class ArtifactImage {
 public:
  enum class Access { kRead, kWrite, kExecute };

  virtual ~ArtifactImage() = default;
  // The struct at LATHE_ARTIFACT_SYMBOL; null if the image has no such symbol.
  virtual const lathe_artifact* artifact() const = 0;
  // True if all of [data, data + bytes) is in the image and allows this access.
  virtual bool Contains(const void* data, uint64_t bytes, Access access) const = 0;
  // "elf", "tar", "so" or "static".
  virtual std::string_view kind() const = 0;
  // The bytes that LoadArtifactBytes reads.
  virtual absl::StatusOr<std::string> Save() const = 0;
  // The first byte and one past the last; null if they are not known.
  virtual const void* begin() const = 0;
  virtual const void* end() const = 0;
};

// Links objects; `saved` is the bytes from which they were read, and `kind` the form of these
// bytes.
absl::StatusOr<std::unique_ptr<ArtifactImage>> LoadElfImage(absl::Span<const ObjectBytes> objects,
                                                            const ElfLoadOptions& options,
                                                            std::string kind, std::string saved);

// Links an object in memory that `owner` keeps. Constants are used in place; if there are some, the
// image keeps `owner`, else it copies the bytes.
absl::StatusOr<std::unique_ptr<ArtifactImage>> LoadElfFile(const ObjectBytes& object,
                                                           Ref<const Object> owner,
                                                           ElfLoadOptions options);

// A shared library of this machine, opened with RTLD_NOW | RTLD_LOCAL and closed when the image
// goes. Each image has data of its own: a library that the process has open already is opened a
// second time from a copy in memory.
//
// What can be checked beforehand is, by CheckLibrary (that it is a library, for this machine,
// whole, and has the digest of its seal, if it has one); beyond that a shared library is trusted,
// as the dynamic linker trusts it. Fails with `artifact-machine`, `artifact-corrupt`,
// `artifact-damaged`, `artifact-not-a-library`, `artifact-dlopen` (with what the dynamic linker
// said), `module-file-unreadable`.
absl::Status CheckLibrary(std::string_view bytes, const std::string& name);
// A file is loaded by its descriptor, so that what was checked is what runs (/proc must be there);
// `path` stands in messages.
absl::StatusOr<std::unique_ptr<ArtifactImage>> OpenLibraryImage(FileHandle file,
                                                                const std::string& path);
absl::StatusOr<std::unique_ptr<ArtifactImage>> OpenLibraryBytes(std::string_view bytes,
                                                                const std::string& name);

// An artefact that is linked into the program; the program outlives the image. Cannot be saved.
std::unique_ptr<ArtifactImage> StaticImage(const lathe_artifact* artifact);

}  // namespace lathe::runtime
