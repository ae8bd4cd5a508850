// Allocations fail in programs for this machine's processor.
#include "tests/faults/heap_faults.h"

int main(int argc, char** argv) { return lathe::faults::Main(argc, argv, "llvm"); }
