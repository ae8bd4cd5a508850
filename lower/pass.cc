#include "lower/pass.h"

#include <chrono>

#include "base/error.h"
#include "base/poll.h"
#include "lower/option_names.h"

namespace lathe::lower {
namespace {

constexpr OptionInfo kOptions[] = {
    {option::kUnrollExplicit, 1,
     "unroll in the IR (1) or leave the loop marked for the code generator (0)"},
    {option::kUnrollAutoMaxStep, 0,
     "unroll loops of constant extent unasked while at most this many statements come out"},
    {option::kUnrollAutoMaxDepth, 8, "at most this many loops in each other are unrolled unasked"},
    {option::kUnrollAutoMaxExtent, 65536,
     "loops of at most this many iterations are unrolled unasked"},
    {option::kPartitionConstantLoops, 0, "partition loops whose guards are on constants too"},
    {option::kStackMaxBytes, 16384,
     "allocations of at most this many bytes (together) live on the stack"},
    {option::kEntries, 1,
     "how compiled functions are entered: 1 with checks of their arguments, 2 without, for plans, "
     "3 both ways"},
    {option::kCheck, 0,
     "the checked build: accesses, index arithmetic, overlapping arguments and claims are tested "
     "at "
     "run time"},
};

}  // namespace

std::span<const OptionInfo> AllOptions() { return kOptions; }

void PassContext::Set(const std::string& option, int64_t value) {
  std::vector<std::string> names;
  for (const OptionInfo& info : kOptions) {
    if (option == info.name) {
      options_[option] = value;
      return;
    }
    names.emplace_back(info.name);
  }
  throw Error(Diagnostic{.name = "unknown-pass-option",
                         .message = "there is no pass option `" + option + "`",
                         .expected = NearOrAll(option, names),
                         .found = "`" + option + "`",
                         .help = "`lathe lower --list-options` lists the options"});
}

int64_t PassContext::Option(std::string_view option) const {
  auto it = options_.find(option);
  if (it != options_.end()) return it->second;
  for (const OptionInfo& info : kOptions) {
    if (option == info.name) return info.fallback;
  }
  LATHE_CHECK(false) << "a pass asks for the unknown option " << option;
  return 0;
}

std::string PassContext::Fingerprint() const {
  std::string out = "options";
  for (const auto& [name, value] : options_) out += " " + name + "=" + std::to_string(value);
  out += "; without";
  for (const std::string& pass : disabled) out += " " + pass;
  out += "; keys";
  for (const std::string& key : target_keys) out += " " + key;
  for (const std::string& feature : features) out += " +" + feature;
  return out;
}

ir::Module RunPasses(ir::Module module, std::span<const Pass> passes, const PassContext& context) {
  for (const Pass& pass : passes) {
    if (context.disabled.count(pass.name) != 0) continue;
    if (context.cancelled && context.cancelled()) {
      throw Error(
          Diagnostic{.name = "compile-cancelled",
                     .message = std::string("compilation was cancelled before pass ") + pass.name,
                     .expected = "to finish",
                     .found = "a request to stop",
                     .help = "run it again"});
    }
    const Step step("pass", pass.name);
    PollNow();
    const auto start = std::chrono::steady_clock::now();
    ir::Module before = module;
    module = pass.run(before, context);
    if (context.user_passes) module = context.user_passes(pass, module);
    const double seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (context.timed) context.timed("pass", pass.name, seconds);
    if (context.after_pass) context.after_pass(pass, before, module, seconds);
    if (context.verify) ir::VerifyModule(module, pass.after);
  }
  return module;
}

}  // namespace lathe::lower
