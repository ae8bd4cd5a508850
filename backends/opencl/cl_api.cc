#include "backends/opencl/cl_api.h"

#include <dlfcn.h>

#include <cstdlib>
#include <cstring>

#include "base/trusted_file.h"

namespace lathe::opencl_backend {
namespace {

struct Loaded {
  ClApi api;
  bool found = false;
  std::string why;
};

void* Open(std::string* why) {
  if (const char* named = secure_getenv("LATHE_OPENCL_LIBRARY");
      named != nullptr && *named != '\0') {
    // For a name without a folder the dynamic linker searches.
    if (std::strchr(named, '/') != nullptr) *why = RefusalOf("LATHE_OPENCL_LIBRARY", named);
    if (!why->empty()) return nullptr;
    void* library = dlopen(named, RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) *why = "LATHE_OPENCL_LIBRARY: " + std::string(dlerror());
    return library;
  }
  for (const char* name : {"libOpenCL.so.1", "libOpenCL.so", "/vendor/lib64/libOpenCL.so",
                           "/system/vendor/lib64/libOpenCL.so", "/vendor/lib64/egl/libGLES_mali.so",
                           "/vendor/lib/libOpenCL.so", "/vendor/lib/egl/libGLES_mali.so"}) {
    if (void* library = dlopen(name, RTLD_NOW | RTLD_LOCAL)) return library;
    // The first name is the usual one; the reason why the others are missing does not help.
    const char* reason = dlerror();
    if (why->empty()) *why = reason == nullptr ? "unknown" : reason;
  }
  return nullptr;
}

Loaded Load() {
  Loaded out;
  void* library = Open(&out.why);
  if (library == nullptr) {
    out.why = "no OpenCL library can be opened (" + out.why + ")";
    return out;
  }
#define LATHE_FIND(name)                                                          \
  out.api.name = reinterpret_cast<decltype(out.api.name)>(dlsym(library, #name)); \
  if (out.api.name == nullptr && out.why.empty()) out.why = "the OpenCL library lacks `" #name "`";
  out.why.clear();
  LATHE_OPENCL_FUNCTIONS(LATHE_FIND)
#undef LATHE_FIND
  out.found = out.why.empty();
  return out;
}

Loaded& Table() {
  static Loaded* const loaded = new Loaded(Load());  // never unloaded: drivers keep threads
  return *loaded;
}

}  // namespace

const ClApi* FindCl(std::string* why) {
  const Loaded& loaded = Table();
  if (loaded.found) return &loaded.api;
  if (why != nullptr) *why = loaded.why;
  return nullptr;
}

const ClApi& Cl() {
  std::string why;
  if (const ClApi* api = FindCl(&why)) return *api;
  throw sdk::Error(
      LATHE_UNAVAILABLE, "opencl-unavailable", why,
      "help: install the loader (`ocl-icd-libopencl1` on Debian) and a device's driver");
}

ClApi& MutableCl() { return Table().api; }

std::string ClErrorName(cl_int code) {
  const char* name = "an error that the standard does not name";
  switch (code) {
#define LATHE_NAME(code) \
  case code:             \
    name = #code;        \
    break;
    LATHE_NAME(CL_DEVICE_NOT_FOUND)
    LATHE_NAME(CL_DEVICE_NOT_AVAILABLE)
    LATHE_NAME(CL_COMPILER_NOT_AVAILABLE)
    LATHE_NAME(CL_MEM_OBJECT_ALLOCATION_FAILURE)
    LATHE_NAME(CL_OUT_OF_RESOURCES)
    LATHE_NAME(CL_OUT_OF_HOST_MEMORY)
    LATHE_NAME(CL_PROFILING_INFO_NOT_AVAILABLE)
    LATHE_NAME(CL_MEM_COPY_OVERLAP)
    LATHE_NAME(CL_IMAGE_FORMAT_MISMATCH)
    LATHE_NAME(CL_IMAGE_FORMAT_NOT_SUPPORTED)
    LATHE_NAME(CL_BUILD_PROGRAM_FAILURE)
    LATHE_NAME(CL_MAP_FAILURE)
    LATHE_NAME(CL_MISALIGNED_SUB_BUFFER_OFFSET)
    LATHE_NAME(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST)
    LATHE_NAME(CL_COMPILE_PROGRAM_FAILURE)
    LATHE_NAME(CL_LINKER_NOT_AVAILABLE)
    LATHE_NAME(CL_LINK_PROGRAM_FAILURE)
    LATHE_NAME(CL_INVALID_VALUE)
    LATHE_NAME(CL_INVALID_PLATFORM)
    LATHE_NAME(CL_INVALID_DEVICE)
    LATHE_NAME(CL_INVALID_CONTEXT)
    LATHE_NAME(CL_INVALID_QUEUE_PROPERTIES)
    LATHE_NAME(CL_INVALID_COMMAND_QUEUE)
    LATHE_NAME(CL_INVALID_MEM_OBJECT)
    LATHE_NAME(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR)
    LATHE_NAME(CL_INVALID_IMAGE_SIZE)
    LATHE_NAME(CL_INVALID_BINARY)
    LATHE_NAME(CL_INVALID_BUILD_OPTIONS)
    LATHE_NAME(CL_INVALID_PROGRAM)
    LATHE_NAME(CL_INVALID_PROGRAM_EXECUTABLE)
    LATHE_NAME(CL_INVALID_KERNEL_NAME)
    LATHE_NAME(CL_INVALID_KERNEL)
    LATHE_NAME(CL_INVALID_ARG_INDEX)
    LATHE_NAME(CL_INVALID_ARG_VALUE)
    LATHE_NAME(CL_INVALID_ARG_SIZE)
    LATHE_NAME(CL_INVALID_KERNEL_ARGS)
    LATHE_NAME(CL_INVALID_WORK_DIMENSION)
    LATHE_NAME(CL_INVALID_WORK_GROUP_SIZE)
    LATHE_NAME(CL_INVALID_WORK_ITEM_SIZE)
    LATHE_NAME(CL_INVALID_GLOBAL_OFFSET)
    LATHE_NAME(CL_INVALID_EVENT_WAIT_LIST)
    LATHE_NAME(CL_INVALID_EVENT)
    LATHE_NAME(CL_INVALID_OPERATION)
    LATHE_NAME(CL_INVALID_BUFFER_SIZE)
    LATHE_NAME(CL_INVALID_GLOBAL_WORK_SIZE)
    case -1001:
      name = "CL_PLATFORM_NOT_FOUND_KHR";
      break;
    default:
      break;
#undef LATHE_NAME
  }
  return std::string(name) + " (" + std::to_string(code) + ")";
}

}  // namespace lathe::opencl_backend
