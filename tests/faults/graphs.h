// Programs for the tests of failures that import models, compile graphs and run them.
#pragma once

#include <string>
#include <vector>

#include "tests/faults/program.h"

namespace lathe::faults {

// Independent programs. `folder` must exist; the programs create files in it. They read the models
// with which the fuzzing of importers begins, from the test's runfiles.
std::vector<Program> ProgramsOfGraphs(const std::string& folder);

}  // namespace lathe::faults
