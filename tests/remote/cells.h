// The matrix of faults: points of the protocol, processes and faults, and what is to come of each.
#pragma once

#include <set>
#include <string>
#include <vector>

namespace lathe::runtime::rpc {

enum class Point {
  kConnecting,  // the connection is there, no byte has passed
  kHandshake,   // in the middle of the first answer
  kQueued,
  kOpen,      // idle
  kUpload,    // in the middle
  kCall,      // under way
  kCallback,  // under way
  kCopy,      // of a tensor, in the middle
  kClosing    // Close is on its way
};
enum class Party { kClient, kServer, kWorker, kTracker, kProxy };
enum class Fault {
  kKill,       // SIGKILL
  kStop,       // SIGSTOP for longer than three heartbeats, then SIGCONT
  kReset,      // the party's connections are reset
  kPartition,  // nothing passes between the party's machine and the others, for as long
  kHalfOpen,   // the party's machine is lost without a word, and comes again knowing nothing
  kSlow,       // the party reads nothing for two seconds
  kDribble     // bytes come one by one for two seconds
};
// How the client reaches the server.
enum class Way { kDirect, kTracker, kProxy };

struct Cell {
  Point point;
  Party party;
  Fault fault;
  Way way;

  std::string name() const;  // "CallServerKillDirect"
  bool needs_network() const { return fault == Fault::kPartition || fault == Fault::kHalfOpen; }
};

std::string NameOf(Point point);  // "call"

std::vector<Cell> AllCells();

// What the client may be told, "ok" among it; empty: there is no client left that is told.
std::set<std::string> Outcomes(const Cell& cell);
// Seconds within which it is told, and within which the next client has the device.
double MostSeconds(const Cell& cell);
double MostSecondsOfNext(const Cell& cell);

}  // namespace lathe::runtime::rpc
