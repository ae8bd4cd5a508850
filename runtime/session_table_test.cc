#include "runtime/session_table.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "runtime/raise.h"
#include "runtime/status.h"
#include "runtime/stream.h"
#include "runtime/table.h"
#include "runtime/tensor.h"
#include "runtime/test_device.h"

namespace lathe::runtime {
namespace {

constexpr DataType kFloat = DataType::Float(32);

// Also counts streams that were made and not freed.
class StreamingDevice : public TestDevice {
 public:
  StreamingDevice() : TestDevice(kDLVulkan, /*strided=*/false) {}
  absl::StatusOr<StreamHandle> NewStream(int32_t, StreamKind) override {
    ++streams;
    return reinterpret_cast<StreamHandle>(uintptr_t{17});
  }
  absl::Status FreeStream(int32_t, StreamHandle) override {
    --streams;
    return absl::OkStatus();
  }
  int streams = 0;
};

// A session with two devices of a kind that this process does not have.
class FarSession : public SessionBase {
 public:
  explicit FarSession(std::atomic<int>* gone = nullptr) : gone_(gone) {}
  ~FarSession() override {
    Close();
    if (gone_ != nullptr) ++*gone_;
  }
  std::string_view name() const override { return "far"; }
  absl::StatusOr<DeviceAPI*> FindDeviceAPI(int32_t kind) override {
    if (kind == kDLVulkan) return &device;
    return MakeStatus(absl::StatusCode::kUnavailable, "device-kind-unavailable", "vulkan only");
  }
  void OnClose() override { ++closes; }

  StreamingDevice device;
  std::atomic<int> closes{0};

 private:
  std::atomic<int>* gone_;
};

Ref<FarSession> Open(std::atomic<int>* gone = nullptr) {
  Ref<FarSession> session = Make<FarSession>(gone);
  EXPECT_TRUE(AddSession(session).ok());
  return session;
}
Device At(const Ref<FarSession>& session, int32_t id = 0) {
  return {kDLVulkan, id, session->id().number};
}

TEST(SessionTable, FindsWhatIsOpen) {
  const Ref<FarSession> session = Open();
  const SessionId id = session->id();
  EXPECT_GT(id.number, 0);
  EXPECT_EQ(id.generation, 1u);
  EXPECT_EQ(FindSession(id.number)->get(), session.get());
  EXPECT_EQ(FindSession(id)->get(), session.get());
  EXPECT_EQ(StatusName(FindSession({id.number, 2}).status()), "session-closed");
  for (const int32_t none : {0, -1, 60000, 70000})
    EXPECT_EQ(StatusName(FindSession(none).status()), "session-closed") << none;
  EXPECT_EQ(FindDevice(At(session, 1))->get(), &session->device);
  EXPECT_EQ(StatusName(FindDevice(At(session, 2)).status()), "device-no-such-id");
  EXPECT_EQ(StatusName(FindDevice({kDLCPU, 0, id.number}).status()), "device-kind-unavailable");
  EXPECT_EQ(*(*FindDevices(kDLVulkan, id.number))->Count(), 2);
  // Devices of a session are found only together with a reference.
  EXPECT_EQ(StatusName(GetDeviceAPI(At(session)).status()), "device-remote");
  EXPECT_EQ(FindDevice(Device::Cpu())->get(), *GetDeviceAPI(kDLCPU));
}

TEST(SessionTable, CopiesGoThroughItsDevices) {
  const Ref<FarSession> session = Open();
  const std::vector<float> data = {1, 2, 3, 4, 5, 6};
  const int64_t shape[] = {2, 3};
  const Tensor far = *Tensor::FromHost(data.data(), 24, shape, kFloat, At(session));
  EXPECT_EQ(session->device.copies(), 1);
  std::vector<float> back(6);
  ASSERT_TRUE(far.CopyToHost(back.data(), 24).ok());
  EXPECT_EQ(back, data);
  const Tensor column = *far.Select(1, 2).To(Device::Cpu());  // through the host, copied as a whole
  EXPECT_EQ(column.HostData<const float>()[1], 6);
  // To a second session, through this process.
  const Ref<FarSession> other = Open();
  const Tensor there = *far.To(At(other, 1));
  EXPECT_EQ(there.device().session, other->id().number);
  EXPECT_EQ(there.Clone()->To(Device::Cpu())->HostData<const float>()[5], 6);
  const Stream stream = *Stream::New(At(session));
  const StreamScope scope(At(session), stream);
  ASSERT_TRUE(far.CopyToHost(back.data(), 24).ok());
  EXPECT_EQ(session->device.last_stream(), stream.handle());
  EXPECT_TRUE(Synchronize(At(session)).ok());
}

TEST(SessionTable, TensorsAndStreamsKeepTheSession) {
  std::atomic<int> gone{0};
  Ref<FarSession> session = Open(&gone);
  const Device device = At(session);
  {
    const Tensor view = Tensor::Empty({4}, kFloat, device)->Slice(0, 1, 3);
    const Tensor none = *Tensor::Empty({0}, kFloat, device);
    const Stream stream = *Stream::New(device);
    session = nullptr;
    EXPECT_EQ(gone, 0);
    EXPECT_TRUE(view.To(Device::Cpu()).ok());
    EXPECT_TRUE(none.Clone().ok());
    EXPECT_TRUE(Synchronize(device).ok());
  }
  EXPECT_EQ(gone, 1);
  EXPECT_EQ(StatusName(FindSession(device.session).status()), "session-closed");
  // A tensor without memory keeps its session too.
  {
    const Tensor none = *Tensor::Empty({0}, kFloat, At(Open(&gone)));
    EXPECT_EQ(gone, 1);
    EXPECT_TRUE(none.Clone().ok());
  }
  EXPECT_EQ(gone, 2);
}

TEST(SessionTable, ClosedWhileInUse) {
  std::atomic<int> gone{0};
  Ref<FarSession> session = Open(&gone);
  const Device device = At(session);
  {
    const Tensor tensor = *Tensor::Empty({4}, kFloat, device);
    const Tensor none = *Tensor::Empty({0}, kFloat, device);
    const Stream stream = *Stream::New(device);
    session->Close();
    session->Close();
    EXPECT_EQ(session->closes, 1);
    std::vector<float> data(4);
    for (const absl::Status& status :
         {tensor.CopyToHost(data.data(), 16), tensor.CopyFromHost(data.data(), 16),
          tensor.Clone().status(), tensor.To(Device::Cpu()).status(), none.Clone().status(),
          Tensor::Empty({1}, kFloat, device).status(), Stream::New(device).status(),
          Synchronize(device), FindDevices(kDLVulkan, device.session).status()}) {
      EXPECT_EQ(StatusName(status), "session-closed") << status;
      EXPECT_NE(status.message().find("(far)"), std::string_view::npos) << status;
    }
    EXPECT_EQ(tensor.Slice(0, 1, 2).ToString(),
              "float32[1] on session " + std::to_string(device.session) + " vulkan:0");
  }
  // Dropped but not freed: the far side has freed everything already.
  EXPECT_EQ(session->device.live(), 1u);
  EXPECT_EQ(session->device.streams, 1);
  EXPECT_EQ(gone, 0);
  session = nullptr;
  EXPECT_EQ(gone, 1);
}

TEST(SessionTable, CompiledCodeIsOfThisProcess) {
  const Ref<FarSession> session = Open();
  const DLDevice packed = At(session).packed();
  const auto failed = [] { return std::string(TakePendingError().get()->name); };
  EXPECT_NE(RuntimeTable()->set_device(packed.device_type, 0), 0);
  EXPECT_EQ(failed(), "device-remote");
  EXPECT_EQ(RuntimeTable()->workspace_alloc(packed.device_type, 0, 8, "global"), nullptr);
  EXPECT_EQ(failed(), "device-remote");
}

// All numbers are used once, then the free ones, starting with the one that has been free longest.
TEST(SessionTable, NumbersAreReusedLateAndNeverWhileInUse) {
  std::vector<Ref<FarSession>> open;
  const SessionId first = Open()->id();  // released at once
  const Ref<FarSession> closed = Open();
  const Tensor tensor = *Tensor::Empty({1}, kFloat, At(closed));
  closed->Close();
  const Tensor pin = Tensor::Wrap(reinterpret_cast<void*>(uintptr_t{16}), 0, tensor.shape(), {},
                                  kFloat, At(Open()), nullptr, nullptr);
  const Stream borrowed =
      Stream::Borrowed(At(Open()), reinterpret_cast<StreamHandle>(uintptr_t{16}));
  const SessionId second = Open()->id();
  SessionId last;
  while ((last = Open()->id()).number != kMaxSessions) ASSERT_EQ(last.generation, 1u);
  // Numbers that earlier tests released come back before this one's.
  std::vector<SessionId> again;
  do {
    open.push_back(Open());
    again.push_back(open.back()->id());
    ASSERT_EQ(again.back().generation, 2u);
    for (const int32_t used :
         {closed->id().number, pin.device().session, borrowed.device().session})
      ASSERT_NE(again.back().number, used);
  } while (again.back().number != second.number);
  ASSERT_GE(again.size(), 2u);
  EXPECT_EQ(again[again.size() - 2].number, first.number);
  EXPECT_EQ(StatusName(FindSession(first).status()), "session-closed");
  EXPECT_TRUE(FindSession(first.number).ok());
  // Until no number is left.
  absl::Status full;
  while (full.ok()) {
    open.push_back(Make<FarSession>());
    full = AddSession(open.back());
  }
  EXPECT_EQ(StatusName(full), "session-too-many");
  EXPECT_GE(open.size(), 65000u);
  open.clear();
  EXPECT_GT(Open()->id().number, 0);
}

TEST(SessionTable, ManyThreads) {
  const Ref<FarSession> shared = Open();
  std::atomic<int> gone{0}, refused{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 200; ++i) {
        Ref<FarSession> own = Open(&gone);
        const Tensor tensor = *Tensor::Empty({3}, kFloat, At(own));
        own = nullptr;
        if (!tensor.To(Device::Cpu()).ok() || !FindSession(tensor.device().session).ok()) ++refused;
        if (t == 0 && i == 100) shared->Close();
        const auto from = Tensor::Empty({3}, kFloat, At(shared));
        if (!from.ok() && StatusName(from.status()) != "session-closed") ++refused;
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(gone, 800);
  EXPECT_EQ(refused, 0);
  EXPECT_EQ(shared->closes, 1);
}

}  // namespace
}  // namespace lathe::runtime
