// The device's side of control connections, as a state machine: who may have a session, and what
// ends it. It does no I/O and has no clock: events and times come in, actions come out. So a test
// can replay any order of events (control_simulation_test.cc).
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "runtime/rpc/channel.h"
#include "runtime/rpc/codec.h"
#include "runtime/rpc/greeting.h"
#include "runtime/rpc/secret.h"

namespace lathe::runtime::rpc {

// Seconds.
inline constexpr double kHandshakeSeconds = 10;  // from a connection's begin to Open
inline constexpr double kAttachSeconds = 10;     // from Opened to Attach
inline constexpr double kHeartbeatSeconds = 2;   // of clients
inline constexpr double kLostSeconds = 3 * kHeartbeatSeconds;
inline constexpr double kKillSeconds = 10;  // for a worker that was killed
// For a worker to say that a request that was cancelled does not run: it needs a second at most.
inline constexpr double kAnswerSeconds = 3;
// For what a worker leaves behind; then the next session begins beside it.
inline constexpr double kCleanSeconds = 10;

struct SupervisorOptions {
  std::string key;               // the kind of device, for clients that ask for one
  std::optional<Secret> secret;  // clients must prove that they have it
  bool insecure = false;         // without a secret, take anybody, not only this user's processes
  double session_timeout = 0;    // seconds that a session may last at most; 0: no limit
  size_t max_sessions = 1;       // at once; others wait
  Machine machine;               // told to clients
  bool spare = true;             // keep one worker started
  double kill_seconds = kKillSeconds;
  // A tracker lends the device: only the session of its newest lease is taken.
  bool leased = false;
};

// What a server knows of itself and its supervisor cannot, for those who ask how it is.
struct ServerFacts {
  double uptime = 0;        // seconds
  std::string folder;       // where sessions keep their files; empty: nowhere
  int64_t free_bytes = 0;   // there, for this user
  std::string tracker;      // HOST:PORT of the one that lends this device; empty: none
  bool registered = false;  // there is a connection with it
};

// How a process ended.
struct WorkerEnd {
  bool signalled = false;
  int code = 0;        // exit status or signal
  std::string output;  // the end of what it printed
  absl::Status start;  // why it could not be started; then the others say nothing
  // Its files are being removed, without which the disk may have no place: OnCleaned follows.
  bool cleaning = false;
};

// Not thread-safe. Times are seconds of any clock that does not go back.
class Supervisor {
 public:
  struct Action {
    enum class Kind {
      kSend,         // `bytes` to `connection`
      kClose,        // `connection`, after what was sent
      kStartWorker,  // `worker`; OnWorkerEnded follows, at the latest when starting failed
      kPass,    // the socket of `connection` to `worker`, with the key of its TLS as `bytes`, or
                // none; it is no connection now
      kCancel,  // `request` of `worker`; OnCancelled follows
      kKill,    // `worker`
      kFreed,   // lease `request` has ended
      kAsked,   // `connection` asks how the server is; Answer follows
      kLog      // `bytes`: a line for people
    };
    Kind kind;
    uint64_t connection = 0, worker = 0, request = 0;
    std::string bytes;
    uint16_t message = 0;  // the type of the message in `bytes`, if it is no part of a handshake
  };

  // `random` gives so many random bytes.
  Supervisor(SupervisorOptions options, std::function<std::string(size_t)> random);

  void OnConnect(uint64_t connection, Peer peer, double now);
  // How many bytes of a connection may be read now. Bytes after Attach belong to the worker.
  size_t Wanted(uint64_t connection) const;
  void OnBytes(uint64_t connection, std::string_view bytes, double now);
  void OnClosed(uint64_t connection, double now);
  void OnWorkerEnded(uint64_t worker, const WorkerEnd& end, double now);
  // What a worker left behind is gone: its place is free.
  void OnCleaned(uint64_t worker, double now);
  // The worker says that one of the requests that were cancelled does not run.
  void OnCancelled(uint64_t worker, double now);
  // The tracker has lent the device. A number that is not above all earlier ones is ignored.
  void OnLease(uint64_t lease, double now);
  // Tells `connection`, which asked, how the server is: Summary.
  void Answer(uint64_t connection, const ServerFacts& facts, double now);
  // Call it at least each tenth of a second.
  void OnTick(double now);
  // Ends all sessions, and takes no more.
  void Stop(double now);

  std::vector<Action> TakeActions() { return std::exchange(actions_, {}); }
  size_t sessions() const { return sessions_.size(); }
  size_t waiting() const { return queue_.size(); }
  uint64_t lease() const { return lease_; }  // 0: none
  // {"kind": "server", "version", "target", "key", "uptime", "healthy", "problems": [text],
  // "most_sessions", "sessions": [{"session", "from", "seconds", "state"}], "waiting": [{"from",
  // "seconds"}], "sessions_ever", "crashes_ever", "stuck", "last_end": {"session", "reason",
  // "seconds"} or null, "folder", "free_bytes", "tracker", "lease"}. A state is "open", "ending" or
  // "stuck". Of long lists the first part is told.
  std::string Summary(const ServerFacts& facts, double now) const;

 private:
  enum class State { kGreeting, kQueued, kOpen, kDone };
  struct Connection {
    Door door;
    State state = State::kGreeting;
    Channel channel{kMostControlBytes};
    double since = 0, heard = 0;
    double timeout = 0;  // asked for
    double asked = 0;    // when
    uint64_t session = 0;
  };
  struct Session {
    uint64_t connection = 0, worker = 0;  // connection 0: it is gone
    bool was_spare = false;               // the worker was started before the session
    std::string address;                  // of the client
    std::string token;                    // empty: used
    std::string key;                      // of the data connection's TLS; empty: none
    double opened = 0, deadline = 0;      // deadline 0: none
    std::optional<absl::Status> ending;   // why the worker was killed
    double killed = 0;
    size_t cancels = 0;  // that the worker has not answered, since `cancelled`
    double cancelled = 0;
    bool told = false;               // the client knows
    std::optional<double> cleaning;  // since when, after its end, its files are removed
  };

  void OnFrame(uint64_t id, Connection& connection, const Frame& frame, double now);
  void OnOpen(uint64_t id, Connection& connection, const Frame& frame, double now);
  void OnAttach(uint64_t id, const Frame& frame);
  void Refuse(uint64_t id, const absl::Status& reason);
  void Drop(uint64_t id);
  void StartNext(double now);
  void TellQueue();
  void LeaveQueue(uint64_t id);
  void End(uint64_t session, const absl::Status& reason, double now);
  // Its place is for the next one.
  void Leave(uint64_t session, double now);
  void Tell(Session& session, const absl::Status& reason, const std::string& output);
  uint64_t StartWorker();
  void Log(std::initializer_list<std::string_view> parts);
  template <class Message>
  void Send(uint64_t connection, const Message& message) {
    Write(connection, EncodeFrame(message), Message::kType);
  }
  void Write(uint64_t connection, std::string_view frame, uint16_t message);

  void FreeLease();
  bool IsStuck(const Session& session, double now) const {
    return session.ending && !session.cleaning && now - session.killed > options_.kill_seconds;
  }

  SupervisorOptions options_;
  DoorOptions door_;
  std::function<std::string(size_t)> random_;
  std::map<uint64_t, Connection> connections_;
  std::map<uint64_t, Session> sessions_;
  std::deque<uint64_t> queue_;  // connections that wait
  uint64_t last_session_ = 0, last_worker_ = 0, spare_ = 0;
  uint64_t lease_ = 0, last_lease_ = 0, lease_session_ = 0;
  double leased_since_ = 0;
  uint64_t crashes_ = 0, ended_session_ = 0;
  std::string ended_reason_;  // of the session that ended last; its client's wish if empty
  double ended_ = 0;
  std::string worker_problem_;  // why the worker that was to be next has ended
  bool stopped_ = false;
  std::vector<Action> actions_;
};

}  // namespace lathe::runtime::rpc
