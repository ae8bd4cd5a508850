// Constant tensors: data known when a program is compiled, and the table that AllocConst indexes.
//
// A constant's elements are a Blob beside the IR. The node names them: text, bytes, equality and
// hash hold the blob's digest alone, however large it is. Constants are the attributes
// `constant.0`, `constant.1`, ... of an operation, of a Func (as a schedule's lowering leaves it)
// or of a Module (lower/constants.h gathers them there). Equal constants of a table are one entry.
// Pure functions; thread-safe. Uses no Abseil.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "ir/expr.h"

namespace lathe::ir {

struct Constant final : NodeOf<Constant, Node> {
  DataType dtype;
  std::vector<Expr> shape;  // IntImm
  Ref<const Blob> data;     // compact, row-major, in this machine's byte order: little-endian
  template <class F>
  static void Fields(F f) {
    f.Field("dtype", &Constant::dtype);
    f.Field("shape", &Constant::shape);
    f.Field("data", &Constant::data);
  }
};
using ConstantRef = Ref<const Constant>;

// Throws Error "constant-size" where the bytes are not those of the shape.
ConstantRef MakeConstant(DataType dtype, const std::vector<int64_t>& shape, Ref<const Blob> data);
std::vector<int64_t> ShapeOf(const Constant& constant);

// Larger constants are not part of code: the host's code refers to their data by a symbol, and
// passes them to kernels as arguments.
inline constexpr size_t kMaxConstantInCode = 4096;  // bytes

// The name of the table's entry `index`.
std::string ConstantKey(int64_t index);
// The table that `attrs` holds, by index. Throws Error "constant-malformed" where one is missing in
// between, or where an attribute of that name is no constant.
std::vector<ConstantRef> ConstantsIn(const Dict& attrs);
// `attrs` without them.
Dict WithoutConstants(Dict attrs);
// `constant`'s index in the table; added at its end where it is not there.
int64_t IndexOfConstant(std::vector<ConstantRef>* table, const ConstantRef& constant);

}  // namespace lathe::ir
