#include "runtime/session/loopback_session.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "base/file.h"
#include "runtime/registry.h"
#include "runtime/status.h"
#include "runtime/stream.h"
#include "runtime/tensor.h"

namespace lathe::runtime {
namespace {

constexpr DataType kFloat = DataType::Float(32);

Ref<LoopbackSession> Open() { return *LoopbackSession::Open(); }

// 0, 1, 2, ... on the device.
Tensor Iota(std::vector<int64_t> shape, const Device& device) {
  Tensor tensor = *Tensor::Empty(shape, kFloat);
  std::iota(tensor.HostData<float>(), tensor.HostData<float>() + tensor.num_elements(), 0.0f);
  return *tensor.To(device);
}
float First(const Tensor& tensor) { return *tensor.To(Device::Cpu())->HostData<const float>(); }

// Returns true if the system can read a byte there, that is, if it is an address of this process.
bool Readable(const void* at) {
  int ends[2];
  if (pipe(ends) != 0) return true;
  const bool read = Uninterrupted([&] { return write(ends[1], at, 1); }) == 1;
  const bool fault = errno == EFAULT;
  close(ends[0]);
  close(ends[1]);
  return read || !fault;
}

TEST(LoopbackSession, HandlesAreNoAddresses) {
  const Ref<LoopbackSession> session = Open();
  const Device device = session->device(kDLCPU);
  const Tensor tensor = *Tensor::Empty({1000}, kFloat, device);
  const Tensor view = tensor.Slice(0, 500, 600);
  const Stream stream = *Stream::New(device);
  EXPECT_TRUE(Readable(&session));
  for (void* handle : {tensor.dl().data, view.dl().data, stream.handle()}) {
    EXPECT_FALSE(Readable(handle)) << handle;
    EXPECT_EQ(reinterpret_cast<uintptr_t>(handle) % 2, 1u);
  }
  EXPECT_EQ(view.dl().data, tensor.dl().data);  // only its session interprets the offset
  EXPECT_NE((*Tensor::Empty({1}, kFloat, device)).dl().data, tensor.dl().data);
}

TEST(LoopbackSession, CopiesGoThroughIt) {
  const Ref<LoopbackSession> session = Open(), other = Open();
  const Device device = session->device(kDLCPU);
  const Tensor tensor = Iota({4, 5}, device);
  LoopbackDevice* const api = session->FindUsed(kDLCPU);
  ASSERT_NE(api, nullptr);
  EXPECT_EQ(api->copies(), 1);
  EXPECT_EQ(First(tensor.Slice(0, 2, 4).Slice(1, 3, 5)), 13);
  EXPECT_EQ(api->copies(), 2);
  EXPECT_EQ(First(*tensor.Select(1, 4).Clone()), 4);
  const Tensor moved = *tensor.To(other->device(kDLCPU));
  EXPECT_EQ(moved.device(), other->device(kDLCPU));
  EXPECT_EQ(First(moved.Select(0, 3)), 15);
  const Tensor part = tensor.Slice(1, 1, 2);
  ASSERT_TRUE(part.CopyFrom(moved.Slice(1, 0, 1)).ok());
  EXPECT_EQ(First(tensor.Select(0, 1).Slice(0, 1, 2)), 5);
  EXPECT_EQ(First(tensor.Select(0, 1).Slice(0, 2, 3)), 7);
  const Stream stream = *Stream::New(device);
  const StreamScope scope(device, stream);
  EXPECT_EQ(First(tensor), 0);
  EXPECT_TRUE(Synchronize(device).ok());
  EXPECT_EQ(*session->CountDevices(kDLCPU), 1);
  EXPECT_EQ(session->DeviceAttribute(kDLCPU, 0, "name")->As<std::string>(), "host processor");
}

TEST(LoopbackSession, HandlesAndViewsAreChecked) {
  const Ref<LoopbackSession> session = Open();
  const Device device = session->device(kDLCPU);
  const auto first_of = [&](void* handle, int64_t extent, uint64_t offset) {
    const int64_t shape[] = {extent};
    return std::string(
        StatusName(Tensor::Wrap(handle, offset, shape, {}, kFloat, device, nullptr, nullptr)
                       .To(Device::Cpu())
                       .status()));
  };
  void* stale = nullptr;
  {
    const Tensor tensor = Iota({4}, device);
    stale = tensor.dl().data;
    EXPECT_EQ(first_of(stale, 4, 0), "");
    EXPECT_EQ(first_of(stale, 5, 0), "session-view-outside");
    EXPECT_EQ(first_of(stale, 1, 16), "session-view-outside");
    EXPECT_EQ(first_of(stale, 1, uint64_t{1} << 40),
              sizeof(void*) == 8 ? "session-view-outside" : "tensor-invalid");
    EXPECT_EQ(first_of(stale, 1, uint64_t(-4)), "tensor-invalid");  // beyond all addresses
    const int64_t shape[] = {2}, strides[] = {-1};
    const auto back = [&](uint64_t offset) {
      return std::string(
          StatusName(Tensor::Wrap(stale, offset, shape, strides, kFloat, device, nullptr, nullptr)
                         .Clone()
                         .status()));
    };
    EXPECT_EQ(back(4), "");
    EXPECT_EQ(back(0), "session-view-outside");
    EXPECT_EQ(StatusName(session->FindUsed(kDLCPU)->Fill(0, stale, 8, 9, 0, 1, nullptr)),
              "session-view-outside");
  }
  const Tensor another = Iota({4}, device);
  EXPECT_EQ(first_of(stale, 4, 0), "session-unknown-handle");
  EXPECT_EQ(first_of(&stale, 4, 0), "session-unknown-handle");
  EXPECT_EQ(StatusName(session->FindUsed(kDLCPU)->Free(0, "global", stale)),
            "session-unknown-handle");
  EXPECT_EQ(session->FindUsed(kDLCPU)->live(), 1u);
}

class Adder : public ModuleNode {
 public:
  std::string_view kind() const override { return "loopbacktest"; }
  Function GetFunction(std::string_view name) override {
    if (name == "sum")
      return Function::From([](const Tensor& tensor, const Device& device) {
        EXPECT_EQ(device, Device::Cpu());
        const float* data = tensor.HostData<const float>();
        return std::accumulate(data, data + tensor.num_elements(), 0.0);
      });
    if (name == "self") return Function::From([self = Module(Ref<Adder>(this))] { return self; });
    if (name == "same")
      return Function::From([](const Args& args, Value* out) { *out = args[0].ToValue(); });
    if (name == "keep")
      return Function::From([kept = std::make_shared<Tensor>()](const Args& args, Value* out) {
        if (args.size() == 1) *kept = args[0].As<Tensor>();
        if (args.size() == 0) *out = Value(*kept);
      });
    if (name == "make")
      return Function::From([](int64_t n) { return Iota({n, 2}, Device::Cpu()).Select(1, 1); });
    return Function();
  }
};

Function Far(const Ref<LoopbackSession>& session, const char* name) {
  RegisterGlobal("module.load.loopbacktest",
                 Function::From([](const std::string&) { return Module(Make<Adder>()); }),
                 Override::kReplace)
      .IgnoreError();
  return *session->LoadBytes("loopbacktest", "")->GetFunction(name);
}

TEST(LoopbackSession, FunctionsTakeItsTensorsOnly) {
  const Ref<LoopbackSession> session = Open(), other = Open();
  const Device device = session->device(kDLCPU);
  const Function sum = Far(session, "sum");
  const Tensor tensor = Iota({2, 3}, device);
  EXPECT_EQ(sum(tensor.Reshape(std::vector<int64_t>{6}).Slice(0, 4, 6), device).As<double>(), 9);
  EXPECT_EQ(sum(&tensor.dl(), device).As<double>(), 15);
  EXPECT_EQ(StatusName(sum.TryCall(tensor, Device::Cpu()).status()), "session-argument");
  EXPECT_EQ(StatusName(sum.TryCall(Iota({2}, Device::Cpu()), device).status()), "session-argument");
  const absl::Status foreign = sum.TryCall(Iota({2}, other->device(kDLCPU)), device).status();
  EXPECT_EQ(StatusName(foreign), "session-argument");
  EXPECT_NE(foreign.message().find("argument 0, "), std::string_view::npos) << foreign;
  int local = 0;
  EXPECT_EQ(StatusName(sum.TryCall(static_cast<void*>(&local), device).status()),
            "session-argument");
  // The result belongs to the session.
  const size_t live = session->FindUsed(kDLCPU)->live();
  {
    const Tensor made = Far(session, "make")(int64_t{3}).As<Tensor>();
    EXPECT_EQ(made.device(), device);
    EXPECT_EQ(sum(made, device).As<double>(), 1 + 3 + 5);
    EXPECT_EQ(First(made.Slice(0, 2, 3)), 5);
    EXPECT_EQ(session->FindUsed(kDLCPU)->live(), live + 1);
  }
  EXPECT_EQ(session->FindUsed(kDLCPU)->live(), live);
  EXPECT_EQ(StatusName(session->LoadFile("/no/such/file.so").status()), "module-file-unreadable");
}

TEST(LoopbackSession, ListsAndModulesCross) {
  const Ref<LoopbackSession> session = Open(), other = Open();
  const Device device = session->device(kDLCPU);
  const Function same = Far(session, "same");
  const std::vector<Value> list = {Value(1), Value(Iota({3}, device)), Value(device)};
  const auto back = same(list).As<std::vector<Value>>();
  EXPECT_EQ(back[0].As<int64_t>(), 1);
  EXPECT_EQ(First(back[1].As<Tensor>().Slice(0, 2, 3)), 2);
  EXPECT_EQ(back[2].As<Device>(), device);
  EXPECT_EQ(StatusName(same.TryCall(std::vector<Value>{Value(Iota({1}, Device::Cpu()))}).status()),
            "session-argument");

  const auto module = Far(session, "self")().As<Module>();
  EXPECT_EQ(module->kind(), "loopback");
  EXPECT_EQ((*module.GetFunction("sum"))(Iota({3}, device), device).As<double>(), 3);
  const auto again = same(module).As<Module>();
  EXPECT_EQ((*again.GetFunction("sum"))(Iota({3}, device), device).As<double>(), 3);
  EXPECT_EQ(StatusName(Far(other, "same").TryCall(module).status()), "session-argument");
  EXPECT_EQ(StatusName(same.TryCall(Module(Make<Adder>())).status()), "session-argument");
}

TEST(LoopbackSession, AFunctionMayKeepATensorThatThisSideFrees) {
  const Ref<LoopbackSession> session = Open();
  const Device device = session->device(kDLCPU);
  const Function keep = Far(session, "keep");
  keep(Iota({1 << 16}, device));
  EXPECT_EQ(session->FindUsed(kDLCPU)->live(), 0u);
  EXPECT_EQ(First(keep().As<Tensor>().Slice(0, 65535, 65536)), 65535);
}

TEST(LoopbackSession, TimesAtTheFarEnd) {
  const Ref<LoopbackSession> session = Open();
  const Device device = session->device(kDLCPU);
  const Function sum = Far(session, "sum");
  const Value args[] = {Value(Iota({1000}, device)), Value(device)};
  TimerOptions options;
  options.number = 2;
  options.repeat = 3;
  int before = 0;
  const Function preprocess = Function::From([&](const Tensor& tensor, const Device& at) {
    EXPECT_EQ(tensor.device(), at);  // both as on the caller's side
    ++before;
  });
  const auto times = session->Time(sum, args, device, options, preprocess);
  ASSERT_TRUE(times.ok()) << times.status();
  EXPECT_EQ(times->seconds.size(), 3u);
  EXPECT_EQ(before, 3);
  EXPECT_EQ(StatusName(session->Time(preprocess, args, device, options, nullptr).status()),
            "session-argument");
  EXPECT_EQ(StatusName(session->Time(sum, args, Device::Cpu(), options, nullptr).status()),
            "session-argument");
}

TEST(LoopbackSession, ClosedWhileAllIsInUse) {
  Ref<LoopbackSession> session = Open();
  const Device device = session->device(kDLCPU);
  const Function sum = Far(session, "sum");
  const Tensor tensor = Iota({4}, device), made = Far(session, "make")(int64_t{3}).As<Tensor>();
  const Tensor view = tensor.Slice(0, 1, 3);
  const Stream stream = *Stream::New(device);
  SetCurrentStream(device, stream);
  session->Close();
  EXPECT_EQ(session->FindUsed(kDLCPU)->live(), 0u);
  EXPECT_EQ(StatusName(SessionOf(device).status()), "session-closed");
  float data[4] = {};
  for (const absl::Status& status :
       {sum.TryCall(tensor, device).status(), view.CopyToHost(data, 8), made.Clone().status(),
        tensor.CopyFromHost(data, 16), Synchronize(device), session->LoadFile("x").status(),
        session->CountDevices(kDLCPU).status(), session->GetFunction("x").status(),
        session->DeviceAttribute(kDLCPU, 0, "name").status(),
        session->Time(sum, {}, device, {}, nullptr).status(),
        session->FindUsed(kDLCPU)->Alloc(0, {.bytes = 8}).status()})
    EXPECT_EQ(StatusName(status), "session-closed") << status;
  session = nullptr;
  SetCurrentStream(device, Stream());
  // Tensors, stream and function are destroyed last, in any order.
}

TEST(LoopbackSession, CallsWhatIsExportedAlone) {
  const Function twice = Function::From([](int x) { return 2 * x; });
  ASSERT_TRUE(RegisterGlobal("loopback_test.inner", twice).ok());
  ASSERT_TRUE(RegisterGlobal("loopback_test.outer", twice, Override::kRefuse, Exported::kYes).ok());
  const Ref<LoopbackSession> session = Open();
  EXPECT_EQ((*session->GetFunction("loopback_test.outer"))(21).As<int>(), 42);
  for (const char* name : {"loopback_test.inner", "module.load_file.so", "device_api.cpu", "none"})
    EXPECT_EQ(StatusName(session->GetFunction(name).status()), "registry-not-exported") << name;
  EXPECT_TRUE(LocalSession()->GetFunction("loopback_test.inner").ok());
}

TEST(LoopbackSession, ClosedUnderWork) {
  for (int round = 0; round < 20; ++round) {
    const Ref<LoopbackSession> session = Open();
    const Tensor tensor = Iota({1000}, session->device(kDLCPU));
    std::atomic<int> wrong{0}, started{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < 3; ++t)
      threads.emplace_back([&] {
        for (;;) {
          const auto copy = tensor.Clone();
          ++started;
          if (copy.ok()) continue;
          if (StatusName(copy.status()) != "session-closed") ++wrong;
          return;
        }
      });
    while (started < 3) std::this_thread::yield();
    session->Close();
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(wrong, 0);
    EXPECT_EQ(session->FindUsed(kDLCPU)->live(), 0u);
  }
}

}  // namespace
}  // namespace lathe::runtime
