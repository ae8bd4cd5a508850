#include "runtime/artifact/artifact_bytes.h"

#include <sys/mman.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <new>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "lathe/abi/kernel.h"
#include "runtime/status.h"

namespace lathe::runtime {
namespace {

// The memory of an artefact's bytes: a mapped file or a copy.
class Memory final : public Object {
 public:
  // Takes over a mapping of `bytes` bytes.
  Memory(void* data, size_t bytes) : Object(LATHE_OBJECT_BLOB), data_(data), mapped_(bytes) {}
  // Copies the bytes.
  explicit Memory(std::string_view bytes)
      : Object(LATHE_OBJECT_BLOB), data_(operator new(bytes.size(), kAlignment)) {
    std::memcpy(data_, bytes.data(), bytes.size());
  }
  ~Memory() {
    if (mapped_ != 0)
      munmap(data_, mapped_);
    else
      operator delete(data_, kAlignment);
  }
  const char* data() const { return static_cast<const char*>(data_); }

 private:
  static constexpr std::align_val_t kAlignment{64};
  void* data_;
  size_t mapped_ = 0;  // 0: a copy
};

}  // namespace

absl::StatusOr<ArchiveContents> ReadArchive(std::string_view bytes, std::string_view name,
                                            const Ref<const Object>& owner) {
  ArchiveContents out;
  LATHE_ASSIGN_OR_RETURN(std::vector<TarEntry> entries, ReadTar(bytes, name));
  for (TarEntry& entry : entries) {
    if (!absl::StartsWith(entry.name, LATHE_CONSTANT_PREFIX)) {
      out.objects.push_back(std::move(entry));
      continue;
    }
    // Entries of a tar file begin at multiples of kTarBlock.
    ArtifactConstant constant{std::move(entry.name), entry.contents, owner};
    if (!owner) {
      const auto copy = Make<const Memory>(entry.contents);
      constant.data = {copy->data(), entry.contents.size()};
      constant.owner = copy;
    }
    out.constants.push_back(std::move(constant));
  }
  return out;
}

absl::StatusOr<MappedFile> MapFile(const FileHandle& file, const std::string& path) {
  struct stat info{};
  void* data = MAP_FAILED;
  if (fstat(file.get(), &info) == 0)
    data = mmap(nullptr, static_cast<size_t>(info.st_size), PROT_READ, MAP_PRIVATE, file.get(), 0);
  if (data == MAP_FAILED) {
    return MakeStatus(absl::StatusCode::kNotFound, "module-file-unreadable",
                      absl::StrCat("`", path, "` cannot be read: ", std::strerror(errno)));
  }
  const auto size = static_cast<size_t>(info.st_size);
  return MappedFile{{static_cast<const char*>(data), size}, Make<const Memory>(data, size)};
}

}  // namespace lathe::runtime
