#include "tune/best_records.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "driver/auto_build.h"
#include "driver/default_plugins.h"
#include "ir/text/printer.h"
#include "runtime/status.h"
#include "schedule/canonical_trace.h"
#include "schedule/trace.h"
#include "target/canonical.h"
#include "te/operation.h"
#include "te/workload_key.h"
#include "topi/ops/matmul.h"
#include "tune/journal.h"
#include "tune/kernel_records.h"
#include "tune/lock_file.h"
#include "tune/schedule_space.h"

namespace lathe::tune {
namespace {

using runtime::StatusName;

// A product whose tensors have these names.
std::vector<ir::NodeRef> Product(const std::string& prefix, int64_t rows = 96) {
  const te::Tensor a =
      te::Placeholder({ir::Int(rows), ir::Int(64)}, DataType::Float(32), prefix + "a");
  const te::Tensor b =
      te::Placeholder({ir::Int(64), ir::Int(80)}, DataType::Float(32), prefix + "b");
  return {a, b, topi::ops::Matmul(a, b)};
}

struct Records : testing::Test {
  const target::Target target = *target::CanonicalTarget(target::ParseTarget("llvm"));
  const ScheduleSpace space =
      *MakeScheduleSpace(Product("x"), "f", target::ParseTarget("llvm"), {}, nullptr);

  // What a search would write of a random point.
  Record RecordOf(uint64_t seed, double seconds) const {
    Space::Random random(seed);
    const driver::ProgramToCompile program = space.make(*space.space.Draw(random));
    Record record;
    record.target = program.target.ToString();
    record.workload = te::WorkloadKey(program.args, record.target).ToString();
    record.program = ir::ToText(schedule::CanonicalWithTrace(
        schedule::ToProgram(program.schedule, program.args, program.name)));
    record.seconds = {seconds};
    return record;
  }
  static std::string TextOf(const schedule::Schedule& schedule,
                            const std::vector<ir::NodeRef>& args) {
    return ir::ToText(schedule::CanonicalWithTrace(schedule::ToProgram(schedule, args, "f")));
  }
};

TEST_F(Records, TheBestApplies) {
  const std::string path = testing::TempDir() + "/best.jsonl";
  const auto journal = *Journal::Open(path);
  Record failed = RecordOf(3, 0);
  failed.seconds.clear();
  failed.failure = Failure{FailureKind::kCrash, "it crashed"};
  const std::string lines[] = {ToText(RecordOf(1, 3e-5)), ToText(RecordOf(2, 1e-5)), ToText(failed),
                               ToText(RecordOf(4, 2e-5))};
  ASSERT_TRUE(journal->Append(lines).ok());
  BestRecords records;
  ASSERT_EQ(*records.Read(path), 0);
  EXPECT_EQ(records.size(), 1u);
  // For a program that differs in names.
  const std::vector<ir::NodeRef> args = Product("other_");
  const Record* const found = records.Find(args, target);
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->cost(), 1e-5);
  EXPECT_EQ(TextOf(ScheduleOf(*found, args), args), RecordOf(2, 0).program);
  EXPECT_EQ(records.Find(Product("x", 97), target), nullptr);
  EXPECT_EQ(records.Find(args, *target::CanonicalTarget(
                                   target::ParseTarget("llvm -mtriple=aarch64-linux-gnu"))),
            nullptr);
}

TEST_F(Records, WhatIsNoRecordIsNamed) {
  BestRecords records;
  EXPECT_EQ(StatusName(records.Read(testing::TempDir() + "/none.jsonl").status()),
            "tune-journal-unreadable");
  const std::string path = testing::TempDir() + "/wrong.jsonl";
  const auto journal = *Journal::Open(path);
  const std::string lines[] = {ToText(RecordOf(1, 3e-5)), "{\"odd\": 1}"};
  ASSERT_TRUE(journal->Append(lines).ok());
  EXPECT_EQ(*records.Read(path), 1);
  EXPECT_EQ(records.size(), 1u);
  const std::string text = testing::TempDir() + "/text.jsonl";
  std::ofstream(text) << "not a journal\n";
  EXPECT_EQ(StatusName(records.Read(text).status()), "tune-record-invalid");
  // A step of another program.
  Record other = RecordOf(1, 1);
  EXPECT_THROW(ScheduleOf(other, Product("x", 97)), Error);
}

// What a build of a graph asks.
TEST_F(Records, KernelsGetTheirsOrAreNoted) {
  std::vector<std::string> notes;
  KernelRecords records([&](const std::string& note) { notes.push_back(note); });
  const std::vector<ir::NodeRef> args = Product("k");
  const auto shipped = std::make_shared<BestRecords>();
  shipped->Add(RecordOf(1, 1e-6));
  EXPECT_EQ(records.ScheduleOf("matmul", args, target), std::nullopt);
  records.Otherwise(shipped);
  EXPECT_EQ(TextOf(*records.ScheduleOf("matmul", args, target), args), RecordOf(1, 0).program);

  // The files of users come first, also if they are slower: they may be of this very machine.
  const std::string path = testing::TempDir() + "/mine.jsonl";
  const std::string lines[] = {ToText(RecordOf(2, 1e-3)), "odd"};
  ASSERT_TRUE((*Journal::Open(path))->Append(lines).ok());
  ASSERT_TRUE(records.Read(path).ok());
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_EQ(TextOf(*records.ScheduleOf("matmul", args, target), args), RecordOf(2, 0).program);
  EXPECT_EQ(records.asked(), 3);
  ASSERT_EQ(records.found().size(), 2u);
  EXPECT_EQ(records.found()[1].kernel, "matmul");
  EXPECT_EQ(records.found()[1].record.seconds, std::vector<double>{1e-3});

  // A record whose steps do not fit: the trace of another program.
  Record odd = RecordOf(1, 1e-9);
  odd.workload = te::WorkloadKey(Product("x", 97), target.ToString()).ToString();
  shipped->Add(odd);
  EXPECT_EQ(records.ScheduleOf("other", Product("x", 97), target), std::nullopt);
  ASSERT_EQ(notes.size(), 2u);
  EXPECT_NE(notes[1].find("other does not apply"), std::string::npos) << notes[1];
}

// A lock says how many records it has: what is lost is noticed.
TEST_F(Records, LocksNoticeWhatIsLost) {
  const std::string path = testing::TempDir() + "/lock";
  Record other = RecordOf(2, 1e-5);
  std::reverse(other.workload.begin(), other.workload.end());
  ASSERT_TRUE(WriteLock(path, {RecordOf(1, 3e-5), other, RecordOf(1, 3e-5)}).ok());
  const auto lock = ReadLock(path);
  ASSERT_TRUE(lock.ok()) << lock.status();
  EXPECT_EQ(lock->count, 2);
  EXPECT_EQ(lock->records->size(), 2u);
  std::ifstream file(path);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const auto broken = [&](const std::string& changed) {
    std::ofstream(path, std::ios::trunc) << changed;
    return std::string(StatusName(ReadLock(path).status()));
  };
  for (size_t cut = 1; cut < text.size(); cut += text.size() / 40 + 1)
    EXPECT_EQ(broken(text.substr(0, cut)), "tune-lock-broken") << cut;
  const size_t first = text.find('\n') + 1, second = text.find('\n', first) + 1;
  EXPECT_EQ(broken(text.substr(0, first) + text.substr(second)), "tune-lock-broken");
  EXPECT_EQ(broken(text + ToText(other) + "\n"), "tune-lock-broken");
  EXPECT_EQ(broken("odd\n"), "tune-lock-broken");
  // What `lathe tune MODEL -o` writes has no first line, and may be of several builds.
  EXPECT_EQ(broken(text.substr(first)), "");
  EXPECT_EQ(broken(""), "");
  EXPECT_EQ(ReadLock(path)->count, std::nullopt);
}

}  // namespace
}  // namespace lathe::tune

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  lathe::driver::UseDefaultPlugins();
  return RUN_ALL_TESTS();
}
