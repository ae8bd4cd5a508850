// Programs that differ only in names that do not appear in the compiled code share one entry of the
// compile cache. Their code is the same, byte for byte.

#include <optional>
#include <string>

#include "base/error.h"
#include "driver/cache/compile_cache.h"
#include "driver/default_plugins.h"
#include "gtest/gtest.h"
#include "ir/text/printer.h"
#include "schedule/canonical_trace.h"
#include "tests/prove/random_schedule.h"
#include "tests/prove/rename.h"

namespace lathe::prove {
namespace {

driver::ProgramToCompile Compilable(const TestProgram& test, schedule::Schedule s) {
  return {std::move(s), test.args, "f", target::ParseTarget("llvm"), {}};
}

std::optional<std::string> Compiled(const driver::ProgramToCompile& program) {
  try {
    return driver::FindOrCompile(program, plugins::OutputKind::kObject, nullptr)->bytes;
  } catch (const Error&) {
    return std::nullopt;  // refused by lowering
  }
}

TEST(SharedCode, IsTheSameForProgramsOfOneKey) {
  driver::UseDefaultPlugins();
  driver::CompileCache cache(driver::CacheOptions{testing::TempDir() + "/shared_code", 1 << 24});
  ScheduleCounts counts;
  int compiled = 0;
  for (uint64_t seed = 0; seed < 60; ++seed) {
    const TestProgram test = RandomProgram(seed), twin = RandomProgram(seed);
    RenameInner(twin, seed);
    schedule::Schedule s = schedule::CreateSchedule(test.outputs);
    ApplyRandomSteps(s, seed, 12, &counts);
    schedule::Schedule replayed = schedule::CreateSchedule(twin.outputs);
    const schedule::Program plain = schedule::ToProgram(replayed, twin.args, "f");
    const schedule::Program mine = schedule::ToProgram(s, test.args, "f");
    schedule::Replay(replayed, schedule::TraceFor(plain, schedule::CanonicalWithTrace(mine)));
    const driver::ProgramToCompile one = Compilable(test, s), other = Compilable(twin, replayed);
    // If another stage took an argument's name, the argument has another name, and so another key.
    const auto output = plugins::OutputKind::kObject;
    if (cache.KeyOf(one, output) != cache.KeyOf(other, output)) continue;
    const std::optional<std::string> expected = Compiled(one);
    if (!expected) continue;
    ++compiled;
    ASSERT_TRUE(Compiled(other) == expected) << seed << ir::ToText(mine);
  }
  EXPECT_GE(compiled, 20);
}

}  // namespace
}  // namespace lathe::prove
