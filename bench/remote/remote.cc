// The cost of a session over TCP on this machine, beside bare sockets that do the same, in turns.
//
//   bazel run --config=ci //bench/remote [-- --tls]
//
// With --tls the session is under TLS, and copies are compared with the cipher alone: both sides'
// work on as many bytes at the same time, by the same library, without sockets. The far side is another process: this program again.
// Prints medians and ratios.
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/file.h"
#include "mbedtls/chachapoly.h"
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

constexpr size_t kPing = 64;
constexpr size_t kBulk = size_t{64} << 20;
constexpr int kRounds = 15, kCalls = 2000;

using Clock = std::chrono::steady_clock;

double Seconds(const std::function<void()>& work) {
  const auto begin = Clock::now();
  work();
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

double Median(std::vector<double> items) {
  std::sort(items.begin(), items.end());
  return items[items.size() / 2];
}

void Check(bool good, const char* what) {
  if (good) return;
  std::fprintf(stderr, "remote: %s: %s\n", what, std::strerror(errno));
  std::exit(1);
}

// Two ends of a TCP connection over the loopback interface.
std::pair<FileHandle, FileHandle> TcpPair() {
  FileHandle listener(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  auto* const name = reinterpret_cast<sockaddr*>(&address);
  Check(bind(listener.get(), name, size) == 0 && listen(listener.get(), 1) == 0 &&
            getsockname(listener.get(), name, &size) == 0,
        "listen");
  FileHandle near(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  Check(connect(near.get(), name, size) == 0, "connect");
  FileHandle far(accept(listener.get(), nullptr, nullptr));
  Check(far.is_open(), "accept");
  const int on = 1;
  for (const int end : {near.get(), far.get()})
    setsockopt(end, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
  return {std::move(near), std::move(far)};
}

void SendAll(int socket, const char* data, size_t size) {
  while (size > 0) {
    const ssize_t sent = send(socket, data, size, MSG_NOSIGNAL);
    Check(sent > 0, "send");
    data += sent;
    size -= static_cast<size_t>(sent);
  }
}

bool ReceiveAll(int socket, char* data, size_t size) {
  while (size > 0) {
    const ssize_t got = recv(socket, data, size, 0);
    if (got <= 0) return false;
    data += got;
    size -= static_cast<size_t>(got);
  }
  return true;
}

// Puts kBulk bytes under the cipher, or takes it off, in pieces as large as a record of TLS.
void Cipher(std::vector<char>& bulk, bool lock) {
  constexpr size_t kPiece = 16384;
  const unsigned char key[32] = {}, nonce[12] = {}, more[13] = {};
  mbedtls_chachapoly_context context;
  mbedtls_chachapoly_init(&context);
  mbedtls_chachapoly_setkey(&context, key);
  for (size_t at = 0; at < bulk.size(); at += kPiece) {
    auto* const bytes = reinterpret_cast<unsigned char*>(bulk.data()) + at;
    unsigned char tag[16] = {};
    if (lock) {
      mbedtls_chachapoly_encrypt_and_tag(&context, kPiece, nonce, more, sizeof(more), bytes, bytes,
                                         tag);
    } else {
      // The tag is wrong: the library reads all bytes before it says so.
      mbedtls_chachapoly_auth_decrypt(&context, kPiece, nonce, more, sizeof(more), tag, bytes,
                                      bytes);
    }
  }
  mbedtls_chachapoly_free(&context);
}

// The bare peer: answers a ping with as many bytes, an 'i' by taking kBulk, an 'o' by sending them,
// a 'c' by the cipher's work on them.
void ServeBare(int socket) {
  std::vector<char> bulk(kBulk, 'x');
  char ping[kPing];
  while (ReceiveAll(socket, ping, kPing)) {
    if (ping[0] == 'i') ReceiveAll(socket, bulk.data(), kBulk);
    if (ping[0] == 'o') SendAll(socket, bulk.data(), kBulk);
    if (ping[0] == 'c') Cipher(bulk, false);
    SendAll(socket, ping, kPing);
  }
}

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
    ServeBare(bare);
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

void Report(const char* what, double ours, double bare, const char* unit, double ratio) {
  std::printf("%-44s %10.2f %10.2f %-8s %6.2f\n", what, ours, bare, unit, ratio);
}

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
  char ping[kPing] = {};
  const auto bare = [&](char kind) {
    ping[0] = kind;
    SendAll(bare_near.get(), ping, kPing);
    if (kind == 'i') SendAll(bare_near.get(), bulk.data(), kBulk);
    if (kind == 'c') Cipher(bulk, true);
    if (kind == 'o') ReceiveAll(bare_near.get(), bulk.data(), kBulk);
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
    bare_to.push_back(Seconds([&] { bare(tls ? 'c' : 'i'); }));
    from.push_back(Seconds([&] { Check(there.CopyToHost(bulk.data(), kBulk).ok(), "copy"); }));
    bare_from.push_back(Seconds([&] { bare(tls ? 'c' : 'o'); }));
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
