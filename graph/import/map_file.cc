#include "graph/import/map_file.h"

#include <sys/mman.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>

namespace lathe::graph {

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
  out->owner = std::shared_ptr<const void>(memory, [size](const void* at) {
    munmap(const_cast<void*>(at), size);  // NOLINT(cppcoreguidelines-pro-type-const-cast)
  });
  return {};
}

}  // namespace lathe::graph
