// The programs of one cell of the matrix, and those in between: who runs where, and who reaches
// whom by which address.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "base/file.h"
#include "tests/remote/cells.h"
#include "tests/remote/client.h"
#include "tests/remote/network.h"
#include "tests/remote/program.h"
#include "tests/remote/tap.h"

namespace lathe::runtime::rpc {

// The programs under test.
struct Programs {
  std::string server, worker, tracker, proxy;
};

class Scene {
 public:
  // Starts what the cell needs. `folder` is empty and the cell's own. Throws std::string.
  Scene(const Cell& cell, const Programs& programs, const std::string& folder);
  ~Scene();
  Scene(const Scene&) = delete;

  std::string journal() const { return folder_ + "/journal"; }
  Program& StartClient();
  Program& client() { return *client_; }
  // Opens a session from here, uses and closes it, within `limit`.
  absl::Status Next(std::chrono::milliseconds limit) const;
  // A session from here that stays until it is dropped.
  std::shared_ptr<void> Occupy() const;

  // The cell's connections that its fault may hit: the client's first one is a line of `door()`,
  // the second one of `session()`.
  Tap& door() { return *door_; }
  Tap& session() { return session_ ? *session_ : *door_; }
  // The first of the client's connections with the server, once CountLines was called. Before its
  // last two, control and data, there may be attempts with a lease that the server had not heard
  // of.
  size_t first_line() const { return first_line_; }
  // The client comes next: the lines so far are not its own. (Whoever is sent by a tracker comes by
  // the same tap.)
  void CountLines() { first_line_ = session().lines(); }

  void Do(Fault fault);
  // Ends what lasts: stopped processes go on, cables are joined, and what was killed comes again.
  void Undo();
  // Waits until servers have what they had before the client came; "" or what stays.
  std::string Leftovers();
  // Ends all programs; "" or what they leave.
  std::string End();
  // What the programs printed, for messages.
  std::string Printed();

 private:
  struct Service {
    std::vector<std::string> words;
    Party party;
    std::unique_ptr<Program> program;
    size_t descriptors = 0;  // before the client came
  };
  std::string AddressOf(Party party) const;
  bool IsFar(Party party) const;
  std::vector<std::string> Safely(std::vector<std::string> words) const;
  // Starts it, or again; its port.
  int Start(Service& service);
  void Settle();
  // No process is left that a program of this scene started and did not wait for.
  bool OrphansEnded() const;
  std::vector<pid_t> Victims() const;
  Entrance EntranceForHere() const;

  const Cell cell_;
  const Programs programs_;
  const std::string folder_;
  std::string secret_;  // its file
  std::optional<Cable> cable_;
  std::vector<Service> services_;  // the one that others dial first
  std::unique_ptr<Tap> door_, session_, uplink_;
  std::unique_ptr<Program> client_;
  int door_port_ = 0, server_port_ = 0;
  size_t first_line_ = 0;
};

}  // namespace lathe::runtime::rpc
