// What a proxy does, case by case.
#include "runtime/rpc/proxy.h"
#include "runtime/json.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "runtime/rpc/supervisor.h"
#include "runtime/status.h"

namespace lathe::runtime::rpc {
namespace {

using Kind = Proxy::Action::Kind;

Machine SomeMachine() {
  Machine machine;
  machine.little_endian = 1;
  return machine;
}

DoorOptions Insecure() {
  DoorOptions door;
  door.insecure = true;
  return door;
}

// A proxy and what it sends; messages to it arrive at once.
struct Rig {
  explicit Rig(DoorOptions door = Insecure())
      // Each token is less than those before.
      : proxy(std::move(door), [this](size_t size) { return std::string(size, --last_random); }) {}

  void Act() {
    for (const Proxy::Action& action : proxy.TakeActions()) {
      if (action.kind == Kind::kSend) readers.at(action.connection).Feed(action.bytes);
      if (action.kind == Kind::kClose) closed.insert(action.connection);
      if (action.kind == Kind::kJoin) joined.push_back(action);
      if (action.kind == Kind::kAsked) asked.push_back(action.connection);
    }
  }
  uint64_t Connect() {
    readers.emplace(++last_connection, FrameReader(kMostControlBytes));
    proxy.OnConnect(last_connection, {"10.0.0.1:5", false}, now);
    Act();
    return last_connection;
  }
  template <class Message>
  void Say(uint64_t id, const Message& message) {
    proxy.OnBytes(id, EncodeFrame(message), now);
    Act();
  }
  // A connection that has greeted.
  uint64_t Guest() {
    const uint64_t id = Connect();
    proxy.OnBytes(id, Greeting(std::nullopt, "", SomeMachine(), std::string(16, 'g')).Begin(), now);
    Act();
    EXPECT_TRUE(Hears<Welcome>(id).has_value());
    return id;
  }
  uint64_t Device(const std::string& key, char number, uint64_t sessions = 1) {
    const uint64_t id = Guest();
    Say(id, Offer{key, std::string(16, number), sessions});
    return id;
  }
  uint64_t Client(const std::string& key) {
    const uint64_t id = Guest();
    Say(id, Reach{key, {}});
    return id;
  }
  // The next message that was sent to `id`, if it is such a one.
  template <class Message>
  std::optional<Message> Hears(uint64_t id) {
    const auto frame = *readers.at(id).Next();
    Message message;
    if (!frame || frame->type != Message::kType || !DecodeFrame(*frame, &message).ok())
      return std::nullopt;
    return message;
  }
  // The place that a client was told last; 0: it was told none since.
  uint64_t Place(uint64_t client) {
    uint64_t place = 0;
    while (const std::optional<Queued> queued = Hears<Queued>(client)) place = queued->place;
    return place;
  }
  // Answers the next visitor that the device is told of. The new connection.
  uint64_t AnswerNext(uint64_t device) {
    const std::optional<Visitor> visitor = Hears<Visitor>(device);
    EXPECT_TRUE(visitor.has_value());
    const uint64_t id = Connect();
    if (visitor) Say(id, Answer{visitor->token});
    return id;
  }
  void Close(uint64_t id) {
    proxy.OnClosed(id, now);
    Act();
  }

  char last_random = 'z';
  double now = 0;
  Proxy proxy;
  uint64_t last_connection = 0;
  std::map<uint64_t, FrameReader> readers;
  std::set<uint64_t> closed;
  std::vector<Proxy::Action> joined;
  std::vector<uint64_t> asked;
};

// Clients whose device goes while they are on their way to it come before those that asked later,
// and among themselves in the order in which they asked.
TEST(Proxy, ItSaysHowItIs) {
  Rig rig;
  const uint64_t device = rig.Device("android", 'a');
  rig.Device("android", 'b');
  const uint64_t client = rig.Client("android");
  rig.AnswerNext(device);
  rig.Say(client, Hello{});  // to the device: from here on they are joined
  rig.Client("other");
  rig.now += 4;
  const uint64_t asks = rig.Guest();
  rig.Say(asks, AskSummary{});
  ASSERT_EQ(rig.asked, std::vector<uint64_t>{asks});
  rig.proxy.TellSummary(asks, {.uptime = 9, .bytes = 77}, rig.now);
  rig.proxy.TellSummary(client, {}, rig.now);  // it did not ask
  rig.Act();
  const std::optional<Summary> told = rig.Hears<Summary>(asks);
  ASSERT_TRUE(told.has_value());
  const Json summary = *Json::Parse(told->json);
  ASSERT_EQ(summary.Find("devices")->items().size(), 1u);
  EXPECT_EQ(summary.Find("devices")->items()[0].Find("waiting")->int_value(), 1);
  EXPECT_EQ(summary.Find("devices")->items()[0].Find("paired")->int_value(), 1);
  EXPECT_EQ(summary.Find("clients")->int_value(), 1);
  ASSERT_EQ(summary.Find("waiting")->items().size(), 1u);
  EXPECT_EQ(summary.Find("waiting")->items()[0].Find("key")->string(), "other");
  EXPECT_EQ(summary.Find("waiting")->items()[0].Find("seconds")->number(), 4);
  EXPECT_EQ(summary.Find("bytes")->int_value(), 77);
}

TEST(Proxy, ClientsKeepTheirPlacesWhenADeviceGoes) {
  Rig rig;
  const uint64_t device = rig.Device("board", 'd', 3);
  std::vector<uint64_t> clients;
  for (int i = 0; i < 4; ++i) clients.push_back(rig.Client("board"));
  EXPECT_EQ(rig.proxy.waiting(), 1u);
  rig.Close(device);
  ASSERT_EQ(rig.proxy.waiting(), 4u);
  for (size_t i = 0; i < 4; ++i) {
    for (size_t other = i; other < 4; ++other)
      EXPECT_EQ(rig.Place(clients[other]), other - i + 1) << other;
    // The device comes again, each time another one.
    rig.AnswerNext(rig.Device("board", static_cast<char>('e' + i)));
    EXPECT_TRUE(rig.Hears<Reached>(clients[i]).has_value()) << i;
  }
}

// Whoever sends what is no key hears so, and does not get it back.
TEST(Proxy, KeysAndNumbersAreChecked) {
  Rig rig;
  const std::string large(60000, 'k'), number(16, 'd');
  const auto refusal = [&](uint64_t id) {
    const std::optional<Refused> refused = rig.Hears<Refused>(id);
    EXPECT_TRUE(refused.has_value() && rig.closed.count(id) != 0);
    EXPECT_LT(refused.value_or(Refused{}).reason.text.size(), 400u);
    return refused ? std::string(StatusName(FromFailure(refused->reason))) : std::string();
  };
  const auto says = [&](const auto& message) {
    const uint64_t id = rig.Guest();
    rig.Say(id, message);
    return refusal(id);
  };
  for (const std::string& key : {large, std::string("a key"), std::string("\"")}) {
    EXPECT_EQ(says(Offer{key, number, 1}), "rpc-key");
    EXPECT_EQ(says(Reach{key, {}}), "rpc-key");
    const uint64_t id = rig.Connect();
    rig.proxy.OnBytes(id, Greeting(std::nullopt, key, SomeMachine(), std::string(16, 'g')).Begin(),
                      rig.now);
    rig.Act();
    EXPECT_EQ(refusal(id), "rpc-key");
  }
  EXPECT_EQ(says(Offer{"board", "short", 1}), "rpc-malformed");
  EXPECT_EQ(says(Offer{"board", number, 0}), "rpc-malformed");
  EXPECT_EQ(says(Reach{"board", large}), "rpc-malformed");
  EXPECT_EQ(rig.proxy.waiting(), 0u);
  EXPECT_EQ(rig.proxy.devices(), 0u);
}

// A device that does not answer its visitor, and a stranger that says nothing.
TEST(Proxy, EverybodyIsToldWhatCameTooLate) {
  Rig rig;
  const uint64_t device = rig.Device("board", 'd', 2);
  const auto refusal = [&](uint64_t id) {
    const std::optional<Refused> refused = rig.Hears<Refused>(id);
    return refused ? refused->reason.text : std::string("nothing");
  };
  const auto advance = [&](double seconds) {
    for (const double end = rig.now + seconds; rig.now < end; rig.now += 0.5) {
      rig.Say(device, Heartbeat{1});
      rig.proxy.OnTick(rig.now);
      rig.Act();
    }
  };
  const uint64_t visits = rig.Client("board");
  advance(6);
  EXPECT_EQ(refusal(visits),
            "[rpc-unreachable] the device did not answer the proxy within 5 seconds");
  const uint64_t silent = rig.Client("board");
  EXPECT_EQ(rig.proxy.visits(), 1u);
  EXPECT_EQ(rig.proxy.waiting(), 0u);
  rig.Close(silent);
  EXPECT_EQ(rig.proxy.visits(), 0u);
  const uint64_t stranger = rig.Connect();
  advance(11);
  EXPECT_EQ(refusal(stranger), "[rpc-timeout] nothing was asked for within 10 seconds");
}

}  // namespace
}  // namespace lathe::runtime::rpc
