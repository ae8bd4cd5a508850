// The few functions that put the compiler together: schedule -> loops -> code -> module -> file.
//
//   ir::Module loops = Lower(schedule, {a, b, c}, "vector_add", {});
//   absl::StatusOr<runtime::Module> module = Build(loops, target::ParseTarget("llvm"), {});
//   module->GetFunction("vector_add");
//   ExportLibrary(*module, "vector_add.tar");
//
// Thread-safe: everything is passed in. Errors of the user's program are thrown (lathe::Error);
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
#include "schedule/schedule.h"
#include "target/target.h"

namespace lathe::driver {

inline constexpr const char* kVersion = "0.1.0";

// A module of one function at the contract stage `tile`, simplified: what people look at. `args`
// are tensors and scalar variables in calling order, inputs and outputs in any.
ir::Module Lower(const schedule::Schedule& schedule, const std::vector<ir::NodeRef>& args,
                 const std::string& name, const lower::PassContext& context);

// Throws `import-unsupported` where the module (with what GatherImports gathers) brings a source in
// a language that the target's manifest does not list under "imports". LowerForTarget and
// LowerForDevice ask.
void CheckImports(const ir::Module& module, const target::Target& target);

// From `tile` to the stage that the target's plugin reads, with the functions' metadata attached.
ir::Module LowerForTarget(const ir::Module& module, const target::Target& target,
                          const lower::PassContext& context);

// What the plugin makes of it: an object, assembly, the generator's IR, source. `module` is at
// stage `tile`.
//
// For a target that takes kernels (driver/lower_device.h) two plugins work: the device's makes a
// module of the kernels, and that of its host (HostOf) the functions that launch them. kObject and
// kModule give what the host's plugin made, with the device's module inside; all other outputs show
// the kernels. `docs/design/device.md` has the details.
//
// What is returned is complete: the code holds all its constants, however large they are.
absl::StatusOr<std::string> Compile(const ir::Module& module, const target::Target& target,
                                    plugins::OutputKind output, const lower::PassContext& context);

// The same, for those who carry large constants beside the code: kObject and kModule of targets
// that make code for hosts refer to them.
absl::StatusOr<Compiled> CompileModule(const ir::Module& module, const target::Target& target,
                                       plugins::OutputKind output,
                                       const lower::PassContext& context);

// The constants of `table` that `module` uses and the code does not hold (`consumed` as
// plugins::CompileOutput has it), which is to refer to them by `symbols`. Fails with
// `constant-not-held` where the code generator left one without a symbol (null, or no symbols at
// all) to its caller: nobody brings constants to a call.
absl::StatusOr<std::vector<SymbolConstant>> ConstantsNotHeld(
    const ir::Module& module, const std::vector<ir::ConstantRef>& table,
    const std::vector<const char*>& symbols, const std::vector<bool>& consumed);

// Compiled and loaded into this process (the target must be this machine's). For a target that
// takes kernels the module imports the device's, which its functions launch.
absl::StatusOr<runtime::Module> Build(const ir::Module& module, const target::Target& target,
                                      const lower::PassContext& context);

struct ExportOptions {
  std::string compiler;  // links .so with this compiler (an NDK's) instead of Lathe's own writer
  // For .o: the name of the one symbol, in place of LATHE_ARTIFACT_SYMBOL, so that several modules
  // can be linked into one program (runtime/artifact/static_artifact.h).
  std::string symbol;
};
// Compiled code as a file, by its suffix: .o an object, .so a shared library, .tar an archive, each
// with the constants inside. The runtime alone loads each again; of .so and .tar it maps the
// constants as they lie in the file. Fails with `export-suffix`, `export-symbol`, `export-write`,
// and what linking fails with. Files appear whole or not at all.
absl::Status ExportCompiled(const Compiled& compiled, const std::string& path,
                            const ExportOptions& options = {});
// The same for an object without others' constants.
absl::Status ExportObject(const std::string& object, const std::string& path,
                          const ExportOptions& options = {});
// The same for a module in this process, with all that it imports, also what was added after it was
// compiled. Fails with `module-not-saveable` for modules that have no object, and with
// `export-kind` where what it was loaded from (a shared library, an archive of foreign objects)
// cannot be written in this form.
absl::Status ExportLibrary(const runtime::Module& module, const std::string& path,
                           const ExportOptions& options = {});

}  // namespace lathe::driver
