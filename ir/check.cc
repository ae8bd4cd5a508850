// The checks of a whole node: how its fields must fit together. Factories call CheckNode, and so do
// readers of text and bytes.

#include "base/message.h"
#include "ir/check_graph.h"
#include "ir/check_op.h"
#include "ir/constants.h"
#include "ir/module.h"
#include "ir/tensor_op.h"

namespace lathe::ir {
namespace {

using std::string;

bool SameLanes(DataType a, DataType b) { return a.dl().lanes == b.dl().lanes; }

string Types(const char* what, DataType a, DataType b) {
  return string(what) + ": " + a.ToString() + " against " + b.ToString();
}

string CheckConstant(const Constant& node) {
  if (!node.data) return "it has no data";
  int64_t bytes = node.dtype.bytes();
  for (const Expr& extent : node.shape) {
    const int64_t* value = AsConstInt(extent);
    if (value == nullptr || *value < 0 || __builtin_mul_overflow(bytes, *value, &bytes))
      return "its shape is none that memory can hold";
  }
  if (static_cast<uint64_t>(bytes) == node.data->size()) return "";
  return "its shape takes " + std::to_string(bytes) + " bytes, and its data has " +
         std::to_string(node.data->size());
}

string CheckBinary(const ExprNode& node, const Expr& a, const Expr& b) {
  if (a->dtype != b->dtype) return Types("operand types differ", a->dtype, b->dtype);
  const DataType t = a->dtype;
  switch (node.node_kind()) {
    case NodeKind::kAnd:
    case NodeKind::kOr:
      if (!t.is_bool()) return "operands must be bool, not " + t.ToString();
      break;
    case NodeKind::kEQ:
    case NodeKind::kNE:
      if (t.is_void()) return "operands have no value";
      break;
    case NodeKind::kMod:
      if (!t.is_integral()) return "operands must be integers, not " + t.ToString();
      break;
    default:
      if (!t.is_integral() && !t.is_float()) return "operands must be numbers, not " + t.ToString();
  }
  const bool boolean = node.node_kind() >= NodeKind::kEQ;
  if (boolean ? !(node.dtype.is_bool() && SameLanes(node.dtype, t)) : node.dtype != t) {
    return Types("the result's type does not follow from the operands'", node.dtype, t);
  }
  return "";
}

string CheckIndices(const std::vector<Expr>& indices, size_t rank, const string& name,
                    int* index_lanes) {
  if (indices.size() != rank) {
    return "`" + name + "` has " + std::to_string(rank) + " dimensions, but " +
           std::to_string(indices.size()) + " indices are given";
  }
  *index_lanes = 1;
  for (size_t i = 0; i < indices.size(); ++i) {
    const DataType t = indices[i]->dtype;
    if (!t.is_integral())
      return "index " + std::to_string(i) + " of `" + name + "` must be an integer, not " +
             t.ToString();
    if (!t.is_scalar()) {
      if (i + 1 != indices.size()) return "only the last index of `" + name + "` may be a vector";
      *index_lanes = static_cast<int16_t>(t.dl().lanes);
    }
  }
  return "";
}

// The type of an access to elements of type `element` by indices of so many lanes.
DataType AccessType(DataType element, int index_lanes) {
  if (index_lanes == 1) return element;
  return DataType(element.code(), element.bits(),
                  index_lanes * static_cast<int16_t>(element.dl().lanes));
}

string CheckMask(const Expr& mask, DataType access) {
  if (mask && !(mask->dtype.is_bool() && SameLanes(mask->dtype, access))) {
    return Types("the mask must be bool with the access's lanes", mask->dtype, access);
  }
  return "";
}

string CheckLoad(const Load& node) {
  size_t rank = 0;
  DataType element;
  string name;
  if (const auto* buffer = As<BufferNode>(node.source)) {
    rank = buffer->shape.size(), element = buffer->dtype, name = buffer->name;
  } else if (const auto* tensor = As<TensorNode>(node.source)) {
    rank = tensor->shape().size(), element = tensor->dtype(), name = tensor->name();
  } else {
    return "a Load reads a Buffer or a Tensor";
  }
  int lanes = 1;
  if (string problem = CheckIndices(node.indices, rank, name, &lanes); !problem.empty())
    return problem;
  const DataType access = AccessType(element, lanes);
  if (node.dtype != access)
    return Types("the value's type is not that of the element", node.dtype, access);
  return CheckMask(node.mask, access);
}

string CheckStore(const Store& node) {
  int lanes = 1;
  if (string problem =
          CheckIndices(node.indices, node.buffer->shape.size(), node.buffer->name, &lanes);
      !problem.empty()) {
    return problem;
  }
  const DataType access = AccessType(node.buffer->dtype, lanes);
  if (node.value->dtype != access) {
    return Types(("the value stored to `" + node.buffer->name + "` has another type").c_str(),
                 node.value->dtype, access);
  }
  return CheckMask(node.mask, access);
}

string CheckReduce(const Reduce& node) {
  const size_t n = node.sources.size();
  const ReducerNode& r = *node.reducer;
  if (r.lhs.size() != n) {
    return "reducer `" + r.name + "` combines " + std::to_string(r.lhs.size()) + " values, but " +
           std::to_string(n) + " sources are given";
  }
  for (size_t i = 0; i < n; ++i) {
    if (node.sources[i]->dtype != r.lhs[i]->dtype) {
      return Types("a source's type is not the reducer's", node.sources[i]->dtype, r.lhs[i]->dtype);
    }
  }
  if (node.value_index < 0 || static_cast<size_t>(node.value_index) >= n)
    return "value_index is out of range";
  if (node.dtype != node.sources[static_cast<size_t>(node.value_index)]->dtype)
    return "the type is not that of its source";
  if (!node.condition->dtype.is_bool() || !node.condition->dtype.is_scalar())
    return "the condition must be bool";
  if (!node.init.empty() && node.init.size() != n) return "init needs one value per source";
  for (size_t i = 0; i < node.init.size(); ++i) {
    if (node.init[i]->dtype != node.sources[i]->dtype)
      return Types("init's type differs", node.init[i]->dtype, node.sources[i]->dtype);
  }
  for (const IterVar& axis : node.axis) {
    if (axis->iter_kind != IterKind::kReduce)
      return "`" + axis->var->name + "` is not a reduction axis";
  }
  return "";
}

string CheckReducer(const ReducerNode& r) {
  const size_t n = r.lhs.size();
  if (n == 0 || r.rhs.size() != n || r.result.size() != n || r.identity.size() != n) {
    return "a reducer needs as many lhs, rhs, results and identities, at least one";
  }
  for (size_t i = 0; i < n; ++i) {
    const DataType t = r.lhs[i]->dtype;
    if (r.rhs[i]->dtype != t || r.result[i]->dtype != t || r.identity[i]->dtype != t) {
      return "the types of value " + std::to_string(i) + " of the reducer differ";
    }
  }
  return "";
}

string CheckBuffer(const BufferNode& b) {
  if (!b.data->dtype.is_handle())
    return "the data variable must be a handle, not " + b.data->dtype.ToString();
  if (!b.strides.empty() && b.strides.size() != b.shape.size()) {
    return "`" + b.name + "` has " + std::to_string(b.shape.size()) + " dimensions and " +
           std::to_string(b.strides.size()) + " strides";
  }
  for (const auto* list : {&b.shape, &b.strides}) {
    for (const Expr& e : *list) {
      if (!e->dtype.is_integral() || !e->dtype.is_scalar())
        return "extents and strides of `" + b.name + "` must be integers, not " +
               e->dtype.ToString();
    }
  }
  if (b.elem_offset && (!b.elem_offset->dtype.is_integral() || !b.elem_offset->dtype.is_scalar()))
    return "the element offset must be an integer";
  if (b.alignment < 0 || b.offset_factor < 0)
    return "alignment and offset factor must not be negative";
  int64_t last = 0;
  for (const Expr& e : b.axis_separators) {
    const auto* at = As<IntImm>(e);
    if (at == nullptr || at->value <= last - (last == 0 ? 1 : 0) ||
        at->value > static_cast<int64_t>(b.shape.size())) {
      return "axis separators must be increasing positions within the shape";
    }
    last = at->value;
  }
  return "";
}

string ScalarInteger(const Expr& e, const char* what) {
  if (!e->dtype.is_integral() || !e->dtype.is_scalar())
    return string(what) + " must be an integer, not " + e->dtype.ToString();
  return "";
}

string CheckBounds(const BufferNode& buffer, size_t n) {
  if (n != buffer.shape.size()) {
    return "`" + buffer.name + "` has " + std::to_string(buffer.shape.size()) +
           " dimensions, but " + std::to_string(n) + " bounds are given";
  }
  return "";
}

string CheckVectorOfScalar(DataType vector, DataType scalar) {
  if (!scalar.is_scalar()) return "the operand must be a scalar, not " + scalar.ToString();
  if (vector.is_scalar() || vector.element_of() != scalar)
    return Types("the vector's element type differs", vector, scalar);
  return "";
}

string CheckShuffle(const Shuffle& node) {
  int64_t total = 0;
  if (node.vectors.empty()) return "a shuffle needs vectors";
  for (const Expr& v : node.vectors) {
    if (v->dtype.element_of() != node.dtype.element_of())
      return Types("element types differ", v->dtype, node.dtype);
    if (v->dtype.is_scalable()) return "scalable vectors cannot be shuffled";
    total += v->dtype.lanes();
  }
  if (static_cast<int64_t>(node.indices.size()) != node.dtype.lanes())
    return "as many indices as lanes are needed";
  for (const Expr& i : node.indices) {
    const auto* imm = As<IntImm>(i);
    if (imm == nullptr || imm->value < 0 || imm->value >= total)
      return "indices must be constants within the vectors' lanes";
  }
  return "";
}

string CheckFor(const For& node) {
  const DataType t = node.var->dtype;
  if (!t.is_integral() || !t.is_scalar())
    return "the loop variable must be an integer, not " + t.ToString();
  if (node.min->dtype != t)
    return Types("the loop's min has another type than its variable", node.min->dtype, t);
  if (node.extent->dtype != t)
    return Types("the loop's extent has another type than its variable", node.extent->dtype, t);
  if ((node.for_kind == ForKind::kThread) != !node.thread_tag.empty())
    return "a thread loop, and only that, has a thread tag";
  return "";
}

}  // namespace

std::string CheckNode(const Node& base) {
  if (const Operands operands =
          BinaryOperands(IsExpr(&base) ? static_cast<const ExprNode*>(&base) : nullptr)) {
    return CheckBinary(static_cast<const ExprNode&>(base), *operands.a, *operands.b);
  }
  switch (base.node_kind()) {
    case NodeKind::kIntImm: {
      const auto& node = static_cast<const IntImm&>(base);
      const DataType t = node.dtype;
      if (!t.is_scalar() || !(t.is_integral() || t.is_bool()))
        return "an integer constant cannot have type " + t.ToString();
      if (t.is_bool()) return node.value == 0 || node.value == 1 ? "" : "a bool is 0 or 1";
      if (t.bits() == 64) return "";
      const int64_t low = t.is_uint() ? 0 : -(int64_t{1} << (t.bits() - 1));
      const int64_t high = t.is_uint() ? (int64_t{1} << t.bits()) : (int64_t{1} << (t.bits() - 1));
      return node.value >= low && node.value < high ? ""
                                                    : "the constant does not fit " + t.ToString();
    }
    case NodeKind::kFloatImm: {
      const DataType t = static_cast<const ExprNode&>(base).dtype;
      return t.is_scalar() && t.is_float() ? ""
                                           : "a floating constant cannot have type " + t.ToString();
    }
    case NodeKind::kVarNode:
      return static_cast<const ExprNode&>(base).dtype.is_void() ? "a variable needs a type" : "";
    case NodeKind::kCast: {
      const auto& node = static_cast<const Cast&>(base);
      const DataType from = node.value->dtype, to = node.dtype;
      if (!SameLanes(from, to)) return Types("a cast keeps the lanes", from, to);
      if (from.is_void() || to.is_void() || from.is_handle() != to.is_handle())
        return Types("there is no such cast (see reinterpret)", from, to);
      return "";
    }
    case NodeKind::kNot: {
      const auto& node = static_cast<const Not&>(base);
      return node.a->dtype.is_bool() && node.dtype == node.a->dtype
                 ? ""
                 : "the operand must be bool, not " + node.a->dtype.ToString();
    }
    case NodeKind::kSelect: {
      const auto& node = static_cast<const Select&>(base);
      if (node.true_value->dtype != node.false_value->dtype)
        return Types("the arms' types differ", node.true_value->dtype, node.false_value->dtype);
      if (node.dtype != node.true_value->dtype) return "the type is not that of the arms";
      const DataType c = node.condition->dtype;
      if (!c.is_bool() || !(c.is_scalar() || SameLanes(c, node.dtype)))
        return Types("the condition must be bool, scalar or with the arms' lanes", c, node.dtype);
      return "";
    }
    case NodeKind::kLoad:
      return CheckLoad(static_cast<const Load&>(base));
    case NodeKind::kRamp: {
      const auto& node = static_cast<const Ramp&>(base);
      if (node.base->dtype != node.stride->dtype)
        return Types("base and stride differ", node.base->dtype, node.stride->dtype);
      if (!node.base->dtype.is_integral())
        return "a ramp is of integers, not of " + node.base->dtype.ToString();
      return CheckVectorOfScalar(node.dtype, node.base->dtype);
    }
    case NodeKind::kBroadcast: {
      const auto& node = static_cast<const Broadcast&>(base);
      return CheckVectorOfScalar(node.dtype, node.value->dtype);
    }
    case NodeKind::kShuffle:
      return CheckShuffle(static_cast<const Shuffle&>(base));
    case NodeKind::kLet: {
      const auto& node = static_cast<const Let&>(base);
      if (node.var->dtype != node.value->dtype)
        return Types("variable and value differ", node.var->dtype, node.value->dtype);
      return node.dtype == node.body->dtype ? "" : "the type is not that of the body";
    }
    case NodeKind::kCall:
      return static_cast<const Call&>(base).op.empty() ? "a call needs the name of an intrinsic"
                                                       : "";
    case NodeKind::kReduce:
      return CheckReduce(static_cast<const Reduce&>(base));
    case NodeKind::kRangeNode: {
      const auto& node = static_cast<const RangeNode&>(base);
      if (string problem = ScalarInteger(node.min, "min"); !problem.empty()) return problem;
      if (node.min->dtype != node.extent->dtype)
        return Types("min and extent differ", node.min->dtype, node.extent->dtype);
      return "";
    }
    case NodeKind::kIterVarNode: {
      const auto& node = static_cast<const IterVarNode&>(base);
      if (string problem = ScalarInteger(node.var, "the variable"); !problem.empty())
        return problem;
      if (node.domain && node.domain->extent->dtype != node.var->dtype)
        return Types("variable and domain differ", node.var->dtype, node.domain->extent->dtype);
      return "";
    }
    case NodeKind::kBufferNode:
      return CheckBuffer(static_cast<const BufferNode&>(base));
    case NodeKind::kReducerNode:
      return CheckReducer(static_cast<const ReducerNode&>(base));
    case NodeKind::kStore:
      return CheckStore(static_cast<const Store&>(base));
    case NodeKind::kFor:
      return CheckFor(static_cast<const For&>(base));
    case NodeKind::kWhile: {
      const DataType t = static_cast<const While&>(base).condition->dtype;
      return t == DataType::Bool() ? "" : "the condition must be bool, not " + t.ToString();
    }
    case NodeKind::kIf: {
      const DataType t = static_cast<const If&>(base).condition->dtype;
      return t == DataType::Bool() ? "" : "the condition must be bool, not " + t.ToString();
    }
    case NodeKind::kAssert: {
      const auto& node = static_cast<const Assert&>(base);
      if (node.condition->dtype != DataType::Bool())
        return "the condition must be bool, not " + node.condition->dtype.ToString();
      return node.values.size() <= kMostShown
                 ? ""
                 : "at most " + std::to_string(kMostShown) + " values can be shown";
    }
    case NodeKind::kLetStmt: {
      const auto& node = static_cast<const LetStmt&>(base);
      return node.var->dtype == node.value->dtype
                 ? ""
                 : Types("variable and value differ", node.var->dtype, node.value->dtype);
    }
    case NodeKind::kRealize: {
      const auto& node = static_cast<const Realize&>(base);
      return CheckBounds(*node.buffer, node.bounds.size());
    }
    case NodeKind::kPrefetch: {
      const auto& node = static_cast<const Prefetch&>(base);
      return CheckBounds(*node.buffer, node.bounds.size());
    }
    case NodeKind::kConstant:
      return CheckConstant(static_cast<const Constant&>(base));
    case NodeKind::kAllocConst:
      return static_cast<const AllocConst&>(base).index >= 0
                 ? ""
                 : "the constant's index must not be negative";
    case NodeKind::kDeclBuffer: {
      const DataType t = static_cast<const DeclBuffer&>(base).data->dtype;
      return t.is_handle() ? "" : "the data must be a handle, not " + t.ToString();
    }
    case NodeKind::kFuncNode: {
      const auto& node = static_cast<const FuncNode&>(base);
      for (const NodeRef& p : node.params) {
        if (As<VarNode>(p) == nullptr && As<BufferNode>(p) == nullptr)
          return "a parameter is a variable or a buffer";
      }
      return "";
    }
    case NodeKind::kTensorNode: {
      const auto& node = static_cast<const TensorNode&>(base);
      return node.value_index >= 0 && node.value_index < NumOutputs(*node.op)
                 ? ""
                 : "operation `" + node.op->name + "` has no output " +
                       std::to_string(node.value_index);
    }
    case NodeKind::kComputeOp:
    case NodeKind::kScanOp:
    case NodeKind::kExternOp:
      return CheckOp(static_cast<const OpNode&>(base));
    default:
      return CheckGraphNode(base);
  }
}

}  // namespace lathe::ir
