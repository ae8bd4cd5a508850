// Who is at the other end of a TCP connection.
#pragma once

#include "runtime/rpc/greeting.h"

namespace lathe::runtime::rpc {

// The address of the peer, and if `ask_user` whether it is a process of this machine's loopback and
// of this process's user, as the system's table of sockets says: that takes the longer the more
// sockets there are. False whenever that is not certain.
Peer PeerOf(int socket, bool ask_user);

}  // namespace lathe::runtime::rpc
