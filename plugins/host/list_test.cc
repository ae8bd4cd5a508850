#include "plugins/host/list.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <string>

namespace lathe::plugins {
namespace {

TEST(List, SaysThatThereIsNothing) {
  setenv("LATHE_PLUGIN_PATH", getenv("TEST_TMPDIR"), 1);
  EXPECT_NE(ListPluginsText().find("no plugins found"), std::string::npos);
  EXPECT_NE(ListTargetsText().find("no targets"), std::string::npos);
  EXPECT_EQ(ListPluginsJson(), "[]\n");
  EXPECT_EQ(ListTargetsJson(), "[]\n");
}

}  // namespace
}  // namespace lathe::plugins
