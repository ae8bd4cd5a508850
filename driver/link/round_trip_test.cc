// Artefacts that driver/link writes and runtime/artifact loads.
#include <fstream>

#include "driver/link/shared_object.h"
#include "gtest/gtest.h"
#include "runtime/artifact/artifact_module.h"
#include "runtime/artifact/tar_writer.h"
#include "runtime/artifact/test_objects.h"
#include "runtime/status.h"

namespace lathe::driver {
namespace {

using runtime::ObjectBytes;
using runtime::ReadTestObject;

void CheckLoads(const std::string& name, const std::string& bytes, std::string_view kind) {
  const std::string path = ::testing::TempDir() + "/" + name;
  std::ofstream(path, std::ios::binary) << bytes;
  // Loaded twice at once: each has its own data.
  const auto one = runtime::LoadArtifact(path), two = runtime::LoadArtifact(path);
  ASSERT_TRUE(one.ok() && two.ok()) << one.status() << two.status();
  EXPECT_EQ((*one)->kind(), kind);
  for (const auto& module : {one, two}) {
    EXPECT_EQ((*module->GetFunction("add"))(40, 2).As<int64_t>(), 42);
    EXPECT_FALSE(module->GetFunction("add")->TryCall(1).ok());
  }
}

TEST(RoundTripTest, SharedObject) {
  const std::string object = ReadTestObject("artifact");
  const auto bytes = LinkSharedObject({ObjectBytes{"artifact.o", object}});
  ASSERT_TRUE(bytes.ok()) << bytes.status();
  CheckLoads("artifact.so", bytes->Join(), "so");
}

TEST(RoundTripTest, SharedObjectOfSeveral) {
  const std::string object = ReadTestObject("artifact"), callee = ReadTestObject("callee");
  SharedObjectOptions options;
  options.exports = {LATHE_ARTIFACT_SYMBOL, "CalleeScale"};
  options.soname = "libartifact.so";
  const auto bytes = LinkSharedObject(
      {ObjectBytes{"artifact.o", object}, ObjectBytes{"callee.o", callee}}, options);
  ASSERT_TRUE(bytes.ok()) << bytes.status();
  CheckLoads("several.so", bytes->Join(), "so");
}

TEST(RoundTripTest, WhatTheDynamicLinkerLacksIsNamed) {
  const std::string object = ReadTestObject("kernels");
  SharedObjectOptions options;
  options.exports = {"Add"};
  const auto bytes = LinkSharedObject({ObjectBytes{"kernels.o", object}}, options);
  ASSERT_TRUE(bytes.ok()) << bytes.status();
  const auto module = runtime::LoadArtifactBytes(bytes->Join(), "kernels.so");
  EXPECT_EQ(runtime::StatusName(module.status()), "artifact-dlopen");
  // Any of the missing symbols may be named first.
  EXPECT_NE(module.status().message().find("undefined symbol"), std::string_view::npos)
      << module.status();
}

TEST(RoundTripTest, Archive) {
  const std::string object = ReadTestObject("artifact"), callee = ReadTestObject("callee");
  const auto bytes = runtime::WriteTar({{"artifact.o", object}, {"callee.o", callee}});
  ASSERT_TRUE(bytes.ok()) << bytes.status();
  CheckLoads("artifact.tar", bytes->Join(), "tar");
}

}  // namespace
}  // namespace lathe::driver
