// What a module says about itself, for the artefact (runtime/metadata.h).
#pragma once

#include "ir/module.h"
#include "plugins/host/target.h"
#include "runtime/metadata.h"

namespace lathe::driver {

// `module` at stage `tile`: its functions still have tensors and scalars as parameters.
runtime::Metadata DescribeModule(const ir::Module& module, const plugins::Target& target);

}  // namespace lathe::driver
