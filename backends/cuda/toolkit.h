// Where NVIDIA's compilers are looked for, and what they say of source that does not compile.
// Thread-safe but for AddToolkitFolder.
#pragma once

#include <string>
#include <vector>

namespace lathe::cuda {

struct Compiled {
  std::string code;  // a cubin, or PTX text
  std::string log;   // the compiler's, with what ptxas says of registers and spills
};

// The folder that LATHE_CUDA_HOME names (an installed toolkit, or `nvidia/cu13` of NVIDIA's Python
// packages) and nothing else, then `*only`; where that is not set, those of CUDA_HOME and
// CUDA_PATH, beside the plugin, and /usr/local/cuda. Throws `cuda-path-relative`.
std::vector<std::string> ToolkitFolders(bool* only);
// What to look at first, such as a folder beside the plugin; before the first compilation.
void AddToolkitFolder(std::string folder);

// The compiler's log without the lines that tell how long it took: equal sources give equal logs.
std::string CleanLog(const std::string& log);
// Throws `cuda-compile-failed` with the compiler's log and the lines of the source that it names.
[[noreturn]] void ThrowCompileFailed(const std::string& source, const std::string& name,
                                     const std::string& arch, const std::string& reason,
                                     const std::string& log, const std::string& note);

}  // namespace lathe::cuda
