// Constant tensors, whose data is known at compile time, and the table that AllocConst indexes.
//
// The elements of a constant are a Blob beside the IR. The node holds only the blob's digest in
// text, bytes, equality and hash, however large the blob is. Constants are the attributes
// `constant.0`, `constant.1`, ... of an operation, of a Func (as the lowering of a schedule leaves
// it) or of a Module (lower/constants.h gathers them there). Equal constants are one entry of a
// table. Pure functions; thread-safe. Uses no Abseil.
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
  Ref<const Blob> data;     // compact, row-major, little-endian (the byte order of this machine)
  template <class F>
  static void Fields(F f) {
    f.Field("dtype", &Constant::dtype);
    f.Field("shape", &Constant::shape);
    f.Field("data", &Constant::data);
  }
};
using ConstantRef = Ref<const Constant>;

// Throws Error "constant-size" if the size of `data` does not fit the shape and type.
ConstantRef MakeConstant(DataType dtype, const std::vector<int64_t>& shape, Ref<const Blob> data);
std::vector<int64_t> ShapeOf(const Constant& constant);

// Larger constants are not part of code: the host's code refers to their data by a symbol, and
// passes them to kernels as arguments.
inline constexpr size_t kMaxConstantInCode = 4096;  // bytes

// The attribute name of the table's entry `index`.
std::string ConstantKey(int64_t index);
// The table in `attrs`, by index. Throws Error "constant-malformed" if an index is missing, or if
// an attribute of such a name is not a constant.
std::vector<ConstantRef> ConstantsIn(const Dict& attrs);
// `attrs` without the constants.
Dict WithoutConstants(Dict attrs);
// The index of `constant` in the table. If it is not there, it is appended.
int64_t IndexOfConstant(std::vector<ConstantRef>* table, const ConstantRef& constant);

}  // namespace lathe::ir
