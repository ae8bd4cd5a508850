// Fails allocations of programs: at each distinct call stack, the first allocation and a later one,
// each in a fork of a warm process with one thread. The program must end with `out-of-memory` (or
// continue to the right answer). The same program must then work again in the process in which the
// failure occurred.
#pragma once

#include <cstdint>
#include <vector>

#include "tests/faults/program.h"

namespace lathe::faults {

// How long the failures of all programs together may take. Stacks are tried in a random order (of
// fixed seed) until a program's share of the time is over. 0: no limit.
struct TimeToFail {
  double seconds = 0;
  bool whole = false;  // Program::whole counts, in addition to `seconds`
  // LATHE_FAULTS_SECONDS, if it is set, divided by `parts`, with whole programs; else `seconds`.
  static TimeToFail FromEnvironment(double seconds, double parts);
};

// Runs each program twice, so that what is made only once exists already, then fails its
// allocations. Prints the number of stacks, and each failure that ended wrongly. Returns whether
// there was none. The process must have one thread.
bool FailAllocations(const std::vector<Program>& programs, const TimeToFail& time);

// For a debugger: fails this allocation of the program, in this process.
void FailOneHere(const Program& program, uint64_t number);

}  // namespace lathe::faults
