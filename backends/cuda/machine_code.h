// For tests: the machine code of compiled kernels, from NVIDIA's disassembler and the compiler's
// log.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace lathe::cuda {

// Architectures that every kernel of the tests is compiled for.
inline constexpr const char* kArchs[] = {"sm_75", "sm_80", "sm_86",  "sm_87",
                                         "sm_89", "sm_90", "sm_90a", "sm_100"};

// The resources of a kernel, as ptxas reports them.
struct Resources {
  int registers = 0;
  int spilled_bytes = 0;  // stores and loads
  int stack_bytes = 0;
  int shared_bytes = 0;
};
// By kernel, from a log made with --ptxas-options=-v.
std::map<std::string, Resources> ReadResources(const std::string& log);

// The instructions of each kernel of a cubin, one a line: "LDG.E.128 R4, [R2.64] ;". Needs
// @cuda_tools//:site/nvidia/cu13/bin/nvdisasm among the test's data. Throws std::runtime_error.
std::map<std::string, std::string> Disassemble(const std::string& cubin);

// The number of lines whose instruction starts with `start` ("HMMA.16816"); predicates are ignored.
int CountInstructions(const std::string& lines, std::string_view start);

// Sets LATHE_CUDA_HOME to the pinned compiler's tree; call before the first compilation.
void UsePinnedToolkit();

}  // namespace lathe::cuda
