// A code generator that ends its process ends only the process in which it works.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <string>
#include <thread>
#include <vector>

#include "base/address_sanitizer.h"
#include "base/file.h"
#include "plugins/host/codegen.h"
#include "plugins/host/isolate.h"
#include "runtime/cancel.h"
#include "runtime/plugin_loader/plugin_loader.h"
#include "runtime/status.h"
#include "target/target.h"

namespace lathe::plugins {
namespace {

using runtime::PluginLoader;
using runtime::StatusName;
using testing::HasSubstr;
using namespace std::chrono_literals;

// The text given as IR tells the plugin what to do (evil.cc).
absl::StatusOr<CompileOutput> Compile(const std::string& ir, bool isolate = true) {
  CompileInput input;
  input.ir = ir;
  input.isolate = isolate;
  input.options = "a=b\n";
  const absl::StatusOr<CodeGen> codegen = CodeGen::For(target::ParseTarget("evil_compiles"), 1, 1);
  if (!codegen.ok()) return codegen.status();
  return codegen->Compile(input);
}

std::string Bytes(const absl::StatusOr<CompileOutput>& made) {
  return made.ok() ? made->bytes : std::string(made.status().message());
}

absl::Status LoadPlugin() {
  return PluginLoader::Global().Load(std::filesystem::current_path() /
                                     "plugins/evil/evil_compiles.so");
}

class Isolate : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    const absl::Status loaded = LoadPlugin();
    ASSERT_TRUE(loaded.ok()) << loaded;
  }
  // After each case the next build works, in the same process.
  void TearDown() override { EXPECT_EQ(Bytes(Compile("works")), "works a=b\n"); }
};

TEST_F(Isolate, WorksInAnotherProcess) {
  EXPECT_EQ(Bytes(Compile("who", false)), std::to_string(getpid()));
  const std::string child = Bytes(Compile("who"));
  EXPECT_NE(child, std::to_string(getpid()));
  EXPECT_FALSE(std::filesystem::exists("/proc/" + child)) << "it is gone when the call returns";
}

TEST_F(Isolate, GivesTheSame) {
  const float values[] = {1, 2, 3};
  int64_t shape[] = {3};
  DLTensor tensor{};
  tensor.data = const_cast<float*>(values);
  tensor.device = {kDLCPU, 0};
  tensor.ndim = 1;
  tensor.dtype = {kDLFloat, 32, 1};
  tensor.shape = shape;
  const DLTensor* const constants[] = {&tensor, &tensor};
  const char* const symbols[] = {nullptr, "of_the_second"};
  CompileInput input;
  input.ir = "echo";
  input.output = OutputKind::kModule;
  input.constants = constants;
  input.constant_symbols = symbols;
  const CodeGen codegen = *CodeGen::For(target::ParseTarget("evil_compiles"), 1, 1);
  const auto shown = [&] {
    testing::internal::CaptureStderr();
    absl::StatusOr<CompileOutput> made = codegen.Compile(input);
    return std::pair(std::move(made), testing::internal::GetCapturedStderr());
  };
  const auto [here, shown_here] = shown();
  input.isolate = true;
  const auto [there, shown_there] = shown();
  ASSERT_TRUE(here.ok()) << here.status();
  ASSERT_TRUE(there.ok()) << there.status();
  EXPECT_THAT(here->bytes, HasSubstr("of_the_second"));
  EXPECT_THAT(here->bytes, HasSubstr("12 bytes"));
  EXPECT_EQ(there->bytes, here->bytes);
  EXPECT_EQ(there->module_kind, here->module_kind);
  EXPECT_EQ(there->consumed, here->consumed);
  EXPECT_EQ(there->consumed, (std::vector<bool>{true, false}));
  EXPECT_EQ(there->log, here->log);
  EXPECT_EQ(there->log, "a log");
  // The user sees a warning once, with its target.
  for (const std::string& text : {shown_here, shown_there}) {
    EXPECT_THAT(text, HasSubstr("target evil_compiles"));
    EXPECT_EQ(text.find("a log"), text.rfind("a log")) << text;
    EXPECT_THAT(text, HasSubstr("a log"));
  }
  for (const auto* made : {&here, &there}) {
    ASSERT_EQ((*made)->times.size(), 2u);
    EXPECT_STREQ((*made)->times[1].stage, "write");
    EXPECT_EQ((*made)->times[1].seconds, 0.25);
  }
}

TEST_F(Isolate, TimesOfAnotherSizeAreRefused) {
  EXPECT_EQ(StatusName(Compile("odd times", false).status()), "plugin-contract");
}

TEST_F(Isolate, AnErrorOfThePluginComesWhole) {
  const absl::Status here = Compile("fails", false).status();
  const absl::Status there = Compile("fails").status();
  EXPECT_EQ(StatusName(there), "evil-compile");
  EXPECT_EQ(there, here);
  EXPECT_EQ(Compile("", true).status(), Compile("", false).status()) << "and one of the host's";
}

TEST_F(Isolate, ACrashIsAnError) {
  const absl::Status status = Compile("crash").status();
  EXPECT_EQ(StatusName(status), "compile-child-ended");
  EXPECT_EQ(status.code(), absl::StatusCode::kInternal);
  EXPECT_THAT(std::string(status.message()), HasSubstr("signal"));
  EXPECT_THAT(std::string(status.message()), HasSubstr("evil_compiles"));
}

TEST_F(Isolate, AnExitIsAnErrorAndSaysWhatWasWritten) {
  const absl::Status status = Compile("exit").status();
  EXPECT_EQ(StatusName(status), "compile-child-ended");
  EXPECT_THAT(std::string(status.message()), HasSubstr("exit code 3"));
  EXPECT_THAT(std::string(status.message()), HasSubstr("it wrote: I leave"));
  EXPECT_EQ(StatusName(Compile("exit well").status()), "compile-child-ended")
      << "with success and no answer";
}

TEST_F(Isolate, WhereMemoryRunsOutItSaysSo) {
  for (const std::string way : {"allocate", "abort of LLVM", "killed"}) {
    if (kAddressSanitizer && way == "allocate") {
      std::cout << "left out under the address sanitizer, which needs more address space: " << way
                << std::endl;
      continue;
    }
    const absl::Status status = Compile(way).status();
    EXPECT_EQ(StatusName(status), "out-of-memory") << way << ": " << status;
    EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
    EXPECT_THAT(std::string(status.message()), HasSubstr("help: "));
  }
}

TEST_F(Isolate, ATimeLimitAndACancelEndTheChild) {
  for (const bool late : {false, true}) {
    const std::string file = testing::TempDir() + "/hangs" + (late ? "1" : "0");
    runtime::Cancellation stop;
    std::thread other([&] {
      for (int pid = 0; !(std::ifstream(file) >> pid);) std::this_thread::sleep_for(5ms);
      if (late)
        stop.SetDeadline(std::chrono::steady_clock::now());
      else
        stop.Cancel();
    });
    try {
      const runtime::CancelScope scope(stop);
      const absl::StatusOr<CompileOutput> made = Compile("hang " + file);
      ADD_FAILURE() << "returned " << made.status();
    } catch (const runtime::Interrupted& error) {
      EXPECT_EQ(error.name(), late ? "deadline-exceeded" : "cancelled");
    }
    other.join();
    std::string pid;
    std::ifstream(file) >> pid;
    std::string id, name, state;
    for (int i = 0; i < 500; ++i) {
      state.clear();
      if (!(std::ifstream("/proc/" + pid + "/stat") >> id >> name >> state) || state == "Z") break;
      std::this_thread::sleep_for(10ms);
    }
    EXPECT_TRUE(state.empty() || state == "Z") << state;
  }
}

TEST_F(Isolate, ManyAtOnceEndApart) {
  std::vector<std::thread> threads;
  std::vector<std::string> ends(8);
  for (size_t i = 0; i < ends.size(); ++i) {
    threads.emplace_back([&, i] { ends[i] = Bytes(Compile(i % 2 == 0 ? "works" : "crash")); });
  }
  for (std::thread& thread : threads) thread.join();
  for (size_t i = 0; i < ends.size(); ++i)
    EXPECT_THAT(ends[i], HasSubstr(i % 2 == 0 ? "works a=b" : "[compile-child-ended]"));
}

TEST_F(Isolate, ACodeGeneratorOfThisProcessHasNoOther) {
  ASSERT_TRUE(PluginLoader::Global()
                  .Declare(R"({"lathe": 1, "name": "of_this_process", "version": "1",
                               "abi": [1, 1], "targets": [{"kind": "of_this_process",
                               "stage": "flat", "ir": [1, 1], "outputs": ["source"]}]})")
                  .ok());
  const target::Target target = target::ParseTarget("of_this_process");
  EXPECT_EQ(StatusName(CompileInChild(target, target.ToString(), 1, {}).status()),
            "compile-isolate-unsupported");
}

TEST_F(Isolate, WhereTheProgramCannotRunThatIsSaid) {
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "before";
  const std::filesystem::path program = folder / kCompileChild;
  std::filesystem::create_directories(folder);
  PluginLoader::Global().AddFolder(folder);
  std::ofstream(program) << "#!/bin/sh\necho another one >&2\nexit 1\n";
  const absl::Status status = Compile("works").status();
  EXPECT_EQ(StatusName(status), "compile-child-missing");
  EXPECT_THAT(std::string(status.message()), HasSubstr("Permission denied"));
  std::filesystem::permissions(program, std::filesystem::perms::owner_all);
  EXPECT_THAT(Bytes(Compile("works")), HasSubstr("it wrote: another one"));
  // A program that others could have written is not run.
  std::filesystem::permissions(program, std::filesystem::perms::all);
  EXPECT_EQ(Bytes(Compile("works")), "works a=b\n");
  std::filesystem::remove(program);
}

TEST_F(Isolate, WhereThereIsNoRoomForAProcessThatIsSaid) {
  rlimit before{};
  getrlimit(RLIMIT_NOFILE, &before);
  const int next = Uninterrupted([] { return open("/dev/null", O_RDONLY | O_CLOEXEC); });
  close(next);
  const rlimit one = {static_cast<rlim_t>(next) + 1, before.rlim_max};
  setrlimit(RLIMIT_NOFILE, &one);
  const absl::Status status = Compile("works").status();
  setrlimit(RLIMIT_NOFILE, &before);
  EXPECT_EQ(StatusName(status), "compile-child-failed") << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("Too many open files"));
}

// Requests that do not come from Lathe.
TEST_F(Isolate, TheProgramTakesNothingElse) {
  EXPECT_FALSE(AnswerRequest(-1));
  const std::string path = testing::TempDir() + "/request";
  for (const std::string text : {"", "text", "12345678", "a longer text that is no request"}) {
    std::ofstream(path) << text;
    FileHandle file(open(path.c_str(), O_RDWR | O_CLOEXEC));
    EXPECT_FALSE(AnswerRequest(file.get())) << text;
  }
}

}  // namespace
}  // namespace lathe::plugins
