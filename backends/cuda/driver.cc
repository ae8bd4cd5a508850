#include "backends/cuda/driver.h"

#include <dlfcn.h>

#include <cstdlib>
#include <cstring>

#include "base/trusted_file.h"
#include "plugins/sdk/value.h"

namespace lathe::cuda {
namespace {

// Two macro levels, so that the name is expanded after cuda.h renamed it.
#define LATHE_CUDA_TEXT(name) #name
#define LATHE_CUDA_SYMBOL(name) LATHE_CUDA_TEXT(name)

// Newer headers rename a few functions whose older forms have the same signature; drivers without
// the new name have the old one.
const char* OlderName(const std::string& symbol) {
  return symbol == "cuEventElapsedTime_v2" ? "cuEventElapsedTime" : nullptr;
}

struct Opened {
  Driver driver;
  std::string problem;
};

std::string Missing(const char* path, const char* symbol) {
  return std::string(path) + " has no function `" + symbol + "`; a newer driver has";
}

// `problem` is empty on success.
Opened Open() {
  Opened opened;
  Driver& driver = opened.driver;
  const char* path = secure_getenv("LATHE_CUDA_DRIVER");
  if (path == nullptr || *path == '\0') path = "libcuda.so.1";
  // For a name without a folder the dynamic linker searches.
  if (std::strchr(path, '/') != nullptr) opened.problem = RefusalOf("LATHE_CUDA_DRIVER", path);
  if (!opened.problem.empty()) return opened;
  // Never closed: the driver has its own threads.
  void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    opened.problem = std::string("the driver's library cannot be opened: ") + dlerror();
    return opened;
  }
#define LATHE_CUDA_LOOK_UP(name)                                                     \
  {                                                                                  \
    const char* symbol = LATHE_CUDA_SYMBOL(name);                                    \
    void* found = dlsym(library, symbol);                                            \
    if (const char* older = OlderName(symbol); found == nullptr && older != nullptr) \
      found = dlsym(library, older);                                                 \
    if (found == nullptr) {                                                          \
      opened.problem = Missing(path, symbol);                                        \
      return opened;                                                                 \
    }                                                                                \
    driver.name = reinterpret_cast<decltype(driver.name)>(found);                    \
  }
  LATHE_CUDA_FUNCTIONS(LATHE_CUDA_LOOK_UP)
#undef LATHE_CUDA_LOOK_UP
  driver.cuTensorMapEncodeTiled = reinterpret_cast<decltype(driver.cuTensorMapEncodeTiled)>(
      dlsym(library, LATHE_CUDA_SYMBOL(cuTensorMapEncodeTiled)));
  CUresult result = driver.cuInit(0);
  if (result == CUDA_SUCCESS) result = driver.cuDriverGetVersion(&driver.version);
  if (result == CUDA_SUCCESS) result = driver.cuDeviceGetCount(&driver.device_count);
  if (result == CUDA_SUCCESS && driver.device_count == 0) result = CUDA_ERROR_NO_DEVICE;
  if (result != CUDA_SUCCESS) {
    const char* text = nullptr;
    driver.cuGetErrorString(result, &text);
    opened.problem = std::string("the driver (") + path +
                     ") cannot be used: " + (text != nullptr ? text : "unknown error") + " (" +
                     std::to_string(static_cast<int>(result)) + ")";
  }
  return opened;
}

}  // namespace

const Driver* FindDriver(std::string* reason) {
  static const Opened& opened = *new Opened(Open());
  if (opened.problem.empty()) return &opened.driver;
  if (reason != nullptr) *reason = opened.problem;
  return nullptr;
}

const Driver& GetDriver() {
  std::string reason;
  const Driver* driver = FindDriver(&reason);
  if (driver == nullptr) {
    throw sdk::Error(LATHE_UNAVAILABLE, "cuda-no-driver", "no CUDA device can be used: " + reason,
                     "help: install NVIDIA's driver, or name its library in LATHE_CUDA_DRIVER");
  }
  return *driver;
}

}  // namespace lathe::cuda
