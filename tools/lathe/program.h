// Functions that several commands share: they read a program file and its options from the command
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
  schedule::Loaded loaded;  // with the program's schedule applied
};

// Parses a program, verifies it and replays its schedule. Throws Error with the place in the text,
// also for steps of the schedule.
LoadedProgram LoadProgramText(std::string_view text, const std::string& filename);
// The same for a file; "-" is standard input. Also fails as ReadInput does.
absl::StatusOr<LoadedProgram> LoadProgram(const std::string& path);

// The context from --option, --disable, --verify, --check and --isolate. Throws Error
// `unknown-pass-option`, UsageError `cli-unknown-pass`, `cli-bad-value`.
lower::PassContext MakePassContext(const Arguments& arguments);
// The target of --target, else this machine's processor. Throws as target::ParseTarget and
// target::HostTarget do.
target::Target TargetOf(const Arguments& arguments);
// The process's compile cache (`lathe cache`); null with --no-cache.
driver::CompileCache* CacheOf(const Arguments& arguments);
// The program as it will be compiled. It has its own schedule, or, as --schedule says, a schedule
// made for the target or none. If a schedule is made, a note on standard error says so, and `knobs`
// gets the knobs that it asked for. Throws UsageError `cli-bad-value` and Error
// `topi-unknown-knob`; fails as driver::DefaultSchedule does.
absl::StatusOr<driver::ProgramToCompile> ToCompile(const Arguments& arguments,
                                                   const LoadedProgram& program,
                                                   std::vector<topi::KnobValue>* knobs = nullptr);
// The value of --time-limit in seconds; 0 if it was not given. Throws UsageError `cli-bad-value`.
double TimeLimitOf(const Arguments& arguments);
// Throws UsageError `cli-unknown-pass`, with the nearest names, if there is no such pass.
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
