// Tensors and the operations that produce them: the nodes of a te program.
//
// This header only has the data; te/ makes and analyses it. Operations form a graph: the body of an
// operation reads Tensors, and a Tensor names its operation and one of its outputs. Two Tensors are
// equal if their operations (by identity) and indices are equal: use SameTensor and TensorHash.
#pragma once

#include <string>
#include <vector>

#include "ir/stmt.h"

namespace lathe::ir {

// Base of the operations. `name` need not be unique in a program; the text form makes it unique.
struct OpNode : Node {
  std::string name;
  std::string tag;  // automatic inlining and schedules dispatch on it: "elemwise", "broadcast"
  Dict attrs;

 protected:
  using Node::Node;
};
using Op = Ref<const OpNode>;

struct TensorNode final : NodeOf<TensorNode, Node> {
  Op op;
  int64_t value_index = 0;
  template <class F>
  static void Fields(F f) {
    f.Refer("op", &TensorNode::op);
    f.Field("value_index", &TensorNode::value_index);
  }
  int ndim() const;
  DataType dtype() const;
  const std::vector<Expr>& shape() const;
  // The operation's name, with ".v<index>" if the operation has several outputs.
  std::string name() const;
};

struct PlaceholderOp final : NodeOf<PlaceholderOp, OpNode> {
  std::vector<Expr> shape;
  DataType dtype;
  template <class F>
  static void Fields(F f) {
    f.Field("name", &PlaceholderOp::name);
    f.Field("tag", &PlaceholderOp::tag);
    f.Field("attrs", &PlaceholderOp::attrs);
    f.Field("shape", &PlaceholderOp::shape);
    f.Field("dtype", &PlaceholderOp::dtype);
  }
};

// body[k] at (axis...) is output k. If there are reductions, all bodies are Reduce nodes over the
// same list of sources (S14). Axis domains start at 0; their extents are the shape of the outputs.
struct ComputeOp final : NodeOf<ComputeOp, OpNode> {
  std::vector<IterVar> axis;
  std::vector<IterVar> reduce_axis;
  std::vector<Expr> body;
  std::vector<Expr> shape;  // the axis extents, kept for TensorNode::shape
  template <class F>
  static void Fields(F f) {
    f.Field("name", &ComputeOp::name);
    f.Field("tag", &ComputeOp::tag);
    f.Field("attrs", &ComputeOp::attrs);
    f.Define("axis", &ComputeOp::axis);
    f.Define("reduce_axis", &ComputeOp::reduce_axis);
    f.Field("body", &ComputeOp::body);
    f.Field("shape", &ComputeOp::shape);
  }
};

// A recurrence. state[k] is a placeholder of the output's shape. Its rows [0, r) come from init[k].
// Row t comes from update[k], which may read state[k] at rows before t. Output k is the final state
// k (S49).
struct ScanOp final : NodeOf<ScanOp, OpNode> {
  IterVar scan_axis;  // ordered; domain [rows of init, rows of state)
  std::vector<Tensor> init, update, state, inputs;
  std::vector<IterVar> spatial_axis;  // opaque; one per further dimension of each state, in order
  template <class F>
  static void Fields(F f) {
    f.Field("name", &ScanOp::name);
    f.Field("tag", &ScanOp::tag);
    f.Field("attrs", &ScanOp::attrs);
    f.Define("scan_axis", &ScanOp::scan_axis);
    f.Define("spatial_axis", &ScanOp::spatial_axis);
    f.Refer("init", &ScanOp::init);
    f.Refer("update", &ScanOp::update);
    f.Refer("state", &ScanOp::state);
    f.Refer("inputs", &ScanOp::inputs);
  }
};

// A hand-written statement. It reads input_buffers (the buffers of `inputs`) and fills
// output_buffers.
struct ExternOp final : NodeOf<ExternOp, OpNode> {
  std::vector<Tensor> inputs;
  std::vector<Buffer> input_buffers, output_buffers;
  Stmt body;
  template <class F>
  static void Fields(F f) {
    f.Field("name", &ExternOp::name);
    f.Field("tag", &ExternOp::tag);
    f.Field("attrs", &ExternOp::attrs);
    f.Refer("inputs", &ExternOp::inputs);
    f.Define("input_buffers", &ExternOp::input_buffers);
    f.Define("output_buffers", &ExternOp::output_buffers);
    f.Field("body", &ExternOp::body);
  }
};

// A hardware operation on buffers. The compute `op` is its reference meaning. `inputs` are the
// placeholders of `op`; `buffers` are those of the inputs, then those of the outputs. There is a
// `body`, or both `reset` and `update`; for a reduction, `body` and `update` may also be given
// together, with or without `reset`. The others are null.
struct TensorIntrinNode final : NodeOf<TensorIntrinNode, Node> {
  std::string name;
  Op op;
  std::vector<Tensor> inputs;
  std::vector<Buffer> buffers;
  std::vector<Var> scalar_params;
  Stmt body, reset, update;
  template <class F>
  static void Fields(F f) {
    f.Field("name", &TensorIntrinNode::name);
    f.Field("op", &TensorIntrinNode::op);
    f.Refer("inputs", &TensorIntrinNode::inputs);
    f.Define("buffers", &TensorIntrinNode::buffers);
    // These are also variables of `op`, which is defined before this node. So this node does not
    // define them.
    f.Field("scalar_params", &TensorIntrinNode::scalar_params);
    f.Optional("body", &TensorIntrinNode::body);
    f.Optional("reset", &TensorIntrinNode::reset);
    f.Optional("update", &TensorIntrinNode::update);
  }
};

// A compute whose innermost part is one call of a tensor intrinsic on regions. The first
// schedulable_ndim axes are its own data axes; the others are those of the intrinsic.
struct TensorComputeOp final : NodeOf<TensorComputeOp, OpNode> {
  std::vector<IterVar> axis;
  std::vector<IterVar> reduce_axis;
  int64_t schedulable_ndim = 0;
  Ref<const TensorIntrinNode> intrin;
  std::vector<Tensor> inputs;
  std::vector<Range> input_regions;  // all inputs' ranges, one after the other
  std::vector<Expr> scalar_inputs;
  std::vector<Expr> shape;
  template <class F>
  static void Fields(F f) {
    f.Field("name", &TensorComputeOp::name);
    f.Field("tag", &TensorComputeOp::tag);
    f.Field("attrs", &TensorComputeOp::attrs);
    f.Define("axis", &TensorComputeOp::axis);
    f.Define("reduce_axis", &TensorComputeOp::reduce_axis);
    f.Field("schedulable_ndim", &TensorComputeOp::schedulable_ndim);
    f.Refer("intrin", &TensorComputeOp::intrin);
    f.Refer("inputs", &TensorComputeOp::inputs);
    f.Field("input_regions", &TensorComputeOp::input_regions);
    f.Field("scalar_inputs", &TensorComputeOp::scalar_inputs);
    f.Field("shape", &TensorComputeOp::shape);
  }
};

// One recorded scheduling primitive: for example "split" on stage "C", with operands by name. See
// schedule/trace.h.
struct StepNode final : NodeOf<StepNode, Node> {
  std::string primitive;
  List<StringImm> results;  // names that the step introduces
  Dict operands;
  template <class F>
  static void Fields(F f) {
    f.Field("primitive", &StepNode::primitive);
    f.Field("results", &StepNode::results);
    f.Field("operands", &StepNode::operands);
  }
};

// A program file: operations in definition order, the argument tensors, and a schedule trace.
struct ProgramNode final : NodeOf<ProgramNode, Node> {
  std::string name;
  std::vector<Var> vars;  // symbolic shapes
  std::vector<Op> ops;
  std::vector<NodeRef> args;  // Tensors, or Vars from `vars`, in calling order
  List<StepNode> trace;
  Dict attrs;  // "target"
  template <class F>
  static void Fields(F f) {
    f.Field("name", &ProgramNode::name);
    f.Define("vars", &ProgramNode::vars);
    f.Define("ops", &ProgramNode::ops);
    f.Refer("args", &ProgramNode::args);
    f.Field("trace", &ProgramNode::trace);
    f.Field("attrs", &ProgramNode::attrs);
  }
};
using Program = Ref<const ProgramNode>;

// The k-th output of an operation.
Tensor OutputOf(const Op& op, int64_t index);
int64_t NumOutputs(const OpNode& op);
const std::vector<Expr>& OutputShape(const OpNode& op, int64_t index);
DataType OutputType(const OpNode& op, int64_t index);
// The tensors that an operation reads, each once, in order of first use.
std::vector<Tensor> InputsOf(const OpNode& op);

inline bool SameTensor(const Tensor& a, const Tensor& b) {
  return a.get() == b.get() ||
         (a && b && a->op.get() == b->op.get() && a->value_index == b->value_index);
}
struct TensorHash {
  size_t operator()(const Tensor& t) const {
    return std::hash<const void*>()(t->op.get()) * 31 + static_cast<size_t>(t->value_index);
  }
};
struct TensorEqual {
  bool operator()(const Tensor& a, const Tensor& b) const { return SameTensor(a, b); }
};

}  // namespace lathe::ir
