// The files of sessions: the same tests for each kind of session.
#include "runtime/session/session_files.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <ostream>
#include <string>
#include <thread>
#include <vector>

#include "base/file.h"
#include "runtime/registry.h"
#include "runtime/session/loopback_session.h"
#include "runtime/session/session.h"
#include "runtime/status.h"

namespace lathe::runtime {
namespace {

namespace fs = std::filesystem;
using Names = std::vector<std::string>;

// A module whose functions return the path from which it was loaded.
class PathModule : public ModuleNode {
 public:
  explicit PathModule(std::string path) : path_(std::move(path)) {}
  std::string_view kind() const override { return "so"; }
  Function GetFunction(std::string_view) override {
    return Function::From([path = path_] { return path; });
  }

 private:
  std::string path_;
};

// The part of a shared library that is read to recognize it.
const std::string kSharedLibrary =
    "\x7f"
    "ELF" +
    std::string(14, '\3');

struct Kind {
  const char* name;
  std::function<Ref<Session>()> open;
};
void PrintTo(const Kind& kind, std::ostream* out) { *out << kind.name; }
const Kind kKinds[] = {{"local", OpenLocalSession},
                       {"loopback", [] { return Ref<Session>(*LoopbackSession::Open()); }}};

// TMPDIR is a new folder. Nothing may be left in it at the end.
class SessionFilesTest : public testing::TestWithParam<Kind> {
 protected:
  void SetUp() override {
    std::string name = testing::UnitTest::GetInstance()->current_test_info()->name();
    std::replace(name.begin(), name.end(), '/', '-');
    place_ = fs::path(std::getenv("TEST_TMPDIR")) / name;
    fs::create_directory(place_);
    setenv("TMPDIR", place_.c_str(), 1);
    RegisterGlobal("module.load_file.so", Function::From([](const std::string& path) {
                     return Module(Make<PathModule>(path));
                   }),
                   Override::kReplace)
        .IgnoreError();
  }
  void TearDown() override { EXPECT_TRUE(fs::is_empty(place_)) << Folder(); }

  Ref<Session> Open() { return GetParam().open(); }
  // Returns the only folder there.
  fs::path Folder() {
    const fs::directory_iterator first(place_);
    return first == fs::directory_iterator() ? fs::path() : first->path();
  }

  fs::path place_;
};

INSTANTIATE_TEST_SUITE_P(Sessions, SessionFilesTest, testing::ValuesIn(kKinds),
                         [](const auto& kind) { return std::string(kind.param.name); });

// Runs `work` in a child and returns how the child ends. The child's exit code is what `work`
// returns.
int StateOfChild(const std::function<int()>& work) {
  const pid_t child = fork();
  if (child == 0) std::exit(work());
  int state = -1;
  Uninterrupted([&] { return waitpid(child, &state, 0); });
  return state;
}

std::string NameOf(const absl::Status& status) { return std::string(StatusName(status)); }

TEST_P(SessionFilesTest, AreStoredAndGiven) {
  const Ref<Session> session = Open();
  SessionFiles& files = session->files();
  EXPECT_EQ(*files.List(), Names());
  EXPECT_TRUE(fs::is_empty(place_)) << "nothing before the first upload";
  const std::string bytes("a\0b\xff", 4);
  ASSERT_TRUE(files.Upload("b.txt", bytes).ok());
  ASSERT_TRUE(files.Upload("a", "").ok());
  EXPECT_EQ(*files.List(), (Names{"a", "b.txt"}));
  EXPECT_EQ(*files.Download("b.txt"), bytes);
  EXPECT_EQ(*files.Download("a"), "");
  ASSERT_TRUE(files.Upload("b.txt", "new").ok());
  EXPECT_EQ(*files.Download("b.txt"), "new");
  EXPECT_EQ(fs::status(Folder()).permissions(), fs::perms::owner_all);
  EXPECT_TRUE(Folder().filename().string().starts_with("lathe-session-"));
  ASSERT_TRUE(files.Remove("b.txt").ok());
  EXPECT_EQ(*files.List(), Names{"a"});
  const absl::Status missing = files.Remove("b.txt");
  EXPECT_EQ(NameOf(missing), "session-file-missing");
  EXPECT_NE(missing.message().find("one of `a`"), std::string_view::npos) << missing;
  EXPECT_NE(missing.message().find(Describe(*session)), std::string_view::npos) << missing;
  EXPECT_EQ(NameOf(files.Download("b.txt").status()), "session-file-missing");
  EXPECT_EQ(NameOf(session->LoadUploaded("b.txt").status()), "session-file-missing");
}

TEST_P(SessionFilesTest, ModulesAreLoadedByName) {
  const Ref<Session> session = Open();
  EXPECT_EQ(NameOf(session->LoadUploaded("m.so").status()), "session-file-missing");
  ASSERT_TRUE(session->files().Upload("m.so", kSharedLibrary).ok());
  ASSERT_TRUE(session->files().Upload("m.txt", "text").ok());
  const Module module = *session->LoadUploaded("m.so");
  EXPECT_EQ((*module.GetFunction("path"))().As<std::string>(), (Folder() / "m.so").string());
  EXPECT_NE(NameOf(session->LoadUploaded("m.txt").status()), "");
}

TEST_P(SessionFilesTest, NoNameLeadsOut) {
  const Ref<Session> session = Open();
  SessionFiles& files = session->files();
  ASSERT_TRUE(files.Upload("inside", "x").ok());
  const fs::path outside = place_.parent_path() / "outside";
  const Names hostile = {"",
                         ".",
                         "..",
                         "../outside",
                         outside.string(),
                         "/",
                         "a/b",
                         "inside/../../../outside",
                         "inside/",
                         ".hidden",
                         ".new-0123",
                         "...",
                         std::string("a\0/../b", 7),
                         std::string("a\0", 2),
                         "line\nbreak",
                         "\x1b[2J",
                         "\x7f",
                         std::string(256, 'x'),
                         std::string(1 << 20, '/')};
  for (const std::string& name : hostile) {
    for (const absl::Status& status : {files.Upload(name, "evil"), files.Download(name).status(),
                                       files.Remove(name), session->LoadUploaded(name).status()}) {
      EXPECT_EQ(NameOf(status), "session-file-name") << name;
      EXPECT_LT(status.message().size(), 600u) << name.size();
      EXPECT_EQ(status.message().find_first_of("\x1b\x7f"), std::string_view::npos);
    }
  }
  EXPECT_FALSE(fs::exists(outside));
  EXPECT_EQ(*files.List(), Names{"inside"});
  const absl::Status status = files.Upload("../outside", "evil");
  EXPECT_NE(status.message().find("help: call it `outside`"), std::string_view::npos) << status;
  for (const std::string& name : {std::string(255, 'x'), std::string("a..b"), std::string("-rf"),
                                  std::string("a b"), std::string("\xc3\xa4"), std::string("~")}) {
    EXPECT_TRUE(files.Upload(name, "x").ok()) << name;
    EXPECT_EQ(*files.Download(name), "x") << name;
  }
}

// A function of the session could create such things in the folder.
TEST_P(SessionFilesTest, OnlyFilesAreGiven) {
  const fs::path outside = place_.parent_path() / (std::string("precious-") + GetParam().name);
  fs::create_directory(outside);
  {
    const Ref<Session> session = Open();
    SessionFiles& files = session->files();
    ASSERT_TRUE(files.Upload("file", "x").ok());
    fs::create_directory_symlink(outside, Folder() / "link");
    fs::create_symlink("/etc/passwd", Folder() / "passwd.so");
    ASSERT_EQ(mkfifo((Folder() / "fifo").c_str(), 0600), 0);
    fs::create_directories(Folder() / "folder" / "within");
    EXPECT_EQ(*files.List(), Names{"file"});
    for (const char* name : {"link", "passwd.so", "fifo", "folder"}) {
      EXPECT_EQ(NameOf(files.Download(name).status()), "session-file-unreadable") << name;
      EXPECT_EQ(NameOf(session->LoadUploaded(name).status()), "session-file-unreadable") << name;
    }
    EXPECT_EQ(NameOf(files.Upload("fifo", "x")), "session-file-unwritable");
  }
  EXPECT_TRUE(fs::exists(outside)) << "no link is followed";
}

TEST_P(SessionFilesTest, SessionsDoNotShareThem) {
  const Ref<Session> one = Open(), other = Open();
  ASSERT_TRUE(one->files().Upload("a", "one").ok());
  EXPECT_EQ(*other->files().List(), Names());
  EXPECT_EQ(NameOf(other->files().Download("a").status()), "session-file-missing");
  ASSERT_TRUE(other->files().Upload("a", "other").ok());
  EXPECT_EQ(*one->files().Download("a"), "one");
  other->Close();
  EXPECT_EQ(*one->files().Download("a"), "one");
}

TEST_P(SessionFilesTest, GoWithTheSession) {
  const Ref<Session> session = Open();
  ASSERT_TRUE(session->files().Upload("m.so", kSharedLibrary).ok());
  const Module module = *session->LoadUploaded("m.so");
  session->Close();
  EXPECT_TRUE(fs::is_empty(place_));
  for (const absl::Status& status :
       {session->files().Upload("m.so", "x"), session->files().Download("m.so").status(),
        session->files().List().status(), session->files().Remove("m.so"),
        session->LoadUploaded("m.so").status(), session->LoadFile("x").status(),
        session->LoadBytes("x", "").status(), session->GetFunction("x").status(),
        session->CountDevices(kDLCPU).status(),
        session->DeviceAttribute(kDLCPU, 0, "name").status()})
    EXPECT_EQ(NameOf(status), "session-closed") << status;
  EXPECT_TRUE(fs::is_empty(place_));
  EXPECT_TRUE(module.FindFunction("path"));
}

TEST_P(SessionFilesTest, ProblemsAreSaidInTheSystemsWords) {
  struct Case {
    const char *place, *problem;
  };
  for (const Case& c : {Case{"/no/such/folder", "No such file or directory"},
                        {"/dev/null", "Not a directory"},
                        {"here", "depends on the current folder"}}) {
    setenv("TMPDIR", c.place, 1);
    const Ref<Session> session = Open();
    const absl::Status status = session->files().Upload("a", "x");
    EXPECT_EQ(NameOf(status), "session-file-unwritable") << c.place;
    EXPECT_NE(status.message().find(c.problem), std::string_view::npos) << status;
    EXPECT_NE(status.message().find("TMPDIR"), std::string_view::npos) << status;
    EXPECT_EQ(*session->files().List(), Names());
    // The session works again when the folder is repaired.
    setenv("TMPDIR", place_.c_str(), 1);
    EXPECT_TRUE(session->files().Upload("a", "x").ok());
  }
  const Ref<Session> session = Open();
  ASSERT_TRUE(session->files().Upload("a", "x").ok());
  fs::remove_all(Folder());
  const absl::Status status = session->files().Upload("b", "x");
  EXPECT_EQ(NameOf(status), "session-file-unwritable");
  EXPECT_NE(status.message().find("No such file or directory"), std::string_view::npos) << status;
  EXPECT_EQ(NameOf(session->files().List().status()), "session-file-unreadable");
}

// A limit on the file size stands in for a small disk.
TEST_P(SessionFilesTest, AFullDiskLeavesTheOldFile) {
  const int state = StateOfChild([&] {
    std::signal(SIGXFSZ, SIG_IGN);
    const Ref<Session> session = Open();
    if (!session->files().Upload("a", "old").ok()) return 1;
    const rlimit limit{1000, 1000};
    setrlimit(RLIMIT_FSIZE, &limit);
    const absl::Status status = session->files().Upload("a", std::string(5000, 'x'));
    if (NameOf(status) != "session-file-unwritable") return 2;
    if (status.message().find("File too large") == std::string_view::npos) return 3;
    if (*session->files().Download("a") != "old") return 4;
    if (*session->files().List() != Names{"a"}) return 5;
    return std::distance(fs::directory_iterator(Folder()), {}) == 1 ? 0 : 6;
  });
  EXPECT_EQ(state, 0);
}

TEST_P(SessionFilesTest, GoWhenTheProcessExits) {
  const int state = StateOfChild([&] {
    static Session* const session = Open().release();
    if (!session->files().Upload("a", "x").ok()) return 1;
    if (!LocalSession()->files().Upload("a", "x").ok()) return 2;
    LocalSession()->Close();
    return *LocalSession()->files().Download("a") == "x" ? 0 : 3;
  });
  EXPECT_EQ(state, 0);
}

// A session of another process, and one that lives, keep their folders.
TEST_P(SessionFilesTest, OfAKilledProcessGoWithTheNextSession) {
  const int state = StateOfChild([&] {
    if (!Open()->files().Upload("a", "x").ok()) return 1;  // one that ended before
    static Session* const session = Open().release();
    if (!session->files().Upload("a", "x").ok()) return 2;
    return raise(SIGKILL);
  });
  EXPECT_TRUE(WIFSIGNALED(state) && WTERMSIG(state) == SIGKILL) << state;
  const fs::path left = Folder();
  EXPECT_TRUE(fs::exists(left / "a")) << left;
  // One that is locked, as if its process lived, and others' things.
  fs::create_directory(place_ / "lathe-session-lives");
  const FileHandle lives(Uninterrupted(
      [&] { return open((place_ / "lathe-session-lives").c_str(), O_RDONLY | O_CLOEXEC); }));
  ASSERT_EQ(Uninterrupted([&] { return flock(lives.get(), LOCK_EX); }), 0);
  fs::create_directory(place_ / "other");
  fs::create_directory_symlink(place_ / "other", place_ / "lathe-session-link");
  const Ref<Session> one = Open(), two = Open();
  ASSERT_TRUE(one->files().Upload("a", "one").ok());
  ASSERT_TRUE(two->files().Upload("a", "two").ok());
  EXPECT_FALSE(fs::exists(left));
  EXPECT_EQ(one->files().Download("a").value_or("gone"), "one");
  for (const char* name : {"lathe-session-lives", "lathe-session-link", "other"}) {
    EXPECT_TRUE(fs::exists(place_ / name)) << name;
    fs::remove(place_ / name);
  }
  two->Close();
  one->Close();
}

// Files with holes stand in for large ones.
TEST_P(SessionFilesTest, HaveALimitTogether) {
  const Ref<Session> session = Open();
  ASSERT_TRUE(session->files().Upload("large", "x").ok());
  ASSERT_TRUE(session->files().Upload("small", "x").ok());
  fs::resize_file(Folder() / "large", kMostSessionBytes - 3 * 4096);
  EXPECT_TRUE(session->files().Upload("small", std::string(4095, 'x')).ok()) << "in its own place";
  const absl::Status full = session->files().Upload("another", std::string(4096, 'x'));
  EXPECT_EQ(NameOf(full), "session-files-too-large") << full;
  EXPECT_NE(full.message().find("found: 4096 bytes, beside"), std::string_view::npos) << full;
  EXPECT_EQ(*session->files().List(), (Names{"large", "small"}));
  ASSERT_TRUE(session->files().Remove("small").ok());
  EXPECT_TRUE(session->files().Upload("another", std::string(4096, 'x')).ok());
  // Sizes whose blocks have no place in 64 bits. Nothing is asked for the first piece.
  for (const uint64_t size : {UINT64_MAX, UINT64_MAX - 4096}) {
    EXPECT_EQ(NameOf(session->files().UploadPieces("huge", size,
                                                   []() -> absl::StatusOr<std::string_view> {
                                                     return absl::InternalError(
                                                         "[test-asked] a piece was asked for");
                                                   })),
              "session-files-too-large");
  }
}

TEST_P(SessionFilesTest, StayWhenAChildEnds) {
  const Ref<Session> session = Open();
  ASSERT_TRUE(session->files().Upload("a", "x").ok());
  for (const bool closes : {false, true}) {
    EXPECT_EQ(StateOfChild([&] {
                if (closes) session->Close();
                return 0;
              }),
              0);
    EXPECT_EQ(session->files().Download("a").value_or("gone"), "x") << closes;
  }
}

TEST_P(SessionFilesTest, ClosedUnderUploads) {
  for (int round = 0; round < 20; ++round) {
    const Ref<Session> session = Open();
    std::atomic<int> wrong{0}, started{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < 3; ++t)
      threads.emplace_back([&, t] {
        for (int i = 0;; ++i) {
          const absl::Status status =
              session->files().Upload(std::to_string(t) + "-" + std::to_string(i % 4), "bytes");
          ++started;
          if (status.ok()) continue;
          if (NameOf(status) != "session-closed") ++wrong;
          return;
        }
      });
    while (started < 3) std::this_thread::yield();
    session->Close();
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(wrong, 0);
    ASSERT_TRUE(fs::is_empty(place_));
  }
}

}  // namespace
}  // namespace lathe::runtime
