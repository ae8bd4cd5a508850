// The sockets of a process that listens: accepts, reads, writes and closes for a state machine.
#pragma once

#include <poll.h>

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/file.h"
#include "runtime/rpc/greeting.h"

namespace lathe::runtime::rpc {

// Seconds of a clock that does not go back.
double MonotonicSeconds();
// Sends a few bytes without waiting; false if the socket does not take them all.
bool SendNow(int socket, std::string_view bytes);

struct ListenOptions {
  std::string host = "127.0.0.1";  // an address of this machine, or a name of one
  int port = 0;                    // the first one to try; 0: any free one
  int port_end = 0;                // tries ports up to this one, exclusive; 0: only `port`
};

struct Listening {
  FileHandle socket;
  int port = 0;
  bool loopback = false;   // other machines cannot reach it
  bool asks_user = false;  // whose process a client is: there is no secret
};

// Listens on the first port of the range that is free. Fails with `rpc-port` (in use, not allowed,
// no such address), and with `rpc-insecure` if other machines can reach the address and the door
// has neither a secret nor `insecure`.
absl::StatusOr<Listening> Listen(const ListenOptions& options, const DoorOptions& door);

// Not thread-safe. Nobody who does not read, or does not stop writing, holds up the others.
class SocketLoop {
 public:
  class Handler {
   public:
    virtual ~Handler() = default;
    virtual void OnConnect(uint64_t connection, Peer peer) = 0;
    // How many bytes may be read now.
    virtual size_t Wanted(uint64_t connection) = 0;
    virtual void OnBytes(uint64_t connection, std::string_view bytes) = 0;
    virtual void OnClosed(uint64_t connection) = 0;
  };

  SocketLoop(Listening listening, Handler& handler)
      : listening_(std::move(listening)), asks_user_(listening_.asks_user), handler_(handler) {}

  int port() const { return listening_.port; }
  // Waits up to `wait_ms` for sockets and for what is in `others`, and does what there is to do.
  void Step(std::vector<pollfd>& others, int wait_ms);
  void Send(uint64_t connection, std::string_view bytes);
  // After what was sent; the peer has two seconds to take that. OnClosed follows.
  void Close(uint64_t connection);
  // Gives the socket away; it is no connection any more. Not open if there is none.
  FileHandle Take(uint64_t connection);
  // A connection that this side made.
  uint64_t Adopt(FileHandle socket);
  // Begins another connection to where an adopted one goes. 0 if it has gone, or the system cannot;
  // one that is refused later is closed.
  uint64_t DialAgain(uint64_t connection);
  // Whether the other end is a process of this machine and user (PeerOf).
  bool PeerIsThisUser(uint64_t connection) const;
  void StopListening() { listening_.socket = FileHandle(); }
  bool empty() const { return clients_.empty(); }

 private:
  struct Client {
    FileHandle socket;
    std::string output;
    bool closing = false, ended = false;  // ended: nothing more is sent
    double closed = 0;                    // when closing began
  };
  void Accept();
  void ReadFrom(uint64_t id, bool broken);
  void Forget(uint64_t id);
  void Flush();

  Listening listening_;
  const bool asks_user_;  // of whoever connects
  Handler& handler_;
  std::map<uint64_t, Client> clients_;
  uint64_t last_client_ = 0;
  bool crowded_ = false;
};

}  // namespace lathe::runtime::rpc
