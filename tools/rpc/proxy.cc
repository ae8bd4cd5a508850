// lathe-rpc-proxy, and `lathe remote proxy`: connects clients with devices that dial out, by key.
#include <cstdio>
#include <memory>
#include <string>

#include "runtime/rpc/proxy_server.h"
#include "runtime/status.h"
#include "tools/rpc/options.h"
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
  Options options(argc, argv, name, kHelp);
  ProxyOptions proxy;
  proxy.listen.port = 9090;
  proxy.listen.port_end = -1;
  std::string log_file, secret_file;
  bool quiet = false;
  while (options.Next()) {
    if (options.Is("--insecure")) {
      proxy.door.insecure = true;
    } else if (options.Is("--quiet") || options.Is("--silent")) {
      quiet = true;
    } else if (!options.Take("--host", &proxy.listen.host) &&
               !options.Take("--port", 65535, &proxy.listen.port) &&
               !options.Take("--port-end", 65536, &proxy.listen.port_end) &&
               !options.Take("--secret-file", &secret_file) &&
               !options.Take("--log-file", &log_file)) {
      options.WrongOption();
    }
  }
  if (proxy.listen.port_end < 0)
    proxy.listen.port_end = proxy.listen.port == 0 ? 0 : proxy.listen.port + 100;
  proxy.door.secret = options.SecretOf(secret_file);
  proxy.door.machine = runtime::rpc::ThisMachine();
  proxy.log = LogTo(options, log_file, quiet);
  AllowManyDescriptors();
  absl::StatusOr<std::unique_ptr<ProxyServer>> started = ProxyServer::Start(proxy);
  if (!started.ok()) {
    options.Say(std::string(started.status().message()));
    return 1;
  }
  options.SayOtherPort(proxy.listen.port, (*started)->port());
  return ServeUntilStopped(
      **started, "listening on " + proxy.listen.host + ":" + std::to_string((*started)->port()));
}

}  // namespace lathe::rpc_tools
