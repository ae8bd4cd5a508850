// Allocations fail while models are imported, and graphs are compiled, run and loaded.
#include "tests/faults/graphs.h"
#include "tests/faults/heap_faults.h"

int main(int argc, char** argv) {
  return lathe::faults::Main(argc, argv, lathe::faults::ProgramsOfGraphs);
}
