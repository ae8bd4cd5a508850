#include "tune/journal.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <thread>

#include "base/file.h"
#include "runtime/status.h"

namespace lathe::tune {
namespace {

using runtime::StatusName;
using Texts = std::vector<std::string>;

std::string NewPath() {
  static int count = 0;
  const std::string path =
      testing::TempDir() + "/journal_" + std::to_string(getpid()) + "_" + std::to_string(++count);
  std::filesystem::remove(path);
  return path;
}

std::string Record(int number) {
  return "{\"number\":" + std::to_string(number) + ",\"text\":\"" +
         std::string(static_cast<size_t>(number % 7), 'x') + "\"}";
}

Texts RecordsOf(const std::string& path, JournalState* state = nullptr) {
  Texts records;
  const auto read =
      ReadJournal(path, [&](std::string_view record, int64_t) { records.emplace_back(record); });
  EXPECT_TRUE(read.ok()) << read.status();
  if (state != nullptr && read.ok()) *state = *read;
  return records;
}

absl::Status Add(const std::string& path, const Texts& records) {
  auto journal = Journal::Open(path);
  return journal.ok() ? (*journal)->Append(records) : journal.status();
}

std::string BytesOf(const std::string& path) {
  std::stringstream bytes;
  bytes << std::ifstream(path).rdbuf();
  return bytes.str();
}

void Store(const std::string& path, std::string_view bytes) {
  std::ofstream(path, std::ios::trunc) << bytes;
}

TEST(Journal, RecordsComeBackInOrder) {
  const std::string path = NewPath();
  EXPECT_TRUE(RecordsOf(path).empty());  // no file yet
  ASSERT_TRUE(Add(path, {Record(1), Record(2)}).ok());
  ASSERT_TRUE(Add(path, {Record(3)}).ok());
  ASSERT_TRUE(Add(path, {}).ok());
  JournalState state;
  EXPECT_EQ(RecordsOf(path, &state), (Texts{Record(1), Record(2), Record(3)}));
  EXPECT_EQ(state.records, 3);
  EXPECT_TRUE(state.damaged.empty());
}

TEST(Journal, CutAnywhereItKeepsEachWholeRecordAndGoesOn) {
  const std::string path = NewPath();
  Texts all;
  for (int i = 0; i < 8; ++i) all.push_back(Record(i));
  ASSERT_TRUE(Add(path, all).ok());
  const std::string bytes = BytesOf(path);
  for (size_t size = 0; size <= bytes.size(); ++size) {
    Store(path, std::string_view(bytes).substr(0, size));
    const auto whole = static_cast<size_t>(std::count(bytes.begin(), bytes.begin() + size, '\n'));
    const bool torn = size > 0 && bytes[size - 1] != '\n';
    Texts expected(all.begin(), all.begin() + whole);
    JournalState state;
    ASSERT_EQ(RecordsOf(path, &state), expected) << size;
    EXPECT_EQ(state.damaged.size(), torn ? 1u : 0u) << size;
    ASSERT_TRUE(Add(path, {Record(100)}).ok());
    expected.push_back(Record(100));
    // A whole line but for its end is a record again.
    if (torn && bytes[size] == '\n') expected.insert(expected.end() - 1, all[whole]);
    ASSERT_EQ(RecordsOf(path, &state), expected) << size;
  }
}

TEST(Journal, ADamagedLineIsFoundAndTheOthersStay) {
  const std::string path = NewPath();
  ASSERT_TRUE(Add(path, {Record(1), Record(2), Record(3)}).ok());
  const std::string bytes = BytesOf(path);
  const size_t first = bytes.find('\n') + 1, second = bytes.find('\n', first);
  for (size_t at = first; at < second; ++at) {
    for (const char flip : {1, 4, 64}) {
      std::string damaged = bytes;
      damaged[at] = static_cast<char>(damaged[at] ^ flip);
      Store(path, damaged);
      JournalState state;
      const Texts records = RecordsOf(path, &state);
      ASSERT_EQ(records.front(), Record(1)) << at;
      ASSERT_EQ(records.back(), Record(3)) << at;
      ASSERT_EQ(records.size(), 2u) << at;
      ASSERT_FALSE(state.damaged.empty()) << at;
      EXPECT_EQ(state.damaged.front(), 2) << at;
    }
  }
  Store(path, bytes.substr(0, first) + std::string(3 << 20, 'x') + "\n" + bytes.substr(first));
  JournalState state;
  EXPECT_EQ(RecordsOf(path, &state).size(), 3u);
  EXPECT_EQ(state.damaged, std::vector<int64_t>{2});
}

TEST(Journal, ManyProgramsAndThreadsWriteAtOnce) {
  const std::string path = NewPath();
  constexpr int kPrograms = 4, kThreads = 2, kEach = 40;
  std::vector<pid_t> children;
  for (int program = 0; program < kPrograms; ++program) {
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      const auto journal = Journal::Open(path);
      if (!journal.ok()) _exit(1);
      std::atomic<bool> good = true;
      std::vector<std::thread> threads;
      for (int thread = 0; thread < kThreads; ++thread) {
        threads.emplace_back([&, thread] {
          for (int i = 0; i < kEach; ++i) {
            const int number = (program * kThreads + thread) * kEach + i;
            if (!(*journal)->Append(Texts{Record(number)}).ok()) good = false;
          }
        });
      }
      for (std::thread& thread : threads) thread.join();
      _exit(good ? 0 : 1);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = 0;
    ASSERT_EQ(Uninterrupted([&] { return waitpid(child, &status, 0); }), child);
    EXPECT_EQ(status, 0);
  }
  JournalState state;
  const Texts records = RecordsOf(path, &state);
  EXPECT_TRUE(state.damaged.empty());
  EXPECT_EQ(records.size(), size_t{kPrograms * kThreads * kEach});
  EXPECT_EQ(std::set<std::string>(records.begin(), records.end()).size(), records.size());
}

TEST(Journal, WhatWasAcknowledgedOutlivesItsProgram) {
  const std::string path = NewPath();
  int pipes[2];
  ASSERT_EQ(pipe(pipes), 0);
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    const auto journal = Journal::Open(path);
    for (int i = 0;; ++i) {
      if (!(*journal)->Append(Texts{Record(i)}).ok()) _exit(1);
      if (!WriteAll(pipes[1], {reinterpret_cast<const char*>(&i), sizeof(i)}).ok()) _exit(1);
    }
  }
  int last = -1;
  const auto next = [&] {
    size_t got = 0;
    return ReadNext(pipes[0], reinterpret_cast<char*>(&last), sizeof(last), &got).ok() &&
           got == sizeof(last);
  };
  while (last < 30) ASSERT_TRUE(next());
  kill(child, SIGKILL);
  Uninterrupted([&] { return waitpid(child, nullptr, 0); });
  close(pipes[1]);
  int acknowledged = last;
  while (next()) acknowledged = last;
  last = acknowledged;  // a number that was cut off says nothing
  close(pipes[0]);
  const Texts records = RecordsOf(path);
  ASSERT_GT(records.size(), static_cast<size_t>(last));
  for (int i = 0; i <= last; ++i) EXPECT_EQ(records[static_cast<size_t>(i)], Record(i));
}

TEST(Journal, AFullDiskLeavesNothingOfARecord) {
  const std::string path = NewPath();
  ASSERT_TRUE(Add(path, {Record(1)}).ok());
  const std::string before = BytesOf(path);
  rlimit none{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &none), 0);
  signal(SIGXFSZ, SIG_IGN);
  const rlimit little{before.size() + 50, none.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &little), 0);
  const absl::Status full = Add(path, {Record(2), Record(3)});
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &none), 0);
  EXPECT_EQ(StatusName(full), "tune-journal-unwritable") << full;
  EXPECT_EQ(BytesOf(path), before);
  EXPECT_TRUE(Add(path, {Record(2)}).ok());
  EXPECT_EQ(RecordsOf(path), (Texts{Record(1), Record(2)}));
}

TEST(Journal, WhatItRefuses) {
  const std::string path = NewPath();
  EXPECT_EQ(StatusName(Add("/no/such/folder/file", {Record(1)})), "tune-journal-unwritable");
  EXPECT_EQ(StatusName(Add(testing::TempDir(), {Record(1)})), "tune-journal-unwritable");
  EXPECT_EQ(StatusName(Add(path, {std::string(kMostRecordBytes + 1, '1')})),
            "tune-record-too-large");
  EXPECT_EQ(StatusName(ReadJournal(testing::TempDir(), [](std::string_view, int64_t) {}).status()),
            "tune-journal-unreadable");
  auto journal = *Journal::Open(path, 0.05);
  const FileHandle other(Uninterrupted([&] { return open(path.c_str(), O_RDWR | O_CLOEXEC); }));
  ASSERT_EQ(Uninterrupted([&] { return flock(other.get(), LOCK_EX); }), 0);
  EXPECT_EQ(StatusName(journal->Append(Texts{Record(1)})), "tune-journal-busy");
  ASSERT_EQ(Uninterrupted([&] { return flock(other.get(), LOCK_UN); }), 0);
  ASSERT_EQ(mkfifo((path + "_fifo").c_str(), 0600), 0);
  EXPECT_EQ(StatusName(Add(path + "_fifo", {Record(1)})), "tune-journal-unwritable");
  EXPECT_TRUE(Add(path, {std::string(kMostRecordBytes, '1')}).ok());
  EXPECT_EQ(RecordsOf(path).size(), 1u);
}

}  // namespace
}  // namespace lathe::tune
