#include "runtime/plugin_loader/probe.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "base/digest.h"
#include "base/file.h"
#include "runtime/status.h"

namespace lathe::runtime {
namespace {

using Clock = std::chrono::steady_clock;

constexpr size_t kMaxSaid = 64 << 10;   // the most that the child may report
constexpr size_t kMaxStderr = 4 << 10;  // the most of its standard error that is kept
constexpr char kEnd = '\x03';           // after each record: "P" phase, or "S" code, space, message

struct Pipe {
  Pipe() {
    if (pipe2(ends.data(), O_CLOEXEC) != 0) ends = {-1, -1};
  }
  ~Pipe() {
    Close(0);
    Close(1);
  }
  void Close(int which) {
    if (ends[which] >= 0) close(ends[which]);
    ends[which] = -1;
  }
  std::array<int, 2> ends;
};

void WriteRecord(int fd, char kind, std::string_view text) {
  std::string record = std::string(1, kind) + std::string(text.substr(0, 8000)) + kEnd;
  WriteAll(fd, record);  // where nobody listens any more there is nobody to tell
}

[[noreturn]] void Child(int report, int errors,
                        const std::function<absl::Status(const ProbePhase&)>& attempt) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  const rlimit no_core{0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  for (int signal_number :
       {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTERM, SIGINT, SIGPIPE, SIGCHLD}) {
    signal(signal_number, SIG_DFL);
  }
  const int null = Uninterrupted([] { return open("/dev/null", O_RDWR); });
  dup2(null, 0);
  dup2(null, 1);
  dup2(errors, 2);
  absl::Status status;
  try {
    status = attempt([report](const char* phase) { WriteRecord(report, 'P', phase); });
  } catch (const std::exception& e) {
    status = MakeStatus(absl::StatusCode::kInternal, "plugin-exception", e.what());
  } catch (...) {
    status = MakeStatus(absl::StatusCode::kInternal, "plugin-exception",
                        "an exception of unknown type left the plugin");
  }
  WriteRecord(
      report, 'S',
      std::to_string(static_cast<int>(status.code())) + " " + std::string(status.message()));
  _exit(0);
}

// The data read from the pipes so far.
struct Heard {
  std::string said, stderr_text;
  std::string phase = "start";
  bool finished = false;
  absl::Status status;

  void ReadRecords() {
    for (size_t end; (end = said.find(kEnd)) != std::string::npos; said.erase(0, end + 1)) {
      const std::string_view record = std::string_view(said).substr(0, end);
      if (record.starts_with('P')) phase = record.substr(1);
      if (!record.starts_with('S')) continue;
      finished = true;
      const int code = std::atoi(said.c_str() + 1);
      const size_t space = record.find(' ');
      if (code != 0) {
        status = absl::Status(static_cast<absl::StatusCode>(code),
                              space == std::string_view::npos ? "" : record.substr(space + 1));
      }
    }
  }

  std::string WithStderr(std::string message) const {
    std::string_view tail = stderr_text;
    while (!tail.empty() && (tail.back() == '\n' || tail.back() == ' ')) tail.remove_suffix(1);
    if (!tail.empty()) message += "\nit wrote: " + std::string(tail);
    return message;
  }
};

// False at the end of the stream.
bool ReadSome(int fd, std::string* out, size_t most, bool keep_last) {
  char buffer[4096];
  const ssize_t got = read(fd, buffer, sizeof(buffer));
  if (got < 0) return errno == EINTR || errno == EAGAIN;
  out->append(buffer, static_cast<size_t>(got));
  if (keep_last && out->size() > most) out->erase(0, out->size() - most);
  return got > 0 && (keep_last || out->size() <= most);
}

// Reads until the status has come or both pipes are closed; false if time is up.
bool Listen(int report, int errors, Clock::time_point deadline, Heard* heard) {
  bool report_open = true, errors_open = true;
  while (!heard->finished && report_open) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    if (left <= 0) return false;
    pollfd waits[2] = {{report, POLLIN, 0}, {errors_open ? errors : -1, POLLIN, 0}};
    if (poll(waits, 2, static_cast<int>(std::min<int64_t>(left, 1000))) < 0 && errno != EINTR)
      return true;
    if (waits[1].revents != 0)
      errors_open = ReadSome(errors, &heard->stderr_text, kMaxStderr, true);
    if (waits[0].revents != 0) report_open = ReadSome(report, &heard->said, kMaxSaid, false);
    heard->ReadRecords();
  }
  // Reads what is in the pipe already.
  pollfd last = {errors, POLLIN, 0};
  while (errors_open && Uninterrupted([&] { return poll(&last, 1, 0); }) > 0)
    errors_open = ReadSome(errors, &heard->stderr_text, kMaxStderr, true);
  return true;
}

absl::Status Failed(const char* what) {
  return MakeStatus(absl::StatusCode::kUnavailable, "plugin-probe-failed",
                    {"no child process could be made to try the plugin in: ", what});
}

}  // namespace

absl::Status RunInChild(std::chrono::milliseconds time_limit,
                        const std::function<absl::Status(const ProbePhase&)>& attempt) {
  Pipe report, errors;
  if (report.ends[0] < 0 || errors.ends[0] < 0) return Failed(std::strerror(errno));
  std::fflush(nullptr);  // else a child that exits writes our buffers a second time
  const Clock::time_point deadline = Clock::now() + time_limit;
  const pid_t child = fork();
  if (child < 0) return Failed(std::strerror(errno));
  if (child == 0) Child(report.ends[1], errors.ends[1], attempt);
  setpgid(child, child);  // parent and child both do it, so neither has to wait
  report.Close(1);
  errors.Close(1);

  Heard heard;
  const bool in_time = Listen(report.ends[0], errors.ends[0], deadline, &heard);
  // A child may hang after it closed its pipe; one that has reported has nothing left to do.
  int state = 0;
  pid_t reaped = 0;
  if (in_time && !heard.finished) {
    const auto ask = [&] {
      return reaped = Uninterrupted([&] { return waitpid(child, &state, WNOHANG); });
    };
    while (ask() == 0 && Clock::now() < deadline) usleep(1000);
  }
  kill(-child, SIGKILL);
  if (reaped == 0) Uninterrupted([&] { return waitpid(child, &state, 0); });
  if (heard.finished) return heard.status;
  if (!in_time || reaped == 0) {
    return MakeStatus(absl::StatusCode::kDeadlineExceeded, "plugin-probe-hung",
                      heard.WithStderr("it did not return from " + heard.phase + " within " +
                                       std::to_string(time_limit.count()) + " ms"));
  }
  if (WIFSIGNALED(state)) {
    return MakeStatus(
        absl::StatusCode::kInternal, "plugin-probe-crashed",
        heard.WithStderr("it crashed in " + heard.phase + ": " + strsignal(WTERMSIG(state))));
  }
  return MakeStatus(absl::StatusCode::kInternal, "plugin-probe-exited",
                    heard.WithStderr("it ended the process in " + heard.phase + " with exit code " +
                                     std::to_string(WEXITSTATUS(state))));
}

absl::StatusOr<std::string> ContentDigest(const std::string& path, const std::string& salt) {
  FileProblem problem;
  const FileHandle file = OpenFile(path, &problem);
  if (!problem.ok()) {
    return MakeStatus(absl::StatusCode::kNotFound, "file-unreadable",
                      {"cannot read ", path, ": ", problem.text});
  }
  // The digest of the pieces' digests, so that a plugin of 45 MB need not be in memory at once.
  std::string pieces = salt;
  std::string buffer(1 << 20, '\0');
  for (size_t got = buffer.size(); got == buffer.size();) {
    problem = ReadNext(file.get(), buffer.data(), buffer.size(), &got);
    if (!problem.ok()) {
      return MakeStatus(absl::StatusCode::kUnavailable, "file-unreadable",
                        {"cannot read ", path, ": ", problem.text});
    }
    if (got != 0) pieces += DigestOf(std::string_view(buffer).substr(0, got)).ToString();
  }
  return DigestOf(pieces).ToString();
}

bool IsRefusal(const absl::Status& verdict) {
  for (const std::string_view name :
       {"plugin-no-entry", "plugin-refused", "plugin-bad-table", "plugin-missing-member",
        "plugin-missing-interface", "plugin-too-old", "plugin-too-new",
        "plugin-manifest-mismatch"}) {
    if (StatusName(verdict) == name) return true;
  }
  return false;
}

std::string VerdictCache::DefaultFolder() {
  const std::string folder = FindCachePlace().folder;
  return folder.empty() ? "" : folder + "/plugins";
}

std::string VerdictCache::FileOf(const std::string& digest) const {
  return folder_ + "/" + digest + ".verdict";
}

bool VerdictCache::Find(const std::string& digest, absl::Status* verdict,
                        Distrust* distrust) const {
  if (folder_.empty()) return false;
  const std::string path = FileOf(digest);
  FileProblem problem;
  const FileHandle file = OpenFile(path, &problem, Links::kRefuse);
  std::string text;
  if (!problem.ok()) return false;
  *distrust = DistrustOf(file, path);
  if (!distrust->ok() || !ReadFile(file, 16 << 10, &text).ok()) return false;
  return ReadVerdict(text, verdict);
}

bool ReadVerdict(const std::string& text, absl::Status* verdict) {
  int code = -1, offset = 0;
  size_t bytes = 0;
  if (std::sscanf(text.c_str(), "probe 1 %d %zu%n", &code, &bytes, &offset) != 2 ||
      text[static_cast<size_t>(offset)] != '\n')
    return false;
  if (code < 0 || code > 16 || text.size() != static_cast<size_t>(offset) + 1 + bytes) return false;
  const absl::Status found(static_cast<absl::StatusCode>(code),
                           std::string_view(text).substr(static_cast<size_t>(offset) + 1));
  if (!found.ok() && !IsRefusal(found)) return false;
  *verdict = found;
  return true;
}

void VerdictCache::Store(const std::string& digest, const absl::Status& verdict,
                         Distrust* distrust) const {
  if (folder_.empty() || (!verdict.ok() && !IsRefusal(verdict))) return;
  for (size_t slash = folder_.find('/', 1);; slash = folder_.find('/', slash + 1)) {
    mkdir(folder_.substr(0, slash).c_str(),
          0755);  // most exist already; a real failure is found below
    if (slash == std::string::npos) break;
  }
  if (access(folder_.c_str(), F_OK) != 0) return;
  *distrust = DistrustOfFolder(folder_);
  if (!distrust->ok()) return;
  static_cast<void>(WriteFile(FileOf(digest), VerdictText(verdict), 0600));
}

std::string VerdictText(const absl::Status& verdict) {
  const std::string message(verdict.message().substr(0, 8000));
  return "probe 1 " + std::to_string(static_cast<int>(verdict.code())) + " " +
         std::to_string(message.size()) + "\n" + message;
}

}  // namespace lathe::runtime
