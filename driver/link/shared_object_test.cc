#include "driver/link/shared_object.h"

#include <dlfcn.h>

#include <fstream>

#include "gtest/gtest.h"
#include "runtime/artifact/machine.h"
#include "runtime/artifact/test_objects.h"
#include "runtime/status.h"

namespace lathe::driver {
namespace {

using runtime::HostMachine;
using runtime::ObjectBytes;
using runtime::ReadTestObject;
using runtime::StatusName;
using runtime::TestKernels;

const std::vector<std::string> kKernels = {
    "Add",  "SumOfExp",   "Polynomial", "Switch",   "Count",    "Name", "Other",
    "Copy", "SharedName", "HasAbsent",  "Callback", "Indirect", "zeros"};

absl::StatusOr<std::string> LinkKernels(const std::string& machine,
                                        const std::string& suffix = "") {
  const std::string kernels = ReadTestObject("kernels" + suffix, machine);
  const std::string callee = ReadTestObject("callee" + suffix, machine);
  SharedObjectOptions options;
  options.exports = kKernels;
  options.soname = "libkernels.so";
  const auto pieces = LinkSharedObject(
      {ObjectBytes{"kernels.o", kernels}, ObjectBytes{"callee.o", callee}}, options);
  if (!pieces.ok()) return pieces.status();
  return pieces->Join();
}

std::string WriteFile(const std::string& name, const std::string& bytes) {
  const std::string path = ::testing::TempDir() + "/" + name;
  std::ofstream(path, std::ios::binary) << bytes;
  return path;
}

TEST(SharedObjectTest, TheDynamicLinkerRunsIt) {
  const auto bytes = LinkKernels(HostMachine()->name);
  ASSERT_TRUE(bytes.ok()) << bytes.status();
  void* library = dlopen(WriteFile("libkernels.so", *bytes).c_str(), RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(library, nullptr) << dlerror();
  TestKernels kernels([&](const char* name) { return dlsym(library, name); });
  kernels.Check(0);
  kernels.Check(1);
  // All of .bss is there, and only the requested symbols are exported.
  auto* zeros = static_cast<int32_t*>(dlsym(library, "zeros"));
  ASSERT_NE(zeros, nullptr);
  EXPECT_EQ(zeros[999], 0);
  EXPECT_EQ(dlsym(library, "CalleeScale"), nullptr);
  EXPECT_EQ(dlclose(library), 0);
}

TEST(SharedObjectTest, ThumbCode) {
  if (HostMachine() != &runtime::kArm) GTEST_SKIP() << "only on Arm";
  const auto bytes = LinkKernels("thumb");
  ASSERT_TRUE(bytes.ok()) << bytes.status();
  void* library = dlopen(WriteFile("libthumb.so", *bytes).c_str(), RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(library, nullptr) << dlerror();
  TestKernels([&](const char* name) { return dlsym(library, name); }).Check();
}

TEST(SharedObjectTest, SameInputsGiveSameBytes) {
  for (const char* machine : {"x86_64", "aarch64", "riscv64", "arm"}) {
    const auto one = LinkKernels(machine), two = LinkKernels(machine);
    ASSERT_TRUE(one.ok() && two.ok()) << one.status();
    EXPECT_EQ(*one, *two) << machine;
  }
}

TEST(SharedObjectTest, MissingExportIsNamed) {
  const std::string callee = ReadTestObject("callee");
  const auto bytes = LinkSharedObject({ObjectBytes{"callee.o", callee}});
  EXPECT_EQ(StatusName(bytes.status()), "artifact-no-export");
  EXPECT_NE(bytes.status().message().find("lathe_artifact_v1"), std::string_view::npos);
}

TEST(SharedObjectTest, ObjectsOfTwoMachinesAreRefused) {
  const std::string kernels = ReadTestObject("kernels", "x86_64"),
                    callee = ReadTestObject("callee", "aarch64");
  const auto bytes =
      LinkSharedObject({ObjectBytes{"kernels.o", kernels}, ObjectBytes{"callee.o", callee}});
  EXPECT_EQ(StatusName(bytes.status()), "artifact-machine");
  for (const char* part : {"kernels.o", "x86_64", "callee.o", "aarch64"}) {
    EXPECT_NE(bytes.status().message().find(part), std::string_view::npos) << bytes.status();
  }
}

TEST(SharedObjectTest, NothingIsAnError) {
  EXPECT_EQ(StatusName(LinkSharedObject({}).status()), "artifact-corrupt");
  EXPECT_EQ(StatusName(LinkSharedObject({ObjectBytes{"text", "text"}}).status()),
            "artifact-corrupt");
}

}  // namespace
}  // namespace lathe::driver
