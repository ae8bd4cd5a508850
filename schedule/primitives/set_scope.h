// set_scope: a stage's tensors lie in another memory scope.
//
//   realize B:                    realize B (scope="shared"):
//     B[i] = ...          -->       B[i] = ...
//     ... = B[i]                    ... = B[i]
//
// "global", "shared", "local", "warp", "texture", or one that the target's plugin declares; "" lets
// the threads around the stage decide (S10). Which scopes a target has is checked when the program
// is lowered for it.
// Precondition: the stage is computed and no output: the memory of arguments is the caller's,
// that of a scan's init and update the scan's.
// Errors: schedule-scope-refused.
#pragma once

#include <string>

#include "schedule/schedule.h"

namespace lathe::schedule {

void SetScope(Stage& stage, std::string scope);

}  // namespace lathe::schedule
