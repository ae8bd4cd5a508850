// Files read whole and written whole: the one way for both.
//
// Only regular files are read and replaced. A FIFO, a device or a socket is refused by its kind: it
// is neither opened nor waited for, and never replaced by a file.
#pragma once

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace lathe {

// Why a file could not be had; `text` is empty where it could. It goes on after the file's name and
// a colon: "No space left on device", "it is a FIFO".
struct FileProblem {
  std::string text;
  int error = 0;  // errno; 0 where the system had nothing against it

  bool ok() const { return text.empty(); }
};

// Makes a call of the system again for as long as signals interrupt it (EINTR).
template <class Call>
auto Uninterrupted(const Call& call) {
  auto result = call();
  while (result < 0 && errno == EINTR) result = call();
  return result;
}

// An open file, closed with it.
class FileHandle {
 public:
  FileHandle() = default;
  explicit FileHandle(int descriptor) : descriptor_(descriptor) {}
  FileHandle(FileHandle&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  FileHandle& operator=(FileHandle&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    return *this;
  }
  ~FileHandle();

  int get() const { return descriptor_; }
  bool is_open() const { return descriptor_ >= 0; }
  // 0, or errno.
  int Close();

 private:
  int descriptor_ = -1;
};

enum class Links { kFollow, kRefuse };  // of the last part of a path

// A regular file for reading; not open where `problem` says why.
FileHandle OpenFile(const std::string& path, FileProblem* problem, Links links = Links::kFollow);
// The first `count` bytes, or as many as there are.
FileProblem ReadStart(const FileHandle& file, size_t count, std::string* bytes);
// All of it. More than `most` bytes are a problem.
inline constexpr uint64_t kAnySize = UINT64_MAX;
FileProblem ReadFile(const FileHandle& file, uint64_t most, std::string* bytes);
FileProblem ReadFile(const std::string& path, uint64_t most, std::string* bytes);

// The next `size` bytes; `got` counts fewer only where the file or stream ends before.
FileProblem ReadNext(int descriptor, char* out, size_t size, size_t* got);

// All of `bytes`, however small the steps in which the system takes them.
FileProblem WriteAll(int descriptor, std::string_view bytes);

// A file that appears whole or not at all: written beside its place under a name that nobody can
// guess, brought to disk, then renamed. The first problem stays, and what follows it does nothing.
// Unfinished ones begin with kPrefix; they go with this, or stay after a crash.
class NewFile {
 public:
  static constexpr std::string_view kPrefix = ".new-";

  // What stands at `path` is replaced, unless it is no regular file. `mode` is what the umask is
  // taken from.
  explicit NewFile(std::string path, unsigned mode = 0666);
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;
  ~NewFile();

  const FileProblem& Write(std::string_view bytes);
  // To disk, and closed: no problem of the disk's can come later.
  const FileProblem& Finish();
  // To its place; calls Finish unless that was done.
  const FileProblem& Commit();

 private:
  const FileProblem& Note(int error);

  std::string path_, temporary_;
  FileHandle file_;
  FileProblem problem_;
};

// A NewFile in one step.
FileProblem WriteFile(const std::string& path, std::string_view bytes, unsigned mode = 0666);

}  // namespace lathe
