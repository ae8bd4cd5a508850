// Checks the structure of a module of graphs. The types of operators are checked by graph/infer.
//
// All functions here throw Error, with the wrong line as a note:
//   verify-malformed   a node whose parts do not fit, or are missing
//   verify-undefined   a variable or a size that is used where it is not defined
//   verify-redefined   a variable or a size that is defined twice in the module
//   verify-function    a function's name
//   verify-call        a call of a function that the module does not have
//   verify-attribute   an attribute of an operator that is neither a number, a string nor a list
//   verify-datatype    a data type or a constructor that does not exist, or exists twice; a
//                      constructor with other operands than its own; a match without all cases
//   verify-too-deep    blocks or types that are nested too deeply
// They do not recurse on the C++ stack, and they terminate on every input. Thread-safe.
#pragma once

#include "ir/graph.h"

namespace lathe::ir {

// The most blocks that may be nested, and the greatest height of a type. So code that comes after
// may recurse over blocks and types, and the text reads back.
inline constexpr int kMaxGraphDepth = 200;

void VerifyGraph(const GraphModule& module);

}  // namespace lathe::ir
