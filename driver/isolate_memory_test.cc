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
#include "runtime/test_cgroup.h"
#include "schedule/primitives/primitives.h"
#include "te/operation.h"

namespace lathe::driver {
namespace {

namespace fs = std::filesystem;

// Stands in for the child: limits its memory, if LATHE_TEST_KILOBYTES says so, joins the control
// group whose file LATHE_TEST_GROUP is, and becomes it.
void LimitChildren() {
  const fs::path folder = fs::path(testing::TempDir()) / "limited";
  fs::create_directories(folder);
  const fs::path child = folder / "lathe-compile-child";
  std::ofstream(child) << "#!/bin/sh\nulimit -v ${LATHE_TEST_KILOBYTES:-unlimited}\n"
                          "[ -z \"$LATHE_TEST_GROUP\" ] || echo 0 > \"$LATHE_TEST_GROUP\"\n"
                          "exec '"
                       << fs::absolute("plugins/default/lathe-compile-child").string() << "'\n";
  fs::permissions(child, fs::perms::owner_all);
  setenv("LATHE_PLUGIN_PATH", folder.c_str(), 1);
}

// One small program, compiled in a process of its own.
class IsolateMemory : public testing::Test {
 protected:
  void SetUp() override {
    if (std::getenv("ASAN_OPTIONS") != nullptr || std::getenv("TSAN_OPTIONS") != nullptr)
      GTEST_SKIP() << "a sanitizer maps more than the limits leave";
    LimitChildren();
    UseDefaultPlugins();
    const te::Tensor a = te::Placeholder({ir::Int(64)}, DataType::Float(32), "A");
    const te::Tensor b = te::Compute(
        {ir::Int(64)}, [&](const te::Indices& i) { return te::At(a, {i[0]}) + 1; }, "B");
    module_ = Lower(schedule::CreateSchedule({b->op}), {a, b}, "f", {});
    const absl::StatusOr<std::string> object = Compiled();
    ASSERT_TRUE(object.ok()) << object.status();
    object_ = *object;
  }

  absl::StatusOr<std::string> Compiled() const {
    lower::PassContext isolated;
    isolated.isolate = true;
    return Compile(module_, target::ParseTarget("llvm"), plugins::OutputKind::kObject, isolated);
  }
  // With a variable that limits the child.
  absl::StatusOr<std::string> CompiledWith(const char* variable, const std::string& value) const {
    setenv(variable, value.c_str(), 1);
    absl::StatusOr<std::string> limited = Compiled();
    unsetenv(variable);
    return limited;
  }
  void ExpectTheNextBuildWorks() const {
    const absl::StatusOr<std::string> again = Compiled();
    ASSERT_TRUE(again.ok()) << again.status();
    EXPECT_EQ(*again, object_);
  }

  ir::Module module_;
  std::string object_;
};

TEST_F(IsolateMemory, LittleOfItIsAnErrorAndTheNextBuildWorks) {
  int ended = 0;
  for (int kilobytes = 20000; kilobytes <= 120000; kilobytes += 5000) {
    const absl::StatusOr<std::string> limited =
        CompiledWith("LATHE_TEST_KILOBYTES", std::to_string(kilobytes));
    if (limited.ok()) {
      EXPECT_EQ(*limited, object_) << kilobytes;
      continue;
    }
    ++ended;
    const std::string name(runtime::StatusName(limited.status()));
    // The child's dynamic linker, its plugin loader or LLVM finds it first.
    EXPECT_TRUE(name == "out-of-memory" || name == "compile-child-ended")
        << kilobytes << " kB: " << limited.status();
    EXPECT_NE(std::string(limited.status().message()).find("help: "), std::string::npos)
        << limited.status();
    ExpectTheNextBuildWorks();
  }
  EXPECT_GE(ended, 5);
}

// As in a container: where memory runs out, the kernel ends the process without a word.
TEST_F(IsolateMemory, AControlGroupsLimitIsAnErrorAndTheNextBuildWorks) {
  int ended = 0;
  for (int megabytes = 4; megabytes <= 256; megabytes *= 2) {
    std::string why;
    const auto group = runtime::TestCgroup::Make("memory", std::to_string(megabytes << 20), &why);
    if (group == nullptr) GTEST_SKIP() << why;
    const absl::StatusOr<std::string> limited = CompiledWith("LATHE_TEST_GROUP", group->procs());
    if (limited.ok()) {
      EXPECT_EQ(*limited, object_) << megabytes;
      continue;
    }
    ++ended;
    EXPECT_EQ(runtime::StatusName(limited.status()), "out-of-memory")
        << megabytes << " MB: " << limited.status();
    EXPECT_NE(std::string(limited.status().message()).find("as the kernel ends a process"),
              std::string::npos)
        << limited.status();
    ExpectTheNextBuildWorks();
  }
  EXPECT_GE(ended, 1);
  EXPECT_LE(ended, 6);  // 256 MB are enough
}

}  // namespace
}  // namespace lathe::driver
