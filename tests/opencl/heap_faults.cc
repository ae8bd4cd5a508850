// Allocations fail in programs for OpenCL.
#include "tests/faults/heap_faults.h"

int main(int argc, char** argv) { return lathe::faults::Main(argc, argv, "opencl"); }
