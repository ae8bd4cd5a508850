// Subcommands of `lathe` as data. The table in main.cc gives help, argument checks and suggestions
// for misspelt names.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "base/error.h"

namespace lathe::cli {

// The exit codes of the process. `lathe help` documents them.
enum ExitCode : int {
  kOk = 0,
  kUserError = 1,     // the program, its schedule or its arguments must change
  kUsageError = 2,    // the command line must change
  kEnvironment = 3,   // a file, a plugin or a device is missing or does not work
  kInternalBug = 70,  // a bug in Lathe
};

// An error in the command line.
class UsageError : public Error {
 public:
  using Error::Error;
};

struct Option {
  const char* name;   // "--target"
  const char* value;  // "TARGET"; null for a switch
  const char* what;   // one line
  char letter = 0;    // 'o' for -o
};

// The arguments given to a command, checked against its options.
class Arguments {
 public:
  const std::vector<std::string>& positional() const { return positional_; }
  bool Has(std::string_view option) const { return values_.find(option) != values_.end(); }
  // The last value, or `fallback` if the option was not given.
  std::string Get(std::string_view option, std::string_view fallback = {}) const;
  // All values of the option, in order.
  std::vector<std::string> All(std::string_view option) const;
  // The last value, or `fallback` if the option was not given. Throws UsageError `cli-bad-value`
  // unless the value is an integer (for Number: a number) in [lowest, highest].
  int64_t Integer(std::string_view option, int64_t fallback, int64_t lowest, int64_t highest) const;
  double Number(std::string_view option, double fallback, double lowest, double highest) const;
  // The choice of --color; for `auto`, ColorsOn standard output.
  bool color() const;

 private:
  friend Arguments ParseArguments(std::string_view, std::span<const Option>, int, int,
                                  std::span<const std::string>);
  std::vector<std::string> positional_;
  std::map<std::string, std::vector<std::string>, std::less<>> values_;
};

struct Command {
  const char* name;
  const char* arguments;  // "PROGRAM -o OUT"
  const char* what;       // one line
  const char* details;    // paragraphs
  const char* example;    // a worked example
  std::span<const Option> options;
  int fewest, most;  // positional arguments
  // Throws Error if the user's program is wrong. Other failures are statuses; see ExitOf.
  absl::Status (*run)(const Arguments& arguments);
  // Instead of `run`: takes the words after the command's name as they are, for a command that has
  // commands of its own. --help alone is not among them; without `run`, nor are other options
  // before the first word.
  absl::Status (*run_words)(const std::vector<std::string>& words) = nullptr;
};

// What `lathe help COMMAND` prints.
void PrintHelp(const Command& command);
// Runs a command with the words after its name, or prints its help. Throws what ParseArguments and
// the command throw.
absl::Status RunWords(const Command& command, std::span<const std::string> words);
// The options that every command has: --color, --help.
std::span<const Option> CommonOptions();

// Parses `--name value`, `--name=value` and `-o value`. `--` ends the options. `-` alone is an
// argument. Throws UsageError: `cli-unknown-option` (with the nearest known options),
// `cli-missing-value`, `cli-unexpected-value`, `cli-argument-count`.
Arguments ParseArguments(std::string_view command, std::span<const Option> options, int fewest,
                         int most, std::span<const std::string> given);

// How many words in front are options that every command has, with their values.
size_t LeadingOptions(std::span<const std::string> words);

// Splits "name=value". Throws UsageError `cli-bad-value`.
std::pair<std::string, std::string> SplitPair(std::string_view option, const std::string& text);
// Splits `NAME=INTEGER`. Throws UsageError `cli-bad-value`, with `help`, if it has another form.
std::pair<std::string, int64_t> SplitInteger(std::string_view option, const std::string& text,
                                             const std::string& help);

// The exit code for a failure. Invalid arguments and ranges are user errors, internal errors are
// bugs in Lathe, all others are errors of the environment.
ExitCode ExitOf(const absl::Status& status);
// The same failure, but ExitOf never counts it as a user error. For files with wrong contents.
absl::Status AsEnvironment(const absl::Status& status);

// Calls `work` and reports the failure that it returns or throws. The exit code of it.
ExitCode RunReported(absl::FunctionRef<absl::Status()> work);

// Is it a terminal that obeys escape sequences? Not with TERM=dumb.
bool TakesEscapes(int descriptor);
// May what is written there have colours? Not with NO_COLOR.
bool ColorsOn(int descriptor);

// Prints "error[name]: ..." to standard error, coloured if it may be. Each label of a status and of
// a diagnostic ("expected:", "help:") is on a line of its own, indented by two spaces.
void Report(const Error& error);
void Report(const absl::Status& status);

// The commands, one file each.
extern const Command kImport, kCompile, kRun, kBench, kProfile, kView, kCompare, kLower, kExplain,
    kBisect, kKey, kInspect, kPlugins, kTargets, kCache, kDoctor, kRemote, kBoard, kTune;

}  // namespace lathe::cli
