#include "graph/import/map_file.h"

#include <sys/mman.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <utility>

#include "base/blob_memory.h"
#include "runtime/status.h"

namespace lathe::graph {
namespace {

// Of less than this no piece of its own is mapped.
constexpr size_t kSmallBytes = 1 << 16;

}  // namespace

FileProblem MapFile(const std::string& path, Links links, MappedFile* out) {
  FileProblem problem;
  const FileHandle file = OpenFile(path, &problem, links);
  if (!file.is_open()) return problem;
  struct stat info = {};
  if (fstat(file.get(), &info) != 0) return {std::strerror(errno), errno};
  const auto size = static_cast<size_t>(info.st_size);
  if (size == 0) return {"it is empty", 0};
  void* const memory = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.get(), 0);
  if (memory == MAP_FAILED) return {std::strerror(errno), errno};
  out->bytes = {static_cast<const char*>(memory), size};
  // The owner comes first: it unmaps the file, too, if there is no memory for the note.
  out->owner = std::shared_ptr<const void>(memory, [size](const void* at) {
    ForgetMappedFile({static_cast<const char*>(at), size});
    munmap(const_cast<void*>(at), size);  // NOLINT(cppcoreguidelines-pro-type-const-cast)
  });
  NoteMappedFile(out->bytes);
  return {};
}

absl::StatusOr<MappedFile> MapFileOrFail(const std::string& path, Links links,
                                         std::string_view error) {
  MappedFile file;
  const FileProblem problem = MapFile(path, links, &file);
  if (problem.ok()) return file;
  return runtime::MakeStatus(absl::StatusCode::kNotFound, error, path + ": " + problem.text);
}

Ref<const Blob> DataOf(const MappedFile& part) {
  const std::string_view bytes = part.bytes;
  if (bytes.size() < kSmallBytes ||
      reinterpret_cast<uintptr_t>(bytes.data()) % Blob::kAlignment == 0) {
    // Its pages go after the digest was computed, and when nobody needs them any more.
    const auto drop = [bytes, owner = part.owner] { DropMappedPages(bytes); };
    Ref<const Blob> view = Blob::View(bytes, drop);
    drop();
    return view;
  }
  BlobMemory copy(bytes.size());
  for (const std::string_view piece : PiecesOf(bytes)) {
    std::memcpy(copy.data() + (piece.data() - bytes.data()), piece.data(), piece.size());
    DropMappedPages(piece);
  }
  return std::move(copy).Finish();
}

}  // namespace lathe::graph
