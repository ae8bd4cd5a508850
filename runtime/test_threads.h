// Makes thread creation fail, for tests: replaces pthread_create in the whole test program. Include
// it in one source of a test. It does not work with sanitizers, which replace pthread_create
// themselves.
#pragma once

#include <dlfcn.h>
#include <pthread.h>

#include <atomic>
#include <cerrno>

namespace lathe::runtime::testing_threads {

// The number of threads that can still be made.
inline std::atomic<int> left{1 << 30};
// The number of refused threads.
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
