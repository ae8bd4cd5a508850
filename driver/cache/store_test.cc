#include "driver/cache/store.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utime.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

#include "base/error.h"
#include "base/file.h"
#include "driver/cache/watched_store.h"
#include "runtime/status.h"

namespace lathe::driver {
namespace {

namespace fs = std::filesystem;

using runtime::StatusName;

uint64_t BytesIn(const std::string& folder) {
  uint64_t total = 0;
  for (const auto& item : fs::directory_iterator(folder)) {
    if (item.path().extension() == ".entry") total += item.file_size();
  }
  return total;
}

TEST(CacheStore, GivesBackWhatWasPut) {
  const std::string folder = FreshFolder("gives");
  Watched one(folder), other(folder);
  EXPECT_FALSE(one.store.Find(KeyOf(1)));
  ASSERT_TRUE(one.store.Put(KeyOf(1), {"code", "add for llvm", BytesOf(1, 5000)}).ok());
  ASSERT_TRUE(one.store.Put(KeyOf(2), {"target", "", ""}).ok());
  const auto found = other.store.Find(KeyOf(1));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->kind, "code");
  EXPECT_EQ(found->label, "add for llvm");
  EXPECT_EQ(found->bytes, BytesOf(1, 5000));
  EXPECT_EQ(other.store.Find(KeyOf(2))->bytes, "");
  EXPECT_FALSE(other.store.Find(KeyOf(3)));
  EXPECT_TRUE(one.said.empty() && other.said.empty());
}

TEST(CacheStore, ReplacesAnEntryAndCountsItOnce) {
  const std::string folder = FreshFolder("replaces");
  Watched watched(folder, 100000);
  for (int i = 0; i < 50; ++i)
    ASSERT_TRUE(watched.store.Put(KeyOf(1), {"code", "", BytesOf(i, 10000)}).ok());
  EXPECT_EQ(watched.store.Find(KeyOf(1))->bytes, BytesOf(49, 10000));
  for (int i = 2; i < 9; ++i)
    ASSERT_TRUE(watched.store.Put(KeyOf(i), {"code", "", BytesOf(i, 10000)}).ok());
  EXPECT_EQ(watched.store.List()->size(), 8U) << "80 KB fit into 100 KB";
}

// Every prefix and every damaged byte of an entry.
TEST(CacheStore, DamagedEntriesAreMissesReportedAndRemoved) {
  const std::string folder = FreshFolder("damaged");
  Watched watched(folder);
  ASSERT_TRUE(watched.store.Put(KeyOf(7), {"code", "label", BytesOf(7, 40)}).ok());
  const std::string path = watched.store.PathOf(KeyOf(7));
  const std::string whole = ReadFile(path);
  size_t trouble = 0;
  const auto expect_damaged = [&](const std::string& bytes) {
    WriteFile(path, bytes);
    chmod(path.c_str(), 0600);
    EXPECT_FALSE(watched.store.Find(KeyOf(7)));
    EXPECT_EQ(watched.said.size(), ++trouble);
    EXPECT_EQ(watched.said.back(), "cache-entry-damaged");
    EXPECT_FALSE(fs::exists(path));
  };
  for (size_t size = 0; size < whole.size(); ++size) expect_damaged(whole.substr(0, size));
  for (size_t at = 0; at < whole.size(); ++at) {
    std::string bytes = whole;
    bytes[at] = static_cast<char>(bytes[at] ^ 0x10);
    expect_damaged(bytes);
  }
  expect_damaged(whole + "x");
  // An undamaged entry with another key.
  ASSERT_TRUE(watched.store.Put(KeyOf(8), {"code", "", "other"}).ok());
  expect_damaged(ReadFile(watched.store.PathOf(KeyOf(8))));
  // An undamaged entry is found again.
  WriteFile(path, whole);
  chmod(path.c_str(), 0600);
  EXPECT_EQ(watched.store.Find(KeyOf(7))->bytes, BytesOf(7, 40));
}

TEST(CacheStore, IsBoundedAndKeepsWhatWasUsedLast) {
  const std::string folder = FreshFolder("bounded");
  Watched watched(folder, 100000);
  for (uint64_t i = 0; i < 200; ++i) {
    ASSERT_TRUE(watched.store.Put(KeyOf(i), {"code", "", BytesOf(i, 3000)}).ok());
    EXPECT_LE(BytesIn(folder), 100000U);
    // The first entry is used all the time, the others never again.
    EXPECT_TRUE(watched.store.Find(KeyOf(0))) << i;
    usleep(1500);  // longer than the resolution of the file system's times
  }
  EXPECT_GE(watched.store.List()->size(), 28U);
  EXPECT_TRUE(watched.store.Find(KeyOf(199)));
  EXPECT_FALSE(watched.store.Find(KeyOf(1)));
  EXPECT_TRUE(watched.said.empty());
}

TEST(CacheStore, DoesNotKeepWhatIsTooLarge) {
  Watched watched(FreshFolder("large"), 10000);
  EXPECT_TRUE(watched.store.Put(KeyOf(1), {"code", "", BytesOf(1, 6000)}).ok());
  EXPECT_FALSE(watched.store.Find(KeyOf(1)));
  EXPECT_TRUE(watched.said.empty());
}

// If the total is lost or damaged, it is counted again.
TEST(CacheStore, SurvivesALostTotal) {
  const std::string folder = FreshFolder("total");
  for (const char* content : {"", "short", "sixteen bytes....", "0123456789abcdef"}) {
    Watched watched(folder, 50000);
    ASSERT_TRUE(watched.store.Put(KeyOf(1), {"code", "", BytesOf(1, 3000)}).ok());
    WriteFile(folder + "/usage", content);
    for (uint64_t i = 0; i < 40; ++i)
      ASSERT_TRUE(watched.store.Put(KeyOf(i), {"code", "", BytesOf(i, 3000)}).ok());
    EXPECT_LE(BytesIn(folder), 50000U);
  }
}

// Writers and readers in eight processes, half of which are killed at some time. A reader must
// always find what was put.
TEST(CacheStore, ServesConcurrentAndDyingProcesses) {
  const std::string folder = FreshFolder("concurrent");
  std::vector<pid_t> children;
  for (int child = 0; child < 8; ++child) {
    const pid_t pid = fork();
    ASSERT_GE(pid, 0);
    if (pid == 0) {
      CacheStore store({folder, 200000}, [](const absl::Status&) { _exit(3); });
      for (uint64_t i = 0; i < 300 || child % 2 == 0; ++i) {
        const uint64_t number = (i * 7 + static_cast<uint64_t>(child) * 13) % 100;
        const std::string bytes = BytesOf(number, 500 + number * 40);
        if (const auto found = store.Find(KeyOf(number)); found && found->bytes != bytes) _exit(4);
        if (!store.Put(KeyOf(number), {"code", "", bytes}).ok()) _exit(5);
      }
      _exit(0);
    }
    children.push_back(pid);
  }
  for (size_t i = 1; i < children.size(); i += 2) {
    int state = 0;
    ASSERT_EQ(Uninterrupted([&] { return waitpid(children[i], &state, 0); }), children[i]);
    EXPECT_TRUE(WIFEXITED(state) && WEXITSTATUS(state) == 0) << "exit " << WEXITSTATUS(state);
  }
  for (size_t i = 0; i < children.size(); i += 2) {
    kill(children[i], SIGKILL);
    int state = 0;
    ASSERT_EQ(Uninterrupted([&] { return waitpid(children[i], &state, 0); }), children[i]);
    EXPECT_TRUE(WIFSIGNALED(state)) << "exit " << WEXITSTATUS(state);
  }
  Watched watched(folder, 200000);
  const auto verified = watched.store.Verify();
  ASSERT_TRUE(verified.ok());
  EXPECT_TRUE(verified->damaged.empty());
  EXPECT_GT(verified->whole, 0U);
  // A process that is killed before it has counted its entry leaves that to the next Trim.
  EXPECT_LE(BytesIn(folder), 200000U + 4 * 5000);
  for (uint64_t number = 0; number < 100; ++number) {
    if (const auto found = watched.store.Find(KeyOf(number)))
      EXPECT_EQ(found->bytes, BytesOf(number, 500 + number * 40));
  }
}

// Root can write anywhere, but a file in place of the folder stops even root.
TEST(CacheStore, SaysOnceThatItCannotWrite) {
  const std::string place = FreshFolder("no_folder");
  WriteFile(place, "a file");
  Watched watched(place + "/compiled");
  for (uint64_t i = 0; i < 3; ++i) {
    const absl::Status status = watched.store.Put(KeyOf(i), {"code", "", "x"});
    EXPECT_EQ(StatusName(status), "cache-unwritable");
    EXPECT_FALSE(watched.store.Find(KeyOf(i)));
  }
  EXPECT_EQ(watched.said, std::vector<std::string>{"cache-unwritable"});
}

// Where nobody can make a folder: not that it is missing, but why it is.
TEST(CacheStore, SaysWhyAFolderCannotBeMade) {
  CacheStore store({"/sys/lathe/compiled", 1 << 20}, [](const absl::Status&) {});
  const absl::Status status = store.Put(KeyOf(1), {"code", "", "x"});
  EXPECT_EQ(StatusName(status), "cache-unwritable");
  EXPECT_EQ(status.message().find("No such file"), std::string_view::npos) << status;
}

// A limit on the file size stands in for a full disk.
TEST(CacheStore, SurvivesAFullDisk) {
  const std::string folder = FreshFolder("full");
  const pid_t pid = fork();
  ASSERT_GE(pid, 0);
  if (pid == 0) {
    signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{1000, 1000};
    setrlimit(RLIMIT_FSIZE, &limit);
    CacheStore store({folder, 1 << 20}, [](const absl::Status&) {});
    const bool refused =
        StatusName(store.Put(KeyOf(1), {"code", "", BytesOf(1, 5000)})) == "cache-unwritable";
    const bool small = store.Put(KeyOf(2), {"code", "", "fits"}).ok();
    _exit(refused && small && !store.Find(KeyOf(1)) && store.Find(KeyOf(2)) ? 0 : 1);
  }
  int state = 0;
  Uninterrupted([&] { return waitpid(pid, &state, 0); });
  EXPECT_TRUE(WIFEXITED(state) && WEXITSTATUS(state) == 0);
  std::set<std::string> left;
  for (const auto& item : fs::directory_iterator(folder)) left.insert(item.path().filename());
  EXPECT_EQ(left.size(), 2U) << "the entry that fitted and the total: no unfinished file";
}

TEST(CacheStore, RunsNothingThatOthersCouldWrite) {
  const std::string folder = FreshFolder("unsafe");
  Watched watched(folder);
  ASSERT_TRUE(watched.store.Put(KeyOf(1), {"code", "", "x"}).ok());
  chmod(watched.store.PathOf(KeyOf(1)).c_str(), 0666);
  EXPECT_FALSE(watched.store.Find(KeyOf(1)));
  EXPECT_EQ(watched.said.back(), "cache-folder-unsafe");
  chmod(folder.c_str(), 0777);
  EXPECT_EQ(StatusName(watched.store.Put(KeyOf(2), {"code", "", "x"})), "cache-folder-unsafe");
}

// Anyone who can write to a folder above the cache can replace the cache.
TEST(CacheStore, RunsNothingBelowAFolderThatOthersMayWriteTo) {
  const std::string above = FreshFolder("above"), folder = above + "/compiled";
  Watched watched(folder);
  ASSERT_TRUE(watched.store.Put(KeyOf(1), {"code", "", "x"}).ok());
  chmod(above.c_str(), 0777);
  EXPECT_FALSE(watched.store.Find(KeyOf(1)));
  EXPECT_EQ(watched.said, std::vector<std::string>{"cache-folder-unsafe"});
  const absl::Status put = watched.store.Put(KeyOf(2), {"code", "", "x"});
  EXPECT_EQ(StatusName(put), "cache-folder-unsafe");
  const std::string real = fs::canonical(above);
  EXPECT_NE(put.message().find(real + " (user "), std::string_view::npos) << put;
  EXPECT_NE(put.message().find("chmod go-w " + real), std::string_view::npos) << put;
  chmod(above.c_str(), 0755);
  EXPECT_TRUE(watched.store.Find(KeyOf(1)));
}

// Reading a FIFO that nobody writes to would wait forever.
TEST(CacheStore, WaitsForNoFifo) {
  const std::string folder = FreshFolder("fifo");
  Watched watched(folder);
  ASSERT_TRUE(watched.store.Put(KeyOf(1), {"code", "", "x"}).ok());
  ASSERT_EQ(mkfifo(watched.store.PathOf(KeyOf(2)).c_str(), 0600), 0);
  alarm(20);
  EXPECT_FALSE(watched.store.Find(KeyOf(2)));
  EXPECT_EQ(watched.said, std::vector<std::string>{"cache-unreadable"});
  const absl::Status put = watched.store.Put(KeyOf(2), {"code", "", "x"});
  EXPECT_EQ(StatusName(put), "cache-unwritable");
  EXPECT_NE(put.message().find("it is a FIFO"), std::string_view::npos) << put;
  EXPECT_EQ(watched.store.List()->size(), 2u);
  EXPECT_EQ(watched.store.Verify()->damaged.size(), 1u);
  alarm(0);
  EXPECT_TRUE(watched.store.Put(KeyOf(2), {"code", "", "x"}).ok());
}

// Two writers with the same process number (containers that share a folder) must not use the same
// file name.
TEST(CacheStore, NamesUnfinishedEntriesUnpredictably) {
  const std::string folder = FreshFolder("names");
  Watched watched(folder);
  ASSERT_TRUE(watched.store.Put(KeyOf(1), {"code", "", "x"}).ok());
  // Unfinished files of a writer with this process number, under the names that earlier releases
  // used.
  for (int i = 0; i < 100; ++i) {
    const std::string name = std::to_string(getpid()) + "-" + std::to_string(i);
    WriteFile(folder + "/.new-" + name, "of another");
  }
  for (uint64_t i = 2; i < 6; ++i) EXPECT_TRUE(watched.store.Put(KeyOf(i), {"code", "", "x"}).ok());
  EXPECT_TRUE(watched.said.empty());
  for (int i = 0; i < 100; ++i) {
    const std::string name = std::to_string(getpid()) + "-" + std::to_string(i);
    EXPECT_EQ(ReadFile(folder + "/.new-" + name), "of another");
  }
}

TEST(CacheStore, FollowsNoLinks) {
  const std::string folder = FreshFolder("links");
  Watched watched(folder);
  ASSERT_TRUE(watched.store.Put(KeyOf(1), {"code", "", "x"}).ok());
  fs::rename(watched.store.PathOf(KeyOf(1)), folder + "/elsewhere");
  fs::create_symlink(folder + "/elsewhere", watched.store.PathOf(KeyOf(1)));
  for (int i = 0; i < 2; ++i) EXPECT_FALSE(watched.store.Find(KeyOf(1)));
  EXPECT_EQ(watched.said, std::vector<std::string>{"cache-unreadable"});
}

TEST(CacheStore, ListsVerifiesAndClears) {
  const std::string folder = FreshFolder("lists");
  Watched watched(folder);
  EXPECT_EQ(watched.store.List()->size(), 0U) << "no folder yet";
  EXPECT_EQ(*watched.store.Clear(), 0U);
  for (uint64_t i = 0; i < 3; ++i)
    ASSERT_TRUE(watched.store.Put(KeyOf(i), {"code", "label " + std::to_string(i), "x"}).ok());
  const utimbuf long_ago{1000, 1000};
  utime(watched.store.PathOf(KeyOf(1)).c_str(), &long_ago);
  WriteFile(watched.store.PathOf(KeyOf(2)), "damaged");
  WriteFile(folder + "/something else", "is left alone");
  const auto items = *watched.store.List();
  ASSERT_EQ(items.size(), 3U);
  EXPECT_EQ(items.back().key, KeyOf(1));
  EXPECT_EQ(items.back().label, "label 1");
  const auto verified = *watched.store.Verify();
  EXPECT_EQ(verified.whole, 2U);
  EXPECT_EQ(verified.damaged, std::vector<std::string>{watched.store.PathOf(KeyOf(2))});
  EXPECT_GT(*watched.store.Clear(), 0U);
  EXPECT_EQ(watched.store.List()->size(), 0U);
  EXPECT_TRUE(fs::exists(folder + "/something else"));
}

TEST(CacheOptions, ComeFromTheEnvironment) {
  ASSERT_NE(std::getenv("TEST_TMPDIR"), nullptr);
  unsetenv("LATHE_CACHE_DIR");
  EXPECT_EQ(CacheOptions::FromEnvironment().folder, "") << "tests share nothing";
  setenv("LATHE_CACHE_DIR", "/somewhere", 1);
  EXPECT_EQ(CacheOptions::FromEnvironment().folder, "/somewhere/compiled");
  setenv("LATHE_CACHE_DIR", "somewhere", 1);
  const CacheOptions relative = CacheOptions::FromEnvironment();
  EXPECT_EQ(relative.folder, "");
  std::vector<absl::Status> said;
  CacheStore store(relative, [&](const absl::Status& status) { said.push_back(status); });
  EXPECT_FALSE(store.enabled());
  ASSERT_EQ(said.size(), 1u);
  EXPECT_EQ(StatusName(said[0]), "cache-folder-relative");
  EXPECT_NE(said[0].message().find("LATHE_CACHE_DIR is `somewhere`"), std::string_view::npos);
  setenv("LATHE_CACHE_DIR", "/somewhere", 1);
  setenv("LATHE_CACHE", "0", 1);
  EXPECT_EQ(CacheOptions::FromEnvironment().folder, "");
  unsetenv("LATHE_CACHE");
  setenv("LATHE_CACHE_BYTES", "3M", 1);
  EXPECT_EQ(CacheOptions::FromEnvironment().max_bytes, 3U << 20);
  setenv("LATHE_CACHE_BYTES", "much", 1);
  try {
    CacheOptions::FromEnvironment();
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_EQ(error.name(), "cache-size");
  }
  unsetenv("LATHE_CACHE_BYTES");
  unsetenv("LATHE_CACHE_DIR");
}

}  // namespace
}  // namespace lathe::driver
