#include "tools/lathe/files.h"

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <mutex>
#include <system_error>
#include <vector>

#include "absl/strings/str_replace.h"
#include "base/file.h"
#include "base/thread.h"
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

std::string Reason() { return std::strerror(errno); }

// Reads a file or a pipe. Waits for a pipe's data.
FileProblem ReadStandardInput(uint64_t max_bytes, std::string* bytes) {
  std::vector<char> chunk(1 << 16);
  for (;;) {
    size_t count = 0;
    if (FileProblem problem = ReadNext(STDIN_FILENO, chunk.data(), chunk.size(), &count);
        !problem.ok())
      return problem;
    bytes->append(chunk.data(), count);
    if (bytes->size() > max_bytes) return {"it is too large", EFBIG};
    if (count < chunk.size()) return {};
  }
}

}  // namespace

absl::Status WriteFailed(const std::string& path, const std::string& why) {
  return MakeStatus(
      absl::StatusCode::kUnavailable, "output-write",
      "cannot write `" + path + "`: " + why +
          "\n  expected: room and permission to write there\n  help: choose another path");
}

absl::StatusOr<std::string> ReadInput(const std::string& path, uint64_t max_bytes) {
  std::string bytes;
  const FileProblem problem =
      path == "-" ? ReadStandardInput(max_bytes, &bytes) : ReadFile(path, max_bytes, &bytes);
  if (problem.ok()) return bytes;
  if (problem.error != EFBIG) return Unreadable(path, problem.text);
  return MakeStatus(absl::StatusCode::kResourceExhausted, "file-too-large",
                    "`" + path + "` is too large\n  expected: at most " +
                        std::to_string(max_bytes) +
                        " bytes\n  help: check that it is the file you mean");
}

void CleanUpOnInterrupt() {
  sigset_t signals;
  sigemptyset(&signals);
  for (int signal : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&signals, signal);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  signal(SIGXFSZ, SIG_IGN);
  const auto clean_up = [signals] {
    int received = 0;
    if (sigwait(&signals, &received) != 0) return;
    Unfinished& all = AllUnfinished();
    // Stays locked, so that no new output begins.
    all.mutex.lock();
    std::error_code ignored;
    for (const std::string& folder : all.folders) fs::remove_all(folder, ignored);
    // Ends by the signal itself, so that a shell sees the reason.
    signal(received, SIG_DFL);
    pthread_sigmask(SIG_UNBLOCK, &signals, nullptr);
    raise(received);
  };
  try {
    Thread(clean_up).detach();
  } catch (const std::system_error&) {
    // No thread is available: signals then end the process as usual, and unfinished outputs stay.
    pthread_sigmask(SIG_UNBLOCK, &signals, nullptr);
  }
}

std::string TemporaryFolder() {
  const char* const variable = std::getenv("TMPDIR");
  return variable != nullptr && *variable != '\0' ? variable : "/tmp";
}

absl::StatusOr<PartialOutput> PartialOutput::CreateTemporary(const std::string& name) {
  const std::string folder = TemporaryFolder();
  return In(folder, fs::path(folder) / name, "the folder for temporary files, `" + folder + "`",
            "export TMPDIR=FOLDER");
}

absl::StatusOr<PartialOutput> PartialOutput::Create(const std::string& path) {
  std::error_code ignored;
  const fs::path place(path);
  if (path.empty() || place.filename().empty() || fs::is_directory(place, ignored)) {
    return WriteFailed(path, "it names a folder");
  }
  // Root could replace /dev/null by a file. It must not.
  if (fs::exists(place, ignored) && !fs::is_regular_file(place, ignored)) {
    return WriteFailed(path, "it is a device, a FIFO or a socket, not a file");
  }
  const std::string parent = place.has_parent_path() ? place.parent_path().string() : ".";
  return In(parent, path, "`" + parent + "`", "make the folder, or choose another");
}

absl::StatusOr<PartialOutput> PartialOutput::In(const std::string& parent, const std::string& path,
                                                const std::string& what, const std::string& help) {
  std::string folder = (fs::path(parent) / ".lathe-XXXXXX").string();
  Unfinished& all = AllUnfinished();
  const std::lock_guard lock(all.mutex);
  if (mkdtemp(folder.data()) == nullptr) {
    return MakeStatus(
        absl::StatusCode::kUnavailable, "output-folder",
        "cannot write to " + what + ": " + Reason() +
            "\n  expected: a folder that exists and may be written to\n  help: " + help);
  }
  all.folders.push_back(folder);
  std::string partial = (fs::path(folder) / fs::path(path).filename()).string();
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

absl::Status PartialOutput::Named(const absl::Status& status) const {
  if (status.ok()) return status;
  return absl::Status(status.code(), absl::StrReplaceAll(status.message(), {{partial_, path_}}));
}

absl::Status PartialOutput::Write(const std::string& bytes) const {
  const FileProblem problem = WriteFile(partial_, bytes);
  return problem.ok() ? absl::OkStatus() : WriteFailed(path_, problem.text);
}

absl::Status PartialOutput::Commit() {
  if (std::rename(partial_.c_str(), path_.c_str()) != 0) return WriteFailed(path_, Reason());
  return absl::OkStatus();
}

absl::Status WriteOutput(const std::string& path, const std::string& bytes) {
  if (path == "-") {
    // Writes past the buffer of stdout, so that a failure has a reason.
    if (std::fflush(stdout) != 0) return WriteFailed("standard output", Reason());
    const FileProblem problem = WriteAll(STDOUT_FILENO, bytes);
    return problem.ok() ? absl::OkStatus() : WriteFailed("standard output", problem.text);
  }
  LATHE_ASSIGN_OR_RETURN(PartialOutput output, PartialOutput::Create(path));
  LATHE_RETURN_IF_ERROR(output.Write(bytes));
  return output.Commit();
}

}  // namespace lathe::cli
