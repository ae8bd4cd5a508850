// `wgmma` of sm_90a: the layout of its operands and results.
//
// A warpgroup of 128 threads adds to a 64 x n tile of c the product of a 64 x 16 tile of a and an n
// x 16 tile of b. Both operands have rows along k and are in shared memory in rows of 64 elements
// (128 bytes). Within 8 rows, pieces of 16 bytes are exchanged: piece p of row r is at place p ^ (r
// % 8) ("swizzle of 128 bytes"; tiles begin at multiples of 1024 bytes). A descriptor of 64 bits
// describes this to the instruction:
//
//   bits  0-13   address / 16
//   bits 16-29   ignored with this swizzle (1)
//   bits 32-45   distance of groups of 8 rows / 16: 1024 / 16
//   bits 62-63   the swizzle: 1
//
// The next 16 elements along k have the same descriptor with an address 32 bytes higher. (PTX ISA,
// "Asynchronous warpgroup level matrix instructions", "Matrix descriptor format".)
//
// Thread t holds elements of c in registers d[4 j + 2 h + p]: row 16 (t / 32) + 8 h + t % 32 / 4,
// column 8 j + 2 (t % 4) + p. A tensor intrinsic sees only the thread's own elements, as
// c[h][j][p], and the addresses of the thread's own first rows.
//
// The functions are both device and host code: tests emulate the instruction with them.
#pragma once

#include <string>

namespace lathe::cuda {

#define LATHE_WGMMA_DESCRIPTOR                                                           \
  unsigned long long lathe_wgmma_descriptor(unsigned address) {                          \
    return ((address & 0x3ffffu) >> 4) | 1ull << 16 | (1024ull >> 4) << 32 | 1ull << 62; \
  }
// The distance in elements from the tile's first row to the thread's own first row, for a and for
// b.
#define LATHE_WGMMA_OWN_A                                 \
  unsigned lathe_wgmma_own_a(unsigned thread) {           \
    return (thread / 32 % 4 * 16 + thread % 32 / 4) * 64; \
  }
#define LATHE_WGMMA_OWN_B \
  unsigned lathe_wgmma_own_b(unsigned thread) { return thread % 4 * 2 * 64; }

inline LATHE_WGMMA_DESCRIPTOR;  // NOLINT
inline LATHE_WGMMA_OWN_A;       // NOLINT
inline LATHE_WGMMA_OWN_B;       // NOLINT

// Which of a thread's elements, counted as c[h][j][p], register i of a tile of n columns holds.
inline int ElementOfRegister(int i, int n) { return i / 2 % 2 * (n / 4) + i / 4 * 2 + i % 2; }

// The CUDA C++ text of lathe_wgmma_<type>_n<n>, which adds 64 steps of k and waits; type is f16 or
// bf16, n is 64, 128 or 256. A function whose name ends in _begin does not wait: until
// lathe_wgmma_wait<Groups> returns, which leaves at most that many later calls running, its sums
// are not available and its operands must not change. lathe_wgmma_drain_n<n>(c) waits for all
// calls; only after it may the compiler read c.
std::string WgmmaPrelude();  // the text that all of them need
std::string WgmmaDrain(int n);
std::string WgmmaFunction(const std::string& type, int n);  // after WgmmaDrain(n)

}  // namespace lathe::cuda
