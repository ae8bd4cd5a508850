// What a module says about itself, for the artefact (runtime/metadata.h).
#pragma once

#include "ir/module.h"
#include "lower/pass.h"
#include "runtime/metadata.h"
#include "target/target.h"

namespace lathe::driver {

// `module` at stage `tile`: its functions still have tensors and scalars as parameters.
runtime::Metadata DescribeModule(const ir::Module& module, const target::Target& target);

// The module with `metadata` in it, for the code generator to put into the artefact.
ir::Module WithMetadata(const ir::Module& module, const runtime::Metadata& metadata);

// Whether `context` asks for entries without checks. Throws `entries-unsupported` for targets whose
// functions have none.
bool WantsEntries(const target::Target& target, const lower::PassContext& context);
// Adds what those of the module's functions take.
void DescribeEntries(const ir::Module& module, runtime::Metadata* metadata);

// `context`, whose passes fill in what the functions of `metadata` take as workspace. Borrows it.
lower::PassContext NotingWorkspace(lower::PassContext context, runtime::Metadata* metadata);

// The same functions, each saying which parameters it writes (lower/bind_arguments.h): what it
// stores to, what calls get to write, and what its attribute said already. Unchanged for a `host`
// of 32 bits, whose tensor objects lie otherwise: there only callers look.
ir::Module WithWrites(const ir::Module& module, const target::Target& host);

}  // namespace lathe::driver
