// What Python packs for the compiler: the pass context (lathe/transform.py: PassContext.packed),
// and the buffers of arguments (lathe/driver.py: _packed_binds).
#pragma once

#include <vector>

#include "lower/pass.h"
#include "runtime/value.h"
#include "schedule/loop_nest.h"

namespace lathe::python {

lower::PassContext ContextOf(const std::vector<runtime::Value>& parts);
schedule::TensorBuffers BindsOf(const std::vector<runtime::Value>& pairs);

}  // namespace lathe::python
