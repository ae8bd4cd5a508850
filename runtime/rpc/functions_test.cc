// Sessions and servers by the C API alone: functions of the registry, called with values.
#include "runtime/rpc/functions.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/file.h"
#include "runtime/c_api.h"
#include "runtime/init.h"
#include "runtime/registry.h"
#include "runtime/rpc/proxy_server.h"
#include "runtime/tensor.h"

namespace lathe::runtime::rpc {
namespace {

class RpcFunctions : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    Initialize();
    RegisterRpcFunctions();
    RegisterRpcFunctions();
    RegisterGlobal("test.add", Function::From([](int64_t a, int64_t b) { return a + b; }),
                   Override::kReplace, Exported::kYes)
        .IgnoreError();
  }
};

// As C programs call it.
Value Call(const char* name, auto... args) {
  lathe_function* found = nullptr;
  lathe_error* problem = lathe_global_find(name, &found);
  EXPECT_EQ(problem, nullptr) << name;
  const Function function = Function::Adopt(found);
  const std::vector<Value> values = {Value(args)...};
  std::vector<lathe_value> passed;
  for (const Value& value : values) passed.push_back(value.c());
  lathe_value result{};
  problem = lathe_function_call(found, passed.data(), static_cast<int32_t>(passed.size()), &result);
  if (problem == nullptr) return Value::Adopt(result);
  lathe_string* text = nullptr;
  EXPECT_EQ(lathe_error_text(problem, &text), nullptr);
  std::string page(text->data, text->size);
  lathe_object_release(&text->object);
  lathe_object_release(&problem->object);
  return Value(page);
}

// What a call that must fail says.
std::string Failure(const char* name, auto... args) {
  const Value result = Call(name, args...);
  return result.Is<std::string>() ? result.As<std::string>() : "it did not fail";
}

bool Has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

TEST_F(RpcFunctions, ASession) {
  const auto server = Call("rpc.serve", "127.0.0.1", 0, "board", "", false).As<int64_t>();
  const auto port = Call("rpc.server.port", server).As<int64_t>();
  ASSERT_GT(port, 0);
  const auto session = Call("rpc.connect", "127.0.0.1", port, "board", 0.0, "").As<int64_t>();

  const auto add = Call("rpc.session.function", session, "test.add").As<Function>();
  EXPECT_EQ(add(3, 4).As<int64_t>(), 7);

  const std::string bytes("one\0two", 7);
  Call("rpc.session.upload", session, "data.bin", Value::Bytes(bytes));
  const auto files = Call("rpc.session.files", session).As<std::vector<Value>>();
  ASSERT_EQ(files.size(), 1U);
  EXPECT_EQ(files[0].As<std::string>(), "data.bin");
  EXPECT_EQ(Call("rpc.session.download", session, "data.bin").As<std::string>(), bytes);
  EXPECT_TRUE(Has(Failure("rpc.session.load", session, "data.bin"), "data.bin"));
  Call("rpc.session.remove", session, "data.bin");
  EXPECT_TRUE(Call("rpc.session.files", session).As<std::vector<Value>>().empty());

  const auto device = Call("rpc.session.device", session, int64_t{kDLCPU}, 0).As<Device>();
  const Tensor there = *Tensor::Empty({3}, DataType::Float(32), device);
  const std::vector<float> data = {1, 2, 3};
  std::vector<float> back(3);
  ASSERT_TRUE(there.CopyFromHost(data.data(), 12).ok());
  ASSERT_TRUE(there.CopyToHost(back.data(), 12).ok());
  EXPECT_EQ(back, data);

  const auto seconds = Call("rpc.session.time", session, add, device, 10, 3, 0.0,
                            std::vector<Value>{Value(1), Value(2)})
                           .As<std::vector<Value>>();
  ASSERT_EQ(seconds.size(), 3U);
  for (const Value& sample : seconds) EXPECT_GT(sample.As<double>(), 0);

  Call("rpc.session.close", session);
  EXPECT_TRUE(Has(Failure("rpc.session.files", session), "session-closed"));
  Call("rpc.server.stop", server);
  EXPECT_TRUE(Has(Failure("rpc.server.stop", server), "rpc-server-closed"));
  EXPECT_TRUE(Has(Failure("rpc.connect", "127.0.0.1", port, "", 0.0, ""), "rpc-unreachable"));
}

// A dropped session lasts as long as what came from it; then the server takes the next one.
TEST_F(RpcFunctions, ADroppedSession) {
  const auto server = Call("rpc.serve", "127.0.0.1", 0, "", "", false).As<int64_t>();
  const auto port = Call("rpc.server.port", server).As<int64_t>();
  const auto session = Call("rpc.connect", "127.0.0.1", port, "", 0.0, "").As<int64_t>();
  auto add = Call("rpc.session.function", session, "test.add").As<Function>();
  Call("rpc.session.drop", session);
  Call("rpc.session.drop", session);
  EXPECT_TRUE(Has(Failure("rpc.session.files", session), "session-closed"));
  EXPECT_EQ(add(3, 4).As<int64_t>(), 7);
  add = Function();
  // It waits while another session is open.
  const auto next = Call("rpc.connect", "127.0.0.1", port, "", 0.0, "").As<int64_t>();
  EXPECT_TRUE(Call("rpc.session.files", next).As<std::vector<Value>>().empty());
  Call("rpc.session.close", next);
  Call("rpc.session.drop", next);
  Call("rpc.server.stop", server);
}

TEST_F(RpcFunctions, BehindAProxy) {
  ProxyOptions options;
  options.door.machine = ThisMachine();
  const std::unique_ptr<ProxyServer> proxy = *ProxyServer::Start(std::move(options));
  const auto server =
      Call("rpc.serve_at_proxy", "127.0.0.1", proxy->port(), "android", "").As<int64_t>();
  EXPECT_EQ(Call("rpc.server.port", server).As<int64_t>(), 0);
  const auto session =
      Call("rpc.connect", "127.0.0.1", proxy->port(), "android", 0.0, "").As<int64_t>();
  EXPECT_EQ(Call("rpc.session.function", session, "test.add").As<Function>()(1, 2).As<int64_t>(),
            3);
  Call("rpc.session.close", session);
  Call("rpc.server.stop", server);
}

TEST_F(RpcFunctions, WhatTheyRefuse) {
  for (const int64_t number : {int64_t{0}, int64_t{1} << 32, int64_t{77}, int64_t{-1}})
    EXPECT_TRUE(Has(Failure("rpc.session.files", number), "session-closed")) << number;
  EXPECT_TRUE(Has(Failure("rpc.server.port", 12345), "rpc-server-closed"));
  EXPECT_TRUE(Has(Failure("rpc.serve", "0.0.0.0", 0, "", "", false), "rpc-insecure"));
  EXPECT_TRUE(Has(Failure("rpc.serve", "127.0.0.1", 0, "", "/none", false), "rpc-secret-file"));
  EXPECT_TRUE(Has(Failure("rpc.connect", "127.0.0.1"), "call-wrong-argument-count"));
  EXPECT_TRUE(Has(Failure("rpc.request", "127.0.0.1", 1, "key", 1, 0.0, ""), "rpc-unreachable"));
  // Only the user's own program may call them.
  EXPECT_FALSE(FindExported("rpc.connect").ok());
}

}  // namespace
}  // namespace lathe::runtime::rpc
