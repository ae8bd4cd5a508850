// Constant tensors: data known when a program is compiled, and the table that AllocConst indexes.
//
// Constants travel beside the statements, as attributes `constant.0`, `constant.1`, ... of a Func
// (as a schedule's lowering leaves it) or of a Module (lower/constants.h gathers them there), each
// a string that MakeConstant made. So they are printed, parsed, encoded and compared with
// everything else. Equal constants of a table are one entry. Pure functions; thread-safe.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ir/node.h"

namespace lathe::ir {

struct Constant {
  DataType dtype;
  std::vector<int64_t> shape;
  std::string bytes;  // compact, row-major, in this machine's byte order: little-endian
};

// The attribute of op, Func or Module: "float32[2, 3]:" and the bytes in hexadecimal. Throws Error
// "constant-size" where the bytes are not those of the shape.
Expr MakeConstant(const Constant& constant);
// The reverse. Throws Error "constant-malformed".
Constant ReadConstant(const NodeRef& attribute);

// The name of the table's entry `index`.
std::string ConstantKey(int64_t index);
// The attributes of a table, by index; those of `attrs` that name one. Throws Error
// "constant-malformed" where one is missing in between.
std::vector<NodeRef> ConstantsIn(const Dict& attrs);
// `attribute`'s index in the table; added at its end where it is not there.
int64_t IndexOfConstant(std::vector<NodeRef>* table, const NodeRef& attribute);

}  // namespace lathe::ir
