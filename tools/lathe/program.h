// What several commands do with a program file: read it, and take its options from the command
// line.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "driver/cache/compile_cache.h"
#include "ir/tensor_op.h"
#include "lower/pass.h"
#include "schedule/schedule.h"
#include "schedule/trace.h"
#include "target/target.h"
#include "tools/lathe/command.h"
#include "topi/config.h"

namespace lathe::cli {

inline constexpr uint64_t kMaxProgramBytes = uint64_t{64} << 20;

struct LoadedProgram {
  ir::Program program;
  schedule::Loaded loaded;  // with its schedule applied
};

// Parses, verifies, and replays the schedule. Throws Error with the place in the text, for the
// schedule's steps too.
LoadedProgram LoadProgramText(std::string_view text, const std::string& filename);
// The same for a file; "-" is standard input. Fails as ReadInput does.
absl::StatusOr<LoadedProgram> LoadProgram(const std::string& path);

// From --option, --disable and --verify. Throws Error `unknown-pass-option`, UsageError
// `cli-unknown-pass`, `cli-bad-value`.
lower::PassContext MakePassContext(const Arguments& arguments);
// What --target says, else this machine's processor. Throws what target::ParseTarget and
// target::HostTarget throw.
target::Target TargetOf(const Arguments& arguments);
// The process's compile cache (`lathe cache`); null with --no-cache.
driver::CompileCache* CacheOf(const Arguments& arguments);
// The program as it is to be compiled: with a schedule of its own, with one made for the target, or
// without, as --schedule says. That one was made is said on standard error, and `knobs` gets those
// that it asked for. Throws UsageError `cli-bad-value`; fails as driver::DefaultSchedule does.
absl::StatusOr<driver::ProgramToCompile> ToCompile(const Arguments& arguments,
                                                   const LoadedProgram& program,
                                                   std::vector<topi::KnobValue>* knobs = nullptr);
// Of --time-limit, in seconds; 0 where it was not given. Throws UsageError `cli-bad-value`.
double TimeLimitOf(const Arguments& arguments);
// Throws UsageError `cli-unknown-pass`, naming the nearest.
void RequirePass(const std::string& name);

inline constexpr Option kTargetOption = {
    "--target", "TARGET",
    "what to compile for, as `llvm -mcpu=x86-64-v3`; default: llvm, for this machine"};
inline constexpr Option kPassOption = {"--option", "NAME=VALUE",
                                       "an option of the passes (`lathe lower --list-options`)"};
inline constexpr Option kTimeLimitOption = {"--time-limit", "SECONDS",
                                            "give up, with `compile-time-limit`, where compiling "
                                            "takes longer; default: it may take as long "
                                            "as it takes"};
inline constexpr Option kIsolateOption = {
    "--isolate", nullptr,
    "let the code generator work in a process of its own, so that its end (memory runs out, a "
    "crash) is an error"};
inline constexpr Option kVerifyOption = {"--verify", nullptr, "verify the IR after each pass"};
inline constexpr Option kCheckOption = {"--check", nullptr,
                                        "the checked build: bounds, index arithmetic, overlapping "
                                        "arguments and claims are tested while "
                                        "the program runs"};
inline constexpr Option kScheduleOption = {
    "--schedule", "auto|none",
    "for a program without a schedule: make one for the target (auto, the default), or plain loops "
    "(none)"};
inline constexpr Option kKnobOption = {
    "--knob", "NAME=VALUE",
    "a choice of the schedule that is made (`lathe compile PROGRAM --list-knobs`)"};
inline constexpr Option kNoCacheOption = {"--no-cache", nullptr,
                                          "compile in any case, and do not keep what was compiled"};
inline constexpr Option kDisableOption = {"--disable", "PASS", "leave a pass out"};

}  // namespace lathe::cli
