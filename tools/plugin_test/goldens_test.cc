// Files of earlier releases must still be read correctly: the binary form keeps its promise.
#include "tools/plugin_test/goldens.h"

#include <gtest/gtest.h>

#include "ir/binary.h"
#include "ir/verifier.h"

namespace lathe::kit {
namespace {

TEST(Goldens, AreReadVerifiedAndWrittenTheSame) {
  ASSERT_EQ(Goldens().size(), 6u);
  for (const Golden& golden : Goldens()) {
    SCOPED_TRACE(std::string(golden.form) + "-" + golden.program);
    const ir::Module module = ir::DecodeModule(golden.bytes);
    ASSERT_EQ(module->functions.size(), 1u);
    ir::VerifyModule(module,
                     golden.form == std::string_view("tile") ? ir::Stage::kTile : ir::Stage::kFlat);
    // Version 1 is still the version that is written, so the bytes must be equal.
    static_assert(ir::kBinaryVersion == 1, "add goldens of the new version; keep these");
    EXPECT_EQ(ir::EncodeModule(module), golden.bytes);
  }
}

}  // namespace
}  // namespace lathe::kit
