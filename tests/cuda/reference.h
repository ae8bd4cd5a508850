// Computes for the interpreter what CUDA's functions compute. Kernels call them by name.
#pragma once

#include "ir/interpreter/interpreter.h"

namespace lathe {

// An InterpretOptions::call_extern.
bool CallCuda(const ir::ExternCall& call);

}  // namespace lathe
