// Where NVIDIA's compilers are searched, and the errors for source that does not compile.
// Thread-safe except AddToolkitFolder.
#pragma once

#include <string>
#include <vector>

namespace lathe::cuda {

struct Compiled {
  std::string code;  // a cubin, or PTX text
  std::string log;   // the compiler's log, with ptxas's figures of registers and spills
};

// The folders to search. If LATHE_CUDA_HOME is set: the folder that it names (an installed toolkit,
// or `nvidia/cu13` of NVIDIA's Python packages) and no other, and `*only` becomes true. Else: the
// folders of CUDA_HOME and CUDA_PATH, the plugin's folder, and /usr/local/cuda. Throws
// `cuda-path-relative`.
std::vector<std::string> ToolkitFolders(bool* only);
// Adds a folder to search first, such as one beside the plugin. Call it before the first
// compilation.
void AddToolkitFolder(std::string folder);

// The compiler's log without the lines about time: equal sources give equal logs.
std::string CleanLog(const std::string& log);
// Throws `cuda-compile-failed` with the compiler's log and the source lines that it names.
[[noreturn]] void ThrowCompileFailed(const std::string& source, const std::string& name,
                                     const std::string& arch, const std::string& reason,
                                     const std::string& log, const std::string& note);

}  // namespace lathe::cuda
