// The pass context as Python packs it (lathe/transform.py: PassContext.packed).
#pragma once

#include <vector>

#include "lower/pass.h"
#include "runtime/value.h"

namespace lathe::python {

lower::PassContext ContextOf(const std::vector<runtime::Value>& parts);

}  // namespace lathe::python
