// The devices "cuda" and "cuda_host" through the plugin interface, over the project's fake driver.

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <numeric>
#include <thread>
#include <vector>

#include "backends/cuda/fake/fake_cuda.h"
#include "runtime/device_api.h"
#include "runtime/init.h"
#include "runtime/status.h"
#include "runtime/stream.h"
#include "runtime/tensor.h"

namespace lathe::cuda {
namespace {

using runtime::Device;
using runtime::DeviceAPI;
using runtime::StatusName;
using runtime::Tensor;

constexpr const char* kDriver = "backends/cuda/fake/libcuda.so.1";

const FakeCuda& Fake() {
  static const FakeCuda* fake = [] {
    void* library = dlopen(kDriver, RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
      ADD_FAILURE() << dlerror();
      std::abort();
    }
    return reinterpret_cast<decltype(&lathe_fake_cuda)>(dlsym(library, "lathe_fake_cuda"))();
  }();
  return *fake;
}

class CudaDevice : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    setenv("LATHE_PLUGIN_PATH", std::filesystem::absolute("backends/cuda/liblathe_cuda.so").c_str(),
           1);
    setenv("LATHE_CACHE_DIR", getenv("TEST_TMPDIR"), 1);
    setenv("LATHE_CUDA_DRIVER", std::filesystem::absolute(kDriver).c_str(), 1);
    setenv("LATHE_FAKE_CUDA_DEVICES", "2", 1);
    runtime::Initialize();
  }
  void SetUp() override { Fake().reset(2, 80, 1 << 20); }
  void TearDown() override {
    const FakeCounts counts = Fake().counts();
    EXPECT_EQ(counts.allocations, 0);
    EXPECT_EQ(counts.host_allocations, 0);
    EXPECT_EQ(counts.registrations, 0);
    EXPECT_EQ(counts.streams, 0);
    EXPECT_EQ(counts.events, 0);
  }
  static DeviceAPI& Api(const char* kind = "cuda") {
    auto api = runtime::GetDeviceAPI(Device::Parse(kind).kind);
    EXPECT_TRUE(api.ok()) << api.status();
    return **api;
  }
};

// 0, 1, 2, ... of a shape, on a device.
Tensor Counting(std::vector<int64_t> shape, const char* device) {
  const int64_t count =
      std::accumulate(shape.begin(), shape.end(), int64_t{1}, std::multiplies<>());
  std::vector<float> values(static_cast<size_t>(count));
  std::iota(values.begin(), values.end(), 0.f);
  auto tensor = Tensor::FromHost(values.data(), values.size() * 4, shape, DataType::Float(32),
                                 Device::Parse(device));
  EXPECT_TRUE(tensor.ok()) << tensor.status();
  return *tensor;
}

std::vector<float> ToHost(const Tensor& tensor) {
  std::vector<float> values(static_cast<size_t>(tensor.num_elements()));
  const absl::Status status = tensor.CopyToHost(values.data(), values.size() * 4);
  EXPECT_TRUE(status.ok()) << status;
  return values;
}

TEST_F(CudaDevice, SaysWhatItIs) {
  EXPECT_EQ(Api().Count().value(), 2);
  EXPECT_EQ(Api().Attribute(0, "name")->As<std::string>(), "Fake GPU 0");
  EXPECT_EQ(Api().Attribute(1, "vendor")->As<std::string>(), "NVIDIA");
  EXPECT_EQ(Api().Attribute(0, "arch")->As<std::string>(), "sm_80");
  EXPECT_EQ(Api().Attribute(0, "driver_version")->As<std::string>(), "13.0");
  EXPECT_EQ(Api().Attribute(0, "max_threads_per_block")->As<int64_t>(), 1024);
  EXPECT_EQ(Api().Attribute(0, "max_shared_memory_per_block")->As<int64_t>(), 163 << 10);
  EXPECT_EQ(Api().Attribute(0, "max_thread_dimensions")->As<std::string>(), "1024,1024,64");
  EXPECT_EQ(Api().Attribute(0, "warp_size")->As<int64_t>(), 32);
  EXPECT_EQ(Api().Attribute(0, "total_memory")->As<int64_t>(), 1 << 20);
  EXPECT_TRUE(Api().Attribute(0, "taste")->is_none());
  Fake().reset(2, 90, 1 << 20);
  EXPECT_EQ(Api().Attribute(0, "arch")->As<std::string>(), "sm_90a");
}

TEST_F(CudaDevice, TensorsGoThereAndBack) {
  const Tensor there = Counting({3, 5}, "cuda:1");
  EXPECT_EQ(ToHost(there), ToHost(Counting({3, 5}, "cpu")));
  // Only the driver can access the elements.
  EXPECT_NE(Fake().look(1, reinterpret_cast<CUdeviceptr>(there.dl().data), 60), nullptr);
  EXPECT_EXIT(
      {
        volatile float value = *static_cast<const float*>(there.dl().data);
        static_cast<void>(value);
      },
      [](int status) { return status != 0; }, "");
  // From one device to another.
  const Tensor other = there.To(Device::Parse("cuda:0")).value();
  EXPECT_EQ(ToHost(other), ToHost(there));
}

TEST_F(CudaDevice, CopiesOfViewsMoveTheirElementsAlone) {
  const Tensor whole = Counting({4, 6, 8}, "cuda:0");
  const std::vector<float> values = ToHost(whole);
  // Views with gaps in every dimension, stepping backwards, repeating.
  struct Case {
    std::vector<int64_t> shape, strides;
    uint64_t offset;
  };
  const Case cases[] = {
      {{4, 6, 8}, {48, 8, 1}, 0},
      {{2, 3, 4}, {96, 16, 2}, 3},
      {{4, 2, 8}, {48, 24, 1}, 8},
      {{6, 4}, {8, 48}, 5},
      {{3, 8}, {-48, 1}, 144},
      {{2, 5}, {0, 1}, 7},
      {{8}, {-1}, 7},
      {{2, 2, 2, 2}, {96, 24, 4, 1}, 0},
  };
  for (const Case& c : cases) {
    const auto view = Tensor::Wrap(whole.dl().data, c.offset * 4, c.shape, c.strides,
                                   DataType::Float(32), Device::Parse("cuda:0"), nullptr, nullptr);
    std::vector<float> expected;
    std::vector<int64_t> index(c.shape.size(), 0);
    const int64_t count = view.num_elements();
    for (int64_t n = 0; n < count; ++n) {
      auto at = static_cast<int64_t>(c.offset);
      for (size_t d = 0; d < index.size(); ++d) at += index[d] * c.strides[d];
      expected.push_back(values[static_cast<size_t>(at)]);
      for (size_t d = index.size(); d-- > 0;) {
        if (++index[d] < c.shape[d]) break;
        index[d] = 0;
      }
    }
    EXPECT_EQ(ToHost(view), expected);
    // Device to device, and to another one through the host.
    for (const char* device : {"cuda:0", "cuda:1"}) {
      const Tensor packed =
          Tensor::Empty(c.shape, DataType::Float(32), Device::Parse(device)).value();
      ASSERT_TRUE(packed.CopyFrom(view).ok());
      EXPECT_EQ(ToHost(packed), expected) << device;
    }
  }
  // Into a view: the elements between are unchanged.
  const auto columns = Tensor::Wrap(whole.dl().data, 4, std::vector<int64_t>{4, 6, 4},
                                    std::vector<int64_t>{48, 8, 2}, DataType::Float(32),
                                    Device::Parse("cuda:0"), nullptr, nullptr);
  const std::vector<float> sevens(96, 7.f);
  ASSERT_TRUE(columns.CopyFromHost(sevens.data(), sevens.size() * 4).ok());
  std::vector<float> expected = values;
  for (size_t i = 1; i < expected.size(); i += 2) expected[i] = 7.f;
  EXPECT_EQ(ToHost(whole), expected);
}

TEST_F(CudaDevice, FillsWithPatterns) {
  void* data = Api().Alloc(0, {.bytes = 64}).value();
  const auto* memory =
      static_cast<const unsigned char*>(Fake().look(0, reinterpret_cast<CUdeviceptr>(data), 64));
  for (const int32_t width : {1, 2, 4, 8}) {
    const uint64_t pattern = 0x1122334455667788;
    ASSERT_TRUE(Api().Fill(0, data, 8, 40, pattern, width, nullptr).ok());
    ASSERT_TRUE(Api().SyncStream(0, nullptr).ok());
    for (int i = 0; i < 40; ++i) {
      EXPECT_EQ(memory[8 + i], static_cast<unsigned char>(pattern >> (8 * (i % width)))) << width;
    }
  }
  // The driver cannot fill at this unaligned address, so the host does.
  ASSERT_TRUE(Api().Fill(0, data, 1, 8, 0xabcd, 2, nullptr).ok());
  EXPECT_EQ(memory[1], 0xcd);
  EXPECT_EQ(memory[8], 0xab);
  EXPECT_EQ(StatusName(Api().Fill(0, data, 0, 7, 0, 2, nullptr)), "device-bad-fill");
  EXPECT_TRUE(Api().Free(0, "global", data).ok());
}

TEST_F(CudaDevice, AllocatesAlignedUntilThereIsNoMore) {
  void* wide = Api().Alloc(0, {.bytes = 100, .alignment = 4096}).value();
  EXPECT_EQ(reinterpret_cast<uintptr_t>(wide) % 4096, 0u);
  const runtime::MemoryInfo info = Api().GetMemoryInfo(0, "global").value();
  EXPECT_EQ(info.total, 1u << 20);
  EXPECT_LT(info.free, info.total);
  const absl::Status full = Api().Alloc(0, {.bytes = 2 << 20}).status();
  EXPECT_EQ(StatusName(full), "device-out-of-memory");
  EXPECT_NE(full.message().find("2097152"), std::string_view::npos) << full;
  EXPECT_EQ(StatusName(Api().Alloc(0, {.bytes = ~uint64_t{0}, .alignment = 4096}).status()),
            "device-out-of-memory");
  EXPECT_EQ(StatusName(Api().Alloc(0, {.scope = "texture", .bytes = 1}).status()),
            "device-no-such-scope");
  EXPECT_TRUE(Api().Free(0, "global", wide).ok());
  // What the driver has no name for here.
  Fake().fail("cuMemAlloc", CUDA_ERROR_INVALID_VALUE, 0);
  EXPECT_EQ(StatusName(Api().Alloc(0, {.bytes = 1}).status()), "cuda-error");
}

TEST_F(CudaDevice, StreamsAndEventsOrderWork) {
  for (const auto kind : {runtime::StreamKind::kCompute, runtime::StreamKind::kCopy,
                          runtime::StreamKind::kHighPriority}) {
    void* stream = Api().NewStream(0, kind).value();
    EXPECT_TRUE(Api().FreeStream(0, stream).ok());
  }
  void* a = Api().NewStream(0, runtime::StreamKind::kCompute).value();
  void* b = Api().NewStream(0, runtime::StreamKind::kCompute).value();
  void* data = Api().Alloc(0, {.bytes = 4}).value();
  const auto* memory =
      static_cast<const unsigned char*>(Fake().look(0, reinterpret_cast<CUdeviceptr>(data), 4));
  void* first = Api().NewEvent(0).value();
  void* second = Api().NewEvent(0).value();
  ASSERT_TRUE(Api().RecordEvent(0, first, a).ok());
  ASSERT_TRUE(Api().Fill(0, data, 0, 4, 1, 1, a).ok());
  ASSERT_TRUE(Api().RecordEvent(0, second, a).ok());
  // b's work comes after a's fill, although only b is waited for.
  ASSERT_TRUE(Api().WaitEvent(0, second, b).ok());
  ASSERT_TRUE(Api().Fill(0, data, 0, 2, 2, 1, b).ok());
  EXPECT_EQ(memory[0], 0xcd);  // nothing has happened yet
  ASSERT_TRUE(Api().SyncStream(0, b).ok());
  EXPECT_EQ(memory[0], 2);
  EXPECT_EQ(memory[3], 1);
  ASSERT_TRUE(Api().SyncEvent(0, second).ok());
  // The fake's clock ticks once per piece of work: the fill and the record.
  EXPECT_EQ(Api().ElapsedNanoseconds(0, first, second).value(), 2e6);
  for (void* event : {first, second}) EXPECT_TRUE(Api().FreeEvent(0, event).ok());
  for (void* stream : {a, b}) EXPECT_TRUE(Api().FreeStream(0, stream).ok());
  EXPECT_TRUE(Api().Free(0, "global", data).ok());
}

TEST_F(CudaDevice, HostMemoryIsPageLockedOrWrapped) {
  const Tensor pinned = Counting({16}, "cuda_host");
  EXPECT_EQ(static_cast<const float*>(pinned.dl().data)[3], 3.f);
  EXPECT_EQ(Fake().counts().host_allocations, 1);
  const Tensor there = pinned.To(Device::Parse("cuda:0")).value();
  EXPECT_EQ(ToHost(there), ToHost(pinned));

  std::vector<float> mine(1024, 1.f);
  void* data = Api().WrapHost(0, mine.data(), 4096).value();
  ASSERT_TRUE(Api().Fill(0, data, 0, 4096, 0x40000000, 4, nullptr).ok());
  ASSERT_TRUE(Api().SyncStream(0, nullptr).ok());
  EXPECT_EQ(mine[1023], 2.f);
  EXPECT_TRUE(Api().UnwrapHost(0, data).ok());
  EXPECT_EQ(StatusName(Api().UnwrapHost(0, data)), "cuda-error");
  // A failure half way leaves nothing registered.
  Fake().fail("cuMemHostGetDevicePointer", CUDA_ERROR_INVALID_VALUE, 0);
  EXPECT_EQ(StatusName(Api().WrapHost(0, mine.data(), 4096).status()), "cuda-error");
}

TEST_F(CudaDevice, IsMadeCurrentForEachThread) {
  ASSERT_TRUE(Api().MakeCurrent(1).ok());
  EXPECT_TRUE(Fake().is_current(1));
  std::thread([] {
    EXPECT_FALSE(Fake().is_current(1));
    EXPECT_TRUE(Api().MakeCurrent(0).ok());
    EXPECT_TRUE(Fake().is_current(0));
  }).join();
  EXPECT_TRUE(Fake().is_current(1));
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([i] {
      const char* device = i % 2 == 0 ? "cuda:0" : "cuda:1";
      for (int round = 0; round < 20; ++round) EXPECT_EQ(ToHost(Counting({100}, device))[99], 99.f);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST_F(CudaDevice, UnknownDevicesAreNamed) {
  const absl::Status status = runtime::GetDeviceAPI(Device::Parse("cuda:7")).status();
  EXPECT_EQ(StatusName(status), "device-no-such-id");
  EXPECT_EQ(StatusName(Api().MakeCurrent(7)), "cuda-no-device");
  EXPECT_EQ(StatusName(Api().MakeCurrent(-1)), "cuda-no-device");
}

// The last of these tests, because a lost device stays lost; it runs in a child process.
TEST_F(CudaDevice, ALostDeviceStaysLost) {
  // In a new process: plugins do not serve forked ones.
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  const auto lose = [] {
    const Tensor tensor = Counting({4}, "cuda:0");
    Fake().fail("cuStreamSynchronize", CUDA_ERROR_ILLEGAL_ADDRESS, 0);
    const absl::Status first = Api().SyncStream(0, nullptr);
    EXPECT_EQ(StatusName(first), "device-lost") << first;
    EXPECT_NE(first.message().find("illegal memory access"), std::string_view::npos) << first;
    EXPECT_EQ(first.code(), absl::StatusCode::kUnavailable);
    for (const absl::Status& later :
         {Api().Health(0), Api().MakeCurrent(0), Api().Alloc(0, {.bytes = 1}).status(),
          Api().NewStream(0, runtime::StreamKind::kCopy).status()}) {
      EXPECT_EQ(StatusName(later), "device-lost");
      EXPECT_EQ(later.message().substr(0, 40), first.message().substr(0, 40));
    }
    // The other device goes on.
    EXPECT_TRUE(Api().Health(1).ok());
    EXPECT_EQ(ToHost(Counting({4}, "cuda:1"))[3], 3.f);
    std::exit(testing::Test::HasFailure() ? 1 : 0);
  };
  EXPECT_EXIT(lose(), testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace lathe::cuda
