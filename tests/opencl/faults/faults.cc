// An OpenCL library that passes all calls on to the pinned loader, except those that a test wants
// to fail. Functions that are not defined here are found in the loader, which this library is
// linked to.
#include "tests/opencl/faults/faults.h"

#include <CL/cl.h>
#include <dlfcn.h>

#include <map>
#include <mutex>
#include <string>

namespace {

struct Fault {
  int code = CL_SUCCESS;
  int times = 0;
};
std::mutex mutex;
std::map<std::string, Fault>& Faults() {
  static std::map<std::string, Fault>* const faults = new std::map<std::string, Fault>;
  return *faults;
}

// Returns the code that this call must fail with. CL_SUCCESS: pass the call on to the loader.
int Next(const char* function) {
  const std::lock_guard lock(mutex);
  const auto found = Faults().find(function);
  if (found == Faults().end() || found->second.times == 0) return CL_SUCCESS;
  --found->second.times;
  return found->second.code;
}

template <class F>
F Real(const char* name) {
  return reinterpret_cast<F>(dlsym(RTLD_NEXT, name));
}

}  // namespace

extern "C" {

__attribute__((visibility("default"))) void lathe_fault(const char* function, int code, int times) {
  const std::lock_guard lock(mutex);
  Faults()[function] = {code, times};
}

CL_API_ENTRY cl_int CL_API_CALL clFinish(cl_command_queue queue) {
  if (const int code = Next("clFinish")) return code;
  return Real<decltype(&clFinish)>("clFinish")(queue);
}

CL_API_ENTRY cl_int CL_API_CALL clSetKernelArg(cl_kernel kernel, cl_uint index, size_t size,
                                               const void* value) {
  if (const int code = Next("clSetKernelArg")) return code;
  return Real<decltype(&clSetKernelArg)>("clSetKernelArg")(kernel, index, size, value);
}

CL_API_ENTRY cl_mem CL_API_CALL clCreateBuffer(cl_context context, cl_mem_flags flags, size_t size,
                                               void* host, cl_int* code) {
  if (const int fault = Next("clCreateBuffer")) {
    *code = fault;
    return nullptr;
  }
  return Real<decltype(&clCreateBuffer)>("clCreateBuffer")(context, flags, size, host, code);
}

CL_API_ENTRY cl_int CL_API_CALL clBuildProgram(cl_program program, cl_uint count,
                                               const cl_device_id* devices, const char* options,
                                               void(CL_CALLBACK* notify)(cl_program, void*),
                                               void* data) {
  if (const int code = Next("clBuildProgram")) return code;
  return Real<decltype(&clBuildProgram)>("clBuildProgram")(program, count, devices, options, notify,
                                                           data);
}

CL_API_ENTRY cl_program CL_API_CALL clCreateProgramWithSource(cl_context context, cl_uint count,
                                                              const char** texts,
                                                              const size_t* sizes, cl_int* code) {
  if (const int fault = Next("clCreateProgramWithSource")) {
    *code = fault;
    return nullptr;
  }
  return Real<decltype(&clCreateProgramWithSource)>("clCreateProgramWithSource")(
      context, count, texts, sizes, code);
}

}  // extern "C"
