#include "runtime/rpc/worker_process.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <utility>

#include "runtime/rpc/worker.h"
#include "runtime/session/session_folder.h"
#include "runtime/status.h"

extern char** environ;

namespace lathe::runtime::rpc {
namespace {

constexpr size_t kKeptOutput = 4096;
constexpr int kReads = 16;  // of what a worker prints, before others have their turn

absl::Status CannotStart(const std::string& program, std::string_view problem) {
  return MakeStatus(absl::StatusCode::kUnavailable, "rpc-worker",
                    {"the worker ", program, " cannot be started: ", problem});
}
absl::Status CannotStart(const std::string& program, int error) {
  return CannotStart(program, std::strerror(error));
}

// This process's variables, with another TMPDIR, and others for a confined worker.
std::vector<std::string> EnvironmentWith(const std::string& folder, bool confined) {
  std::vector<std::pair<std::string, std::string>> own{{"TMPDIR", folder},
                                                       {kConfinedVariable, confined ? "1" : "0"}};
  if (confined) {
    // Of PoCL and of NVIDIA's driver. One client's kernels must not be those of the next, anyway.
    own.emplace_back("POCL_CACHE_DIR", folder);
    own.emplace_back("CUDA_CACHE_PATH", folder);
  }
  std::vector<std::string> variables;
  for (const auto& [name, value] : own) variables.push_back(name + "=" + value);
  for (char** at = environ; *at != nullptr; ++at) {
    const std::string_view variable = *at;
    const std::string_view name = variable.substr(0, variable.find('='));
    if (std::none_of(own.begin(), own.end(), [&](const auto& mine) { return mine.first == name; }))
      variables.emplace_back(variable);
  }
  return variables;
}

std::vector<char*> Pointers(const std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (const std::string& text : texts) pointers.push_back(const_cast<char*>(text.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

// A limit that there is already may be lower: only the superuser could raise it.
bool LimitMemory(pid_t process, uint64_t bytes) {
  rlimit now{};
  if (prlimit(process, RLIMIT_DATA, nullptr, &now) != 0) return false;
  const auto memory = static_cast<rlim_t>(std::min<uint64_t>(bytes, now.rlim_max));
  const rlimit limit{memory, memory};
  return prlimit(process, RLIMIT_DATA, &limit, nullptr) == 0;
}

bool LimitDescriptors(pid_t process, uint64_t count) {
  rlimit limit{};
  if (prlimit(process, RLIMIT_NOFILE, nullptr, &limit) != 0) return false;
  limit.rlim_cur = std::min<rlim_t>(count, limit.rlim_max);
  return prlimit(process, RLIMIT_NOFILE, &limit, nullptr) == 0;
}

// Above the numbers that the child's descriptors get.
FileHandle Moved(int descriptor) {
  const FileHandle original(descriptor);
  return FileHandle(fcntl(original.get(), F_DUPFD_CLOEXEC, kWorkerDescriptor + 1));
}

}  // namespace

std::string SessionFolderPlace() {
  const char* const place = secure_getenv("TMPDIR");
  return place == nullptr || *place == '\0' ? "/tmp" : place;
}

absl::StatusOr<std::unique_ptr<WorkerProcess>> WorkerProcess::Start(
    const std::vector<std::string>& argv, const WorkerLimits& limits) {
  if (argv.empty()) return CannotStart("(none is named)", ENOENT);
  int sockets[2], pipes[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) != 0)
    return CannotStart(argv[0], errno);
  std::unique_ptr<WorkerProcess> worker(new WorkerProcess);
  worker->socket_ = Moved(sockets[0]);
  const FileHandle far = Moved(sockets[1]);
  if (pipe2(pipes, O_CLOEXEC) != 0) return CannotStart(argv[0], errno);
  worker->output_ = Moved(pipes[0]);
  const FileHandle printed = Moved(pipes[1]);
  if (!worker->socket_.is_open() || !far.is_open() || !worker->output_.is_open() ||
      !printed.is_open())
    return CannotStart(argv[0], errno);
  fcntl(worker->output_.get(), F_SETFL, O_NONBLOCK);
  const std::string problem_of_folder = MakeSessionFolder(SessionFolderPlace(), &worker->folder_);
  if (!problem_of_folder.empty())
    return CannotStart(argv[0], "a folder for its files: " + problem_of_folder);

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, printed.get(), 1);
  posix_spawn_file_actions_adddup2(&actions, printed.get(), 2);
  posix_spawn_file_actions_adddup2(&actions, far.get(), kWorkerDescriptor);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none, defaults;
  sigemptyset(&none);
  sigemptyset(&defaults);
  sigaddset(&defaults, SIGPIPE);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &defaults);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(&attributes,
                           POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
  const std::vector<std::string> variables = EnvironmentWith(worker->folder_, limits.confined);
  const int problem = posix_spawnp(&worker->pid_, argv[0].c_str(), &actions, &attributes,
                                   Pointers(argv).data(), Pointers(variables).data());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  if (problem != 0) {
    worker->pid_ = 0;
    return CannotStart(argv[0], problem);
  }
  if ((limits.memory != 0 && !LimitMemory(worker->pid_, limits.memory)) ||
      (limits.descriptors != 0 && !LimitDescriptors(worker->pid_, limits.descriptors)))
    return CannotStart(argv[0], errno);
  return worker;
}

WorkerProcess::~WorkerProcess() {
  if (pid_ != 0) {
    Kill();
    Uninterrupted([&] { return waitpid(pid_, nullptr, 0); });
  }
  if (!folder_.empty()) RemoveSessionFolder(folder_);
}

void WorkerProcess::Kill() {
  // With it goes what it started and did not put elsewhere.
  if (pid_ != 0) kill(-pid_, SIGKILL);
}

void WorkerProcess::Pass(FileHandle socket, uint64_t request, std::string_view key) {
  Send(key.empty() ? kPassSocket : kPassProtected, request, key, socket.get());
}
void WorkerProcess::Cancel(uint64_t request) { Send(kCancelRequest, request, {}, -1); }

void WorkerProcess::Send(char kind, uint64_t request, std::string_view key, int socket) {
  std::string bytes(kWorkerMessageBytes, kind);
  std::memcpy(bytes.data() + 1, &request, sizeof(request));
  bytes.append(key);
  iovec piece{bytes.data(), bytes.size()};
  msghdr message{};
  message.msg_iov = &piece;
  message.msg_iovlen = 1;
  char control[CMSG_SPACE(sizeof(int))] = {};
  if (socket >= 0) {
    message.msg_control = control;
    message.msg_controllen = sizeof(control);
    cmsghdr* const header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(int));
    std::memcpy(CMSG_DATA(header), &socket, sizeof(socket));
  }
  // A few bytes fit, unless somebody cancels thousands of times while the worker does not listen.
  // The socket goes with the first of them.
  while (piece.iov_len > 0) {
    const ssize_t sent = Uninterrupted(
        [&] { return sendmsg(socket_.get(), &message, MSG_NOSIGNAL | MSG_DONTWAIT); });
    if (sent <= 0) return Kill();
    piece.iov_base = static_cast<char*>(piece.iov_base) + sent;
    piece.iov_len -= static_cast<size_t>(sent);
    message.msg_control = nullptr;
    message.msg_controllen = 0;
  }
}

void WorkerProcess::AddTo(std::vector<pollfd>& waited) const {
  if (output_.is_open()) waited.push_back({output_.get(), POLLIN, 0});
  if (answers_) waited.push_back({socket_.get(), POLLIN, 0});
}

size_t WorkerProcess::Listen() {
  if (output_.is_open()) ReadOutput();
  return answers_ ? ReadAnswers() : 0;
}

void WorkerProcess::ReadOutput() {
  char bytes[kKeptOutput];
  for (int i = 0; i < kReads; ++i) {
    const ssize_t got = Uninterrupted([&] { return read(output_.get(), bytes, sizeof(bytes)); });
    if (got <= 0) {
      if (got == 0) output_.Close();
      return;
    }
    text_.append(bytes, static_cast<size_t>(got));
    if (text_.size() > 2 * kKeptOutput) text_.erase(0, text_.size() - kKeptOutput);
  }
}

size_t WorkerProcess::ReadAnswers() {
  // Code of the session may write here, too: whatever it is, it is about its own worker.
  char bytes[16 * kWorkerMessageBytes];
  const ssize_t got =
      Uninterrupted([&] { return recv(socket_.get(), bytes, sizeof(bytes), MSG_DONTWAIT); });
  if (got == 0 || (got < 0 && errno != EAGAIN)) answers_ = false;
  if (got <= 0) return 0;
  answer_.append(bytes, static_cast<size_t>(got));
  size_t count = 0;
  for (; answer_.size() >= kWorkerMessageBytes; answer_.erase(0, kWorkerMessageBytes))
    count += answer_[0] == kCancelDone ? 1 : 0;
  return count;
}

bool WorkerProcess::Ended(WorkerEnd* end) {
  siginfo_t state{};
  // Its number is its own, and that of its group, until it is waited for.
  if (pid_ == 0 ||
      Uninterrupted([&] {
        return waitid(P_PID, static_cast<id_t>(pid_), &state, WEXITED | WNOHANG | WNOWAIT);
      }) != 0 ||
      state.si_pid != pid_)
    return false;
  kill(-pid_, SIGKILL);  // processes that it left
  int status = 0;
  Uninterrupted([&] { return waitpid(pid_, &status, 0); });
  pid_ = 0;
  if (output_.is_open()) ReadOutput();
  end->signalled = WIFSIGNALED(status);
  end->code = end->signalled ? WTERMSIG(status) : WEXITSTATUS(status);
  end->output = text_.size() > kKeptOutput ? text_.substr(text_.size() - kKeptOutput) : text_;
  // Only the folder is left, for which this may wait.
  output_.Close();
  socket_.Close();
  return true;
}

bool WorkerProcess::Abandon() {
  // Its folder stays locked until this process ends.
  folder_.clear();
  pid_ = 0;
  return true;
}

}  // namespace lathe::runtime::rpc
