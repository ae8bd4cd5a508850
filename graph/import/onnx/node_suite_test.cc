// ONNX's backend tests, compiled at level 3: so many pass, and docs/onnx.md says so.
//
// The data are not part of the tree: LATHE_TEST_DATA is the folder that has onnx-nodes/. Without it
// the test is skipped.
#include "graph/import/onnx/node_suite.h"

#include <cstdlib>
#include <filesystem>
#include <thread>

#include "base/file.h"
#include "base/run_program.h"
#include "driver/default_plugins.h"
#include "gtest/gtest.h"

namespace lathe::graph::onnx {
namespace {

// Unpacks the archive; "" if it is not there.
std::string Unpacked() {
  const char* const data = std::getenv("LATHE_TEST_DATA");
  const std::string archive =
      std::string(data == nullptr ? "/nowhere" : data) + "/onnx-nodes/backend-node-v1.17.0.tar.xz";
  if (!std::filesystem::exists(archive)) return "";
  const std::string folder = testing::TempDir() + "/onnx_nodes";
  std::filesystem::create_directories(folder);
  std::vector<std::string> words{"tar", "xf", archive, "-C", folder};
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  const ProgramEnd end = RunProgram(argv, std::chrono::minutes(2), 4096);
  EXPECT_EQ(end.status, 0) << end.output;
  return folder;
}

TEST(NodeSuite, AsManyPassAsThePageSays) {
  const std::string folder = Unpacked();
  if (folder.empty()) {
    GTEST_SKIP()
        << "the backend tests of ONNX are not here: set LATHE_TEST_DATA to the folder with "
           "onnx-nodes/backend-node-v1.17.0.tar.xz";
  }
  driver::UseDefaultPlugins();
  const std::vector<std::string> cases = FindCases(folder);
  ASSERT_EQ(cases.size(), 1288);
  const std::vector<SuiteOutcome> outcomes =
      RunCases(cases, {}, static_cast<int>(std::thread::hardware_concurrency()));
  const SuiteCounts single = CountOf(outcomes, false), expanded = CountOf(outcomes, true);
  EXPECT_GE(single.passed, 900);
  EXPECT_GE(expanded.passed, 215);
  std::string page;
  ASSERT_TRUE(ReadFile("docs/onnx.md", kAnySize, &page).ok());
  for (const std::string& row : {CountRow(outcomes, "", false), CountRow(outcomes, "", true)}) {
    EXPECT_NE(page.find(row), std::string::npos)
        << "docs/onnx.md must have this row; node_suite_main.cc writes the page:\n"
        << row;
  }
  // Tests that do not pass are those that the page names.
  for (const SuiteOutcome& outcome : outcomes) {
    if (outcome.kind == SuiteOutcome::Kind::kPassed) continue;
    const std::string row =
        "| " + outcome.name + " | " + std::string(OutcomeName(outcome.kind)) + " |";
    EXPECT_NE(page.find(row), std::string::npos) << outcome.name << ": " << outcome.reason;
  }
}

}  // namespace
}  // namespace lathe::graph::onnx
