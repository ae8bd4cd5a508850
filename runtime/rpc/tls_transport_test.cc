// TLS over transports that take and give what they like, with one thread for each direction.
#include "runtime/rpc/tls_transport.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "runtime/rpc/connection.h"
#include "runtime/status.h"

namespace lathe::runtime::rpc {
namespace {

absl::Status GoOn() { return absl::OkStatus(); }

// Passes bytes in random pieces, sometimes none; changes the byte with number `changed` of those
// that are sent.
class OddTransport final : public Transport {
 public:
  OddTransport(FileHandle socket, unsigned seed, int64_t changed = -1)
      : inner_(NewSocketTransport(std::move(socket))),
        receive_(seed),
        send_(seed + 1),
        changed_(changed) {}

  absl::StatusOr<size_t> Receive(char* out, size_t size) override {
    return inner_->Receive(out, std::min<size_t>(size, 1 + receive_() % Most(receive_)));
  }
  absl::StatusOr<size_t> Send(std::span<const iovec> pieces) override {
    if (send_() % 4 == 0) return size_t{0};
    const auto* const from = static_cast<const char*>(pieces.front().iov_base);
    std::string bytes(from, std::min<size_t>(pieces.front().iov_len, 1 + send_() % Most(send_)));
    const int64_t at = changed_ - sent_;
    if (at >= 0 && at < static_cast<int64_t>(bytes.size()))
      bytes[static_cast<size_t>(at)] = static_cast<char>(bytes[static_cast<size_t>(at)] ^ 4);
    const iovec piece{bytes.data(), bytes.size()};
    const absl::StatusOr<size_t> sent = inner_->Send({&piece, 1});
    if (sent.ok()) sent_ += static_cast<int64_t>(*sent);
    return sent;
  }
  void WaitToSend(bool or_received) override { inner_->WaitToSend(or_received); }
  bool Receivable() override { return inner_->Receivable(); }
  void Shutdown() override { inner_->Shutdown(); }

 private:
  static size_t Most(std::minstd_rand& random) { return random() % 5 == 0 ? 3 : 30000; }

  std::unique_ptr<Transport> inner_;
  std::minstd_rand receive_, send_;
  int64_t changed_, sent_ = 0;
};

using Made = absl::StatusOr<std::unique_ptr<Transport>>;

std::pair<Made, Made> Meet(std::unique_ptr<Transport> client, std::unique_ptr<Transport> server,
                           const Secret& client_key = {}, const Secret& server_key = {}) {
  auto far = std::async(std::launch::async, [&] {
    Made made = NewTlsTransport(std::move(server), TlsSide::kServer, server_key, GoOn);
    return made;
  });
  Made near = NewTlsTransport(std::move(client), TlsSide::kClient, client_key, GoOn);
  return {std::move(near), far.get()};
}

TEST(TlsTransport, CarriesBothDirectionsAtOnce) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE(seed);
    auto [near, far] = *NewSocketPair();
    auto [client, server] = Meet(std::make_unique<OddTransport>(std::move(near), seed),
                                 std::make_unique<OddTransport>(std::move(far), seed + 100));
    ASSERT_TRUE(client.ok() && server.ok());
    // A mebibyte each way in frames, more than the system keeps: both must read while they write.
    std::string text(size_t{1} << 20, '\0');
    std::minstd_rand random(seed);
    for (char& c : text) c = static_cast<char>(random());
    Connection ends[] = {Connection(*std::move(client)), Connection(*std::move(server))};
    std::vector<std::thread> threads;
    std::atomic<int> good = 0;
    for (Connection& end : ends) {
      threads.emplace_back([&] {
        const absl::StatusOr<uint64_t> sent = end.WriteChunks(3, text, [&] {
          end.transport().WaitToSend(false);
          return absl::OkStatus();
        });
        good += sent.ok() ? 1 : 0;
      });
      threads.emplace_back([&] {
        Header header;
        absl::StatusOr<bool> there = false;
        while (there.ok() && !*there) there = end.ReadHeader(&header);
        if (!there.ok()) return;
        const absl::StatusOr<Frame> frame = end.ReadFrame(header);
        good += frame.ok() && frame->body == text ? 1 : 0;
      });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(good, 4);
  }
}

TEST(TlsTransport, AnotherKeyAndStrangers) {
  auto [near, far] = *NewSocketPair();
  auto [client, server] =
      Meet(NewSocketTransport(std::move(near)), NewSocketTransport(std::move(far)), {1}, {2});
  EXPECT_EQ(StatusName(server.status()), "rpc-tls");
  EXPECT_EQ(StatusName(client.status()), "rpc-tls");

  auto [strange, own] = *NewSocketPair();
  ASSERT_TRUE(WriteAll(strange.get(), "LRPC: a side without TLS, or one that was told so").ok());
  EXPECT_EQ(
      StatusName(
          NewTlsTransport(NewSocketTransport(std::move(own)), TlsSide::kServer, {}, GoOn).status()),
      "rpc-tls");

  auto [gone, left] = *NewSocketPair();
  gone.Close();
  EXPECT_EQ(
      StatusName(NewTlsTransport(NewSocketTransport(std::move(left)), TlsSide::kServer, {}, GoOn)
                     .status()),
      "link-lost");

  auto [silent, waits] = *NewSocketPair();
  EXPECT_EQ(StatusName(NewTlsTransport(NewSocketTransport(std::move(waits)), TlsSide::kServer, {},
                                       [] { return LinkLost("enough"); })
                           .status()),
            "link-lost");
}

// A byte that somebody changes: what was sent before it arrives, and then there is an error, for
// the reader and for whoever writes to it.
TEST(TlsTransport, AChangedByteEndsIt) {
  for (const int64_t at : {2000, 20000, 40000, 99990}) {
    SCOPED_TRACE(at);
    auto [near, far] = *NewSocketPair();
    auto [client, server] = Meet(std::make_unique<OddTransport>(std::move(near), 5u, at),
                                 NewSocketTransport(std::move(far)));
    ASSERT_TRUE(client.ok() && server.ok());
    Connection out(*std::move(client));
    std::string got;
    absl::Status end;
    std::thread reads([&, &in = **server] {
      std::vector<char> bytes(30000);
      while (end.ok()) {
        const absl::StatusOr<size_t> more = in.Receive(bytes.data(), bytes.size());
        end = more.status();
        if (more.ok()) got.append(bytes.data(), *more);
      }
    });
    EXPECT_TRUE(out.Write(std::string(100000, 'x'),
                          [&] {
                            out.transport().WaitToSend(false);
                            return absl::OkStatus();
                          })
                    .ok());
    reads.join();
    EXPECT_EQ(StatusName(end), "rpc-tls");
    EXPECT_LT(static_cast<int64_t>(got.size()), at);
    EXPECT_EQ(got, std::string(got.size(), 'x'));
    char byte = 0;
    absl::StatusOr<size_t> told = size_t{0};
    while (told.ok() && *told == 0) told = out.transport().Receive(&byte, 1);
    EXPECT_EQ(StatusName(told.status()), "rpc-tls");
  }
}

}  // namespace
}  // namespace lathe::runtime::rpc
