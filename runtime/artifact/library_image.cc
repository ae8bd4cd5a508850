// Shared libraries as artefact images.
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <mutex>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/file.h"
#include "runtime/artifact/artifact_bytes.h"
#include "runtime/artifact/artifact_image.h"
#include "runtime/artifact/bytes.h"
#include "runtime/artifact/elf_format.h"
#include "runtime/artifact/elf_reader.h"
#include "runtime/artifact/machine.h"
#include "runtime/artifact/seal.h"
#include "runtime/status.h"

namespace lathe::runtime {
namespace {

using Access = ArtifactImage::Access;

using File = FileHandle;

absl::Status Unreadable(std::string_view name, std::string_view what) {
  return MakeStatus(absl::StatusCode::kNotFound, "module-file-unreadable",
                    absl::StrCat("`", name, "` ", what, ": ", std::strerror(errno)));
}

absl::Status Unreadable(std::string_view name, const FileProblem& problem) {
  return MakeStatus(absl::StatusCode::kNotFound, "module-file-unreadable",
                    absl::StrCat("`", name, "` cannot be read: ", problem.text));
}

absl::StatusOr<File> CopyToMemory(std::string_view bytes, const std::string& name) {
  File file(memfd_create(name.substr(0, 200).c_str(), MFD_CLOEXEC));
  if (!file.is_open()) return Unreadable(name, "cannot be copied to memory");
  if (const FileProblem problem = WriteAll(file.get(), bytes); !problem.ok())
    return Unreadable(name, problem);
  return file;
}

// Refuses files for which the dynamic linker's message is bad, or on which it crashes: files for
// other machines, and truncated files.
absl::Status CheckStructure(std::string_view bytes, const std::string& name) {
  const auto corrupt = [&](std::string_view what) {
    return MakeStatus(absl::StatusCode::kDataLoss, "artifact-corrupt",
                      absl::StrCat("`", name, "` is not a well-formed shared library: ", what,
                                   "; the file is truncated or damaged: build or copy it again"));
  };
  LATHE_ASSIGN_OR_RETURN(const ElfIdentity identity, ReadElfIdentity(bytes, name));
  const Machine* host = HostMachine();
  if (host == nullptr || identity.machine != host->number || identity.is_64 != host->is_64 ||
      !identity.little_endian) {
    return MakeStatus(
        absl::StatusCode::kFailedPrecondition, "artifact-machine",
        absl::StrCat("`", name, "` was compiled for ",
                     ElfMachineName(identity.machine, identity.is_64), ", but this machine is ",
                     host == nullptr ? "another" : host->name, "; compile it for this one"));
  }
  if (identity.type != elf::kTypeShared) {
    return MakeStatus(
        absl::StatusCode::kInvalidArgument, "artifact-not-a-library",
        absl::StrCat("`", name, "` is not a shared library: expected ELF type 3, found ",
                     identity.type));
  }
  const bool wide = identity.is_64;
  if (bytes.size() < (wide ? 64 : 52)) return corrupt("its header is cut off");
  const auto native = [&](size_t at) -> uint64_t {
    return wide ? ReadLittle<uint64_t>(bytes.data() + at) : ReadLittle<uint32_t>(bytes.data() + at);
  };
  const auto half = [&](size_t at) { return ReadLittle<uint16_t>(bytes.data() + at); };
  const size_t tail = wide ? 54 : 42;  // e_phentsize, e_phnum, e_shentsize, e_shnum
  const uint64_t headers = native(wide ? 32 : 28), sections = native(wide ? 40 : 32);
  const size_t entry = half(tail), count = half(tail + 2);
  if (entry != (wide ? 56 : 32) || !WithinBounds(headers, entry * count, bytes.size())) {
    return corrupt("its program headers lie outside the file");
  }
  if (sections != 0 &&
      !WithinBounds(sections, uint64_t{half(tail + 4)} * half(tail + 6), bytes.size())) {
    return corrupt("its section headers lie outside the file");
  }
  bool dynamic = false;
  for (size_t i = 0; i < count; ++i) {
    const size_t at = headers + i * entry;
    const auto type = ReadLittle<uint32_t>(bytes.data() + at);
    const uint64_t offset = native(at + (wide ? 8 : 4)), size = native(at + (wide ? 32 : 16));
    if ((type == elf::kSegmentLoad || type == elf::kSegmentDynamic) &&
        !WithinBounds(offset, size, bytes.size())) {
      return corrupt("a segment lies outside the file");
    }
    dynamic |= type == elf::kSegmentDynamic && size != 0;
  }
  return dynamic ? absl::OkStatus() : corrupt("it has no dynamic section");
}

class LibraryImage : public ArtifactImage {
 public:
  LibraryImage(std::string name, File file, void* handle)
      : name_(std::move(name)), file_(std::move(file)), handle_(handle) {}
  ~LibraryImage() override { dlclose(handle_); }

  absl::Status FindSegments();

  const lathe_artifact* artifact() const override {
    const void* found = dlsym(handle_, LATHE_ARTIFACT_SYMBOL);
    // dlsym also searches the libraries that this one needs; only a symbol of this image counts.
    return Contains(found, 1, Access::kRead) ? static_cast<const lathe_artifact*>(found) : nullptr;
  }
  bool Contains(const void* data, uint64_t bytes, Access access) const override {
    const auto address = reinterpret_cast<uintptr_t>(data);
    const uint32_t wanted = access == Access::kRead    ? elf::kProtectRead
                            : access == Access::kWrite ? elf::kProtectWrite
                                                       : elf::kProtectExec;
    if (access == Access::kWrite) {
      for (const Range& range : relro_) {
        if (address < range.end && address + bytes > range.begin) return false;
      }
    }
    for (const Range& range : loads_) {
      if ((range.flags & wanted) != 0 && address >= range.begin &&
          WithinBounds(address - range.begin, bytes, range.end - range.begin)) {
        return true;
      }
    }
    return false;
  }
  std::string_view kind() const override { return "so"; }
  absl::StatusOr<std::string> Save() const override {
    std::string bytes;
    const FileProblem problem = ReadFile(file_, kAnySize, &bytes);
    if (!problem.ok()) return Unreadable(name_, problem);
    return bytes;
  }
  const void* begin() const override { return reinterpret_cast<const void*>(begin_); }
  const void* end() const override { return reinterpret_cast<const void*>(end_); }

 private:
  struct Range {
    uintptr_t begin, end;
    uint32_t flags;
  };
  std::string name_;
  File file_;  // the file that was opened, even if its path changes
  void* handle_;
  const void* dynamic_ = nullptr;
  std::vector<Range> loads_, relro_;
  uintptr_t begin_ = UINTPTR_MAX, end_ = 0;
};

absl::Status LibraryImage::FindSegments() {
  link_map* map = nullptr;
  if (dlinfo(handle_, RTLD_DI_LINKMAP, &map) != 0 || map == nullptr) {
    return MakeStatus(
        absl::StatusCode::kInternal, "artifact-dlopen",
        absl::StrCat("`", name_, "`: the dynamic linker does not say where it lies: ", dlerror()));
  }
  dynamic_ = map->l_ld;
  dl_iterate_phdr(
      [](dl_phdr_info* info, size_t, void* self) -> int {
        auto* image = static_cast<LibraryImage*>(self);
        bool mine = false;
        for (int i = 0; i < info->dlpi_phnum; ++i) {
          const auto& header = info->dlpi_phdr[i];
          mine |=
              header.p_type == PT_DYNAMIC &&
              reinterpret_cast<const void*>(info->dlpi_addr + header.p_vaddr) == image->dynamic_;
        }
        if (!mine) return 0;
        for (int i = 0; i < info->dlpi_phnum; ++i) {
          const auto& header = info->dlpi_phdr[i];
          const uintptr_t begin = info->dlpi_addr + header.p_vaddr;
          const Range range = {begin, begin + header.p_memsz, header.p_flags};
          if (header.p_type == PT_LOAD) {
            image->loads_.push_back(range);
            image->begin_ = std::min(image->begin_, range.begin);
            image->end_ = std::max(image->end_, range.end);
          } else if (header.p_type == PT_GNU_RELRO) {
            image->relro_.push_back(range);
          }
        }
        return 1;
      },
      this);
  if (loads_.empty()) {
    return MakeStatus(absl::StatusCode::kInternal, "artifact-dlopen",
                      absl::StrCat("`", name_, "`: the dynamic linker does not list it"));
  }
  return absl::OkStatus();
}

bool IsOpen(const std::string& path) {
  void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
  if (handle != nullptr) dlclose(handle);
  return handle != nullptr;
}

absl::StatusOr<std::unique_ptr<ArtifactImage>> Open(const std::string& path,
                                                    const std::string& name, File file) {
  errno = 0;
  void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    // The linker's text does not always say so.
    if (errno == ENOMEM) {
      return MakeStatus(absl::StatusCode::kResourceExhausted, "out-of-memory",
                        {"there is no memory to load `", name, "`"});
    }
    return MakeStatus(absl::StatusCode::kFailedPrecondition, "artifact-dlopen",
                      absl::StrCat("the dynamic linker refuses `", name, "`: ", dlerror()));
  }
  auto image = std::make_unique<LibraryImage>(name, std::move(file), handle);
  LATHE_RETURN_IF_ERROR(image->FindSegments());
  return image;
}

// Held from asking whether a library is open until it is opened.
std::mutex& OpenMutex() {
  static std::mutex* mutex = new std::mutex;
  return *mutex;
}

// Opens the file by its descriptor, not by its path, whose file may have changed: only checked code
// runs.
absl::StatusOr<std::unique_ptr<ArtifactImage>> OpenFileItself(File file, std::string_view bytes,
                                                              const std::string& name) {
  std::lock_guard<std::mutex> lock(OpenMutex());
  // The dynamic linker identifies libraries by name and by file. While the image keeps the file
  // open, no other image uses this name, except a library with the same name that was never
  // unloaded: then another descriptor number is used. A file that is open already is opened a
  // second time from a copy.
  std::vector<File> taken;
  bool copied = false;
  while (true) {
    const std::string path = absl::StrCat("/proc/self/fd/", file.get());
    if (!IsOpen(path)) return Open(path, name, std::move(file));
    if (!copied) {
      LATHE_ASSIGN_OR_RETURN(file, CopyToMemory(bytes, name));
      copied = true;
      continue;
    }
    File other(fcntl(file.get(), F_DUPFD_CLOEXEC, file.get() + 1));
    if (other.get() < 0) return Unreadable(name, "cannot be opened a second time");
    taken.push_back(std::move(file));
    file = std::move(other);
  }
}

}  // namespace

absl::Status CheckLibrary(std::string_view bytes, const std::string& name) {
  LATHE_RETURN_IF_ERROR(CheckSeal(bytes, name, SealCheck::kCode));
  return CheckStructure(bytes, name);
}

absl::StatusOr<std::unique_ptr<ArtifactImage>> OpenLibraryImage(FileHandle file,
                                                                const std::string& path) {
  LATHE_ASSIGN_OR_RETURN(const MappedFile mapped, MapFile(file, path));
  LATHE_RETURN_IF_ERROR(CheckLibrary(mapped.bytes, path));
  return OpenFileItself(std::move(file), mapped.bytes, path);
}

absl::StatusOr<std::unique_ptr<ArtifactImage>> OpenLibraryBytes(std::string_view bytes,
                                                                const std::string& name) {
  LATHE_RETURN_IF_ERROR(CheckLibrary(bytes, name));
  LATHE_ASSIGN_OR_RETURN(File file, CopyToMemory(bytes, name));
  return OpenFileItself(std::move(file), bytes, name);
}

}  // namespace lathe::runtime
