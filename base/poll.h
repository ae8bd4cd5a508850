// Where long work asks whether it is to end: Ctrl-C, a time limit.
//
//   while (!stack.empty()) {
//     Poll();  // may throw what ends the work
//     ...
//   }
//
// Who can end work says so once in a process (SetPoll; runtime/cancel.h does). Loops over nodes
// call Poll for each: it counts, and looks once in 1024 calls. Work throws through: what it holds
// must be in order then, as where memory runs out.
#pragma once

#include <atomic>
#include <cstdint>

namespace lathe {

// Exceptions of Poll derive from it beside `Error`. Who catches errors of programs to say more
// about them, or to go on without, lets these through.
class Interruption {
 public:
  virtual ~Interruption() = default;
};

namespace internal {
inline std::atomic<void (*)()> poll{nullptr};
inline constinit thread_local uint32_t polls = 0;
}  // namespace internal

// `look` throws where the work of the calling thread is to end; any thread calls it, often.
inline void SetPoll(void (*look)()) { internal::poll.store(look, std::memory_order_release); }

// Looks at once: between passes, programs, files.
inline void PollNow() {
  if (void (*look)() = internal::poll.load(std::memory_order_acquire)) look();
}

inline void Poll() {
  if ((++internal::polls & 1023) == 0) [[unlikely]]
    PollNow();
}

}  // namespace lathe
