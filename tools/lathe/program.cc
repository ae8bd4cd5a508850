#include "tools/lathe/program.h"

#include <cstdio>
#include <map>

#include "base/poll.h"
#include "driver/auto_build.h"
#include "ir/text/parser.h"
#include "ir/verifier.h"
#include "lower/hint_notes.h"
#include "lower/pipeline.h"
#include "plugins/host/tensor_intrinsics.h"
#include "runtime/status.h"
#include "target/host_target.h"
#include "tools/lathe/files.h"

namespace lathe::cli {
namespace {

std::string LineOf(std::string_view text, int line) {
  for (; line > 1; --line) {
    const size_t end = text.find('\n');
    if (end == std::string_view::npos) return {};
    text.remove_prefix(end + 1);
  }
  return std::string(text.substr(0, text.find('\n')));
}

// Adds the file name and the line's text. Steps and nodes know only line and column.
[[noreturn]] void RethrowInFile(const Error& error, std::string_view text,
                                const std::string& filename) {
  Diagnostic diagnostic = error.diagnostic();
  SourceLocation& where = diagnostic.where;
  if (where.line > 0 && where.file.empty()) where.file = filename;
  if (where.line > 0 && where.text.empty()) where.text = LineOf(text, where.line);
  throw Error(std::move(diagnostic));
}

// Registers tensor intrinsics that steps name with a target. The manifest of the target's plugin
// declares them.
void RegisterNamedIntrinsics(const ir::ProgramNode& program) {
  for (const Ref<const ir::StepNode>& step : program.trace) {
    const auto target = step->operands.find("target");
    if (step->primitive != "tensorize" || target == step->operands.end()) continue;
    const auto* kind = ir::As<ir::StringImm>(target->second);
    if (kind != nullptr) plugins::RegisterTensorIntrinsicsOf(kind->value);
  }
}

topi::Config ConfigOf(const Arguments& arguments) {
  std::map<std::string, int64_t, std::less<>> set;
  for (const std::string& knob : arguments.All("--knob"))
    set.insert(SplitInteger("--knob", knob, "`lathe compile PROGRAM --list-knobs` lists them"));
  return topi::Config(std::move(set));
}

}  // namespace

LoadedProgram LoadProgramText(std::string_view text, const std::string& filename) {
  try {
    LoadedProgram out;
    out.program = ir::ParseProgram(text, filename);
    ir::VerifyProgram(*out.program);
    RegisterNamedIntrinsics(*out.program);
    out.loaded = schedule::FromProgram(out.program);
    return out;
  } catch (const Interruption&) {
    throw;
  } catch (const Error& error) {
    RethrowInFile(error, text, filename);
  }
}

absl::StatusOr<LoadedProgram> LoadProgram(const std::string& path) {
  LATHE_ASSIGN_OR_RETURN(std::string text, ReadInput(path, kMaxProgramBytes));
  return LoadProgramText(text, path == "-" ? "<standard input>" : path);
}

void RequirePass(const std::string& name) {
  std::vector<std::string> names;
  for (const lower::Pass& pass : lower::EveryPass()) {
    if (name == pass.name) return;
    names.emplace_back(pass.name);
  }
  throw UsageError(Diagnostic{.name = "cli-unknown-pass",
                              .message = "there is no pass `" + name + "`",
                              .expected = NearOrAll(name, names),
                              .found = "`" + name + "`",
                              .help = "`lathe lower --list-passes` lists the passes"});
}

target::Target TargetOf(const Arguments& arguments) {
  return arguments.Has("--target") ? target::ParseTarget(arguments.Get("--target"))
                                   : target::HostTarget();
}

driver::CompileCache* CacheOf(const Arguments& arguments) {
  return arguments.Has("--no-cache") ? nullptr : &driver::CompileCache::Default();
}

absl::StatusOr<driver::ProgramToCompile> ToCompile(const Arguments& arguments,
                                                   const LoadedProgram& program,
                                                   std::vector<topi::KnobValue>* knobs) {
  const std::string wanted = arguments.Get("--schedule", "auto");
  if (wanted != "auto" && wanted != "none") {
    throw UsageError(Diagnostic{.name = "cli-bad-value",
                                .message = "`--schedule` knows no `" + wanted + "`",
                                .expected = "`auto` or `none`",
                                .found = "`" + wanted + "`",
                                .help = "a schedule of your own stands in the program file"});
  }
  driver::ProgramToCompile out;
  out.schedule = program.loaded.schedule;
  out.args = program.loaded.args;
  out.name = program.loaded.name;
  out.target = TargetOf(arguments);
  out.context = MakePassContext(arguments);
  topi::Config config = ConfigOf(arguments);
  if (wanted == "none" || !out.schedule->trace.empty() || !out.target.HasKey("cpu")) {
    config.RequireAllAsked();  // nothing asks for knobs, so any knob is an error
    return out;
  }
  LATHE_ASSIGN_OR_RETURN(topi::Scheduled made,
                         driver::DefaultSchedule(out.schedule->outputs, out.target,
                                                 CacheOf(arguments), std::move(config)));
  out.schedule = std::move(made.schedule);
  out.context.note = {};  // notes are about the user's own hints
  if (knobs != nullptr) *knobs = std::move(made.knobs);
  std::fprintf(stderr,
               "note: `%s` has no schedule; one of %zu steps was made for the target "
               "(`lathe compile -o OUT.lathe` shows it, `--schedule=none` does without)\n",
               out.name.c_str(), out.schedule->trace.size());
  return out;
}

lower::PassContext MakePassContext(const Arguments& arguments) {
  lower::PassContext context;
  for (const std::string& option : arguments.All("--option")) {
    const auto [name, value] =
        SplitInteger("--option", option, "`lathe lower --list-options` lists the options");
    context.Set(name, value);
  }
  if (arguments.Has("--check")) context.Set("check", 1);
  for (const std::string& pass : arguments.All("--disable")) {
    RequirePass(pass);
    context.disabled.insert(pass);
  }
  context.verify = arguments.Has("--verify");
  context.isolate = arguments.Has("--isolate");
  context.note = [](const Diagnostic& note) {
    std::fprintf(stderr, "%s\n", lower::NoteText(note).c_str());
  };
  return context;
}

double TimeLimitOf(const Arguments& arguments) {
  return arguments.Number("--time-limit", 0, 0.001, 1e9);
}

}  // namespace lathe::cli
