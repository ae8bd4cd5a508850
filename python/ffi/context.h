// What Python packs for the compiler: the pass context (lathe/transform.py: PassContext.packed),
// and the buffers of arguments (lathe/driver.py: _packed_binds).
#pragma once

#include <string>
#include <vector>

#include "lower/pass.h"
#include "plugins/host/codegen.h"
#include "runtime/value.h"
#include "schedule/loop_nest.h"

namespace lathe::python {

lower::PassContext ContextOf(const std::vector<runtime::Value>& parts);
schedule::TensorBuffers BindsOf(const std::vector<runtime::Value>& pairs);
// The kind of output of this name ("assembly"). Throws Error "output-kind".
plugins::OutputKind OutputKindOf(const std::string& name);

}  // namespace lathe::python
