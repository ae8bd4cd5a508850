#include "runtime/rpc/remote_session.h"

#include <gtest/gtest.h>
#include <sys/socket.h>

#include <atomic>
#include <chrono>
#include <cstring>
#include <functional>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/file.h"
#include "runtime/cancel.h"
#include "runtime/registry.h"
#include "runtime/rpc/testing.h"
#include "runtime/status.h"
#include "runtime/stream.h"
#include "runtime/tensor.h"

namespace lathe::runtime::rpc {
namespace {

constexpr DataType kFloat = DataType::Float(32);

// 0, 1, 2, ... on the device.
Tensor Iota(std::vector<int64_t> shape, const Device& device) {
  Tensor tensor = *Tensor::Empty(shape, kFloat);
  std::iota(tensor.HostData<float>(), tensor.HostData<float>() + tensor.num_elements(), 0.0f);
  return *tensor.To(device);
}
float First(const Tensor& tensor) { return *tensor.To(Device::Cpu())->HostData<const float>(); }

template <class F>
void Export(const char* name, F&& body) {
  ASSERT_TRUE(RegisterGlobal(name, Function::From(std::forward<F>(body), name), Override::kReplace,
                             Exported::kYes)
                  .ok());
}

struct Remote : testing::Test {
  ~Remote() override {
    session->Close();
    EXPECT_EQ(StatusName(far.Join()), "link-lost");
  }
  FarSide far;
  Ref<RemoteSession> session = far.Connect();
  Device device = session->device(kDLCPU);
};

TEST_F(Remote, TensorsGoThereAndBack) {
  const Tensor tensor = Iota({4, 5}, device);
  EXPECT_EQ(First(tensor.Slice(0, 2, 4).Slice(1, 3, 5)), 13);
  EXPECT_EQ(First(*tensor.Select(1, 4).Clone()), 4);
  const Tensor part = tensor.Slice(1, 1, 2);
  ASSERT_TRUE(part.CopyFrom(Iota({4, 1}, Device::Cpu())).ok());
  EXPECT_EQ(First(tensor.Select(0, 3).Slice(0, 1, 2)), 3);
  EXPECT_EQ(First(tensor.Select(0, 3).Slice(0, 2, 3)), 17);
  EXPECT_EQ(First(*tensor.To(session->device(kDLCPU))), 0);
  const Tensor empty = Iota({0, 3}, device);
  EXPECT_EQ(empty.To(Device::Cpu())->num_elements(), 0);
}

TEST_F(Remote, ProgressOfCopies) {
  using Told = std::vector<std::pair<uint64_t, uint64_t>>;
  Told told;
  session->caller().OnProgress(
      [&](uint64_t done, uint64_t total) { told.emplace_back(done, total); });
  constexpr uint64_t kMiB = 1 << 20;
  const Tensor here = Iota({5 << 17}, Device::Cpu());  // 2.5 MiB
  const Tensor there = *here.To(device);
  const Told expected = {
      {kMiB, 5 * kMiB / 2}, {2 * kMiB, 5 * kMiB / 2}, {5 * kMiB / 2, 5 * kMiB / 2}};
  EXPECT_EQ(told, expected);
  told.clear();
  EXPECT_EQ(there.To(Device::Cpu())->num_bytes(), here.num_bytes());
  EXPECT_EQ(told, expected);
  told.clear();
  EXPECT_EQ(First(*Iota({1 << 18}, Device::Cpu()).To(device)), 0);  // a chunk
  session->caller().OnProgress(nullptr);
  EXPECT_EQ(First(*here.To(device)), 0);
  EXPECT_TRUE(told.empty());
}

TEST_F(Remote, LargeTensorsInChunks) {
  for (const int64_t n : {int64_t{1} << 18, (int64_t{1} << 18) + 1, int64_t{3000001}}) {
    const Tensor here = Iota({n}, Device::Cpu());
    const Tensor back = *here.To(device)->To(Device::Cpu());
    EXPECT_EQ(std::memcmp(here.HostData<float>(), back.HostData<float>(), here.num_bytes()), 0);
  }
}

TEST_F(Remote, DevicesAnswer) {
  EXPECT_EQ(*session->CountDevices(kDLCPU), 1);
  EXPECT_EQ(session->DeviceAttribute(kDLCPU, 0, "name")->As<std::string>(), "host processor");
  EXPECT_FALSE(session->CountDevices(kDLVulkan).ok());
  const DeviceRef api = *FindDevice(device);
  EXPECT_GT(api->GetMemoryInfo(0, "global")->total, 0u);
  EXPECT_TRUE(api->Health(0).ok());
  const Stream stream = *Stream::New(device);
  const StreamScope scope(device, stream);
  const Tensor tensor = Iota({4}, device);
  EXPECT_TRUE(Synchronize(device).ok());
  EXPECT_TRUE(api->Fill(0, tensor.dl().data, 4, 8, 0, 4, stream.handle()).ok());
  EXPECT_EQ(First(tensor.Slice(0, 2, 3)), 0);
  EXPECT_EQ(First(tensor.Slice(0, 3, 4)), 3);
}

TEST_F(Remote, HandlesAndViewsAreChecked) {
  void* stale = nullptr;
  const auto first_of = [&](void* handle, int64_t extent, uint64_t offset) {
    const int64_t shape[] = {extent};
    return std::string(
        StatusName(Tensor::Wrap(handle, offset, shape, {}, kFloat, device, nullptr, nullptr)
                       .To(Device::Cpu())
                       .status()));
  };
  {
    const Tensor tensor = Iota({4}, device);
    stale = tensor.dl().data;
    EXPECT_EQ(first_of(stale, 4, 0), "");
    EXPECT_EQ(first_of(stale, 5, 0), "session-view-outside");
    EXPECT_EQ(first_of(stale, 1, 16), "session-view-outside");
    EXPECT_EQ(first_of(stale, 1, uint64_t{1} << 40), "session-view-outside");
  }
  const Tensor another = Iota({4}, device);
  EXPECT_EQ(first_of(stale, 4, 0), "session-unknown-handle");
  // A refused request takes its bytes with it; the next one works.
  const int64_t shape[] = {1 << 20};
  const Tensor wrong = Tensor::Wrap(stale, 0, shape, {}, kFloat, device, nullptr, nullptr);
  EXPECT_EQ(StatusName(wrong.CopyFrom(Iota({1 << 20}, Device::Cpu()))), "session-unknown-handle");
  EXPECT_EQ(First(another.Slice(0, 1, 2)), 1);
}

TEST_F(Remote, FunctionsTakeAndGiveValues) {
  Export("rpc_test.same", [](const Args& args, Value* result) { *result = args[0].ToValue(); });
  Export("rpc_test.add_one", [](const Tensor& from) {
    Tensor to = *from.Clone();
    for (int64_t i = 0; i < to.num_elements(); ++i) to.HostData<float>()[i] += 1;
    return to;
  });
  Export("rpc_test.fail", [](const std::string& text) -> int64_t {
    ThrowStatus(MakeStatus(absl::StatusCode::kDataLoss, "my-error", text));
  });
  const Function same = *session->GetFunction("rpc_test.same");
  EXPECT_EQ(same(5).As<int64_t>(), 5);
  EXPECT_EQ(same(2.5).As<double>(), 2.5);
  EXPECT_EQ(same(true).kind(), LATHE_VALUE_BOOL);
  EXPECT_EQ(same("text").As<std::string>(), "text");
  EXPECT_TRUE(same(nullptr).is_none());
  EXPECT_EQ(same(kFloat).As<DataType>(), kFloat);
  EXPECT_EQ(same(device).As<Device>(), device);
  const std::vector<Value> list = {Value(1), Value("two")};
  EXPECT_EQ(same(list).As<std::vector<Value>>()[1].As<std::string>(), "two");
  const Tensor tensor = Iota({2, 3}, device);
  const auto more = (*session->GetFunction("rpc_test.add_one"))(tensor).As<Tensor>();
  EXPECT_EQ(more.device(), device);
  EXPECT_EQ(First(more.Slice(0, 1, 2)), 4);
  EXPECT_EQ(same(same).As<Function>()(7).As<int64_t>(), 7);

  const absl::Status failed = (*session->GetFunction("rpc_test.fail")).TryCall("the text").status();
  EXPECT_EQ(failed.code(), absl::StatusCode::kDataLoss);
  EXPECT_EQ(StatusName(failed), "my-error");
  EXPECT_EQ(StatusName(same.TryCall(Iota({1}, Device::Cpu())).status()), "session-argument");
  EXPECT_EQ(StatusName(same.TryCall(Device::Cpu()).status()), "session-argument");
  EXPECT_EQ(StatusName(same.TryCall(reinterpret_cast<void*>(1)).status()), "session-argument");
  EXPECT_EQ(StatusName(session->GetFunction("session.close").status()), "registry-not-exported");
  EXPECT_EQ(StatusName(same.TryCall(std::string(5 << 20, 'x')).status()), "rpc-too-large");
  EXPECT_EQ(same(1).As<int64_t>(), 1);
}

class Numbered : public ModuleNode {
 public:
  std::string_view kind() const override { return "numbered"; }
  Function GetFunction(std::string_view name) override {
    if (name != "next") return Function();
    return Function::From([self = Ref<Numbered>(this)] { return ++self->number_; });
  }
  std::vector<std::string> FunctionNames() const override { return {"next"}; }

 private:
  int64_t number_ = 0;
};

TEST_F(Remote, ModulesAreResultsAndArguments) {
  Export("rpc_test.make", [] { return Module(Make<Numbered>()); });
  Export("rpc_test.next", [](const Module& module) { return (*module.GetFunction("next"))(); });
  const auto module = (*session->GetFunction("rpc_test.make"))().As<Module>();
  EXPECT_EQ(module->kind(), "remote");
  EXPECT_EQ(module->FunctionNames(), std::vector<std::string>{"next"});
  const Function next = *session->GetFunction("rpc_test.next");
  EXPECT_EQ((*module.GetFunction("next"))().As<int64_t>(), 1);
  EXPECT_EQ(next(module).As<int64_t>(), 2);
  EXPECT_FALSE(module.FindFunction("last"));
  EXPECT_EQ(StatusName(next.TryCall(Module(Make<Numbered>())).status()), "session-argument");
  const std::vector<Value> list = {Value(Iota({2}, device)), Value(module)};
  Export("rpc_test.same", [](const Args& args, Value* result) { *result = args[0].ToValue(); });
  const auto back = (*session->GetFunction("rpc_test.same"))(list).As<std::vector<Value>>();
  EXPECT_EQ(First(back[0].As<Tensor>().Slice(0, 1, 2)), 1);
  EXPECT_EQ(next(back[1].As<Module>()).As<int64_t>(), 3);
}

TEST_F(Remote, ListsMayBeThreeDeep) {
  Export("rpc_test.same", [](const Args& args, Value* result) { *result = args[0].ToValue(); });
  Export("rpc_test.wrap", [](int64_t times) {
    Value value(int64_t{1});
    for (int64_t i = 0; i < times; ++i) value = Value(std::vector<Value>{value});
    return value;
  });
  const Function same = *session->GetFunction("rpc_test.same");
  const Function wrap = *session->GetFunction("rpc_test.wrap");
  Value number(1), tensor(Iota({2}, device)), module(*session->GetFunction("rpc_test.same"));
  for (int depth = 0; depth <= 5; ++depth) {
    const auto name = [&](const Value& value) {
      return std::string(StatusName(same.TryCall(value).status()));
    };
    EXPECT_EQ(name(number), depth <= 3 ? "" : "session-argument") << depth;
    EXPECT_EQ(name(module), depth <= 3 ? "" : "session-argument") << depth;
    EXPECT_EQ(name(tensor), depth <= 2 ? "" : "session-argument") << depth;
    EXPECT_EQ(StatusName(wrap.TryCall(depth).status()), depth <= 3 ? "" : "session-argument");
    for (Value* value : {&number, &tensor, &module}) *value = Value(std::vector<Value>{*value});
  }
}

// A result that cannot be sent leaves nothing at the far side.
TEST_F(Remote, AResultThatFailsIsForgotten) {
  static std::weak_ptr<int> kept;
  Export("rpc_test.half", [](bool large) {
    auto owner = std::make_shared<int>(1);
    kept = owner;
    std::vector<Value> list = {Value(Function::From([owner] { return *owner; }))};
    list.push_back(large ? Value(std::string(5 << 20, 'x')) : Value(static_cast<void*>(nullptr)));
    return list;
  });
  const Function half = *session->GetFunction("rpc_test.half");
  for (const bool large : {false, true}) {
    EXPECT_EQ(StatusName(half.TryCall(large).status()),
              large ? "rpc-too-large" : "session-argument");
    EXPECT_TRUE(kept.expired());
  }
}

// The far side's object that a callback returns is not released before the answer arrives.
TEST_F(Remote, ACallbackMayReturnWhatItMade) {
  Export("rpc_test.make", [] { return Module(Make<Numbered>()); });
  Export("rpc_test.use",
         [](const Function& function) { return (*function().As<Module>().GetFunction("next"))(); });
  const Function make = *session->GetFunction("rpc_test.make");
  const Function use = *session->GetFunction("rpc_test.use");
  std::atomic<bool> done = false;
  std::thread other([&] {
    while (!done) EXPECT_TRUE(session->files().List().ok());  // sends what is queued
  });
  for (int i = 0; i < 300; ++i) {
    const auto result = use.TryCall(Function::From([&] { return make(); }));
    EXPECT_TRUE(result.ok()) << result.status();
  }
  done = true;
  other.join();
}

TEST_F(Remote, CallbacksRunHere) {
  Export("rpc_test.twice", [](const Function& f, int64_t x) { return f(f(x)); });
  Export("rpc_test.call",
         [](const Args& args, Value* result) { *result = args[0].As<Function>()(args[1]); });
  const Function twice = *session->GetFunction("rpc_test.twice");
  const Function call = *session->GetFunction("rpc_test.call");
  const auto thread = std::this_thread::get_id();
  auto shared = std::make_shared<int>(0);
  {
    const Function add = Function::From([&, shared](int64_t x) {
      EXPECT_EQ(std::this_thread::get_id(), thread);
      return x + 1;
    });
    EXPECT_EQ(twice(add, 5).As<int64_t>(), 7);
    // The callback uses the session, which calls back.
    EXPECT_EQ(call(Function::From([&](int64_t x) { return twice(add, x); }), 1).As<int64_t>(), 3);
  }
  // The far side says when it has dropped the function; it does with its next answer.
  twice(Function::From([](int64_t x) { return x; }), 1);
  EXPECT_EQ(shared.use_count(), 1);
  const Tensor tensor = Iota({3}, device);
  call(Function::From([&](const Tensor& mine) { EXPECT_EQ(First(mine.Slice(0, 2, 3)), 2); }),
       tensor);
  const absl::Status failed =
      call.TryCall(Function::From([](int64_t) -> int64_t {
                     ThrowStatus(MakeStatus(absl::StatusCode::kInternal, "from-here", "no"));
                   }),
                   1)
          .status();
  EXPECT_EQ(StatusName(failed), "from-here");
  // Depth is limited, and the session goes on.
  std::function<Value(int64_t)> deeper = [&](int64_t x) {
    return call(Function::From([&](int64_t y) { return deeper(y + 1); }), x);
  };
  EXPECT_EQ(
      StatusName(call.TryCall(Function::From([&](int64_t x) { return deeper(x); }), 0).status()),
      "rpc-callback-depth");
  EXPECT_EQ(twice(Function::From([](int64_t x) { return x * 2; }), 3).As<int64_t>(), 12);
}

TEST_F(Remote, FilesAndModules) {
  const std::string bytes(3 << 20, 'b');
  ASSERT_TRUE(session->files().Upload("big", bytes).ok());
  ASSERT_TRUE(session->files().Upload("small", "").ok());
  EXPECT_EQ(*session->files().List(), (std::vector<std::string>{"big", "small"}));
  EXPECT_EQ(*session->files().Download("big"), bytes);
  EXPECT_EQ(*session->files().Download("small"), "");
  // Other bytes than those of the digest leave the file that was there.
  const std::string digest = Connection::DigestOfChunks(std::string(bytes.size(), '!'));
  for (const std::string_view wrong : {std::string_view(bytes), std::string_view()}) {
    const absl::Status status =
        session->caller().Ask(rpc::Upload{"big", wrong.size(), digest}, wrong).status();
    EXPECT_EQ(StatusName(status), "rpc-damaged") << status;
  }
  EXPECT_EQ(*session->files().Download("big"), bytes);
  EXPECT_TRUE(session->files().Remove("big").ok());
  EXPECT_EQ(StatusName(session->files().Download("big").status()), "session-file-missing");
  EXPECT_EQ(StatusName(session->files().Upload("../up", bytes)), "session-file-name");
  const absl::Status no_module = session->LoadUploaded("big").status();
  EXPECT_NE(no_module.message().find("where: in " + Describe(*session)), std::string::npos)
      << no_module;
  EXPECT_EQ(StatusName(session->LoadUploaded("small").status().ok()
                           ? absl::OkStatus()
                           : session->LoadUploaded("missing").status()),
            "session-file-missing");
  EXPECT_FALSE(session->LoadBytes("elf", "no module").ok());
  EXPECT_EQ(StatusName(session->LoadBytes("no-such-kind", "x").status()), "module-loader-missing");
}

TEST_F(Remote, TimesOnTheFarSide) {
  std::atomic<int> calls = 0;
  Export("rpc_test.sleep", [&](int64_t) {
    ++calls;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  });
  const Function sleep = *session->GetFunction("rpc_test.sleep");
  TimerOptions options;
  options.number = 2;
  options.repeat = 3;
  int prepared = 0;
  const std::vector<Value> args = {Value(1)};
  const absl::StatusOr<TimerResult> result =
      session->Time(sleep, args, device, options, Function::From([&](int64_t) { ++prepared; }));
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->seconds.size(), 3u);
  EXPECT_GE(result->min, 0.002);
  EXPECT_EQ(calls, 7);  // one to warm up
  EXPECT_EQ(prepared, 3);
  options.number = 0;
  EXPECT_EQ(StatusName(session->Time(sleep, args, device, options, nullptr).status()),
            "timer-invalid-options");
}

TEST_F(Remote, ManyCallsAtOnce) {
  Export("rpc_test.add", [](int64_t a, int64_t b) { return a + b; });
  const Function add = *session->GetFunction("rpc_test.add");
  std::vector<RemoteSession::Pending> pending;
  for (int64_t i = 0; i < 1000; ++i) {
    const lathe_value args[] = {ValueTraits<int64_t>::Borrow(i), ValueTraits<int64_t>::Borrow(1)};
    pending.push_back(session->Start(add, args));
  }
  for (int64_t i = 999; i >= 0; --i)
    EXPECT_EQ(pending[static_cast<size_t>(i)].Result()->As<int64_t>(), i + 1);

  // Threads with large tensors both ways, so that neither side can take all of the other's bytes.
  std::vector<std::thread> threads;
  std::atomic<int> wrong = 0;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&, t] {
      for (int64_t i = 0; i < 20; ++i) {
        if (add(t, i).As<int64_t>() != t + i) ++wrong;
        const Tensor there = Iota({(t + 1) * 100000}, device);
        const Tensor back = *there.To(Device::Cpu());
        if (back.HostData<float>()[t * 1000 + i] != static_cast<float>(t * 1000 + i)) ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

TEST_F(Remote, InterruptionEndsTheFarCall) {
  std::atomic<bool> ended = false;
  Export("rpc_test.spin", [&] {
    while (CancelScope::Look(CancelScope::Current()) == 0) std::this_thread::yield();
    ended = true;
    ThrowStatus(MakeStatus(absl::StatusCode::kCancelled, "cancelled", "asked to"));
  });
  const Function spin = *session->GetFunction("rpc_test.spin");
  Cancellation stop;
  stop.SetDeadline(std::chrono::steady_clock::now() + std::chrono::milliseconds(100));
  {
    const CancelScope scope(stop);
    EXPECT_EQ(StatusName(spin.TryCall().status()), "deadline-exceeded");
  }
  EXPECT_TRUE(ended);
  Export("rpc_test.one", [] { return 1; });
  EXPECT_EQ((*session->GetFunction("rpc_test.one"))().As<int64_t>(), 1);
}

// The second request is waited for while the interruption of the first is on its way up.
TEST_F(Remote, InterruptionWithMoreUnderWay) {
  Export("rpc_test.spin", [&] {
    while (CancelScope::Look(CancelScope::Current()) == 0) std::this_thread::yield();
    ThrowStatus(MakeStatus(absl::StatusCode::kCancelled, "cancelled", "asked to"));
  });
  Export("rpc_test.one", [] { return 1; });
  const Function spin = *session->GetFunction("rpc_test.spin");
  const Function one = *session->GetFunction("rpc_test.one");
  Cancellation stop;
  stop.SetDeadline(std::chrono::steady_clock::now() + std::chrono::milliseconds(100));
  {
    const CancelScope scope(stop);
    EXPECT_THROW(
        {
          RemoteSession::Pending first = session->Start(spin, {});
          const RemoteSession::Pending second = session->Start(one, {});
          static_cast<void>(first.Result());
        },
        Interrupted);
  }
  EXPECT_EQ(one().As<int64_t>(), 1);
}

// A cancellation that arrives before its request is forgotten there, so it is repeated.
TEST_F(Remote, InterruptionOfACallThatHasNotBegun) {
  std::atomic<bool> finish = false, busy = false, ended = false;
  Export("rpc_test.busy", [&] {
    busy = true;
    while (!finish) std::this_thread::yield();
  });
  Export("rpc_test.spin", [&] {
    while (CancelScope::Look(CancelScope::Current()) == 0) std::this_thread::yield();
    ended = true;
    ThrowStatus(MakeStatus(absl::StatusCode::kCancelled, "cancelled", "asked to"));
  });
  const Function spin = *session->GetFunction("rpc_test.spin");
  const Function keep_busy = *session->GetFunction("rpc_test.busy");
  std::thread first([&] { static_cast<void>(keep_busy.TryCall()); });
  while (!busy) std::this_thread::yield();
  std::thread later([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    finish = true;
  });
  Cancellation stop;
  stop.SetDeadline(std::chrono::steady_clock::now() + std::chrono::milliseconds(100));
  {
    const CancelScope scope(stop);
    EXPECT_EQ(StatusName(spin.TryCall().status()), "deadline-exceeded");
  }
  EXPECT_TRUE(ended);
  first.join();
  later.join();
}

TEST_F(Remote, WhatAnInterruptedCallGivesIsReleased) {
  const auto token = std::make_shared<int>(1);
  Export("rpc_test.late", [&] {
    while (CancelScope::Look(CancelScope::Current()) == 0) std::this_thread::yield();
    return Function::From([token] { return *token; });
  });
  Export("rpc_test.one", [] { return 1; });
  const Function late = *session->GetFunction("rpc_test.late");
  const Function one = *session->GetFunction("rpc_test.one");
  Cancellation stop;
  stop.SetDeadline(std::chrono::steady_clock::now() + std::chrono::milliseconds(100));
  {
    const CancelScope scope(stop);
    EXPECT_EQ(StatusName(late.TryCall().status()), "deadline-exceeded");
  }
  one();
  EXPECT_EQ(token.use_count(), 1);
}

TEST_F(Remote, CallbacksOfCallsThatNeverArriveAreDropped) {
  Export("rpc_test.take", [](const Function&, const std::string&) {});
  const Function take = *session->GetFunction("rpc_test.take");
  const auto token = std::make_shared<int>(1);
  const auto callback = [&token] { return Function::From([token] { return *token; }); };
  EXPECT_EQ(StatusName(take.TryCall(callback(), Iota({2}, Device::Cpu())).status()),
            "session-argument");
  EXPECT_EQ(token.use_count(), 1);
  EXPECT_EQ(StatusName(take.TryCall(callback(), std::string(5 << 20, 'x')).status()),
            "rpc-too-large");
  EXPECT_EQ(token.use_count(), 1);
  session->Close();
  EXPECT_EQ(StatusName(take.TryCall(callback(), 1).status()), "session-closed");
  EXPECT_EQ(token.use_count(), 1);
}

TEST_F(Remote, CallbacksOfTooMuchEndAlone) {
  Export("rpc_test.ask",
         [](const Function& function) { return function().As<std::string>().size(); });
  Export("rpc_test.tell", [](const Function& function) { function(std::string(5 << 20, 'x')); });
  const Function ask = *session->GetFunction("rpc_test.ask");
  const Function tell = *session->GetFunction("rpc_test.tell");
  const Function much = Function::From([] { return std::string(5 << 20, 'x'); });
  EXPECT_EQ(StatusName(ask.TryCall(much).status()), "rpc-too-large");
  EXPECT_EQ(StatusName(tell.TryCall(Function::From([](const std::string&) {})).status()),
            "rpc-too-large");
  const Function little = Function::From([] { return std::string("abc"); });
  EXPECT_EQ(ask(little).As<int64_t>(), 3);
}

TEST_F(Remote, ClosingEndsEverything) {
  const Tensor tensor = Iota({4}, device);
  Export("rpc_test.one", [] { return 1; });
  const Function one = *session->GetFunction("rpc_test.one");
  session->Close();
  EXPECT_EQ(StatusName(tensor.To(Device::Cpu()).status()), "session-closed");
  EXPECT_EQ(StatusName(one.TryCall().status()), "session-closed");
  EXPECT_EQ(StatusName(session->files().List().status()), "session-closed");
}

TEST_F(Remote, CallbacksFromOtherThreadsAreRefused) {
  Export("rpc_test.on_a_thread", [](const Function& f) {
    absl::StatusOr<Value> result;
    std::thread([&] { result = f.TryCall(); }).join();
    return std::string(StatusName(result.status()));
  });
  EXPECT_EQ(
      (*session->GetFunction("rpc_test.on_a_thread"))(Function::From([] {})).As<std::string>(),
      "rpc-callback-thread");
}

// Handles that the far side never gave, or that were released.
TEST(RemoteObjects, AreLookedUp) {
  FarSide far;
  const auto ask = [&](const std::string& frame) {
    EXPECT_TRUE(WriteAll(far.near().get(), frame).ok());
    FrameReader reader(kMostBodyBytes);
    std::optional<Frame> answer;
    char bytes[4096];
    while (!answer) {
      const ssize_t got =
          Uninterrupted([&] { return recv(far.near().get(), bytes, sizeof(bytes), 0); });
      if (got <= 0) return std::string("no answer");
      reader.Feed({bytes, static_cast<size_t>(got)});
      answer = *reader.Next();
    }
    Failed failed;
    if (!DecodeFrame(*answer, &failed).ok()) return MessageName(answer->type);
    return std::string(StatusName(FromFailure(failed.failure)));
  };
  EXPECT_EQ(ask(EncodeFrame(Call{7, {}}, 1)), "rpc-unknown-object");
  EXPECT_EQ(ask(EncodeFrame(FindFunction{"f", 9}, 2)), "rpc-unknown-object");
  EXPECT_EQ(ask(EncodeFrame(CountDevices{kDLCPU}, 3)), "Result");
  EXPECT_EQ(ask(EncodeFrame(CountDevices{-1}, 4)), "rpc-malformed");
  EXPECT_EQ(ask(EncodeFrame(Alloc{kDLCPU, 5, "global", 8, 8, 0, {}}, 5)), "device-no-such-id");
  EXPECT_EQ(ask(EncodeFrame(Alloc{kDLCPU, 0, "global", 8, 3, 0, {}}, 6)), "rpc-malformed");
  EXPECT_EQ(ask(EncodeFrame(Hello{}, 7)), "rpc-unexpected");  // and the end
  EXPECT_EQ(StatusName(far.Join()), "rpc-unexpected");
}

// Client -> middle -> far, each behind the other.
TEST(RemoteChain, SessionsBehindSessions) {
  FarSide last;
  const Ref<RemoteSession> middle = last.Connect();
  {
    FarSide first(middle);
    const Ref<RemoteSession> session = first.Connect();
    const Device device = session->device(kDLCPU);
    const Tensor tensor = Iota({600000}, device);
    EXPECT_EQ(First(tensor.Slice(0, 599999, 600000)), 599999);
    Export("rpc_test.twice", [](const Function& f, int64_t x) { return f(f(x)); });
    const Function twice = *session->GetFunction("rpc_test.twice");
    EXPECT_EQ(twice(Function::From([](int64_t x) { return x + 1; }), 5).As<int64_t>(), 7);
    ASSERT_TRUE(session->files().Upload("a", "text").ok());
    EXPECT_EQ(*middle->files().Download("a"), "text");
    session->Close();
  }
  EXPECT_TRUE(middle->closed());
}

// A far side that says what it likes.
TEST(RemoteGarbage, IsAnErrorAndNoCrash) {
  const auto ask = [](const std::string& answer) {
    auto [near, far] = *NewSocketPair();
    struct NoControl final : Control {
      void Cancel(uint64_t) override {}
      absl::Status WhyEnded(const absl::Status& link) override { return link; }
      void Close() override {}
    };
    const Ref<RemoteSession> session = *RemoteSession::Open(
        "far side", NewSocketTransport(std::move(near)), std::make_unique<NoControl>());
    EXPECT_TRUE(WriteAll(far.get(), answer).ok());
    if (answer.empty()) far.Close();
    return std::string(StatusName(session->files().Download("x").status()));
  };
  const auto number = [](int64_t n) {
    Item item;
    item.kind = static_cast<uint64_t>(ItemKind::kInteger);
    item.integer = n;
    return EncodeFrame(Result{item}, 1);
  };
  const auto chunk = [](std::string_view bytes, uint64_t request) {
    std::string frame(kHeaderBytes, '\0');
    PutHeader(Chunk::kType, request, bytes, frame.data());
    return frame.append(bytes);
  };
  EXPECT_EQ(ask(""), "link-lost");
  EXPECT_EQ(ask("HTTP/1.1 400 Bad Request, and so on....."), "rpc-malformed");
  EXPECT_EQ(ask(EncodeFrame(Done{}, 2)), "rpc-unexpected");
  EXPECT_EQ(ask(number(-1)), "rpc-unexpected");
  EXPECT_EQ(ask(number(int64_t{1} << 60)), "rpc-unexpected");
  EXPECT_EQ(ask(chunk("abc", 1)), "rpc-unexpected");
  EXPECT_EQ(ask(number(2) + chunk("abc", 1)), "rpc-unexpected");
  EXPECT_EQ(ask(number(4) + chunk("ab", 1) + chunk("cd", 7)), "rpc-unexpected");
  EXPECT_EQ(ask(number(4) + chunk("ab", 1) + EncodeFrame(Done{}, 1)), "rpc-unexpected");
  EXPECT_EQ(ask(number(4) + chunk("ab", 1) +
                EncodeFrame(Failed{{5, "[half-way] the device is lost"}}, 1)),
            "half-way");
  EXPECT_EQ(ask(number(4) + chunk("abcd", 1)), "");
  EXPECT_EQ(ask(EncodeFrame(Failed{{0, ""}}, 1)), "rpc-unexpected");
  std::string damaged = number(4);
  damaged.back() = static_cast<char>(damaged.back() ^ 1);
  EXPECT_EQ(ask(damaged), "rpc-damaged");
}

}  // namespace
}  // namespace lathe::runtime::rpc
