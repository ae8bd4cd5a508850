// The examples of operators (OpDef::examples), read.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "graph/op.h"

namespace lathe::graph {

struct ExampleInput {
  DataType dtype;
  std::vector<ir::Expr> shape;  // int64
  // The values: within [low, high], both included for integers.
  double low = -2, high = 2;
};

// The inputs of an example. `T` stands for `type`; names in shapes are found in `sizes`, or become
// new int64 sizes there. Throws Error "graph-example" for a text that is none.
std::vector<ExampleInput> ReadExample(const OpExample& example, DataType type,
                                      std::map<std::string, ir::Var>* sizes);

// The types that `T` stands for in an example: those of the first input that is written with it.
// {void} if no input is.
std::vector<DataType> TypesOfExample(const OpDef& op, const OpExample& example);

}  // namespace lathe::graph
