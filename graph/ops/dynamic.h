// What the operators whose shapes depend on elements of tensors (Relay's module `dyn`) are made of.
//
// All are compositions: as_shape makes sizes of the numbers, and the other operator takes them. If
// the numbers are known when the graph is built, so are the shapes.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "graph/builder.h"
#include "graph/ops/define.h"

namespace lathe::graph::ops {

inline const Shape& ShapeIn(const GraphVar& var) {
  return static_cast<const ir::TensorType&>(*var->type).shape;
}
inline DataType TypeIn(const GraphVar& var) {
  return static_cast<const ir::TensorType&>(*var->type).dtype;
}
inline OpInput NumbersInput(std::string name, std::string doc) {
  return {std::move(name), std::move(doc), kIndices};
}

// How many numbers argument `i` has, which must be a vector of a known length.
int64_t CountOf(const TypeContext& c, size_t i);
// A size that only a run knows; it is added to the result's.
Expr NewSize(TypeResult& result);
// The numbers of argument `i` if they are known; else new sizes.
Shape SizesOf(const TypeContext& c, size_t i, size_t count, TypeResult& result);
// A tensor whose shape are the numbers of argument `shape_input`.
TypeResult NewShapeType(const TypeContext& c, size_t shape_input, DataType dtype);
// The argument `i` is one number, of rank 0 or 1.
void NeedOneNumber(const TypeContext& c, size_t i);

// Calls in few words. Keeps a reference to the builder.
class Maker {
 public:
  explicit Maker(Builder& builder) : builder_(builder) {}

  GraphVar Call(const std::string& op, std::vector<GraphVar> args, ir::Dict attrs = {}) const {
    return builder_.Call(op, std::move(args), std::move(attrs));
  }
  GraphVar Number(int64_t value) const;
  // The numbers of `x` as int64.
  GraphVar Wide(const GraphVar& x) const;
  // The extents of `x`.
  GraphVar ExtentsOf(const GraphVar& x) const;
  // The elements of a vector at `places`.
  GraphVar Pick(const GraphVar& vector, const std::vector<int64_t>& places) const;
  // Element `at` of a vector, of rank 0.
  GraphVar Element(const GraphVar& vector, int64_t at) const;
  GraphVar AsVector(const GraphVar& x) const;
  // The numbers of a vector as extents.
  Shape Sizes(const GraphVar& numbers) const;
  // Null if they are not known when the graph is built.
  const Shape* Known(const GraphVar& numbers) const { return builder_.ValueOf(numbers); }

 private:
  Builder& builder_;
};

// The definitions by file: dynamic_extents.cc, dynamic_slices.cc.
std::vector<OpDef> DynamicExtents();
std::vector<OpDef> DynamicSlices();

}  // namespace lathe::graph::ops
