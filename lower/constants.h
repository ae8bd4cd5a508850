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
// The module's table, for a code generator; and the module without it.
std::vector<ir::Constant> ConstantsOf(const ir::Module& module);
ir::Module WithoutConstants(const ir::Module& module);

}  // namespace lathe::lower
