// How a test makes OpenCL fail: a library in front of the pinned loader (faults.cc), which
// LATHE_OPENCL_LIBRARY names.
#pragma once

extern "C" {
// The next `times` calls of `function` fail with `code`. Of clFinish, clSetKernelArg,
// clCreateBuffer, clBuildProgram and clCreateProgramWithSource.
void lathe_fault(const char* function, int code, int times);
}
