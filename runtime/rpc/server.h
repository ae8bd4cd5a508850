// A server on this machine: a supervisor (supervisor.h) with its sockets and worker processes.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "runtime/rpc/supervised_worker.h"
#include "runtime/rpc/supervisor.h"

namespace lathe::runtime::rpc {

struct ServerOptions {
  std::string host = "127.0.0.1";  // an address of this machine, or a name of one
  int port = 0;                    // the first one to try; 0: any free one
  int port_end = 0;                // tries ports up to this one, exclusive; 0: only `port`
  SupervisorOptions supervisor;
  // The program that becomes a worker: it calls RunWorker (worker.h) with the descriptor
  // kWorkerDescriptor. The first is a path, or a name that is looked up in PATH.
  std::vector<std::string> worker;
  WorkerLimits limits;  // of worker processes
  // Starts a worker of another kind, if not empty; then `worker` is not used. From the server's
  // thread. WorkerThread::Start makes threads of this process.
  std::function<absl::StatusOr<std::unique_ptr<SupervisedWorker>>()> start_worker;
  // A tracker that lends this device, if not empty: the server registers there under its key, which
  // it then needs, and takes only sessions of the tracker's leases.
  std::string tracker_host;
  int tracker_port = 0;
  std::string tracker_address;  // where clients reach this server, if not where it registers from
  // A proxy through which clients reach this device, if not empty. Then the server does not listen;
  // with a tracker it registers there with the proxy's address, unless `tracker_address` is given.
  std::string proxy_host;
  int proxy_port = 0;
  // What happens, in a line each: sessions that begin and end, and why. From the server's thread.
  std::function<void(std::string_view line)> log;
};

// Runs on a thread of its own. The destructor ends it, and all workers with it.
class Server {
 public:
  // Fails with `rpc-port` (in use, not allowed, no such address), and with `rpc-insecure` if the
  // address can be reached from other machines and there is neither a secret nor `insecure`. Fails
  // with `thread-refused` if the system gives no thread.
  static absl::StatusOr<std::unique_ptr<Server>> Start(ServerOptions options);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  int port() const;  // 0 behind a proxy
  // Begins the end: sessions are ended, their clients are told. Any thread, also a signal handler.
  void Stop();
  // Returns when everything has ended.
  void Wait();

 private:
  class Loop;
  explicit Server(std::unique_ptr<Loop> loop);
  std::unique_ptr<Loop> loop_;
};

}  // namespace lathe::runtime::rpc
