#include "plugins/host/codegen.h"

#include <gtest/gtest.h>

#include <memory>

#include "runtime/status.h"

namespace lathe::plugins {
namespace {

using runtime::StatusName;

target::Target ReadingTwoToThree() {
  auto schema = std::make_shared<target::TargetSchema>();
  schema->kind = "acme";
  schema->ir_lowest = 2;
  schema->ir_highest = 3;
  return target::ParseTargetWith("acme", std::move(schema), "acme 1.2");
}

TEST(CodeGen, ChoosesTheNewestSharedVersionOfTheIr) {
  const target::Target target = ReadingTwoToThree();
  EXPECT_EQ(*CodeGen::ChooseIrVersion(target, 1, 2), 2);
  EXPECT_EQ(*CodeGen::ChooseIrVersion(target, 3, 4), 3);
  EXPECT_EQ(*CodeGen::ChooseIrVersion(target, 2, 9), 3);
  const auto too_old = CodeGen::ChooseIrVersion(target, 4, 5);
  EXPECT_EQ(StatusName(too_old.status()), "plugin-ir-version");
  EXPECT_NE(too_old.status().message().find("help: rebuild the plugin with SDK"),
            std::string_view::npos);
  const auto too_new = CodeGen::ChooseIrVersion(target, 1, 1);
  EXPECT_NE(too_new.status().message().find("use a newer Lathe"), std::string_view::npos)
      << too_new.status();
}

}  // namespace
}  // namespace lathe::plugins
