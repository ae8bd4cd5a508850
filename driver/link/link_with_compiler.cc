#include "driver/link/link_with_compiler.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "runtime/status.h"

extern char** environ;

namespace lathe::driver {
namespace {

using runtime::MakeStatus;

constexpr size_t kKeptOutputBytes = 8000;

// Two ends of a pipe, closed when it goes.
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

// Keeps the end of what comes: that is where compilers say what went wrong.
void KeepEnd(std::string_view text, std::string* kept) {
  kept->append(text);
  if (kept->size() > 2 * kKeptOutputBytes) kept->erase(0, kept->size() - kKeptOutputBytes);
}

}  // namespace

absl::Status LinkWithCompiler(const CompilerLink& link) {
  std::vector<std::string> words = {link.compiler, "-shared", "-fPIC", "-o", link.output};
  words.insert(words.end(), link.inputs.begin(), link.inputs.end());
  words.insert(words.end(), link.arguments.begin(), link.arguments.end());
  const std::string command = absl::StrJoin(words, " ");
  std::vector<char*> argv;
  argv.reserve(words.size() + 1);
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);

  Pipe pipe;
  if (!pipe.Open()) {
    return MakeStatus(absl::StatusCode::kResourceExhausted, "compiler-failed",
                      absl::StrCat("no pipe for the compiler's output: ", std::strerror(errno)));
  }
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, pipe.ends[1], 1);
  posix_spawn_file_actions_adddup2(&actions, pipe.ends[1], 2);
  // A process group of its own, so that a compiler that hangs is stopped with the linker it
  // started.
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  posix_spawnattr_setpgroup(&attributes, 0);
  pid_t child = 0;
  const int failed =
      posix_spawnp(&child, link.compiler.c_str(), &actions, &attributes, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  if (failed != 0) {
    return MakeStatus(
        absl::StatusCode::kNotFound, "compiler-not-found",
        absl::StrCat("cannot run the compiler `", link.compiler, "`: ", std::strerror(failed),
                     "; give the path of one that links for the target, such as an NDK's clang"));
  }
  pipe.Close(1);

  const auto deadline =
      std::chrono::steady_clock::now() + std::chrono::seconds(link.timeout_seconds);
  std::string output;
  bool timed_out = false;
  while (true) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        deadline - std::chrono::steady_clock::now());
    pollfd wait = {pipe.ends[0], POLLIN, 0};
    const int ready = poll(&wait, 1, static_cast<int>(std::max<int64_t>(left.count(), 0)));
    if (ready < 0 && errno == EINTR) continue;
    if (ready == 0) {
      timed_out = true;
      kill(-child, SIGKILL);
      break;
    }
    char buffer[4096];
    const ssize_t got = read(pipe.ends[0], buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    KeepEnd(std::string_view(buffer, got), &output);
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (output.size() > kKeptOutputBytes) {
    output = absl::StrCat("...", output.substr(output.size() - kKeptOutputBytes));
  }
  if (timed_out) {
    return MakeStatus(absl::StatusCode::kDeadlineExceeded, "compiler-timeout",
                      absl::StrCat("the compiler did not end within ", link.timeout_seconds,
                                   " s\ncommand: ", command, "\noutput:\n", output));
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return absl::OkStatus();
  const std::string how = WIFEXITED(status) ? absl::StrCat("exit status ", WEXITSTATUS(status))
                                            : absl::StrCat("signal ", WTERMSIG(status));
  return MakeStatus(
      absl::StatusCode::kFailedPrecondition, "compiler-failed",
      absl::StrCat("linking failed with ", how, "\ncommand: ", command, "\noutput:\n", output));
}

}  // namespace lathe::driver
