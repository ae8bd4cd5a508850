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

// What both have said before they prove the secret; `nonce`: the server's.
std::string Said(char nonce = 's') {
  Welcome welcome = SomeWelcome(true);
  welcome.nonce = std::string(16, nonce);
  return Transcript(FrameOf(SomeHello()).body, FrameOf(welcome).body);
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
  EXPECT_EQ(answer(ClientProof(secret, Said())), "");
  EXPECT_EQ(answer(ClientProof(SecretOf(2), Said())), "rpc-secret");
  EXPECT_EQ(answer(ServerProof(secret, Said())), "rpc-secret");
  EXPECT_EQ(answer(ClientProof(secret, Said('e'))), "rpc-secret");
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
  EXPECT_EQ(answer(ServerProof(secret, Said())), "");
  EXPECT_EQ(answer(ServerProof(SecretOf(2), Said())), "rpc-secret");
  EXPECT_EQ(answer(ClientProof(secret, Said())), "rpc-secret");
  EXPECT_EQ(answer(ServerProof(secret, Said('e'))), "rpc-secret");
  EXPECT_EQ(answer(""), "rpc-secret");
  // One that says who it is before it is asked, or twice.
  Greeting greeting(secret, "", SomeMachine(), kClientNonce);
  const Frame proof = FrameOf(Authenticated{ServerProof(secret, Said())});
  EXPECT_EQ(StatusName(greeting.OnFrame(proof).status()), "rpc-unexpected");
  EXPECT_TRUE(greeting.OnFrame(FrameOf(SomeWelcome(true))).ok());
  EXPECT_TRUE(greeting.OnFrame(proof).ok());
  EXPECT_EQ(StatusName(greeting.OnFrame(proof).status()), "rpc-unexpected");
}

// Somebody between the two changes a message before the proofs: whichever bit it is, they do not
// come together, or the connection is not taken for one with a secret.
TEST(Greeting, NoBitCanBeChangedOnTheWay) {
  const DoorOptions options = SomeDoor(SecretOf(1));
  const auto meet = [&](bool hello_is_changed, size_t at, int bit) {
    Door door(options, {"client", true}, kServerNonce);
    Greeting greeting(SecretOf(1), "", SomeMachine(), kClientNonce);
    const auto change = [&](std::string bytes, bool this_one) {
      Frame frame = FrameOf(bytes);
      if (this_one && at < frame.body.size())
        frame.body[at] = static_cast<char>(frame.body[at] ^ 1 << bit);
      return frame;
    };
    std::string bytes = greeting.Begin();
    for (bool first = true; !bytes.empty(); first = false) {
      const auto answer = door.OnFrame(change(bytes, first && hello_is_changed));
      if (!answer.ok()) return false;
      const auto next = greeting.OnFrame(change(*answer, first && !hello_is_changed));
      if (!next.ok()) return false;
      bytes = *next;
    }
    EXPECT_EQ(door.key(), greeting.key());
    return door.open() && greeting.done();
  };
  const size_t hello = FrameOf(SomeHello()).body.size();
  const size_t welcome = FrameOf(SomeWelcome(true)).body.size();
  EXPECT_TRUE(meet(true, hello, 0));
  EXPECT_TRUE(meet(false, welcome, 0));
  for (int bit = 0; bit < 8; ++bit) {
    for (size_t at = 0; at < hello; ++at) EXPECT_FALSE(meet(true, at, bit)) << at << ", " << bit;
    for (size_t at = 0; at < welcome; ++at) EXPECT_FALSE(meet(false, at, bit)) << at << ", " << bit;
  }
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
