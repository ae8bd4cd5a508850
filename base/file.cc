#include "base/file.h"

#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <ctime>

namespace lathe {
namespace {

FileProblem ProblemOf(int error) { return {std::strerror(error), error}; }

// "" for a regular file, else what the file is.
const char* OtherKind(mode_t mode) {
  if (S_ISREG(mode)) return "";
  if (S_ISDIR(mode)) return "it is a folder";
  if (S_ISFIFO(mode)) return "it is a FIFO, not a file";
  if (S_ISSOCK(mode)) return "it is a socket, not a file";
  if (S_ISLNK(mode)) return "it is a symbolic link";
  return "it is a device, not a file";
}

// 64 bits that nobody can guess. Early at boot they are weaker, but O_EXCL keeps their use safe.
uint64_t Unguessable() {
  uint64_t bits = 0;
  if (getrandom(&bits, sizeof bits, GRND_NONBLOCK) == sizeof bits) return bits;
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (static_cast<uint64_t>(now.tv_nsec) << 32) ^ static_cast<uint64_t>(getpid()) ^
         reinterpret_cast<uintptr_t>(&bits);
}

std::string TemporaryBeside(const std::string& path) {
  char name[17];
  std::snprintf(name, sizeof name, "%016llx", static_cast<unsigned long long>(Unguessable()));
  const size_t slash = path.rfind('/');
  const std::string folder = slash == std::string::npos ? "" : path.substr(0, slash + 1);
  return folder + std::string(NewFile::kPrefix) + name;
}

// Reads until `*bytes` has `wanted` bytes in all, or the file ends.
FileProblem ReadMore(int descriptor, uint64_t wanted, std::string* bytes) {
  size_t done = bytes->size();
  bytes->resize(static_cast<size_t>(wanted));
  while (done < bytes->size()) {
    const ssize_t got = Uninterrupted([&] {
      return pread(descriptor, bytes->data() + done, bytes->size() - done,
                   static_cast<off_t>(done));
    });
    if (got < 0) return ProblemOf(errno);
    if (got == 0) break;
    done += static_cast<size_t>(got);
  }
  bytes->resize(done);
  return {};
}

}  // namespace

FileHandle::~FileHandle() {
  if (descriptor_ >= 0) close(descriptor_);
}

int FileHandle::Close() {
  const int descriptor = std::exchange(descriptor_, -1);
  return descriptor >= 0 && close(descriptor) != 0 ? errno : 0;
}

FileHandle OpenFile(const std::string& path, FileProblem* problem, Links links) {
  const bool follow = links == Links::kFollow;
  struct stat info{};
  // Checked before opening, because opening a device can make it act.
  if ((follow ? stat(path.c_str(), &info) : lstat(path.c_str(), &info)) != 0) {
    *problem = ProblemOf(errno);
    return FileHandle();
  }
  *problem = {OtherKind(info.st_mode)};
  if (!problem->ok()) return FileHandle();
  // The path may name another file by now. So the flags make sure that nothing waits, and the kind
  // is checked again.
  const int flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | (follow ? 0 : O_NOFOLLOW);
  FileHandle file(Uninterrupted([&] { return open(path.c_str(), flags); }));
  if (!file.is_open() || fstat(file.get(), &info) != 0) {
    *problem = ProblemOf(errno);
    return FileHandle();
  }
  *problem = {OtherKind(info.st_mode)};
  return problem->ok() ? std::move(file) : FileHandle();
}

FileProblem ReadStart(const FileHandle& file, size_t count, std::string* bytes) {
  bytes->clear();
  return ReadMore(file.get(), count, bytes);
}

FileProblem ReadFile(const FileHandle& file, uint64_t most, std::string* bytes) {
  struct stat info{};
  if (fstat(file.get(), &info) != 0) return ProblemOf(errno);
  // Reads one byte more than the file's size, so that the first read finds its end. Files in /proc
  // report a size of 0, and files may grow; then the loop goes on.
  uint64_t wanted = std::min(static_cast<uint64_t>(info.st_size), most) + 1;
  bytes->clear();
  while (wanted <= bytes->max_size()) {
    if (FileProblem problem = ReadMore(file.get(), wanted, bytes); !problem.ok()) return problem;
    if (bytes->size() > most) break;
    if (bytes->size() < wanted) return {};
    wanted += wanted / 2 + (1 << 16);
  }
  return {
      "it has more than " + std::to_string(std::min<uint64_t>(most, bytes->max_size())) + " bytes",
      EFBIG};
}

FileProblem ReadFile(const std::string& path, uint64_t most, std::string* bytes) {
  FileProblem problem;
  const FileHandle file = OpenFile(path, &problem);
  return problem.ok() ? ReadFile(file, most, bytes) : problem;
}

FileProblem ReadNext(int descriptor, char* out, size_t size, size_t* got) {
  *got = 0;
  while (*got < size) {
    const ssize_t more = Uninterrupted([&] { return read(descriptor, out + *got, size - *got); });
    if (more < 0) return ProblemOf(errno);
    if (more == 0) break;
    *got += static_cast<size_t>(more);
  }
  return {};
}

FileProblem WriteAll(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t wrote =
        Uninterrupted([&] { return write(descriptor, bytes.data(), bytes.size()); });
    if (wrote < 0) return ProblemOf(errno);
    if (wrote == 0) return ProblemOf(EIO);
    bytes.remove_prefix(static_cast<size_t>(wrote));
  }
  return {};
}

NewFile::NewFile(std::string path, unsigned mode) : path_(std::move(path)) {
  struct stat info{};
  // Root has the right to replace /dev/null by a file. This must not happen.
  if (stat(path_.c_str(), &info) == 0) problem_ = {OtherKind(info.st_mode)};
  for (int attempt = 0; problem_.ok() && !file_.is_open(); ++attempt) {
    temporary_ = TemporaryBeside(path_);
    constexpr int kFlags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW;
    file_ = FileHandle(Uninterrupted([&] { return open(temporary_.c_str(), kFlags, mode); }));
    if (!file_.is_open() && (errno != EEXIST || attempt == 100)) Note(errno);
  }
  if (!file_.is_open()) temporary_.clear();
}

NewFile::~NewFile() {
  if (!temporary_.empty()) unlink(temporary_.c_str());
}

const FileProblem& NewFile::Note(int error) {
  if (error != 0 && problem_.ok()) problem_ = ProblemOf(error);
  return problem_;
}

const FileProblem& NewFile::Write(std::string_view bytes) {
  if (problem_.ok()) problem_ = WriteAll(file_.get(), bytes);
  return problem_;
}

const FileProblem& NewFile::Finish() {
  if (!problem_.ok() || !file_.is_open()) return problem_;
  // Some file systems do not support fsync and return these errors. They have no cached data to
  // lose.
  if (Uninterrupted([&] { return fsync(file_.get()); }) != 0 && errno != EINVAL && errno != EROFS)
    Note(errno);
  return Note(file_.Close());
}

const FileProblem& NewFile::Commit() {
  if (!Finish().ok()) return problem_;
  if (std::rename(temporary_.c_str(), path_.c_str()) != 0) return Note(errno);
  temporary_.clear();
  return problem_;
}

FileProblem WriteFile(const std::string& path, std::string_view bytes, unsigned mode) {
  NewFile file(path, mode);
  file.Write(bytes);
  return file.Commit();
}

}  // namespace lathe
