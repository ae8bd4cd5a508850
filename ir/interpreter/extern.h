// Functions that programs call by name: C's math functions and the entries of the runtime's table.
// Private to the interpreter.
#pragma once

#include <string>
#include <vector>

#include "ir/interpreter/code.h"

namespace lathe::ir::interp {

// Calls a math function of C ("sinf" on float32, "sin" on float64, ...) through its intrinsic.
// False if there is none with this name and these types.
bool CallMathFunction(const ExternCall& call);
std::vector<std::string> MathFunctionNames();

void DoRaise(Machine& machine, Frame& frame, const CallSite& site);
// runtime_call: the entries of lathe_runtime_table.
void DoRuntimeCall(Machine& machine, Frame& frame, const CallSite& site);

}  // namespace lathe::ir::interp
