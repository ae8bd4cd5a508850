// `lathe compile`: a program file to an object, a library, assembly or the code generator's IR.
#include <cstdio>

#include "driver/cache/compile_cache.h"
#include "driver/compile.h"
#include "driver/compile_times.h"
#include "ir/printer.h"
#include "runtime/status.h"
#include "schedule/trace.h"
#include "tools/lathe/files.h"
#include "tools/lathe/program.h"

namespace lathe::cli {
namespace {

constexpr Option kOptions[] = {
    {"--output", "OUT",
     "the file to write; its suffix says what: .o, .so, .tar, .s (assembly), .ll (LLVM's IR) or "
     ".lathe (the program with its schedule); `-.s`, `-.ll` and `-.lathe` go to standard output",
     'o'},
    kTargetOption,
    kScheduleOption,
    {"--cc", "COMPILER",
     "link a .so with this compiler (an NDK's clang) instead of Lathe's own writer"},
    kPassOption,
    kDisableOption,
    kVerifyOption,
    kCheckOption,
    kNoCacheOption,
    {"--time", nullptr,
     "print to standard error where the time went: each pass, each stage of the code generator"},
};

struct Suffix {
  const char* text;
  plugins::OutputKind kind;
};
constexpr Suffix kSuffixes[] = {
    {".o", plugins::OutputKind::kObject},   {".so", plugins::OutputKind::kObject},
    {".tar", plugins::OutputKind::kObject}, {".s", plugins::OutputKind::kAssembly},
    {".ll", plugins::OutputKind::kIr},      {".lathe", plugins::OutputKind::kSource},
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
                 .expected = "`-o OUT` with OUT ending in .o, .so, .tar, .s, .ll or .lathe",
                 .found = path.empty() ? "nothing" : "`" + path + "`",
                 .help = "`lathe help compile` shows an example"});
}

absl::Status Run(const Arguments& arguments) {
  const std::string out = arguments.Get("--output");
  const Suffix& suffix = SuffixOf(out);
  if (arguments.Has("--cc") && std::string_view(suffix.text) != ".so") {
    throw UsageError(Diagnostic{.name = "cli-bad-value",
                                .message = "`--cc` links shared libraries only",
                                .expected = "an output that ends in .so",
                                .found = "`" + out + "`",
                                .help = "leave `--cc` out, or write a .so"});
  }
  driver::CompileTimes times;
  LATHE_ASSIGN_OR_RETURN(const LoadedProgram read, LoadProgram(arguments.positional()[0]));
  times.Add("driver", "read program", times.Elapsed());
  LATHE_ASSIGN_OR_RETURN(driver::ProgramToCompile program, ToCompile(arguments, read));
  times.Add("schedule", "default schedule", times.Elapsed() - times.Seconds());
  if (arguments.Has("--time")) times.Watch(&program.context);
  if (std::string_view(suffix.text) == ".lathe") {
    const ir::Program scheduled =
        schedule::ToProgram(program.schedule, program.args, program.name, read.program->attrs);
    return WriteOutput(out == "-.lathe" ? "-" : out, ir::ToText(scheduled) + "\n");
  }
  driver::CompileCache* cache = CacheOf(arguments);
  LATHE_ASSIGN_OR_RETURN(std::string bytes, driver::CompileProgram(program, suffix.kind, cache));
  if (arguments.Has("--time")) {
    if (cache != nullptr && cache->hits() != 0)
      std::fprintf(stderr, "found in the compile cache (`--no-cache` compiles)\n");
    std::fputs(times.ToString().c_str(), stderr);
  }
  if (suffix.kind != plugins::OutputKind::kObject) {
    return WriteOutput(out == std::string("-") + suffix.text ? "-" : out, bytes);
  }
  LATHE_ASSIGN_OR_RETURN(PartialOutput output, PartialOutput::Create(out));
  LATHE_RETURN_IF_ERROR(
      driver::ExportObject(bytes, output.path(), {.compiler = arguments.Get("--cc")}));
  return output.Commit();
}

}  // namespace

const Command kCompile = {
    .name = "compile",
    .arguments = "PROGRAM -o OUT",
    .what = "compile a program file to an object, a library or a listing",
    .details =
        "PROGRAM is a program file (operations and schedule as text), `-` for standard input. What "
        "is written\n"
        "carries its metadata and is loaded by the runtime alone (`lathe run`, `lathe inspect`). "
        "What was compiled\n"
        "before is taken from the compile cache (`lathe help cache`). A program without a schedule "
        "gets one\n"
        "for the target (--schedule).\n",
    .example =
        "  lathe compile examples/programs/vector_add.lathe -o vector_add.so\n"
        "  lathe compile examples/programs/blur.lathe -o blur.o --target='llvm "
        "-mtriple=aarch64-linux-gnu'\n"
        "  lathe compile examples/programs/softmax.lathe -o -.s | less\n"
        "  lathe compile examples/programs/gemm_tiled.lathe -o gemm.so --no-cache --time\n",
    .options = kOptions,
    .fewest = 1,
    .most = 1,
    .run = Run,
};

}  // namespace lathe::cli
