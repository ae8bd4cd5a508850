// What somebody between client and server sees, and what comes of it when he changes a byte.
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstring>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/file.h"
#include "runtime/cancel.h"
#include "runtime/rpc/connect.h"
#include "runtime/rpc/dial.h"
#include "runtime/rpc/proxy_server.h"
#include "runtime/rpc/server.h"
#include "runtime/status.h"
#include "runtime/tensor.h"

namespace lathe::runtime::rpc {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

std::string worker_program;

// Listens in front of a port, passes everything on, and keeps it.
class Tap {
 public:
  // Changes one byte: of which connection, in which direction, and where.
  struct Change {
    size_t connection = 99;
    bool to_server = true;
    size_t at = 0;
  };
  explicit Tap(int port, Change change) : port_(port), change_(change) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(address);
    auto* const name = reinterpret_cast<sockaddr*>(&address);
    EXPECT_EQ(bind(listener_.get(), name, size), 0);
    EXPECT_EQ(listen(listener_.get(), 16), 0);
    EXPECT_EQ(getsockname(listener_.get(), name, &size), 0);
    own_port_ = ntohs(address.sin_port);
    accepts_ = std::thread([this] { Accept(); });
  }
  explicit Tap(int port) : Tap(port, Change{}) {}
  ~Tap() {
    stops_ = true;
    accepts_.join();
    for (Line& line : lines_) {
      line.near.Close();
      line.far.Close();
    }
  }
  Tap(const Tap&) = delete;

  int port() const { return own_port_; }
  // Everything that passed, connection by connection.
  std::string Seen() {
    const std::lock_guard lock(mutex_);
    std::string all;
    for (const Line& line : lines_) all += line.seen[0] + line.seen[1];
    return all;
  }
  // Of one direction of one connection.
  std::string Seen(size_t connection, bool to_server) {
    const std::lock_guard lock(mutex_);
    return connection < lines_.size() ? lines_[connection].seen[to_server ? 1 : 0] : "";
  }

 private:
  struct Line {
    FileHandle near, far;
    std::string seen[2];  // to the client, to the server
    bool open = true;
  };

  void Accept() {
    while (!stops_) {
      std::vector<pollfd> polled{{listener_.get(), POLLIN, 0}};
      for (const Line& line : lines_) {
        polled.push_back({line.open ? line.near.get() : -1, POLLIN, 0});
        polled.push_back({line.open ? line.far.get() : -1, POLLIN, 0});
      }
      Uninterrupted([&] { return poll(polled.data(), polled.size(), 20); });
      for (size_t i = 0; 2 * i + 2 < polled.size(); ++i) {
        if (polled[2 * i + 1].revents != 0) Move(i, true);
        if (polled[2 * i + 2].revents != 0) Move(i, false);
      }
      if (polled[0].revents == 0) continue;
      FileHandle near(
          Uninterrupted([&] { return accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC); }));
      absl::StatusOr<FileHandle> far = ConnectTcp("127.0.0.1", port_, 5);
      const std::lock_guard lock(mutex_);
      if (near.is_open() && far.ok())
        lines_.push_back(Line{std::move(near), *std::move(far), {}, true});
    }
  }

  void Move(size_t number, bool to_server) {
    Line& line = lines_[number];
    if (!line.open) return;
    char bytes[65536];
    const ssize_t got = Uninterrupted(
        [&] { return read((to_server ? line.near : line.far).get(), bytes, sizeof(bytes)); });
    if (got <= 0) {
      line.open = false;
      shutdown(line.near.get(), SHUT_RDWR);
      shutdown(line.far.get(), SHUT_RDWR);
      return;
    }
    const std::lock_guard lock(mutex_);
    std::string& seen = line.seen[to_server ? 1 : 0];
    const size_t before = seen.size();
    seen.append(bytes, static_cast<size_t>(got));
    if (number == change_.connection && to_server == change_.to_server && change_.at >= before &&
        change_.at < seen.size())
      bytes[change_.at - before] = static_cast<char>(bytes[change_.at - before] ^ 8);
    WriteAll((to_server ? line.far : line.near).get(), {bytes, static_cast<size_t>(got)});
  }

  const int port_;
  const Change change_;
  int own_port_ = 0;
  FileHandle listener_{socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
  std::atomic<bool> stops_ = false;
  std::mutex mutex_;        // the bytes that were seen
  std::deque<Line> lines_;  // of the thread, which alone adds to it
  std::thread accepts_;
};

std::unique_ptr<Server> Start(std::optional<Secret> secret, int proxy = 0) {
  ServerOptions options;
  options.supervisor.secret = secret;
  options.supervisor.machine = ThisMachine();
  options.worker = {worker_program};
  if (proxy != 0) options.proxy_host = "127.0.0.1";
  options.proxy_port = proxy;
  return *Server::Start(std::move(options));
}

const std::string kText = "words that anybody would know again: ";

// Sends and fetches a file, and calls a function. OK only if all that came back is right.
absl::Status Use(int port, std::optional<Secret> secret) {
  Cancellation stop;
  stop.SetDeadline(steady_clock::now() + milliseconds(3000));
  const CancelScope scope(stop);
  try {
    ConnectOptions options;
    options.port = port;
    options.control.secret = secret;
    LATHE_ASSIGN_OR_RETURN(const Ref<RemoteSession> session, Connect(std::move(options)));
    std::string bytes;
    for (int i = 0; i < 1000; ++i) bytes += kText + std::to_string(i);
    LATHE_RETURN_IF_ERROR(session->files().Upload("file", bytes));
    LATHE_ASSIGN_OR_RETURN(const std::string back, session->files().Download("file"));
    LATHE_ASSIGN_OR_RETURN(const Function add, session->GetFunction("test.add"));
    LATHE_ASSIGN_OR_RETURN(const Value sum, add.TryCall(1, 2));
    if (back != bytes || sum.As<int64_t>() != 3) return absl::InternalError("other bytes");
    return absl::OkStatus();
  } catch (const Interrupted&) {
    return MakeStatus(absl::StatusCode::kDeadlineExceeded, "waits", "for bytes that never come");
  }
}

TEST(Eavesdropper, SeesNothingOfASessionWithASecret) {
  const Secret secret{7};
  const auto sees = [](Tap& tap, std::string_view text) {
    return tap.Seen().find(text) != std::string::npos;
  };
  {
    const std::unique_ptr<Server> server = Start(std::nullopt);
    Tap tap(server->port());
    ASSERT_TRUE(Use(tap.port(), std::nullopt).ok());
    EXPECT_TRUE(sees(tap, kText));  // so the test would see it
    EXPECT_TRUE(sees(tap, "test.add"));
  }
  const std::unique_ptr<Server> server = Start(secret);
  Tap tap(server->port());
  ASSERT_TRUE(Use(tap.port(), secret).ok());
  EXPECT_FALSE(sees(tap, kText));
  EXPECT_FALSE(sees(tap, "words that"));
  EXPECT_FALSE(sees(tap, "test.add"));
  EXPECT_GT(tap.Seen(1, true).size(), 1000 * kText.size());
}

TEST(Eavesdropper, ChangesNothingUnseen) {
  const Secret secret{7};
  const std::unique_ptr<Server> server = Start(secret);
  int64_t refused = 0, untouched = 0;
  for (size_t connection : {0, 1}) {
    for (const bool to_server : {true, false}) {
      for (const size_t at : {60, 190, 333, 420, 600, 5000, 30000}) {
        SCOPED_TRACE(std::to_string(connection) + (to_server ? " to server, " : " to client, ") +
                     std::to_string(at));
        Tap tap(server->port(), {connection, to_server, at});
        const absl::Status end = Use(tap.port(), secret);
        const bool touched = tap.Seen(connection, to_server).size() > at;
        EXPECT_NE(end.code(), absl::StatusCode::kInternal) << end;
        // Heartbeats and the end of the control connection may come after all was done.
        if (touched && connection == 1) EXPECT_FALSE(end.ok());
        if (!touched) EXPECT_TRUE(end.ok()) << end;
        ++(end.ok() ? untouched : refused);
      }
    }
  }
  EXPECT_GT(refused, 15);
  EXPECT_GT(untouched, 0);
}

// A proxy passes what it cannot read: what goes in on one side comes out on the other.
TEST(Eavesdropper, AProxyOnlyPassesBytes) {
  const Secret secret{7};
  ProxyOptions options;
  options.door.secret = secret;
  options.door.machine = ThisMachine();
  const std::unique_ptr<ProxyServer> proxy = *ProxyServer::Start(std::move(options));
  Tap near(proxy->port()), far(proxy->port());
  const std::unique_ptr<Server> device = Start(secret, far.port());
  ASSERT_TRUE(Use(near.port(), secret).ok());
  EXPECT_EQ(near.Seen().find(kText), std::string::npos);
  EXPECT_EQ(far.Seen().find(kText), std::string::npos);
  const std::string sent = near.Seen(1, true);
  ASSERT_GT(sent.size(), 1000 * kText.size());
  EXPECT_NE(far.Seen().find(sent.substr(sent.size() / 2, 10000)), std::string::npos);
}

}  // namespace
}  // namespace lathe::runtime::rpc

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  signal(SIGPIPE, SIG_IGN);  // a tap writes to sides that may be gone
  lathe::runtime::rpc::worker_program = argv[1];
  return RUN_ALL_TESTS();
}
