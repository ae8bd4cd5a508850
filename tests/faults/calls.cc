#include "tests/faults/calls.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>

namespace lathe::faults {
namespace {

constexpr int kOpenErrors[] = {EMFILE, EACCES};
constexpr int kReadErrors[] = {EIO};
constexpr int kWriteErrors[] = {ENOSPC, EIO};
constexpr int kSyncErrors[] = {EIO, ENOSPC};
constexpr int kRenameErrors[] = {EACCES};
constexpr int kMapErrors[] = {ENOMEM};
constexpr int kThreadErrors[] = {EAGAIN};

constexpr CallKind kKinds[] = {
    {Call::kOpen, "open", kOpenErrors},
    {Call::kRead, "read", kReadErrors},
    {Call::kWrite, "write", kWriteErrors},
    {Call::kSync, "fsync", kSyncErrors},
    {Call::kRename, "rename", kRenameErrors},
    {Call::kMap, "mmap", kMapErrors},
    {Call::kThread, "pthread_create", kThreadErrors},
};

// Atomic because threads make calls too.
std::atomic<bool> watching{false}, failed{false};
std::atomic<uint64_t> count{0};
Call watched = Call::kOpen;
uint64_t wanted = 0;
int with = 0;

// Returns the error that this call must fail with; 0 if the call is to be made.
int Fails(Call call) {
  if (!watching.load(std::memory_order_acquire) || call != watched) return 0;
  if (count.fetch_add(1) + 1 != wanted) return 0;
  failed = true;
  errno = with;
  return with;
}

}  // namespace

std::span<const CallKind> CallKinds() { return kKinds; }

void FailCall(Call call, uint64_t number, int error) {
  watched = call;
  wanted = number;
  with = error;
  count = 0;
  failed = false;
  watching = true;
}

uint64_t StopFailingCalls() {
  watching = false;
  return count;
}

bool ACallFailed() { return failed; }

}  // namespace lathe::faults

using lathe::faults::Call;
using lathe::faults::Fails;

extern "C" {

[[gnu::visibility("default")]] int open(const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  if (Fails(Call::kOpen) != 0) return -1;
  return static_cast<int>(syscall(SYS_openat, AT_FDCWD, path, flags, mode));
}
[[gnu::visibility("default")]] int openat(int folder, const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  if (Fails(Call::kOpen) != 0) return -1;
  return static_cast<int>(syscall(SYS_openat, folder, path, flags, mode));
}
[[gnu::visibility("default")]] ssize_t read(int file, void* data, size_t bytes) {
  return Fails(Call::kRead) != 0 ? -1 : syscall(SYS_read, file, data, bytes);
}
[[gnu::visibility("default")]] ssize_t pread(int file, void* data, size_t bytes, off_t at) {
  return Fails(Call::kRead) != 0 ? -1 : syscall(SYS_pread64, file, data, bytes, at);
}
[[gnu::visibility("default")]] ssize_t write(int file, const void* data, size_t bytes) {
  return Fails(Call::kWrite) != 0 ? -1 : syscall(SYS_write, file, data, bytes);
}
[[gnu::visibility("default")]] ssize_t pwrite(int file, const void* data, size_t bytes, off_t at) {
  return Fails(Call::kWrite) != 0 ? -1 : syscall(SYS_pwrite64, file, data, bytes, at);
}
[[gnu::visibility("default")]] int fsync(int file) {
  return Fails(Call::kSync) != 0 ? -1 : static_cast<int>(syscall(SYS_fsync, file));
}
[[gnu::visibility("default")]] int rename(const char* from, const char* to) noexcept {
  if (Fails(Call::kRename) != 0) return -1;
  return static_cast<int>(syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0));
}
[[gnu::visibility("default")]] void* mmap(void* where, size_t bytes, int protection, int flags,
                                          int file, off_t at) noexcept {
  if (Fails(Call::kMap) != 0) return MAP_FAILED;
  return reinterpret_cast<void*>(syscall(SYS_mmap, where, bytes, protection, flags, file, at));
}
[[gnu::visibility("default")]] int pthread_create(pthread_t* thread, const pthread_attr_t* how,
                                                  void* (*run)(void*), void* argument) {
  using Create = int (*)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
  static const Create create = reinterpret_cast<Create>(dlsym(RTLD_NEXT, "pthread_create"));
  if (const int error = Fails(Call::kThread); error != 0) return error;
  return create(thread, how, run, argument);
}
}
