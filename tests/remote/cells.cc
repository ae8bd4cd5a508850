#include "tests/remote/cells.h"

#include <cctype>
#include <cstddef>

#include "runtime/rpc/supervisor.h"

namespace lathe::runtime::rpc {
namespace {

constexpr const char* kPoints[] = {"connecting", "handshake", "queued", "open",   "upload",
                                   "call",       "callback",  "copy",   "closing"};
constexpr const char* kParties[] = {"Client", "Server", "Worker", "Tracker", "Proxy"};
constexpr const char* kFaults[] = {"Kill",     "Stop", "Reset",  "Partition",
                                   "HalfOpen", "Slow", "Dribble"};
constexpr const char* kWays[] = {"Direct", "Tracker", "Proxy"};

// Before there is a session.
bool IsBefore(Point point) { return point <= Point::kQueued; }
bool IsGreeting(Point point) { return point <= Point::kHandshake; }
bool Silent(Fault fault) { return fault == Fault::kStop || fault == Fault::kPartition; }
bool Harmless(Fault fault) { return fault == Fault::kSlow || fault == Fault::kDribble; }

bool Exists(const Cell& cell) {
  const auto [point, party, fault, way] = cell;
  if (party == Party::kTracker && way != Way::kTracker) return false;
  if (party == Party::kProxy && way != Way::kProxy) return false;
  if (party == Party::kWorker) {
    // It has a session only once that is open, and is on the server's machine.
    if (IsBefore(point) || cell.needs_network()) return false;
  }
  // Sessions by a tracker or a proxy are as others are: the points where these matter.
  const bool others = party != Party::kTracker && party != Party::kProxy;
  if (others && way != Way::kDirect)
    return point == Point::kQueued || point == Point::kCall || point == Point::kClosing;
  return true;
}

}  // namespace

std::string NameOf(Point point) { return kPoints[static_cast<size_t>(point)]; }

std::string Cell::name() const {
  std::string text = NameOf(point);
  text[0] = static_cast<char>(std::toupper(text[0]));
  return text + kParties[static_cast<size_t>(party)] + kFaults[static_cast<size_t>(fault)] +
         kWays[static_cast<size_t>(way)];
}

std::vector<Cell> AllCells() {
  std::vector<Cell> cells;
  for (size_t fault = 0; fault < std::size(kFaults); ++fault) {
    for (size_t party = 0; party < std::size(kParties); ++party) {
      for (size_t way = 0; way < std::size(kWays); ++way) {
        for (size_t point = 0; point < std::size(kPoints); ++point) {
          const Cell cell{static_cast<Point>(point), static_cast<Party>(party),
                          static_cast<Fault>(fault), static_cast<Way>(way)};
          if (Exists(cell)) cells.push_back(cell);
        }
      }
    }
  }
  return cells;
}

std::set<std::string> Outcomes(const Cell& cell) {
  const auto [point, party, fault, way] = cell;
  const bool lost = fault == Fault::kKill || fault == Fault::kHalfOpen;
  if (party == Party::kClient && lost) return {};
  if (Harmless(fault) || point == Point::kClosing) return {"ok"};
  // A session needs no tracker.
  if (party == Party::kTracker && !IsBefore(point)) return {"ok"};
  // Nor does a short call need the supervisor: the client hears of its end, or misses its
  // heartbeats, a moment later.
  if (party == Party::kServer && (fault == Fault::kStop || fault == Fault::kKill) &&
      !IsBefore(point))
    return {"ok", "link-lost"};
  if (party == Party::kWorker && fault == Fault::kKill) return {"session-crashed"};
  // Nobody waits for a worker that is slow; its server sends heartbeats.
  if (party == Party::kWorker && fault == Fault::kStop) return {"ok"};
  if (party == Party::kWorker) return {"link-lost", "session-crashed"};
  // Whoever waits at a tracker or a proxy gets a server that comes again. One that is silent may
  // have been given to the client before that was noticed.
  if (point == Point::kQueued && party == Party::kServer && way != Way::kDirect) {
    if (Silent(fault)) return {"ok", "link-lost", "rpc-timeout", "rpc-lease", "rpc-unreachable"};
    return fault == Fault::kReset ? std::set<std::string>{"ok", "link-lost"}
                                  : std::set<std::string>{"ok"};
  }
  // A lease that was not used in time, or a device whose turn went by.
  if (IsBefore(point) && Silent(fault) && way != Way::kDirect)
    return {"ok", "rpc-timeout", "link-lost", "rpc-lease"};
  if (IsGreeting(point) && Silent(fault)) return {"ok", "rpc-timeout", "link-lost"};
  if (IsGreeting(point) && fault == Fault::kHalfOpen)
    return {"link-lost", "rpc-unreachable", "rpc-timeout"};
  if (IsGreeting(point)) return {"link-lost", "rpc-unreachable"};
  return {"link-lost"};
}

double MostSeconds(const Cell& cell) {
  if (!Silent(cell.fault) && cell.fault != Fault::kHalfOpen) return 8;
  // A client of a tracker notices silence after 16 seconds, whichever side of the cable is cut; a
  // connection that is joined again may be refused earlier.
  const bool of_tracker = cell.way == Way::kTracker && cell.point == Point::kQueued;
  return cell.party == Party::kTracker || of_tracker ? 22 : 14;
}

double MostSecondsOfNext(const Cell& cell) {
  const bool silent = Silent(cell.fault) || cell.fault == Fault::kHalfOpen;
  // A lease may have gone to the client just before it was lost; the server waits for it that long.
  if (cell.point == Point::kQueued && cell.way == Way::kTracker && !silent)
    return kAttachSeconds + 4;
  if (!silent) return 8;
  // A proxy waits ten seconds for the second side of a pair to end. A tracker may lend a server
  // that is lost until it notices; the client asks again when its lease proves to be invalid.
  return cell.way == Way::kDirect ? 14 : 26;
}

}  // namespace lathe::runtime::rpc
