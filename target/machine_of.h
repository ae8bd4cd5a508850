// The machine that a target means: what its plugin's manifest says, and over it what its attributes
// say.
//
//   -mtriple=           architecture
//   -mattr=             features (those with a `+`)
//   -vector-width=      bits of a vector register
//   -num-cores=         cores
//   -l1-cache-bytes=    a core's cache of data; -l2-cache-bytes=, -l3-cache-bytes= further ones
//   -l2-cache-shared=   whether several cores share the second
//   -max_*=, -warp_size=    limits, by these names; with dashes too
//
// Of a canonical target (canonical.h) all is said by its text, which has this machine's figures
// where the target is this machine. What nobody says is as Machine's declaration has it: the least.
// docs/design/targets.md.
#pragma once

#include "target/machine.h"
#include "target/target.h"

namespace lathe::target {

// Depends on the target alone, never on this machine. Thread-safe.
Machine MachineOf(const Target& target);

}  // namespace lathe::target
