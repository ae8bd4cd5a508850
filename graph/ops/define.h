// What definitions of operators are written with: attributes, common types, indexing.
//
// All functions are pure and thread-safe.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "graph/op.h"
#include "graph/sizes.h"
#include "ir/intrinsic.h"
#include "ir/intrinsic_names.h"

namespace lathe::graph::ops {

using ir::Expr;
using ir::GraphVar;
using te::At;
using te::Indices;
using te::Tensor;
using Shape = std::vector<Expr>;
using Results = std::vector<te::Tensor>;

// -- Attributes. Without a fallback they must be given.
AttrDef Int(std::string name, std::string doc, int64_t fallback, int64_t least = INT64_MIN,
            int64_t greatest = INT64_MAX);
AttrDef Number(std::string name, std::string doc, double fallback);
AttrDef Flag(std::string name, std::string doc, bool fallback);
AttrDef Ints(std::string name, std::string doc, std::vector<int64_t> fallback,
             int64_t least = INT64_MIN);
// One of `choices`; the first is the fallback.
AttrDef Choice(std::string name, std::string doc, std::vector<std::string> choices);
// An element type; "" stands for what `doc` says.
AttrDef ElementType(std::string name, std::string doc, std::string fallback = "");
AttrDef Extents(std::string name, std::string doc);
AttrDef Required(AttrDef attr);

// -- Types.

// The type of the first input.
TypeResult SameType(const TypeContext& c);
ir::NodeRef TensorOf(DataType dtype, Shape shape);
ir::NodeRef TupleOf(std::vector<ir::NodeRef> fields);
// The shape of all inputs from number `first` on after broadcasting: aligned at the right, extents
// of 1 repeat. Throws Error "graph-argument" if extents are certainly neither equal nor 1.
Shape BroadcastShape(const TypeContext& c, size_t first = 0);
// An axis, counted from the end if it is negative, of `rank` dimensions. Throws Error
// "graph-attribute".
int64_t AxisOf(const TypeContext& c, std::string_view attr, int64_t rank);
std::vector<int64_t> AxesOf(const TypeContext& c, std::string_view attr, int64_t rank);
// The same, for attributes that were checked.
int64_t AxisOf(const ComputeContext& c, std::string_view attr, int64_t rank);
std::vector<int64_t> AxesOf(const ComputeContext& c, std::string_view attr, int64_t rank);
// An attribute with a number for each of `count` dimensions; one number stands for all. Throws
// Error "graph-attribute".
std::vector<int64_t> PerDimension(const TypeContext& c, std::string_view attr, size_t count);
std::vector<int64_t> PerDimension(const ComputeContext& c, std::string_view attr, size_t count);
// Padding of `count` dimensions as {before, after}: one number for all, one for each dimension, or
// all numbers before and then all numbers after (Relay's order).
std::vector<std::pair<int64_t, int64_t>> PaddingOf(const TypeContext& c, std::string_view attr,
                                                   size_t count);
std::vector<std::pair<int64_t, int64_t>> PaddingOf(const ComputeContext& c, std::string_view attr,
                                                   size_t count);

// -- Computing.

std::vector<Expr> AsExprs(const Indices& indices);
// An element of `x` at the place `at` of a result that `x` is broadcast to.
Expr BroadcastAt(const Tensor& x, const std::vector<Expr>& at);
// A call of an intrinsic (ir/intrinsic_names.h).
Expr Fn(std::string_view intrinsic, std::vector<Expr> args);
// The constant 0, 1... of the type.
inline Expr Num(double value, DataType dtype) { return ir::Const(value, dtype); }
inline Expr Num(int64_t value, DataType dtype) { return ir::Const(value, dtype); }
inline Expr Num(int value, DataType dtype) { return ir::Const(value, dtype); }
// An index of any integer type as one of 32 bits if it has fewer, else unchanged.
Expr Index(const Expr& value);
// `index`, counted from the end of `extent` if it is negative.
Expr FromEnd(const Expr& index, const Expr& extent);

// A result of one compute; the tag says how it depends on its inputs (te/tags.h).
Results One(te::Shape shape, const std::function<Expr(const Indices&)>& body, std::string name,
            std::string_view tag = {}, ir::Dict attrs = {});

// -- Whole definitions.

// A function of the elements of `data`. `range` limits the values of the example.
OpDef Unary(std::string name, std::string doc, TypeSet types,
            std::function<Expr(const Expr& x, const ComputeContext& c)> map,
            std::vector<AttrDef> attrs = {}, std::string range = "");

}  // namespace lathe::graph::ops
