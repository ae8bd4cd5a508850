// lathe-rpc-tracker, and `lathe remote tracker`: lends the devices of servers to clients, by key.
#include <string>

#include "runtime/rpc/tracker_server.h"
#include "tools/rpc/listening_program.h"
#include "tools/rpc/programs.h"

namespace lathe::rpc_tools {
namespace {

using runtime::rpc::TrackerOptions;
using runtime::rpc::TrackerServer;

constexpr char kHelp[] =
    R"(PROGRAM: lends the devices of servers to clients, by key

usage: PROGRAM [options]

  --host ADDRESS      address to listen on (127.0.0.1: this machine only)
  --port PORT         first port to try (9190); 0: any, the chosen one is printed
  --port-end PORT     tries ports up to this one, exclusive (PORT + 10)
  --secret-file FILE  servers and clients must have the same secret; also by the environment,
                      LATHE_REMOTE_SECRET_FILE
  --insecure          takes anybody without a secret, on a network that you trust wholly
  --log-file FILE     writes what happens there, with the time; it may be rotated
  --quiet             prints errors only

example: PROGRAM --host 0.0.0.0 --secret-file ~/.lathe-secret
)";

}  // namespace

int TrackerProgram(int argc, char** argv, const std::string& name) {
  return ListeningProgram<TrackerServer, TrackerOptions>(argc, argv, name, kHelp, 9190, 10);
}

}  // namespace lathe::rpc_tools
