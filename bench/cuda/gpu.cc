// bazel run //bench/cuda:gpu
//
// What NVIDIA's GPUs are measured by: the time that a launch takes over the driver's own, and products of 4096 x 4096
// matrices against cuBLAS (libcublas, opened at run time: LATHE_CUBLAS names it). On machines without a GPU each
// case says that it did not run, and why.
#include <dlfcn.h>

#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "base/float_formats.h"
#include "driver/compile.h"
#include "driver/default_plugins.h"
#include "plugins/host/target.h"
#include "plugins/host/tensor_intrinsics.h"
#include "runtime/device_api.h"
#include "runtime/module.h"
#include "runtime/tensor.h"
#include "tests/cuda/kernels.h"

namespace lathe {
namespace {

using runtime::Device;
using runtime::Tensor;

constexpr int64_t kN = 4096;
constexpr double kFlops = 2.0 * kN * kN * kN;

// Of the driver and of cuBLAS, what is called here; their headers are not needed for that.
using DriverResult = int;
struct DriverApi {
  DriverResult (*cuModuleLoadData)(void** module, const void* image) = nullptr;
  DriverResult (*cuModuleGetFunction)(void** function, void* module, const char* name) = nullptr;
  DriverResult (*cuLaunchKernel)(void* function, unsigned, unsigned, unsigned, unsigned, unsigned,
                                 unsigned, unsigned, void* stream, void** params,
                                 void** extra) = nullptr;
  DriverResult (*cuCtxSynchronize)() = nullptr;
};
struct Cublas {
  int (*cublasCreate_v2)(void** handle) = nullptr;
  int (*cublasGemmEx)(void* handle, int transa, int transb, int m, int n, int k, const void* alpha,
                      const void* a, int atype, int lda, const void* b, int btype, int ldb,
                      const void* beta, void* c, int ctype, int ldc, int compute,
                      int algo) = nullptr;
  void* handle = nullptr;
};
constexpr int kFloat32 = 0, kFloat16 = 2, kBFloat16 = 14;  // cudaDataType_t
constexpr int kNoTranspose = 0, kTranspose = 1, kCompute32 = 68, kDefaultAlgorithm = -1;

template <class F>
bool Find(void* library, const char* name, F** function) {
  *function = library == nullptr ? nullptr : reinterpret_cast<F*>(dlsym(library, name));
  return *function != nullptr;
}

bool OpenDriver(DriverApi* api) {
  const char* named = std::getenv("LATHE_CUDA_DRIVER");
  void* library = dlopen(named != nullptr && *named != '\0' ? named : "libcuda.so.1", RTLD_NOW);
  return Find(library, "cuModuleLoadData", &api->cuModuleLoadData) &&
         Find(library, "cuModuleGetFunction", &api->cuModuleGetFunction) &&
         Find(library, "cuLaunchKernel", &api->cuLaunchKernel) &&
         Find(library, "cuCtxSynchronize", &api->cuCtxSynchronize);
}

bool OpenCublas(Cublas* out) {
  void* library = nullptr;
  const char* named = std::getenv("LATHE_CUBLAS");
  for (const char* name : {named == nullptr ? "" : named, "libcublas.so.13", "libcublas.so.12"}) {
    if (library == nullptr && *name != '\0') library = dlopen(name, RTLD_NOW);
  }
  return Find(library, "cublasCreate_v2", &out->cublasCreate_v2) &&
         Find(library, "cublasGemmEx", &out->cublasGemmEx) &&
         out->cublasCreate_v2(&out->handle) == 0;
}

void NotRun(const std::string& name, const std::string& why) {
  std::printf("%-28s did not run: %s\n", name.c_str(), why.c_str());
}

double SecondsPerCall(const std::function<void()>& call, const std::function<void()>& wait,
                      int calls) {
  call();
  wait();
  double best = 1e30;
  for (int round = 0; round < 5; ++round) {
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < calls; ++i) call();
    wait();
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    best = std::min(best, took.count() / calls);
  }
  return best;
}

// A launch through a module's function against the driver's for a kernel that does nothing.
void LaunchOverhead(const std::string& name, const std::string& target, const Device& device) {
  const Case test = Elementwise("f", DataType::Float(32), 1, 128);
  auto module = driver::Build(driver::Lower(test.schedule, test.args, "f", {}),
                              plugins::ParseTarget(target), {});
  if (!module.ok()) return NotRun(name, std::string(module.status().message()));
  DriverApi driver;
  if (!OpenDriver(&driver)) return NotRun(name, "the driver's library has no cuLaunchKernel");
  constexpr const char* kEmpty =
      ".version 7.0\n.target sm_52\n.address_size 64\n.visible .entry empty() { ret; }\n";
  void *code = nullptr, *empty = nullptr;
  const Tensor a = *Tensor::Empty({128}, DataType::Float(32), device),
               b = *Tensor::Empty({128}, DataType::Float(32), device),
               c = *Tensor::Empty({128}, DataType::Float(32), device);
  if (driver.cuModuleLoadData(&code, kEmpty) != 0 ||
      driver.cuModuleGetFunction(&empty, code, "empty") != 0)
    return NotRun(name, "the driver does not take PTX");
  const runtime::Function kernel = (*module)->imports().at(0).FindFunction("f_kernel0");
  const auto wait = [&] { driver.cuCtxSynchronize(); };
  const double theirs = SecondsPerCall(
      [&] { driver.cuLaunchKernel(empty, 1, 1, 1, 128, 1, 1, 0, nullptr, nullptr, nullptr); }, wait,
      2000);
  const double ours = SecondsPerCall([&] { kernel(a, b, c, 1, 128, 0); }, wait, 2000);
  const double whole = SecondsPerCall([&] { module->FindFunction("f")(a, b, c); }, wait, 2000);
  std::printf("%-28s driver %.2f us, kernel %.2f us, function %.2f us: %.2f us over the driver's\n",
              name.c_str(), theirs * 1e6, ours * 1e6, whole * 1e6, (ours - theirs) * 1e6);
}

Tensor Random(DataType type, const Device& device, unsigned seed) {
  std::mt19937 engine(seed);
  std::uniform_real_distribution<float> uniform(-1, 1);
  const auto bytes = static_cast<size_t>(type.bytes());
  std::vector<char> memory(static_cast<size_t>(kN * kN) * bytes);
  for (size_t i = 0; i < memory.size(); i += bytes) {
    const uint64_t bits = EncodeFloat(uniform(engine), type);
    std::memcpy(&memory[i], &bits, bytes);
  }
  const std::array<int64_t, 2> shape = {kN, kN};
  return *Tensor::FromHost(memory.data(), memory.size(), shape, type, device);
}

struct Product {
  std::string name;
  Case test;
  DataType type;
  bool transposed;  // of b
  double wanted;    // of cuBLAS's speed
};

void Gemm(const Product& product, const std::string& target, const Device& device, Cublas* cublas) {
  auto module =
      driver::Build(driver::Lower(product.test.schedule, product.test.args, product.test.name, {}),
                    plugins::ParseTarget(target), {});
  if (!module.ok()) return NotRun(product.name, std::string(module.status().message()));
  const DataType wide = DataType::Float(32);
  const Tensor a = Random(product.type, device, 1), b = Random(product.type, device, 2);
  const std::array<int64_t, 2> shape = {kN, kN};
  const Tensor mine = *Tensor::Empty(shape, wide, device),
               theirs = *Tensor::Empty(shape, wide, device);
  runtime::DeviceAPI* api = *runtime::GetDeviceAPI(device);
  const auto wait = [&] { api->SyncStream(device.id, nullptr).IgnoreError(); };
  const runtime::Function function = module->FindFunction(product.test.name);
  const double own = SecondsPerCall([&] { function(a, b, mine); }, wait, 10);
  if (cublas == nullptr) {
    std::printf("%-28s %.1f TFLOP/s; cuBLAS is not here\n", product.name.c_str(),
                kFlops / own / 1e12);
    return;
  }
  const int type = product.type == wide         ? kFloat32
                   : product.type.is_bfloat16() ? kBFloat16
                                                : kFloat16;
  const float one = 1, zero = 0;
  const int n = static_cast<int>(kN);
  // Its matrices are columns first: c transposed is b transposed times a transposed.
  const auto call = [&] {
    if (cublas->cublasGemmEx(cublas->handle, product.transposed ? kTranspose : kNoTranspose,
                             kNoTranspose, n, n, n, &one, b.dl().data, type, n, a.dl().data, type,
                             n, &zero, theirs.dl().data, kFloat32, n, kCompute32,
                             kDefaultAlgorithm) != 0) {
      std::fprintf(stderr, "cublasGemmEx failed\n");
      std::exit(1);
    }
  };
  const double peer = SecondsPerCall(call, wait, 10);
  std::vector<float> x(static_cast<size_t>(kN * kN)), y(x.size());
  if (!mine.CopyToHost(x.data(), x.size() * 4).ok() ||
      !theirs.CopyToHost(y.data(), y.size() * 4).ok()) {
    std::fprintf(stderr, "copying back failed\n");
    std::exit(1);
  }
  double difference = 0;
  for (size_t i = 0; i < x.size(); ++i)
    difference = std::max(difference, std::fabs(static_cast<double>(x[i]) - y[i]));
  std::printf(
      "%-28s %.1f TFLOP/s, cuBLAS %.1f: %.2f of it (wanted %.2f); largest difference %.2g\n",
      product.name.c_str(), kFlops / own / 1e12, kFlops / peer / 1e12, peer / own, product.wanted,
      difference);
}

int Main() {
  driver::UseDefaultPlugins();
  const plugins::Target any = plugins::ParseTarget("cuda -arch=sm_80");
  plugins::RegisterTensorIntrinsics(*any.schema, any.plugin);
  GemmOptions fp32;
  fp32.n = kN;
  fp32.threads = 16;
  fp32.per_thread = 8;
  WgmmaOptions hopper;
  hopper.m = hopper.n = hopper.k = kN;
  hopper.columns = 128;
  hopper.groups = 2;
  hopper.stages = 4;
  WgmmaOptions hopper_bf16 = hopper;
  hopper_bf16.type = DataType::BFloat16();
  const DataType half = DataType::Float(16), bfloat = DataType::BFloat16();
  const std::vector<Product> products = {
      {"gemm 4096 fp32", Gemm("fp32", fp32), DataType::Float(32), false, 0.9},
      {"gemm 4096 fp16 mma.sync", MmaGemm("fp16", half, kN, 8, 3), half, false, 0.75},
      {"gemm 4096 bf16 mma.sync", MmaGemm("bf16", bfloat, kN, 8, 3), bfloat, false, 0.75},
      {"gemm 4096 fp16 wgmma", WgmmaGemm("fp16_wgmma", hopper), half, true, 0.85},
      {"gemm 4096 bf16 wgmma", WgmmaGemm("bf16_wgmma", hopper_bf16), bfloat, true, 0.85},
  };
  const char* const kLaunch = "launch overhead";
  const Device device = Device::Parse("cuda:0");
  std::string why, arch;
  auto api = runtime::GetDeviceAPI(device);
  if (!api.ok()) {
    why = std::string(api.status().message());
  } else if (const auto made = (*api)->MakeCurrent(0); !made.ok()) {
    why = std::string(made.message());
  } else {
    arch = (*api)->Attribute(0, "arch")->As<std::string>();
  }
  if (!why.empty()) {
    NotRun(kLaunch, why);
    for (const Product& product : products) NotRun(product.name, "as above");
    return 0;
  }
  const std::string target = "cuda -arch=" + arch;
  std::printf("device: %s, %s\n", (*api)->Attribute(0, "name")->As<std::string>().c_str(),
              arch.c_str());
  LaunchOverhead(kLaunch, target, device);
  Cublas cublas;
  Cublas* const peer = OpenCublas(&cublas) ? &cublas : nullptr;
  for (const Product& product : products) {
    if (product.transposed && arch != "sm_90a") {
      NotRun(product.name, "wgmma is Hopper's, and this is " + arch);
      continue;
    }
    Gemm(product, target, device, peer);
  }
  return 0;
}

}  // namespace
}  // namespace lathe

int main() { return lathe::Main(); }
