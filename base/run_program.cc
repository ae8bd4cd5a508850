// The program is the child of a guard, a process of ours. The kernel tells the guard when this
// process is gone (PR_SET_PDEATHSIG), and the guard kills the group. If the kernel told the program
// itself, the program would end, but not the processes that it started.
#include "base/run_program.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <string_view>

#include "base/file.h"
#include "base/poll.h"

namespace lathe {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds kLookEvery{20};

// The two ends of a pipe, closed on destruction.
struct Pipe {
  int ends[2] = {-1, -1};
  bool Open() { return pipe2(ends, O_CLOEXEC) == 0; }
  void Close(int end) {
    if (ends[end] >= 0) close(ends[end]);
    ends[end] = -1;
  }
  ~Pipe() {
    Close(0);
    Close(1);
  }
};

// -- Code that runs in the children. The other threads of this process do not exist there, and
// their locks may be held. So this code makes only system calls.

void CloseFrom3() {
  if (close_range(3, UINT_MAX, 0) == 0) return;
  for (int fd = 3; fd < 4096; ++fd) close(fd);  // kernels before 5.9
}

// Tells the parent process why the program could not be started.
void Say(int said, int error) {
  const char* at = reinterpret_cast<const char*>(&error);
  for (size_t left = sizeof error; left > 0;) {
    const ssize_t wrote = Uninterrupted([&] { return write(said, at, left); });
    if (wrote <= 0) return;  // nobody reads the pipe
    at += wrote;
    left -= static_cast<size_t>(wrote);
  }
}

// The arguments, descriptors and folder of the program.
struct Given {
  char* const* argv;
  int input, output;
  const char* folder;
};

// A copy of `fd` that is no standard stream: if a caller has closed its own, other files have their
// numbers.
int AboveStandardStreams(int fd) {
  return fd > 2 ? fd : Uninterrupted([&] { return fcntl(fd, F_DUPFD_CLOEXEC, 3); });
}

[[noreturn]] void BecomeProgram(Given given, int said) {
  said = AboveStandardStreams(said);
  given.output = AboveStandardStreams(given.output);
  if (given.input >= 0) given.input = AboveStandardStreams(given.input);
  sigset_t none;
  sigemptyset(&none);
  signal(SIGPIPE, SIG_DFL);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  const int input = given.input >= 0 ? given.input : AboveStandardStreams(Uninterrupted([] {
    return open("/dev/null", O_RDONLY);
  }));
  if (input >= 0 && dup2(input, 0) == 0 && dup2(given.output, 1) == 1 &&
      dup2(given.output, 2) == 2 && (given.folder == nullptr || chdir(given.folder) == 0))
    execvp(given.argv[0], given.argv);
  Say(said, errno);
  _exit(127);
}

[[noreturn]] void Guard(pid_t watched, const Given& given, int said) {
  setpgid(0, 0);
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, nullptr);
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (getppid() != watched) _exit(127);  // the parent ended before the prctl call
  // The application may ignore SIGCHLD. The guard would then not see its child end.
  signal(SIGCHLD, SIG_DFL);
  const pid_t program = fork();
  if (program == 0) BecomeProgram(given, said);
  if (program < 0) {
    Say(said, -errno);  // it is not about the program
    _exit(127);
  }
  close(0);
  close(1);
  close(2);
  CloseFrom3();
  sigset_t wanted;
  sigemptyset(&wanted);
  sigaddset(&wanted, SIGCHLD);
  sigaddset(&wanted, SIGTERM);
  for (;;) {
    const int got = sigwaitinfo(&wanted, nullptr);
    if (got == SIGTERM && getppid() != watched) kill(0, SIGKILL);
    int status = 0;
    if (Uninterrupted([&] { return waitpid(program, &status, WNOHANG); }) != program) continue;
    if (WIFEXITED(status)) _exit(WEXITSTATUS(status));
    // Ends with the same signal as the program did, but without a core file of the guard.
    const rlimit no_core = {0, 0};
    setrlimit(RLIMIT_CORE, &no_core);
    signal(WTERMSIG(status), SIG_DFL);
    sigemptyset(&wanted);
    sigaddset(&wanted, WTERMSIG(status));
    kill(getpid(), WTERMSIG(status));
    sigprocmask(SIG_UNBLOCK, &wanted, nullptr);
    _exit(127);
  }
}

// -- Code that runs in this process.

// The guard's process group. It is killed on destruction unless the guard was waited for.
class Group {
 public:
  explicit Group(pid_t leader) : leader_(leader) { setpgid(leader, leader); }
  ~Group() {
    if (leader_ > 0) Kill();
  }
  Group(const Group&) = delete;
  Group& operator=(const Group&) = delete;

  // Whether the guard has ended. If so, sets `*status`, or `*error` if the status cannot be had.
  bool Ended(int* status, int* error) {
    const pid_t got = waitpid(leader_, status, WNOHANG);
    if (got == 0 || (got < 0 && errno == EINTR)) return false;
    // If the application ignores SIGCHLD, the status of a child is lost.
    if (got < 0) *error = errno;
    leader_ = -1;
    return true;
  }
  int Kill() {
    int status = 0;
    kill(-leader_, SIGKILL);
    Uninterrupted([&] { return waitpid(leader_, &status, 0); });
    leader_ = -1;
    return status;
  }

 private:
  pid_t leader_;
};

void KeepEnd(std::string_view text, size_t keep, std::string* kept) {
  kept->append(text);
  if (kept->size() > 2 * keep) kept->erase(0, kept->size() - keep);
}

// Waits up to `wait` for output and reads once. Returns false at the end of the output.
bool ReadSome(int fd, std::chrono::milliseconds wait, size_t keep, std::string* output) {
  pollfd ready = {fd, POLLIN, 0};
  if (poll(&ready, 1, static_cast<int>(wait.count())) <= 0) return true;
  char buffer[4096];
  const ssize_t got = read(fd, buffer, sizeof buffer);
  if (got > 0) KeepEnd(std::string_view(buffer, static_cast<size_t>(got)), keep, output);
  return got > 0 || (got < 0 && errno == EINTR);
}

}  // namespace

ProgramEnd RunProgram(const std::vector<char*>& argv, std::chrono::milliseconds limit, size_t keep,
                      int input, const char* folder) {
  ProgramEnd end;
  Pipe output, said;
  if (!output.Open() || !said.Open()) {
    end.error = errno;
    return end;
  }
  const pid_t self = getpid();
  const pid_t guard = fork();
  if (guard == 0) Guard(self, {argv.data(), input, output.ends[1], folder}, said.ends[1]);
  if (guard < 0) {
    end.error = errno;
    return end;
  }
  Group group(guard);
  output.Close(1);
  said.Close(1);
  // This read ends when the program starts: exec then closes the last copy of the pipe's writing
  // end.
  size_t got = 0;
  const FileProblem problem =
      ReadNext(said.ends[0], reinterpret_cast<char*>(&end.error), sizeof end.error, &got);
  if (problem.ok() && got == sizeof end.error) {
    end.found = end.error < 0;
    end.error = std::abs(end.error);
    group.Kill();
    return end;
  }
  end.error = 0;
  const auto deadline = Clock::now() + limit;
  for (bool open = true; !group.Ended(&end.status, &end.error);) {
    PollNow();
    if (Clock::now() >= deadline) {
      end.timed_out = true;
      end.status = group.Kill();
      break;
    }
    if (open)
      open = ReadSome(output.ends[0], kLookEvery, keep, &end.output);
    else
      usleep(1000);
  }
  // Reads output that was written but not read yet. The number of reads is limited: a process that
  // left the group may keep the pipe open for long.
  fcntl(output.ends[0], F_SETFL, O_NONBLOCK);
  for (int i = 0;
       i < 64 && ReadSome(output.ends[0], std::chrono::milliseconds(0), keep, &end.output); ++i) {
  }
  if (end.output.size() > keep) end.output = "..." + end.output.substr(end.output.size() - keep);
  return end;
}

bool IsProgram(const std::filesystem::path& path) {
  std::error_code error;
  return std::filesystem::is_regular_file(path, error) && access(path.c_str(), X_OK) == 0;
}

std::string FindOnPath(std::string_view name) {
  const char* path = secure_getenv("PATH");
  for (std::string_view rest = path == nullptr ? "" : path; !rest.empty();) {
    const size_t end = std::min(rest.find(':'), rest.size());
    const std::filesystem::path program = std::filesystem::path(rest.substr(0, end)) / name;
    if (program.is_absolute() && IsProgram(program)) return program;
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return "";
}

WorkFolder::WorkFolder(const std::string& prefix) {
  const char* const named = secure_getenv("TMPDIR");
  parent_ = named != nullptr && *named != '\0' ? named : "/tmp";
  std::string pattern = parent_ + "/" + prefix + "XXXXXX";
  if (mkdtemp(pattern.data()) == nullptr)
    error_ = errno;
  else
    path_ = pattern;
}

WorkFolder::~WorkFolder() {
  std::error_code ignored;
  if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
}

}  // namespace lathe
