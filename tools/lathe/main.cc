// `lathe`: the command line. Subcommands are data (command.h), one file each.
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <new>
#include <string>
#include <system_error>
#include <vector>

#include "base/thread.h"
#include "driver/compile.h"
#include "driver/default_plugins.h"
#include "runtime/error_object.h"
#include "runtime/rpc/worker.h"
#include "runtime/start_thread.h"
#include "runtime/status.h"
#include "tools/lathe/command.h"
#include "tools/lathe/files.h"
#include "tools/lathe/outputs.h"

namespace lathe::cli {
namespace {

constexpr const char* kExitCodes =
    "Exit codes:\n"
    "  0   done\n"
    "  1   the program, its schedule or its arguments must change\n"
    "  2   the command line must change\n"
    "  3   a file, a plugin or a device is missing or does not work\n"
    "  70  a bug in Lathe\n"
    "An interrupt (Ctrl-C) removes unfinished outputs and ends the process by that signal.\n";

void PrintOptions(std::span<const Option> options) {
  for (const Option& option : options) {
    std::string left = "  ";
    if (option.letter != 0) left += std::string("-") + option.letter + ", ";
    left += option.name;
    if (option.value != nullptr) left += std::string(" ") + option.value;
    std::printf("%s%s%s\n", left.c_str(),
                left.size() < 28 ? std::string(28 - left.size(), ' ').c_str()
                                 : "\n                            ",
                option.what);
  }
}

const Command* const kCommands[] = {&kImport, &kCompile, &kRun,     &kBench,   &kProfile,
                                    &kView,   &kCompare, &kLower,   &kExplain, &kBisect,
                                    &kKey,    &kInspect, &kPlugins, &kTargets, &kCache,
                                    &kRemote, &kBoard,   &kTune,    &kDoctor};

void PrintOverview() {
  std::printf("lathe %s: compiles models and tensor programs\n\nusage: lathe COMMAND ...\n\n",
              driver::kVersion);
  for (const Command* command : kCommands)
    std::printf("  %-10s %s\n", command->name, command->what);
  std::printf("  %-10s %s\n\n", "help", "show this text, or more about one command");
  std::printf(
      "Examples:\n  lathe run model.onnx --input data=cat.png --top 5\n"
      "  lathe run examples/programs/vector_add.lathe random:8 random:8\n\n%s",
      kExitCodes);
}

const Command& FindCommand(const std::string& name) {
  std::vector<std::string> names;
  for (const Command* command : kCommands) {
    if (name == command->name) return *command;
    names.emplace_back(command->name);
  }
  names.emplace_back("help");
  throw UsageError(Diagnostic{.name = "cli-unknown-command",
                              .message = "there is no command `" + name + "`",
                              .expected = NearOrAll(name, names),
                              .found = "`" + name + "`",
                              .help = "`lathe help` lists the commands"});
}

absl::Status Run(const std::vector<std::string>& given) {
  if (given.empty()) {
    PrintOverview();
    throw UsageError(Diagnostic{.name = "cli-no-command",
                                .message = "no command was given",
                                .expected = "`lathe COMMAND ...`",
                                .found = "nothing",
                                .help = "the commands are listed above"});
  }
  const std::string& name = given[0];
  if (name == "--version" || name == "version") {
    std::printf("lathe %s\n", driver::kVersion);
    return absl::OkStatus();
  }
  if (name == "help" || name == "--help" || name == "-h") {
    if (given.size() == 1) {
      PrintOverview();
      return absl::OkStatus();
    }
    // `lathe help remote run` is `lathe remote run --help`.
    std::vector<std::string> words(given.begin() + 2, given.end());
    words.emplace_back("--help");
    return RunWords(FindCommand(given[1]), words);
  }
  return RunWords(FindCommand(name), std::span(given).subspan(1));
}

// What was printed reaches standard output, or the command has failed.
absl::Status Flushed(absl::Status status) {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return status;
  if (!status.ok()) return status;
  return runtime::MakeStatus(absl::StatusCode::kUnavailable, "output-write",
                             std::string("cannot write to standard output: ") +
                                 std::strerror(errno) +
                                 "\n  help: look at what it is connected to");
}

ExitCode RunReportedWithMemory(absl::FunctionRef<absl::Status()> work) {
  try {
    const absl::Status status = work();
    if (!status.ok()) Report(status);
    return ExitOf(status);
  } catch (const UsageError& error) {
    Report(error);
    return kUsageError;
  } catch (const runtime::CallError& error) {
    Report(error);
    return ExitOf(absl::Status(error.code(), error.diagnostic().message));
  } catch (const Error& error) {
    Report(error);
    return kUserError;
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& error) {
    Report(runtime::MakeStatus(absl::StatusCode::kInternal, "internal-error", error.what()));
    return kInternalBug;
  }
}

// Compiling needs more stack than `ulimit -s` may allow the thread of `main`.
int RunOnWholeStack(const std::vector<std::string>& given) {
  int code = kInternalBug;
  const ExitCode refused = RunReported([&] {
    try {
      code = OnWholeStack([&] { return RunReported([&] { return Flushed(Run(given)); }); });
      return absl::OkStatus();
    } catch (const std::system_error& problem) {
      return runtime::ThreadRefused(
          "a command with a stack of 8 MiB, which the limit for stacks (ulimit -s) is below",
          problem);
    }
  });
  return refused == kOk ? code : refused;
}

}  // namespace

absl::Status RunWords(const Command& command, std::span<const std::string> words) {
  // Options before the name of a part, if all that the command does are parts: `lathe remote -h`.
  const size_t before = command.run == nullptr ? LeadingOptions(words) : 0;
  const bool of_parts = before != 0;
  if (command.run_words != nullptr && !of_parts && (words.size() != 1 || words[0] != "--help"))
    return command.run_words({words.begin(), words.end()});
  const Arguments arguments =
      ParseArguments(command.name, command.options, of_parts ? 0 : command.fewest,
                     of_parts ? 0 : command.most, of_parts ? words.first(before) : words);
  if (arguments.Has("--help")) {
    PrintHelp(command);
    return absl::OkStatus();
  }
  (void)arguments.color();  // every command refuses a bad --color
  if (of_parts) {
    // `lathe board --color never ls` is `lathe board ls --color never`.
    std::vector<std::string> part(words.begin() + static_cast<int64_t>(before), words.end());
    if (!part.empty())
      part.insert(part.begin() + 1, words.begin(), words.begin() + static_cast<int64_t>(before));
    return command.run_words(std::move(part));
  }
  LATHE_RETURN_IF_ERROR(CheckOutputs(arguments));
  driver::UseDefaultPlugins();
  return command.run(arguments);
}

void PrintHelp(const Command& command) {
  std::printf("lathe %s: %s\n\nusage: lathe %s %s\n\n%s\nOptions:\n", command.name, command.what,
              command.name, command.arguments, command.details);
  PrintOptions(command.options);
  PrintOptions(CommonOptions());
  std::printf("\nExample:\n%s\n%s", command.example, kExitCodes);
}

ExitCode RunReported(absl::FunctionRef<absl::Status()> work) {
  try {
    return RunReportedWithMemory(work);
  } catch (const std::bad_alloc&) {
    // A report of any kind may need memory, this one does not.
    std::fputs(
        "error[out-of-memory]: there is not enough memory\n"
        "  help: use smaller tensors, or a machine with more memory\n",
        stderr);
    return kEnvironment;
  }
}

}  // namespace lathe::cli

int main(int argc, char** argv) {
  const std::vector<std::string> given(argv + (argc > 0 ? 1 : 0), argv + argc);
  // Before there are threads.
  if (given == std::vector<std::string>{"remote", "worker"}) lathe::runtime::rpc::LimitWorker();
  lathe::cli::CleanUpOnInterrupt();
  return lathe::cli::RunOnWholeStack(given);
}
