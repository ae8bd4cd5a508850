// `lathe compile`: compiles program files to objects, libraries, assembly, the code generator's IR
// or scheduled programs.
#include <cstdio>
#include <filesystem>
#include <set>
#include <vector>

#include "driver/build_many.h"
#include "driver/build_module.h"
#include "driver/cache/compile_cache.h"
#include "driver/compile.h"
#include "driver/compile_times.h"
#include "driver/time_limit.h"
#include "ir/text/printer.h"
#include "runtime/status.h"
#include "schedule/trace.h"
#include "tools/lathe/files.h"
#include "tools/lathe/graph.h"
#include "tools/lathe/graph_commands.h"
#include "tools/lathe/program.h"
#include "tools/lathe/records.h"

namespace lathe::cli {
namespace {

constexpr Option kOptions[] = {
    {"--output", "OUT",
     "the file to write; its suffix says what: .o, .so, .tar, .s (assembly), .ll (LLVM's IR), "
     ".c (what the target `c` writes) or .lathe (the program with its schedule); `-.s`, `-.ll`, "
     "`-.c` and `-.lathe` go to standard output. Of several programs each has its own: `%` stands "
     "for the program file's name without its suffix",
     'o'},
    {"--jobs", "N",
     "how many programs to compile at once; default: as many as there are processors", 'j'},
    kGraphTargetOption,
    kScheduleOption,
    kKnobOption,
    {"--list-knobs", nullptr,
     "list the choices that the programs' schedules leave to --knob, with their values, and stop"},
    {"--cc", "COMPILER",
     "link a .so with this compiler (an NDK's clang) instead of Lathe's own writer"},
    {"--symbol", "NAME",
     "name the one symbol of a .o, so that several can be linked into one program"},
    {"--header", "FILE",
     "of a graph: write a C++ header with the model as a class: linked into the program (an .o "
     "with "
     "--symbol), or loaded from OUT"},
    kPassOption,
    kDisableOption,
    kVerifyOption,
    kCheckOption,
    kTimeLimitOption,
    kIsolateOption,
    kNoCacheOption,
    kFunctionOption,
    kInputShapeOption,
    kProductsOption,
    kOptLevelOption,
    kRecordsOption,
    kNoRecordsOption,
    kLockOption,
    kPrintAfterOption,
    {"--extent", "NAME=VALUE", "of a graph: a size that --check interprets it with"},
    {"--time", nullptr,
     "print to standard error where the time went: each pass, each stage of the code generator"},
};

struct Suffix {
  const char* text;
  plugins::OutputKind kind;
};
constexpr Suffix kSuffixes[] = {
    {".o", plugins::OutputKind::kObject},     {".so", plugins::OutputKind::kObject},
    {".tar", plugins::OutputKind::kObject},   {".s", plugins::OutputKind::kAssembly},
    {".ll", plugins::OutputKind::kIr},        {".c", plugins::OutputKind::kSource},
    {".lathe", plugins::OutputKind::kSource},
};

const Suffix& SuffixOf(const std::string& path) {
  for (const Suffix& suffix : kSuffixes) {
    if (path.size() > std::string_view(suffix.text).size() && path.ends_with(suffix.text))
      return suffix;
  }
  throw UsageError(
      Diagnostic{.name = "cli-unknown-suffix",
                 .message = path.empty() ? "no output was named"
                                         : "cannot tell from `" + path + "` what to write",
                 .expected = "`-o OUT` with OUT ending in .o, .so, .tar, .s, .ll, .c or .lathe",
                 .found = path.empty() ? "nothing" : "`" + path + "`",
                 .help = "`lathe help compile` shows an example"});
}

// Several programs become one module if the output is code in a single file.
bool Together(const std::string& out, const Suffix& suffix, size_t programs) {
  return programs > 1 && suffix.kind == plugins::OutputKind::kObject &&
         out.find('%') == std::string::npos;
}

// The output of each program: OUT itself, or OUT with the program's name in place of `%`.
std::vector<std::string> OutputsOf(const std::string& out, const Suffix& suffix,
                                   const std::vector<std::string>& programs) {
  const size_t percent = out.find('%');
  if (Together(out, suffix, programs.size())) return std::vector<std::string>(programs.size(), out);
  if (percent == std::string::npos && programs.size() == 1) return {out};
  std::vector<std::string> outputs;
  for (const std::string& program : programs) {
    std::string output = out;
    if (percent != std::string::npos)
      output.replace(percent, 1, std::filesystem::path(program).stem().string());
    outputs.push_back(std::move(output));
  }
  if (std::set<std::string>(outputs.begin(), outputs.end()).size() == outputs.size())
    return outputs;
  throw UsageError(Diagnostic{
      .name = "cli-one-output",
      .message = "several programs would be written to the same file",
      .expected = "an output with a `%`, which stands for each program file's name, as `-o '%.so'`",
      .found = std::to_string(programs.size()) + " programs for `" + out + "`",
      .help = "give each program a file name of its own, or compile one at a time"});
}

struct Request {
  LoadedProgram read;
  driver::ProgramToCompile program;
  std::string output;
};

absl::Status Write(const Request& request, const Suffix& suffix, const driver::Compiled& compiled,
                   const driver::ExportOptions& options) {
  if (suffix.kind != plugins::OutputKind::kObject) {
    return WriteOutput(request.output == std::string("-") + suffix.text ? "-" : request.output,
                       compiled.bytes);
  }
  LATHE_ASSIGN_OR_RETURN(PartialOutput output, PartialOutput::Create(request.output));
  LATHE_RETURN_IF_ERROR(output.Named(driver::ExportCompiled(compiled, output.path(), options)));
  return output.Commit();
}

absl::Status ListKnobs(const Arguments& arguments) {
  for (const std::string& file : arguments.positional()) {
    LATHE_ASSIGN_OR_RETURN(const LoadedProgram read, LoadProgram(file));
    std::vector<topi::KnobValue> knobs;
    LATHE_RETURN_IF_ERROR(ToCompile(arguments, read, &knobs).status());
    if (arguments.positional().size() > 1) std::printf("%s\n", file.c_str());
    for (const topi::KnobValue& knob : knobs) {
      std::printf("%-24s %4lld of %lld to %lld  %s\n", knob.name.c_str(),
                  static_cast<long long>(knob.value), static_cast<long long>(knob.low),
                  static_cast<long long>(knob.high), knob.what.c_str());
    }
    if (knobs.empty()) std::printf("no knobs: the schedule is the program's own, or plain loops\n");
  }
  return absl::OkStatus();
}

absl::Status Run(const Arguments& arguments) {
  if (HasGraph(arguments.positional()[0])) return CompileGraphFile(arguments);
  RefuseRecords(arguments);
  if (arguments.Has("--list-knobs")) return ListKnobs(arguments);
  const std::string out = arguments.Get("--output");
  const Suffix& suffix = SuffixOf(out);
  if (arguments.Has("--cc") && std::string_view(suffix.text) != ".so") {
    throw UsageError(Diagnostic{.name = "cli-bad-value",
                                .message = "`--cc` links shared libraries only",
                                .expected = "an output that ends in .so",
                                .found = "`" + out + "`",
                                .help = "leave `--cc` out, or write a .so"});
  }
  if (arguments.Has("--symbol") && std::string_view(suffix.text) != ".o") {
    throw UsageError(Diagnostic{.name = "cli-bad-value",
                                .message = "`--symbol` names the symbol of an object",
                                .expected = "an output that ends in .o",
                                .found = "`" + out + "`",
                                .help = "leave `--symbol` out, or write a .o"});
  }
  const auto jobs = static_cast<int>(arguments.Integer("--jobs", 0, 1, 1024));
  const std::vector<std::string> outputs = OutputsOf(out, suffix, arguments.positional());
  // Covers the whole command, linking included.
  const driver::TimeLimit limit(TimeLimitOf(arguments));
  driver::CompileTimes times;
  std::vector<Request> requests;
  for (const std::string& file : arguments.positional()) {
    double before = times.Elapsed();
    LATHE_ASSIGN_OR_RETURN(LoadedProgram read, LoadProgram(file));
    times.Add("driver", "read program", times.Elapsed() - before);
    before = times.Elapsed();
    LATHE_ASSIGN_OR_RETURN(driver::ProgramToCompile program, ToCompile(arguments, read));
    times.Add("schedule", "default schedule", times.Elapsed() - before);
    if (arguments.Has("--time")) times.Watch(&program.context);
    requests.push_back({std::move(read), std::move(program), outputs[requests.size()]});
  }
  if (std::string_view(suffix.text) == ".lathe") {
    for (const Request& request : requests) {
      const driver::ProgramToCompile& program = request.program;
      const ir::Program scheduled = schedule::ToProgram(program.schedule, program.args,
                                                        program.name, request.read.program->attrs);
      LATHE_RETURN_IF_ERROR(WriteOutput(request.output == "-.lathe" ? "-" : request.output,
                                        ir::ToText(scheduled) + "\n"));
    }
    return absl::OkStatus();
  }
  driver::CompileCache* cache = CacheOf(arguments);
  std::vector<driver::ProgramToCompile> programs;
  for (const Request& request : requests) programs.push_back(request.program);
  std::vector<absl::StatusOr<driver::Compiled>> made;
  if (Together(out, suffix, programs.size())) {
    made.push_back(
        driver::CompileTogether(programs, suffix.kind, {.cache = cache, .threads = jobs}));
  } else {
    made = driver::CompileMany(programs, suffix.kind, cache, jobs);
  }
  for (const absl::StatusOr<driver::Compiled>& each : made) LATHE_RETURN_IF_ERROR(each.status());
  const driver::ExportOptions options = {.compiler = arguments.Get("--cc"),
                                         .symbol = arguments.Get("--symbol")};
  for (size_t i = 0; i < made.size(); ++i)
    LATHE_RETURN_IF_ERROR(Write(requests[i], suffix, *made[i], options));
  if (arguments.Has("--time")) {
    if (cache != nullptr && cache->hits() != 0)
      std::fprintf(stderr, "found in the compile cache (`--no-cache` compiles)\n");
    std::fputs(times.ToString().c_str(), stderr);
  }
  return absl::OkStatus();
}

}  // namespace

const Command kCompile = {
    .name = "compile",
    .arguments = "PROGRAM... -o OUT",
    .what = "compile program files to objects, libraries or listings",
    .details =
        "PROGRAM is a program file (operations and schedule as text), `-` for standard input. What "
        "is written\n"
        "carries its metadata and is loaded by the runtime alone (`lathe run`, `lathe inspect`). "
        "What was compiled\n"
        "before is taken from the compile cache (`lathe help cache`). A program without a schedule "
        "gets one\n"
        "for the target (--schedule). Several programs are compiled at once, into one library of "
        "all their\n"
        "functions, or into a file each where OUT has a `%`; nothing is written unless all of them "
        "compile.\n"
        "A file with a graph becomes one library: kernels, weights and the plan that calls them; "
        "`-o OUT.lathe` writes\n"
        "the graph after its passes. With --check, the graph is interpreted before and after each "
        "pass over graphs, and\n"
        "a difference is an error.\n",
    .example =
        "  lathe compile examples/programs/vector_add.lathe -o vector_add.so\n"
        "  lathe compile examples/programs/blur.lathe -o blur.o --target='llvm "
        "-mtriple=aarch64-linux-gnu'\n"
        "  lathe compile examples/programs/softmax.lathe -o -.s | less\n"
        "  lathe compile examples/programs/softmax.lathe -o softmax.c --target=c\n"
        "  lathe compile examples/programs/gemm_tiled.lathe -o gemm.so --no-cache --time\n"
        "  lathe compile examples/programs/*.lathe -o 'built/%.so'\n"
        "  lathe compile examples/programs/blur.lathe examples/programs/softmax.lathe -o both.so\n"
        "  lathe compile network.lathe -o network.so --opt-level 3 --check      # a graph\n"
        "  lathe compile network.lathe --print-after fuse\n"
        "  lathe compile mobilenet.onnx -o mobilenet.so --input data=1x3x224x224\n"
        "  lathe compile bert.onnx -o bert.so --opt-level 3 --products bfloat16\n"
        "  lathe compile mobilenet.onnx -o mobilenet.so --target cuda           # and the host\n"
        "  lathe compile mobilenet.onnx -o mobilenet.o --symbol mobilenet --header mobilenet.h "
        "--target='llvm -mtriple=aarch64-linux-gnu'\n",
    .options = kOptions,
    .fewest = 1,
    .most = 1 << 20,
    .run = Run,
};

}  // namespace lathe::cli
