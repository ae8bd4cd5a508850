#include "tune/autotvm_log.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <map>

#include "base/file.h"
#include "runtime/status.h"

namespace lathe::tune {
namespace {

using runtime::StatusName;

// As TVM writes them: all kinds of knobs.
constexpr char kLine[] =
    R"({"input": ["llvm -mcpu=core-avx2", "matmul", [["TENSOR", [512, 64], "float32"], 1, "NCHW"], {}], )"
    R"("config": {"index": 17, "code_hash": null, "entity": [["tile_y", "sp", [-1, 8]], )"
    R"(["order", "re", [0, 2, 1]], ["ann", "an", ["vec", "unroll"]], ["step", "ot", 1500]]}, )"
    R"("result": [[5.69732536806342e-05, 6e-05], 0, 14.116215467453003, 1535423916.7184713], )"
    R"("version": 0.2, "tvm_version": "0.9.0"})";
constexpr char kOldLine[] =
    R"({"i": ["cuda", "conv2d", [1, 2], {}, ["conv2d", 1, 2], {"i": 3, "t": "direct", "c": null, )"
    R"("e": [["tile_f", "sp", [6, 1, 32, 1]], ["unroll", "ot", false]]}], )"
    R"("r": [[1e9], 4, 20.5, 1535423916.5], "v": 0.1})";

TEST(AutotvmLog, ALineIsReadAndWritten) {
  const LogRecord record = *LogRecordFromText(kLine);
  EXPECT_EQ(record.target, "llvm -mcpu=core-avx2");
  EXPECT_EQ(record.task, "matmul");
  EXPECT_EQ(record.args.items()[0].Dump(), R"(["TENSOR", [512, 64], "float32"])");
  EXPECT_EQ(record.index, 17);
  ASSERT_EQ(record.values.size(), 4u);
  EXPECT_EQ(record.Find("tile_y")->value.Dump(), "[-1, 8]");
  EXPECT_EQ(record.Find("order")->kind, KnobKind::kOrder);
  EXPECT_EQ(record.Find("ann")->kind, KnobKind::kAnnotation);
  EXPECT_EQ(record.Find("step")->value.int_value(), 1500);
  EXPECT_EQ(record.Find("none"), nullptr);
  EXPECT_EQ(record.seconds, (std::vector<double>{5.69732536806342e-05, 6e-05}));
  EXPECT_FALSE(record.failure.has_value());
  EXPECT_EQ(record.total_seconds, 14.116215467453003);
  EXPECT_EQ(record.when, 1535423916.7184713);
  EXPECT_EQ(record.version, "0.9.0");
  const std::string text = ToLogText(record);
  EXPECT_EQ(ToLogText(*LogRecordFromText(text)), text);
  EXPECT_EQ(LogRecordFromText(text)->Find("order")->value.Dump(), "[0, 2, 1]");
}

TEST(AutotvmLog, TheFirstVersionAndFailures) {
  const LogRecord record = *LogRecordFromText(kOldLine);
  EXPECT_EQ(record.task, "conv2d");
  EXPECT_EQ(record.index, 3);
  EXPECT_EQ(record.Find("tile_f")->value.Dump(), "[6, 1, 32, 1]");
  ASSERT_TRUE(record.failure.has_value());
  EXPECT_EQ(record.failure->kind, FailureKind::kCrash);
  EXPECT_TRUE(record.seconds.empty());
  std::string text = kLine;
  for (const auto& [number, kind] : std::map<char, FailureKind>{{'1', FailureKind::kSchedule},
                                                                {'2', FailureKind::kBuild},
                                                                {'3', FailureKind::kBuild},
                                                                {'4', FailureKind::kCrash},
                                                                {'5', FailureKind::kWrongAnswer},
                                                                {'6', FailureKind::kTimeout},
                                                                {'7', FailureKind::kTimeout},
                                                                {'8', FailureKind::kDevice}}) {
    text = kLine;
    const std::string times = "[5.69732536806342e-05, 6e-05], 0";
    text.replace(text.find(times), times.size(),
                 R"(["why", "and where"], )" + std::string(1, number));
    const LogRecord failed = *LogRecordFromText(text);
    EXPECT_EQ(failed.failure->kind, kind) << number;
    EXPECT_EQ(failed.failure->message, "why\nand where");
    EXPECT_EQ(LogRecordFromText(ToLogText(failed))->failure->kind, kind) << number;
  }
}

TEST(AutotvmLog, WhatIsRefused) {
  const std::map<std::string, std::string> wrong = {
      {R"("input")", R"("inptu")"},          {R"("matmul", )", R"(7, )"},
      {R"("index": 17)", R"("index": "a")"}, {R"("entity")", R"("entities")"},
      {R"("sp", [-1, 8])", R"("sp", 8)"},    {R"("re", [0, 2, 1])", R"("re", ["a"])"},
      {R"("an", ["vec")", R"("an", [1)"},    {R"(["step", "ot")", R"(["step", "xx")"},
      {R"(["step", "ot")", R"(["", "ot")"},  {R"("config": {)", R"("config": [], "x": {)"},
      {"5.69732536806342e-05", "-1"},        {"5.69732536806342e-05, 6e-05", ""},
      {R"("result")", R"("results")"},       {"14.116215467453003", "null"}};
  for (const auto& [from, to] : wrong) {
    std::string text = kLine;
    ASSERT_NE(text.find(from), std::string::npos) << from;
    text.replace(text.find(from), from.size(), to);
    const absl::Status status = LogRecordFromText(text).status();
    EXPECT_EQ(StatusName(status), "tune-log-invalid") << to << ": " << status;
    EXPECT_NE(status.message().find("expected: "), std::string::npos) << status;
  }
  const absl::Status other =
      LogRecordFromText(R"({"i": [["[\"f\", 1]", "llvm", [8]], [[], []]], "r": [[1], 0, 1, 1]})")
          .status();
  EXPECT_NE(other.message().find("a record of AutoScheduler"), std::string::npos) << other;
  for (size_t size = 0; size < sizeof kLine - 1; ++size)
    EXPECT_FALSE(LogRecordFromText(std::string_view(kLine, size)).ok()) << size;
}

TEST(AutotvmLog, FilesHaveCommentsAndBadLines) {
  const std::string path = testing::TempDir() + "/autotvm.log";
  ASSERT_TRUE(
      WriteFile(path, "# a comment\n" + std::string(kLine) + "\r\n\n  \nbroken\n" + kOldLine).ok());
  std::map<int64_t, std::string> found;
  ASSERT_TRUE(ReadLog(path, [&](int64_t line, absl::StatusOr<LogRecord> record) {
                found[line] = record.ok() ? record->task : std::string(StatusName(record.status()));
              }).ok());
  EXPECT_EQ(found,
            (std::map<int64_t, std::string>{{2, "matmul"}, {5, "json-malformed"}, {6, "conv2d"}}));
  const absl::Status missing = ReadLog("/no/such/log", [](int64_t, const auto&) {});
  EXPECT_EQ(StatusName(missing), "tune-log-unreadable");
}

// Logs that TVM's users downloaded: every line is a record, and comes back as it was.
TEST(AutotvmLog, RealLogs) {
  const char* const data = std::getenv("LATHE_TEST_DATA");
  const std::filesystem::path folder =
      std::filesystem::path(data == nullptr ? "" : data) / "tuning-logs";
  if (data == nullptr || !std::filesystem::exists(folder))
    GTEST_SKIP() << "NOT RUN: no LATHE_TEST_DATA/tuning-logs";
  int records = 0;
  for (const auto& file : std::filesystem::directory_iterator(folder)) {
    const absl::Status status =
        ReadLog(file.path(), [&](int64_t line, const absl::StatusOr<LogRecord>& record) {
          ASSERT_TRUE(record.ok()) << file.path() << ":" << line << ": " << record.status();
          EXPECT_EQ(ToLogText(*LogRecordFromText(ToLogText(*record))), ToLogText(*record));
          EXPECT_FALSE(record->values.empty());
          EXPECT_FALSE(record->seconds.empty());
          ++records;
        });
    ASSERT_TRUE(status.ok()) << status;
  }
  EXPECT_GT(records, 900);
}

}  // namespace
}  // namespace lathe::tune
