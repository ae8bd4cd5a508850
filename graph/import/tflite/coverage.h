// What docs/tflite.md says about operators.
#pragma once

#include <string>

namespace lathe::graph::tflite {

// A table in Markdown of all operators of the schema, written from the tables of this folder.
std::string CoverageTable();

}  // namespace lathe::graph::tflite
