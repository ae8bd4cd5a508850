// Sleeping on a word of memory (Linux futex(2)), and the hint to a processor that it spins.
#pragma once

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <climits>
#include <cstdint>

namespace lathe::runtime::internal {

// Returns at once unless `word` equals `expected`; else returns after a wake, which may be
// spurious.
inline void FutexWait(std::atomic<uint32_t>& word, uint32_t expected) {
#if defined(SYS_futex)
  syscall(SYS_futex, reinterpret_cast<uint32_t*>(&word), FUTEX_WAIT_PRIVATE, expected, nullptr,
          nullptr, 0);
#else  // 32-bit machines that have only 64-bit time
  syscall(SYS_futex_time64, reinterpret_cast<uint32_t*>(&word), FUTEX_WAIT_PRIVATE, expected,
          nullptr, nullptr, 0);
#endif
}
inline void FutexWake(std::atomic<uint32_t>& word, int threads) {
#if defined(SYS_futex)
  syscall(SYS_futex, reinterpret_cast<uint32_t*>(&word), FUTEX_WAKE_PRIVATE, threads, nullptr,
          nullptr, 0);
#else
  syscall(SYS_futex_time64, reinterpret_cast<uint32_t*>(&word), FUTEX_WAKE_PRIVATE, threads,
          nullptr, nullptr, 0);
#endif
}

inline void SpinHint() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__) || defined(__arm__)
  asm volatile("yield");
#elif defined(__riscv)
  asm volatile(".insn i 0x0F, 0, x0, x0, 0x010");  // pause (Zihintpause), a no-op elsewhere
#endif
}

}  // namespace lathe::runtime::internal
