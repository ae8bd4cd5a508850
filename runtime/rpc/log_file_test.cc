#include "runtime/rpc/log_file.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <regex>
#include <string>

#include "base/file.h"
#include "runtime/status.h"

namespace lathe::runtime::rpc {
namespace {

std::string Contents(const std::string& path) {
  std::string text;
  EXPECT_TRUE(ReadFile(path, kAnySize, &text).ok()) << path;
  return text;
}

TEST(LogFile, LinesWithTheTimeAndRotation) {
  const std::string path = testing::TempDir() + "/log_file_test.log", old = path + ".1";
  std::remove(path.c_str());
  const LogWriter log = *LogToFile(path);
  EXPECT_EQ(Contents(path), "");
  log("one");
  log("two");
  ASSERT_EQ(std::rename(path.c_str(), old.c_str()), 0);
  log("three");
  const std::string time = R"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ )";
  EXPECT_TRUE(std::regex_match(Contents(old), std::regex(time + "one\n" + time + "two\n")));
  EXPECT_TRUE(std::regex_match(Contents(path), std::regex(time + "three\n")));
  const LogWriter again = *LogToFile(path);  // nothing that is there is lost
  again("four");
  EXPECT_TRUE(std::regex_match(Contents(path), std::regex(time + "three\n" + time + "four\n")));
}

TEST(LogFile, OneThatCannotBeWrittenIsSaidAtOnce) {
  const absl::Status status = LogToFile("/no/such/folder/log").status();
  EXPECT_EQ(StatusName(status), "rpc-log-file") << status;
  EXPECT_NE(status.message().find("found: /no/such/folder/log: No such file"), std::string::npos);
}

}  // namespace
}  // namespace lathe::runtime::rpc
