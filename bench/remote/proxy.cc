// The cost of a proxy between client and device, beside a bare relay that splices, in turns; and of
// opening a session.
//
//   bazel run --config=ci //bench/remote:proxy
//
// Proxy, device, relay and bare peer are processes of their own. Prints medians and ratios.
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/file.h"
#include "bench/remote/bare.h"
#include "runtime/init.h"
#include "runtime/registry.h"
#include "runtime/rpc/connect.h"
#include "runtime/rpc/proxy_server.h"
#include "runtime/rpc/server.h"
#include "runtime/rpc/worker_thread.h"
#include "runtime/tensor.h"

namespace lathe::runtime::rpc {
namespace {

using namespace lathe::bench;  // NOLINT(google-build-using-namespace)

constexpr int kRounds = 15, kCalls = 100, kSessions = 100;

// A process that tells a number, its port, and then serves until this one ends.
int Spawn(const std::function<void(const std::function<void(int)>& tell)>& serve) {
  int pipes[2];
  Check(pipe(pipes) == 0, "pipe");
  const pid_t child = fork();
  Check(child >= 0, "fork");
  if (child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    close(pipes[0]);
    serve([&](int port) { Check(write(pipes[1], &port, sizeof(port)) == sizeof(port), "tell"); });
    for (;;) pause();
  }
  close(pipes[1]);
  int port = 0;
  Check(read(pipes[0], &port, sizeof(port)) == sizeof(port), "a process did not start");
  close(pipes[0]);
  return port;
}

// One direction of the relay.
struct Hop {
  int from, to;
  int pipes[2] = {-1, -1};
  size_t held = 0;
};

void Splice(Hop& hop) {
  constexpr unsigned kFlags = SPLICE_F_MOVE | SPLICE_F_NONBLOCK;
  for (;;) {
    bool moved = false;
    if (hop.held == 0) {
      const ssize_t in = splice(hop.from, nullptr, hop.pipes[1], nullptr, 1 << 20, kFlags);
      if (in == 0) _exit(0);
      if (in > 0) hop.held = static_cast<size_t>(in);
    }
    while (hop.held > 0) {
      const ssize_t out = splice(hop.pipes[0], nullptr, hop.to, nullptr, hop.held, kFlags);
      if (out <= 0) break;
      hop.held -= static_cast<size_t>(out);
      moved = true;
    }
    if (!moved) return;
  }
}

// What a relay can do at best: no protocol, no copies.
void Relay(int near, int far) {
  Hop hops[] = {{near, far}, {far, near}};
  for (Hop& hop : hops) {
    Check(pipe2(hop.pipes, O_NONBLOCK) == 0, "pipe");
    fcntl(hop.pipes[0], F_SETPIPE_SZ, 1 << 20);
    fcntl(hop.from, F_SETFL, O_NONBLOCK);
  }
  for (;;) {
    pollfd ends[] = {{near, 0, 0}, {far, 0, 0}};
    for (int i = 0; i < 2; ++i) {
      if (hops[i].held > 0) {
        ends[1 - i].events |= POLLOUT;
      } else {
        ends[i].events |= POLLIN;
      }
    }
    poll(ends, 2, -1);
    for (Hop& hop : hops) Splice(hop);
  }
}

// A bare peer behind a relay, each in a process of its own; the near end.
FileHandle BareThroughRelay() {
  auto [near, relay_near] = TcpPair();
  auto [relay_far, far] = TcpPair();
  const int ends[] = {relay_near.get(), relay_far.get(), far.get()};
  Spawn([&](const auto& tell) {
    close(ends[0]);
    close(ends[1]);
    tell(1);
    ServeBare(ends[2]);
    _exit(0);
  });
  Spawn([&](const auto& tell) {
    tell(1);
    Relay(ends[0], ends[1]);
  });
  return std::move(near);
}

int StartProxy() {
  return Spawn([](const auto& tell) {
    ProxyOptions options;
    options.door.machine = ThisMachine();
    const std::unique_ptr<ProxyServer> proxy = *ProxyServer::Start(std::move(options));
    tell(proxy->port());
    proxy->Wait();
  });
}

int StartDevice(int proxy) {
  return Spawn([proxy](const auto& tell) {
    RegisterGlobal("bench.nothing", Function::From([] {}), Override::kReplace, Exported::kYes)
        .IgnoreError();
    ServerOptions options;
    options.supervisor.machine = ThisMachine();
    options.supervisor.key = "bench";
    options.start_worker = WorkerThread::Start;
    if (proxy != 0) options.proxy_host = "127.0.0.1";
    options.proxy_port = proxy;
    const std::unique_ptr<Server> server = *Server::Start(std::move(options));
    tell(proxy != 0 ? 1 : server->port());
    server->Wait();
  });
}

Ref<RemoteSession> Open(int port) {
  ConnectOptions options;
  options.port = port;
  options.control.key = "bench";
  return *Connect(std::move(options));
}

int Run() {
  const int proxy = StartProxy();
  StartDevice(proxy);
  const int direct = StartDevice(0);
  const FileHandle bare_end = BareThroughRelay();
  Initialize();
  const auto open_all = [](int port) {
    std::vector<double> seconds;
    for (int i = 0; i < kSessions; ++i) seconds.push_back(Seconds([&] { Open(port)->Close(); }));
    return Median(seconds) * 1e3;
  };
  // The device dials the proxy at once; the first session waits for it.
  Ref<RemoteSession> session;
  for (int i = 0; i < 100 && !session; ++i) {
    ConnectOptions options;
    options.port = proxy;
    options.control.key = "bench";
    if (auto opened = Connect(std::move(options)); opened.ok()) {
      session = *opened;
    } else {
      usleep(50000);
    }
  }
  Check(static_cast<bool>(session), "the device is not at the proxy");
  const Function nothing = *session->GetFunction("bench.nothing");
  const Tensor there =
      *Tensor::Empty({static_cast<int64_t>(kBulk)}, DataType::Int(8), session->device(kDLCPU));
  std::vector<char> bulk(kBulk, 'y');
  const auto bare = [&](char kind) { CallBare(bare_end.get(), kind, bulk); };
  std::vector<double> call, bare_call, to, bare_to, from, bare_from;
  for (int round = 0; round < kRounds; ++round) {
    for (int i = 0; i < kCalls; ++i) {
      call.push_back(Seconds([&] { nothing(); }));
      bare_call.push_back(Seconds([&] { bare('p'); }));
    }
    to.push_back(Seconds([&] { Check(there.CopyFromHost(bulk.data(), kBulk).ok(), "copy"); }));
    bare_to.push_back(Seconds([&] { bare('i'); }));
    from.push_back(Seconds([&] { Check(there.CopyToHost(bulk.data(), kBulk).ok(), "copy"); }));
    bare_from.push_back(Seconds([&] { bare('o'); }));
  }
  session->Close();
  session = nullptr;
  std::printf("%-44s %10s %10s %-8s %6s\n", "", "proxy", "relay", "", "ratio");
  const auto us = [](const std::vector<double>& list) { return Median(list) * 1e6; };
  const auto gb = [](const std::vector<double>& list) { return kBulk / Median(list) / 1e9; };
  Report("an empty call (p50)", us(call), us(bare_call), "us", us(call) / us(bare_call));
  Report("64 MiB to the device", gb(to), gb(bare_to), "GB/s", gb(to) / gb(bare_to));
  Report("64 MiB from the device", gb(from), gb(bare_from), "GB/s", gb(from) / gb(bare_from));
  const double through = open_all(proxy), without = open_all(direct);
  std::printf("%-44s %10.2f %10.2f %-8s %6.2f\n", "a session, open and closed; without the proxy",
              through, without, "ms", through / without);
  return 0;
}

}  // namespace
}  // namespace lathe::runtime::rpc

int main() { return lathe::runtime::rpc::Run(); }
