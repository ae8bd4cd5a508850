#include "runtime/device.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "runtime/cpu_device.h"
#include "runtime/device_api.h"
#include "runtime/registry.h"
#include "runtime/status.h"
#include "runtime/stream.h"

namespace lathe::runtime {
namespace {

template <class F>
Diagnostic Thrown(F body) {
  try {
    body();
  } catch (const Error& error) {
    return error.diagnostic();
  }
  return {};
}

TEST(Device, NamesAndCodes) {
  EXPECT_EQ(Device::Parse("cpu"), Device::Cpu());
  EXPECT_EQ(Device::Parse("cuda:3"), (Device{kDLCUDA, 3, 0}));
  EXPECT_EQ(Device::Parse("cl(1)"), (Device{kDLOpenCL, 1, 0}));
  EXPECT_EQ(Device::Parse("opencl:1").ToString(), "opencl:1");
  EXPECT_EQ((Device{kDLCUDA, 1, 2}).ToString(), "session 2 cuda:1");
  EXPECT_EQ(DeviceKindName(999), "kind 999");
}

TEST(Device, OneFormCarriesTheSession) {
  for (const int32_t session : {0, 1, 32767, 32768, 65535}) {
    const Device device{kDLCUDA, 3, session};
    EXPECT_EQ(Device::FromPacked(device.packed()), device);
    EXPECT_EQ(device.packed().device_type == kDLCUDA, session == 0) << session;
  }
}

TEST(Stream, KeepsItsSession) {
  const Device device{kDLCUDA, 1, 7};
  int handle = 0;
  EXPECT_EQ(Stream::Borrowed(device, &handle).device(), device);
}

TEST(Device, BadNamesAreNamed) {
  const Diagnostic unknown = Thrown([] { Device::Parse("cudaa"); });
  EXPECT_EQ(unknown.name, "device-unknown-kind");
  EXPECT_NE(unknown.help.find("`cuda`"), std::string::npos);
  for (const char* bad : {"cuda:", "cuda:-1", "cuda:x", "cuda(1", "cuda:1:2", "cpu:99999999999"})
    EXPECT_NE(Thrown([&] { Device::Parse(bad); }).name, "") << bad;
  EXPECT_EQ(Thrown([] { Device::Parse("cuda:x"); }).name, "device-bad-name");
}

TEST(Device, ExtensionKindsAreRegisteredAtRunTime) {
  const int32_t derived = DeriveDeviceKind("acme");
  EXPECT_GE(derived, 4096);
  EXPECT_LE(derived, 32767);
  ASSERT_EQ(RegisterDeviceKind("acme").value(), derived);
  EXPECT_EQ(RegisterDeviceKind("acme").value(), derived);
  EXPECT_EQ(Device::Parse("acme:2").kind, derived);
  EXPECT_EQ(DeviceKindName(derived), "acme");
  EXPECT_EQ(StatusName(RegisterDeviceKind("acme", 12).status()), "device-kind-taken");
  EXPECT_EQ(StatusName(RegisterDeviceKind("other", derived).status()), "device-kind-taken");
  EXPECT_EQ(StatusName(RegisterDeviceKind("other", kDLHexagon).status()), "device-kind-taken");
  EXPECT_EQ(StatusName(RegisterDeviceKind("other", 5).status()), "device-kind-invalid");
  EXPECT_EQ(StatusName(RegisterDeviceKind("Other", 40).status()), "device-kind-invalid");
  EXPECT_EQ(RegisterDeviceKind("cuda").value(), kDLCUDA);
}

TEST(DeviceApi, MissingOnesSayWhatWouldHelp) {
  const absl::Status missing = GetDeviceAPI(kDLVulkan).status();
  EXPECT_EQ(StatusName(missing), "device-kind-unavailable");
  EXPECT_NE(missing.message().find("vulkan"), std::string_view::npos);
  EXPECT_NE(missing.message().find("LATHE_PLUGIN_PATH"), std::string_view::npos);
  EXPECT_EQ(StatusName(GetDeviceAPI(Device{kDLCPU, 1, 0}).status()), "device-no-such-id");
  EXPECT_EQ(StatusName(GetDeviceAPI(Device{kDLCPU, 0, 1}).status()), "device-remote");
}

TEST(CpuDevice, AllocatesAndTimes) {
  DeviceAPI* cpu = GetDeviceAPI(kDLCPU).value();
  EXPECT_EQ(cpu, CpuDeviceAPI());
  void* data = cpu->Alloc(0, {.bytes = 100, .alignment = 4096}).value();
  EXPECT_EQ(reinterpret_cast<uintptr_t>(data) % 4096, 0u);
  ASSERT_TRUE(cpu->Fill(0, data, 1, 7, 0x0201, 2, nullptr).ok());
  EXPECT_EQ(static_cast<char*>(data)[1], 1);
  EXPECT_EQ(static_cast<char*>(data)[2], 2);
  EXPECT_EQ(static_cast<char*>(data)[7], 1);
  EXPECT_EQ(StatusName(cpu->Fill(0, data, 0, 3, 0, 3, nullptr)), "device-bad-fill");
  EXPECT_TRUE(cpu->Free(0, "global", data).ok());
  EXPECT_EQ(StatusName(cpu->Alloc(0, {.bytes = uint64_t{1} << 62}).status()),
            "device-out-of-memory");
  EXPECT_EQ(StatusName(cpu->Alloc(0, {.scope = "shared", .bytes = 1}).status()),
            "device-no-such-scope");
  EXPECT_GE(cpu->Attribute(0, "multi_processor_count")->As<int>(), 1);
  EXPECT_TRUE(cpu->Attribute(0, "warp_size")->is_none());
  const EventHandle begin = cpu->NewEvent(0).value();
  const EventHandle end = cpu->NewEvent(0).value();
  ASSERT_TRUE(cpu->RecordEvent(0, begin, nullptr).ok());
  EXPECT_EQ(StatusName(cpu->ElapsedNanoseconds(0, begin, end).status()),
            "device-event-not-recorded");
  ASSERT_TRUE(cpu->RecordEvent(0, end, nullptr).ok());
  EXPECT_GE(cpu->ElapsedNanoseconds(0, begin, end).value(), 0.0);
  EXPECT_TRUE(cpu->FreeEvent(0, begin).ok());
  EXPECT_TRUE(cpu->FreeEvent(0, end).ok());
}

TEST(Stream, CurrentOnesArePerThreadAndDevice) {
  const Device cpu = Device::Cpu();
  EXPECT_EQ(CurrentStreamHandle(cpu), nullptr);
  Stream stream = Stream::New(cpu).value();
  EXPECT_NE(stream.handle(), nullptr);
  {
    StreamScope scope(cpu, stream);
    EXPECT_EQ(CurrentStreamHandle(cpu), stream.handle());
    EXPECT_EQ(CurrentStreamHandle(Device{kDLCUDA, 0, 0}), nullptr);
    {
      StreamScope inner(cpu, Stream());
      EXPECT_EQ(CurrentStreamHandle(cpu), nullptr);
    }
    EXPECT_EQ(CurrentStreamHandle(cpu), stream.handle());
    EXPECT_TRUE(Synchronize(cpu).ok());
  }
  EXPECT_EQ(CurrentStreamHandle(cpu), nullptr);
  EXPECT_EQ(Value(stream).As<Stream>().handle(), stream.handle());
}

}  // namespace
}  // namespace lathe::runtime
