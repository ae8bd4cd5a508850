// What code of a session may take of its machine, and machines that have nothing left: no memory,
// no disk, no descriptors. Each is an error of whoever asks for it, and passes when there is some
// again.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/address_sanitizer.h"
#include "base/file.h"
#include "runtime/rpc/confine.h"
#include "runtime/rpc/connect.h"
#include "runtime/rpc/dial.h"
#include "runtime/rpc/process_testing.h"
#include "runtime/rpc/server.h"
#include "runtime/status.h"
#include "runtime/tensor.h"

namespace lathe::runtime::rpc {
namespace {

using std::chrono::milliseconds;

std::string worker_program;
// A small disk, where servers make their sessions' folders, and why there is none.
std::string small_disk, no_small_disk;

// Servers that are started meanwhile use the disk of all tests.
struct LargeDisk {
  LargeDisk() { setenv("TMPDIR", testing::TempDir().c_str(), 1); }
  ~LargeDisk() {
    if (!small_disk.empty()) setenv("TMPDIR", small_disk.c_str(), 1);
  }
};

std::unique_ptr<Server> Start(WorkerLimits limits = {}) {
  ServerOptions options;
  options.supervisor.machine = ThisMachine();
  options.supervisor.max_sessions = 4;
  options.worker = {worker_program};
  options.limits = limits;
  return *Server::Start(std::move(options));
}

absl::StatusOr<Ref<RemoteSession>> Open(const Server& server) {
  ConnectOptions options;
  options.port = server.port();
  return Connect(std::move(options));
}

Value Call(RemoteSession& session, const char* name, auto... args) {
  return (*session.GetFunction(name))(args...);
}

int64_t ErrorOf(RemoteSession& session, const char* name, const std::string& file) {
  return Call(session, name, file).As<int64_t>();
}

void ExpectWorks(RemoteSession& session) {
  EXPECT_EQ(Call(session, "test.add", 1, 2).As<int64_t>(), 3);
}

// A folder that is not in TempDir(), which may lie below /dev, where confined sessions may write.
struct FolderOutside {
  FolderOutside() { EXPECT_NE(mkdtemp(path.data()), nullptr); }
  ~FolderOutside() { std::filesystem::remove_all(path); }
  FolderOutside(const FolderOutside&) = delete;
  std::string path = "/tmp/limits_test.XXXXXX";
};

TEST(Limits, AConfinedSessionChangesItsOwnFilesOnly) {
  const FolderOutside outside;
  const std::string others = outside.path + "/of_somebody_else";
  std::ofstream(others) << "text";
  {
    const std::unique_ptr<Server> server = Start();
    const Ref<RemoteSession> session = *Open(*server);
    EXPECT_EQ(ErrorOf(*session, "test.write", others), 0);
  }
  if (!CanConfine()) GTEST_SKIP() << "NOT RUN: this kernel has no Landlock";
  const std::unique_ptr<Server> server = Start({.confined = true});
  const Ref<RemoteSession> session = *Open(*server);
  const auto folder = Call(*session, "test.folder").As<std::string>();
  EXPECT_EQ(ErrorOf(*session, "test.write", folder + "/mine"), 0);
  EXPECT_EQ(ErrorOf(*session, "test.remove", folder + "/mine"), 0);
  EXPECT_EQ(ErrorOf(*session, "test.write", "/dev/null"), 0);
  EXPECT_EQ(ErrorOf(*session, "test.write", others), EACCES);
  EXPECT_EQ(ErrorOf(*session, "test.write", others + "_new"), EACCES);
  EXPECT_EQ(ErrorOf(*session, "test.remove", others), EACCES);
  // Linux 6.12 protects the server from signals, too.
  EXPECT_EQ(Call(*session, "test.signal_parent").As<int64_t>(), LandlockVersion() >= 6 ? EPERM : 0);
  ASSERT_TRUE(session->files().Upload("a.txt", "text").ok());
  EXPECT_EQ(*session->files().Download("a.txt"), "text");
}

TEST(Limits, MemoryIsAnErrorOfWhoAsksForTooMuch) {
  if (kAddressSanitizer) GTEST_SKIP() << "NOT RUN: the sanitizer maps more than the limit";
  const LargeDisk disk;
  const std::unique_ptr<Server> server = Start({.memory = uint64_t{512} << 20});
  const Ref<RemoteSession> session = *Open(*server);
  const Device device = session->device(kDLCPU);
  const absl::Status status = Tensor::Empty({1 << 30}, DataType::UInt(8), device).status();
  EXPECT_EQ(StatusName(status), "device-out-of-memory") << status;
  EXPECT_TRUE(Tensor::Empty({1 << 20}, DataType::UInt(8), device).ok());
  // A file goes to the disk as it arrives. A module and a download are in memory.
  EXPECT_EQ(session->files().Upload("large", std::string(600 << 20, 'x')), absl::OkStatus());
  EXPECT_EQ(StatusName(session->files().Download("large").status()), "out-of-memory");
  EXPECT_EQ(StatusName(session->LoadBytes("m.tar", std::string(600 << 20, 'x')).status()),
            "out-of-memory");
  ExpectWorks(*session);
  // Until there is not enough for one chunk.
  std::vector<Tensor> all;
  for (const int64_t size : {int64_t{8} << 20, int64_t{256} << 10}) {
    for (;;) {
      absl::StatusOr<Tensor> more = Tensor::Empty({size}, DataType::UInt(8), device);
      if (!more.ok()) break;
      all.push_back(*std::move(more));
    }
  }
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(StatusName(session->LoadBytes("m.tar", std::string(3 << 20, 'x')).status()),
              "out-of-memory");
    ExpectWorks(*session);
  }
  EXPECT_EQ(session->files().Upload("file", std::string(3 << 20, 'x')), absl::OkStatus());
  all.clear();
  EXPECT_NE(StatusName(session->LoadBytes("m.tar", std::string(3 << 20, 'x')).status()),
            "out-of-memory");
}

TEST(Limits, AFullDiskIsAnErrorOfTheUpload) {
  if (small_disk.empty()) GTEST_SKIP() << "NOT RUN: " << no_small_disk;
  const std::unique_ptr<Server> server = Start();
  const Ref<RemoteSession> session = *Open(*server);
  SessionFiles& files = session->files();
  ASSERT_TRUE(files.Upload("kept", "text").ok());
  for (const char* name : {"large", "kept"}) {
    const absl::Status full = files.Upload(name, std::string(8 << 20, 'x'));
    EXPECT_EQ(StatusName(full), "session-file-unwritable") << full;
    EXPECT_NE(full.message().find(std::strerror(ENOSPC)), std::string::npos) << full;
  }
  EXPECT_EQ(*files.List(), std::vector<std::string>{"kept"});
  EXPECT_EQ(*files.Download("kept"), "text");
  EXPECT_TRUE(files.Upload("small", std::string(1 << 20, 'x')).ok());
  ExpectWorks(*session);
}

TEST(Limits, WithoutADiskForItsFolderASessionIsRefused) {
  if (small_disk.empty()) GTEST_SKIP() << "NOT RUN: " << no_small_disk;
  const std::unique_ptr<Server> server = Start();
  std::vector<Ref<RemoteSession>> sessions = {*Open(*server)};
  std::vector<std::string> used;
  for (;;) {
    const std::string name = small_disk + "/used_" + std::to_string(used.size());
    const FileHandle file(
        Uninterrupted([&] { return open(name.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600); }));
    if (!file.is_open()) break;
    used.push_back(name);
  }
  ASSERT_EQ(errno, ENOSPC);
  absl::Status refused;
  while (refused.ok() && sessions.size() < 3) {  // one worker was spare
    absl::StatusOr<Ref<RemoteSession>> session = Open(*server);
    refused = session.status();
    if (session.ok()) sessions.push_back(*std::move(session));
  }
  EXPECT_EQ(StatusName(refused), "rpc-worker") << refused;
  EXPECT_NE(refused.message().find(std::strerror(ENOSPC)), std::string::npos) << refused;
  for (const Ref<RemoteSession>& session : sessions) ExpectWorks(*session);
  for (const std::string& name : used) unlink(name.c_str());
  const auto session = Open(*server);
  ASSERT_TRUE(session.ok()) << session.status();
  ExpectWorks(**session);
}

// Of workers.
size_t FoldersOn(const std::string& place) {
  size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(place))
    count += entry.is_directory();
  return count;
}

double ProcessorSeconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

// The server is of this process, and has its descriptors.
TEST(Limits, WithoutDescriptorsNewSessionsWaitAndOthersGoOn) {
  if (small_disk.empty()) GTEST_SKIP() << "NOT RUN: " << no_small_disk;
  const std::unique_ptr<Server> server = Start();
  const Ref<RemoteSession> session = *Open(*server);
  ExpectWorks(*session);
  // The spare worker, too, is started, and needs no more descriptors for that.
  ASSERT_TRUE(Within(milliseconds(10000), [] { return FoldersOn(small_disk) == 2; }));
  std::this_thread::sleep_for(milliseconds(500));
  const int next = dup(0);
  close(next);
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  const struct Restore {
    const rlimit& limit;
    ~Restore() { setrlimit(RLIMIT_NOFILE, &limit); }
  } restore{before};
  // One is left. The client's end of a connection takes it, so the server cannot accept the other.
  const rlimit few{static_cast<rlim_t>(next) + 1, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &few), 0);
  const absl::StatusOr<FileHandle> waits = ConnectTcp("127.0.0.1", server->port(), 5);
  EXPECT_TRUE(waits.ok()) << waits.status();
  EXPECT_EQ(StatusName(Open(*server).status()), "rpc-unreachable");  // of this side
  const double used = ProcessorSeconds();
  for (int i = 0; i < 20; ++i) {
    ExpectWorks(*session);
    std::this_thread::sleep_for(milliseconds(20));
  }
  EXPECT_LT(ProcessorSeconds() - used, 0.3);  // it does not ask all the time
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
  const auto later = Open(*server);
  ASSERT_TRUE(later.ok()) << later.status();
  ExpectWorks(**later);
}

bool WriteText(const char* file, const std::string& text) {
  std::ofstream out(file);
  out << text;
  out.flush();
  return out.good();
}

// A file system of 4 MiB and 64 files, in a mount namespace of this process. Call it before there
// are threads.
void MakeSmallDisk() {
  const uid_t user = getuid();
  const gid_t group = getgid();
  if (unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) {
    no_small_disk = std::string("no namespaces here: ") + std::strerror(errno);
    return;
  }
  WriteText("/proc/self/setgroups", "deny");
  WriteText("/proc/self/uid_map", "0 " + std::to_string(user) + " 1");
  WriteText("/proc/self/gid_map", "0 " + std::to_string(group) + " 1");
  const std::string place = testing::TempDir() + "/small_disk";
  mkdir(place.c_str(), 0700);
  mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr);
  if (mount("tmpfs", place.c_str(), "tmpfs", 0, "size=4m,nr_inodes=64,mode=0700") != 0) {
    no_small_disk = std::string("a file system cannot be mounted: ") + std::strerror(errno);
    return;
  }
  small_disk = place;
  setenv("TMPDIR", place.c_str(), 1);
}

}  // namespace
}  // namespace lathe::runtime::rpc

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  lathe::runtime::rpc::worker_program = argv[1];
  lathe::runtime::rpc::MakeSmallDisk();
  return RUN_ALL_TESTS();
}
