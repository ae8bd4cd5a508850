// Two machines on one: network namespaces that a test makes for itself, and the cable between them.
#pragma once

#include <string>

#include "base/file.h"

namespace lathe::runtime::rpc {

// Addresses of the near machine, which is this process's, and of the far one.
inline constexpr char kNear[] = "10.9.0.1", kNearToo[] = "10.9.0.3", kFar[] = "10.9.0.2";

// Takes this process, which must have one thread, into a user and a network namespace of its own,
// whose loopback interface works. "" or why the machine does not allow that.
std::string EnterNetwork();

// Not thread-safe.
class Cable {
 public:
  // Makes the far machine and connects it. "" or what is wrong. After EnterNetwork.
  std::string Plug();
  int far() const { return far_.get(); }
  // From now on what either side sends is lost, without a sound.
  std::string Cut() { return Teach(false); }
  std::string Join() { return Teach(true); }
  // Another far machine at the same address, which knows nothing of the first one's connections.
  // What ran there must have ended.
  std::string Replace();

 private:
  std::string MakeFar();
  std::string Teach(bool truth);

  FileHandle near_, far_;                // namespaces
  FileHandle near_socket_, far_socket_;  // for questions to them
};

}  // namespace lathe::runtime::rpc
