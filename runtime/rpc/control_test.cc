// What the two sides of a control connection do, case by case. control_simulation_test.cc has the
// orders of events that nobody thought of.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "runtime/json.h"
#include "runtime/rpc/control_client.h"
#include "runtime/rpc/crowd.h"
#include "runtime/rpc/supervisor.h"
#include "runtime/status.h"

namespace lathe::runtime::rpc {
namespace {

using Kind = Supervisor::Action::Kind;

std::string Nonce(size_t size) { return std::string(size, 'n'); }

Machine SomeMachine() {
  Machine machine;
  machine.little_endian = 1;
  machine.runtime = "one";
  return machine;
}

SupervisorOptions Insecure() {
  SupervisorOptions options;
  options.insecure = true;
  options.machine = SomeMachine();
  return options;
}

// A supervisor with a client whose messages arrive at once.
struct Pair {
  explicit Pair(SupervisorOptions options = Insecure(), ControlOptions control = {})
      : supervisor(std::move(options),
                   [this](size_t size) { return std::string(size, ++last_random); }) {
    control.machine = SomeMachine();
    client.emplace(control, Nonce, now);
    supervisor.OnConnect(kClient, {"client", false}, now);
    Exchange();
  }
  void Exchange() {
    for (bool more = true; more;) {
      supervisor.OnBytes(kClient, client->TakeOutput(), now);
      more = false;
      for (const Supervisor::Action& action : supervisor.TakeActions()) {
        actions.push_back(action);
        if (action.kind != Kind::kSend || action.connection != kClient) continue;
        client->OnBytes(action.bytes, now);
        more = true;
      }
    }
  }
  void AttachData() {
    supervisor.OnConnect(kData, {"data", false}, now);
    supervisor.OnBytes(kData, EncodeFrame(Attach{client->token()}, 1), now);
    Exchange();
  }
  template <class Message>
  void ClientSends(const Message& message) {
    supervisor.OnBytes(kClient, EncodeFrame(message), now);
    Exchange();
  }
  void WorkerEnds(uint64_t worker = 1) {
    supervisor.OnWorkerEnded(worker, {true, 9, ""}, now);
    Exchange();
  }
  std::string EndName() const { return std::string(StatusName(client->end())); }
  void Advance(double seconds) {
    for (const double end = now + seconds; now < end;) {
      now += 0.25;
      client->OnTick(now);
      supervisor.OnTick(now);
      Exchange();
    }
  }
  size_t Count(Kind kind) const {
    return static_cast<size_t>(std::count_if(actions.begin(), actions.end(),
                                             [&](const auto& one) { return one.kind == kind; }));
  }

  static constexpr uint64_t kClient = 1, kData = 2;
  char last_random = 0;
  double now = 0;
  Supervisor supervisor;
  std::optional<ControlClient> client;
  std::vector<Supervisor::Action> actions;
};

TEST(Control, StrangersMakeRoom) {
  Supervisor supervisor(Insecure(), [](size_t size) { return std::string(size, 'r'); });
  std::vector<uint64_t> closed;
  const auto act = [&] {
    std::string sent;
    for (const Supervisor::Action& action : supervisor.TakeActions()) {
      if (action.kind == Kind::kSend) sent = action.bytes;
      if (action.kind != Kind::kClose) continue;
      closed.push_back(action.connection);
      supervisor.OnClosed(action.connection, 0);
    }
    return sent;
  };
  uint64_t last = 0;
  while (last < 3 * kMostStrangers) {
    supervisor.OnConnect(++last, {"stranger", false}, 0);
    act();
  }
  // The oldest ones have gone, in order.
  ASSERT_EQ(closed.size(), last - kMostStrangers);
  EXPECT_TRUE(std::is_sorted(closed.begin(), closed.end()));
  EXPECT_EQ(closed.front(), 1u);

  ControlOptions options;
  options.machine = SomeMachine();
  ControlClient client(options, Nonce, 0);
  supervisor.OnConnect(++last, {"client", false}, 0);
  for (int i = 0; i < 3; ++i) {
    supervisor.OnBytes(last, client.TakeOutput(), 0);
    client.OnBytes(act(), 0);
  }
  EXPECT_EQ(client.state(), ControlClient::State::kOpen);
}

TEST(Control, AWorkerThatDoesNotAnswerIsKilled) {
  Pair pair;
  ASSERT_EQ(pair.client->state(), ControlClient::State::kOpen);
  // Nothing runs yet.
  pair.client->Cancel(1);
  pair.Exchange();
  EXPECT_EQ(pair.Count(Kind::kCancel), 0u);
  pair.AttachData();
  // One that answers lives on.
  pair.client->Cancel(2);
  pair.Exchange();
  EXPECT_EQ(pair.Count(Kind::kCancel), 1u);
  pair.Advance(1);
  pair.supervisor.OnCancelled(1, pair.now);
  pair.supervisor.OnCancelled(1, pair.now);  // an answer to nothing
  pair.Advance(5);
  EXPECT_EQ(pair.Count(Kind::kKill), 0u);
  EXPECT_EQ(pair.client->state(), ControlClient::State::kOpen);
  // One that answers the first of two only does not.
  pair.client->Cancel(3);
  pair.client->Cancel(4);
  pair.Exchange();
  pair.supervisor.OnCancelled(1, pair.now);
  pair.Advance(kAnswerSeconds - 0.5);
  EXPECT_EQ(pair.Count(Kind::kKill), 0u);
  pair.Advance(1);
  EXPECT_EQ(pair.Count(Kind::kKill), 1u);
  pair.WorkerEnds();
  EXPECT_EQ(pair.EndName(), "session-crashed");
  EXPECT_NE(pair.client->end().message().find("did not answer"), std::string::npos);
}

// The name of the reason with which the supervisor refuses connection `id`; "" if it does not.
std::string RefusalOf(Supervisor& supervisor, uint64_t id) {
  std::string name;
  for (const Supervisor::Action& action : supervisor.TakeActions()) {
    if (action.kind != Kind::kSend || action.connection != id) continue;
    FrameReader reader(kMostControlBytes);
    reader.Feed(action.bytes);
    Refused refused;
    if (DecodeFrame(**reader.Next(), &refused).ok())
      name = std::string(StatusName(FromFailure(refused.reason)));
  }
  return name;
}

// A session that was ended by a full disk leaves one to the next.
TEST(Control, ThePlaceIsFreeWhenTheFilesAreGone) {
  for (const bool cleaned : {true, false}) {
    Pair pair;
    ASSERT_EQ(pair.client->state(), ControlClient::State::kOpen);
    pair.AttachData();
    pair.supervisor.OnWorkerEnded(1, {.signalled = true, .code = 9, .cleaning = true}, pair.now);
    pair.Exchange();
    // The client hears at once.
    EXPECT_EQ(pair.EndName(), "session-crashed");
    pair.supervisor.OnClosed(Pair::kClient, pair.now);
    ControlOptions control;
    control.machine = SomeMachine();
    pair.client.emplace(control, Nonce, pair.now);
    pair.supervisor.OnConnect(Pair::kClient, {"client", false}, pair.now);
    pair.Exchange();
    EXPECT_EQ(pair.client->state(), ControlClient::State::kQueued);
    pair.Advance(kCleanSeconds - 1);
    pair.supervisor.OnCleaned(2, pair.now);  // the spare worker: nobody's place
    pair.Exchange();
    EXPECT_EQ(pair.client->state(), ControlClient::State::kQueued);
    // Files that do not go keep the place for a while only.
    if (!cleaned) pair.Advance(2);
    if (cleaned) pair.supervisor.OnCleaned(1, pair.now);
    pair.Exchange();
    EXPECT_EQ(pair.client->state(), ControlClient::State::kOpen);
    pair.supervisor.OnCleaned(1, pair.now);  // late
    EXPECT_EQ(pair.supervisor.sessions(), 1u);
  }
}

// A spare worker that ended unseen is no fault of the session that gets it.
TEST(Control, ASpareWorkerThatEndedIsReplaced) {
  Pair pair;
  pair.client->Close();
  pair.Exchange();
  pair.WorkerEnds(1);
  pair.supervisor.OnClosed(Pair::kClient, pair.now);
  ControlOptions control;
  control.machine = SomeMachine();
  pair.client.emplace(control, Nonce, pair.now);
  pair.supervisor.OnConnect(Pair::kClient, {"client", false}, pair.now);
  pair.Exchange();
  ASSERT_EQ(pair.client->state(), ControlClient::State::kOpen);
  const size_t before = pair.Count(Kind::kStartWorker);
  pair.WorkerEnds(2);  // the spare one
  EXPECT_EQ(pair.client->state(), ControlClient::State::kOpen);
  EXPECT_EQ(pair.Count(Kind::kStartWorker), before + 1);
  pair.AttachData();
  EXPECT_EQ(pair.Count(Kind::kPass), 1u);
  // The new one is the session's.
  pair.WorkerEnds(before + 1);
  EXPECT_EQ(pair.EndName(), "session-crashed");
}

TEST(Control, ItSaysHowItIs) {
  SupervisorOptions options = Insecure();
  options.key = "board";
  options.kill_seconds = 2;
  Pair pair(options);
  pair.AttachData();
  pair.now += 5;
  const auto summary = [&](ServerFacts facts = {}) {
    return *Json::Parse(pair.supervisor.Summary(facts, pair.now));
  };
  Json now = summary();
  EXPECT_EQ(now.Find("key")->string(), "board");
  EXPECT_EQ(now.Find("sessions")->items().size(), 1u);
  EXPECT_EQ(now.Find("sessions")->items()[0].Find("state")->string(), "open");
  EXPECT_EQ(now.Find("sessions")->items()[0].Find("from")->string(), "client");
  EXPECT_EQ(now.Find("sessions")->items()[0].Find("seconds")->number(), 5);
  EXPECT_EQ(now.Find("problems")->items().size(), 0u);
  // Another connection asks, while the session has the device.
  constexpr uint64_t kAsks = 7;
  pair.supervisor.OnConnect(kAsks, {"asks", false}, pair.now);
  const std::string hello = Greeting(std::nullopt, "", SomeMachine(), std::string(16, 'g')).Begin();
  pair.supervisor.OnBytes(kAsks, hello, pair.now);
  pair.supervisor.TakeActions();
  pair.supervisor.OnBytes(kAsks, EncodeFrame(AskSummary{}), pair.now);
  pair.Exchange();
  ASSERT_EQ(pair.Count(Kind::kAsked), 1u);
  pair.supervisor.Answer(kAsks, {}, pair.now);
  pair.supervisor.Answer(99, {}, pair.now);  // one that is gone
  pair.Exchange();
  FrameReader reader(kMostControlBytes);
  reader.Feed(pair.actions.back().bytes);
  rpc::Summary answer;
  ASSERT_TRUE(DecodeFrame(**reader.Next(), &answer).ok());
  EXPECT_EQ(answer.json, pair.supervisor.Summary({}, pair.now));
  EXPECT_EQ(pair.client->state(), ControlClient::State::kOpen);
  // A worker that cannot be killed.
  pair.client->Close();
  pair.Exchange();
  EXPECT_EQ(summary().Find("sessions")->items()[0].Find("state")->string(), "ending");
  pair.now += 3;
  now = summary();
  EXPECT_EQ(now.Find("stuck")->int_value(), 1);
  EXPECT_EQ(now.Find("problems")->items().size(), 1u);
  pair.WorkerEnds();
  now = summary({.tracker = "t:1", .registered = false});
  EXPECT_EQ(now.Find("sessions")->items().size(), 0u);
  EXPECT_EQ(now.Find("last_end")->Find("reason")->string(), "closed by its client");
  EXPECT_EQ(now.Find("crashes_ever")->int_value(), 0);
  EXPECT_EQ(now.Find("problems")->items().size(), 1u);  // no tracker
  EXPECT_EQ(summary({.tracker = "t:1", .registered = true}).Find("problems")->items().size(), 0u);
}

// With a secret, only those who have it hear how a server is.
TEST(Control, OnlyThoseWithTheSecretMayAsk) {
  SupervisorOptions options = Insecure();
  options.secret = Secret{5};
  Supervisor supervisor(options, Nonce);
  supervisor.OnConnect(1, {"asks", false}, 0);
  const std::string hello = Greeting(std::nullopt, "", SomeMachine(), std::string(16, 'g')).Begin();
  supervisor.OnBytes(1, hello, 0);
  supervisor.TakeActions();
  supervisor.OnBytes(1, EncodeFrame(AskSummary{}), 0);
  for (const Supervisor::Action& action : supervisor.TakeActions())
    EXPECT_NE(static_cast<int>(action.kind), static_cast<int>(Kind::kAsked));
}

TEST(Control, StrangersHaveTenSeconds) {
  Supervisor supervisor(Insecure(), [](size_t size) { return std::string(size, 'r'); });
  ControlOptions options;
  options.machine = SomeMachine();
  const std::string hello = ControlClient(options, Nonce, 0).TakeOutput();
  supervisor.OnConnect(1, {"silent", false}, 0);
  supervisor.OnConnect(2, {"slow", false}, 0);
  supervisor.OnConnect(3, {"undecided", false}, 0);
  supervisor.OnBytes(3, hello, 0);
  for (size_t at = 0; at < 40; ++at) {
    supervisor.OnBytes(2, hello.substr(at, 1), 0.25 * static_cast<double>(at));
    supervisor.OnTick(0.25 * static_cast<double>(at));
  }
  supervisor.TakeActions();
  supervisor.OnTick(kHandshakeSeconds + 0.1);
  const std::vector<Supervisor::Action> actions = supervisor.TakeActions();
  EXPECT_EQ(std::count_if(actions.begin(), actions.end(),
                          [](const auto& one) { return one.kind == Kind::kClose; }),
            3);
  EXPECT_EQ(supervisor.Wanted(1), 0u);
}

TEST(Control, ThereAreLimits) {
  SupervisorOptions options = Insecure();
  options.max_sessions = 1;
  Supervisor supervisor(options, [](size_t size) { return std::string(size, 'r'); });
  ControlOptions control;
  control.machine = SomeMachine();
  // All of them ask for a session, so none makes room.
  for (uint64_t id = 1; id <= kMostConnections; ++id) {
    ControlClient client(control, Nonce, 0);
    supervisor.OnConnect(id, {"client", false}, 0);
    supervisor.OnBytes(id, client.TakeOutput(), 0);
    supervisor.OnBytes(id, EncodeFrame(Open{}), 0);
    EXPECT_EQ(RefusalOf(supervisor, id), "");
  }
  EXPECT_EQ(supervisor.waiting(), kMostConnections - 1);
  supervisor.OnConnect(kMostConnections + 1, {"client", false}, 0);
  EXPECT_EQ(RefusalOf(supervisor, kMostConnections + 1), "rpc-refused");
}

TEST(Control, ASessionWithoutADataConnection) {
  Pair pair;
  pair.Advance(kAttachSeconds - 1);
  EXPECT_EQ(pair.Count(Kind::kKill), 0u);
  pair.Advance(2);
  EXPECT_EQ(pair.Count(Kind::kKill), 1u);
  pair.WorkerEnds();
  EXPECT_EQ(pair.EndName(), "rpc-timeout");
  EXPECT_EQ(pair.supervisor.sessions(), 0u);
}

TEST(Control, TokensAreForOneUse) {
  Pair pair;
  pair.AttachData();
  EXPECT_EQ(pair.Count(Kind::kPass), 1u);
  const size_t said = pair.actions.size();
  pair.supervisor.OnConnect(3, {"data", false}, pair.now);
  pair.supervisor.OnBytes(3, EncodeFrame(Attach{pair.client->token()}, 1), pair.now);
  EXPECT_EQ(RefusalOf(pair.supervisor, 3), "rpc-refused");
  // The one that was passed is none of the supervisor's connections any more.
  pair.Advance(2 * kHandshakeSeconds);
  EXPECT_TRUE(std::none_of(pair.actions.begin() + static_cast<std::ptrdiff_t>(said),
                           pair.actions.end(),
                           [](const auto& one) { return one.connection == Pair::kData; }));
  EXPECT_EQ(pair.client->state(), ControlClient::State::kOpen);

  Pair ended;
  ended.client->Close();
  ended.Exchange();
  ended.AttachData();
  EXPECT_EQ(ended.Count(Kind::kPass), 0u);
}

TEST(Control, ASessionEndsOnce) {
  Pair pair;
  pair.AttachData();
  pair.client->Close();
  pair.Exchange();
  pair.ClientSends(Close{});
  EXPECT_EQ(pair.Count(Kind::kKill), 1u);
  pair.WorkerEnds();
  EXPECT_EQ(pair.client->state(), ControlClient::State::kEnded);
  EXPECT_TRUE(pair.client->end().ok());

  // A link that breaks then changes nothing.
  Pair broken;
  broken.client->Close();
  broken.client->OnClosed();
  EXPECT_TRUE(broken.client->end().ok());

  Pair confused;
  confused.AttachData();
  confused.ClientSends(Open{});
  EXPECT_EQ(confused.EndName(), "rpc-unexpected");
  EXPECT_EQ(confused.Count(Kind::kKill), 1u);
}

TEST(Control, TheShorterTimeHolds) {
  const auto lasts = [](double server, double client) {
    SupervisorOptions options = Insecure();
    options.session_timeout = server;
    ControlOptions control;
    control.session_timeout = client;
    Pair pair(options, control);
    pair.AttachData();
    while (pair.Count(Kind::kKill) == 0 && pair.now < 30) pair.Advance(0.25);
    return pair.now;
  };
  EXPECT_EQ(lasts(4, 0), 4);
  EXPECT_EQ(lasts(0, 4), 4);
  EXPECT_EQ(lasts(4, 8), 4);
  EXPECT_EQ(lasts(8, 4), 4);
  EXPECT_GE(lasts(0, 0), 30);
}

TEST(Control, ASpareWorkerIsKept) {
  Pair pair;
  EXPECT_EQ(pair.Count(Kind::kStartWorker), 2u);  // the session's, and the next one's
  SupervisorOptions options = Insecure();
  options.spare = false;
  EXPECT_EQ(Pair(options).Count(Kind::kStartWorker), 1u);
}

TEST(Control, TheServerEnds) {
  Pair pair;
  pair.AttachData();
  pair.supervisor.Stop(pair.now);
  pair.Exchange();
  EXPECT_EQ(pair.EndName(), "rpc-refused");
  EXPECT_EQ(pair.Count(Kind::kKill), 2u);  // the session's worker, and the spare one
  pair.supervisor.OnConnect(3, {"client", false}, pair.now);
  EXPECT_EQ(RefusalOf(pair.supervisor, 3), "rpc-refused");
}

// What servers say that do not follow the protocol.
TEST(Control, AConfusedServer) {
  const auto end = [](const std::string& bytes) {
    Pair pair;
    pair.client->OnBytes(bytes, pair.now);
    return pair.EndName();
  };
  EXPECT_EQ(end(EncodeFrame(Heartbeat{1})), "");
  EXPECT_EQ(end(EncodeFrame(Refused{})), "rpc-unexpected");
  EXPECT_EQ(end(EncodeFrame(Opened{2, "t", 1})), "rpc-unexpected");
  EXPECT_EQ(end(EncodeFrame(Queued{1})), "rpc-unexpected");
  EXPECT_EQ(end(EncodeFrame(Ended{})), "session-closed");
  EXPECT_EQ(end(EncodeFrame(Open{})), "rpc-unexpected");
  ControlClient early({}, Nonce, 0);
  early.OnBytes(EncodeFrame(Opened{1, "t", 1}), 0);
  EXPECT_EQ(StatusName(early.end()), "rpc-unexpected");
}

TEST(Control, HeartbeatsOfAnyInterval) {
  const auto client = [](double interval) {
    ControlOptions options;
    options.machine = SomeMachine();
    ControlClient client(options, Nonce, 0);
    Welcome welcome;
    welcome.version = kNewestVersion;
    welcome.nonce = std::string(16, 's');
    welcome.machine = SomeMachine();
    client.OnBytes(EncodeFrame(welcome) + EncodeFrame(Opened{1, "t", interval}), 0);
    client.TakeOutput();
    return client;
  };
  ControlClient fast = client(1e-9);
  fast.OnTick(0.01);
  EXPECT_EQ(fast.TakeOutput(), "");
  fast.OnTick(0.2);
  EXPECT_NE(fast.TakeOutput(), "");
  // A server that falls silent is lost, whatever it has asked for.
  for (const double interval : {1e-9, 2.0, 1e300, std::numeric_limits<double>::infinity()}) {
    ControlClient one = client(interval);
    one.OnTick(5);
    EXPECT_TRUE(one.end().ok());
    one.OnTick(200);
    EXPECT_EQ(StatusName(one.end()), "link-lost") << interval;
  }
}

}  // namespace
}  // namespace lathe::runtime::rpc
