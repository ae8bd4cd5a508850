#include "runtime/plugin_loader/probe.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <stdexcept>

#include "runtime/status.h"

namespace lathe::runtime {
namespace {

using std::chrono::milliseconds;

bool Says(const absl::Status& status, std::string_view text) {
  return status.message().find(text) != std::string_view::npos;
}

TEST(Probe, GivesTheStatusBack) {
  EXPECT_TRUE(
      RunInChild(milliseconds(20000), [](const ProbePhase&) { return absl::OkStatus(); }).ok());
  const absl::Status status = RunInChild(milliseconds(20000), [](const ProbePhase&) {
    return MakeStatus(absl::StatusCode::kNotFound, "some-name", "two\nlines");
  });
  EXPECT_EQ(status, MakeStatus(absl::StatusCode::kNotFound, "some-name", "two\nlines"));
}

TEST(Probe, SurvivesACrash) {
  const absl::Status status =
      RunInChild(milliseconds(20000), [](const ProbePhase& phase) -> absl::Status {
        phase("init");
        std::fprintf(stderr, "last words\n");
        raise(SIGKILL);
        return absl::OkStatus();
      });
  EXPECT_EQ(StatusName(status), "plugin-probe-crashed");
  EXPECT_TRUE(Says(status, "in init: Killed")) << status;
  EXPECT_TRUE(Says(status, "it wrote: last words")) << status;
}

TEST(Probe, SurvivesAnExitAndAnException) {
  const absl::Status exited =
      RunInChild(milliseconds(20000), [](const ProbePhase& phase) -> absl::Status {
        phase("init");
        _exit(3);
      });
  EXPECT_EQ(StatusName(exited), "plugin-probe-exited");
  EXPECT_TRUE(Says(exited, "in init with exit code 3")) << exited;
  const absl::Status thrown = RunInChild(
      milliseconds(20000),
      [](const ProbePhase&) -> absl::Status { throw std::runtime_error("out it went"); });
  EXPECT_EQ(StatusName(thrown), "plugin-exception");
  EXPECT_TRUE(Says(thrown, "out it went"));
}

TEST(Probe, EndsAHang) {
  const auto start = std::chrono::steady_clock::now();
  const absl::Status status =
      RunInChild(milliseconds(200), [](const ProbePhase& phase) -> absl::Status {
        phase("init");
        if (fork() == 0)
          pause();  // a grandchild that holds the pipes open must not outlive the probe
        while (true) pause();
      });
  EXPECT_EQ(StatusName(status), "plugin-probe-hung");
  EXPECT_TRUE(Says(status, "return from init within 200 ms")) << status;
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(15));
}

TEST(Probe, EndsAHangAfterClosingItsPipes) {
  const absl::Status status = RunInChild(milliseconds(200), [](const ProbePhase&) -> absl::Status {
    for (int fd = 0; fd < 256; ++fd) close(fd);
    while (true) pause();
  });
  EXPECT_EQ(StatusName(status), "plugin-probe-hung");
}

TEST(VerdictCache, KeepsVerdictsByContent) {
  const std::string folder = std::string(std::getenv("TEST_TMPDIR")) + "/a/b/verdicts";
  const std::string file = std::string(std::getenv("TEST_TMPDIR")) + "/content";
  std::FILE* out = std::fopen(file.c_str(), "w");
  std::fputs("content", out);
  std::fclose(out);
  const auto digest = ContentDigest(file, "1");
  ASSERT_TRUE(digest.ok());
  EXPECT_EQ(digest->size(), 32u);
  EXPECT_NE(*digest, *ContentDigest(file, "2"));
  EXPECT_EQ(StatusName(ContentDigest("/nonexistent", "").status()), "file-unreadable");

  const VerdictCache cache(folder);
  absl::Status verdict;
  Distrust none;
  EXPECT_FALSE(cache.Find(*digest, &verdict, &none));
  const absl::Status bad =
      MakeStatus(absl::StatusCode::kInternal, "plugin-bad-table", "two\nlines");
  cache.Store(*digest, bad, &none);
  ASSERT_TRUE(cache.Find(*digest, &verdict, &none));
  EXPECT_EQ(verdict, bad);
  cache.Store(*digest, absl::OkStatus(), &none);
  ASSERT_TRUE(cache.Find(*digest, &verdict, &none));
  EXPECT_TRUE(verdict.ok());
  // A truncated file is not a verdict.
  ASSERT_EQ(truncate(cache.FileOf(*digest).c_str(), 5), 0);
  EXPECT_FALSE(cache.Find(*digest, &verdict, &none));
  // A cache that cannot store behaves like no cache.
  VerdictCache("/nonexistent/folder").Store(*digest, bad, &none);
  EXPECT_FALSE(VerdictCache("").Find(*digest, &verdict, &none));
  EXPECT_EQ(none.text, "");
}

TEST(VerdictCache, KeepsSuccessAndRefusalsAlone) {
  const VerdictCache cache(std::string(std::getenv("TEST_TMPDIR")) + "/passing");
  absl::Status verdict;
  Distrust none;
  for (const char* passing :
       {"plugin-probe-crashed", "plugin-probe-hung", "plugin-probe-exited", "plugin-probe-failed",
        "plugin-exception", "plugin-not-loadable", "out-of-memory", "some-name"}) {
    cache.Store("a", MakeStatus(absl::StatusCode::kInternal, passing, "x"), &none);
    EXPECT_FALSE(cache.Find("a", &verdict, &none)) << passing;
  }
  // In the form that earlier releases stored.
  cache.Store("a", absl::OkStatus(), &none);
  std::FILE* out = std::fopen(cache.FileOf("a").c_str(), "w");
  std::fputs("probe 1 13 24\n[plugin-probe-crashed] x", out);
  std::fclose(out);
  EXPECT_FALSE(cache.Find("a", &verdict, &none));
}

// A verdict forged by another user would make this process run code that was never probed.
TEST(VerdictCache, DoesNotBelieveOthers) {
  const std::string folder = std::string(std::getenv("TEST_TMPDIR")) + "/others";
  const VerdictCache cache(folder);
  absl::Status verdict;
  Distrust distrust;
  cache.Store("a", absl::OkStatus(), &distrust);
  ASSERT_TRUE(cache.Find("a", &verdict, &distrust));
  chmod(cache.FileOf("a").c_str(), 0666);
  EXPECT_FALSE(cache.Find("a", &verdict, &distrust));
  EXPECT_NE(distrust.text.find("a.verdict"), std::string::npos) << distrust.text;
  chmod(cache.FileOf("a").c_str(), 0600);
  distrust = {};
  chmod(folder.c_str(), 0777);
  EXPECT_FALSE(cache.Find("a", &verdict, &distrust));
  EXPECT_FALSE(distrust.ok());
  distrust = {};
  cache.Store("b", absl::OkStatus(), &distrust);
  EXPECT_FALSE(distrust.ok());
  chmod(folder.c_str(), 0755);
  EXPECT_TRUE(cache.Find("a", &verdict, &distrust));
  EXPECT_FALSE(cache.Find("b", &verdict, &distrust)) << "what was refused was stored";
}

TEST(VerdictCache, WaitsForNoFifo) {
  const std::string folder = std::string(std::getenv("TEST_TMPDIR")) + "/fifo";
  const VerdictCache cache(folder);
  absl::Status verdict;
  Distrust none;
  cache.Store("a", absl::OkStatus(), &none);
  ASSERT_EQ(mkfifo(cache.FileOf("b").c_str(), 0600), 0);
  alarm(20);
  EXPECT_FALSE(cache.Find("b", &verdict, &none));
  cache.Store("b", absl::OkStatus(), &none);
  EXPECT_EQ(StatusName(ContentDigest(cache.FileOf("b"), "").status()), "file-unreadable");
  alarm(0);
}

TEST(Probe, SaysWhenThereIsNoChild) {
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  const rlimit none{0, before.rlim_max};  // no more files, so no pipe
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &none), 0);
  const absl::Status status =
      RunInChild(milliseconds(20000), [](const ProbePhase&) { return absl::OkStatus(); });
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
  EXPECT_EQ(StatusName(status), "plugin-probe-failed");
}

}  // namespace
}  // namespace lathe::runtime
