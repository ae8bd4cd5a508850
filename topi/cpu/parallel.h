// When threads are worth their start.
#pragma once

namespace lathe::topi::cpu {

// A kernel of so many arithmetic operations (or elements moved) gains from threads: starting them
// takes about as long as some ten thousand of either.
inline bool WorthThreads(double operations) { return operations >= 1 << 18; }

}  // namespace lathe::topi::cpu
