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

// "" for a regular file.
const char* OtherKind(mode_t mode) {
  if (S_ISREG(mode)) return "";
  if (S_ISDIR(mode)) return "it is a folder";
  if (S_ISFIFO(mode)) return "it is a FIFO, not a file";
  if (S_ISSOCK(mode)) return "it is a socket, not a file";
  if (S_ISLNK(mode)) return "it is a symbolic link";
  return "it is a device, not a file";
}

// 64 bits that nobody can guess; weaker ones early at boot, where O_EXCL still keeps them safe.
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

// Until there are `wanted` bytes in all, or the file ends.
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
  // Asked before it is opened: opening a device can make it act.
  if ((follow ? stat(path.c_str(), &info) : lstat(path.c_str(), &info)) != 0) {
    *problem = ProblemOf(errno);
    return FileHandle();
  }
  *problem = {OtherKind(info.st_mode)};
  if (!problem->ok()) return FileHandle();
  // It may be another file by now, so nothing here waits, and it is asked again.
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
  // One byte more than the file has: its end is then found by the first read. Files of /proc say
  // that they have none, and files grow.
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
  // Root may replace /dev/null by a file, and must not.
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
  // Some file systems cannot, and say so; they have nothing to lose then.
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
