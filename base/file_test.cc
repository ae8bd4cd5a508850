#include "base/file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <thread>

#include "base/trusted_file.h"

namespace lathe {
namespace {

namespace fs = std::filesystem;

std::string FreshFolder(const std::string& name) {
  const std::string folder = testing::TempDir() + "/" + name;
  fs::remove_all(folder);
  fs::create_directory(folder);
  return fs::canonical(folder);
}

size_t FilesIn(const std::string& folder) {
  return static_cast<size_t>(std::distance(fs::directory_iterator(folder), {}));
}

TEST(ReadFile, GivesTheBytes) {
  const std::string path = FreshFolder("read") + "/file";
  std::string bytes(200000, '\0'), read;
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>(i * 7 + (i >> 9));
  ASSERT_TRUE(WriteFile(path, bytes).ok());
  ASSERT_TRUE(ReadFile(path, bytes.size(), &read).ok());
  EXPECT_EQ(read, bytes);
  const FileProblem problem = ReadFile(path, bytes.size() - 1, &read);
  EXPECT_EQ(problem.error, EFBIG);
  EXPECT_EQ(problem.text, "it has more than 199999 bytes");
  // A file that does not report its size.
  ASSERT_TRUE(ReadFile("/proc/self/maps", 1 << 24, &read).ok());
  EXPECT_GT(read.size(), 1000u);
  EXPECT_EQ(ReadFile(path + "/absent", 10, &read).error, ENOTDIR);
  EXPECT_EQ(ReadFile(path + ".absent", 10, &read).error, ENOENT);
}

// Reading a FIFO that nobody writes to would wait forever.
TEST(ReadFile, RefusesWhatIsNoFileByItsKind) {
  const std::string folder = FreshFolder("kinds");
  std::string bytes;
  ASSERT_EQ(mkfifo((folder + "/fifo").c_str(), 0600), 0);
  alarm(20);
  EXPECT_EQ(ReadFile(folder + "/fifo", 10, &bytes).text, "it is a FIFO, not a file");
  EXPECT_EQ(ReadFile("/dev/zero", 10, &bytes).text, "it is a device, not a file");
  EXPECT_EQ(ReadFile(folder, 10, &bytes).text, "it is a folder");
  fs::create_symlink(folder + "/fifo", folder + "/link");
  EXPECT_EQ(ReadFile(folder + "/link", 10, &bytes).text, "it is a FIFO, not a file");
  FileProblem problem;
  ASSERT_TRUE(WriteFile(folder + "/file", "x").ok());
  fs::create_symlink(folder + "/file", folder + "/good");
  EXPECT_TRUE(OpenFile(folder + "/good", &problem).is_open());
  EXPECT_FALSE(OpenFile(folder + "/good", &problem, Links::kRefuse).is_open());
  EXPECT_EQ(problem.text, "it is a symbolic link");
  // Uses a short name, because a socket's name has at most 107 bytes.
  ASSERT_EQ(chdir(folder.c_str()), 0);
  const int socket_fd = socket(AF_UNIX, SOCK_STREAM, 0);
  const sockaddr_un name = {AF_UNIX, "socket"};
  ASSERT_EQ(bind(socket_fd, reinterpret_cast<const sockaddr*>(&name), sizeof name), 0);
  EXPECT_EQ(ReadFile("socket", 10, &bytes).text, "it is a socket, not a file");
  close(socket_fd);
  alarm(0);
}

TEST(WriteFile, ReplacesAFileAndLeavesNothingBeside) {
  const std::string folder = FreshFolder("write"), path = folder + "/file";
  ASSERT_TRUE(WriteFile(path, "one").ok());
  ASSERT_TRUE(WriteFile(path, "two", 0600).ok());
  std::string bytes;
  ASSERT_TRUE(ReadFile(path, 10, &bytes).ok());
  EXPECT_EQ(bytes, "two");
  struct stat info{};
  ASSERT_EQ(stat(path.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0600u);
  {
    NewFile given_up(path);
    EXPECT_TRUE(given_up.Write("three").ok());
    EXPECT_EQ(FilesIn(folder), 2u);
  }
  EXPECT_EQ(FilesIn(folder), 1u);
  // A bare name means the current folder.
  ASSERT_EQ(chdir(folder.c_str()), 0);
  EXPECT_TRUE(WriteFile("bare", "x").ok());
  EXPECT_TRUE(fs::exists(folder + "/bare"));
  EXPECT_EQ(WriteFile(folder + "/absent/file", "x").error, ENOENT);
}

// A process with root's rights could replace them by a file.
TEST(WriteFile, ReplacesNoDeviceAndNoFifo) {
  const std::string folder = FreshFolder("no_file");
  ASSERT_EQ(mkfifo((folder + "/fifo").c_str(), 0600), 0);
  EXPECT_EQ(WriteFile(folder + "/fifo", "x").text, "it is a FIFO, not a file");
  EXPECT_EQ(WriteFile("/dev/full", "x").text, "it is a device, not a file");
  EXPECT_TRUE(fs::is_character_file("/dev/full"));
  EXPECT_EQ(WriteFile(folder, "x").text, "it is a folder");
  EXPECT_EQ(FilesIn(folder), 1u);
}

TEST(WriteFile, SaysThatTheDiskIsFull) {
  const FileHandle full(Uninterrupted([] { return open("/dev/full", O_WRONLY | O_CLOEXEC); }));
  EXPECT_EQ(WriteAll(full.get(), "x").text, "No space left on device");
  // The old file stays. A limit on the file size stands in for a small disk.
  const std::string folder = FreshFolder("full"), path = folder + "/file";
  ASSERT_TRUE(WriteFile(path, "old").ok());
  const pid_t pid = fork();
  ASSERT_GE(pid, 0);
  if (pid == 0) {
    signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{1000, 1000};
    setrlimit(RLIMIT_FSIZE, &limit);
    // The system takes only the first 1000 bytes: a short write.
    _exit(WriteFile(path, std::string(5000, 'x')).error == EFBIG ? 0 : 1);
  }
  int state = 0;
  Uninterrupted([&] { return waitpid(pid, &state, 0); });
  EXPECT_TRUE(WIFEXITED(state) && WEXITSTATUS(state) == 0);
  std::string bytes;
  EXPECT_TRUE(ReadFile(path, 10, &bytes).ok());
  EXPECT_EQ(bytes, "old");
  EXPECT_EQ(FilesIn(folder), 1u);
}

// As with two containers that share a folder and have the same process number.
TEST(WriteFile, TwoWritersNeverMeet) {
  const std::string folder = FreshFolder("two"), path = folder + "/file";
  const auto write = [&](char what) {
    for (int i = 0; i < 100; ++i) ASSERT_TRUE(WriteFile(path, std::string(3000, what)).ok());
  };
  std::thread other([&] { write('a'); });
  write('b');
  other.join();
  std::string bytes;
  ASSERT_TRUE(ReadFile(path, 3000, &bytes).ok());
  EXPECT_EQ(bytes, std::string(3000, bytes.at(0)));
  EXPECT_EQ(FilesIn(folder), 1u);
}

Distrust Ask(const std::string& path, const std::string& code = "") {
  FileProblem problem;
  const FileHandle file = OpenFile(path, &problem);
  EXPECT_TRUE(problem.ok()) << problem.text;
  return DistrustOf(file, path, code);
}

// A file in two folders, all owned by the user.
struct Tree {
  explicit Tree(const std::string& name)
      : outer(FreshFolder(name)), inner(outer + "/inner"), file(inner + "/file") {
    fs::create_directory(inner);
    EXPECT_TRUE(WriteFile(file, "x", 0600).ok());
    chmod(outer.c_str(), 0755);
    chmod(inner.c_str(), 0755);
  }
  std::string outer, inner, file;
};

TEST(Trust, IsForWhatOnlyTheUserMayWrite) {
  const Tree tree("own");
  EXPECT_EQ(Ask(tree.file).text, "");
  EXPECT_EQ(DistrustOfFolder(tree.inner).text, "");
  chmod(tree.file.c_str(), 0555);  // as Bazel's outputs are
  EXPECT_EQ(Ask(tree.file).text, "");
  EXPECT_EQ(Ask("/proc/self/exe").text, "");
}

TEST(Trust, IsNotForWhatOthersMayWrite) {
  const Tree tree("others");
  chmod(tree.file.c_str(), 0666);
  const Distrust file = Ask(tree.file);
  EXPECT_EQ(file.text, tree.file + " (user " + std::to_string(geteuid()) +
                           ", mode 0666) may be written to by everybody");
  EXPECT_EQ(file.help, "chmod go-w " + tree.file + ", or use a folder that only you may write to");
  chmod(tree.file.c_str(), 0644);
  for (const std::string& folder : {tree.inner, tree.outer}) {
    chmod(folder.c_str(), 0777);
    EXPECT_EQ(Ask(tree.file).text.find(folder + " (user "), 0u) << Ask(tree.file).text;
    EXPECT_NE(Ask(tree.file).text.find("everybody"), std::string::npos);
    EXPECT_FALSE(DistrustOfFolder(tree.inner).ok());
    // The same through a link.
    const std::string link = testing::TempDir() + "/link_to_others";
    fs::remove(link);
    fs::create_symlink(tree.file, link);
    EXPECT_FALSE(Ask(link).ok());
    chmod(folder.c_str(), 0755);
  }
  EXPECT_TRUE(Ask(tree.file).ok());
}

TEST(Trust, TakesStickyFoldersForWhatLiesInThemOnly) {
  const Tree tree("sticky");
  chmod(tree.inner.c_str(), 01777);
  EXPECT_EQ(Ask(tree.file).text, "");
  EXPECT_FALSE(DistrustOfFolder(tree.inner).ok());
  chmod(tree.file.c_str(), 01666);  // has no meaning for a file
  EXPECT_FALSE(Ask(tree.file).ok());
}

TEST(Trust, TakesTheUsersOwnGroupAlone) {
  const Tree tree("group");
  struct stat info{};
  ASSERT_EQ(stat(tree.outer.c_str(), &info), 0);
  chmod(tree.outer.c_str(), 0775);
  EXPECT_EQ(Ask(tree.file).ok(), info.st_gid == info.st_uid);
  if (chown(tree.outer.c_str(), static_cast<uid_t>(-1), 54321) != 0)
    GTEST_SKIP() << "only root may give a folder to another group";
  chmod(tree.outer.c_str(), 0775);
  EXPECT_NE(Ask(tree.file).text.find("may be written to by group 54321"), std::string::npos);
}

TEST(Trust, IsNotForOtherOwners) {
  const Tree tree("owner");
  if (chown(tree.inner.c_str(), 54321, static_cast<gid_t>(-1)) != 0)
    GTEST_SKIP() << "only root may give a folder away";
  const Distrust folder = Ask(tree.file);
  EXPECT_EQ(folder.text.find(tree.inner + " (user 54321, mode 0755) is not yours"), 0u)
      << folder.text;
  EXPECT_NE(folder.help.find("copy it to a folder of yours"), std::string::npos);
  ASSERT_EQ(chown(tree.inner.c_str(), 0, 0), 0);
  ASSERT_EQ(chown(tree.file.c_str(), 54321, static_cast<gid_t>(-1)), 0);
  EXPECT_NE(Ask(tree.file).text.find(tree.file + " (user 54321"), std::string::npos);
}

// Whoever can write beside the running code can replace that code anyway.
TEST(Trust, AsksNoFolderThatTheRunningCodeLiesBelow) {
  const Tree tree("installed");
  const std::string code = tree.outer + "/program";
  ASSERT_TRUE(WriteFile(code, "x").ok());
  chmod(tree.outer.c_str(), 0777);
  EXPECT_TRUE(Ask(tree.file, code).ok());
  EXPECT_FALSE(Ask(tree.file).ok());
  EXPECT_FALSE(Ask(tree.file, tree.outer + "_other/program").ok());
  chmod(tree.inner.c_str(), 0777);
  EXPECT_FALSE(Ask(tree.file, code).ok());
  chmod(tree.inner.c_str(), 0755);
  if (chown(code.c_str(), 54321, 54321) != 0) GTEST_SKIP() << "only root may give a file away";
  ASSERT_EQ(chown(tree.file.c_str(), 54321, 54321), 0);
  EXPECT_TRUE(Ask(tree.file, code).ok()) << "the installation of another user, which runs already";
  EXPECT_FALSE(Ask(tree.file).ok());
}

TEST(Trust, IsForTheFileThatWasOpened) {
  const Tree tree("swapped");
  FileProblem problem;
  const FileHandle file = OpenFile(tree.file, &problem);
  // Another writer's file replaces it; then there is no file.
  chmod(tree.file.c_str(), 0666);
  ASSERT_TRUE(WriteFile(tree.file, "another", 0600).ok());
  EXPECT_FALSE(DistrustOf(file, tree.file).ok());
  EXPECT_TRUE(Ask(tree.file).ok());
  ASSERT_EQ(fchmod(file.get(), 0600), 0);
  EXPECT_EQ(DistrustOf(file, tree.file).text, "");
  fs::remove(tree.file);
  EXPECT_EQ(DistrustOf(file, tree.file).text, "");
  chmod(tree.outer.c_str(), 0777);
  EXPECT_FALSE(DistrustOf(file, tree.file).ok());
}

TEST(CachePlace, IsAbsoluteOrRefused) {
  setenv("HOME", "/home/me", 1);
  unsetenv("XDG_CACHE_HOME");
  unsetenv("LATHE_CACHE_DIR");
  EXPECT_EQ(FindCachePlace().folder, "/home/me/.cache/lathe");
  setenv("XDG_CACHE_HOME", "/x", 1);
  EXPECT_EQ(FindCachePlace().folder, "/x/lathe");
  setenv("LATHE_CACHE_DIR", "/mine", 1);
  EXPECT_EQ(FindCachePlace().folder, "/mine");
  setenv("LATHE_CACHE_DIR", "mine", 1);
  EXPECT_EQ(FindCachePlace().folder, "");
  EXPECT_EQ(FindCachePlace().refused,
            "LATHE_CACHE_DIR is `mine`: a path that depends on the current folder, which may be "
            "anybody's");
}

}  // namespace
}  // namespace lathe
