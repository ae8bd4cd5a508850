// OpenCL's functions, looked up at run time: the plugin can be loaded on machines without OpenCL.
//
// The library is the loader of installable client drivers, `libOpenCL.so.1`, or a vendor's own
// library in the folders that phones use; LATHE_OPENCL_LIBRARY names another one. All functions
// here are thread-safe.
// where phones keep it; LATHE_OPENCL_LIBRARY names another one. All functions here are thread-safe.
#pragma once

#include <CL/cl.h>

#include <string>

#include "plugins/sdk/value.h"

namespace lathe::opencl_backend {

// clang-format off
#define LATHE_OPENCL_FUNCTIONS(X) \
  X(clGetPlatformIDs) X(clGetPlatformInfo) X(clGetDeviceIDs) X(clGetDeviceInfo) \
  X(clCreateContext) X(clReleaseContext) X(clCreateCommandQueue) X(clReleaseCommandQueue) \
  X(clFlush) X(clFinish) X(clCreateBuffer) X(clCreateImage) X(clReleaseMemObject) \
  X(clEnqueueReadBuffer) X(clEnqueueWriteBuffer) X(clEnqueueCopyBuffer) \
  X(clEnqueueReadBufferRect) X(clEnqueueWriteBufferRect) X(clEnqueueCopyBufferRect) \
  X(clEnqueueReadImage) X(clEnqueueWriteImage) X(clEnqueueFillBuffer) \
  X(clEnqueueMarkerWithWaitList) X(clEnqueueBarrierWithWaitList) X(clWaitForEvents) \
  X(clGetEventInfo) X(clGetEventProfilingInfo) X(clReleaseEvent) \
  X(clCreateProgramWithSource) X(clCreateProgramWithBinary) X(clBuildProgram) \
  X(clGetProgramInfo) X(clGetProgramBuildInfo) X(clReleaseProgram) \
  X(clCreateKernel) X(clSetKernelArg) X(clGetKernelWorkGroupInfo) X(clReleaseKernel) \
  X(clEnqueueNDRangeKernel)
// clang-format on

struct ClApi {
#define LATHE_DECLARE(name) decltype(&::name) name = nullptr;
  LATHE_OPENCL_FUNCTIONS(LATHE_DECLARE)
#undef LATHE_DECLARE
};

// The table; null if there is no OpenCL, with the reason in *why (unless `why` is null).
const ClApi* FindCl(std::string* why = nullptr);
// Throws "opencl-unavailable" with the reason.
const ClApi& Cl();

// For tests: the table that all calls use, so that a test can make functions fail.
ClApi& MutableCl();

// "CL_OUT_OF_RESOURCES (-5)".
std::string ClErrorName(cl_int code);

}  // namespace lathe::opencl_backend
