// The programs lathe-rpc-tracker and lathe-rpc-proxy, which differ in their servers only.
#pragma once

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "runtime/rpc/machine.h"
#include "tools/rpc/options.h"

namespace lathe::rpc_tools {

// Reads the command line that `help` describes, and serves until Ctrl-C or SIGTERM. `port` is where
// the server listens unless --port says otherwise; it tries the ports up to `port` + `ports`.
// `Server` has Start(ServerOptions), port, Stop and Wait.
template <class Server, class ServerOptions>
int ListeningProgram(int argc, char** argv, const std::string& name, const char* help, int port,
                     int ports) {
  Options options(argc, argv, name, help);
  ServerOptions server;
  server.listen.port = port;
  server.listen.port_end = -1;
  std::string log_file, secret_file;
  bool quiet = false;
  while (options.Next()) {
    if (options.Is("--insecure")) {
      server.door.insecure = true;
    } else if (options.Is("--quiet") || options.Is("--silent")) {
      quiet = true;
    } else if (!options.Take("--host", &server.listen.host) &&
               !options.Take("--port", 65535, &server.listen.port) &&
               !options.Take("--port-end", 65536, &server.listen.port_end) &&
               !options.Take("--secret-file", &secret_file) &&
               !options.Take("--log-file", &log_file)) {
      options.WrongOption();
    }
  }
  if (server.listen.port_end < 0)
    server.listen.port_end = server.listen.port == 0 ? 0 : server.listen.port + ports;
  server.door.secret = options.SecretOf(secret_file);
  server.door.machine = runtime::rpc::ThisMachine();
  server.log = LogTo(options, log_file, quiet);
  AllowManyDescriptors();
  absl::StatusOr<std::unique_ptr<Server>> started = Server::Start(server);
  if (!started.ok()) options.Failed(started.status());
  options.SayOtherPort(server.listen.port, (*started)->port());
  return ServeUntilStopped(
      **started, "listening on " + server.listen.host + ":" + std::to_string((*started)->port()));
}

}  // namespace lathe::rpc_tools
