#include "driver/build_module.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <numeric>

#include "base/error.h"
#include "driver/default_plugins.h"
#include "ir/text/parser.h"
#include "runtime/status.h"
#include "runtime/tensor.h"
#include "schedule/primitives/primitives.h"
#include "te/operation.h"

namespace lathe::driver {
namespace {

using runtime::Tensor;

constexpr int kFunctions = 9;

// y[i] = x[i] * factor, as a function of that name.
ProgramToCompile Times(int factor, const std::string& name) {
  const ir::Var n = ir::MakeSizeVar("n");
  const te::Tensor x = te::Placeholder({n}, DataType::Float(32), "x");
  const te::Tensor y = te::Compute(
      {n}, [&](const te::Indices& i) { return te::At(x, {i[0]}) * ir::Float(factor); }, "y");
  return {schedule::CreateSchedule({y->op}), {x, y}, name, target::ParseTarget("llvm"), {}};
}

std::vector<ProgramToCompile> Programs() {
  UseDefaultPlugins();
  std::vector<ProgramToCompile> programs;
  for (int i = 0; i < kFunctions; ++i) programs.push_back(Times(i, "times_" + std::to_string(i)));
  return programs;
}

ir::Module Loops(std::span<const ProgramToCompile> programs) {
  std::vector<ir::Func> functions;
  for (const ProgramToCompile& program : programs) {
    const ir::Module one = Lower(program.schedule, program.args, program.name, program.context);
    functions.push_back(one->functions.front());
  }
  return ir::MakeModule(std::move(functions));
}

CacheOptions Fresh(const std::string& name) {
  CacheOptions options;
  options.folder = ::testing::TempDir() + "/" + name;
  std::filesystem::remove_all(options.folder);
  return options;
}

void CheckModule(const runtime::Module& module) {
  ASSERT_EQ(module->FunctionNames().size(), static_cast<size_t>(kFunctions));
  for (int f = 0; f < kFunctions; ++f) {
    Tensor x = *Tensor::Empty({20}, DataType::Float(32));
    Tensor y = *Tensor::Empty({20}, DataType::Float(32));
    for (int k = 0; k < 20; ++k) x.HostData<float>()[k] = static_cast<float>(k);
    const auto function = module.GetFunction("times_" + std::to_string(f));
    ASSERT_TRUE(function.ok()) << function.status();
    ASSERT_TRUE(function->TryCall(x, y).ok());
    for (int k = 0; k < 20; ++k) EXPECT_EQ(y.HostData<float>()[k], static_cast<float>(k * f));
    const auto failed = function->TryCall(x);  // each part raises its own error
    EXPECT_EQ(runtime::StatusName(failed.status()), "call-argument-count");
  }
  EXPECT_EQ(module->metadata().functions.size(), static_cast<size_t>(kFunctions));
  EXPECT_EQ(module->metadata().entry, "times_0");
}

TEST(BuildModule, FunctionsOfOneModuleAreFoundOneByOne) {
  const std::vector<ProgramToCompile> programs = Programs();
  CompileCache cache(Fresh("one-by-one"));
  const BuildOptions options = {.cache = &cache, .threads = 2};
  const ir::Module loops = Loops(programs);
  for (const int hits : {0, kFunctions}) {
    auto module = BuildModule(loops, programs[0].target, {}, options);
    ASSERT_TRUE(module.ok()) << module.status();
    CheckModule(*module);
    EXPECT_EQ(cache.hits(), hits);
    EXPECT_EQ(cache.misses(), kFunctions);
  }
  // Another module with some of the same functions.
  const ir::Module few = Loops({programs.begin() + 2, programs.begin() + 5});
  ASSERT_TRUE(BuildModule(few, programs[0].target, {}, options).ok());
  EXPECT_EQ(cache.hits(), kFunctions + 3);
}

TEST(BuildModule, ProgramsBecomeOneModule) {
  const std::vector<ProgramToCompile> programs = Programs();
  CompileCache cache(Fresh("together"));
  const BuildOptions options = {.cache = &cache, .threads = 2};
  for (int i = 0; i < 2; ++i) {
    auto module = BuildTogether(programs, options);
    ASSERT_TRUE(module.ok()) << module.status();
    CheckModule(*module);
  }
  EXPECT_EQ(cache.hits(), kFunctions);
  // A function built alone has the same code.
  ASSERT_TRUE(BuildProgram(programs[3], &cache).ok());
  EXPECT_EQ(cache.hits(), kFunctions + 1);
}

TEST(BuildModule, BytesDependOnNeitherThreadsNorCache) {
  const std::vector<ProgramToCompile> programs = Programs();
  CompileCache cache(Fresh("bytes"));
  BuildOptions options = {.cache = &cache, .threads = 2};
  const auto object = [&] {
    return CompileTogether(programs, plugins::OutputKind::kObject, options)->bytes;
  };
  const std::string first = object();
  EXPECT_EQ(object(), first);
  options.cache = nullptr;
  EXPECT_EQ(object(), first);
  options.threads = 1;
  EXPECT_EQ(object(), first);
}

TEST(BuildModule, TellsHowManyFunctionsAreDone) {
  const std::vector<ProgramToCompile> programs = Programs();
  std::vector<size_t> told;
  BuildOptions options = {.threads = 2};
  options.progress = [&](size_t done, size_t total) {
    EXPECT_EQ(total, programs.size());
    told.push_back(done);
  };
  ASSERT_TRUE(BuildTogether(programs, options).ok());
  std::vector<size_t> wanted(programs.size());
  std::iota(wanted.begin(), wanted.end(), size_t{1});
  EXPECT_EQ(told, wanted);
}

TEST(BuildModule, TellsOfASingleKernel) {
  const std::vector<ProgramToCompile> programs = Programs();
  std::vector<std::pair<size_t, size_t>> told;
  BuildOptions options;
  options.progress = [&](size_t done, size_t total) { told.emplace_back(done, total); };
  ASSERT_TRUE(BuildTogether(std::span(programs).first(1), options).ok());
  EXPECT_EQ(told, (std::vector<std::pair<size_t, size_t>>{{1, 1}}));
}

TEST(BuildModule, WhoCallsWhatNobodyDefines) {
  UseDefaultPlugins();
  const ir::Module module = ir::ParseModule(R"(
func a(x: int32[2]) { x[0] = call_pure_extern<int32>("nobody_has", x[1]) }
func b(x: int32[2]) { evaluate call_extern<int32>("nobody_has", address_of(x[0])) }
func c(x: int32[2]) { evaluate call_extern<int32>("abs", x[0]) })");
  const auto made = BuildModule(module, target::ParseTarget("llvm"), {}, {});
  EXPECT_EQ(runtime::StatusName(made.status()), "artifact-unresolved-symbol");
  const std::string text(made.status().message());
  EXPECT_NE(text.find("in: stage `x` of function `a` calls `nobody_has`"), std::string::npos)
      << text;
  EXPECT_NE(text.find("in: function `b` calls `nobody_has`"), std::string::npos) << text;
  EXPECT_NE(text.find("import_llvm"), std::string::npos) << text;
  EXPECT_EQ(text.find("`c`"), std::string::npos) << text;
}

TEST(BuildModule, FunctionsThatNameEachOtherStayTogether) {
  const ir::Module module = ir::ParseModule(R"(
func a(x: int32[2]) { x[0] = call_extern<int32>("c", x[1]) }
func b(x: int32[2]) { x[0] = 1 }
func c(x: int32[2]) { x[0] = 2 })");
  const std::vector<ir::Module> parts = PartsOf(module);
  ASSERT_EQ(parts.size(), 2u);
  ASSERT_EQ(parts[0]->functions.size(), 2u);
  EXPECT_EQ(parts[0]->functions[0]->name, "a");
  EXPECT_EQ(parts[0]->functions[1]->name, "c");
  EXPECT_EQ(parts[1]->functions[0]->name, "b");
  EXPECT_TRUE(PartsOf(ir::MakeModule({module->functions[1]})).size() == 1);
}

TEST(BuildModule, TheFirstErrorCounts) {
  std::vector<ProgramToCompile> programs = Programs();
  programs[4].target = target::ParseTarget("llvm -mcpu=nonsense");
  programs[7].target = programs[4].target;
  try {
    static_cast<void>(BuildTogether(programs, {}));
    FAIL() << "built for two targets";
  } catch (const Error& error) {
    EXPECT_EQ(error.name(), "build-programs");
  }
  for (ProgramToCompile& program : programs) program.target = programs[4].target;
  EXPECT_FALSE(BuildTogether(programs, {}).ok());
  programs = Programs();
  programs[5].name = programs[2].name;
  EXPECT_THROW(static_cast<void>(BuildTogether(programs, {})), Error);
  EXPECT_THROW(static_cast<void>(BuildTogether({}, {})), Error);
}

TEST(BuildModule, CancellingEndsAllThreads) {
  std::vector<ProgramToCompile> programs = Programs();
  int asked = 0;
  for (ProgramToCompile& program : programs)
    program.context.cancelled = [&asked] { return ++asked > 3; };
  try {
    static_cast<void>(BuildTogether(programs, {.threads = 2}));
    FAIL() << "built in spite of it";
  } catch (const Error& error) {
    EXPECT_EQ(error.name(), "compile-cancelled");
  }
  // Only the calling thread polls, so no second thread increments this.
  EXPECT_GE(asked, 4);
}

// A cached entry that does not load is compiled again.
TEST(BuildModule, CompilesAnewWhatDoesNotLoad) {
  const std::vector<ProgramToCompile> programs = Programs();
  CompileCache cache(Fresh("anew"));
  const BuildOptions options = {.cache = &cache, .threads = 2};
  Compiled wrong = *FindOrCompile(programs[1], plugins::OutputKind::kModule, nullptr);
  cache.Keep(*cache.KeyOf(programs[2], plugins::OutputKind::kModule), wrong, "");
  auto module = BuildTogether(programs, options);  // `times_1` twice
  ASSERT_TRUE(module.ok()) << module.status();
  CheckModule(*module);
}

}  // namespace
}  // namespace lathe::driver
