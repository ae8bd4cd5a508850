#include "runtime/session/session.h"

#include <gtest/gtest.h>

#include "runtime/device_api.h"
#include "runtime/registry.h"
#include "runtime/status.h"

namespace lathe::runtime {
namespace {

class OneFunction : public ModuleNode {
 public:
  std::string_view kind() const override { return "sessiontest"; }
  Function GetFunction(std::string_view name) override {
    return name == "twice" ? Function::From([](int64_t x) { return 2 * x; }) : Function();
  }
};

TEST(LocalSession, IsThisProcess) {
  const Ref<Session> local = LocalSession();
  EXPECT_EQ(local->id(), SessionId());
  EXPECT_EQ(local->device(kDLCPU), Device::Cpu());
  EXPECT_EQ(SessionOf(Device::Cpu())->get(), local.get());
  EXPECT_EQ(StatusName(SessionOf({kDLCPU, 0, 1}).status()), "session-closed");
  EXPECT_EQ(*local->FindDeviceAPI(kDLCPU), *GetDeviceAPI(kDLCPU));
  EXPECT_EQ(*local->CountDevices(kDLCPU), 1);
  EXPECT_EQ(StatusName(local->CountDevices(kDLVulkan).status()), "device-kind-unavailable");
  EXPECT_EQ(local->DeviceAttribute(kDLCPU, 0, "name")->As<std::string>(), "host processor");
  EXPECT_EQ(StatusName(local->DeviceAttribute(kDLCPU, 1, "name").status()), "device-no-such-id");
  local->Close();  // this process continues
  EXPECT_FALSE(local->closed());
  EXPECT_TRUE(local->CountDevices(kDLCPU).ok());
}

TEST(LocalSession, LoadsAndFinds) {
  const Ref<Session> local = LocalSession();
  ASSERT_TRUE(RegisterGlobal("module.load.sessiontest", Function::From([](const std::string& text) {
                               EXPECT_EQ(text, "bytes");
                               return Module(Make<OneFunction>());
                             }))
                  .ok());
  const Module module = *local->LoadBytes("sessiontest", "bytes");
  EXPECT_EQ((*module.GetFunction("twice"))(21).As<int>(), 42);
  EXPECT_EQ(StatusName(local->LoadBytes("nobody", "").status()), "module-loader-missing");
  EXPECT_EQ(StatusName(local->LoadFile("/no/such/file.so").status()), "module-file-unreadable");
  EXPECT_TRUE(local->GetFunction("module.load.sessiontest").ok());
  EXPECT_EQ(StatusName(local->GetFunction("no.such.function").status()), "registry-not-found");
}

TEST(LocalSession, TimesWithEverySample) {
  int calls = 0, before = 0;
  const Function count = Function::From([&](int64_t by) {
    volatile int64_t sink = 0;
    for (int i = 0; i < 1000; ++i) sink = sink + by;
    calls += static_cast<int>(by);
  });
  const Function preprocess = Function::From([&](int64_t by) { before += static_cast<int>(by); });
  const Value args[] = {Value(int64_t{2})};
  TimerOptions options;
  options.number = 3;
  options.repeat = 4;
  const TimerResult result = *LocalSession()->Time(count, args, Device::Cpu(), options, preprocess);
  EXPECT_EQ(result.seconds.size(), 4u);
  EXPECT_EQ(result.number, 3);
  EXPECT_GT(result.min, 0);
  EXPECT_EQ(calls, 2 * (1 + 3 * 4));  // one call to warm up
  EXPECT_EQ(before, 2 * 4);
  options.repeat = 0;
  EXPECT_EQ(StatusName(LocalSession()->Time(count, args, Device::Cpu(), options, nullptr).status()),
            "timer-invalid-options");
}

}  // namespace
}  // namespace lathe::runtime
