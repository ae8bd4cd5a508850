// The functions of this folder: each returns the definitions of one family of operators.
#pragma once

#include <vector>

#include "graph/op.h"

namespace lathe::graph::ops {

#define LATHE_OP_FAMILY(name) std::vector<OpDef> name();
#include "graph/ops/ops.def"
#undef LATHE_OP_FAMILY

}  // namespace lathe::graph::ops
