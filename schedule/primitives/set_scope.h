// set_scope: puts a stage's tensors into another memory scope.
//
//   realize B:                    realize B (scope="shared"):
//     B[i] = ...          -->       B[i] = ...
//     ... = B[i]                    ... = B[i]
//
// The scope is "global", "shared", "local", "warp", "texture", or one that the target's plugin
// declares; with "" the threads around the stage decide (S10). Whether the target has the scope is
// checked when the program is lowered for the target. Precondition: the stage is computed and is
// not an output: the memory of arguments belongs to the caller, that of a scan's init and update to
// the scan. Errors: schedule-scope-refused.
#pragma once

#include <string>

#include "schedule/schedule.h"

namespace lathe::schedule {

void SetScope(Stage& stage, std::string scope);

}  // namespace lathe::schedule
