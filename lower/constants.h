// The constants of a module as one table.
#pragma once

#include <vector>

#include "ir/constants.h"
#include "ir/module.h"

namespace lathe::lower {

// Moves the functions' tables of constants (ir/constants.h) into the module's, equal constants
// once, and renumbers their AllocConsts. Returns the same pointer if no function has constants.
// Runs before passes that make functions from parts of others.
ir::Module GatherConstants(const ir::Module& module);
// Removes the constants that no AllocConst of the module uses from its table, and renumbers the
// others. Returns the same pointer if all are used.
ir::Module DropUnusedConstants(const ir::Module& module);
// A module with its constants separate, as code generators and caches take it.
struct Separated {
  ir::Module module;  // without its table
  std::vector<ir::ConstantRef> constants;
};
Separated SeparateConstants(const ir::Module& module);

}  // namespace lathe::lower
