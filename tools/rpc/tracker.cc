// lathe-rpc-tracker, and `lathe remote tracker`: lends the devices of servers to clients, by key.
#include <cstdio>
#include <memory>
#include <string>

#include "runtime/rpc/tracker_server.h"
#include "runtime/status.h"
#include "tools/rpc/options.h"
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
  Options options(argc, argv, name, kHelp);
  TrackerOptions tracker;
  tracker.listen.port = 9190;
  tracker.listen.port_end = -1;
  std::string log_file, secret_file;
  bool quiet = false;
  while (options.Next()) {
    if (options.Is("--insecure")) {
      tracker.door.insecure = true;
    } else if (options.Is("--quiet") || options.Is("--silent")) {
      quiet = true;
    } else if (!options.Take("--host", &tracker.listen.host) &&
               !options.Take("--port", 65535, &tracker.listen.port) &&
               !options.Take("--port-end", 65536, &tracker.listen.port_end) &&
               !options.Take("--secret-file", &secret_file) &&
               !options.Take("--log-file", &log_file)) {
      options.WrongOption();
    }
  }
  if (tracker.listen.port_end < 0)
    tracker.listen.port_end = tracker.listen.port == 0 ? 0 : tracker.listen.port + 10;
  tracker.door.secret = options.SecretOf(secret_file);
  tracker.door.machine = runtime::rpc::ThisMachine();
  tracker.log = LogTo(options, log_file, quiet);
  AllowManyDescriptors();
  absl::StatusOr<std::unique_ptr<TrackerServer>> started = TrackerServer::Start(tracker);
  if (!started.ok()) {
    options.Say(std::string(started.status().message()));
    return 1;
  }
  options.SayOtherPort(tracker.listen.port, (*started)->port());
  return ServeUntilStopped(
      **started, "listening on " + tracker.listen.host + ":" + std::to_string((*started)->port()));
}

}  // namespace lathe::rpc_tools
