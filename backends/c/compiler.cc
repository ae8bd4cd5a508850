#include "backends/c/compiler.h"

#include <sys/wait.h>

#include <chrono>
#include <cstring>
#include <filesystem>

#include "base/file.h"
#include "base/run_program.h"
#include "plugins/sdk/value.h"

namespace lathe::c_backend {
namespace {

namespace fs = std::filesystem;

// Who wants an end to it sets a time limit.
constexpr std::chrono::hours kNoLimit(24 * 365);
constexpr size_t kMostLogBytes = 8000;

// The text's semantics do not depend on errno, traps or the types of memory.
constexpr const char* kOptions[] = {"-std=c11",
                                    "-O3",
                                    "-fPIC",
                                    "-fno-strict-aliasing",
                                    "-fno-math-errno",
                                    "-fno-trapping-math",
                                    "-fno-asynchronous-unwind-tables",
                                    "-w"};

[[noreturn]] void Fail(const std::string& compiler, const std::string& why,
                       const std::string& notes) {
  throw sdk::Error(LATHE_INTERNAL, "c-compile-failed",
                   "the C compiler `" + compiler + "` made no object: " + why, notes);
}

}  // namespace

std::string FindCompiler(const std::string& named) {
  if (named.find('/') != std::string::npos) {
    std::error_code error;
    const fs::path path = fs::absolute(named, error);
    return !error && IsProgram(path) ? path.string() : "";
  }
  if (!named.empty()) return FindOnPath(named);
  for (const char* name : {"cc", "gcc", "clang"}) {
    if (std::string path = FindOnPath(name); !path.empty()) return path;
  }
  return "";
}

void ThrowNoCompiler(const std::string& named) {
  const std::string what =
      named.empty() ? "none of `cc`, `gcc` and `clang` is on PATH"
      : named.find('/') == std::string::npos
          ? "`" + named + "`, which the target's -cc names, is not on PATH"
          : "there is no program `" + named + "`, which the target's -cc names";
  throw sdk::Error(LATHE_UNAVAILABLE, "c-no-compiler",
                   "the module's C was not compiled, because there is no C compiler: " + what,
                   "help: install one or name one by the target's -cc, and build again; "
                   "get_source() gives the C, which any other C compiler takes");
}

std::string CompileObject(const std::string& compiler, const std::vector<std::string>& options,
                          const std::string& source) {
  const WorkFolder folder("lathe-c-");
  if (folder.error() != 0)
    Fail(compiler, "no folder can be made in " + folder.parent() + " (TMPDIR)",
         "found: " + std::string(std::strerror(folder.error())));
  if (const FileProblem problem = WriteFile(folder.path() / "module.c", source); !problem.ok())
    Fail(compiler, "the source cannot be written", "found: " + problem.text);
  std::vector<std::string> command = {compiler};
  command.insert(command.end(), std::begin(kOptions), std::end(kOptions));
  command.insert(command.end(), options.begin(), options.end());
  command.insert(command.end(), {"-c", "-o", "module.o", "module.c"});
  std::vector<char*> args;
  for (std::string& arg : command) args.push_back(arg.data());
  args.push_back(nullptr);
  const ProgramEnd end =
      RunProgram(args, kNoLimit, kMostLogBytes, /*input=*/-1, folder.path().c_str());
  if (end.error != 0)
    Fail(compiler, "it cannot be run", "found: " + std::string(std::strerror(end.error)));
  std::string object;
  // A file that does not exist reads as empty.
  static_cast<void>(ReadFile(folder.path() / "module.o", kAnySize, &object));
  if (!WIFEXITED(end.status) || WEXITSTATUS(end.status) != 0 || object.empty())
    Fail(
        compiler, "it refuses the text, or an option",
        "found: " + end.output +
            "\nhelp: the target's -cc names another compiler, -cc-options= its options; the text "
            "alone "
            "needs none: `lathe compile -o out.c`, or compile_to(..., \"source\") of lathe.driver");
  return object;
}

}  // namespace lathe::c_backend
