// The name and features of this processor, as target strings spell them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"

namespace lathe::runtime {

// The architecture for which this code was compiled: "x86_64", "aarch64", "arm", "riscv64".
std::string_view HostArchitecture();

// The architecture of a triple in the same spelling: "aarch64" for "arm64-apple-darwin"; "" for "".
std::string_view ArchitectureOf(std::string_view triple);

// The features of this processor by LLVM's names ("avx512f", "amx-int8", "sve"), sorted; only those
// that this file can detect.
std::vector<std::string> HostFeatures();

enum class Support { kNo, kYes, kUnknown };
// kUnknown for features that this file cannot detect.
Support HostSupports(std::string_view feature);

// Checks that code compiled for a host target ("llvm -mtriple=aarch64-linux-gnu -mcpu=x86-64-v3
// -mattr=+avx2") can run here, as far as the string tells. Fails with `module-wrong-target`, which
// names the target and this processor. The plugins of other devices check their targets themselves.
absl::Status CheckTargetRunsHere(std::string_view target);

// Requests a part of the processor's state that the operating system gives only to processes that
// ask: "amx-tile" (Linux: arch_prctl(ARCH_REQ_XCOMP_PERM), for this process and all later threads).
// Each call costs a system call. Fails with `module-processor-state` if the system refuses, or the
// name is unknown.
absl::Status RequestProcessorState(std::string_view state);

}  // namespace lathe::runtime
