#include "backends/cuda/nvcc.h"

#include <sys/wait.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>

#include "base/file.h"
#include "base/run_program.h"
#include "plugins/sdk/value.h"

namespace lathe::cuda {
namespace {

namespace fs = std::filesystem;

// Who wants an end to it sets a time limit.
constexpr std::chrono::hours kNoLimit(24 * 365);
// Of a longer log the end is kept.
constexpr size_t kMostLogBytes = size_t{16} << 20;

std::string FindNvcc() {
  bool only = false;
  std::string tried;
  for (const fs::path root : ToolkitFolders(&only)) {
    if (const fs::path path = root / "bin" / "nvcc"; IsProgram(path)) return path;
    tried += (tried.empty() ? "" : ", ") + (root / "bin").string();
  }
  if (!only) {
    if (std::string path = FindOnPath("nvcc"); !path.empty()) return path;
  }
  throw sdk::Error(LATHE_UNAVAILABLE, "cuda-no-compiler",
                   "nvcc, which the target's -compiler=nvcc asks for, is not in " + tried +
                       (only ? ", which LATHE_CUDA_HOME names" : ", nor on PATH"),
                   "help: install the CUDA toolkit, and name its folder in LATHE_CUDA_HOME; or "
                   "leave out -compiler=nvcc, which leaves the work to NVRTC");
}

[[noreturn]] void Fail(const std::string& doing) {
  throw sdk::Error(LATHE_INTERNAL, "cuda-compile-failed",
                   doing + " failed: " + std::string(std::strerror(errno)));
}

// Runs a program within `folder`; true if it exits with success. Ends it with the caller's work,
// and throws what ends that (base/poll.h).
bool RunIn(const fs::path& folder, const std::vector<std::string>& command, std::string* log) {
  std::vector<char*> args;
  for (const std::string& arg : command) args.push_back(const_cast<char*>(arg.c_str()));
  args.push_back(nullptr);
  const ProgramEnd end = RunProgram(args, kNoLimit, kMostLogBytes, /*input=*/-1, folder.c_str());
  if (end.error != 0) {
    errno = end.error;
    Fail("running " + command[0]);
  }
  *log = end.output;
  return WIFEXITED(end.status) && WEXITSTATUS(end.status) == 0;
}

}  // namespace

Compiled CompileByNvcc(const std::string& source, const std::string& name, const std::string& arch,
                       const std::vector<std::string>& options) {
  const std::string nvcc = FindNvcc();
  const WorkFolder folder("lathe-nvcc-");
  if (folder.error() != 0) {
    errno = folder.error();
    Fail("making a folder for nvcc in " + folder.parent() + ", for temporary files (TMPDIR),");
  }
  if (const FileProblem problem = WriteFile(folder.path() / name, source); !problem.ok()) {
    errno = problem.error;
    Fail("writing the source for nvcc");
  }
  const bool to_ptx = arch.starts_with("compute_");
  std::vector<std::string> command = {nvcc, to_ptx ? "-ptx" : "-cubin", "-arch=" + arch,
                                      "-std=c++17"};
  if (!to_ptx) command.insert(command.end(), {"-Xptxas", "-v"});
  command.insert(command.end(), options.begin(), options.end());
  command.insert(command.end(), {"-o", "out", name});
  std::string log;
  const bool well = RunIn(folder.path(), command, &log);
  Compiled out;
  out.log = CleanLog(log);
  if (!well) ThrowCompileFailed(source, name, arch, nvcc, out.log, "");
  // A file that does not exist reads as empty.
  static_cast<void>(ReadFile(folder.path() / "out", kAnySize, &out.code));
  if (out.code.empty())
    ThrowCompileFailed(source, name, arch, nvcc + " wrote nothing", out.log, "");
  return out;
}

}  // namespace lathe::cuda
