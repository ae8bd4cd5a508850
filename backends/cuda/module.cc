#include "backends/cuda/module.h"

#include <array>
#include <atomic>
#include <cstdlib>
#include <mutex>
#include <set>
#include <utility>
#include <vector>

#include "backends/cuda/context.h"
#include "backends/cuda/device.h"
#include "backends/cuda/dialect.h"
#include "backends/cuda/image.h"
#include "backends/cuda/tensor_map.h"
#include "lathe/abi/names.h"

namespace lathe::cuda {
namespace {

constexpr size_t kMostDevices = 64;
// What Describe tells beside what every module does.
constexpr char kLog[] = "log";
constexpr char kPtx[] = "ptx";
// The dynamic shared memory that a launch may use without a request. The limit is 48 KiB less the
// kernel's static memory, which only the compiler knows; so the first launch with dynamic memory
// always requests it.
constexpr int64_t kUnaskedShared = 0;

// Names of kernels outlive their modules, because a later error may name them.
const std::string* Interned(const std::string& name) {
  static std::mutex& mutex = *new std::mutex;
  static std::set<std::string>& names = *new std::set<std::string>;
  const std::lock_guard<std::mutex> lock(mutex);
  return &*names.insert(name).first;
}

bool WaitsAfterLaunches() {
  static const bool waits = [] {
    const char* text = secure_getenv("LATHE_CUDA_BLOCKING");
    return text != nullptr && *text != '\0' && *text != '0';
  }();
  return waits;
}

// True if a device of architecture `device` runs machine code made for `code`. PTX runs on all
// devices that are not older.
bool Runs(const std::string& code, bool is_ptx, const std::string& device) {
  const int made_for = ArchNumber(code), number = ArchNumber(device);
  if (code.back() == 'a') return made_for == number;
  if (is_ptx) return made_for <= number;
  return made_for / 10 == number / 10 && made_for <= number;
}

struct Entry {
  sdk::Kernel kernel;
  std::string symbol;
  std::vector<TensorMap> maps;
  const std::string* name = nullptr;
  struct OnDevice {
    std::atomic<CUfunction> function{nullptr};
    std::atomic<int64_t> shared{kUnaskedShared};  // dynamic bytes that were requested so far
  };
  std::array<OnDevice, kMostDevices> devices;
};

std::string DimensionsText(const std::array<int64_t, 3>& extents) {
  return std::to_string(extents[0]) + " x " + std::to_string(extents[1]) + " x " +
         std::to_string(extents[2]);
}

class CudaModule final : public sdk::ModuleNode {
 public:
  explicit CudaModule(std::string_view bytes) : bytes_(bytes), image_(ReadImage(bytes)) {
    for (size_t i = 0; i < image_.kernels.size(); ++i) {
      auto entry = std::make_unique<Entry>();
      entry->kernel = image_.kernels[i];
      entry->symbol = image_.symbols[i];
      entry->maps = image_.maps[i];
      entry->name = Interned(entry->kernel.name);
      entries_.push_back(std::move(entry));
    }
  }

  ~CudaModule() override {
    for (size_t id = 0; id < modules_.size(); ++id) {
      if (modules_[id] == nullptr) continue;
      try {
        // Launches may still be running. Failures cannot be reported here, and are not new.
        Context& context = Context::Of(static_cast<int32_t>(id));
        context.MakeCurrent();
        context.driver().cuCtxSynchronize();
        context.driver().cuModuleUnload(modules_[id]);
      } catch (const sdk::Error&) {
      }
    }
  }

  sdk::Function GetFunction(std::string_view name) override {
    for (const auto& entry : entries_) {
      if (entry->kernel.name == name)
        return [this, &entry = *entry](const sdk::Args& args) { return Launch(entry, args); };
    }
    return nullptr;
  }

  std::string Save() override { return bytes_; }

  std::string Describe(std::string_view what) override {
    if (what == LATHE_DESCRIBE_METADATA) return image_.metadata;
    if (what == LATHE_DESCRIBE_FORMATS) return image_.is_ptx ? "source ptx log" : "source log";
    if (what == LATHE_DESCRIBE_SOURCE) return image_.source;
    if (what == kLog) return image_.log;
    if (what == kPtx && image_.is_ptx) return image_.code;
    return "";
  }

 private:
  void CheckAlignment(const Entry& entry, const sdk::Launch& launch) const {
    const std::vector<sdk::KernelParam>& params = entry.kernel.params;
    for (size_t i = 0; i < params.size(); ++i) {
      if (!params[i].is_pointer()) continue;
      const uint64_t rest = launch.values[i] % static_cast<uint64_t>(image_.argument_alignment);
      if (rest == 0) continue;
      throw sdk::Error(
          LATHE_INVALID_ARGUMENT, "cuda-argument-alignment",
          "kernel `" + *entry.name + "`: the data of parameter `" + params[i].name + "` begins " +
              std::to_string(rest) + " bytes behind a multiple of " +
              std::to_string(image_.argument_alignment),
          "expected: what the target's attribute argument-alignment promises\nhelp: copy the "
          "tensor, or compile without the attribute");
    }
  }

  sdk::Value Launch(Entry& entry, const sdk::Args& args) {
    // Each thread has one launch record and uses it again.
    thread_local sdk::Launch launch;
    thread_local std::vector<void*> params;
    sdk::ReadLaunch(entry.kernel, args, kDLCUDA, &launch);
    Context& context = Context::Of(launch.device_id >= 0 ? launch.device_id : Context::CurrentId());
    context.MakeCurrent();
    const CUfunction function = FunctionOn(entry, context);
    const int64_t shared = launch.dynamic_shared_bytes;
    Entry::OnDevice& here = entry.devices[static_cast<size_t>(context.id())];
    if (shared > here.shared.load(std::memory_order_relaxed)) {
      // Only one launch at a time makes a request, so that none lowers another one's limit.
      static std::mutex& asking = *new std::mutex;
      const std::lock_guard<std::mutex> lock(asking);
      if (shared > here.shared.load()) {
        context.Check(context.driver().cuFuncSetAttribute(
                          function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                          static_cast<int>(shared)),
                      "asking for " + std::to_string(shared) +
                          " bytes of dynamic shared memory for kernel `" + *entry.name + "`");
        here.shared.store(shared);
      }
    }
    if (image_.argument_alignment > 1) CheckAlignment(entry, launch);
    params.clear();
    for (uint64_t& value : launch.values) params.push_back(&value);
    if (!entry.maps.empty()) {
      // Reused by consecutive launches with equal arguments.
      thread_local const Entry* made_for = nullptr;
      thread_local std::vector<uint64_t> values;
      thread_local std::vector<CUtensorMap> maps;
      if (made_for != &entry || values != launch.values) {
        made_for = nullptr;
        maps = EncodeTensorMaps(entry.maps, entry.kernel, launch, context);
        values = launch.values;
        made_for = &entry;
      }
      for (CUtensorMap& map : maps) params.push_back(&map);
    }
    const auto stream = static_cast<CUstream>(launch.stream);
    const auto extent = [](int64_t value) { return static_cast<unsigned>(value); };
    const std::array<int64_t, 3>&blocks = launch.blocks, &threads = launch.threads;
    const CUresult result = context.driver().cuLaunchKernel(
        function, extent(blocks[0]), extent(blocks[1]), extent(blocks[2]), extent(threads[0]),
        extent(threads[1]), extent(threads[2]), extent(shared), stream, params.data(), nullptr);
    if (result != CUDA_SUCCESS) {
      context.Check(result, "launching kernel `" + *entry.name + "` on " + DimensionsText(blocks) +
                                " blocks of " + DimensionsText(threads) + " threads with " +
                                std::to_string(shared) + " bytes of dynamic shared memory");
    }
    context.Launched(stream, entry.name);
    if (WaitsAfterLaunches())
      context.CheckWaited(context.driver().cuStreamSynchronize(stream), stream,
                          "waiting for kernel `" + *entry.name + "`");
    return {};
  }

  // Loaded on the first launch on a device, and kept. The context is current.
  CUfunction FunctionOn(Entry& entry, Context& context) {
    const auto id = static_cast<size_t>(context.id());
    if (id >= kMostDevices)
      throw sdk::Error(LATHE_UNIMPLEMENTED, "cuda-no-device",
                       "kernels run on the first " + std::to_string(kMostDevices) + " devices");
    Entry::OnDevice& here = entry.devices[id];
    if (const CUfunction found = here.function.load(std::memory_order_acquire)) return found;
    const std::lock_guard<std::mutex> lock(mutex_);
    if (modules_[id] == nullptr) modules_[id] = Upload(context);
    CUfunction function = nullptr;
    context.Check(
        context.driver().cuModuleGetFunction(&function, modules_[id], entry.symbol.c_str()),
        "finding kernel `" + *entry.name + "`");
    here.function.store(function, std::memory_order_release);
    return function;
  }

  CUmodule Upload(Context& context) {
    const std::string device = ArchOf(context.id());
    const auto wrong_arch = [&](const std::string& why) {
      throw sdk::Error(LATHE_FAILED_PRECONDITION, "cuda-wrong-arch",
                       "the module is " + std::string(image_.is_ptx ? "PTX" : "code") + " for " +
                           image_.arch + ", cuda:" + std::to_string(context.id()) + " is " +
                           device + why,
                       "help: compile for `cuda -arch=" + device + "`");
    };
    if (!Runs(image_.arch, image_.is_ptx, device)) wrong_arch("");
    std::array<char, 8192> log{};
    std::array<CUjit_option, 2> options = {CU_JIT_ERROR_LOG_BUFFER,
                                           CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    std::array<void*, 2> values = {log.data(), reinterpret_cast<void*>(log.size())};
    CUmodule module = nullptr;
    const CUresult result = context.driver().cuModuleLoadDataEx(
        &module, image_.code.c_str(), static_cast<unsigned>(options.size()), options.data(),
        values.data());
    if (result == CUDA_ERROR_NO_BINARY_FOR_GPU) wrong_arch("");
    if (result != CUDA_SUCCESS) {
      log.back() = '\0';
      context.Check(result, "loading a module of kernels (" + std::string(log.data()) + ")");
    }
    return module;
  }

  const std::string bytes_;
  const Image image_;
  std::vector<std::unique_ptr<Entry>> entries_;
  std::mutex mutex_;
  std::array<CUmodule, kMostDevices> modules_{};  // under mutex_
};

}  // namespace

std::unique_ptr<sdk::ModuleNode> LoadCudaModule(std::string_view bytes) {
  return std::make_unique<CudaModule>(bytes);
}

sdk::ProbeResult ProbeCudaModule(std::string_view bytes) {
  Image image;
  try {
    image = ReadImage(bytes);
  } catch (const sdk::Error& error) {
    return {LATHE_PROBE_REFUSE, error.what()};
  }
  const Driver* driver = FindDriver();
  if (driver == nullptr) return {};
  std::string here;
  for (int32_t id = 0; id < driver->device_count; ++id) {
    const std::string device = ArchOf(id);
    if (Runs(image.arch, image.is_ptx, device)) return {};
    here += (here.empty() ? "" : ", ") + device;
  }
  return {LATHE_PROBE_RECOMPILE, "it is for " + image.arch + "; the devices here are " + here};
}

}  // namespace lathe::cuda
