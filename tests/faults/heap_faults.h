// Fails allocations of programs: what the tests of failed allocations have in common.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tests/faults/program.h"

namespace lathe::faults {

// Makes the programs. `folder` exists and is empty; it is removed at the end.
using MakePrograms = std::function<std::vector<Program>(const std::string& folder)>;

// The body of `main`.
//
// usage: heap_faults [--seconds=N] [--parts=N] [--only=PART OF A NAME] [--at=NUMBER]
//   --seconds  for all programs together; 0: no limit
//   --parts    LATHE_FAULTS_SECONDS overrides --seconds; it is divided by this number
//   --at       fails this allocation of the first program in this process, for a debugger
int Main(int argc, char** argv, const MakePrograms& make);

}  // namespace lathe::faults
