// bazel run //bench/opencl:gemm
//
// The product of two matrices of 1024 x 1024 on PoCL: a schedule of register tiles against CLBlast
// in the same process, both including all their kernels and packing, and against the most that the
// processor's cores can do (measured here, too, by a loop of independent multiply-adds on as many
// threads).
#include <CL/cl.h>
#include <clblast_c.h>
#include <dlfcn.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <functional>
#include <limits>
#include <thread>
#include <vector>

#include "driver/compile.h"
#include "driver/default_plugins.h"
#include "ir/text/parser.h"
#include "runtime/device_api.h"
#include "runtime/module.h"
#include "runtime/tensor.h"
#include "schedule/primitives/primitives.h"
#include "target/target.h"
#include "te/operation.h"

namespace lathe {
namespace {

using namespace schedule;  // NOLINT: as in the documents
using namespace te;        // NOLINT
using ir::Int;

constexpr int64_t kN = 1024;
constexpr double kFlops = 2.0 * kN * kN * kN;
constexpr int64_t kRows = 8, kColumns = 32;

[[noreturn]] void Fail(const std::string& what) {
  std::fprintf(stderr, "gemm: %s\n", what.c_str());
  std::exit(1);
}

runtime::Module Build(const ir::Module& loops, const char* target) {
  auto module = driver::Build(loops, target::ParseTarget(target), {});
  if (!module.ok()) Fail(std::string(module.status().message()));
  return *module;
}

double Seconds(const std::function<void()>& run) {
  const auto begin = std::chrono::steady_clock::now();
  run();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

// GFLOP/s of all cores together: multiply-adds on registers.
double Ceiling(int threads) {
  constexpr int64_t kVectors = 12, kLanes = 16, kSteps = 4000000;
  const std::string text = "func peak(C: float32[" + std::to_string(kVectors * kLanes) + R"(]) {
  allocate acc: float32[192](scope="local")
  unrolled for v in range(12) { vectorized for l in range(16) { acc[v * 16 + l] = C[v * 16 + l] } }
  for i in range(4000000) {
    unrolled for v in range(12) {
      vectorized for l in range(16) { acc[v * 16 + l] = acc[v * 16 + l] * 0.5 + 1.0 }
    }
  }
  unrolled for v in range(12) { vectorized for l in range(16) { C[v * 16 + l] = acc[v * 16 + l] } }
})";
  const runtime::Module module = Build(ir::ParseModule(text), "llvm");
  const runtime::Function peak = module.FindFunction("peak");
  double best = std::numeric_limits<double>::infinity();
  for (int round = 0; round < 5; ++round) {
    best = std::min(best, Seconds([&] {
                      std::vector<std::thread> all;
                      for (int t = 0; t < threads; ++t) {
                        all.emplace_back([&] {
                          const auto c =
                              runtime::Tensor::Empty({kVectors * kLanes}, DataType::Float(32));
                          std::fill_n(c->HostData<float>(), kVectors * kLanes, 1.0f);
                          peak(*c);
                        });
                      }
                      for (std::thread& thread : all) thread.join();
                    }));
  }
  return 2.0 * kVectors * kLanes * kSteps * threads / best / 1e9;
}

// Tiles of 8 x 32 in registers, one work-item each; B is packed by a kernel of its own first.
runtime::Module Gemm() {
  te::Tensor a = Placeholder({Int(kN), Int(kN)}, DataType::Float(32), "A"),
             b = Placeholder({Int(kN), Int(kN)}, DataType::Float(32), "B");
  te::Tensor packed = Compute(
      {Int(kN / kColumns), Int(kN), Int(kColumns)},
      [&](const Indices& i) { return At(b, {i[1], i[0] * kColumns + i[2]}); }, "packed");
  IterVar k = te::ReduceAxis(Int(0), Int(kN), "k");
  te::Tensor c = Compute(
      {Int(kN), Int(kN)},
      [&](const Indices& i) {
        return Sum(At(a, {i[0], k->var}) * At(packed, {ir::FloorDivide(i[1], kColumns), k->var,
                                                       ir::FloorModulo(i[1], kColumns)}),
                   {k});
      },
      "C");
  Schedule s = CreateSchedule({c->op});
  te::Tensor tile = CacheWrite(s, c, "local")[0];
  auto [io, ii] = Split(s[c], AxisOf(c, 0), kRows);
  auto [jo, ji] = Split(s[c], AxisOf(c, 1), kColumns);
  Reorder(s[c], {jo, io, ii, ji});
  Bind(s[c], jo, ThreadAxis("blockIdx.y"));
  Bind(s[c], io, ThreadAxis("blockIdx.x"));
  Unroll(s[c], ii);
  Vectorize(s[c], ji);
  ComputeAt(s[tile], s[c], io);
  const std::vector<IterVar> axes = s[tile].leaf_axes;  // rows, columns, k
  Reorder(s[tile], {axes[2], axes[0], axes[1]});
  Unroll(s[tile], axes[0]);
  Vectorize(s[tile], axes[1]);
  auto [po, pi] = Split(s[packed], AxisOf(packed, 1), 64);
  Bind(s[packed], AxisOf(packed, 0), ThreadAxis("blockIdx.y"));
  Bind(s[packed], po, ThreadAxis("blockIdx.x"));
  (void)pi;
  Vectorize(s[packed], AxisOf(packed, 2));
  return Build(driver::Lower(s, {a, b, c}, "gemm", {}), "opencl");
}

std::vector<float> Random(unsigned seed) {
  std::vector<float> out(kN * kN);
  for (float& x : out)
    x = static_cast<float>((seed = seed * 1664525u + 1013904223u) >> 8) / (1 << 24);
  return out;
}

// Minimum of many runs, in seconds.
double Best(const std::function<void()>& run, int rounds) {
  double best = std::numeric_limits<double>::infinity();
  for (int i = 0; i < rounds; ++i) best = std::min(best, Seconds(run));
  return best;
}

double OwnSeconds(const std::vector<float>& x, const std::vector<float>& y, std::vector<float>* out,
                  int rounds) {
  const runtime::Module module = Gemm();
  if (std::getenv("LATHE_SHOW_SOURCE") != nullptr)
    std::puts((*module->imports()[0]->Source("source")).c_str());
  const runtime::Device device = runtime::Device::Parse("opencl");
  const int64_t shape[] = {kN, kN};
  const auto on_device = [&](const std::vector<float>& values) {
    return *runtime::Tensor::FromHost(values.data(), values.size() * 4, shape, DataType::Float(32),
                                      device);
  };
  const runtime::Tensor a = on_device(x), b = on_device(y), c = on_device(x);
  runtime::DeviceAPI* api = *runtime::GetDeviceAPI(device);
  const runtime::Function gemm = module.FindFunction("gemm");
  const auto run = [&] {
    gemm(a, b, c);
    if (const absl::Status status = api->SyncStream(0, nullptr); !status.ok())
      Fail(std::string(status.message()));
  };
  run();
  const double seconds = Best(run, rounds);
  out->resize(x.size());
  if (!c.CopyToHost(out->data(), out->size() * 4).ok()) Fail("copying back");
  return seconds;
}

double ClBlastSeconds(const std::vector<float>& x, const std::vector<float>& y,
                      std::vector<float>* out, int rounds) {
  void* library = dlopen("libclblast.so.1", RTLD_NOW);
  if (library == nullptr) Fail(dlerror());
  const auto sgemm = reinterpret_cast<decltype(&CLBlastSgemm)>(dlsym(library, "CLBlastSgemm"));
  cl_platform_id platform = nullptr;
  cl_device_id device = nullptr;
  if (clGetPlatformIDs(1, &platform, nullptr) != CL_SUCCESS ||
      clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, nullptr) != CL_SUCCESS)
    Fail("no OpenCL");
  cl_context context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, nullptr);
  cl_command_queue queue = clCreateCommandQueue(context, device, 0, nullptr);
  const size_t bytes = x.size() * 4;
  const auto buffer = [&](const std::vector<float>& values) {
    return clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, bytes,
                          const_cast<float*>(values.data()), nullptr);
  };
  cl_mem a = buffer(x), b = buffer(y), c = buffer(x);
  const auto run = [&] {
    const auto status = sgemm(CLBlastLayoutRowMajor, CLBlastTransposeNo, CLBlastTransposeNo, kN, kN,
                              kN, 1.0f, a, 0, kN, b, 0, kN, 0.0f, c, 0, kN, &queue, nullptr);
    if (status != CLBlastSuccess) Fail("CLBlast says " + std::to_string(static_cast<int>(status)));
    clFinish(queue);
  };
  run();
  const double seconds = Best(run, rounds);
  out->resize(x.size());
  clEnqueueReadBuffer(queue, c, CL_TRUE, 0, bytes, out->data(), 0, nullptr, nullptr);
  return seconds;
}

int Main() {
  driver::UseDefaultPlugins();
  const int threads = static_cast<int>(std::thread::hardware_concurrency());
  const std::vector<float> x = Random(1), y = Random(2);
  std::vector<float> own, theirs;
  // Twice, alternating: other users of the machine come and go.
  double ceiling = 0, mine = 0, clblast = 0;
  for (int round = 0; round < 2; ++round) {
    ceiling = std::max(ceiling, Ceiling(threads));
    mine = std::max(mine, kFlops / OwnSeconds(x, y, &own, 30) / 1e9);
    clblast = std::max(clblast, kFlops / ClBlastSeconds(x, y, &theirs, 10) / 1e9);
  }
  double difference = 0;
  for (size_t i = 0; i < own.size(); ++i)
    difference = std::max(difference, std::fabs(static_cast<double>(own[i]) - theirs[i]));
  std::printf("ceiling of %d threads  %7.1f GFLOP/s\n", threads, ceiling);
  std::printf("lathe on OpenCL       %7.1f GFLOP/s  %4.1f %% of the ceiling\n", mine,
              100 * mine / ceiling);
  std::printf("CLBlast               %7.1f GFLOP/s  lathe is %.2f times as fast\n", clblast,
              mine / clblast);
  std::printf("largest difference    %.2g\n", difference);
  if (difference > 1e-2) Fail("the results differ");
  return 0;
}

}  // namespace
}  // namespace lathe

int main() {
  try {
    return lathe::Main();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
