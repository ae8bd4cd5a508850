// The device API: copies of every layout, fills, streams, events with the device's clock, several
// devices, and the cache of programs.
#include <stdlib.h>

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <numeric>
#include <string>
#include <thread>

#include "base/blob.h"
#include "runtime/stream.h"
#include "tests/opencl/scale.h"

namespace lathe::opencl_tests {
namespace {

using runtime::DeviceAPI;
using runtime::StatusName;
using runtime::Tensor;

class Device : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    setenv("POCL_DEVICES", "pthread basic", 1);
    driver::UseDefaultPlugins();
  }
  static DeviceAPI& Api() { return **runtime::GetDeviceAPI(OpenCl()); }
};

std::vector<float> Count(size_t n) {
  std::vector<float> out(n);
  std::iota(out.begin(), out.end(), 0.0f);
  return out;
}

TEST_F(Device, SaysWhatItIs) {
  EXPECT_EQ(*Api().Count(), 2);
  for (const char* key : {"name", "vendor", "arch", "driver_version", "platform"}) {
    const auto value = Api().Attribute(0, key);
    ASSERT_TRUE(value.ok()) << value.status();
    EXPECT_EQ(value->c().kind, LATHE_VALUE_OBJECT) << key;
  }
  for (const char* key : {"total_memory", "max_threads_per_block", "max_shared_memory_per_block",
                          "multi_processor_count", "max_allocation"}) {
    const auto value = Api().Attribute(1, key);
    ASSERT_TRUE(value.ok()) << value.status();
    EXPECT_GT(value->c().v_int, 0) << key;
  }
  EXPECT_EQ(Api().Attribute(0, "warp_size")->c().kind, LATHE_VALUE_NONE);
}

// The pragma import_c: OpenCL C that comes before the kernels.
TEST_F(Device, ImportedSourcesRun) {
  Scale scale(32, DataType::Float(32), [](const ir::Expr& x) {
    return ir::MakeCall(DataType::Float(32), "call_pure_extern", {ir::String("halve"), x}) + 1;
  });
  schedule::Pragma(scale.s[scale.b], scale.s[scale.b].leaf_axes[0], "import_c",
                   "float halve(float x) { return x * 0.5f; }");
  const auto source = driver::Compile(scale.Loops(), target::ParseTarget("opencl"),
                                      plugins::OutputKind::kSource, {});
  ASSERT_TRUE(source.ok()) << source.status();
  const size_t at = source->find("float halve(float x) { return x * 0.5f; }");
  EXPECT_LT(at, source->find("scale_kernel0")) << *source;
  const auto module = scale.Build();
  ASSERT_TRUE(module.ok()) << module.status();
  const Tensor b = OnDevice({0, 0, 0});
  const auto called = module->FindFunction("scale").TryCall(OnDevice({1, 2, 3}), b);
  ASSERT_TRUE(called.ok()) << called.status();
  EXPECT_EQ(ToHost(b), (std::vector<float>{1.5f, 2, 2.5f}));
}

TEST_F(Device, MemoryIsCountedAndFilled) {
  const auto before = Api().GetMemoryInfo(0, "global");
  {
    const Tensor tensor = *Tensor::Empty({1 << 20}, DataType::Float(32), OpenCl());
    EXPECT_EQ(before->free - Api().GetMemoryInfo(0, "global")->free, 4u << 20);
    ASSERT_TRUE(Api().Fill(0, tensor.dl().data, 4, 8, 0x3f800000, 4, nullptr).ok());
    std::vector<float> got(1 << 20);
    ASSERT_TRUE(tensor.CopyToHost(got.data(), got.size() * 4).ok());
    EXPECT_EQ(got[1], 1);
    EXPECT_EQ(got[2], 1);
  }
  EXPECT_EQ(before->free, Api().GetMemoryInfo(0, "global")->free);
}

// A view of device memory whose elements begin at `offset`.
DLTensor View(const Tensor& whole, std::vector<int64_t>& shape, std::vector<int64_t>& strides,
              uint64_t offset) {
  DLTensor view = whole.dl();
  view.ndim = static_cast<int32_t>(shape.size());
  view.shape = shape.data();
  view.strides = strides.data();
  view.byte_offset = offset * 4;
  return view;
}

// Every second element, from an offset on. This device's memory has no addresses to count from, so
// the buffers declare an offset.
TEST_F(Device, ArgumentsWithStridesAndOffsets) {
  const Scale scale;
  auto bound = [&](const te::Tensor& tensor) {
    return ir::CopyBuffer(ir::MakeBuffer("any", tensor->dtype(), tensor->shape()),
                          [&](ir::BufferNode& copy) {
                            copy.strides = {ir::MakeVar("step")};
                            copy.offset_factor = 1;
                          });
  };
  const auto module =
      driver::Build(driver::Lower(scale.s, {scale.a, scale.b}, "scale", {},
                                  {{scale.a, bound(scale.a)}, {scale.b, bound(scale.b)}}),
                    target::ParseTarget("opencl"), {});
  ASSERT_TRUE(module.ok()) << module.status();
  std::vector<float> expected(200, -1);
  const Tensor a = OnDevice(Count(200)), b = OnDevice(expected);
  std::vector<int64_t> shape = {33}, threes = {3}, twos = {2}, none = {0};
  DLTensor from = View(a, shape, threes, 7), to = View(b, shape, twos, 100);
  const auto called = module->FindFunction("scale").TryCall(&from, &to);
  ASSERT_TRUE(called.ok()) << called.status();
  for (size_t i = 0; i < 33; ++i) expected[100 + 2 * i] = static_cast<float>(2 * (7 + 3 * i) + 1);
  EXPECT_EQ(ToHost(b), expected);
  to.strides = none.data();
  EXPECT_EQ(StatusName(module->FindFunction("scale").TryCall(&from, &to).status()),
            "call-argument-strides");
}

TEST_F(Device, CopiesOfEveryLayout) {
  struct Layout {
    std::vector<int64_t> strides;
    uint64_t offset;
  };
  std::vector<int64_t> shape = {3, 4, 5};
  // Compact; a window of something larger; every second element; transposed; backwards; broadcast
  // rows.
  const std::vector<Layout> layouts = {{{20, 5, 1}, 0},   {{20, 5, 1}, 7}, {{60, 10, 1}, 3},
                                       {{80, 16, 2}, 1},  {{1, 15, 3}, 0}, {{-20, 5, 1}, 40},
                                       {{60, -10, 1}, 30}};
  const std::vector<float> values = Count(400);
  for (const Layout& from : layouts) {
    for (const Layout& to : layouts) {
      for (const bool through_device : {false, true}) {
        const Tensor a = OnDevice(values), b = OnDevice(std::vector<float>(400, -1.0f));
        std::vector<int64_t> x = from.strides, y = to.strides;
        DLTensor source = View(a, shape, x, from.offset), target = View(b, shape, y, to.offset);
        if (through_device) {
          ASSERT_TRUE(Api().Copy(source, target, nullptr).ok());
        } else {
          std::vector<float> host(60);
          std::vector<int64_t> compact = {20, 5, 1};
          DLTensor between = source;
          between.data = host.data();
          between.byte_offset = 0;
          between.strides = compact.data();
          between.device = {kDLCPU, 0};
          ASSERT_TRUE(Api().Copy(source, between, nullptr).ok());
          ASSERT_TRUE(Api().Copy(between, target, nullptr).ok());
        }
        const std::vector<float> got = ToHost(b);
        std::vector<float> expected(400, -1.0f);
        for (int64_t i = 0; i < 3; ++i) {
          for (int64_t j = 0; j < 4; ++j) {
            for (int64_t k = 0; k < 5; ++k) {
              const auto at = [&](const Layout& l) {
                return static_cast<size_t>(static_cast<int64_t>(l.offset) + i * l.strides[0] +
                                           j * l.strides[1] + k * l.strides[2]);
              };
              expected[at(to)] = values[at(from)];
            }
          }
        }
        ASSERT_EQ(got, expected);
      }
    }
  }
}

TEST_F(Device, ImagesHoldWhatIsCopied) {
  for (const DataType dtype : {DataType::Float(32), DataType::UInt(8), DataType::Int(16)}) {
    const int64_t shape[] = {3, 2, 8};
    const Tensor image = *Tensor::Empty(shape, dtype, OpenCl(), "texture");
    std::vector<unsigned char> bytes(static_cast<size_t>(48 * dtype.bytes())), back(bytes.size());
    for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<unsigned char>(i % 60);
    ASSERT_TRUE(image.CopyFromHost(bytes.data(), bytes.size()).ok());
    ASSERT_TRUE(image.CopyToHost(back.data(), back.size()).ok());
    EXPECT_EQ(bytes, back) << dtype.ToString();
  }
}

TEST_F(Device, DevicesHaveMemoriesOfTheirOwn) {
  const Tensor first = OnDevice(Count(100), 0), second = OnDevice(std::vector<float>(100), 1);
  ASSERT_TRUE(second.CopyFrom(first).ok());
  EXPECT_EQ(ToHost(second), Count(100));
  const auto module = Scale().Build();
  ASSERT_TRUE(module.ok()) << module.status();
  for (int id : {1, 0}) {
    const Tensor a = OnDevice(Count(70), id), b = OnDevice(std::vector<float>(70), id);
    ASSERT_TRUE(module->FindFunction("scale").TryCall(a, b).ok());
    EXPECT_EQ(ToHost(b)[69], 139);
  }
}

TEST_F(Device, StreamsRunInOrderAndEventsTellTheTime) {
  void* stream = *Api().NewStream(0, runtime::StreamKind::kCompute);
  void *begin = *Api().NewEvent(0), *end = *Api().NewEvent(0);
  const Tensor a = *Tensor::Empty({1 << 20}, DataType::Float(32), OpenCl());
  ASSERT_TRUE(Api().RecordEvent(0, begin, stream).ok());
  for (int i = 0; i < 20; ++i)
    ASSERT_TRUE(Api().Fill(0, a.dl().data, 0, 4 << 20, static_cast<uint64_t>(i), 4, stream).ok());
  ASSERT_TRUE(Api().RecordEvent(0, end, stream).ok());
  ASSERT_TRUE(Api().WaitEvent(0, end, nullptr).ok());  // the default stream continues after it
  ASSERT_TRUE(Api().SyncStream(0, nullptr).ok());
  ASSERT_TRUE(Api().SyncEvent(0, end).ok());
  const auto elapsed = Api().ElapsedNanoseconds(0, begin, end);
  ASSERT_TRUE(elapsed.ok()) << elapsed.status();
  EXPECT_GT(*elapsed, 1000);  // 80 MB written
  EXPECT_LT(*elapsed, 60e9);
  for (void* event : {begin, end}) ASSERT_TRUE(Api().FreeEvent(0, event).ok());
  ASSERT_TRUE(Api().FreeStream(0, stream).ok());
}

TEST_F(Device, ThreadsLaunchTogether) {
  const auto module = Scale().Build();
  ASSERT_TRUE(module.ok()) << module.status();
  std::vector<std::thread> threads;
  std::vector<int> wrong(4, 0);
  for (size_t t = 0; t < wrong.size(); ++t) {
    threads.emplace_back([&, t] {
      for (int round = 0; round < 20; ++round) {
        const auto n = static_cast<size_t>(100 + round);
        std::vector<float> values(n, static_cast<float>(t));
        const Tensor a = OnDevice(values), b = OnDevice(values);
        if (!module->FindFunction("scale").TryCall(a, b).ok()) ++wrong[t];
        for (float value : ToHost(b)) wrong[t] += value == static_cast<float>(t) * 2 + 1 ? 0 : 1;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, std::vector<int>(4, 0));
}

// Kernels of the checked build report what they would access.
TEST_F(Device, CheckedKernelsReport) {
  const ir::Var n = ir::MakeSizeVar("n"), m = ir::MakeSizeVar("m");
  const te::Tensor a = te::Placeholder({m}, DataType::Float(32), "A"),
                   b = te::Placeholder({n}, DataType::Int(32), "B");
  const te::Tensor c =
      te::Compute({n}, [&](const te::Indices& i) { return te::At(a, {te::At(b, {i[0]})}); }, "C");
  schedule::Schedule s = schedule::CreateSchedule({c->op});
  auto [io, ii] = schedule::Split(s[c], schedule::AxisOf(c, 0), 16);
  schedule::Bind(s[c], io, schedule::ThreadAxis("blockIdx.x"));
  schedule::Bind(s[c], ii, schedule::ThreadAxis("threadIdx.x"));
  lower::PassContext checked;
  checked.Set("check", 1);
  const auto module = driver::Build(driver::Lower(s, {a, b, c}, "gather", checked),
                                    target::ParseTarget("opencl"), checked);
  ASSERT_TRUE(module.ok()) << module.status();
  const Tensor values = OnDevice({5, 6, 7}), out = OnDevice(std::vector<float>(100));
  for (const int32_t at : {2, 3}) {
    std::vector<int32_t> indices(100, 1);
    indices[77] = at;
    const int64_t shape[] = {100};
    const Tensor places =
        *Tensor::FromHost(indices.data(), 400, shape, DataType::Int(32), OpenCl());
    const auto result = module->FindFunction("gather").TryCall(values, places, out);
    EXPECT_EQ(StatusName(result.status()), at == 2 ? "" : "check-out-of-bounds");
    if (at == 3)
      EXPECT_NE(result.status().message().find("found: [3]"), std::string::npos) << result.status();
    EXPECT_EQ(ToHost(out)[76], 6);
  }
  // One argument twice: the handles are equal.
  const Tensor places = *Tensor::Empty({3}, DataType::Int(32), OpenCl());
  EXPECT_EQ(StatusName(module->FindFunction("gather").TryCall(values, places, values).status()),
            "check-arguments-overlap");
}

// A large constant is in memory of the device (a cl_mem, no address), and freed with its module.
TEST_F(Device, LargeConstantsAreInItsMemory) {
  constexpr int64_t kSize = 5000;
  std::vector<float> weights(kSize);
  for (size_t i = 0; i < weights.size(); ++i) weights[i] = static_cast<float>(i % 250);
  const te::Tensor w = te::Constant(
      Blob::Copy({reinterpret_cast<const char*>(weights.data()), weights.size() * sizeof(float)}),
      {kSize}, DataType::Float(32), "W");
  const te::Tensor a = te::Placeholder({ir::Int(kSize)}, DataType::Float(32), "A");
  const te::Tensor b = te::Compute(
      {ir::Int(kSize)}, [&](const te::Indices& i) { return te::At(a, {i[0]}) + te::At(w, {i[0]}); },
      "B");
  schedule::Schedule s = schedule::CreateSchedule({b->op});
  auto [io, ii] = schedule::Split(s[b], schedule::AxisOf(b, 0), 16);
  schedule::Bind(s[b], io, schedule::ThreadAxis("blockIdx.x"));
  schedule::Bind(s[b], ii, schedule::ThreadAxis("threadIdx.x"));
  const std::vector<float> ones(weights.size(), 1.0f);
  const Tensor x = OnDevice(ones), y = OnDevice(ones);
  const auto free = [] { return Api().GetMemoryInfo(0, "global")->free; };
  const uint64_t before = free();
  {
    const auto module =
        driver::Build(driver::Lower(s, {a, b}, "weighted", {}), target::ParseTarget("opencl"), {});
    ASSERT_TRUE(module.ok()) << module.status();
    for (int call = 0; call < 2; ++call) {
      const auto result = module->FindFunction("weighted").TryCall(x, y);
      ASSERT_TRUE(result.ok()) << result.status();
      const std::vector<float> got = ToHost(y);
      for (size_t i = 0; i < got.size(); ++i) ASSERT_EQ(got[i], weights[i] + 1) << i;
    }
    EXPECT_EQ(before - free(), weights.size() * sizeof(float));
  }
  EXPECT_EQ(free(), before);
}

TEST_F(Device, ProgramsAreKept) {
  const std::string folder = std::string(getenv("TEST_TMPDIR")) + "/kept";
  setenv("LATHE_CACHE_DIR", folder.c_str(), 1);
  const Scale scale(16);
  const auto run = [&] {
    const auto module = scale.Build();
    ASSERT_TRUE(module.ok()) << module.status();
    const Tensor a = OnDevice(Count(20)), b = OnDevice(Count(20));
    ASSERT_TRUE(module->FindFunction("scale").TryCall(a, b).ok());
    EXPECT_EQ(ToHost(b)[19], 39);
  };
  run();
  std::vector<std::filesystem::path> files;
  for (const auto& file : std::filesystem::directory_iterator(folder + "/opencl"))
    files.push_back(file.path());
  ASSERT_EQ(files.size(), 1u);
  const auto written = std::filesystem::last_write_time(files[0]);
  run();
  EXPECT_EQ(std::filesystem::last_write_time(files[0]), written);  // read, not written again
  // A damaged file counts as missing.
  std::filesystem::resize_file(files[0], std::filesystem::file_size(files[0]) - 3);
  const auto damaged = std::filesystem::file_size(files[0]);
  run();
  EXPECT_NE(std::filesystem::file_size(files[0]), damaged);
  // A folder that others can write to is not used: its files are neither read nor written.
  using std::filesystem::perms;
  std::filesystem::permissions(folder, perms::all);
  std::filesystem::remove(files[0]);
  run();
  EXPECT_FALSE(std::filesystem::exists(files[0]));
  std::filesystem::permissions(folder, perms::owner_all);
  run();
  EXPECT_TRUE(std::filesystem::exists(files[0]));
  // If the file is a FIFO, the plugin does not wait for it either.
  std::filesystem::remove(files[0]);
  ASSERT_EQ(mkfifo(files[0].c_str(), 0600), 0);
  alarm(60);
  run();
  alarm(0);
}

}  // namespace
}  // namespace lathe::opencl_tests
