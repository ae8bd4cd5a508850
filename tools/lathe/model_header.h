// A C++ header for a compiled model: a class with a function for each input and output.
#pragma once

#include <string>

#include "runtime/graph/plan.h"

namespace lathe::cli {

struct ModelHeader {
  std::string source;  // the model's file, for a comment
  std::string name;    // of the class, made CamelCase
  std::string symbol;  // of the object (`--symbol`); "": the class loads a file
};
// Throws Error "header-element-type" for element types that C++17 does not have.
std::string HeaderOf(const runtime::graph::Plan& plan, const ModelHeader& header);

}  // namespace lathe::cli
