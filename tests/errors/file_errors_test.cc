// Files that cannot be written, and misuse of the runtime's C interface and of a vendor's module
// class.
#include <cstdlib>
#include <string>

#include "driver/compile.h"
#include "gtest/gtest.h"
#include "plugins/sdk/module.h"
#include "runtime/status.h"

namespace lathe {
namespace {

TEST(ExportErrors, SuffixesAndFolders) {
  const std::string folder = std::getenv("TEST_TMPDIR");
  EXPECT_EQ(runtime::StatusName(driver::ExportObject("bytes", folder + "/x.zip")), "export-suffix");
  EXPECT_EQ(runtime::StatusName(driver::ExportObject("bytes", ".o")), "export-suffix");
  EXPECT_EQ(runtime::StatusName(driver::ExportObject("bytes", folder + "/nowhere/x.o")),
            "export-write");
  EXPECT_TRUE(driver::ExportObject("bytes", folder + "/x.o").ok());
}

TEST(VendorErrors, ModulesThatCannotBeSavedSaySo) {
  struct Plain : sdk::ModuleNode {
    sdk::Function GetFunction(std::string_view) override { return {}; }
  } module;
  try {
    module.Save();
    FAIL() << "saved";
  } catch (const sdk::Error& error) {
    EXPECT_NE(std::string(error.what()).find("cannot be saved"), std::string::npos);
    EXPECT_EQ(error.name(), "module-not-saved");
  }
}

}  // namespace
}  // namespace lathe
