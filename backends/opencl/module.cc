#include "backends/opencl/module.h"

#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "backends/opencl/build.h"
#include "backends/opencl/codegen.h"
#include "backends/opencl/machine.h"
#include "lathe/abi/names.h"

namespace lathe::opencl_backend {
namespace {

// A kernel on one device. Setting arguments and launching belong together: one thread at a time.
struct Compiled {
  std::mutex mutex;
  cl_kernel kernel = nullptr;
  size_t threads = 0;  // the most threads of a work-group
};

class OpenClModule final : public sdk::ModuleNode {
 public:
  explicit OpenClModule(Program program) : program_(std::move(program)) {}
  ~OpenClModule() override {
    // A kernel that failed to build has no objects.
    for (auto& [key, compiled] : kernels_)
      if (compiled != nullptr) Cl().clReleaseKernel(compiled->kernel);
    for (auto& [device, program] : programs_)
      if (program != nullptr) Cl().clReleaseProgram(program);
  }

  sdk::Function GetFunction(std::string_view name) override {
    for (const KernelEntry& entry : program_.kernels) {
      if (entry.kernel.name != name) continue;
      return [this, &entry](const sdk::Args& args) {
        Launch(entry, args);
        return sdk::Value();
      };
    }
    return nullptr;
  }

  std::string Save() override { return program_.Save(); }

  std::string Describe(std::string_view what) override {
    if (what == LATHE_DESCRIBE_METADATA) return program_.metadata;
    if (what == LATHE_DESCRIBE_FORMATS) return "source";
    if (what == LATHE_DESCRIBE_SOURCE) return program_.source;
    return "";
  }

 private:
  Compiled& Find(ClDevice& device, const KernelEntry& entry) {
    const std::lock_guard lock(mutex_);
    std::unique_ptr<Compiled>& slot = kernels_[{device.id, &entry}];
    if (slot != nullptr) return *slot;
    cl_program& program = programs_[device.id];
    if (program == nullptr) program = BuildProgram(device, program_);
    auto compiled = std::make_unique<Compiled>();
    cl_int code = CL_SUCCESS;
    compiled->kernel = Cl().clCreateKernel(program, entry.symbol.c_str(), &code);
    if (code != CL_SUCCESS) device.Check(code, "making the kernel `" + entry.kernel.name + "`");
    Cl().clGetKernelWorkGroupInfo(compiled->kernel, device.device, CL_KERNEL_WORK_GROUP_SIZE,
                                  sizeof(compiled->threads), &compiled->threads, nullptr);
    slot = std::move(compiled);
    return *slot;
  }

  // The cl_mem of a pointer argument.
  static cl_mem MemOf(ClDevice& device, const KernelEntry& entry, size_t i, uint64_t value) {
    void* data = reinterpret_cast<void*>(static_cast<uintptr_t>(value));
    const std::string whose =
        "the argument `" + entry.kernel.params[i].name + "` of kernel `" + entry.kernel.name + "`";
    if (data == nullptr) return nullptr;
    Memory& memory = MemoryAt(data, whose);
    if (memory.device != device.id)
      throw sdk::Error(LATHE_INVALID_ARGUMENT, "opencl-wrong-device",
                       whose + " is on opencl(" + std::to_string(memory.device) +
                           "), the launch on opencl(" + std::to_string(device.id) + ")");
    const ImageParam& image = entry.images[i];
    if (image.is_image != memory.is_image)
      throw sdk::Error(LATHE_INVALID_ARGUMENT, "opencl-image",
                       whose + (image.is_image ? " must be an image" : " must not be an image"),
                       "help: allocate it in scope \"" +
                           std::string(image.is_image ? LATHE_SCOPE_TEXTURE : LATHE_SCOPE_GLOBAL) +
                           "\"");
    if (image.is_image) {
      if (image.rows > 0 && image.columns > 0)
        EnsureImage(device, memory, image.rows, image.columns, image.dtype);
      if (memory.mem == nullptr)
        throw sdk::Error(LATHE_INVALID_ARGUMENT, "opencl-image",
                         whose + " is an image whose size is not known when the kernel is compiled",
                         "help: give the stage constant extents");
    }
    return memory.mem;
  }

  void Launch(const KernelEntry& entry, const sdk::Args& args) {
    thread_local sdk::Launch launch;
    static const int32_t kind = kDLOpenCL;
    sdk::ReadLaunch(entry.kernel, args, kind, &launch);
    ClDevice& device = DeviceOf(launch.device_id >= 0 ? launch.device_id : CurrentDevice());
    device.CheckAlive();
    Compiled& compiled = Find(device, entry);
    const size_t threads =
        static_cast<size_t>(launch.threads[0] * launch.threads[1] * launch.threads[2]);
    for (size_t d = 0; d < 3; ++d) {
      if (static_cast<uint64_t>(launch.threads[d]) <= device.info.sizes[d]) continue;
      TooMany(device, entry, launch.threads[d], device.info.sizes[d],
              std::string("threadIdx.") + "xyz"[d]);
    }
    if (compiled.threads != 0 && threads > compiled.threads)
      TooMany(device, entry, static_cast<int64_t>(threads), compiled.threads,
              LATHE_PROPERTY_MAX_THREADS_PER_BLOCK);
    if (static_cast<uint64_t>(launch.dynamic_shared_bytes) > device.info.local_bytes)
      TooMany(device, entry, launch.dynamic_shared_bytes, device.info.local_bytes,
              LATHE_PROPERTY_MAX_SHARED_MEMORY_PER_BLOCK);
    Queue& queue = *device.Or(launch.stream);
    const std::lock_guard lock(compiled.mutex);
    const ClApi& cl = Cl();
    cl_uint at = 0;
    for (size_t i = 0; i < launch.values.size(); ++i, ++at) {
      cl_int code = CL_SUCCESS;
      const sdk::KernelParam& param = entry.kernel.params[i];
      if (param.is_pointer()) {
        const cl_mem mem = MemOf(device, entry, i, launch.values[i]);
        code = cl.clSetKernelArg(compiled.kernel, at, sizeof(mem), &mem);
      } else {
        code =
            cl.clSetKernelArg(compiled.kernel, at, (static_cast<size_t>(param.dtype.bits) + 7) / 8,
                              &launch.values[i]);
      }
      if (code != CL_SUCCESS)
        device.Check(code, "passing `" + param.name + "` to `" + entry.kernel.name + "`");
    }
    if (entry.kernel.dynamic_shared) {
      // 0 bytes are not a legal size.
      const size_t bytes = std::max<size_t>(static_cast<size_t>(launch.dynamic_shared_bytes), 16);
      device.Check(cl.clSetKernelArg(compiled.kernel, at, bytes, nullptr),
                   "giving `" + entry.kernel.name + "` " + std::to_string(bytes) +
                       " bytes of shared memory");
    }
    size_t local[3], global[3];
    for (size_t d = 0; d < 3; ++d) {
      local[d] = static_cast<size_t>(launch.threads[d]);
      global[d] = local[d] * static_cast<size_t>(launch.blocks[d]);
    }
    const std::lock_guard queue_lock(queue.mutex);
    const cl_int code = cl.clEnqueueNDRangeKernel(queue.queue, compiled.kernel, 3, nullptr, global,
                                                  local, 0, nullptr, nullptr);
    if (code != CL_SUCCESS) device.Check(code, "launching `" + entry.kernel.name + "`");
    if (queue.last_kernel != entry.kernel.name) queue.last_kernel = entry.kernel.name;
  }

  [[noreturn]] static void TooMany(const ClDevice& device, const KernelEntry& entry, int64_t found,
                                   uint64_t most, const std::string& limit) {
    throw sdk::Error(LATHE_INVALID_ARGUMENT, "device-limit",
                     "kernel `" + entry.kernel.name + "`: " + limit + " is " +
                         std::to_string(found) + ", opencl(" + std::to_string(device.id) + "), " +
                         device.info.name + ", takes " + std::to_string(most),
                     "help: split the loops that are bound to threads further");
  }

  const Program program_;
  std::mutex mutex_;
  std::map<int32_t, cl_program> programs_;
  std::map<std::pair<int32_t, const KernelEntry*>, std::unique_ptr<Compiled>> kernels_;
};

}  // namespace

std::unique_ptr<sdk::ModuleNode> LoadModule(std::string_view bytes) {
  return std::make_unique<OpenClModule>(Program::Load(bytes));
}

}  // namespace lathe::opencl_backend
