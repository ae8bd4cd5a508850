// Canonical targets: all that a target means, spelled out.
#pragma once

#include "absl/status/statusor.h"
#include "target/target.h"

namespace lathe::runtime {
struct PluginCodeGen;
}

namespace lathe::target {

// The target with what its plugin fills in (for `llvm` the triple, processor, features and vector
// width), and, where code is made for this machine, what this machine says of its caches and cores
// (host_machine.h): those of its attributes that the schema knows and the target does not give. So
// equal texts mean equal schedules and equal code. A fixed point. Loads the plugin; fails with what
// PluginLoader::LoadKind says, with `plugin-contract`, and with what the plugin says.
absl::StatusOr<Target> CanonicalTarget(const Target& target);

// The code generator of the target's kind, which lives as long as the process. Loads the plugin;
// fails as CanonicalTarget does.
absl::StatusOr<const runtime::PluginCodeGen*> FindCodeGen(const Target& target);

// `canonical` with the figures of this machine that it does not have, where `asked` is this
// machine.
Target WithHostFigures(Target canonical, const Target& asked);

// Is code for it made for the processor that this process runs on? For a CPU whose triple, where
// there is one, is this machine's, and whose processor nobody names but as `native`.
bool IsThisMachine(const Target& target);

}  // namespace lathe::target
