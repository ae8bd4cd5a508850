#include "driver/link/merge_objects.h"

#include <algorithm>

#include "driver/link/shared_object.h"
#include "gtest/gtest.h"
#include "runtime/artifact/artifact_module.h"
#include "runtime/artifact/elf_reader.h"
#include "runtime/artifact/test_objects.h"
#include "runtime/status.h"

namespace lathe::driver {
namespace {

using runtime::ReadTestObject;
using runtime::StatusName;

absl::StatusOr<std::string> Merge(const std::vector<std::string>& objects,
                                  const MergeOptions& options = {}) {
  std::vector<runtime::ObjectBytes> inputs;
  for (const std::string& object : objects) inputs.push_back({"part", object});
  const auto pieces = MergeArtifacts(inputs, options);
  if (!pieces.ok()) return pieces.status();
  return pieces->Join();
}

std::string Merged() { return Merge({ReadTestObject("artifact"), ReadTestObject("part")}).value(); }

void CheckModule(const runtime::Module& module) {
  EXPECT_EQ(module->FunctionNames(), (std::vector<std::string>{"add", "call_twice", "scale"}));
  EXPECT_EQ((*module.GetFunction("add"))(40, 2).As<int64_t>(), 42);
  EXPECT_EQ((*module.GetFunction("scale"))(7, 0, 0).As<int64_t>(), 7000);
  EXPECT_EQ((*module.EntryFunction())(1, 2).As<int64_t>(), 3);  // of the first part
  EXPECT_EQ(module->metadata().functions.size(), 2u);
  EXPECT_EQ(module->metadata().devices, std::vector<std::string>{"cpu"});
  // Each part uses the runtime's table.
  EXPECT_EQ(StatusName(module.GetFunction("add")->TryCall(1).status()), "call-wrong-argument-kind");
  EXPECT_EQ(StatusName(module.GetFunction("scale")->TryCall().status()),
            "call-wrong-argument-kind");
}

TEST(MergeObjectsTest, PartsAreOneModule) {
  const std::string merged = Merged();
  auto module = runtime::LoadArtifactBytes(merged, "merged");
  ASSERT_TRUE(module.ok()) << module.status();
  CheckModule(*module);
  EXPECT_EQ(*(*module)->Save(), merged);
  const runtime::ObjectBytes object = {"merged", merged};
  const auto library = LinkSharedObject({&object, 1});
  ASSERT_TRUE(library.ok()) << library.status();
  module = runtime::LoadArtifactBytes(library->Join(), "merged.so");
  ASSERT_TRUE(module.ok()) << module.status();
  CheckModule(*module);
}

TEST(MergeObjectsTest, MergedObjectsAreMergedAgain) {
  auto twice = Merge({Merged()});
  ASSERT_TRUE(twice.ok()) << twice.status();
  auto module = runtime::LoadArtifactBytes(*twice, "twice");
  ASSERT_TRUE(module.ok()) << module.status();
  CheckModule(*module);
}

// For every machine: only one symbol is visible to others.
TEST(MergeObjectsTest, DefinesOneSymbolForOthers) {
  for (const std::string machine : {"x86_64", "aarch64", "riscv64", "arm", "thumb"}) {
    MergeOptions options;
    options.symbol = "model_a";
    const auto merged =
        Merge({ReadTestObject("artifact", machine), ReadTestObject("part", machine)}, options);
    ASSERT_TRUE(merged.ok()) << merged.status();
    const auto read = runtime::ReadElfObject(*merged, machine);
    ASSERT_TRUE(read.ok()) << read.status();
    std::vector<std::string_view> defined;
    for (const runtime::ElfSymbol& symbol : read->symbols) {
      if (symbol.is_global() && symbol.place != runtime::ElfSymbol::Place::kUndefined)
        defined.push_back(symbol.name);
    }
    EXPECT_EQ(defined, std::vector<std::string_view>{"model_a"}) << machine;
    const runtime::ObjectBytes object = {"merged", *merged};
    SharedObjectOptions link;
    link.exports = {"model_a"};
    const auto library = LinkSharedObject({&object, 1}, link);
    EXPECT_TRUE(library.ok()) << library.status();
  }
}

TEST(MergeObjectsTest, TheSameBytesEachTime) { EXPECT_EQ(Merged(), Merged()); }

TEST(MergeObjectsTest, FunctionsOfOneNameAreRefusedOnLoading) {
  const auto merged = Merge({ReadTestObject("part"), ReadTestObject("part")});
  ASSERT_TRUE(merged.ok()) << merged.status();
  const absl::Status status = runtime::LoadArtifactBytes(*merged, "merged").status();
  EXPECT_EQ(StatusName(status), "artifact-corrupt");
  EXPECT_NE(status.message().find("`scale` twice"), std::string_view::npos) << status;
}

TEST(MergeObjectsTest, WhatCannotBePart) {
  EXPECT_EQ(StatusName(Merge({}).status()), "artifact-machine");
  EXPECT_EQ(StatusName(Merge({ReadTestObject("artifact"), ReadTestObject("callee")}).status()),
            "artifact-no-symbol");
  EXPECT_EQ(
      StatusName(Merge({ReadTestObject("artifact", "x86_64"), ReadTestObject("part", "aarch64")})
                     .status()),
      "artifact-machine");
  EXPECT_EQ(StatusName(Merge({"text"}).status()), "artifact-corrupt");
}

// Every byte of the list of parts, and of what it points to, is checked before it is used.
TEST(MergeObjectsTest, DamagedPartsAreRefused) {
  const std::string merged = Merged();
  for (size_t i = 0; i < merged.size(); i += 7) {
    std::string damaged = merged;
    damaged[i] = static_cast<char>(damaged[i] ^ 0x5a);
    static_cast<void>(runtime::ReadElfObject(damaged, "damaged"));
    static_cast<void>(Merge({damaged, ReadTestObject("part")}));
  }
}

}  // namespace
}  // namespace lathe::driver
