#include "backends/cuda/nvcc.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "base/file.h"
#include "plugins/sdk/value.h"

extern char** environ;  // NOLINT: POSIX

namespace lathe::cuda {
namespace {

namespace fs = std::filesystem;

bool IsProgram(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path, error) && access(path.c_str(), X_OK) == 0;
}

std::string FindNvcc() {
  bool only = false;
  std::string tried;
  for (const fs::path root : ToolkitFolders(&only)) {
    if (const fs::path path = root / "bin" / "nvcc"; IsProgram(path)) return path;
    tried += (tried.empty() ? "" : ", ") + (root / "bin").string();
  }
  const char* path = only ? nullptr : secure_getenv("PATH");
  for (const char* at = path; at != nullptr && *at != '\0';) {
    const char* end = std::strchr(at, ':');
    const std::string folder = end == nullptr ? std::string(at) : std::string(at, end);
    // A relative entry of PATH would depend on the current folder, so it is ignored.
    const fs::path program = fs::path(folder) / "nvcc";
    if (program.is_absolute() && IsProgram(program)) return program;
    at = end == nullptr ? nullptr : end + 1;
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

// The temporary folder of one compilation; the destructor removes it.
class WorkFolder {
 public:
  WorkFolder() {
    std::string pattern = (fs::temp_directory_path() / "lathe-nvcc-XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) Fail("making a folder for nvcc");
    path_ = pattern;
  }
  ~WorkFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  WorkFolder(const WorkFolder&) = delete;
  WorkFolder& operator=(const WorkFolder&) = delete;
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

// Runs a program within `folder` with its output in the file `log`; true if it exits with success.
bool RunIn(const fs::path& folder, const std::vector<std::string>& command, const fs::path& log) {
  std::vector<char*> args;
  for (const std::string& arg : command) args.push_back(const_cast<char*>(arg.c_str()));
  args.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 1, log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_adddup2(&actions, 1, 2);
  posix_spawn_file_actions_addchdir_np(&actions, folder.c_str());
  pid_t child = 0;
  const int failed = posix_spawn(&child, args[0], &actions, nullptr, args.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) {
    errno = failed;
    Fail("starting " + command[0]);
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) Fail("waiting for " + command[0]);
  }
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace

Compiled CompileByNvcc(const std::string& source, const std::string& name, const std::string& arch,
                       const std::vector<std::string>& options) {
  const std::string nvcc = FindNvcc();
  const WorkFolder folder;
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
  const bool well = RunIn(folder.path(), command, folder.path() / "log");
  Compiled out;
  // A file that does not exist reads as empty.
  std::string log;
  static_cast<void>(ReadFile(folder.path() / "log", kAnySize, &log));
  out.log = CleanLog(log);
  if (!well) ThrowCompileFailed(source, name, arch, nvcc, out.log, "");
  static_cast<void>(ReadFile(folder.path() / "out", kAnySize, &out.code));
  if (out.code.empty())
    ThrowCompileFailed(source, name, arch, nvcc + " wrote nothing", out.log, "");
  return out;
}

}  // namespace lathe::cuda
