// Nodes that expressions and statements refer to: ranges, iteration variables, buffers, reducers.
#pragma once

#include <string>
#include <vector>

#include "ir/expr.h"

namespace lathe::ir {

// [min, min + extent). An extent <= 0 is an empty range.
struct RangeNode final : NodeOf<RangeNode, Node> {
  Expr min, extent;
  template <class F>
  static void Fields(F f) {
    f.Field("min", &RangeNode::min);
    f.Field("extent", &RangeNode::extent);
  }
};

enum class IterKind : uint8_t {
  kData,     // an output's axis
  kReduce,   // commutative reduction axis
  kThread,   // a thread axis (thread_tag names it)
  kOrdered,  // a scan's time axis
  kOpaque,   // order and effects are unknown; schedules must not change it
  kTensorized,
};

// An axis: its identity, kind and domain. `domain` is null for thread axes whose extent is
// inferred.
struct IterVarNode final : NodeOf<IterVarNode, Node> {
  Range domain;
  Var var;
  IterKind iter_kind = IterKind::kData;
  std::string thread_tag;  // "blockIdx.x", "threadIdx.y", "vthread", or a plugin's; else ""
  static constexpr const char* kIterKindNames[] = {"data",    "reduce", "thread",
                                                   "ordered", "opaque", "tensorized"};
  template <class F>
  static void Fields(F f) {
    f.Optional("domain", &IterVarNode::domain);
    f.Define("var", &IterVarNode::var);
    f.Enum("iter_kind", &IterVarNode::iter_kind, kIterKindNames);
    f.Field("thread_tag", &IterVarNode::thread_tag);
  }
};

// A multi-dimensional view of memory. Element (i0, ..., in) is at data + (elem_offset + sum i_k *
// stride_k) elements. Identity distinguishes buffers, not the name. Two Buffers alias only if they
// share `data` (views) (S42).
struct BufferNode final : NodeOf<BufferNode, Node> {
  std::string name;
  DataType dtype;             // of an element; lanes > 1 if elements are vectors
  Var data;                   // handle
  std::vector<Expr> shape;    // one integer type
  std::vector<Expr> strides;  // in elements; empty: compact row-major
  Expr elem_offset;           // in elements; null: 0
  std::string scope;          // memory scope; "" means "global"
  int64_t alignment = 0;  // of `data`, in bytes; the declarer promises it (S34); 0: the element's
  int64_t offset_factor = 0;          // elem_offset is a multiple of it; 0: elem_offset must be 0
  std::vector<Expr> axis_separators;  // IntImm: where flattening starts a new dimension (images)
  template <class F>
  static void Fields(F f) {
    f.Field("name", &BufferNode::name);
    f.Field("dtype", &BufferNode::dtype);
    f.Define("data", &BufferNode::data);
    f.Field("shape", &BufferNode::shape);
    f.Field("strides", &BufferNode::strides);
    f.Optional("elem_offset", &BufferNode::elem_offset);
    f.Field("scope", &BufferNode::scope);
    f.Field("alignment", &BufferNode::alignment);
    f.Field("offset_factor", &BufferNode::offset_factor);
    f.Field("axis_separators", &BufferNode::axis_separators);
  }
};

// A commutative and associative combination of k values: result = f(lhs, rhs), with identity
// elements.
struct ReducerNode final : NodeOf<ReducerNode, Node> {
  std::string name;  // "sum", "argmax", or the user's
  std::vector<Var> lhs, rhs;
  std::vector<Expr> result;
  std::vector<Expr> identity;
  template <class F>
  static void Fields(F f) {
    f.Field("name", &ReducerNode::name);
    f.Define("lhs", &ReducerNode::lhs);
    f.Define("rhs", &ReducerNode::rhs);
    f.Field("result", &ReducerNode::result);
    f.Field("identity", &ReducerNode::identity);
  }
};

Range MakeRange(Expr min, Expr extent);
IterVar MakeIterVar(Range domain, Var var, IterKind kind, std::string thread_tag = "");
// A compact buffer with a new data variable.
Buffer MakeBuffer(std::string name, DataType dtype, std::vector<Expr> shape,
                  std::string scope = "");
// A copy of `buffer` with the changes that `edit` makes. The copy is a new buffer with an identity
// of its own; it shares `data` unless `edit` replaces that.
template <class Edit>
Buffer CopyBuffer(const Buffer& buffer, Edit edit) {
  Ref<Node> copy = CloneNode(*buffer);
  edit(static_cast<BufferNode&>(*copy));
  return Buffer(static_cast<const BufferNode*>(copy.get()));
}
Reducer MakeReducer(std::string name, std::vector<Var> lhs, std::vector<Var> rhs,
                    std::vector<Expr> result, std::vector<Expr> identity);

// "global" for "".
inline std::string ScopeOf(const BufferNode& buffer) {
  return buffer.scope.empty() ? "global" : buffer.scope;
}
// The type of the indices: int64 if any extent is int64, else int32.
DataType IndexType(const std::vector<Expr>& shape);

}  // namespace lathe::ir
