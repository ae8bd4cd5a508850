// A program built for a device: from the cache or by the driver's compiler.
#pragma once

#include <string>

#include "backends/opencl/codegen.h"
#include "backends/opencl/machine.h"

namespace lathe::opencl_backend {

// The caller owns what comes. Throws as LoadModule says.
cl_program BuildProgram(ClDevice& device, const Program& program);

// The lines of `source` that a compiler's log names ("...:12:7: error: ..."), with their numbers
// and a caret; "" where it names none.
std::string LinesOfLog(const std::string& log, const std::string& source);

}  // namespace lathe::opencl_backend
