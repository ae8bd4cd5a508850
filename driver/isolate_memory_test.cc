// LLVM with little memory, in a process of its own: the build ends with an error that has a name,
// and this process goes on.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "driver/compile.h"
#include "driver/default_plugins.h"
#include "runtime/status.h"
#include "schedule/primitives/primitives.h"
#include "te/operation.h"

namespace lathe::driver {
namespace {

namespace fs = std::filesystem;

// Stands in for the child: limits its memory, if LATHE_TEST_KILOBYTES says so, and becomes it.
void LimitChildren() {
  const fs::path folder = fs::path(testing::TempDir()) / "limited";
  fs::create_directories(folder);
  const fs::path child = folder / "lathe-compile-child";
  std::ofstream(child) << "#!/bin/sh\nulimit -v ${LATHE_TEST_KILOBYTES:-unlimited}\n"
                          "exec '"
                       << fs::absolute("plugins/default/lathe-compile-child").string() << "'\n";
  fs::permissions(child, fs::perms::owner_all);
  setenv("LATHE_PLUGIN_PATH", folder.c_str(), 1);
}

TEST(IsolateMemory, LittleOfItIsAnErrorAndTheNextBuildWorks) {
  if (std::getenv("ASAN_OPTIONS") != nullptr || std::getenv("TSAN_OPTIONS") != nullptr)
    GTEST_SKIP() << "a sanitizer maps more than the limits leave";
  LimitChildren();
  UseDefaultPlugins();
  const te::Tensor a = te::Placeholder({ir::Int(64)}, DataType::Float(32), "A");
  const te::Tensor b =
      te::Compute({ir::Int(64)}, [&](const te::Indices& i) { return te::At(a, {i[0]}) + 1; }, "B");
  const ir::Module module = Lower(schedule::CreateSchedule({b->op}), {a, b}, "f", {});
  const target::Target target = target::ParseTarget("llvm");
  lower::PassContext isolated;
  isolated.isolate = true;
  const auto compile = [&] {
    return Compile(module, target, plugins::OutputKind::kObject, isolated);
  };
  const absl::StatusOr<std::string> object = compile();
  ASSERT_TRUE(object.ok()) << object.status();
  int ended = 0;
  for (int kilobytes = 20000; kilobytes <= 120000; kilobytes += 5000) {
    setenv("LATHE_TEST_KILOBYTES", std::to_string(kilobytes).c_str(), 1);
    const absl::StatusOr<std::string> limited = compile();
    unsetenv("LATHE_TEST_KILOBYTES");
    if (limited.ok()) {
      EXPECT_EQ(*limited, *object) << kilobytes;
      continue;
    }
    ++ended;
    const std::string name(runtime::StatusName(limited.status()));
    // The child's dynamic linker, its plugin loader or LLVM finds it first.
    EXPECT_TRUE(name == "out-of-memory" || name == "compile-child-ended")
        << kilobytes << " kB: " << limited.status();
    EXPECT_NE(std::string(limited.status().message()).find("help: "), std::string::npos)
        << limited.status();
    const absl::StatusOr<std::string> again = compile();
    ASSERT_TRUE(again.ok()) << again.status();
    EXPECT_EQ(*again, *object);
  }
  EXPECT_GE(ended, 5);
}

}  // namespace
}  // namespace lathe::driver
