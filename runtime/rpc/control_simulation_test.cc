// Supervisor and clients in one process, without sockets and clocks: random orders of events,
// delays, pieces, lost connections, crashes and stopped clients, from a seed. What must hold is
// checked after every step.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runtime/rpc/control_client.h"
#include "runtime/rpc/simulation.h"
#include "runtime/rpc/supervisor.h"
#include "runtime/status.h"

namespace lathe::runtime::rpc {
namespace {

// Bytes under way, in order; `closed` follows them.
struct Pipe {
  std::string bytes;
  bool closed = false;
};

struct SimulatedClient {
  std::unique_ptr<ControlClient> machine;
  uint64_t connection = 0;
  Pipe to_server, to_client;
  bool attached = false;  // its data connection was made
  bool asked_attach = false;
  bool silent = false;  // was stopped, or its network is gone
  double leaves = 0;    // when it closes its session
  uint64_t place = 0;   // in the queue: the order in which they were told to wait; 0: it did not
  int told = 0;         // obituaries and refusals that were sent
};

class Simulation : SimulationBase {
 public:
  explicit Simulation(uint64_t seed) : SimulationBase(seed) {
    SupervisorOptions options;
    options.max_sessions = 1 + random_() % 3;
    options.spare = random_() % 2 == 0;
    if (random_() % 3 == 0) options.session_timeout = 5;
    if (random_() % 2 == 0) options.secret = Secret{};
    options.insecure = true;
    options.key = "board";
    options.machine.runtime = "simulated";
    limit_ = options.max_sessions;
    secret_ = options.secret;
    supervisor_ =
        std::make_unique<Supervisor>(options, [this](size_t size) { return RandomBytes(size); });
  }

  // "" if everything held; else what did not.
  std::string Run() {
    Act();
    const int steps = 20 + static_cast<int>(random_() % 1000);
    for (int step = 0; step < steps && problem_.empty(); ++step) {
      now_ += Chance(20) ? Uniform(0, 3) : Uniform(0, 0.05);  // the clock jumps now and then
      if (Chance(4) && clients_.size() < 12) AddClient();
      for (auto& client : clients_) StepClient(*client);
      StepWorkers();
      supervisor_->OnTick(now_);
      Act();
      CheckAlways();
    }
    // All close their sessions, in turn: each hears how it ended.
    for (auto& client : clients_) client->leaves = now_;
    Settle();
    for (const auto& client : clients_) {
      if (client->silent) continue;
      const absl::Status& end = client->machine->end();
      if (client->machine->state() != ControlClient::State::kEnded) Fail("a client never ends");
      if (!end.ok() && StatusName(end).empty()) Fail("a client ends without a reason");
    }
    // All are gone: whatever happened, nothing may stay. Those that fell silent say nothing: only
    // time tells.
    for (auto& client : clients_) client->to_server.closed |= !client->silent;
    Settle();
    if (supervisor_->sessions() != 0) Fail("a session stays after all clients are gone");
    if (supervisor_->waiting() != 0) Fail("a client waits that is gone");
    supervisor_->Stop(now_);
    Act();
    StepWorkers(/*prompt=*/true);
    if (!workers_.empty()) Fail("a worker runs after the end");
    return problem_;
  }

 private:
  struct Worker {
    bool killed = false;
    bool deaf = false;  // does not die at once, and does not answer
    uint64_t passed = 0;
    int cancels = 0;  // not answered, since `cancelled`
    double cancelled = 0;
  };

  // Time goes by, and workers die when they are told to.
  void Settle() {
    for (int step = 0; step < 300 && problem_.empty(); ++step) {
      now_ += 0.2;
      for (auto& client : clients_) {
        if (!client->silent) StepClient(*client, /*calm=*/true);
      }
      StepWorkers(/*prompt=*/true);
      supervisor_->OnTick(now_);
      Act();
      CheckAlways();
    }
  }

  void AddClient() {
    auto client = std::make_unique<SimulatedClient>();
    ControlOptions options;
    options.machine.little_endian = 1;
    options.secret = secret_;
    if (Chance(10)) options.key = "another";
    if (secret_ && Chance(20)) options.secret = Secret{1};  // a wrong one
    if (Chance(20)) options.session_timeout = Uniform(0.1, 4);
    client->machine = std::make_unique<ControlClient>(options, Nonce, now_);
    client->connection = ++last_connection_;
    client->leaves = now_ + Uniform(0.5, 20);
    supervisor_->OnConnect(client->connection, {"client", false}, now_);
    clients_.push_back(std::move(client));
  }

  void StepClient(SimulatedClient& client, bool calm = false) {
    if (client.silent) return;
    if (!calm && Chance(1) && Chance(30)) {
      client.silent = true;  // for ever: only time tells the server
      return;
    }
    client.machine->OnTick(now_);
    if (client.machine->state() == ControlClient::State::kOpen) {
      // Once, or again with a token that was used.
      if (client.asked_attach ? Chance(2) : Chance(50)) AttachData(client);
      if (Chance(2)) client.machine->Cancel(random_() % 5);
    }
    const bool waits = client.machine->state() == ControlClient::State::kQueued;
    if (now_ > client.leaves &&
        (waits ? Chance(10) : client.machine->state() == ControlClient::State::kOpen))
      client.machine->Close();
    client.to_server.bytes += client.machine->TakeOutput();
    if (!calm && Chance(1) && Chance(50)) client.to_server.closed = true;
    Deliver(client, calm);
  }

  // A data connection with the client's token, in pieces as well.
  void AttachData(SimulatedClient& client) {
    client.asked_attach = true;
    const uint64_t id = ++last_connection_;
    supervisor_->OnConnect(id, {"data", false}, now_);
    const std::string frame = EncodeFrame(Attach{client.machine->token()}, 1);
    data_[id] = &client;
    for (size_t at = 0; at < frame.size();) {
      const size_t wanted = supervisor_->Wanted(id);
      if (wanted == 0) break;
      const size_t size = std::min({wanted, frame.size() - at, 1 + random_() % 40});
      supervisor_->OnBytes(id, frame.substr(at, size), now_);
      at += size;
    }
    Act();
    // One that breaks; one that was passed is the worker's, and the supervisor hears no more of it.
    if (data_.erase(id) != 0 && Chance(20)) supervisor_->OnClosed(id, now_);
  }

  void Deliver(SimulatedClient& client, bool all) {
    // To the server.
    while (!client.to_server.bytes.empty() && (all || Chance(60))) {
      const size_t wanted = supervisor_->Wanted(client.connection);
      if (wanted == 0) break;
      const size_t size = std::min({wanted, client.to_server.bytes.size(), 1 + random_() % 200});
      supervisor_->OnBytes(client.connection, client.to_server.bytes.substr(0, size), now_);
      client.to_server.bytes.erase(0, size);
      Act();
    }
    if (client.to_server.closed && (client.to_server.bytes.empty() || all)) {
      supervisor_->OnClosed(client.connection, now_);
      client.connection = 0;
      client.silent = true;
    }
    // To the client.
    if (client.silent || client.connection == 0) return;
    while (!client.to_client.bytes.empty() && (all || Chance(60))) {
      const size_t size = std::min<size_t>(client.to_client.bytes.size(), 1 + random_() % 200);
      client.machine->OnBytes(client.to_client.bytes.substr(0, size), now_);
      client.to_client.bytes.erase(0, size);
    }
    if (client.to_client.closed && client.to_client.bytes.empty()) {
      client.machine->OnClosed();
      client.to_server.closed = true;
    }
  }

  void StepWorkers(bool prompt = false) {
    std::vector<uint64_t> ended;
    for (auto& [id, worker] : workers_) {
      for (; worker.cancels > 0 && !worker.deaf && Chance(50); --worker.cancels)
        supervisor_->OnCancelled(id, now_);
      const bool dies = worker.killed && (prompt || (!worker.deaf && Chance(70)) || Chance(2));
      if (dies || (!prompt && Chance(1) && Chance(40))) ended.push_back(id);
    }
    for (const uint64_t id : ended) {
      const bool killed = workers_.at(id).killed;
      workers_.erase(id);
      const bool cleaning = Chance(50);
      if (cleaning) cleaned_[id] = now_ + (Chance(10) ? 100 : Uniform(0, 2));
      supervisor_->OnWorkerEnded(id, {true, killed ? 9 : 11, "last words", {}, cleaning}, now_);
      Act();
    }
    for (auto at = cleaned_.begin(); at != cleaned_.end();) {
      const auto one = at++;
      if (now_ < one->second) continue;
      const uint64_t id = one->first;
      cleaned_.erase(one);
      supervisor_->OnCleaned(id, now_);
      Act();
    }
  }

  SimulatedClient* ByConnection(uint64_t connection) {
    for (auto& client : clients_) {
      if (client->connection == connection) return client.get();
    }
    return nullptr;
  }

  void Act() {
    using Kind = Supervisor::Action::Kind;
    for (auto actions = supervisor_->TakeActions(); !actions.empty();
         actions = supervisor_->TakeActions()) {
      for (const Supervisor::Action& action : actions) {
        SimulatedClient* const client = ByConnection(action.connection);
        switch (action.kind) {
          case Kind::kSend:
            if (client != nullptr) Sent(*client, action.message, action.bytes);
            break;
          case Kind::kClose:
            if (client != nullptr) Closed(*client);
            if (data_.erase(action.connection) != 0) supervisor_->OnClosed(action.connection, now_);
            break;
          case Kind::kStartWorker:
            if (workers_.count(action.worker) != 0) Fail("a worker is started twice");
            workers_[action.worker].deaf = Chance(5);
            break;
          case Kind::kPass: {
            const auto worker = workers_.find(action.worker);
            if (worker == workers_.end()) break;  // it has just died
            if (worker->second.killed) Fail("a killed worker gets a connection");
            if (++worker->second.passed > 1) Fail("a worker gets two connections");
            data_.erase(action.connection);
            break;
          }
          case Kind::kKill: {
            const auto worker = workers_.find(action.worker);
            if (worker != workers_.end()) worker->second.killed = true;
            break;
          }
          case Kind::kCancel: {
            const auto worker = workers_.find(action.worker);
            if (worker == workers_.end()) break;
            if (worker->second.passed == 0) Fail("a worker that serves nobody is to cancel");
            if (worker->second.cancels++ == 0) worker->second.cancelled = now_;
            break;
          }
          case Kind::kAsked:
          case Kind::kFreed:
          case Kind::kLog:
            break;
        }
      }
    }
  }

  void Sent(SimulatedClient& client, uint16_t message, const std::string& bytes) {
    if (client.to_client.closed) Fail("something is sent after the last word");
    if (message == Queued::kType && client.place == 0) client.place = ++last_place_;
    if (message == Opened::kType) {
      for (const auto& other : clients_) {
        if (other->place != 0 && other->connection != 0 && other.get() != &client &&
            (client.place == 0 || other->place < client.place))
          Fail("a client is let past one that came before");
      }
      client.place = 0;
    }
    if (message == Ended::kType || message == Refused::kType) ++client.told;
    client.to_client.bytes += bytes;
  }

  void Closed(SimulatedClient& client) {
    // Only who closes while it waits has nothing to hear.
    if (client.told != (client.place != 0 && client.told == 0 ? 0 : 1))
      Fail("a client is not told its end once");
    client.place = 0;
    client.to_client.closed = true;
  }

  void CheckAlways() {
    if (supervisor_->sessions() > limit_) Fail("more sessions at once than allowed");
    for (const auto& client : clients_) {
      if (client->machine->state() == ControlClient::State::kEnded && client->machine->end().ok() &&
          client->leaves > now_)
        Fail("a session ended without a reason");
    }
    for (const auto& [id, worker] : workers_) {
      if (worker.deaf && worker.cancels > 0 && !worker.killed &&
          now_ - worker.cancelled > kAnswerSeconds)
        Fail("a worker lives on that does not answer");
    }
    // Nobody waits while there is room.
    if (supervisor_->waiting() > 0 && supervisor_->sessions() < limit_)
      Fail("a client waits while a session could begin");
  }

  size_t limit_ = 1;
  uint64_t last_place_ = 0;
  std::optional<Secret> secret_;
  std::unique_ptr<Supervisor> supervisor_;
  std::vector<std::unique_ptr<SimulatedClient>> clients_;
  std::map<uint64_t, SimulatedClient*> data_;
  std::map<uint64_t, Worker> workers_;
  std::map<uint64_t, double> cleaned_;  // when the files of a worker that has ended are gone
  uint64_t last_connection_ = 0;
};

// A worker that was killed and lives on: the client is told, and the device stays taken.
TEST(ControlSimulation, AWorkerThatCannotBeKilled) {
  SupervisorOptions options;
  options.insecure = true;
  options.machine.little_endian = 1;
  Supervisor supervisor(options, [](size_t size) { return std::string(size, 'r'); });
  ControlOptions control;
  control.machine.little_endian = 1;
  control.session_timeout = 1;
  ControlClient client(control, Nonce, 0);
  supervisor.OnConnect(1, {"client", false}, 0);
  for (double now = 0; now < 20; now += 0.5) {
    client.OnTick(now);
    supervisor.OnBytes(1, client.TakeOutput(), now);
    supervisor.OnTick(now);
    for (const Supervisor::Action& action : supervisor.TakeActions()) {
      if (action.kind == Supervisor::Action::Kind::kSend) client.OnBytes(action.bytes, now);
    }
  }
  EXPECT_EQ(StatusName(client.end()), "session-stuck");
  EXPECT_EQ(supervisor.sessions(), 1u);
}

TEST(ControlSimulation, AServerThatSaysNothing) {
  ControlClient client({}, Nonce, 0);
  client.OnTick(9);
  EXPECT_EQ(client.state(), ControlClient::State::kConnecting);
  client.OnTick(11);
  EXPECT_EQ(StatusName(client.end()), "rpc-timeout");
}

TEST(ControlSimulation, EverythingHolds) {
  EverythingHolds<Simulation>("control_simulation_test", 200);
}

TEST(ControlSimulation, PlantedBugsAreFound) {
  PlantedBugsAreFound<Simulation>({"one-more", "queue-stays", "token-twice", "silence-is-life",
                                   "talks-on", "no-next", "kill-forgotten", "deaf-is-fine",
                                   "last-first", "untold", "told-twice"});
}

}  // namespace
}  // namespace lathe::runtime::rpc

int main(int argc, char** argv) { return lathe::runtime::rpc::RunSimulations(argc, argv); }
