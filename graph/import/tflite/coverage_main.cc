// Prints the table of operators of docs/tflite.md:
//   bazel run --config=dev //graph/import/tflite:coverage_table
#include <cstdio>

#include "graph/import/tflite/coverage.h"

int main() { std::fputs(lathe::graph::tflite::CoverageTable().c_str(), stdout); }
