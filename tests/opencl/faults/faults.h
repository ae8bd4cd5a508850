// Lets a test make OpenCL fail: a library in front of the pinned loader (faults.cc). Set
// LATHE_OPENCL_LIBRARY to it.
#pragma once

extern "C" {
// The next `times` calls of `function` fail with `code`. Works for clFinish, clSetKernelArg,
// clCreateBuffer, clBuildProgram and clCreateProgramWithSource.
void lathe_fault(const char* function, int code, int times);
}
