// Calls of functions of the far side: their values, callbacks, interruptions.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "runtime/cancel.h"
#include "runtime/rpc/remote_fixture.h"
#include "runtime/session/loopback_device.h"
#include "runtime/session/loopback_session.h"
#include "runtime/status.h"
#include "runtime/tensor.h"

namespace lathe::runtime::rpc {
namespace {

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

// The far side is busy when the allocation arrives, so it happens after the interruption.
TEST(RemoteInterruption, InterruptedAllocationsAreFreed) {
  const Ref<LoopbackSession> served = *LoopbackSession::Open();
  auto* const devices = static_cast<LoopbackDevice*>(*served->FindDeviceAPI(kDLCPU));
  std::atomic<bool> finish = false, busy = false;
  Export("rpc_test.busy", [&] {
    busy = true;
    while (!finish) std::this_thread::yield();
  });
  Export("rpc_test.one", [] { return 1; });
  FarSide far(served);
  const Ref<RemoteSession> session = far.Connect();
  const Device device = session->device(kDLCPU);
  const Function one = *session->GetFunction("rpc_test.one");
  const Function keep_busy = *session->GetFunction("rpc_test.busy");
  ASSERT_TRUE(Tensor::Empty({1}, kFloat, device).ok());  // its kind of device is known now
  one();
  const size_t before = devices->live();
  std::thread first([&] { static_cast<void>(keep_busy.TryCall()); });
  while (!busy) std::this_thread::yield();
  std::thread later([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    finish = true;
  });
  Cancellation stop;
  stop.Cancel();
  {
    const CancelScope scope(stop);
    EXPECT_THROW(static_cast<void>(Tensor::Empty({1000}, kFloat, device)), Interrupted);
  }
  first.join();
  later.join();
  one();  // sends what is queued
  EXPECT_EQ(devices->live(), before);
  session->Close();
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
  // In a list, before what cannot cross.
  const std::vector<Value> list{Value(callback()), Value(Iota({2}, Device::Cpu()))};
  EXPECT_EQ(StatusName(take.TryCall(list, 1).status()), "session-argument");
  EXPECT_EQ(token.use_count(), 2);  // the list's
  session->Close();
  EXPECT_EQ(StatusName(take.TryCall(callback(), 1).status()), "session-closed");
  EXPECT_EQ(token.use_count(), 2);
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

// A result of a callback that is too large takes its functions with it.
TEST_F(Remote, CallbacksOfResultsThatNeverArriveAreDropped) {
  Export("rpc_test.ask", [](const Function& function) { function(); });
  const Function ask = *session->GetFunction("rpc_test.ask");
  const auto token = std::make_shared<int>(1);
  const Function much = Function::From([&token] {
    return std::vector<Value>{Value(Function::From([token] { return *token; })),
                              Value(std::string(5 << 20, 'x'))};
  });
  EXPECT_EQ(StatusName(ask.TryCall(much).status()), "rpc-too-large");
  EXPECT_EQ(token.use_count(), 1);
}

// What a released function owned may use the session when it goes.
TEST_F(Remote, ReleasedFunctionsAreDroppedWithoutLocks) {
  Export("rpc_test.take", [](const Function&) {});
  const Function take = *session->GetFunction("rpc_test.take");
  int dropped = 0;
  const auto callback = [&] {
    const std::shared_ptr<int> owned(&dropped, [&](int* count) {
      EXPECT_TRUE(session->files().List().ok());
      ++*count;
    });
    return Function::From([owned] { return 1; });
  };
  for (int i = 1; i <= 2; ++i) {
    RemoteSession::Pending pending;
    {
      const Function function = callback();
      const lathe_value arguments[] = {ValueTraits<Function>::Borrow(function)};
      pending = session->Start(take, arguments);
    }
    // The far side has the only reference that is left, and drops it before it answers.
    EXPECT_EQ(dropped, i - 1);
    EXPECT_TRUE(pending.Result().ok());
    EXPECT_EQ(dropped, i);
  }
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

}  // namespace
}  // namespace lathe::runtime::rpc
