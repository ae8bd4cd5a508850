// Lets long work be interrupted: by Ctrl-C or a time limit.
//
//   while (!stack.empty()) {
//     Poll();  // may throw to end the work
//     ...
//   }
//
// A library that can stop work calls SetPoll once per process (runtime/cancel.h does). Loops over
// nodes call Poll for each node. Poll counts its calls, and does a real check only once in 1024 of
// them. Poll may throw. Code that calls it must be exception safe, as if memory could run out
// there.
#pragma once

#include <atomic>
#include <cstdint>

namespace lathe {

// The exceptions that Poll throws derive from this class and from `Error`. Code that catches errors
// of programs, to add information or to go on without the result, must let these through.
class Interruption {
 public:
  virtual ~Interruption() = default;
};

namespace internal {
inline std::atomic<void (*)()> poll{nullptr};
inline constinit thread_local uint32_t polls = 0;
}  // namespace internal

// Sets the function that checks for an interruption. `look` throws if the calling thread must end
// its work. Any thread calls it, and often.
inline void SetPoll(void (*look)()) { internal::poll.store(look, std::memory_order_release); }

// Checks at once. Call it between passes, programs and files.
inline void PollNow() {
  if (void (*look)() = internal::poll.load(std::memory_order_acquire)) look();
}

inline void Poll() {
  if ((++internal::polls & 1023) == 0) [[unlikely]]
    PollNow();
}

}  // namespace lathe
