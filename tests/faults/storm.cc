// A library to preload that interrupts calls: reads, writes and messages that stop short, and calls
// that a signal interrupted (EINTR) before they did anything. The system may do both at any time. A
// program that fails because of it has a bug. connect() is left alone: the system goes on with one
// that was interrupted, which cannot be imitated from outside.
//
// It affects only the calls of Lathe's own code. Calls from the C and C++ libraries, from Python
// and from shells are left alone, because each of these has its own rules. LATHE_STORM_SEED chooses
// the seed.
#include <dlfcn.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdint>
#include <cstdlib>
#include <cstring>

namespace {

// splitmix64
uint64_t Random() {
  static std::atomic<uint64_t> state{[] {
    const char* text = std::getenv("LATHE_STORM_SEED");
    return text != nullptr ? std::strtoull(text, nullptr, 10) : 1;
  }()};
  uint64_t z = state.fetch_add(0x9e3779b97f4a7c15) + 0x9e3779b97f4a7c15;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

// Whether the call at this address is Lathe's, that is in a program or library that is not the
// system's.
bool Ours(const void* caller) {
  Dl_info info;
  if (dladdr(caller, &info) == 0 || info.dli_fname == nullptr) return false;
  for (const char* system : {"/usr/", "/bin/", "/lib"}) {
    if (std::strncmp(info.dli_fname, system, std::strlen(system)) == 0) return false;
  }
  for (const char* other : {"/libc.so", "/libstdc++", "/ld-linux", "/libpython", "/libgcc",
                            "/external/", "/pypi_", "python3"}) {
    if (std::strstr(info.dli_fname, other) != nullptr) return false;
  }
  // A program that is called by a bare name is one of the system's.
  return std::strchr(info.dli_fname, '/') != nullptr;
}

bool Interrupted(const void* caller) {
  if (Random() % 4 != 0 || !Ours(caller)) return false;
  errno = EINTR;
  return true;
}

size_t Short(const void* caller, int file, size_t bytes) {
  if (bytes < 2 || Random() % 2 != 0 || !Ours(caller)) return bytes;
  // An event's counter is of no type of file; the system takes its eight bytes or none.
  struct stat about;
  if (fstat(file, &about) != 0 || (about.st_mode & S_IFMT) == 0) return bytes;
  return 1 + Random() % bytes;
}

// The first pieces of a message to be sent or received, or all of it. A message of several pieces
// may end after any of them; the first one may be cut.
class ShortMessage {
 public:
  ShortMessage(const void* caller, int socket, const msghdr& message) : message_(message) {
    if (message.msg_iovlen == 0) return;
    first_ = message.msg_iov[0];
    const size_t bytes = Short(caller, socket, first_.iov_len);
    if (bytes < first_.iov_len) {
      first_.iov_len = bytes;
      message_.msg_iov = &first_;
      message_.msg_iovlen = 1;
    } else if (Random() % 2 == 0 && Ours(caller)) {
      message_.msg_iovlen = 1 + Random() % message.msg_iovlen;
    }
  }
  msghdr* get() { return &message_; }

 private:
  msghdr message_;
  iovec first_{};
};

bool IsStream(int socket) {
  int type = 0;
  socklen_t size = sizeof(type);
  return getsockopt(socket, SOL_SOCKET, SO_TYPE, &type, &size) == 0 && type == SOCK_STREAM;
}

}  // namespace

#define STORM [[gnu::visibility("default")]]
#define CALLER __builtin_return_address(0)

extern "C" {

STORM ssize_t read(int file, void* data, size_t bytes) {
  if (Interrupted(CALLER)) return -1;
  return syscall(SYS_read, file, data, Short(CALLER, file, bytes));
}
STORM ssize_t write(int file, const void* data, size_t bytes) {
  if (Interrupted(CALLER)) return -1;
  return syscall(SYS_write, file, data, Short(CALLER, file, bytes));
}
STORM ssize_t pread(int file, void* data, size_t bytes, off_t at) {
  if (Interrupted(CALLER)) return -1;
  return syscall(SYS_pread64, file, data, Short(CALLER, file, bytes), at);
}
STORM ssize_t pwrite(int file, const void* data, size_t bytes, off_t at) {
  if (Interrupted(CALLER)) return -1;
  return syscall(SYS_pwrite64, file, data, Short(CALLER, file, bytes), at);
}
STORM ssize_t recv(int socket, void* data, size_t bytes, int flags) {
  if (Interrupted(CALLER)) return -1;
  return syscall(SYS_recvfrom, socket, data, Short(CALLER, socket, bytes), flags, nullptr, nullptr);
}
STORM ssize_t send(int socket, const void* data, size_t bytes, int flags) {
  if (Interrupted(CALLER)) return -1;
  return syscall(SYS_sendto, socket, data, Short(CALLER, socket, bytes), flags, nullptr, 0);
}
STORM ssize_t sendmsg(int socket, const msghdr* message, int flags) {
  if (Interrupted(CALLER)) return -1;
  if (!IsStream(socket)) return syscall(SYS_sendmsg, socket, message, flags);
  return syscall(SYS_sendmsg, socket, ShortMessage(CALLER, socket, *message).get(), flags);
}
STORM ssize_t recvmsg(int socket, msghdr* message, int flags) {
  if (Interrupted(CALLER)) return -1;
  if (!IsStream(socket)) return syscall(SYS_recvmsg, socket, message, flags);
  ShortMessage some(CALLER, socket, *message);
  const ssize_t got = syscall(SYS_recvmsg, socket, some.get(), flags);
  message->msg_namelen = some.get()->msg_namelen;
  message->msg_controllen = some.get()->msg_controllen;
  message->msg_flags = some.get()->msg_flags;
  return got;
}
STORM ssize_t splice(int in, off64_t* in_at, int out, off64_t* out_at, size_t bytes,
                     unsigned flags) {
  if (Interrupted(CALLER)) return -1;
  return syscall(SYS_splice, in, in_at, out, out_at, Short(CALLER, in, bytes), flags);
}
STORM ssize_t getrandom(void* data, size_t bytes, unsigned flags) {
  if (Interrupted(CALLER)) return -1;
  return syscall(SYS_getrandom, data, bytes, flags);
}
STORM int accept4(int socket, sockaddr* address, socklen_t* size, int flags) {
  if (Interrupted(CALLER)) return -1;
  return static_cast<int>(syscall(SYS_accept4, socket, address, size, flags));
}
STORM int accept(int socket, sockaddr* address, socklen_t* size) {
  if (Interrupted(CALLER)) return -1;
  return static_cast<int>(syscall(SYS_accept, socket, address, size));
}
STORM int flock(int file, int operation) noexcept {
  if (Interrupted(CALLER)) return -1;
  return static_cast<int>(syscall(SYS_flock, file, operation));
}
STORM int fsync(int file) {
  if (Interrupted(CALLER)) return -1;
  return static_cast<int>(syscall(SYS_fsync, file));
}
STORM int fdatasync(int file) {
  if (Interrupted(CALLER)) return -1;
  return static_cast<int>(syscall(SYS_fdatasync, file));
}
STORM int waitid(idtype_t type, id_t id, siginfo_t* about, int options) {
  if (Interrupted(CALLER)) return -1;
  return static_cast<int>(syscall(SYS_waitid, type, id, about, options, nullptr));
}
STORM int open(const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  if (Interrupted(CALLER)) return -1;
  return static_cast<int>(syscall(SYS_openat, AT_FDCWD, path, flags, mode));
}
STORM int openat(int folder, const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  if (Interrupted(CALLER)) return -1;
  return static_cast<int>(syscall(SYS_openat, folder, path, flags, mode));
}
STORM int ftruncate(int file, off_t bytes) noexcept {
  if (Interrupted(CALLER)) return -1;
  return static_cast<int>(syscall(SYS_ftruncate, file, bytes));
}
STORM int poll(pollfd* files, nfds_t count, int timeout) {
  if (Interrupted(CALLER)) return -1;
  return static_cast<int>(syscall(SYS_poll, files, count, timeout));
}
STORM pid_t waitpid(pid_t process, int* status, int options) {
  if (Interrupted(CALLER)) return -1;
  return static_cast<pid_t>(syscall(SYS_wait4, process, status, options, nullptr));
}
}
