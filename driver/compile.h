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
absl::StatusOr<std::string> Compile(const ir::Module& module, const target::Target& target,
                                    plugins::OutputKind output, const lower::PassContext& context);

// The same, with who loads it (CompileOutput::module_kind).
absl::StatusOr<plugins::CompileOutput> CompileModule(const ir::Module& module,
                                                     const target::Target& target,
                                                     plugins::OutputKind output,
                                                     const lower::PassContext& context);

// Modules hold their constants themselves, as nobody brings them to a call. Fails with
// `constant-not-held` where `module` uses one that its code generator left to the host (`consumed`
// as plugins::CompileOutput has it).
absl::Status CheckConstantsHeld(const ir::Module& module, const std::vector<bool>& consumed);

// Compiled and loaded into this process (the target must be this machine's). For a target that
// takes kernels the module imports the device's, which its functions launch.
absl::StatusOr<runtime::Module> Build(const ir::Module& module, const target::Target& target,
                                      const lower::PassContext& context);

struct ExportOptions {
  std::string compiler;  // links .so with this compiler (an NDK's) instead of Lathe's own writer
};
// A compiled object as a file, by its suffix: .o as it is, .so linked, .tar an archive of the
// object. The runtime alone loads each again. Fails with `export-suffix`, `export-write`, and what
// linking fails with. Files appear whole or not at all.
absl::Status ExportObject(const std::string& object, const std::string& path,
                          const ExportOptions& options = {});
// The same for a module in this process, with the device modules that were compiled into it. Fails
// with `module-not-saveable` for modules that have no object, and with `export-imports` for one
// that modules were added to after it was compiled (Module::Serialize writes those).
absl::Status ExportLibrary(const runtime::Module& module, const std::string& path,
                           const ExportOptions& options = {});

}  // namespace lathe::driver
