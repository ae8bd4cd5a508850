// bazel run //bench/cuda:gpu
// bazel run //bench/cuda:gpu -- --variants
//
// Measures NVIDIA's GPUs: the time that a launch takes in addition to the driver's own, and
// products of 4096 x 4096 matrices against cuBLAS (libcublas, opened at run time: LATHE_CUBLAS
// names it). On machines without a GPU each case reports that it did not run, and why. `--variants`
// measures the same products with other values of the schedules' parameters, `--only=WORD` those
// whose names contain WORD. `--sources=FOLDER` writes the CUDA C++ into FOLDER and runs nothing.
#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <future>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "base/float_formats.h"
#include "driver/compile.h"
#include "driver/default_plugins.h"
#include "plugins/host/tensor_intrinsics.h"
#include "runtime/device_api.h"
#include "runtime/module.h"
#include "runtime/tensor.h"
#include "target/target.h"
#include "tests/cuda/kernels.h"

namespace lathe {
namespace {

using runtime::Device;
using runtime::Tensor;

constexpr int64_t kN = 4096;
constexpr double kFlops = 2.0 * kN * kN * kN;

// The functions of the driver and of cuBLAS that are called here, so that their headers are not
// needed.
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

// A launch through a module's function, compared with the driver's launch of a kernel that does
// nothing.
void LaunchOverhead(const std::string& name, const std::string& target, const Device& device) {
  const Case test = Elementwise("f", DataType::Float(32), 1, 128);
  auto module = driver::Build(driver::Lower(test.schedule, test.args, "f", {}),
                              target::ParseTarget(target), {});
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

// A matrix of kN x kN random elements: the same for all products of a type.
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
  bool transposed;  // b is
  double wanted;    // fraction of cuBLAS's speed
  // Attributes of the target: tensors begin at multiples of 256 bytes here.
  std::string attributes = " -argument-alignment=16";
};

// The operands, and cuBLAS's product of them and its time.
struct Peer {
  Tensor a, b;
  std::vector<float> product;
  double seconds = 0;
};

std::vector<float> ToHost(const Tensor& tensor) {
  std::vector<float> out(static_cast<size_t>(kN * kN));
  if (!tensor.CopyToHost(out.data(), out.size() * 4).ok()) {
    std::fprintf(stderr, "copying back failed\n");
    std::exit(1);
  }
  return out;
}

class Gpu {
 public:
  Gpu(const Device& device, Cublas* cublas) : device_(device), cublas_(cublas) {}

  void Time(const Product& product, const runtime::Module& module) {
    const Peer& peer = PeerOf(product);
    // NaNs, so that elements that the kernel does not write are noticed.
    const std::vector<uint32_t> poison(static_cast<size_t>(kN * kN), 0x7fc00000);
    const Tensor mine =
        *Tensor::FromHost(poison.data(), poison.size() * 4, kShape, DataType::Float(32), device_);
    const runtime::Function function = module.FindFunction(product.test.name);
    const double own = SecondsPerCall([&] { function(peer.a, peer.b, mine); }, Wait(), 20);
    std::printf("%-34s %6.1f TFLOP/s", product.name.c_str(), kFlops / own / 1e12);
    if (cublas_ == nullptr) {
      std::printf("; cuBLAS is not here\n");
      return;
    }
    const std::vector<float> got = ToHost(mine);
    double error = 0, norm = 0;
    for (size_t i = 0; i < got.size(); ++i) {
      const double difference = static_cast<double>(got[i]) - peer.product[i];
      error += difference * difference;
      norm += static_cast<double>(peer.product[i]) * peer.product[i];
    }
    error = std::sqrt(error / norm);
    std::printf(", cuBLAS %6.1f: %.2f of it (wanted %.2f); relative difference %.1e%s\n",
                kFlops / peer.seconds / 1e12, peer.seconds / own, product.wanted, error,
                error < 1e-5 && norm > 0 ? "" : "  WRONG");
    std::fflush(stdout);
    wrong = wrong || !(error < 1e-5 && norm > 0);
  }

  bool wrong = false;

 private:
  static constexpr std::array<int64_t, 2> kShape = {kN, kN};

  std::function<void()> Wait() const {
    runtime::DeviceAPI* api = *runtime::GetDeviceAPI(device_);
    return [api, this] { api->SyncStream(device_.id, nullptr).IgnoreError(); };
  }

  const Peer& PeerOf(const Product& product) {
    const auto key = product.type.ToString() + (product.transposed ? "^T" : "");
    if (const auto known = peers_.find(key); known != peers_.end()) return known->second;
    Peer& peer = peers_[key];
    peer.a = Random(product.type, device_, 1);
    peer.b = Random(product.type, device_, 2);
    if (cublas_ == nullptr) return peer;
    const Tensor out = *Tensor::Empty(kShape, DataType::Float(32), device_);
    const int type = product.type == DataType::Float(32) ? kFloat32
                     : product.type.is_bfloat16()        ? kBFloat16
                                                         : kFloat16;
    const float one = 1, zero = 0;
    const int n = static_cast<int>(kN);
    // cuBLAS's matrices are column-major: c transposed is b transposed times a transposed.
    const auto call = [&] {
      if (cublas_->cublasGemmEx(cublas_->handle, product.transposed ? kTranspose : kNoTranspose,
                                kNoTranspose, n, n, n, &one, peer.b.dl().data, type, n,
                                peer.a.dl().data, type, n, &zero, out.dl().data, kFloat32, n,
                                kCompute32, kDefaultAlgorithm) != 0) {
        std::fprintf(stderr, "cublasGemmEx failed\n");
        std::exit(1);
      }
    };
    peer.seconds = SecondsPerCall(call, Wait(), 20);
    peer.product = ToHost(out);
    return peer;
  }

  const Device device_;
  Cublas* const cublas_;
  std::map<std::string, Peer> peers_;
};

const DataType kHalf = DataType::Float(16), kBfloat = DataType::BFloat16();

Product Fp32(const TiledOptions& options) {
  return {"gemm 4096 fp32", TiledGemm("fp32", options), DataType::Float(32), false, 0.9};
}
Product Mma(MmaTileOptions options, DataType type) {
  options.type = type;
  const std::string name = type == kHalf ? "fp16" : "bf16";
  return {"gemm 4096 " + name + " mma.sync", MmaTileGemm(name, options), type, false, 0.75};
}
Product Wgmma(WgmmaOptions options, DataType type) {
  options.type = type;
  const std::string name = type == kHalf ? "fp16" : "bf16";
  return {"gemm 4096 " + name + " wgmma", WgmmaGemm(name + "_wgmma", options), type, true, 0.85};
}

TiledOptions BestFp32() {
  TiledOptions options;
  options.n = kN;
  options.columns = 256;
  options.copied = 1;
  return options;
}
MmaTileOptions BestMma() {
  MmaTileOptions options;
  options.n = kN;
  options.rows = 256;
  options.step = 64;
  options.stages = 4;
  options.group = 8;
  return options;
}
WgmmaOptions BestWgmma() {
  WgmmaOptions options;
  options.m = options.n = options.k = kN;
  options.columns = 256;
  options.groups = 2;
  options.stages = 4;
  options.group = 16;
  return options;
}

std::vector<Product> Table() {
  return {Fp32(BestFp32()), Mma(BestMma(), kHalf), Mma(BestMma(), kBfloat),
          Wgmma(BestWgmma(), kHalf), Wgmma(BestWgmma(), kBfloat)};
}

// Other values of the schedules' parameters, from which the ones above were chosen.
std::vector<Product> Variants() {
  std::vector<Product> out;
  using Values = std::vector<int64_t>;
  const auto add = [&](Product product, const Values& values) {
    for (const int64_t value : values) product.name += " " + std::to_string(value);
    product.name.erase(0, std::strlen("gemm 4096 "));
    out.push_back(std::move(product));
  };
  // rows, columns, step, stages, group, copied, unrolled
  for (const Values& v : {Values{128, 128, 16, 3, 0, 4, 16},
                          {128, 128, 16, 3, 0, 1, 16},
                          {128, 128, 16, 3, 0, 1, 8},
                          {128, 128, 16, 3, 0, 1, 4},
                          {128, 128, 8, 4, 0, 1, 8},
                          {128, 128, 32, 3, 0, 1, 8},
                          {128, 256, 16, 3, 0, 1, 16},
                          {128, 256, 16, 3, 0, 1, 8},
                          {128, 256, 16, 3, 0, 1, 4},
                          {256, 128, 8, 4, 0, 1, 8},
                          {256, 128, 16, 3, 0, 1, 16},
                          {256, 128, 16, 3, 0, 1, 8},
                          {256, 128, 16, 4, 8, 1, 4},
                          {256, 128, 32, 3, 0, 1, 8},
                          {64, 64, 16, 4, 0, 1, 8}}) {
    TiledOptions options = BestFp32();
    options.rows = v[0], options.columns = v[1], options.step = v[2], options.stages = v[3];
    options.group = v[4], options.copied = v[5], options.unrolled = v[6];
    add(Fp32(options), v);
  }
  // rows, columns, rows and columns of a warp, step, stages, group
  for (const Values& v : {Values{128, 128, 64, 64, 32, 4, 0},
                          {128, 128, 64, 64, 64, 2, 8},
                          {128, 128, 64, 64, 64, 3, 8},
                          {128, 128, 64, 32, 64, 3, 8},
                          {128, 256, 64, 64, 32, 4, 8},
                          {128, 256, 64, 64, 64, 3, 8},
                          {128, 256, 64, 64, 64, 4, 8},
                          {256, 128, 64, 64, 64, 3, 8},
                          {256, 128, 64, 64, 64, 4, 8}}) {
    MmaTileOptions options = BestMma();
    options.rows = v[0], options.columns = v[1];
    options.warp_rows = v[2], options.warp_columns = v[3];
    options.step = v[4], options.stages = v[5], options.group = v[6];
    add(Mma(options, kHalf), v);
  }
  // columns, groups, stages, group
  for (const Values& v : {Values{256, 2, 4, 0},
                          {256, 2, 3, 0},
                          {256, 2, 4, 8},
                          {256, 2, 4, 16},
                          {256, 1, 4, 0},
                          {128, 2, 3, 0},
                          {128, 4, 4, 8}}) {
    WgmmaOptions options = BestWgmma();
    options.columns = v[0], options.groups = v[1], options.stages = v[2], options.group = v[3];
    add(Wgmma(options, kHalf), v);
  }
  return out;
}

// Compiles the products concurrently.
std::vector<absl::StatusOr<runtime::Module>> BuildAll(const std::vector<Product>& products,
                                                      const std::string& target) {
  std::vector<std::future<absl::StatusOr<runtime::Module>>> made;
  for (const Product& product : products) {
    made.push_back(std::async(std::launch::async, [&product, &target] {
      const Case& test = product.test;
      return driver::Build(driver::Lower(test.schedule, test.args, test.name, {}),
                           target::ParseTarget(target + product.attributes), {});
    }));
  }
  std::vector<absl::StatusOr<runtime::Module>> out;
  for (auto& one : made) out.push_back(one.get());
  return out;
}

// Needs no device: writes the sources, to be inspected.
int WriteSources(const std::vector<Product>& products, const std::string& arch,
                 const std::string& folder) {
  for (const Product& product : products) {
    const auto made = driver::Compile(
        driver::Lower(product.test.schedule, product.test.args, product.test.name, {}),
        target::ParseTarget("cuda -arch=" + arch + product.attributes),
        plugins::OutputKind::kSource, {});
    if (!made.ok()) {
      NotRun(product.name, std::string(made.status().message()));
      continue;
    }
    std::string file = product.name + ".cu";
    std::replace(file.begin(), file.end(), ' ', '_');
    std::ofstream(folder + "/" + file) << *made;
  }
  return 0;
}

int Main(const std::vector<std::string>& args) {
  driver::UseDefaultPlugins();
  const target::Target any = target::ParseTarget("cuda -arch=sm_80");
  plugins::RegisterTensorIntrinsics(*any.schema, any.plugin);
  std::vector<Product> products = Table();
  std::string only, folder;
  for (const std::string& arg : args) {
    if (arg == "--variants") {
      products = Variants();
    } else if (arg.starts_with("--only=")) {
      only = arg.substr(7);
    } else if (arg.starts_with("--sources=")) {
      folder = arg.substr(10);
    } else {
      std::fprintf(stderr, "usage: gpu [--variants] [--only=WORD] [--sources=FOLDER]\n");
      return 2;
    }
  }
  std::erase_if(products,
                [&](const Product& product) { return product.name.find(only) == only.npos; });
  if (!folder.empty()) return WriteSources(products, "sm_90a", folder);
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
  if (only.empty()) LaunchOverhead(kLaunch, target, device);
  Cublas cublas;
  Gpu gpu(device, OpenCublas(&cublas) ? &cublas : nullptr);
  const auto modules = BuildAll(products, target);
  for (size_t i = 0; i < products.size(); ++i) {
    const Product& product = products[i];
    if (product.transposed && arch != "sm_90a")
      NotRun(product.name, "wgmma is Hopper's, and this is " + arch);
    else if (!modules[i].ok())
      NotRun(product.name, std::string(modules[i].status().message()));
    else
      gpu.Time(product, *modules[i]);
  }
  return gpu.wrong ? 1 : 0;
}

}  // namespace
}  // namespace lathe

int main(int argc, char** argv) { return lathe::Main({argv + 1, argv + argc}); }
