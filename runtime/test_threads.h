// Threads that cannot be made, for tests: replaces pthread_create in the test's program, whoever
// calls it. Include it in one source of a test. Sanitizers replace it themselves: not with them.
#pragma once

#include <dlfcn.h>
#include <pthread.h>

#include <atomic>
#include <cerrno>

namespace lathe::runtime::testing_threads {

// How many more threads can be made.
inline std::atomic<int> left{1 << 30};
// How often that was not enough.
inline std::atomic<int> refused{0};

}  // namespace lathe::runtime::testing_threads

extern "C" int pthread_create(pthread_t* thread, const pthread_attr_t* attributes,
                              void* (*body)(void*), void* argument) {
  using lathe::runtime::testing_threads::left;
  static const auto real =
      reinterpret_cast<int (*)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*)>(
          dlsym(RTLD_NEXT, "pthread_create"));
  if (left.fetch_sub(1) > 0) return real(thread, attributes, body, argument);
  left = 0;
  ++lathe::runtime::testing_threads::refused;
  return EAGAIN;
}
