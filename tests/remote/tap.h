// Somebody in between who listens in front of a port and passes bytes on: all at once, late, one by
// one, or not at all.
#pragma once

#include <chrono>
#include <cstddef>
#include <deque>
#include <mutex>
#include <string>
#include <thread>

#include "base/file.h"

namespace lathe::runtime::rpc {

// Thread-safe.
class Tap {
 public:
  // Listens on `port` of `address`, 0 for any, in front of another port.
  Tap(const std::string& address, int port, std::string far_host, int far_port);
  ~Tap();
  Tap(const Tap&) = delete;

  int port() const { return port_; }
  // Connections so far. Their numbers are from 0, in the order in which they came.
  size_t lines() const;
  // Whether the clients of all connections have closed them.
  bool Empty() const;

  // What is passed on of each connection from `line` on, which may come later, in one direction:
  // `bytes` from the connection's begin, the rest when released. One hold at a time.
  void HoldAfter(size_t line, bool to_server, size_t bytes);
  // From now on nothing.
  void HoldNow(size_t line, bool to_server);
  // Whether bytes wait on one of them now.
  bool Holds() const;
  void Release();

  // What follows is for connections from `first` on.
  // Breaks them, on both sides.
  void Reset(size_t first);
  // Reads nothing for a while.
  void Pause(size_t first, std::chrono::milliseconds time);
  // One byte at a time for a while, about a thousand a second.
  void Dribble(size_t first, std::chrono::milliseconds time);

 private:
  using Clock = std::chrono::steady_clock;
  struct Direction {
    std::string bytes;  // that were read and not written
    size_t passed = 0;
    bool ended = false, told = false;  // its source has ended; its target knows
    size_t most = std::string::npos;   // to be passed
  };
  struct Line {
    FileHandle near, far;
    bool open = true;
    Direction there, back;
    Clock::time_point paused_until, dribbles_until;
  };
  void Run();
  void Accept();
  void Serve(Line& line);
  bool Move(const Line& line, Direction& way, int from, int to);
  void Break(Line& line);
  Direction& HeldWay(Line& line) { return held_to_server_ ? line.there : line.back; }

  const std::string far_host_;
  const int far_port_;
  int port_ = 0;
  FileHandle listener_;
  mutable std::mutex mutex_;  // what follows
  std::deque<Line> lines_;
  size_t held_line_ = 0, held_after_ = std::string::npos;
  bool held_to_server_ = false, stops_ = false;
  std::thread thread_;
};

}  // namespace lathe::runtime::rpc
