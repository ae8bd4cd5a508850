// Two containers that share one cache folder: their processes have the same number.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "base/file.h"
#include "driver/cache/store.h"
#include "runtime/artifact/bytes.h"
#include "runtime/status.h"

namespace lathe::driver {
namespace {

namespace fs = std::filesystem;

constexpr int kNotPermitted = 77;
constexpr uint64_t kRounds = 200, kShared = 20, kOwn = 50;

Digest KeyOf(uint64_t number) { return {number, ~number * 7}; }
CacheEntry EntryOf(uint64_t number) {
  return {"code", "entry", std::string(300 + number % 97 * 40, static_cast<char>(number))};
}

void Write(const char* path, const std::string& text) {
  const FileHandle file(open(path, O_WRONLY | O_CLOEXEC));
  static_cast<void>(WriteAll(file.get(), text).ok());
}

// The next child of this process is the first of a namespace of processes.
bool LeaveProcesses() {
  if (unshare(CLONE_NEWPID) == 0) return true;
  const std::string user = std::to_string(getuid()), group = std::to_string(getgid());
  if (unshare(CLONE_NEWUSER | CLONE_NEWPID) != 0) return false;
  Write("/proc/self/setgroups", "deny");
  Write("/proc/self/uid_map", user + " " + user + " 1");
  Write("/proc/self/gid_map", group + " " + group + " 1");
  return true;
}

// The process 1 of a container, whose exit status says what it missed.
[[noreturn]] void WriteEntries(const std::string& folder, uint64_t container) {
  if (getpid() != 1) _exit(2);
  CacheStore store({folder, 1 << 26}, [](const absl::Status& status) {
    std::fprintf(stderr, "%s\n", std::string(status.message()).c_str());
    _exit(3);
  });
  const auto put_and_find = [&](uint64_t number) {
    const CacheEntry entry = EntryOf(number);
    if (!store.Put(KeyOf(number), entry).ok()) _exit(4);
    const auto found = store.Find(KeyOf(number));
    if (!found || found->bytes != entry.bytes) _exit(5);
  };
  for (uint64_t i = 0; i < kRounds; ++i) {
    put_and_find(i % kShared);
    put_and_find(1000 * container + i % kOwn);
  }
  _exit(0);
}

[[noreturn]] void RunContainer(const std::string& folder, uint64_t container, int ready,
                               int begin) {
  if (!LeaveProcesses()) _exit(kNotPermitted);
  const pid_t first = fork();
  if (first < 0) _exit(kNotPermitted);
  if (first == 0) {
    // Both begin at once: when the test closes the other end.
    char none = 0;
    if (Uninterrupted([&] { return write(ready, "r", 1); }) != 1 ||
        Uninterrupted([&] { return read(begin, &none, 1); }) != 0)
      _exit(6);
    WriteEntries(folder, container);
  }
  close(ready);
  int status = 0;
  if (Uninterrupted([&] { return waitpid(first, &status, 0); }) != first) _exit(7);
  _exit(WIFEXITED(status) ? WEXITSTATUS(status) : 8);
}

TEST(CacheStore, IsSharedByContainers) {
  const std::string folder = testing::TempDir() + "/containers";
  fs::remove_all(folder);
  int ready[2], begin[2];
  ASSERT_EQ(pipe2(ready, O_CLOEXEC), 0);
  ASSERT_EQ(pipe2(begin, O_CLOEXEC), 0);
  std::vector<pid_t> children;
  for (uint64_t container = 1; container <= 2; ++container) {
    children.push_back(fork());
    ASSERT_GE(children.back(), 0);
    if (children.back() != 0) continue;
    close(ready[0]);
    close(begin[1]);
    RunContainer(folder, container, ready[1], begin[0]);
  }
  close(ready[1]);
  close(begin[0]);
  char one = 0;
  for (int i = 0; i < 2; ++i) Uninterrupted([&] { return read(ready[0], &one, 1); });
  close(begin[1]);
  close(ready[0]);
  bool permitted = true;
  for (const pid_t child : children) {
    int status = 0;
    ASSERT_EQ(Uninterrupted([&] { return waitpid(child, &status, 0); }), child);
    ASSERT_TRUE(WIFEXITED(status));
    permitted = permitted && WEXITSTATUS(status) != kNotPermitted;
    if (permitted) {
      EXPECT_EQ(WEXITSTATUS(status), 0);
    }
  }
  if (!permitted) GTEST_SKIP() << "this system permits no namespaces of processes";

  CacheStore store({folder, 1 << 26}, [](const absl::Status& status) { FAIL() << status; });
  uint64_t bytes = 0;
  const std::vector<CacheItem> items = *store.List();
  for (const CacheItem& item : items) bytes += item.file_bytes;
  const auto verified = store.Verify();
  ASSERT_TRUE(verified.ok());
  EXPECT_EQ(verified->whole, kShared + 2 * kOwn);
  EXPECT_TRUE(verified->damaged.empty());
  for (const auto& item : fs::directory_iterator(folder))
    EXPECT_TRUE(item.path().extension() == ".entry" || item.path().filename() == "usage")
        << "left behind: " << item.path();
  // The total of both is what there is.
  std::string usage;
  ASSERT_TRUE(ReadFile(folder + "/usage", 16, &usage).ok());
  EXPECT_EQ(runtime::ReadLittle<uint64_t>(usage.data()), bytes);
}

}  // namespace
}  // namespace lathe::driver
