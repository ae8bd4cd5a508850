// The IR for vendors in C++: the nodes (ir/), the decoder (ir/binary.h), and a code generator for
// small vendors. Links ir and base into the plugin, hidden; none of their types is passed to the
// host.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "ir/binary.h"   // IWYU pragma: export
#include "ir/imports.h"  // IWYU pragma: export
#include "ir/module.h"   // IWYU pragma: export
#include "ir/walk.h"     // IWYU pragma: export
#include "plugins/sdk/bytes.h"
#include "plugins/sdk/codegen.h"
#include "plugins/sdk/kernel.h"

namespace lathe::sdk {

// A code generator that makes modules only, in the format of WordModuleLoader(magic, ...):
// `compile` gives each function's words. Its Check compiles, so compiling should be cheap.
using CompileToWords = std::function<Words(const ir::FuncNode& function)>;
std::unique_ptr<CodeGenerator> WordCodeGenerator(std::string magic, std::string module_kind,
                                                 CompileToWords compile);

// The parameters and launch of a function of calling convention "kernel". Throws sdk::Error
// `not-a-kernel` for others.
// others.
Kernel KernelOf(const ir::FuncNode& function);
// The JSON that describes a module's functions (runtime/metadata.h), for Describe("metadata"); ""
// if the module has none.
std::string MetadataOf(const ir::Module& module);

}  // namespace lathe::sdk
