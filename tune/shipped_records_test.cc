#include "tune/shipped_records.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "driver/default_plugins.h"
#include "ir/text/parser.h"
#include "schedule/canonical_trace.h"
#include "schedule/trace.h"
#include "te/workload_key.h"
#include "tune/journal.h"
#include "tune/record.h"

namespace lathe::tune {
namespace {

// Each line is a record, of a kernel for whose program it says it is, and its steps apply.
TEST(ShippedRecords, EachApplies) {
  std::set<std::string> workloads;
  int64_t lines = 0;
  for (const auto& file : std::filesystem::directory_iterator("tune/shipped")) {
    SCOPED_TRACE(file.path().string());
    const JournalState state = *ReadJournal(file.path(), [&](std::string_view text, int64_t line) {
      SCOPED_TRACE(line);
      const absl::StatusOr<Record> record = RecordFromText(text);
      ASSERT_TRUE(record.ok()) << record.status();
      EXPECT_FALSE(record->failure);
      EXPECT_NE(record->machine, "");
      const ir::Program program = ir::ParseProgram(record->program);
      const std::vector<ir::NodeRef> args(program->args.begin(), program->args.end());
      EXPECT_EQ(te::WorkloadKey(args, record->target).ToString(), record->workload);
      EXPECT_FALSE(ScheduleOf(*record, args)->trace.empty());
      workloads.insert(record->workload);
      ++lines;
    });
    EXPECT_TRUE(state.damaged.empty());
  }
  EXPECT_GT(lines, 0);
  EXPECT_EQ(ShippedRecords()->size(), workloads.size());
  EXPECT_EQ(static_cast<int64_t>(workloads.size()), lines) << "a kernel has two records";
}

}  // namespace
}  // namespace lathe::tune

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  lathe::driver::UseDefaultPlugins();
  return RUN_ALL_TESTS();
}
