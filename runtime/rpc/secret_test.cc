#include "runtime/rpc/secret.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string>

#include "base/file.h"
#include "runtime/status.h"

namespace lathe::runtime::rpc {
namespace {

std::string PathOf(const char* name) { return testing::TempDir() + "/" + name; }

TEST(Secret, HmacOfTheStandard) {
  // RFC 4231, test cases 1 to 4: those with keys of at most 32 bytes. HMAC itself pads shorter ones
  // by zeros.
  std::string count(25, '\0');
  for (size_t i = 0; i < count.size(); ++i) count[i] = static_cast<char>(i + 1);
  const struct {
    std::string key, text, mac;
  } cases[] = {
      {std::string(20, '\x0b'), "Hi There",
       "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"},
      {"Jefe", "what do ya want for nothing?",
       "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"},
      {std::string(20, '\xaa'), std::string(50, '\xdd'),
       "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"},
      {count, std::string(50, '\xcd'),
       "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b"},
  };
  for (const auto& one : cases) {
    Secret key{};
    std::copy(one.key.begin(), one.key.end(), key.begin());
    const Secret mac = *ParseSecret(one.mac);
    EXPECT_EQ(Hmac(key, one.text), std::string(mac.begin(), mac.end())) << one.text;
  }
}

TEST(Secret, ProofsAreOfOneSide) {
  Secret secret{}, other{};
  other[31] = 1;
  const std::string proof = ClientProof(secret, "ab");
  EXPECT_EQ(proof.size(), 32u);
  EXPECT_TRUE(SameText(proof, ClientProof(secret, "ab")));
  EXPECT_FALSE(SameText(proof, ServerProof(secret, "ab")));
  EXPECT_FALSE(SameText(proof, ClientProof(other, "ab")));
  EXPECT_FALSE(SameText(proof, ClientProof(secret, "ba")));
  EXPECT_FALSE(SameText(proof, ""));
}

TEST(Secret, FilesForOneUser) {
  const std::string path = PathOf("secret");
  ASSERT_TRUE(WriteNewSecret(path).ok());
  const Secret secret = *ReadSecret(path);
  EXPECT_EQ(secret, *ReadSecret(path));
  const absl::Status there = WriteNewSecret(path);
  EXPECT_EQ(StatusName(there), "rpc-secret-file");
  EXPECT_NE(there.message().find("it is not replaced\nhelp: name a new file"), std::string::npos)
      << there;
  EXPECT_NE(WriteNewSecret(PathOf("no/folder")).message().find("cannot be made"),
            std::string::npos);
  // A credential of systemd's is root's, and may be read by a group.
  ASSERT_EQ(chmod(path.c_str(), 0440), 0);
  EXPECT_EQ(StatusName(ReadSecret(path).status()), "rpc-secret-file");
  setenv("CREDENTIALS_DIRECTORY", testing::TempDir().c_str(), 1);
  const bool root = geteuid() == 0;
  EXPECT_EQ(StatusName(ReadSecret(path).status()), root ? "" : "rpc-secret-file");
  ASSERT_EQ(chmod(path.c_str(), 0444), 0);
  EXPECT_EQ(StatusName(ReadSecret(path).status()), "rpc-secret-file");
  unsetenv("CREDENTIALS_DIRECTORY");
  ASSERT_EQ(chmod(path.c_str(), 0600), 0);
  EXPECT_EQ(secret, *ReadSecret(path));
  setenv("LATHE_REMOTE_SECRET_FILE", path.c_str(), 1);
  EXPECT_EQ(**SecretOfEnvironment(), secret);
  unsetenv("LATHE_REMOTE_SECRET_FILE");
  EXPECT_FALSE(SecretOfEnvironment()->has_value());
  ASSERT_EQ(chmod(path.c_str(), 0640), 0);
  EXPECT_EQ(StatusName(ReadSecret(path).status()), "rpc-secret-file");
  EXPECT_EQ(StatusName(ReadSecret(PathOf("missing")).status()), "rpc-secret-file");
  ASSERT_TRUE(WriteFile(PathOf("text"), "hunter2\n", 0600).ok());
  const absl::Status text = ReadSecret(PathOf("text")).status();
  EXPECT_EQ(StatusName(text), "rpc-secret-file");
  EXPECT_NE(text.message().find("`lathe remote keygen FILE`"), std::string::npos) << text;
  const std::string fifo = PathOf("fifo");
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  EXPECT_EQ(StatusName(ReadSecret(fifo).status()), "rpc-secret-file");
}

// Part of a secret does not stay. The limit of a file's size stands in for a full disk.
TEST(Secret, AFileThatCannotBeWrittenIsRemoved) {
  const std::string path = PathOf("part");
  struct SmallFiles {
    SmallFiles() {
      getrlimit(RLIMIT_FSIZE, &before);
      const rlimit small{10, before.rlim_max};
      setrlimit(RLIMIT_FSIZE, &small);
    }
    ~SmallFiles() {
      setrlimit(RLIMIT_FSIZE, &before);
      signal(SIGXFSZ, handler);
    }
    rlimit before{};
    sighandler_t handler = signal(SIGXFSZ, SIG_IGN);
  };
  const absl::Status status = [&] {
    const SmallFiles limit;
    return WriteNewSecret(path);
  }();
  EXPECT_NE(status.message().find("cannot be written: File too large"), std::string::npos)
      << status;
  EXPECT_NE(access(path.c_str(), F_OK), 0);
}

TEST(Secret, RandomBytesDiffer) {
  EXPECT_EQ(RandomBytes(16).size(), 16u);
  EXPECT_NE(RandomBytes(16), RandomBytes(16));
}

}  // namespace
}  // namespace lathe::runtime::rpc
