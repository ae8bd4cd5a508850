// Fails allocations of the programs of programs.h, for one target.
#pragma once

#include <string>

namespace lathe::faults {

// The body of `main`.
//
// usage: heap_faults [--seconds=N] [--parts=N] [--only=PART OF A NAME] [--at=NUMBER]
//   --seconds  for all programs together; 0: no limit
//   --parts    LATHE_FAULTS_SECONDS overrides --seconds; it is divided by this number
//   --at       fails this allocation of the first program in this process, for a debugger
int Main(int argc, char** argv, const std::string& target);

}  // namespace lathe::faults
