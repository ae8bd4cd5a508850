// lathe-rpc-proxy, and `lathe remote proxy`: connects clients with devices that dial out, by key.
#include <string>

#include "runtime/rpc/proxy_server.h"
#include "tools/rpc/listening_program.h"
#include "tools/rpc/programs.h"

namespace lathe::rpc_tools {
namespace {

using runtime::rpc::ProxyOptions;
using runtime::rpc::ProxyServer;

constexpr char kHelp[] =
    R"(PROGRAM: connects clients with devices that dial out, by key

usage: PROGRAM [options]

  --host ADDRESS      address to listen on (127.0.0.1: this machine only)
  --port PORT         first port to try (9090); 0: any, the chosen one is printed
  --port-end PORT     tries ports up to this one, exclusive (PORT + 100)
  --secret-file FILE  devices and clients must have the same secret; also by the environment,
                      LATHE_REMOTE_SECRET_FILE
  --insecure          takes anybody without a secret, on a network that you trust wholly
  --log-file FILE     writes what happens there, with the time; it may be rotated
  --quiet             prints errors only

A device dials out with `lathe-rpc-server --proxy HOST:PORT`; clients connect with this proxy as
with a server, and name the device's key.

example: PROGRAM --host 0.0.0.0 --secret-file ~/.lathe-secret
)";

}  // namespace

int ProxyProgram(int argc, char** argv, const std::string& name) {
  return ListeningProgram<ProxyServer, ProxyOptions>(argc, argv, name, kHelp, 9090, 100);
}

}  // namespace lathe::rpc_tools
