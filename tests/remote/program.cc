#include "tests/remote/program.h"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "runtime/rpc/process_testing.h"

extern char** environ;

namespace lathe::runtime::rpc {
namespace {

// In the new process, where only plain system calls are allowed.
[[noreturn]] void Become(const Program::Options& options, char* const* argv, char* const* variables,
                         int input, int output) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  dup2(input, 0);
  dup2(output, 1);
  dup2(output, 2);
  if (options.network >= 0 && setns(options.network, CLONE_NEWNET) != 0) _exit(126);
  if (options.descriptors > 0) {
    const auto most = static_cast<rlim_t>(options.descriptors);
    const rlimit limit{most, most};
    setrlimit(RLIMIT_NOFILE, &limit);
  }
  execve(argv[0], argv, variables);
  _exit(127);
}

}  // namespace

Program::Program(Options options) {
  int in[2], out[2];
  if (pipe2(in, O_CLOEXEC) != 0 || pipe2(out, O_CLOEXEC) != 0)
    throw std::string("no pipes: ") + std::strerror(errno);
  const FileHandle far_input(in[0]), far_output(out[1]);
  input_ = FileHandle(in[1]);
  output_ = FileHandle(out[0]);
  fcntl(output_.get(), F_SETFL, O_NONBLOCK);
  std::vector<char*> argv, variables;
  for (std::string& word : options.words) argv.push_back(word.data());
  argv.push_back(nullptr);
  std::string temporary = "TMPDIR=" + options.temporary;
  for (char** at = environ; *at != nullptr; ++at) {
    if (options.temporary.empty() || std::string_view(*at).rfind("TMPDIR=", 0) != 0)
      variables.push_back(*at);
  }
  if (!options.temporary.empty()) variables.push_back(temporary.data());
  variables.push_back(nullptr);
  pid_ = fork();
  if (pid_ == 0) Become(options, argv.data(), variables.data(), far_input.get(), far_output.get());
}

Program::~Program() {
  if (status_) return;
  kill(pid_, SIGKILL);
  Uninterrupted([&] { return waitpid(pid_, nullptr, 0); });
}

void Program::Send(int signal) const {
  if (!status_) kill(pid_, signal);
}

void Program::Write(const std::string& line) const {
  const std::string text = line + "\n";
  if (write(input_.get(), text.data(), text.size()) < 0) return;  // it has ended
}

void Program::Read() {
  char bytes[4096];
  for (;;) {
    const ssize_t got = Uninterrupted([&] { return read(output_.get(), bytes, sizeof(bytes)); });
    if (got <= 0) return;
    printed_.append(bytes, static_cast<size_t>(got));
  }
}

const std::string& Program::output() {
  Read();
  return printed_;
}

std::optional<std::string> Program::LineAfter(const std::string& text,
                                              std::chrono::milliseconds limit) {
  const std::string begin = "\n" + text;
  size_t at = std::string::npos, end = std::string::npos;
  const bool found = Within(limit, [&] {
    pollfd one{output_.get(), POLLIN, 0};
    poll(&one, 1, 5);
    Read();
    at = ("\n" + printed_).find(begin);
    if (at != std::string::npos) end = printed_.find('\n', at);
    return end != std::string::npos;
  });
  if (!found) return std::nullopt;
  return printed_.substr(at + text.size(), end - at - text.size());
}

std::optional<int> Program::Wait(std::chrono::milliseconds limit) {
  Within(limit, [&] {
    int status = 0;
    if (!status_ && Uninterrupted([&] { return waitpid(pid_, &status, WNOHANG); }) == pid_)
      status_ = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    return status_.has_value();
  });
  return status_;
}

size_t DescriptorsOf(pid_t pid) {
  size_t count = 0;
  std::error_code gone;
  for (std::filesystem::directory_iterator at("/proc/" + std::to_string(pid) + "/fd", gone), end;
       !gone && at != end; at.increment(gone))
    ++count;
  return count;
}

namespace {

// The state of a process and the number of its parent.
bool ReadState(const std::string& pid, std::string* state, pid_t* parent) {
  std::ifstream file("/proc/" + pid + "/stat");
  std::string text;
  if (!std::getline(file, text)) return false;
  // The name before it may have spaces and brackets.
  std::istringstream rest(text.substr(text.rfind(')') + 1));
  return static_cast<bool>(rest >> *state >> *parent);
}

}  // namespace

pid_t ParentOf(pid_t pid) {
  std::string state;
  pid_t parent = 0;
  return ReadState(std::to_string(pid), &state, &parent) ? parent : 0;
}

std::string ChildrenOf(pid_t pid) {
  std::string states;
  std::error_code gone;
  for (std::filesystem::directory_iterator at("/proc", gone), end; !gone && at != end;
       at.increment(gone)) {
    std::string state;
    pid_t parent = 0;
    if (ReadState(at->path().filename(), &state, &parent) && parent == pid) states += state;
  }
  return states;
}

size_t ResidentKiB(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/statm");
  size_t all = 0, resident = 0;
  file >> all >> resident;
  return resident * static_cast<size_t>(sysconf(_SC_PAGESIZE)) / 1024;
}

}  // namespace lathe::runtime::rpc
