// The cost of a session over TCP on this machine, beside bare sockets that do the same, in turns.
//
//   bazel run --config=ci //bench/remote [-- --tls]
//
// With --tls the session is under TLS, and copies are compared with the cipher alone: both sides'
// work on as many bytes at the same time, without sockets.
//
// The far side is another process: this program again. Prints medians and ratios.
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/file.h"
#include "bench/remote/bare.h"
#include "bench/remote/cipher.h"
#include "runtime/init.h"
#include "runtime/registry.h"
#include "runtime/rpc/remote_session.h"
#include "runtime/rpc/service.h"
#include "runtime/rpc/tls_transport.h"
#include "runtime/session/loopback_session.h"
#include "runtime/status.h"
#include "runtime/tensor.h"

extern char** environ;

namespace lathe::runtime::rpc {
namespace {

using namespace lathe::bench;  // NOLINT(google-build-using-namespace)

constexpr int kRounds = 15, kCalls = 2000;

std::unique_ptr<Transport> TransportOf(FileHandle socket, bool tls, TlsSide side) {
  std::unique_ptr<Transport> plain = NewSocketTransport(std::move(socket));
  if (!tls) return plain;
  return *NewTlsTransport(std::move(plain), side, Secret{}, [] { return absl::OkStatus(); });
}

int ServeBoth(int session, int bare, bool tls) {
  Check(RegisterGlobal("bench.nothing", Function::From([] {}), Override::kReplace, Exported::kYes)
            .ok(),
        "register");
  if (fork() == 0) {
    close(session);
    ServeBare(bare, [](std::vector<char>& bulk) { Cipher(bulk, false); });
    _exit(0);
  }
  close(bare);
  Service(*LoopbackSession::Open(), TransportOf(FileHandle(session), tls, TlsSide::kServer))
      .Run()
      .IgnoreError();
  return 0;
}

struct NoControl final : Control {
  void Cancel(uint64_t) override {}
  absl::Status WhyEnded(const absl::Status& link) override { return link; }
  void Close() override {}
};

int Run(const char* program, bool tls) {
  auto [session_near, session_far] = TcpPair();
  auto [bare_near, bare_far] = TcpPair();
  const std::string far_fd = std::to_string(session_far.get());
  const std::string bare_fd = std::to_string(bare_far.get());
  const char* argv[] = {program, "--serve", far_fd.c_str(), bare_fd.c_str(), tls ? "tls" : "plain",
                        nullptr};
  pid_t child = 0;
  Check(posix_spawn(&child, "/proc/self/exe", nullptr, nullptr, const_cast<char**>(argv),
                    environ) == 0,
        "spawn");
  session_far.Close();
  bare_far.Close();
  const Ref<RemoteSession> session =
      *RemoteSession::Open("child", TransportOf(std::move(session_near), tls, TlsSide::kClient),
                           std::make_unique<NoControl>());
  const Function nothing = *session->GetFunction("bench.nothing");
  const Tensor there =
      *Tensor::Empty({static_cast<int64_t>(kBulk)}, DataType::Int(8), session->device(kDLCPU));
  std::vector<char> bulk(kBulk, 'y');
  const auto bare = [&](char kind) { CallBare(bare_near.get(), kind, bulk); };
  const auto both_ciphers = [&] {
    char ping[kPing] = {'x'};
    SendAll(bare_near.get(), ping, kPing);
    Cipher(bulk, true);
    ReceiveAll(bare_near.get(), ping, kPing);
  };

  std::vector<double> call, bare_call, to, bare_to, from, bare_from, pipelined;
  const auto now = [] { return Clock::now(); };
  const auto add = [](std::vector<double>& list, Clock::time_point begin) {
    list.push_back(std::chrono::duration<double>(Clock::now() - begin).count());
  };
  for (int round = 0; round < kRounds; ++round) {
    for (int i = 0; i < kCalls / kRounds; ++i) {
      auto begin = now();
      nothing();
      add(call, begin);
      begin = now();
      bare('p');
      add(bare_call, begin);
    }
    to.push_back(Seconds([&] { Check(there.CopyFromHost(bulk.data(), kBulk).ok(), "copy"); }));
    bare_to.push_back(Seconds([&] { tls ? both_ciphers() : bare('i'); }));
    from.push_back(Seconds([&] { Check(there.CopyToHost(bulk.data(), kBulk).ok(), "copy"); }));
    bare_from.push_back(Seconds([&] { tls ? both_ciphers() : bare('o'); }));
    pipelined.push_back(Seconds([&] {
      std::vector<RemoteSession::Pending> pending;
      for (int i = 0; i < 10000; ++i) pending.push_back(session->Start(nothing, {}));
      for (auto& one : pending) Check(one.Result().ok(), "call");
    }));
  }
  std::printf("%-44s %10s %10s %-8s %6s\n", "", "session", tls ? "cipher" : "bare", "", "ratio");
  const auto us = [](const std::vector<double>& list) { return Median(list) * 1e6; };
  const auto gb = [](const std::vector<double>& list) { return kBulk / Median(list) / 1e9; };
  Report("an empty call (p50); bare: 64 bytes there, back", us(call), us(bare_call), "us",
         us(call) / us(bare_call));
  Report("64 MiB to the far side", gb(to), gb(bare_to), "GB/s", gb(to) / gb(bare_to));
  Report("64 MiB from the far side", gb(from), gb(bare_from), "GB/s", gb(from) / gb(bare_from));
  std::printf("%-44s %10.0f %10s %s\n", "pipelined empty calls", 10000 / Median(pipelined), "",
              "per second");
  session->Close();
  bare_near.Close();
  waitpid(child, nullptr, 0);
  return 0;
}

}  // namespace
}  // namespace lathe::runtime::rpc

int main(int argc, char** argv) {
  if (argc == 5 && std::string(argv[1]) == "--serve")
    return lathe::runtime::rpc::ServeBoth(std::atoi(argv[2]), std::atoi(argv[3]),
                                          std::string(argv[4]) == "tls");
  return lathe::runtime::rpc::Run(argv[0], argc == 2 && std::string(argv[1]) == "--tls");
}
