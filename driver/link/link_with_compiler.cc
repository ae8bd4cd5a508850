#include "driver/link/link_with_compiler.h"

#include <sys/wait.h>

#include <chrono>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/run_program.h"
#include "runtime/status.h"

namespace lathe::driver {
namespace {

using runtime::MakeStatus;

constexpr size_t kKeptOutputBytes = 8000;

}  // namespace

absl::Status LinkWithCompiler(const CompilerLink& link) {
  std::vector<std::string> words = {link.compiler, "-shared", "-fPIC", "-o", link.output};
  words.insert(words.end(), link.inputs.begin(), link.inputs.end());
  words.insert(words.end(), link.arguments.begin(), link.arguments.end());
  const std::string command = absl::StrJoin(words, " ");
  std::vector<char*> argv;
  argv.reserve(words.size() + 1);
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);

  const ProgramEnd end =
      RunProgram(argv, std::chrono::seconds(link.timeout_seconds), kKeptOutputBytes);
  const std::string& output = end.output;
  if (end.error != 0 && !end.found) {
    return MakeStatus(
        absl::StatusCode::kNotFound, "compiler-not-found",
        absl::StrCat("cannot run the compiler `", link.compiler, "`: ", std::strerror(end.error),
                     "; give the path of one that links for the target, such as an NDK's clang"));
  }
  if (end.error != 0) {
    return MakeStatus(
        absl::StatusCode::kResourceExhausted, "compiler-failed",
        absl::StrCat("no pipe or process for the compiler: ", std::strerror(end.error)));
  }
  if (end.timed_out) {
    return MakeStatus(absl::StatusCode::kDeadlineExceeded, "compiler-timeout",
                      absl::StrCat("the compiler did not end within ", link.timeout_seconds,
                                   " s\ncommand: ", command, "\noutput:\n", output));
  }
  const int status = end.status;
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return absl::OkStatus();
  const std::string how = WIFEXITED(status) ? absl::StrCat("exit status ", WEXITSTATUS(status))
                                            : absl::StrCat("signal ", WTERMSIG(status));
  return MakeStatus(
      absl::StatusCode::kFailedPrecondition, "compiler-failed",
      absl::StrCat("linking failed with ", how, "\ncommand: ", command, "\noutput:\n", output));
}

}  // namespace lathe::driver
