// Who gets in, and which servers a client trusts.
#include "runtime/rpc/greeting.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "runtime/status.h"

namespace lathe::runtime::rpc {
namespace {

const std::string kClientNonce(16, 'c'), kServerNonce(16, 's');

Machine SomeMachine() {
  Machine machine;
  machine.little_endian = 1;
  return machine;
}

Secret SecretOf(uint8_t first) {
  Secret secret{};
  secret[0] = first;
  return secret;
}

DoorOptions SomeDoor(std::optional<Secret> secret) {
  DoorOptions options;
  options.secret = secret;
  options.machine = SomeMachine();
  return options;
}

Frame FrameOf(const std::string& bytes) {
  FrameReader reader(kMostControlBytes);
  reader.Feed(bytes);
  return **reader.Next();
}

template <class Message>
Frame FrameOf(const Message& message) {
  return FrameOf(EncodeFrame(message));
}

Hello SomeHello() {
  Hello hello;
  hello.least = kOldestVersion;
  hello.most = kNewestVersion;
  hello.nonce = kClientNonce;
  hello.machine = SomeMachine();
  return hello;
}

Welcome SomeWelcome(bool secret) {
  Welcome welcome;
  welcome.version = kNewestVersion;
  welcome.nonce = kServerNonce;
  welcome.machine = SomeMachine();
  welcome.secret = secret ? 1 : 0;
  return welcome;
}

// Why the two do not come together; "" if they do. Whoever sees the problem first says it.
std::string Meet(std::optional<Secret> server, std::optional<Secret> client) {
  const DoorOptions options = SomeDoor(server);
  Door door(options, {"client", true}, kServerNonce);
  Greeting greeting(client, "", SomeMachine(), kClientNonce);
  for (std::string bytes = greeting.Begin(); !bytes.empty();) {
    const absl::StatusOr<std::string> answer = door.OnFrame(FrameOf(bytes));
    if (!answer.ok()) return "server: " + std::string(StatusName(answer.status()));
    const absl::StatusOr<std::string> next = greeting.OnFrame(FrameOf(*answer));
    if (!next.ok()) return "client: " + std::string(StatusName(next.status()));
    bytes = *next;
  }
  EXPECT_TRUE(door.open());
  EXPECT_TRUE(greeting.done());
  return "";
}

TEST(Greeting, BothHaveTheSecretOrNeither) {
  EXPECT_EQ(Meet(std::nullopt, std::nullopt), "");
  EXPECT_EQ(Meet(SecretOf(1), SecretOf(1)), "");
  EXPECT_EQ(Meet(SecretOf(1), SecretOf(2)), "server: rpc-secret");
  EXPECT_EQ(Meet(SecretOf(1), std::nullopt), "client: rpc-secret");
  EXPECT_EQ(Meet(std::nullopt, SecretOf(1)), "client: rpc-secret");
}

TEST(Greeting, WithoutASecretOnlyThisUser) {
  const auto answer = [](bool same_user, bool insecure) {
    DoorOptions options = SomeDoor(std::nullopt);
    options.insecure = insecure;
    Door door(options, {"stranger", same_user}, kServerNonce);
    const absl::Status status = door.OnFrame(FrameOf(SomeHello())).status();
    EXPECT_EQ(door.open(), status.ok());
    return std::string(StatusName(status));
  };
  EXPECT_EQ(answer(false, false), "rpc-secret");
  EXPECT_EQ(answer(true, false), "");
  EXPECT_EQ(answer(false, true), "");
}

// Proofs that are no proof: wrong, of the other side, of an earlier connection, and none.
TEST(Greeting, ClientsWithoutAProof) {
  const DoorOptions options = SomeDoor(SecretOf(1));
  const auto answer = [&](const std::string& proof) {
    Door door(options, {"stranger", true}, kServerNonce);
    EXPECT_TRUE(door.OnFrame(FrameOf(SomeHello())).ok());
    EXPECT_FALSE(door.open());
    const absl::Status status = door.OnFrame(FrameOf(Authenticate{proof})).status();
    EXPECT_EQ(door.open(), status.ok());
    return std::string(StatusName(status));
  };
  const Secret secret = SecretOf(1);
  EXPECT_EQ(answer(ClientProof(secret, kClientNonce, kServerNonce)), "");
  EXPECT_EQ(answer(ClientProof(SecretOf(2), kClientNonce, kServerNonce)), "rpc-secret");
  EXPECT_EQ(answer(ServerProof(secret, kClientNonce, kServerNonce)), "rpc-secret");
  EXPECT_EQ(answer(ClientProof(secret, kClientNonce, std::string(16, 'e'))), "rpc-secret");
  EXPECT_EQ(answer(""), "rpc-secret");
  Door door(options, {"stranger", true}, kServerNonce);
  EXPECT_EQ(StatusName(door.OnFrame(FrameOf(Authenticate{"?"})).status()), "rpc-unexpected");
  Hello hello = SomeHello();
  hello.nonce.pop_back();
  EXPECT_EQ(StatusName(door.OnFrame(FrameOf(hello)).status()), "rpc-malformed");
  EXPECT_FALSE(door.open());
}

TEST(Greeting, ServersWithoutAProof) {
  const Secret secret = SecretOf(1);
  const auto answer = [&](const std::string& proof) {
    Greeting greeting(secret, "", SomeMachine(), kClientNonce);
    EXPECT_TRUE(greeting.OnFrame(FrameOf(SomeWelcome(true))).ok());
    EXPECT_FALSE(greeting.done());
    const absl::Status status = greeting.OnFrame(FrameOf(Authenticated{proof})).status();
    EXPECT_EQ(greeting.done(), status.ok());
    return std::string(StatusName(status));
  };
  EXPECT_EQ(answer(ServerProof(secret, kClientNonce, kServerNonce)), "");
  EXPECT_EQ(answer(ServerProof(SecretOf(2), kClientNonce, kServerNonce)), "rpc-secret");
  EXPECT_EQ(answer(ClientProof(secret, kClientNonce, kServerNonce)), "rpc-secret");
  EXPECT_EQ(answer(ServerProof(secret, std::string(16, 'e'), kServerNonce)), "rpc-secret");
  EXPECT_EQ(answer(""), "rpc-secret");
  // One that says who it is before it is asked, or twice.
  Greeting greeting(secret, "", SomeMachine(), kClientNonce);
  const Frame proof = FrameOf(Authenticated{ServerProof(secret, kClientNonce, kServerNonce)});
  EXPECT_EQ(StatusName(greeting.OnFrame(proof).status()), "rpc-unexpected");
  EXPECT_TRUE(greeting.OnFrame(FrameOf(SomeWelcome(true))).ok());
  EXPECT_TRUE(greeting.OnFrame(proof).ok());
  EXPECT_EQ(StatusName(greeting.OnFrame(proof).status()), "rpc-unexpected");
}

TEST(Greeting, AServerThatChoosesAnotherVersion) {
  const auto answer = [](uint64_t version, size_t nonce) {
    Machine own = SomeMachine();
    own.runtime = "one";
    Greeting greeting(std::nullopt, "", own, kClientNonce);
    Welcome welcome = SomeWelcome(false);
    welcome.version = version;
    welcome.nonce = std::string(nonce, 's');
    welcome.machine.runtime = "two";
    return greeting.OnFrame(FrameOf(welcome)).status();
  };
  EXPECT_TRUE(answer(kNewestVersion, 16).ok());
  const absl::Status newer = answer(kNewestVersion + 1, 16);
  EXPECT_EQ(StatusName(newer), "rpc-version");
  EXPECT_NE(newer.message().find("client one, server two"), std::string::npos) << newer;
  EXPECT_EQ(StatusName(answer(0, 16)), "rpc-version");
  EXPECT_EQ(StatusName(answer(kNewestVersion, 15)), "rpc-malformed");
}

}  // namespace
}  // namespace lathe::runtime::rpc
