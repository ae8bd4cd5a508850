#include "base/thread.h"

#include <sys/resource.h>
#include <unistd.h>

#include <system_error>

namespace lathe {

void Thread::join() {
  pthread_join(handle_, nullptr);
  joinable_ = false;
}

void Thread::detach() {
  pthread_detach(handle_);
  joinable_ = false;
}

void Thread::Start(void* (*entry)(void*), void* body) {
  pthread_attr_t attributes;
  int error = pthread_attr_init(&attributes);
  if (error == 0) {
    pthread_attr_setstacksize(&attributes, kStackBytes);
    // Not destroyed: attributes own nothing unless processors or signals are set, and each imported
    // function is a hundred bytes of the runtime library.
    error = pthread_create(&handle_, &attributes, entry, body);
  }
  if (error != 0) throw std::system_error(error, std::generic_category());
  joinable_ = true;
}

bool HasWholeStack() {
  if (getpid() == gettid()) {
    // The stack of the first thread grows to the limit. RLIM_INFINITY is the greatest of all.
    rlimit limit{};
    return getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur >= kStackBytes;
  }
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return true;
  size_t bytes = 0, guard = 0;
  const bool known = pthread_attr_getstacksize(&attributes, &bytes) == 0 &&
                     pthread_attr_getguardsize(&attributes, &guard) == 0;
  pthread_attr_destroy(&attributes);
  return !known || bytes + guard >= kStackBytes;
}

int OnWholeStack(const std::function<int()>& work) {
  if (HasWholeStack()) return work();
  int result = 0;
  Thread thread([&] { result = work(); });
  thread.join();
  return result;
}

}  // namespace lathe
