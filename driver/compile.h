// The main functions of the compiler: schedule -> loops -> code -> module -> file.
//
//   ir::Module loops = Lower(schedule, {a, b, c}, "vector_add", {});
//   absl::StatusOr<runtime::Module> module = Build(loops, target::ParseTarget("llvm"), {});
//   module->GetFunction("vector_add");
//   ExportLibrary(*module, "vector_add.tar");
//
// Thread-safe: everything is passed in. Errors in the user's program are thrown (lathe::Error);
// plugins and files fail with a status.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "driver/compiled.h"
#include "ir/constants.h"
#include "ir/module.h"
#include "lower/pass.h"
#include "plugins/host/codegen.h"
#include "runtime/module.h"
#include "schedule/loop_nest.h"
#include "schedule/schedule.h"
#include "target/target.h"

namespace lathe::driver {

inline constexpr const char* kVersion = "0.1.0";

// Makes a module of one function at the contract stage `tile`, simplified. This is the form that
// people look at. `args` are tensors and scalar variables in calling order, inputs and outputs in
// any order. `binds` gives tensor arguments that are not compact a buffer with strides, an offset
// or an alignment (schedule/loop_nest.h).
ir::Module Lower(const schedule::Schedule& schedule, const std::vector<ir::NodeRef>& args,
                 const std::string& name, const lower::PassContext& context,
                 const schedule::TensorBuffers& binds = {});

// Throws `import-unsupported` if the module (or what GatherImports gathers from it) imports a
// source in a language that the target's manifest does not list under "imports". LowerForTarget and
// LowerForDevice call this.
void CheckImports(const ir::Module& module, const target::Target& target);

// Lowers a module from `tile` to the stage that the target's plugin reads, and attaches the
// functions' metadata.
ir::Module LowerForTarget(const ir::Module& module, const target::Target& target,
                          const lower::PassContext& context);

// Returns the plugin's output: an object, assembly, the generator's IR, or source. `module` is at
// stage `tile`.
//
// For a target that takes kernels (driver/lower_device.h) two plugins work together. The device's
// plugin compiles the kernels to a module, and the host's plugin (HostOf) compiles the functions
// that launch them. kObject and kModule give the output of the host's plugin, with the device's
// module inside. All other outputs show the kernels. See `docs/design/device.md`.
//
// The result is complete: the code holds all its constants, however large they are.
absl::StatusOr<std::string> Compile(const ir::Module& module, const target::Target& target,
                                    plugins::OutputKind output, const lower::PassContext& context);

// The same, for callers that carry large constants beside the code. kObject and kModule refer to
// them by symbols if the target makes code for hosts.
absl::StatusOr<Compiled> CompileModule(const ir::Module& module, const target::Target& target,
                                       plugins::OutputKind output,
                                       const lower::PassContext& context);

// The constants of `table` that `module` uses and that the code does not hold (`consumed`: see
// plugins::CompileOutput). The code refers to them by `symbols`. Fails with `constant-not-held` if
// such a constant has no symbol (null, or no symbols at all): callers cannot pass constants to a
// call.
absl::StatusOr<std::vector<SymbolConstant>> ConstantsNotHeld(
    const ir::Module& module, const std::vector<ir::ConstantRef>& table,
    const std::vector<const char*>& symbols, const std::vector<bool>& consumed);

// Compiles, and loads the result into this process (see Load). For a target that takes kernels, the
// module imports the device's module, whose kernels its functions launch.
absl::StatusOr<runtime::Module> Build(const ir::Module& module, const target::Target& target,
                                      const lower::PassContext& context);

struct ExportOptions {
  std::string compiler;  // links .so with it (e.g. an NDK's), not with Lathe's own writer
  // For .o: the name of the one symbol, instead of LATHE_ARTIFACT_SYMBOL, so that several modules
  // can be linked into one program (runtime/artifact/static_artifact.h).
  std::string symbol;
};
// Writes compiled code to a file whose suffix says what it is: .o an object, .so a shared library,
// .tar an archive. Constants are inside. The runtime alone can load each of them; it maps the
// constants directly from the file. Fails with `export-suffix`, `export-symbol`, `export-write`,
// and as linking fails. A file appears completely or not at all.
absl::Status ExportCompiled(const Compiled& compiled, const std::string& path,
                            const ExportOptions& options = {});
// The same for an object without constants beside it.
absl::Status ExportObject(const std::string& object, const std::string& path,
                          const ExportOptions& options = {});
// The same for a module in this process with all that it imports, also modules that were added
// after it was compiled. Fails with `module-not-saveable` if the module has no object. Fails with
// `export-kind` if the module was loaded from a file (a shared library, an archive of foreign
// objects) that cannot be written in this form.
absl::Status ExportLibrary(const runtime::Module& module, const std::string& path,
                           const ExportOptions& options = {});

}  // namespace lathe::driver
