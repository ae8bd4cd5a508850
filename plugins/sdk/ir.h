// The IR for vendors in C++: the nodes (ir/), the decoder (ir/binary.h), and the code generator
// that many a small vendor needs. Links ir and base into the plugin, hidden; none of their types
// crosses the border.
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

// Makes modules only, each function as `compile` says, in the format of WordModuleLoader(magic,
// ...). Its Check compiles: right where that is cheap.
using CompileToWords = std::function<Words(const ir::FuncNode& function)>;
std::unique_ptr<CodeGenerator> WordCodeGenerator(std::string magic, std::string module_kind,
                                                 CompileToWords compile);

// How a function of calling convention "kernel" is called. Throws sdk::Error `not-a-kernel` for
// others.
Kernel KernelOf(const ir::FuncNode& function);
// The JSON that describes a module's functions (runtime/metadata.h), for Describe("metadata"); ""
// where the module says nothing.
std::string MetadataOf(const ir::Module& module);

}  // namespace lathe::sdk
