// The constants of a module as one table.
#pragma once

#include <vector>

#include "ir/constants.h"
#include "ir/module.h"

namespace lathe::lower {

// Takes the functions' tables (ir/constants.h) into the module's, equal constants once, and
// renumbers their AllocConsts. The same pointer where no function has constants. Before passes that
// make functions of parts of others.
ir::Module GatherConstants(const ir::Module& module);
// A module whose constants stand beside it, as code generators and caches take it.
struct Separated {
  ir::Module module;  // without its table
  std::vector<ir::ConstantRef> constants;
};
Separated SeparateConstants(const ir::Module& module);

}  // namespace lathe::lower
