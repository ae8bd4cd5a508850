#include "base/run_program.h"

#include <errno.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>
#include <iostream>
#include <string>
#include <vector>

#include "base/file.h"

namespace lathe {
namespace {

ProgramEnd Ran(std::vector<std::string> words, int input = -1) {
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  return RunProgram(argv, std::chrono::seconds(60), 1000, input);
}

// In a child, whose streams and limits are its own: 0 if `body` is content.
int InChild(const std::function<bool()>& body) {
  const pid_t child = fork();
  if (child == 0) _exit(body() ? 0 : 1);
  int status = 0;
  Uninterrupted([&] { return waitpid(child, &status, 0); });
  return status;
}

TEST(RunProgram, KeepsWhatItWrites) {
  const ProgramEnd end = Ran({"/bin/sh", "-c", "echo out; echo err >&2; exit 3"});
  EXPECT_EQ(end.output, "out\nerr\n");
  EXPECT_EQ(WEXITSTATUS(end.status), 3);
  EXPECT_TRUE(end.found);
}

TEST(RunProgram, AProgramThatIsMissingIsNotFound) {
  const ProgramEnd end = Ran({"/no/such/program"});
  EXPECT_FALSE(end.found);
  EXPECT_EQ(end.error, ENOENT);
}

TEST(RunProgram, ACallerWithoutStandardStreamsGetsTheOutput) {
  for (int closed = 1; closed < 8; ++closed) {
    EXPECT_EQ(InChild([&] {
                for (int fd = 0; fd < 3; ++fd) {
                  if ((closed >> fd & 1) != 0) close(fd);
                }
                const ProgramEnd end = Ran({"/bin/sh", "-c", "cat; echo out; echo err >&2"});
                const ProgramEnd missing = Ran({"/no/such/program"});
                return end.output == "out\nerr\n" && end.status == 0 && !missing.found &&
                       missing.error == ENOENT;
              }),
              0)
        << "closed: " << closed;
  }
}

TEST(RunProgram, InputMayHaveAnyNumber) {
  const std::string path = testing::TempDir() + "/input";
  ASSERT_TRUE(WriteFile(path, "text").ok());
  const int file = Uninterrupted([&] { return open(path.c_str(), O_RDONLY); });
  for (int number = 0; number < 3; ++number) {
    lseek(file, 0, SEEK_SET);
    EXPECT_EQ(InChild([&] {
                dup2(file, number);
                return Ran({"/bin/cat"}, number).output == "text";
              }),
              0)
        << number;
  }
}

// The guard is the second process of the user, the program would be the third.
TEST(RunProgram, NoRoomForAProcessIsNotAboutTheProgram) {
  constexpr uid_t kNobody = 65534;
  const auto limited = [] {
    const rlimit processes = {2, 2};
    return setrlimit(RLIMIT_NPROC, &processes) == 0 && setresuid(kNobody, kNobody, kNobody) == 0;
  };
  if (InChild(limited) != 0) GTEST_SKIP() << "needs root, to become a user with few processes";
  EXPECT_EQ(InChild([&] {
              if (!limited()) return false;
              const ProgramEnd end = Ran({"/bin/true"});
              return end.found && end.error == EAGAIN;
            }),
            0);
}

}  // namespace
}  // namespace lathe
