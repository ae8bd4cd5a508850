// lathe-rpc-server, and `lathe remote serve`: offers this machine's devices to sessions over the
// network.
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/rpc/server.h"
#include "runtime/status.h"
#include "tools/rpc/options.h"
#include "tools/rpc/programs.h"

namespace lathe::rpc_tools {
namespace {

using runtime::rpc::Server;
using runtime::rpc::ServerOptions;

constexpr char kHelp[] =
    R"(PROGRAM: offers this machine's devices to sessions over the network

usage: PROGRAM [options]

  --host ADDRESS          address to listen on (127.0.0.1: this machine only)
  --port PORT             first port to try (9090); 0: any, the chosen one is printed
  --port-end PORT         tries ports up to this one, exclusive (PORT + 100)
  --key KEY               the kind of this device, for clients and trackers
  --tracker HOST:PORT     a tracker lends this device; then sessions need its leases
  --proxy HOST:PORT       clients reach this device through a proxy; then it does not listen
  --custom-addr ADDRESS   with --tracker: where clients reach this server, if not where it is seen
  --secret-file FILE      clients must have the same secret (--keygen makes one); also by the
                          environment, LATHE_REMOTE_SECRET_FILE
  --keygen FILE           makes a secret in a new file, and ends
  --insecure              takes anybody without a secret, on a network that you trust wholly
  --session-timeout SEC   the longest that a session may last (0: no limit)
  --max-sessions N        sessions at once (1); others wait
  --session-memory BYTES  what a session's process may have: 500M, 2G (0: no limit)
  --unconfined            code of sessions may write to files of yours; else only to those of
                          its session's folder, where the kernel can (Landlock)
  --worker PROGRAM        the worker's program (made with this one)
  --launcher COMMAND      how workers are started: "qemu-aarch64 -L /sysroot"
  --log-file FILE         writes what happens there, with the time; it may be rotated
  --quiet                 prints errors only

examples: PROGRAM --port 9090
          PROGRAM --host 0.0.0.0 --secret-file ~/.lathe-secret --key rk3399
          PROGRAM --key android --proxy 10.0.0.7:9090
          PROGRAM --key rk3399 --tracker 10.0.0.7:9190 --host 0.0.0.0 --secret-file s
)";

constexpr uint64_t kLeastMemory = uint64_t{64} << 20;

std::string BesideThisProgram(const char* name) {
  char path[PATH_MAX];
  const ssize_t size = readlink("/proc/self/exe", path, sizeof(path));
  std::string own(path, size > 0 ? static_cast<size_t>(size) : 0);
  return own.substr(0, own.rfind('/') + 1) + name;
}

}  // namespace

int ServerProgram(int argc, char** argv, const std::string& name, std::vector<std::string> worker) {
  Options options(argc, argv, name, kHelp);
  ServerOptions server;
  server.port = 9090;
  server.port_end = -1;
  server.limits.confined = true;
  int sessions = 1;
  std::string log_file, secret_file, keygen, named_worker, launcher;
  bool quiet = false;
  while (options.Next()) {
    if (options.Is("--insecure")) {
      server.supervisor.insecure = true;
    } else if (options.Is("--unconfined")) {
      server.limits.confined = false;
    } else if (options.Is("--quiet") || options.Is("--silent")) {
      quiet = true;
    } else if (options.Take("--keygen", &keygen)) {
      MakeSecret(options, keygen);
    } else if (!options.Take("--host", &server.host) &&
               !options.Take("--port", 65535, &server.port) &&
               !options.Take("--port-end", 65536, &server.port_end) &&
               !options.Take("--key", &server.supervisor.key) &&
               !options.TakeAddress("--tracker", &server.tracker_host, &server.tracker_port) &&
               !options.TakeAddress("--proxy", &server.proxy_host, &server.proxy_port) &&
               !options.Take("--custom-addr", &server.tracker_address) &&
               !options.Take("--secret-file", &secret_file) &&
               !options.Take("--log-file", &log_file) &&
               !options.Take("--session-timeout", 1e9, &server.supervisor.session_timeout) &&
               !options.Take("--max-sessions", 1000, &sessions) &&
               !options.TakeBytes("--session-memory", &server.limits.memory) &&
               !options.Take("--worker", &named_worker) && !options.Take("--launcher", &launcher)) {
      options.WrongOption();
    }
  }
  if (sessions == 0) options.Wrong("--max-sessions: at least one is needed");
  if (server.limits.memory != 0 && server.limits.memory < kLeastMemory)
    options.Wrong("--session-memory: a worker needs 64M at least");
  server.supervisor.max_sessions = static_cast<size_t>(sessions);
  if (server.port_end < 0) server.port_end = server.port == 0 ? 0 : server.port + 100;
  server.supervisor.secret = options.SecretOf(secret_file);
  server.supervisor.machine = runtime::rpc::ThisMachine();
  if (!named_worker.empty()) worker = {named_worker};
  if (worker.empty()) worker = {BesideThisProgram("lathe-rpc-worker")};
  if (access(worker[0].c_str(), X_OK) != 0)
    options.Failed(runtime::MakeStatus(
        absl::StatusCode::kUnavailable, "rpc-worker",
        {"the worker's program ", worker[0], " cannot be run\nhelp: --worker names it"}));
  server.worker = Words(launcher);
  server.worker.insert(server.worker.end(), worker.begin(), worker.end());
  server.log = LogTo(options, log_file, quiet);
  server.limits.descriptors = AllowManyDescriptors();
  absl::StatusOr<std::unique_ptr<Server>> started = Server::Start(server);
  if (!started.ok()) options.Failed(started.status());
  if (server.proxy_host.empty()) options.SayOtherPort(server.port, (*started)->port());
  return ServeUntilStopped(
      **started, server.proxy_host.empty()
                     ? "listening on " + server.host + ":" + std::to_string((*started)->port())
                     : "dialling " + server.proxy_host + ":" + std::to_string(server.proxy_port));
}

}  // namespace lathe::rpc_tools
