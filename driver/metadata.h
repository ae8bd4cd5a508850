// Makes a module's metadata for the artefact (runtime/metadata.h).
#pragma once

#include "ir/module.h"
#include "lower/pass.h"
#include "runtime/metadata.h"
#include "target/target.h"

namespace lathe::driver {

// `module` is at stage `tile`: its functions still have tensors and scalars as parameters.
runtime::Metadata DescribeModule(const ir::Module& module, const target::Target& target);

// The module with `metadata` attached; the code generator puts it into the artefact.
ir::Module WithMetadata(const ir::Module& module, const runtime::Metadata& metadata);

// Does `context` ask for entries without checks? Throws `entries-unsupported` if the target's
// functions have none.
bool WantsEntries(const target::Target& target, const lower::PassContext& context);
// Adds to `metadata` what the unchecked entries of the module's functions take.
void DescribeEntries(const ir::Module& module, runtime::Metadata* metadata);

// Returns `context` changed so that its passes record in `metadata` how much workspace each
// function takes. Borrows `metadata`.
lower::PassContext NotingWorkspace(lower::PassContext context, runtime::Metadata* metadata);

// Marks each function with the parameters that it writes (lower/bind_arguments.h): those it stores
// to, those it passes to calls that may write them, and those its attribute lists already. Returns
// the module unchanged for a 32-bit `host`: the layout of its tensor objects is different, and only
// callers use the marks there.
ir::Module WithWrites(const ir::Module& module, const target::Target& host);

}  // namespace lathe::driver
