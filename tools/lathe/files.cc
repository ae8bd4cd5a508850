#include "tools/lathe/files.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "runtime/status.h"

namespace lathe::cli {
namespace {

using runtime::MakeStatus;
namespace fs = std::filesystem;

struct Unfinished {
  std::mutex mutex;
  std::vector<std::string> folders;
};
// Never destroyed: the signal thread may use it while the process ends.
Unfinished& AllUnfinished() {
  static auto* const all = new Unfinished;
  return *all;
}

absl::Status Unreadable(const std::string& path, const std::string& why) {
  return MakeStatus(absl::StatusCode::kNotFound, "file-unreadable",
                    "cannot read `" + path + "`: " + why +
                        "\n  expected: a file that exists and may be read\n  help: check the path");
}

absl::Status WriteFailed(const std::string& path, const std::string& why) {
  return MakeStatus(
      absl::StatusCode::kUnavailable, "output-write",
      "cannot write `" + path + "`: " + why +
          "\n  expected: room and permission to write there\n  help: choose another path");
}

std::string Reason() { return std::strerror(errno); }

}  // namespace

absl::StatusOr<std::string> ReadFile(const std::string& path, uint64_t max_bytes) {
  const bool input = path == "-";
  const int file = input ? STDIN_FILENO : open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) return Unreadable(path, Reason());
  struct Close {
    int file;
    ~Close() {
      if (file != STDIN_FILENO) close(file);
    }
  } closer{file};
  struct stat info{};
  if (fstat(file, &info) != 0) return Unreadable(path, Reason());
  if (!input && !S_ISREG(info.st_mode)) {
    return Unreadable(path, S_ISDIR(info.st_mode) ? "it is a folder" : "it is no regular file");
  }
  std::string bytes;
  std::vector<char> chunk(1 << 16);
  for (;;) {
    const ssize_t count = read(file, chunk.data(), chunk.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return Unreadable(path, Reason());
    if (count == 0) return bytes;
    bytes.append(chunk.data(), static_cast<size_t>(count));
    if (bytes.size() > max_bytes) {
      return MakeStatus(absl::StatusCode::kResourceExhausted, "file-too-large",
                        "`" + path + "` is too large\n  expected: at most " +
                            std::to_string(max_bytes) +
                            " bytes\n  help: check that it is the file you mean");
    }
  }
}

void CleanUpOnInterrupt() {
  sigset_t signals;
  sigemptyset(&signals);
  for (int signal : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&signals, signal);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  std::thread([signals] {
    int received = 0;
    if (sigwait(&signals, &received) != 0) return;
    Unfinished& all = AllUnfinished();
    // Kept locked: nothing new begins.
    all.mutex.lock();
    std::error_code ignored;
    for (const std::string& folder : all.folders) fs::remove_all(folder, ignored);
    // End as the signal would have: a shell then knows why.
    signal(received, SIG_DFL);
    pthread_sigmask(SIG_UNBLOCK, &signals, nullptr);
    raise(received);
  }).detach();
}

absl::StatusOr<PartialOutput> PartialOutput::Create(const std::string& path) {
  std::error_code ignored;
  const fs::path place(path);
  if (path.empty() || place.filename().empty() || fs::is_directory(place, ignored)) {
    return WriteFailed(path, "it names a folder");
  }
  const fs::path parent = place.has_parent_path() ? place.parent_path() : fs::path(".");
  std::string folder = (parent / ".lathe-XXXXXX").string();
  Unfinished& all = AllUnfinished();
  const std::lock_guard lock(all.mutex);
  if (mkdtemp(folder.data()) == nullptr) {
    return MakeStatus(absl::StatusCode::kUnavailable, "output-folder",
                      "cannot write to `" + parent.string() + "`: " + Reason() +
                          "\n  expected: a folder that exists and may be written to\n  help: make "
                          "the folder, or choose another");
  }
  all.folders.push_back(folder);
  std::string partial = (fs::path(folder) / place.filename()).string();
  return PartialOutput(std::move(folder), std::move(partial), path);
}

PartialOutput::PartialOutput(PartialOutput&& other) noexcept
    : folder_(std::move(other.folder_)),
      partial_(std::move(other.partial_)),
      path_(std::move(other.path_)) {
  other.folder_.clear();
}

PartialOutput::~PartialOutput() {
  if (folder_.empty()) return;
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
  Unfinished& all = AllUnfinished();
  const std::lock_guard lock(all.mutex);
  std::erase(all.folders, folder_);
}

absl::Status PartialOutput::Write(const std::string& bytes) const {
  FILE* file = std::fopen(partial_.c_str(), "wb");
  if (file == nullptr) return WriteFailed(path_, Reason());
  const bool written = std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size();
  const std::string why = Reason();
  if (std::fclose(file) != 0 || !written) return WriteFailed(path_, written ? Reason() : why);
  return absl::OkStatus();
}

absl::Status PartialOutput::Commit() {
  if (std::rename(partial_.c_str(), path_.c_str()) != 0) return WriteFailed(path_, Reason());
  return absl::OkStatus();
}

absl::Status WriteOutput(const std::string& path, const std::string& bytes) {
  if (path == "-") {
    if (std::fwrite(bytes.data(), 1, bytes.size(), stdout) != bytes.size())
      return WriteFailed("standard output", Reason());
    return absl::OkStatus();
  }
  LATHE_ASSIGN_OR_RETURN(PartialOutput output, PartialOutput::Create(path));
  LATHE_RETURN_IF_ERROR(output.Write(bytes));
  return output.Commit();
}

}  // namespace lathe::cli
