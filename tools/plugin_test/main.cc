// lathe-plugin-test: tests whether a plugin meets the requirements for plugins.
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>

#include "base/error.h"
#include "runtime/plugin_loader/probe.h"
#include "runtime/status.h"
#include "tools/plugin_test/check.h"
#include "tools/plugin_test/expected.h"
#include "tools/plugin_test/goldens.h"
#include "tools/plugin_test/programs.h"
#include "tools/plugin_test/report.h"

namespace lathe::kit {
namespace {

constexpr const char* kUsage =
    R"(usage: lathe-plugin-test [OPTION...] PLUGIN.so

Checks a plugin, each check in a process of its own, and prints its card.

  --expected FILE   failures that are expected: lines of THEME/CHECK (with *), blanks, a reason
  --json FILE       the report as JSON
  --only TEXT       only checks whose THEME/CHECK contains TEXT
  --time-limit N    seconds that a check may take (60)
  --target TARGET   what to compile for, as `acme -cores=2`; default: the manifest's first target, with its defaults
  --all-targets     compile for the manifest's other targets too: checks `codegen[acme-small]/add`
  --beside FILE     another plugin to load beside it; may be given several times
  --list            names of the checks
  --quiet           the card and what failed, alone
Exit code: 0 where nothing failed that was not expected, 1 otherwise, 2 for wrong usage.
)";

struct Options {
  std::string plugin, expected, json, only, target;
  int time_limit_s = 60;
  std::vector<std::string> beside;
  bool list = false, quiet = false, all_targets = false;
};

bool ParseOptions(int argc, char** argv, Options* options) {
  for (int i = 1; i < argc; ++i) {
    const std::string arg = argv[i];
    const auto value = [&](std::string* to) {
      if (i + 1 >= argc) return false;
      *to = argv[++i];
      return true;
    };
    std::string text;
    if (arg == "--expected") {
      if (!value(&options->expected)) return false;
    } else if (arg == "--json") {
      if (!value(&options->json)) return false;
    } else if (arg == "--only") {
      if (!value(&options->only)) return false;
    } else if (arg == "--target") {
      if (!value(&options->target)) return false;
    } else if (arg == "--time-limit") {
      if (!value(&text)) return false;
      options->time_limit_s = std::atoi(text.c_str());
      if (options->time_limit_s < 1) return false;
    } else if (arg == "--beside") {
      if (!value(&text)) return false;
      options->beside.push_back(std::filesystem::absolute(text));
    } else if (arg == "--all-targets") {
      options->all_targets = true;
    } else if (arg == "--list") {
      options->list = true;
    } else if (arg == "--quiet") {
      options->quiet = true;
    } else if (arg.starts_with("-") || !options->plugin.empty()) {
      return false;
    } else {
      options->plugin = arg;
    }
  }
  return !options->plugin.empty();
}

std::string ReadWhole(const std::string& path, bool* ok) {
  std::ifstream file(path, std::ios::binary);
  *ok = file.good();
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

Checks AllChecks(const Subject& subject, bool all_targets) {
  Checks checks;
  AddHygieneChecks(subject, &checks);
  AddHandshakeChecks(subject, &checks);
  AddSkewChecks(subject, &checks);
  AddFailureChecks(subject, &checks);
  AddLifetimeChecks(subject, &checks);
  AddDeviceChecks(subject, &checks);
  AddQueueChecks(subject, &checks);
  AddIrChecks(subject, &checks);
  AddCodegenChecks(subject, &checks);
  AddIntrinsicChecks(subject, &checks);
  AddModuleChecks(subject, &checks);
  AddCoexistenceChecks(subject, &checks);
  AddSpeedChecks(subject, &checks);
  // Checks of compilation, repeated for the manifest's other targets: "codegen[acme-small]/add".
  for (size_t i = 1; all_targets && i < subject.targets.size(); ++i) {
    Subject other = subject;
    std::swap(other.targets[0], other.targets[i]);
    other.target.clear();
    Checks more;
    AddIrChecks(other, &more);
    AddCodegenChecks(other, &more);
    AddIntrinsicChecks(other, &more);
    for (Check& check : more) {
      check.theme += "[" + other.targets[0].kind + "]";
      check.run = [run = check.run, other](const Subject&) { return run(other); };
      checks.push_back(std::move(check));
    }
  }
  return checks;
}

// Puts the target of --target first. Fails if the plugin does not have the kind, or the manifest
// does not have an attribute.
absl::Status ChooseTarget(const std::string& target, Subject* subject) {
  if (target.empty()) return absl::OkStatus();
  subject->target = target;
  const std::string kind = target.substr(0, target.find_first_of(" \t"));
  const auto named = std::find_if(subject->targets.begin(), subject->targets.end(),
                                  [&](const auto& schema) { return schema.kind == kind; });
  if (named == subject->targets.end())
    return absl::InvalidArgumentError("the plugin has no target `" + kind + "`");
  std::swap(*named, subject->targets.front());
  try {
    TargetOf(*subject);
  } catch (const Error& error) {
    return absl::InvalidArgumentError(error.what());
  }
  return absl::OkStatus();
}

Result RunCheck(const Check& check, const Subject& subject, const Options& options) {
  Result result;
  result.theme = check.theme;
  result.name = check.name;
  const auto begin = std::chrono::steady_clock::now();
  absl::Status status = runtime::RunInChild(std::chrono::seconds(options.time_limit_s),
                                            [&](const runtime::ProbePhase& phase) {
                                              phase(check.name.c_str());
                                              return check.run(subject);
                                            });
  result.milliseconds =
      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
  if (IsMeasured(status)) {
    const std::string_view said = status.message();  // "[check-measured] what"
    result.text = std::string(said.substr(said.find(' ') + 1));
    return result;
  }
  if (IsNotApplicable(status)) {
    result.verdict = Verdict::kNotApplicable;
  } else if (!status.ok()) {
    result.verdict = Verdict::kFailed;
  }
  if (!status.ok()) result.text = status.ToString();
  return result;
}

// Why a command ends before its checks run: what to print, where, and the exit code.
struct Refusal {
  std::FILE* out;
  std::string text;
  int exit_code;
};

Refusal WrongUsage(const std::string& why) { return {stderr, "lathe-plugin-test: " + why, 2}; }

// What the checks look at: the plugin's path, manifest and targets.
std::optional<Refusal> FindSubject(const Options& options, Subject* subject) {
  std::error_code error;
  subject->path = std::filesystem::canonical(options.plugin, error);
  if (error) return WrongUsage("there is no `" + options.plugin + "`");
  subject->program = std::filesystem::read_symlink("/proc/self/exe", error);
  const char* folder = getenv("TEST_TMPDIR");
  subject->folder =
      folder != nullptr ? folder : std::filesystem::temp_directory_path(error).string();
  subject->beside = options.beside;
  const auto bad_manifest = [](const absl::Status& status) {
    return Refusal{stdout, "hygiene/manifest FAILED: " + status.ToString(), 1};
  };
  const auto manifest = runtime::ReadManifest(subject->path);
  if (!manifest.ok()) return bad_manifest(manifest.status());
  subject->manifest = *manifest;
  const auto schemas = target::ReadTargetSchemas(*manifest);
  if (!schemas.ok()) return bad_manifest(schemas.status());
  subject->targets = *schemas;
  const absl::Status chosen = ChooseTarget(options.target, subject);
  if (!chosen.ok()) return WrongUsage(std::string(chosen.message()));
  return std::nullopt;
}

// The file of --expected; none: no failure is expected.
std::optional<Refusal> ReadExpected(const std::string& path,
                                    std::vector<ExpectedFailure>* expected) {
  if (path.empty()) return std::nullopt;
  bool ok = false;
  const std::string text = ReadWhole(path, &ok);
  const auto parsed = ParseExpected(text);
  if (!ok || !parsed.ok()) {
    return WrongUsage("`" + path +
                      "`: " + (ok ? parsed.status().ToString() : std::string("cannot be read")));
  }
  *expected = *parsed;
  return std::nullopt;
}

// Changes the verdict of a check that is on the list.
void CompareWithExpected(const std::string& check, std::vector<ExpectedFailure>& expected,
                         Result* result) {
  if (result->verdict == Verdict::kNotApplicable) return;
  const ExpectedFailure* one = FindExpected(expected, check);
  if (one == nullptr) return;
  // A pattern may cover checks that pass. A full name must be a check that fails.
  const bool exact = one->pattern.find('*') == std::string::npos;
  if (result->verdict == Verdict::kFailed) {
    result->verdict = Verdict::kExpected;
    result->text = one->reason;
  } else if (exact) {
    result->verdict = Verdict::kUnexpected;
    result->text = "take it off the list of expected failures";
  }
}

bool IsBad(const Result& result) {
  return result.verdict == Verdict::kFailed || result.verdict == Verdict::kUnexpected;
}

// Runs the checks that --only selects, and prints a line for each.
std::vector<Result> RunChecks(const Subject& subject, const Options& options,
                              std::vector<ExpectedFailure>& expected) {
  std::vector<Result> results;
  for (const Check& check : AllChecks(subject, options.all_targets)) {
    if (check.full_name().find(options.only) == std::string::npos) continue;
    Result result = RunCheck(check, subject, options);
    CompareWithExpected(check.full_name(), expected, &result);
    if (IsBad(result) || !options.quiet) {
      std::printf("%-40s %s%s%s\n", check.full_name().c_str(), VerdictName(result.verdict),
                  result.text.empty() ? "" : ": ", result.text.c_str());
      std::fflush(stdout);
    }
    results.push_back(std::move(result));
  }
  return results;
}

void ListChecks(const Subject& subject, const Options& options) {
  for (const Check& check : AllChecks(subject, options.all_targets)) {
    if (check.full_name().find(options.only) != std::string::npos)
      std::printf("%s\n", check.full_name().c_str());
  }
}

void PrintCard(const Subject& subject, const Options& options, const std::vector<Result>& results,
               const std::vector<ExpectedFailure>& expected) {
  for (const ExpectedFailure& one : expected) {
    if (!one.used && options.only.empty())
      std::printf("note: no check is called `%s` (expected to fail)\n", one.pattern.c_str());
  }
  std::printf("%s %s: %s\n", subject.manifest.name.c_str(), subject.manifest.version.c_str(),
              Card(results).c_str());
  for (const Result& result : results) {
    if (result.theme == "speed" && result.verdict == Verdict::kPassed)
      std::printf("  %s: %s\n", result.name.c_str(), result.text.c_str());
  }
}

// The file of --json. False if it cannot be written.
bool WriteJson(const std::string& path, const Subject& subject,
               const std::vector<Result>& results) {
  if (path.empty()) return true;
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << ReportJson(subject, results) << '\n';
  return file.good();
}

int Main(int argc, char** argv) {
  if (argc == 3 && std::string(argv[1]) == "--run-saved") return RunSavedModule(argv[2]);
  // For the person who keeps the goldens (goldens.h): --write-goldens FOLDER PLUGIN.
  if (argc == 4 && std::string(argv[1]) == "--write-goldens") return WriteGoldens(argv[2], argv[3]);
  Options options;
  if (!ParseOptions(argc, argv, &options)) {
    std::fputs(kUsage, stderr);
    return 2;
  }
  Subject subject;
  std::vector<ExpectedFailure> expected;
  std::optional<Refusal> refusal = FindSubject(options, &subject);
  if (!refusal) refusal = ReadExpected(options.expected, &expected);
  if (refusal) {
    std::fprintf(refusal->out, "%s\n", refusal->text.c_str());
    return refusal->exit_code;
  }
  if (options.list) {
    ListChecks(subject, options);
    return 0;
  }
  const std::vector<Result> results = RunChecks(subject, options, expected);
  PrintCard(subject, options, results, expected);
  if (!WriteJson(options.json, subject, results)) {
    std::fprintf(stderr, "lathe-plugin-test: cannot write `%s`\n", options.json.c_str());
    return 2;
  }
  return std::ranges::any_of(results, IsBad) ? 1 : 0;
}

}  // namespace
}  // namespace lathe::kit

int main(int argc, char** argv) { return lathe::kit::Main(argc, argv); }
