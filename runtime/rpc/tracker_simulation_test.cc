// A tracker, servers and clients in one process, without sockets and clocks: random delays, lost
// connections, servers that are restarted, a tracker that is restarted, clients that vanish, from a
// seed. No device may have two sessions, no lease may be used twice, none may be lost for ever.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "runtime/json.h"
#include "runtime/rpc/control_client.h"
#include "runtime/rpc/crowd.h"
#include "runtime/rpc/simulation.h"
#include "runtime/rpc/supervisor.h"
#include "runtime/rpc/tracker.h"
#include "runtime/rpc/tracker_link.h"
#include "runtime/status.h"

namespace lathe::runtime::rpc {
namespace {

struct SimulatedServer {
  std::unique_ptr<Supervisor> supervisor;
  std::unique_ptr<TrackerLink> link;
  uint64_t connection = 0;  // at the tracker; 0: none
  std::string to_tracker, to_server;
  double next_attempt = 0;
  std::map<uint64_t, bool> workers;  // killed?
  std::string key;
  uint64_t port = 0;
};

struct SimulatedClient {
  enum class Phase { kGreets, kAsks, kWaits, kConnects, kUses, kDone };
  Phase phase = Phase::kGreets;
  std::optional<Greeting> greeting;
  FrameReader reader{kMostControlBytes};
  uint64_t connection = 0;  // at the tracker
  std::string to_tracker, to_client, to_server;
  Granted granted;
  SimulatedServer* server = nullptr;
  std::unique_ptr<ControlClient> control;
  uint64_t session_connection = 0;
  std::string from_server;
  double until = 0, beat = 0, retry = 0;
  std::string key;
};

class Simulation : SimulationBase {
 public:
  explicit Simulation(uint64_t seed) : SimulationBase(seed) {
    NewTracker();
    const size_t count = 1 + random_() % 3;
    for (size_t i = 0; i < count; ++i) {
      servers_.push_back(std::make_unique<SimulatedServer>());
      servers_.back()->key = Chance(70) ? "board" : "phone";
      servers_.back()->port = 9000 + i;
      NewServer(*servers_.back());
    }
  }

  std::string Run() {
    const int steps = 100 + static_cast<int>(random_() % 800);
    for (int step = 0; step < steps && problem_.empty(); ++step) {
      now_ += Chance(15) ? Uniform(0, 2) : Uniform(0, 0.1);
      if (Chance(5) && clients_.size() < 10) AddClient();
      if (Chance(1) && Chance(30)) RestartTracker();
      for (auto& server : servers_) {
        if (Chance(1) && Chance(40)) Restart(*server);
        if (Chance(1)) Disconnect(*server);
      }
      Step();
    }
    // Quiet: no faults, and all that use a device leave. Every device must be free again.
    for (auto& client : clients_) client->until = now_;
    for (int step = 0; step < 400 && problem_.empty(); ++step) {
      now_ += 0.1;
      Step(/*quiet=*/true);
    }
    for (const auto& server : servers_) {
      if (server->supervisor->sessions() != 0) Fail("a session stays");
      if (server->connection == 0) Fail("a server is not registered");
    }
    const std::string summary = tracker_->Summary(now_);
    if (std::count(summary.begin(), summary.end(), '"') == 0) Fail("no summary");
    for (size_t at = 0; (at = summary.find("\"lease\":", at)) != std::string::npos; ++at) {
      const size_t digit = summary.find_first_of("0123456789", at);
      if (summary[digit] != '0') Fail("a device is lent to nobody: " + summary);
    }
    for (const auto& client : clients_) {
      const bool served = client->phase == SimulatedClient::Phase::kDone;
      const bool hopeless = std::none_of(servers_.begin(), servers_.end(),
                                         [&](const auto& one) { return one->key == client->key; });
      if (!served && !hopeless) Fail("a client waits for ever");
    }
    return problem_;
  }

 private:
  using Phase = SimulatedClient::Phase;

  void NewTracker() {
    DoorOptions door;
    door.insecure = true;
    // By the clock, as on a machine: above those of the one before.
    tracker_ = std::make_unique<Tracker>(door, Nonce, ++trackers_ << 20);
  }
  void RestartTracker() {
    NewTracker();
    for (auto& server : servers_) server->connection = 0;
    for (auto& client : clients_) {
      if (client->phase < Phase::kConnects) StartAsking(*client);
    }
  }

  void NewServer(SimulatedServer& server) {
    SupervisorOptions options;
    options.insecure = true;
    options.leased = true;
    options.spare = false;
    options.key = server.key;
    options.machine = SomeMachine();
    server.supervisor = std::make_unique<Supervisor>(options, Nonce);
    server.workers.clear();
  }
  // A crash: its sessions and workers end with it.
  void Restart(SimulatedServer& server) {
    Disconnect(server);
    for (auto& client : clients_) {
      if (client->server == &server) Leave(*client);
    }
    using_[&server].clear();
    NewServer(server);
  }
  void Disconnect(SimulatedServer& server) {
    if (server.connection == 0) return;
    // The tracker may hear of it, or only miss it.
    if (Chance(50)) tracker_->OnClosed(server.connection, now_);
    server.connection = 0;
    server.link.reset();
    server.next_attempt = now_ + Uniform(0, 3);
  }

  void AddClient() {
    clients_.push_back(std::make_unique<SimulatedClient>());
    SimulatedClient& client = *clients_.back();
    client.key = Chance(70) ? "board" : "phone";
    StartAsking(client);
  }
  void StartAsking(SimulatedClient& client) {
    client.greeting.emplace(std::nullopt, "", SomeMachine(), Nonce(16));
    client.reader = FrameReader(kMostControlBytes);
    client.to_tracker = client.greeting->Begin();
    client.to_client.clear();
    client.connection = ++last_connection_;
    client.phase = Phase::kGreets;
    tracker_->OnConnect(client.connection, {"10.0.0.1:5", false}, now_);
  }
  // It got what it wanted, or will not.
  void Leave(SimulatedClient& client) {
    if (client.server != nullptr && client.session_connection != 0) {
      using_[client.server].erase(&client);
      client.server->supervisor->OnClosed(client.session_connection, now_);
    }
    client.session_connection = 0;
    client.phase = Phase::kDone;
  }

  void Step(bool quiet = false) {
    for (auto& server : servers_) StepServer(*server, quiet);
    for (auto& client : clients_) StepClient(*client, quiet);
    tracker_->OnTick(now_);
    ActTracker();
    for (auto& server : servers_) ActServer(*server);
    for (const auto& [server, users] : using_) {
      if (users.size() > 1) Fail("a device has two sessions");
    }
  }

  void StepServer(SimulatedServer& server, bool quiet) {
    if (server.connection == 0 && now_ >= server.next_attempt) {
      server.next_attempt = now_ + 2;
      server.connection = ++last_connection_;
      Register device{server.key, server.port, {}, server.supervisor->lease()};
      server.link = std::make_unique<TrackerLink>(
          Greeting(std::nullopt, "", SomeMachine(), Nonce(16)), device, now_);
      server.to_tracker.clear();
      server.to_server.clear();
      tracker_->OnConnect(server.connection, {"10.0.0.2:7", false}, now_);
    }
    if (server.link != nullptr) {
      server.link->OnTick(now_);
      server.to_tracker += server.link->TakeOutput();
      Move(&server.to_tracker, quiet,
           [&](std::string_view bytes) { tracker_->OnBytes(server.connection, bytes, now_); });
      ActTracker();
    }
    if (server.link != nullptr) {
      Move(&server.to_server, quiet,
           [&](std::string_view bytes) { server.link->OnBytes(bytes, now_); });
      for (const uint64_t lease : server.link->TakeLeases()) {
        if (!leases_.insert(lease).second) Fail("a lease is given twice");
        server.supervisor->OnLease(lease, now_);
      }
      if (!server.link->end().ok()) {
        server.link.reset();
        server.connection = 0;
      }
    }
    server.supervisor->OnTick(now_);
    ActServer(server);
    for (auto at = server.workers.begin(); at != server.workers.end();) {
      if (!at->second || !(quiet || Chance(60))) {
        ++at;
        continue;
      }
      const uint64_t worker = at->first;
      at = server.workers.erase(at);
      server.supervisor->OnWorkerEnded(worker, {true, 9, ""}, now_);
    }
    ActServer(server);
  }

  void StepClient(SimulatedClient& client, bool quiet) {
    if (client.phase == Phase::kDone) return;
    if (client.phase < Phase::kConnects) {
      if (client.phase == Phase::kWaits && now_ - client.beat > 2) {
        client.beat = now_;
        client.to_tracker += EncodeFrame(Heartbeat{1});
      }
      Move(&client.to_tracker, quiet,
           [&](std::string_view bytes) { tracker_->OnBytes(client.connection, bytes, now_); });
      ActTracker();
      Move(&client.to_client, quiet, [&](std::string_view bytes) { Hear(client, bytes); });
      return;
    }
    if (client.phase == Phase::kConnects && client.control == nullptr && now_ >= client.retry)
      OpenSession(client);
    if (client.control == nullptr) return;
    client.control->OnTick(now_);
    client.to_server += client.control->TakeOutput();
    Move(&client.to_server, quiet, [&](std::string_view bytes) {
      client.server->supervisor->OnBytes(client.session_connection, bytes, now_);
    });
    ActServer(*client.server);
    Move(&client.from_server, quiet,
         [&](std::string_view bytes) { client.control->OnBytes(bytes, now_); });
    const ControlClient::State state = client.control->state();
    if (state == ControlClient::State::kOpen && client.phase == Phase::kConnects) {
      client.phase = Phase::kUses;
      client.until = quiet ? now_ : now_ + Uniform(0, 9);  // some never attach, or stay silent
      using_[client.server].insert(&client);
      if (client.granted.lease != client.server->supervisor->lease()) Fail("an old lease opens");
    }
    if (state == ControlClient::State::kEnded) {
      const bool lease = StatusName(client.control->end()) == "rpc-lease";
      client.control.reset();
      client.server->supervisor->OnClosed(client.session_connection, now_);
      client.session_connection = 0;
      using_[client.server].erase(&client);
      if (client.phase == Phase::kUses) {
        client.phase = Phase::kDone;
      } else if (lease && now_ < client.until) {
        client.retry = now_ + 0.05;  // the server may not have heard of its lease yet
      } else {
        StartAsking(client);
      }
    } else if (client.phase == Phase::kUses && now_ >= client.until) {
      Leave(client);
      client.control.reset();
    }
  }

  void OpenSession(SimulatedClient& client) {
    ControlOptions options;
    options.machine = SomeMachine();
    options.lease = client.granted.lease;
    client.control = std::make_unique<ControlClient>(options, Nonce, now_);
    client.session_connection = ++last_connection_;
    client.to_server.clear();
    client.from_server.clear();
    client.server->supervisor->OnConnect(client.session_connection, {"10.0.0.1:6", false}, now_);
  }

  void Hear(SimulatedClient& client, std::string_view bytes) {
    client.reader.Feed(bytes);
    for (auto frame = *client.reader.Next(); frame.has_value(); frame = *client.reader.Next()) {
      if (client.phase == Phase::kGreets) {
        client.to_tracker += *client.greeting->OnFrame(*frame);
        if (!client.greeting->done()) continue;
        client.to_tracker += EncodeFrame(Request{client.key, static_cast<int64_t>(random_() % 5)});
        client.phase = Phase::kWaits;
        client.beat = now_;
      } else if (frame->type == Granted::kType) {
        ASSERT_TRUE(DecodeFrame(*frame, &client.granted).ok());
        for (auto& server : servers_) {
          if (server->port == client.granted.port) client.server = server.get();
        }
        client.phase = Phase::kConnects;
        client.until = client.retry = now_;
        client.until += 2;
        if (client.server->key != client.key) Fail("a device of another key");
      } else if (frame->type == Refused::kType) {
        StartAsking(client);
        return;
      }
    }
  }

  void ActTracker() {
    for (const Tracker::Action& action : tracker_->TakeActions()) {
      if (action.kind != Tracker::Action::Kind::kSend) continue;
      for (auto& server : servers_) {
        if (server->connection != action.connection) continue;
        server->to_server += action.bytes;
        FrameReader reader(kMostControlBytes);
        reader.Feed(action.bytes);
        for (auto frame = *reader.Next(); frame.has_value(); frame = *reader.Next()) {
          if (frame->type == Lease::kType && server->supervisor->lease() != 0)
            Fail("a device is lent that is lent");
        }
      }
      for (auto& client : clients_) {
        if (client->connection == action.connection) client->to_client += action.bytes;
      }
    }
  }

  void ActServer(SimulatedServer& server) {
    using Kind = Supervisor::Action::Kind;
    for (const Supervisor::Action& action : server.supervisor->TakeActions()) {
      switch (action.kind) {
        case Kind::kSend:
          for (auto& client : clients_) {
            if (client->session_connection == action.connection)
              client->from_server += action.bytes;
          }
          break;
        case Kind::kStartWorker:
          server.workers[action.worker] = false;
          break;
        case Kind::kKill:
          if (server.workers.count(action.worker) != 0) server.workers[action.worker] = true;
          break;
        case Kind::kFreed:
          if (server.link != nullptr) server.link->Freed(action.request);
          break;
        default:
          break;
      }
    }
  }

  uint64_t last_connection_ = 0, trackers_ = 0;
  std::unique_ptr<Tracker> tracker_;
  std::vector<std::unique_ptr<SimulatedServer>> servers_;
  std::vector<std::unique_ptr<SimulatedClient>> clients_;
  std::map<SimulatedServer*, std::set<SimulatedClient*>> using_;
  std::set<uint64_t> leases_;
};

TEST(TrackerSimulation, EverythingHolds) {
  EverythingHolds<Simulation>("tracker_simulation_test", 150);
}

TEST(TrackerSimulation, PlantedBugsAreFound) {
  PlantedBugsAreFound<Simulation>({"same-lease", "lent-twice", "no-next-lease", "any-lease"});
}

TEST(Tracker, StrangersMakeRoom) {
  DoorOptions door;
  door.insecure = true;
  Tracker tracker(door, Nonce, 7);
  std::vector<uint64_t> closed;
  std::string sent;
  const auto act = [&] {
    for (const Tracker::Action& action : tracker.TakeActions()) {
      if (action.kind == Tracker::Action::Kind::kSend) sent = action.bytes;
      if (action.kind != Tracker::Action::Kind::kClose) continue;
      closed.push_back(action.connection);
      tracker.OnClosed(action.connection, 0);
    }
  };
  uint64_t last = 0;
  while (last < 3 * kMostStrangers) {
    tracker.OnConnect(++last, {"stranger", false}, 0);
    act();
  }
  // The oldest ones have gone, in order, and a device finds its place.
  EXPECT_EQ(closed.size(), last - kMostStrangers);
  EXPECT_TRUE(std::is_sorted(closed.begin(), closed.end()));
  tracker.OnConnect(++last, {"10.0.0.1:5", false}, 0);
  tracker.OnBytes(last,
                  Greeting(std::nullopt, "", SomeMachine(), Nonce(16)).Begin() +
                      EncodeFrame(Register{"board", 9000, {}, 0}),
                  0);
  act();
  EXPECT_NE(tracker.Summary(0).find("\"port\": 9000"), std::string::npos) << sent;
}

// A summary is one control message, however many devices there are.
TEST(Tracker, TheSummaryOfManyFits) {
  DoorOptions door;
  door.insecure = true;
  Tracker tracker(door, Nonce, 7);
  const std::string key(200, 'k');
  for (uint64_t id = 1; id <= 900; ++id) {
    tracker.OnConnect(id, {"10.0.0.1:5", false}, 5);
    tracker.OnBytes(id,
                    Greeting(std::nullopt, "", SomeMachine(), Nonce(16)).Begin() +
                        EncodeFrame(Register{key, 9000 + id, {}, 0}),
                    5);
  }
  const std::string text = tracker.Summary(25);
  EXPECT_LT(text.size(), size_t{60} << 10);
  const Json summary = *Json::Parse(text);
  EXPECT_EQ(summary.Find("kind")->string(), "tracker");
  EXPECT_EQ(summary.Find("uptime")->number(), 20);
  EXPECT_EQ(summary.Find("keys")->items()[0].Find("free")->int_value(), 900);
  const auto listed = static_cast<int64_t>(summary.Find("devices")->items().size());
  EXPECT_GT(listed, 10);
  EXPECT_EQ(summary.Find("left_out")->int_value(), 900 - listed);
}

// The highest priority first; who waits longer gains on it.
TEST(Tracker, PrioritiesAndAge) {
  DoorOptions door;
  door.insecure = true;
  Tracker tracker(door, Nonce, 7);
  std::map<uint64_t, std::string> sent;
  const auto act = [&] {
    for (const Tracker::Action& action : tracker.TakeActions()) {
      if (action.kind == Tracker::Action::Kind::kSend) sent[action.connection] += action.bytes;
    }
  };
  const auto say = [&](uint64_t id, double now, const std::string& frame) {
    tracker.OnConnect(id, {"10.0.0.1:5", false}, now);
    tracker.OnBytes(id, Greeting(std::nullopt, "", SomeMachine(), Nonce(16)).Begin() + frame, now);
    act();
  };
  const auto granted = [&](uint64_t id) {
    FrameReader reader(kMostControlBytes);
    reader.Feed(sent[id]);
    bool found = false;
    for (auto frame = *reader.Next(); frame; frame = *reader.Next())
      found = found || frame->type == Granted::kType;
    return found;
  };
  say(1, 0, EncodeFrame(Request{"board", 1}));
  say(2, 3, EncodeFrame(Request{"board", 5}));
  say(3, 3, EncodeFrame(Request{"phone", 9}));
  say(4, 3, EncodeFrame(Request{"no key", 1}));
  EXPECT_NE(sent[4].find("[rpc-key]"), std::string::npos);
  say(10, 4, EncodeFrame(Register{"board", 9000, {}, 0}));
  EXPECT_TRUE(granted(2));
  EXPECT_FALSE(granted(1) || granted(3));
  EXPECT_NE(tracker.Summary(4).find("\"port\": 9000"), std::string::npos) << tracker.Summary(4);
  // Request 1 has waited for so long that it comes before a new one of a higher priority.
  const auto keep = [&](double now) {
    for (const uint64_t id : {1, 3, 10}) tracker.OnBytes(id, EncodeFrame(Heartbeat{1}), now);
    act();
  };
  for (double now = 5; now < 130; now += 3) keep(now);
  say(5, 130, EncodeFrame(Request{"board", 3}));
  tracker.OnBytes(10, EncodeFrame(Freed{8}), 130);
  act();
  EXPECT_TRUE(granted(1));
  EXPECT_FALSE(granted(5));
  // Nobody ever had a phone. A board may come again.
  tracker.OnClosed(10, 131);
  const auto tick = [&](double now) {
    keep(now);
    tracker.OnBytes(5, EncodeFrame(Heartbeat{1}), now);
    tracker.OnTick(now);
    act();
  };
  for (double now = 131; now < 160; now += 3) tick(now);
  EXPECT_NE(sent[3].find("[rpc-no-device]"), std::string::npos);
  EXPECT_NE(sent[3].find("`board`"), std::string::npos);
  EXPECT_EQ(sent[5].find("[rpc-no-device]"), std::string::npos);
}

}  // namespace
}  // namespace lathe::runtime::rpc

int main(int argc, char** argv) { return lathe::runtime::rpc::RunSimulations(argc, argv); }
