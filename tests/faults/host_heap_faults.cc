// Allocations fail in programs for this machine's processor.
#include "tests/faults/heap_faults.h"
#include "tests/faults/programs.h"

int main(int argc, char** argv) {
  return lathe::faults::Main(argc, argv, [](const std::string& folder) {
    return lathe::faults::ProgramsOfKernels(folder, "llvm");
  });
}
