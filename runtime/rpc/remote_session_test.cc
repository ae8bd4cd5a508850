#include "runtime/rpc/remote_session.h"

#include <gtest/gtest.h>
#include <sys/socket.h>

#include <atomic>
#include <chrono>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/file.h"
#include "runtime/cancel.h"
#include "runtime/raise.h"
#include "runtime/rpc/remote_fixture.h"
#include "runtime/status.h"
#include "runtime/stream.h"
#include "runtime/tensor.h"

namespace lathe::runtime::rpc {
namespace {

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

// Each transfer is interrupted when its first chunk has gone or come.
TEST_F(Remote, TransfersEndWhenInterrupted) {
  constexpr int64_t kMany = int64_t{16} << 20;
  const std::string much(size_t{kMany} * 4, 'x');
  ASSERT_TRUE(session->files().Upload("big", much).ok());
  const Tensor here = Iota({kMany}, Device::Cpu()), there = *here.To(device);
  const auto interrupted = [&](const std::function<void()>& transfer) {
    Cancellation stop;
    uint64_t last = 0;
    session->caller().OnProgress([&](uint64_t done, uint64_t) {
      last = done;
      stop.Cancel();
    });
    {
      const CancelScope scope(stop);
      EXPECT_THROW(transfer(), Interrupted);
    }
    session->caller().OnProgress(nullptr);
    EXPECT_EQ(StatusName(session->files().Download("none").status()), "session-file-missing");
    return last;
  };
  constexpr uint64_t kChunk = kMostChunkBytes;
  EXPECT_EQ(interrupted([&] { session->files().Upload("more", much).IgnoreError(); }), kChunk);
  EXPECT_EQ(*session->files().List(), std::vector<std::string>{"big"});
  EXPECT_EQ(interrupted([&] { session->LoadBytes("elf", much).IgnoreError(); }), kChunk);
  EXPECT_EQ(interrupted([&] { there.CopyFrom(here).IgnoreError(); }), kChunk);
  EXPECT_EQ(interrupted([&] { session->files().Download("big").IgnoreError(); }), kChunk);
  const Tensor filled = *Tensor::Empty({kMany}, kFloat);
  filled.HostData<float>()[kMany - 1] = -1;
  interrupted([&] { filled.CopyFrom(there).IgnoreError(); });
  EXPECT_EQ(filled.HostData<float>()[kMany - 1], -1) << "all of it came";
  EXPECT_EQ(*session->files().Download("big"), much);
  EXPECT_EQ(First(there.Slice(0, 5, 6)), 5);
  // What is thrown by whoever is told of progress does the same.
  int told = 0;
  session->caller().OnProgress([&](uint64_t, uint64_t) {
    ++told;
    throw Error(Diagnostic{.name = "mine", .message = "no more"});
  });
  EXPECT_THROW(session->files().Upload("more", much).IgnoreError(), Error);
  EXPECT_THROW(session->files().Download("big").IgnoreError(), Error);
  EXPECT_EQ(told, 2);
  EXPECT_EQ(*session->files().List(), std::vector<std::string>{"big"});
}

// A cancelled request that gives an empty file gives one answer.
TEST_F(Remote, AnEmptyFileInAnInterruptedCall) {
  ASSERT_TRUE(session->files().Upload("empty", "").ok());
  Export("rpc_test.call_cancelled", [](const Function& function) {
    while (CancelScope::Look(CancelScope::Current()) == 0) std::this_thread::yield();
    ErrorRef pending = TakePendingError();
    function();
  });
  const Function call = *session->GetFunction("rpc_test.call_cancelled");
  Cancellation stop;
  stop.SetDeadline(std::chrono::steady_clock::now() + std::chrono::milliseconds(50));
  {
    const CancelScope scope(stop);
    static_cast<void>(
        call.TryCall(Function::From([&] { session->files().Download("empty").IgnoreError(); })));
  }
  EXPECT_EQ(StatusName(session->files().Download("none").status()), "session-file-missing");
}

// A request that waits for the link is not one that does not end when it is cancelled, for which
// workers are killed.
TEST_F(Remote, TransfersAreNoWorkThatRuns) {
  ASSERT_TRUE(session->files().Upload("big", std::string(size_t{16} << 20, 'x')).ok());
  int chunks = 0;
  session->caller().OnProgress([&](uint64_t, uint64_t) {
    if (++chunks > 1) return;
    const auto running = [&] {
      for (uint64_t request = 1; request < 100; ++request) {
        if (far.service().Running(request)) return true;
      }
      return false;
    };
    // It fills the socket first.
    for (int i = 0; i < 1000 && running(); ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    EXPECT_FALSE(running());
  });
  EXPECT_TRUE(session->files().Download("big").ok());
  EXPECT_GT(chunks, 1);
}

// Another thread sends, and does not end.
TEST_F(Remote, WaitingForTheTurnToSendIsInterrupted) {
  std::atomic<bool> sends = false, finish = false;
  session->caller().OnProgress([&](uint64_t, uint64_t) {
    sends = true;
    while (!finish) std::this_thread::yield();
  });
  std::thread other(
      [&] { EXPECT_TRUE(session->files().Upload("big", std::string(size_t{2} << 20, 'x')).ok()); });
  while (!sends) std::this_thread::yield();
  session->caller().OnProgress(nullptr);
  Cancellation stop;
  stop.SetDeadline(std::chrono::steady_clock::now() + std::chrono::milliseconds(50));
  {
    const CancelScope scope(stop);
    EXPECT_THROW(session->files().List().IgnoreError(), Interrupted);
  }
  finish = true;
  other.join();
  EXPECT_EQ(*session->files().List(), std::vector<std::string>{"big"});
}

TEST_F(Remote, WhoIsToldOfProgressCannotUseTheSession) {
  std::string name;
  session->caller().OnProgress([&](uint64_t, uint64_t) {
    name = std::string(StatusName(session->files().List().status()));
  });
  EXPECT_TRUE(session->files().Upload("big", std::string(size_t{2} << 20, 'x')).ok());
  EXPECT_EQ(name, "session-busy");
  // Nor wait for what was asked before.
  Export("rpc_test.one", [] { return 1; });
  RemoteSession::Pending one = session->Start(*session->GetFunction("rpc_test.one"), {});
  session->caller().OnProgress(
      [&](uint64_t, uint64_t) { name = std::string(StatusName(one.Result().status())); });
  EXPECT_TRUE(session->files().Upload("big", std::string(size_t{2} << 20, 'x')).ok());
  EXPECT_EQ(name, "session-busy");
  EXPECT_EQ(one.Result()->As<int64_t>(), 1);
  session->caller().OnProgress([&](uint64_t, uint64_t) {
    name = std::string(StatusName(session->files().List().status()));
  });
  // While bytes come, it can.
  EXPECT_TRUE(session->files().Download("big").ok());
  EXPECT_EQ(name, "");
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

TEST_F(Remote, ClosingEndsEverything) {
  const Tensor tensor = Iota({4}, device);
  Export("rpc_test.one", [] { return 1; });
  const Function one = *session->GetFunction("rpc_test.one");
  session->Close();
  EXPECT_EQ(StatusName(tensor.To(Device::Cpu()).status()), "session-closed");
  EXPECT_EQ(StatusName(one.TryCall().status()), "session-closed");
  EXPECT_EQ(StatusName(session->files().List().status()), "session-closed");
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
