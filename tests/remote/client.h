// A client as a program of its own: goes to a point of the protocol, says so, and goes on; in the
// end it says how its session ended.
#pragma once

#include <string>
#include <vector>

namespace lathe::runtime::rpc {

// How to reach a device.
struct Entrance {
  std::string host;
  int port = 0;
  bool tracker = false;     // at that address is a tracker
  std::string secret_file;  // empty: none
};
inline constexpr char kKey[] = "board";  // of all devices

// The command line, but for the program, of a client whose calls write into `journal`. `point` as
// the points of the matrix are named.
std::vector<std::string> ClientWords(const std::string& point, const Entrance& door,
                                     const std::string& journal);
// The program: what it prints is "queued", "reached" (the point), "ack N" (call N has its answer),
// "wrong ..." and in the end "status NAME TEXT", where NAME is "ok" for a session that did all.
int RunClient(int argc, char** argv);

}  // namespace lathe::runtime::rpc
