#include "runtime/rpc/secret.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <string>

#include "base/file.h"
#include "runtime/status.h"

namespace lathe::runtime::rpc {
namespace {

std::string PathOf(const char* name) { return testing::TempDir() + "/" + name; }

TEST(Secret, HmacOfTheStandard) {
  // RFC 4231, test case 2, with its key padded by zeros to 32 bytes: HMAC's own padding.
  Secret key{};
  key[0] = 'J', key[1] = 'e', key[2] = 'f', key[3] = 'e';
  const std::string mac = Hmac(key, "what do ya want for nothing?");
  EXPECT_EQ(mac.substr(0, 4), "\x5b\xdc\xc1\x46");
  EXPECT_EQ(mac.substr(28), "\x64\xec\x38\x43");
}

TEST(Secret, ProofsAreOfOneSide) {
  Secret secret{}, other{};
  other[31] = 1;
  const std::string proof = ClientProof(secret, "a", "b");
  EXPECT_EQ(proof.size(), 32u);
  EXPECT_TRUE(SameText(proof, ClientProof(secret, "a", "b")));
  EXPECT_FALSE(SameText(proof, ServerProof(secret, "a", "b")));
  EXPECT_FALSE(SameText(proof, ClientProof(other, "a", "b")));
  EXPECT_FALSE(SameText(proof, ClientProof(secret, "b", "a")));
  EXPECT_FALSE(SameText(proof, ""));
}

TEST(Secret, FilesForOneUser) {
  const std::string path = PathOf("secret");
  ASSERT_TRUE(WriteNewSecret(path).ok());
  const Secret secret = *ReadSecret(path);
  EXPECT_EQ(secret, *ReadSecret(path));
  EXPECT_EQ(StatusName(WriteNewSecret(path)), "rpc-secret-file");  // not replaced
  EXPECT_EQ(secret, *ReadSecret(path));
  setenv("LATHE_REMOTE_SECRET_FILE", path.c_str(), 1);
  EXPECT_EQ(**SecretOfEnvironment(), secret);
  unsetenv("LATHE_REMOTE_SECRET_FILE");
  EXPECT_FALSE(SecretOfEnvironment()->has_value());
  ASSERT_EQ(chmod(path.c_str(), 0640), 0);
  EXPECT_EQ(StatusName(ReadSecret(path).status()), "rpc-secret-file");
  EXPECT_EQ(StatusName(ReadSecret(PathOf("missing")).status()), "rpc-secret-file");
  ASSERT_TRUE(WriteFile(PathOf("text"), "hunter2\n", 0600).ok());
  EXPECT_EQ(StatusName(ReadSecret(PathOf("text")).status()), "rpc-secret-file");
  const std::string fifo = PathOf("fifo");
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  EXPECT_EQ(StatusName(ReadSecret(fifo).status()), "rpc-secret-file");
}

TEST(Secret, RandomBytesDiffer) {
  EXPECT_EQ(RandomBytes(16).size(), 16u);
  EXPECT_NE(RandomBytes(16), RandomBytes(16));
}

}  // namespace
}  // namespace lathe::runtime::rpc
