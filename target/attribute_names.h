// Names of the attributes of targets that the compiler itself knows, each once. Targets have more:
// those are between a plugin's manifest and its code. Plugins get this header, too.
#pragma once

#include "lathe/abi/names.h"

namespace lathe::target::attribute {

// What every target may have, whatever its manifest lists.
inline constexpr char kKeys[] = "keys";
inline constexpr char kLibs[] = "libs";
inline constexpr char kDevice[] = "device";
inline constexpr char kModel[] = "model";
inline constexpr char kHost[] = "host";

// What is made for processors.
inline constexpr char kMtriple[] = "mtriple";
inline constexpr char kTripleAlias[] = "target";  // what people write for -mtriple
inline constexpr char kMcpu[] = "mcpu";
inline constexpr char kMattr[] = "mattr";
inline constexpr char kMfloatAbi[] = "mfloat-abi";

// What a machine description takes from a target (machine_of.h).
inline constexpr char kVectorWidth[] = "vector-width";  // bits
inline constexpr char kNumCores[] = "num-cores";
inline constexpr char kL1CacheBytes[] = "l1-cache-bytes";
inline constexpr char kL2CacheBytes[] = "l2-cache-bytes";
inline constexpr char kL3CacheBytes[] = "l3-cache-bytes";
inline constexpr char kL2CacheShared[] = "l2-cache-shared";
inline constexpr char kLimitPrefix[] = "max_";  // integers of such names are limits
inline constexpr char kWarpSize[] = LATHE_PROPERTY_WARP_SIZE;
inline constexpr char kMaxSharedMemoryPerBlock[] = LATHE_PROPERTY_MAX_SHARED_MEMORY_PER_BLOCK;

}  // namespace lathe::target::attribute

namespace lathe::target {

// The key of targets whose code runs on processors (Target::HasKey).
inline constexpr char kCpuKey[] = "cpu";
// Attribute -mcpu: the processor of this machine.
inline constexpr char kNativeCpu[] = "native";

}  // namespace lathe::target
