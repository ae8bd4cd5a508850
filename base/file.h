// Reads and writes whole files. Code that does either must use these functions.
//
// Only regular files are read and replaced. A FIFO, a device or a socket is an error that names its
// kind: it is not opened, not waited for, and never replaced by a file.
#pragma once

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace lathe {

// Why a file operation failed. `text` is empty if it did not fail. It is written to follow the
// file's name and a colon: "No space left on device", "it is a FIFO".
struct FileProblem {
  std::string text;
  int error = 0;  // errno; 0 if no system call failed

  bool ok() const { return text.empty(); }
};

// Repeats a system call as long as signals interrupt it (EINTR).
template <class Call>
auto Uninterrupted(const Call& call) {
  auto result = call();
  while (result < 0 && errno == EINTR) result = call();
  return result;
}

// Owns an open file descriptor and closes it on destruction.
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
  // Closes the file now. Returns 0 or errno.
  int Close();

 private:
  int descriptor_ = -1;
};

enum class Links { kFollow, kRefuse };  // whether the last part of a path may be a symbolic link

// Opens a regular file for reading. If that fails, the result is not open and `problem` says why.
FileHandle OpenFile(const std::string& path, FileProblem* problem, Links links = Links::kFollow);
// Reads the first `count` bytes, or fewer if the file is shorter.
FileProblem ReadStart(const FileHandle& file, size_t count, std::string* bytes);
// Reads the whole file. A file of more than `most` bytes is a problem.
inline constexpr uint64_t kAnySize = UINT64_MAX;
FileProblem ReadFile(const FileHandle& file, uint64_t most, std::string* bytes);
FileProblem ReadFile(const std::string& path, uint64_t most, std::string* bytes);

// Reads the next `size` bytes. `*got` is less than `size` only if the file or stream ends before.
FileProblem ReadNext(int descriptor, char* out, size_t size, size_t* got);

// Writes all of `bytes`, even if the system takes them in small steps.
FileProblem WriteAll(int descriptor, std::string_view bytes);

// A file that appears whole or not at all. It is written to a temporary file in the same folder,
// flushed to disk, then renamed to its place. The temporary name cannot be guessed and begins with
// kPrefix. The first problem is kept, and later calls then do nothing. The destructor removes the
// temporary file if it was not renamed; after a crash it stays.
class NewFile {
 public:
  static constexpr std::string_view kPrefix = ".new-";

  // Replaces the file at `path`, unless that is not a regular file. `mode` is the file's mode
  // before the umask is applied.
  explicit NewFile(std::string path, unsigned mode = 0666);
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;
  ~NewFile();

  const FileProblem& Write(std::string_view bytes);
  // Flushes the file to disk and closes it. After this the disk can cause no further problem.
  const FileProblem& Finish();
  // Renames the file to its place. Calls Finish first, unless that was done.
  const FileProblem& Commit();

 private:
  const FileProblem& Note(int error);

  std::string path_, temporary_;
  FileHandle file_;
  FileProblem problem_;
};

// Writes a NewFile in one step.
FileProblem WriteFile(const std::string& path, std::string_view bytes, unsigned mode = 0666);

}  // namespace lathe
