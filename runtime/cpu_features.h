// What this processor is and can do, by the names that target strings use.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"

namespace lathe::runtime {

// "x86_64", "aarch64", "arm", "riscv64": what this code was compiled for.
std::string_view HostArchitecture();

// The architecture of a triple in the same spelling: "aarch64" of "arm64-apple-darwin"; "" of "".
std::string_view ArchitectureOf(std::string_view triple);

// Features of this processor under LLVM's names ("avx512f", "amx-int8", "sve"), sorted; only those
// that have a test here.
std::vector<std::string> HostFeatures();

enum class Support { kNo, kYes, kUnknown };
// kUnknown for features this page has no test for.
Support HostSupports(std::string_view feature);

// Whether code compiled for a host target ("llvm -mtriple=aarch64-linux-gnu -mcpu=x86-64-v3
// -mattr=+avx2") can run here, as far as the string says. Fails with `module-wrong-target`, naming
// both sides. Targets of other devices' code are their plugins' business.
absl::Status CheckTargetRunsHere(std::string_view target);

// Asks the operating system for a part of the processor's state that it gives to those processes
// only that ask: "amx-tile" (Linux: arch_prctl(ARCH_REQ_XCOMP_PERM), for this process and threads
// to come). Asking again costs a system call. Fails with `module-processor-state` where it is
// refused, or not known.
absl::Status RequestProcessorState(std::string_view state);

}  // namespace lathe::runtime
