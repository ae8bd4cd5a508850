// Builds a program for a device: from the cache, or by the driver's compiler.
#pragma once

#include <string>

#include "backends/opencl/codegen.h"
#include "backends/opencl/machine.h"

namespace lathe::opencl_backend {

// The caller owns the result. Throws the errors of LoadModule (module.h).
cl_program BuildProgram(ClDevice& device, const Program& program);

// The lines of `source` to which a compiler's log refers ("...:12:7: error: ..."), with their
// numbers and a caret; "" if it refers to none.
std::string LinesOfLog(const std::string& log, const std::string& source);

}  // namespace lathe::opencl_backend
