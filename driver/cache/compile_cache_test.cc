#include "driver/cache/compile_cache.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <set>

#include "base/file.h"
#include "driver/default_plugins.h"
#include "lower/intrinsics.h"
#include "runtime/plugin_loader/plugin_loader.h"
#include "runtime/status.h"
#include "runtime/tensor.h"
#include "schedule/primitives/primitives.h"
#include "te/operation.h"

namespace lathe::driver {
namespace {

namespace fs = std::filesystem;
using runtime::Tensor;

CacheOptions Fresh(const char* name) {
  UseDefaultPlugins();
  const std::string folder = testing::TempDir() + "/" + name;
  fs::remove_all(folder);
  return {folder, 1 << 24};
}

// C = A + added, in vectors of `lanes`.
ProgramToCompile Sum(double added, int64_t lanes, const char* target = "llvm") {
  const ir::Var n = ir::MakeSizeVar("n");
  const te::Tensor a = te::Placeholder({n}, DataType::Float(32), "A");
  const te::Tensor c = te::Compute(
      {n}, [&](const te::Indices& i) { return te::At(a, {i[0]}) + ir::Float(added); }, "C");
  schedule::Schedule s = schedule::CreateSchedule({c->op});
  schedule::Vectorize(s[c], schedule::Split(s[c], schedule::AxisOf(c, 0), lanes).second);
  return {s, {a, c}, "sum", target::ParseTarget(target), {}};
}

// Whether the function adds `added` to 20 elements.
bool Adds(const runtime::Module& module, float added) {
  Tensor in = *Tensor::Empty({20}, DataType::Float(32));
  Tensor out = *Tensor::Empty({20}, DataType::Float(32));
  for (int i = 0; i < 20; ++i) in.HostData<float>()[i] = static_cast<float>(i);
  if (!module.GetFunction("sum")->TryCall(in, out).ok()) return false;
  for (int i = 0; i < 20; ++i) {
    if (out.HostData<float>()[i] != static_cast<float>(i) + added) return false;
  }
  return true;
}

TEST(CompileCache, FindsWhatWasCompiled) {
  CompileCache cache(Fresh("finds"));
  ASSERT_TRUE(Adds(*BuildProgram(Sum(2, 8), &cache), 2));
  EXPECT_EQ(cache.hits(), 0);
  EXPECT_EQ(cache.misses(), 1);
  // The same program made again, with other objects for everything.
  CompileCache other(cache.store().options());
  ASSERT_TRUE(Adds(*BuildProgram(Sum(2, 8), &other), 2));
  EXPECT_EQ(other.hits(), 1);
  EXPECT_EQ(other.misses(), 0);
}

TEST(CompileCache, WithoutOneAndWithADisabledOneItCompiles) {
  CompileCache off(CacheOptions{});
  Fresh("unused");
  EXPECT_TRUE(Adds(*BuildProgram(Sum(3, 8), &off), 3));
  EXPECT_TRUE(Adds(*BuildProgram(Sum(3, 8), nullptr), 3));
  EXPECT_EQ(off.hits() + off.misses(), 0);
}

// Everything that determines what is compiled is part of the key.
TEST(CompileCache, KeysDiffer) {
  CompileCache cache(Fresh("keys"));
  std::set<std::string> keys;
  size_t made = 0;
  const auto add = [&](const ProgramToCompile& program,
                       plugins::OutputKind output = plugins::OutputKind::kModule) {
    const auto key = cache.KeyOf(program, output);
    ASSERT_TRUE(key);
    keys.insert(key->ToString());
    ++made;
  };
  add(Sum(2, 8));
  add(Sum(3, 8));   // the program
  add(Sum(2, 16));  // its schedule
  add(Sum(2, 8, "llvm -mcpu=x86-64-v3 -mtriple=x86_64-linux-gnu"));
  add(Sum(2, 8, "llvm -mcpu=x86-64-v2 -mtriple=x86_64-linux-gnu"));
  add(Sum(2, 8), plugins::OutputKind::kObject);
  ProgramToCompile other = Sum(2, 8);
  other.name = "other";
  add(other);
  ProgramToCompile checked = Sum(2, 8);
  checked.context.Set("check", 1);
  add(checked);
  ProgramToCompile without = Sum(2, 8);
  without.context.disabled.insert("cse");
  add(without);
  EXPECT_EQ(keys.size(), made);
  // Nothing else is part of it.
  ProgramToCompile verified = Sum(2, 8);
  verified.context.verify = true;
  add(verified);
  add(Sum(2, 8));
  EXPECT_EQ(keys.size() + 2, made);
}

// B = A * 2, C = B + 1 with the given names.
ProgramToCompile Chain(const char* a, const char* b, const char* c, const char* n) {
  const ir::Var size = ir::MakeSizeVar(n);
  const te::Tensor in = te::Placeholder({size}, DataType::Float(32), a);
  const te::Tensor between =
      te::Compute({size}, [&](const te::Indices& i) { return te::At(in, {i[0]}) * ir::Float(2); },
                  b, {.axis_names = {std::string(b) + "_axis"}});
  const te::Tensor out = te::Compute(
      {size}, [&](const te::Indices& i) { return te::At(between, {i[0]}) + ir::Float(1); }, c);
  schedule::Schedule s = schedule::CreateSchedule({out->op});
  schedule::ComputeAt(s[between], s[out],
                      schedule::Split(s[out], schedule::AxisOf(out, 0), 8).first);
  return {s, {in, out}, "chain", target::ParseTarget("llvm"), {}};
}

// Names are part of the key only if they appear in the compiled result.
TEST(CompileCache, InnerNamesDoNotCount) {
  CompileCache cache(Fresh("names"));
  const auto key = [&](ProgramToCompile program, plugins::OutputKind output, bool check = false) {
    if (check) program.context.Set("check", 1);
    return cache.KeyOf(program, output)->ToString();
  };
  using plugins::OutputKind;
  const ProgramToCompile first = Chain("A", "B", "C", "n");
  for (const OutputKind output : {OutputKind::kModule, OutputKind::kObject}) {
    EXPECT_EQ(key(Chain("A", "tmp", "C", "n"), output), key(first, output));
    // Messages and metadata contain these names.
    EXPECT_NE(key(Chain("x", "B", "C", "n"), output), key(first, output));
    EXPECT_NE(key(Chain("A", "B", "y", "n"), output), key(first, output));
    EXPECT_NE(key(Chain("A", "B", "C", "size"), output), key(first, output));
    // Messages of the checked build name every buffer.
    EXPECT_NE(key(Chain("A", "tmp", "C", "n"), output, true), key(first, output, true));
  }
  EXPECT_NE(key(Chain("A", "tmp", "C", "n"), OutputKind::kIr), key(first, OutputKind::kIr));
  ASSERT_TRUE(BuildProgram(first, &cache).ok());
  ASSERT_TRUE(BuildProgram(Chain("A", "tmp", "C", "n"), &cache).ok());
  EXPECT_EQ(cache.hits(), 1);
  EXPECT_EQ(cache.misses(), 1);
}

// What a key cannot express is compiled each time.
TEST(CompileCache, DoesNotGuess) {
  CompileCache cache(Fresh("guess"));
  ProgramToCompile watched = Sum(2, 8);
  watched.context.after_pass = [](const lower::Pass&, const ir::Module&, const ir::Module&,
                                  double) {};
  EXPECT_FALSE(cache.KeyOf(watched, plugins::OutputKind::kModule));
  EXPECT_TRUE(Adds(*BuildProgram(watched, &cache), 2));
  EXPECT_EQ(cache.misses(), 0);
}

// A module at stage `tile` has its own key.
TEST(CompileCache, TakesLoweredModules) {
  CompileCache cache(Fresh("lowered"));
  std::string first;
  for (int i = 0; i < 2; ++i) {
    const ProgramToCompile program = Sum(4, 8);
    const ir::Module module = Lower(program.schedule, program.args, program.name, program.context);
    const auto made = FindOrCompile(module, program.target, plugins::OutputKind::kModule,
                                    program.context, &cache);
    ASSERT_TRUE(made.ok()) << made.status();
    EXPECT_EQ(cache.hits(), i);
    if (i == 0) first = made->bytes;
    EXPECT_EQ(made->bytes, first);
  }
}

// An undamaged entry that is no code is compiled again, and replaced.
TEST(CompileCache, CompilesAnewWhatDoesNotLoad) {
  CompileCache cache(Fresh("anew"));
  const auto key = cache.KeyOf(Sum(5, 8), plugins::OutputKind::kModule);
  Compiled nonsense;
  nonsense.module_kind = "elf";
  nonsense.bytes = "no object";
  cache.Keep(*key, nonsense, "");
  EXPECT_TRUE(Adds(*BuildProgram(Sum(5, 8), &cache), 5));
  CompileCache other(cache.store().options());
  EXPECT_TRUE(Adds(*BuildProgram(Sum(5, 8), &other), 5));
  EXPECT_EQ(other.hits(), 1);
}

TEST(CompileCache, DamageCostsACompilation) {
  const CacheOptions options = Fresh("damage");
  CompileCache cache(options);
  ASSERT_TRUE(BuildProgram(Sum(6, 8), &cache).ok());
  for (const auto& item : fs::directory_iterator(options.folder)) {
    if (item.path().extension() == ".entry") fs::resize_file(item.path(), item.file_size() / 2);
  }
  std::vector<std::string> said;
  CompileCache other(
      options, [&](const absl::Status& status) { said.emplace_back(runtime::StatusName(status)); });
  EXPECT_TRUE(Adds(*BuildProgram(Sum(6, 8), &other), 6));
  ASSERT_FALSE(said.empty());
  for (const std::string& name : said) EXPECT_EQ(name, "cache-entry-damaged");
  CompileCache third(options);
  EXPECT_TRUE(Adds(*BuildProgram(Sum(6, 8), &third), 6));
  EXPECT_EQ(third.hits(), 1);
}

bool PluginLoaded() {
  for (const runtime::PluginInfo& info : runtime::PluginLoader::Global().List()) {
    if (info.state == runtime::PluginState::kLoaded) return true;
  }
  return false;
}

// A new process has loaded no plugin. It must not load any.
TEST(CompileCache, AnotherProcessLoadsNoPlugin) {
  const CacheOptions options = Fresh("process");
  const auto run = [&](bool expect_hit) {
    std::fflush(nullptr);
    const pid_t pid = fork();
    if (pid == 0) {
      execl("/proc/self/exe", "compile_cache_test", "--gtest_filter=*InAProcessOfItsOwn",
            "--gtest_also_run_disabled_tests", options.folder.c_str(), expect_hit ? "hit" : "miss",
            nullptr);
      _exit(9);
    }
    int state = 0;
    Uninterrupted([&] { return waitpid(pid, &state, 0); });
    return WIFEXITED(state) && WEXITSTATUS(state) == 0;
  };
  EXPECT_TRUE(run(false));
  EXPECT_TRUE(run(true));
}

std::string child_folder, child_wanted;

// AnotherProcessLoadsNoPlugin runs this. It does nothing on its own.
TEST(CompileCache, DISABLED_InAProcessOfItsOwn) {
  ASSERT_FALSE(child_folder.empty()) << "run by AnotherProcessLoadsNoPlugin";
  UseDefaultPlugins();
  const auto start = std::chrono::steady_clock::now();
  CompileCache cache({child_folder, 1 << 24});
  const auto module = BuildProgram(Sum(7, 8), &cache);
  const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
  std::printf("%s: %.3f ms to a callable\n", child_wanted.c_str(), took.count());
  EXPECT_TRUE(Adds(*module, 7));
  EXPECT_EQ(cache.hits(), child_wanted == "hit" ? 1 : 0);
  EXPECT_EQ(PluginLoaded(), child_wanted == "miss");
}

// Must be last, because rules are never removed.
TEST(CompileCacheZ, ForeignRulesHaveNoKey) {
  CompileCache cache(Fresh("rules"));
  ASSERT_TRUE(cache.KeyOf(Sum(2, 8), plugins::OutputKind::kModule));
  lower::RegisterIntrinsicRule("exp", "cpu", 7, [](const ir::Call&) { return ir::Expr(); });
  EXPECT_FALSE(cache.KeyOf(Sum(2, 8), plugins::OutputKind::kModule));
}

}  // namespace
}  // namespace lathe::driver

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  if (argc == 3) {
    lathe::driver::child_folder = argv[1];
    lathe::driver::child_wanted = argv[2];
  }
  return RUN_ALL_TESTS();
}
