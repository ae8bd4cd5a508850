#include "driver/link/link_with_compiler.h"

#include <sys/stat.h>

#include <fstream>
#include <iterator>

#include "gtest/gtest.h"
#include "runtime/status.h"

namespace lathe::driver {
namespace {

using runtime::StatusName;

// A compiler that is a script: what matters here is how it is run and what is made of its end.
std::string Script(const std::string& name, const std::string& body) {
  const std::string path = ::testing::TempDir() + "/" + name;
  std::ofstream(path) << "#!/bin/sh\n" << body << "\n";
  chmod(path.c_str(), 0755);
  return path;
}

TEST(LinkWithCompilerTest, PassesInputsAndArguments) {
  const std::string output = ::testing::TempDir() + "/out put.so";
  CompilerLink link;
  link.compiler = Script("records", "for word in \"$@\"; do echo \"$word\"; done > \"$4\"");
  link.inputs = {"a b.o", "$HOME.o"};
  link.arguments = {"-lm"};
  link.output = output;
  const absl::Status status = LinkWithCompiler(link);
  ASSERT_TRUE(status.ok()) << status;
  std::ifstream file(output);
  const std::string words{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  EXPECT_EQ(words, "-shared\n-fPIC\n-o\n" + output + "\na b.o\n$HOME.o\n-lm\n");
}

TEST(LinkWithCompilerTest, FailureCarriesTheOutput) {
  CompilerLink link;
  link.compiler = Script("fails", "echo to stdout; echo undefined symbol foo >&2; exit 3");
  link.output = "never.so";
  const absl::Status status = LinkWithCompiler(link);
  EXPECT_EQ(StatusName(status), "compiler-failed");
  for (const char* part : {"exit status 3", "undefined symbol foo", "to stdout", "never.so"}) {
    EXPECT_NE(status.message().find(part), std::string_view::npos) << status;
  }
}

TEST(LinkWithCompilerTest, LongOutputKeepsItsEnd) {
  CompilerLink link;
  link.compiler =
      Script("talks", "i=0; while [ $i -lt 3000 ]; do echo line $i; i=$((i+1)); done; exit 1");
  const absl::Status status = LinkWithCompiler(link);
  EXPECT_EQ(StatusName(status), "compiler-failed");
  EXPECT_NE(status.message().find("line 2999"), std::string_view::npos);
  EXPECT_EQ(status.message().find("line 5\n"), std::string_view::npos);
}

TEST(LinkWithCompilerTest, MissingCompilerIsNamed) {
  CompilerLink link;
  link.compiler = "/no/such/clang";
  const absl::Status status = LinkWithCompiler(link);
  EXPECT_EQ(StatusName(status), "compiler-not-found");
  EXPECT_NE(status.message().find("/no/such/clang"), std::string_view::npos);
}

TEST(LinkWithCompilerTest, HangingCompilerIsStopped) {
  CompilerLink link;
  link.compiler = Script("hangs", "sleep 100");
  link.timeout_seconds = 1;
  EXPECT_EQ(StatusName(LinkWithCompiler(link)), "compiler-timeout");
}

}  // namespace
}  // namespace lathe::driver
