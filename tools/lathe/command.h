// Subcommands of `lathe` as data: one table (main.cc) from which help, argument checking and "did
// you mean" derive.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "base/error.h"

namespace lathe::cli {

// What the process ends with; documented by `lathe help`.
enum ExitCode : int {
  kOk = 0,
  kUserError = 1,     // the program, its schedule or its arguments must change
  kUsageError = 2,    // the command line must change
  kEnvironment = 3,   // a file, a plugin, a device
  kInternalBug = 70,  // ours
};

// The command line is wrong.
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

// What was given for a command, checked against its options.
class Arguments {
 public:
  const std::vector<std::string>& positional() const { return positional_; }
  bool Has(std::string_view option) const { return values_.find(option) != values_.end(); }
  // The last value; the fallback where the option was not given.
  std::string Get(std::string_view option, std::string_view fallback = {}) const;
  // All values, in order.
  std::vector<std::string> All(std::string_view option) const;
  // Throws UsageError `cli-bad-value` unless the value is an integer in [lowest, highest].
  int64_t Integer(std::string_view option, int64_t fallback, int64_t lowest, int64_t highest) const;
  double Number(std::string_view option, double fallback, double lowest, double highest) const;
  // --color, or whether standard output is a terminal.
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
  // Throws Error where the user's program is at fault; a status otherwise, see ExitOf.
  absl::Status (*run)(const Arguments& arguments);
};

// Options that every command has: --color, --help.
std::span<const Option> CommonOptions();

// `--name value`, `--name=value`, `-o value`; `--` ends options; `-` alone is an argument. Throws
// UsageError: `cli-unknown-option` (nearest known ones), `cli-missing-value`,
// `cli-unexpected-value`, `cli-argument-count`.
Arguments ParseArguments(std::string_view command, std::span<const Option> options, int fewest,
                         int most, std::span<const std::string> given);

// "name=value" split. Throws UsageError `cli-bad-value`.
std::pair<std::string, std::string> SplitPair(std::string_view option, const std::string& text);
// The same of `NAME=INTEGER`; what is not one throws UsageError `cli-bad-value` with that help.
std::pair<std::string, int64_t> SplitInteger(std::string_view option, const std::string& text,
                                             const std::string& help);

// The process's end for a failure: invalid arguments and ranges are the user's, internal ones ours,
// others the environment's.
ExitCode ExitOf(const absl::Status& status);
// The same failure as one of the environment, whatever its code was: a file that is not what it
// should be.
absl::Status AsEnvironment(const absl::Status& status);

// To standard error, "error[name]: ..." coloured where that is a terminal.
void Report(const Error& error);
void Report(const absl::Status& status);

// The commands, one file each.
extern const Command kCompile, kRun, kLower, kExplain, kBisect, kKey, kInspect, kPlugins, kTargets,
    kCache, kDoctor;

}  // namespace lathe::cli
