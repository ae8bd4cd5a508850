// Sessions through a proxy, over the loopback interface, with devices that dial out and workers in
// processes of their own.
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <chrono>
#include <future>
#include <memory>
#include <numeric>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/file.h"
#include "runtime/rpc/connect.h"
#include "runtime/rpc/dial.h"
#include "runtime/rpc/process_testing.h"
#include "runtime/rpc/proxy_server.h"
#include "runtime/rpc/server.h"
#include "runtime/rpc/tracker_client.h"
#include "runtime/rpc/tracker_server.h"
#include "runtime/status.h"
#include "runtime/tensor.h"

namespace lathe::runtime::rpc {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

std::string worker_program;

std::unique_ptr<ProxyServer> StartProxy(DoorOptions door = {}, int port = 0,
                                        ProxyLimits limits = {}) {
  ProxyOptions options;
  options.limits = limits;
  options.listen.port = port;
  options.door = std::move(door);
  options.door.machine = ThisMachine();
  return *ProxyServer::Start(std::move(options));
}

std::unique_ptr<Server> StartDevice(int proxy, const std::string& key,
                                    SupervisorOptions supervisor = {}, int tracker = 0) {
  ServerOptions options;
  options.supervisor = std::move(supervisor);
  options.supervisor.key = key;
  options.supervisor.machine = ThisMachine();
  options.worker = {worker_program};
  options.proxy_host = "127.0.0.1";
  options.proxy_port = proxy;
  if (tracker != 0) options.tracker_host = "127.0.0.1";
  options.tracker_port = tracker;
  return *Server::Start(std::move(options));
}

absl::StatusOr<Ref<RemoteSession>> Open(int port, const std::string& key,
                                        std::optional<Secret> secret = {}) {
  ConnectOptions options;
  options.port = port;
  options.control.key = key;
  options.control.secret = secret;
  return Connect(std::move(options));
}

Value Call(RemoteSession& session, const char* name, auto... args) {
  return (*session.GetFunction(name))(args...);
}

TEST(Proxy, ADeviceIsReached) {
  const size_t before = Descriptors();
  {
    const std::unique_ptr<ProxyServer> proxy = StartProxy();
    const std::unique_ptr<Server> device = StartDevice(proxy->port(), "android");
    EXPECT_EQ(device->port(), 0);  // it does not listen
    for (int64_t i = 0; i < 3; ++i) {
      const Ref<RemoteSession> session = *Open(proxy->port(), "android");
      EXPECT_EQ(Call(*session, "test.add", i, 1).As<int64_t>(), i + 1);
      // More than all buffers on the way.
      const int64_t count = 4 << 20;
      const Tensor there = *Tensor::Empty({count}, DataType::Int(32), session->device(kDLCPU));
      std::vector<int32_t> data(count), back(count);
      std::iota(data.begin(), data.end(), static_cast<int32_t>(i));
      ASSERT_TRUE(there.CopyFromHost(data.data(), 4 * data.size()).ok());
      ASSERT_TRUE(there.CopyToHost(back.data(), 4 * back.size()).ok());
      EXPECT_EQ(back, data);
    }
    // A crash behind the proxy is told as one.
    const Ref<RemoteSession> session = *Open(proxy->port(), "");
    EXPECT_EQ(StatusName((*session->GetFunction("test.crash")).TryCall().status()),
              "session-crashed");
  }
  EXPECT_TRUE(Within(milliseconds(3000), [&] { return Descriptors() == before; }));
}

TEST(Proxy, NoDeviceOfThatKey) {
  const std::unique_ptr<ProxyServer> proxy = StartProxy({}, 0, {.absent = 3});
  const std::unique_ptr<Server> device = StartDevice(proxy->port(), "rk3399");
  const auto begin = steady_clock::now();
  const absl::Status status = Open(proxy->port(), "android").status();
  EXPECT_EQ(StatusName(status), "rpc-no-device");
  EXPECT_NE(status.message().find("found: `rk3399`"), std::string::npos) << status;
  EXPECT_LT(steady_clock::now() - begin, milliseconds(15000));
}

TEST(Proxy, ClientsTakeTurnsAndAreSpreadOverDevices) {
  const std::unique_ptr<ProxyServer> proxy = StartProxy();
  const std::unique_ptr<Server> one = StartDevice(proxy->port(), "board");
  const std::unique_ptr<Server> two = StartDevice(proxy->port(), "board");
  Ref<RemoteSession> first = *Open(proxy->port(), "board");
  const Ref<RemoteSession> second = *Open(proxy->port(), "board");
  // Both have a worker, though each device has room for one session.
  EXPECT_NE(Call(*first, "test.pid").As<int64_t>(), Call(*second, "test.pid").As<int64_t>());
  auto third = std::async(std::launch::async, [&] { return Open(proxy->port(), "board"); });
  EXPECT_EQ(third.wait_for(milliseconds(300)), std::future_status::timeout);
  first->Close();
  first = nullptr;
  EXPECT_EQ(Call(**third.get(), "test.add", 1, 2).As<int64_t>(), 3);
}

TEST(Proxy, BothEndsAreTheSecrets) {
  const Secret secret = {1, 2, 3}, other = {4, 5, 6};
  DoorOptions door;
  door.secret = secret;
  const std::unique_ptr<ProxyServer> proxy = StartProxy(door, 0, {.absent = 3});
  SupervisorOptions supervisor;
  supervisor.secret = secret;
  const std::unique_ptr<Server> device = StartDevice(proxy->port(), "android", supervisor);
  EXPECT_EQ(StatusName(Open(proxy->port(), "android").status()), "rpc-secret");
  EXPECT_EQ(StatusName(Open(proxy->port(), "android", other).status()), "rpc-secret");
  EXPECT_EQ(Call(**Open(proxy->port(), "android", secret), "test.add", 1, 2).As<int64_t>(), 3);
  // A device with another secret may not offer itself.
  supervisor.secret = other;
  const std::unique_ptr<Server> stranger = StartDevice(proxy->port(), "strange", supervisor);
  EXPECT_EQ(StatusName(Open(proxy->port(), "strange", secret).status()), "rpc-no-device");
}

TEST(Proxy, StrangersDoNotDisturb) {
  const std::unique_ptr<ProxyServer> proxy = StartProxy();
  const std::unique_ptr<Server> device = StartDevice(proxy->port(), "android");
  std::vector<FileHandle> idle;
  for (int i = 0; i < 200; ++i) idle.push_back(*ConnectTcp("127.0.0.1", proxy->port(), 5));
  for (const std::string& bytes :
       {std::string(100, '\xff'), std::string("GET / HTTP/1.1\r\nHost: of.some.board\r\n\r\n"),
        EncodeFrame(Answer{std::string(16, 'a')}), EncodeFrame(Follow{std::string(16, 'a')}),
        EncodeFrame(Follow{}), EncodeFrame(Offer{}), EncodeFrame(Reach{})}) {
    const FileHandle socket = *ConnectTcp("127.0.0.1", proxy->port(), 5);
    for (size_t at = 0; at < bytes.size();) {
      const ssize_t sent = Uninterrupted(
          [&] { return send(socket.get(), bytes.data() + at, bytes.size() - at, MSG_NOSIGNAL); });
      ASSERT_GT(sent, 0);
      at += static_cast<size_t>(sent);
    }
    std::string answer(4096, '\0');
    const auto receive = [&] {
      return Uninterrupted([&] { return recv(socket.get(), answer.data(), answer.size(), 0); });
    };
    EXPECT_GT(receive(), 0);  // the refusal
    while (receive() > 0) {
    }
  }
  EXPECT_EQ(Call(**Open(proxy->port(), "android"), "test.add", 1, 2).As<int64_t>(), 3);
}

TEST(Proxy, ADeviceThatEndsIsNoticedAndComesAgain) {
  const std::unique_ptr<ProxyServer> proxy = StartProxy();
  std::unique_ptr<Server> device = StartDevice(proxy->port(), "android");
  const Ref<RemoteSession> session = *Open(proxy->port(), "android");
  device = nullptr;
  EXPECT_TRUE(Within(milliseconds(3000), [&] { return !session->files().List().ok(); }));
  // A client that waits has the device when it comes again.
  auto next = std::async(std::launch::async, [&] { return Open(proxy->port(), "android"); });
  EXPECT_EQ(next.wait_for(milliseconds(300)), std::future_status::timeout);
  device = StartDevice(proxy->port(), "android");
  EXPECT_EQ(Call(**next.get(), "test.add", 1, 2).As<int64_t>(), 3);
}

TEST(Proxy, AProxyThatEndsIsFoundAgain) {
  std::unique_ptr<ProxyServer> proxy = StartProxy();
  const int port = proxy->port();
  const std::unique_ptr<Server> device = StartDevice(port, "android");
  const Ref<RemoteSession> session = *Open(port, "android");
  proxy = nullptr;
  EXPECT_TRUE(Within(milliseconds(3000),
                     [&] { return StatusName(session->files().List().status()) == "link-lost"; }));
  EXPECT_EQ(StatusName(Open(port, "android").status()), "rpc-unreachable");
  proxy = StartProxy({}, port);
  EXPECT_EQ(Call(**Open(port, "android"), "test.add", 1, 2).As<int64_t>(), 3);
}

TEST(Proxy, ATrackerLendsDevicesBehindIt) {
  const std::unique_ptr<ProxyServer> proxy = StartProxy();
  TrackerOptions options;
  options.door.machine = ThisMachine();
  const std::unique_ptr<TrackerServer> tracker = *TrackerServer::Start(std::move(options));
  const std::unique_ptr<Server> one = StartDevice(proxy->port(), "phone", {}, tracker->port());
  const std::unique_ptr<Server> two = StartDevice(proxy->port(), "phone", {}, tracker->port());
  TrackerAddress address;
  address.port = tracker->port();
  DeviceRequest request;
  request.key = "phone";
  for (int i = 0; i < 2; ++i) {
    const Ref<RemoteSession> first = *RequestDevice(address, request);
    const Ref<RemoteSession> second = *RequestDevice(address, request);
    EXPECT_NE(Call(*first, "test.pid").As<int64_t>(), Call(*second, "test.pid").As<int64_t>());
  }
  // Without a lease the device takes nobody.
  EXPECT_EQ(StatusName(Open(proxy->port(), "phone").status()), "rpc-lease");
}

}  // namespace
}  // namespace lathe::runtime::rpc

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  lathe::runtime::rpc::worker_program = argv[1];
  return RUN_ALL_TESTS();
}
