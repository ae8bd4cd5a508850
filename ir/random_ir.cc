#include "ir/random_ir.h"

#include <bit>
#include <cmath>
#include <limits>

#include "base/float_formats.h"
#include "ir/constants.h"
#include "ir/reducers.h"

namespace lathe::ir {

std::string RandomIr::RandomName() {
  static const std::vector<std::string> kNames = {
      "i",   "j",    "x",  "A",     "B",     "i.outer",   "for",    "int32",    "min",
      "Add", "size", "op", "given", "range", "has space", "q`\"\\", "\xc3\xa9", "_"};
  return OneOf(kNames);
}

std::string RandomIr::RandomString() {
  static const std::vector<std::string> kStrings = {"",
                                                    "plain",
                                                    "two words",
                                                    "quote \" back \\ tick `",
                                                    "line\nbreak\ttab\r",
                                                    "\xc3\xa9t\xc3\xa9",
                                                    std::string("nul\0in", 6),
                                                    "\xff\xfe bad utf",
                                                    "threadIdx.x"};
  return OneOf(kStrings);
}

DataType RandomIr::RandomScalarType() {
  static const std::vector<DataType> kTypes = {DataType::Int(32),
                                               DataType::Int(32),
                                               DataType::Int(64),
                                               DataType::Int(8),
                                               DataType::UInt(8),
                                               DataType::UInt(64),
                                               DataType::Float(32),
                                               DataType::Float(32),
                                               DataType::Float(64),
                                               DataType::Float(16),
                                               DataType::BFloat16(),
                                               DataType::Bool(),
                                               DataType(kDLFloat8_e4m3fn, 8),
                                               DataType::Int(4),
                                               DataType::UInt(1)};
  return OneOf(kTypes);
}

Expr RandomIr::Constant(DataType dtype) {
  if (dtype.is_handle()) return String(RandomString());
  if (dtype.is_bool()) return Bool(Chance(50));
  if (dtype.is_float()) {
    double value = 0;
    switch (Pick(6)) {
      case 0:
        value = static_cast<double>(Pick(10));
        break;
      case 1:
        value = std::bit_cast<double>(engine_());
        break;
      case 2:
        value = 0.1 * static_cast<double>(Pick(100));
        break;
      case 3:
        value = -0.0;
        break;
      case 4:
        value = Chance(50) ? INFINITY : -INFINITY;
        break;
      default:
        value = std::bit_cast<float>(static_cast<uint32_t>(engine_()));
        break;
    }
    Ref<FloatImm> node = Make<FloatImm>();
    node->dtype = dtype;
    node->value = std::isnan(value) ? value : RoundToType(value, dtype);
    return node;
  }
  auto bits = static_cast<int64_t>(engine_());
  if (Chance(70)) bits &= 15;
  Ref<IntImm> node = Make<IntImm>();
  node->dtype = dtype;
  if (dtype.bits() < 64) {
    const int unused = 64 - dtype.bits();
    const uint64_t shifted = static_cast<uint64_t>(bits) << unused;
    node->value = dtype.is_uint() ? static_cast<int64_t>(shifted >> unused)
                                  : static_cast<int64_t>(shifted) >> unused;
  } else {
    node->value = bits;
  }
  return node;
}

Expr RandomIr::Leaf(DataType dtype) {
  std::vector<Var> fitting;
  for (const Var& var : vars_) {
    if (var->dtype == dtype) fitting.push_back(var);
  }
  if (!fitting.empty() && Chance(70)) return OneOf(fitting);
  if (dtype.is_scalar()) return Constant(dtype);
  Ref<Broadcast> node = Make<Broadcast>();
  node->dtype = dtype;
  node->value = Leaf(dtype.element_of());
  return node;
}

std::vector<Expr> RandomIr::Indices(size_t rank, int lanes, int depth) {
  std::vector<Expr> indices;
  for (size_t i = 0; i < rank; ++i) {
    const bool vector = lanes != 1 && i + 1 == rank;
    indices.push_back(vector ? RandomExpr(DataType::Int(32, lanes), depth) : Index(depth));
  }
  return indices;
}

Expr RandomIr::Access(DataType dtype, int depth) {
  std::vector<NodeRef> sources;
  std::vector<size_t> ranks;
  for (const Buffer& buffer : buffers_) {
    if (buffer->dtype == dtype.element_of() && (dtype.is_scalar() || !buffer->shape.empty())) {
      sources.push_back(buffer);
      ranks.push_back(buffer->shape.size());
    }
  }
  for (const Tensor& tensor : tensors_) {
    if (tensor->dtype() == dtype) {
      sources.push_back(tensor);
      ranks.push_back(tensor->shape().size());
    }
  }
  if (sources.empty()) return Leaf(dtype);
  const size_t i = Pick(sources.size());
  const auto lanes = static_cast<int16_t>(dtype.dl().lanes);
  Expr mask = Chance(20) ? RandomExpr(DataType::Bool(lanes), depth) : Expr();
  return MakeLoad(sources[i], Indices(ranks[i], lanes, depth), mask);
}

Expr RandomIr::VectorExpr(DataType dtype, int depth) {
  const DataType element = dtype.element_of();
  switch (Pick(3)) {
    case 0:
      if (element.is_integral()) {
        Ref<Ramp> node = Make<Ramp>();
        node->dtype = dtype;
        node->base = RandomExpr(element, depth);
        node->stride = RandomExpr(element, depth);
        return node;
      }
      [[fallthrough]];
    case 1: {
      Ref<Broadcast> node = Make<Broadcast>();
      node->dtype = dtype;
      node->value = RandomExpr(element, depth);
      return node;
    }
    default: {
      if (dtype.is_scalable()) return Leaf(dtype);
      std::vector<int> lanes;
      for (int i = 0; i < dtype.lanes(); ++i) lanes.push_back(static_cast<int>(Pick(4)));
      return MakeShuffle(
          {RandomExpr(element.with_lanes(2), depth), RandomExpr(element.with_lanes(2), depth)},
          lanes);
    }
  }
}

Expr RandomIr::RandomCall(DataType dtype, int depth) {
  static const std::vector<std::string> kOps = {"exp", "call_extern", "if_then_else", "unknown.op",
                                                "sum", "odd name",    "min"};
  const std::string op = OneOf(kOps);
  std::vector<NodeRef> args;
  for (size_t i = Pick(3); i > 0; --i) {
    if (!buffers_.empty() && Chance(15))
      args.push_back(OneOf(buffers_));
    else
      args.push_back(RandomExpr(Chance(60) ? dtype : RandomScalarType(), depth));
  }
  return MakeCall(dtype, op, args, Chance(10) ? RandomDict() : Dict());
}

Expr RandomIr::RandomExpr(DataType dtype, int depth) {
  if (depth <= 0 || dtype.is_handle()) return Leaf(dtype);
  --depth;
  if (!dtype.is_scalar() && Chance(30)) return VectorExpr(dtype, depth);
  const auto lanes = static_cast<int16_t>(dtype.dl().lanes);
  switch (Pick(9)) {
    case 0:
      return Leaf(dtype);
    case 1: {
      Ref<Cast> node = Make<Cast>();
      const DataType from = RandomScalarType();
      node->dtype = dtype;
      node->value =
          RandomExpr(DataType(DLDataType{from.dl().code, from.dl().bits, dtype.dl().lanes}), depth);
      return node;
    }
    case 2: {
      Ref<Select> node = Make<Select>();
      node->dtype = dtype;
      node->condition = RandomExpr(DataType::Bool(Chance(50) ? lanes : 1), depth);
      node->true_value = RandomExpr(dtype, depth);
      node->false_value = RandomExpr(dtype, depth);
      return node;
    }
    case 3:
      return Access(dtype, depth);
    case 4: {
      const Expr value = RandomExpr(RandomScalarType(), depth);
      const Var var = MakeVar(RandomName(), value->dtype);
      vars_.push_back(var);
      const Expr body = RandomExpr(dtype, depth);
      vars_.pop_back();
      return MakeLet(var, value, body);
    }
    case 5:
      return RandomCall(dtype, depth);
    default:
      break;
  }
  if (dtype.is_bool()) {
    static const std::vector<NodeKind> kLogic = {NodeKind::kAnd, NodeKind::kOr};
    static const std::vector<NodeKind> kCompare = {NodeKind::kEQ, NodeKind::kNE, NodeKind::kLT,
                                                   NodeKind::kLE, NodeKind::kGT, NodeKind::kGE};
    if (Chance(20)) {
      Ref<Not> node = Make<Not>();
      node->dtype = dtype;
      node->a = RandomExpr(dtype, depth);
      return node;
    }
    if (Chance(40))
      return MakeBinary(OneOf(kLogic), RandomExpr(dtype, depth), RandomExpr(dtype, depth));
    DataType operand = RandomScalarType();
    if (operand.is_bool()) operand = DataType::Int(32);
    operand = DataType(DLDataType{operand.dl().code, operand.dl().bits, dtype.dl().lanes});
    return MakeBinary(OneOf(kCompare), RandomExpr(operand, depth), RandomExpr(operand, depth));
  }
  static const std::vector<NodeKind> kArithmetic = {
      NodeKind::kAdd, NodeKind::kSub,      NodeKind::kMul,      NodeKind::kDiv, NodeKind::kMod,
      NodeKind::kMin, NodeKind::kFloorDiv, NodeKind::kFloorMod, NodeKind::kMax};
  NodeKind kind = OneOf(kArithmetic);
  if (kind == NodeKind::kMod && !dtype.is_integral()) kind = NodeKind::kAdd;
  return MakeBinary(kind, RandomExpr(dtype, depth), RandomExpr(dtype, depth));
}

Range RandomIr::RandomRange(int depth) {
  const DataType dtype = DataType::Int(Chance(80) ? 32 : 64);
  return MakeRange(Chance(60) ? Int(0, dtype) : RandomExpr(dtype, depth), RandomExpr(dtype, depth));
}

Dict RandomIr::RandomDict() {
  Dict dict;
  for (size_t i = Pick(3); i > 0; --i) {
    NodeRef value;
    switch (Pick(5)) {
      case 0:
        value = String(RandomString());
        break;
      case 1:
        value = RandomRange(1);
        break;
      case 2:
        value = Nop();
        break;
      case 3:
        value = Float(0.5, DataType::Float(64));
        break;
      default:
        value = Index(1);
        break;
    }
    if (!buffers_.empty() && Chance(10)) value = OneOf(buffers_);
    dict[RandomName()] = value;
  }
  return dict;
}

Buffer RandomIr::RandomBuffer() {
  std::vector<Expr> shape;
  for (size_t i = Pick(4); i > 0; --i) shape.push_back(Index(1));
  const Buffer plain =
      MakeBuffer(RandomName(), Chance(50) ? DataType::Float(32) : RandomScalarType(), shape,
                 Chance(30) ? "shared" : "");
  if (Chance(50)) return plain;
  return CopyBuffer(plain, [&](BufferNode& node) {
    if (Chance(50)) node.data = MakeVar(RandomName(), DataType::Handle());
    if (Chance(50)) {
      for (size_t i = 0; i < shape.size(); ++i) node.strides.push_back(Index(1));
    }
    if (Chance(50)) node.elem_offset = Index(1);
    if (Chance(50)) node.alignment = 64;
    if (Chance(50)) node.offset_factor = 4;
    if (Chance(50) && shape.size() >= 2) node.axis_separators = {Int(1)};
  });
}

Reducer RandomIr::RandomReducer(DataType dtype) {
  static const std::vector<std::string> kNames = {"sum", "prod", "min", "max"};
  if (Chance(70)) return NamedReducer(OneOf(kNames), {dtype});
  const Var x = MakeVar(RandomName(), dtype), y = MakeVar(RandomName(), dtype);
  return MakeReducer(RandomName(), {x}, {y}, {MakeBinary(NodeKind::kSub, x, y)}, {Constant(dtype)});
}

Stmt RandomIr::LeafStmt() {
  if (buffers_.empty() || Chance(20)) return MakeEvaluate(RandomExpr(RandomScalarType(), 1));
  const Buffer& buffer = OneOf(buffers_);
  const int lanes = !buffer->shape.empty() && Chance(20) ? 4 : 1;
  const DataType dtype = buffer->dtype.with_lanes(lanes);
  return MakeStore(buffer, RandomExpr(dtype, 2), Indices(buffer->shape.size(), lanes, 2),
                   Chance(20) ? RandomExpr(DataType::Bool(lanes), 1) : Expr());
}

Stmt RandomIr::BufferStmt(int depth) {
  const Buffer buffer = RandomBuffer();
  std::vector<Range> bounds;
  for (size_t i = 0; i < buffer->shape.size(); ++i) bounds.push_back(RandomRange(1));
  Expr data = Leaf(DataType::Handle());
  const int64_t index = static_cast<int64_t>(Pick(5));
  const Dict dict = RandomDict();
  buffers_.push_back(buffer);
  vars_.push_back(buffer->data);
  const Stmt body = RandomStmt(depth);
  vars_.pop_back();
  buffers_.pop_back();
  switch (Pick(4)) {
    case 0:
      return MakeRealize(buffer, bounds, body);
    case 1:
      return MakeAllocate(buffer, body, dict);
    case 2:
      return MakeAllocConst(buffer, index, body);
    default:
      return MakeDeclBuffer(buffer, data, body);
  }
}

Stmt RandomIr::RandomStmt(int depth) {
  if (depth <= 0) return LeafStmt();
  --depth;
  switch (Pick(15)) {
    case 0:
      return MakeWhile(RandomExpr(DataType::Bool(), 2), RandomStmt(depth));
    case 1:
      return MakeIf(RandomExpr(DataType::Bool(), 2), RandomStmt(depth),
                    Chance(50) ? RandomStmt(depth) : Stmt());
    case 2: {
      Ref<Seq> seq = Make<Seq>();  // nested and short ones, too
      for (size_t i = Pick(4); i > 0; --i) seq->stmts.push_back(RandomStmt(depth));
      return seq;
    }
    case 3: {
      const Expr value = RandomExpr(Chance(20) ? DataType::Handle() : RandomScalarType(), 2);
      const Var var = Chance(20) ? MakeSizeVar(RandomName(), value->dtype)
                                 : MakeVar(RandomName(), value->dtype);
      vars_.push_back(var);
      const Stmt body = RandomStmt(depth);
      vars_.pop_back();
      return MakeLetStmt(var, value, body);
    }
    case 4:
      return MakeAssert(RandomExpr(DataType::Bool(), 1), RandomName(), RandomString(), {Index(1)});
    case 5:
    case 6:
    case 7:
    case 8:
      return BufferStmt(depth);
    case 9:
      if (!buffers_.empty()) {
        const Buffer& buffer = OneOf(buffers_);
        std::vector<Range> bounds;
        for (size_t i = 0; i < buffer->shape.size(); ++i) bounds.push_back(RandomRange(1));
        return MakePrefetch(buffer, bounds);
      }
      [[fallthrough]];
    case 10: {
      NodeRef about;
      if (!vars_.empty() && Chance(50))
        about = OneOf(vars_);
      else if (!buffers_.empty() && Chance(50))
        about = OneOf(buffers_);
      return MakeAttr(about, RandomString(), RandomExpr(RandomScalarType(), 1), RandomStmt(depth));
    }
    default: {
      const DataType dtype = DataType::Int(Chance(80) ? 32 : 64);
      const Expr min = Chance(60) ? Int(0, dtype) : RandomExpr(dtype, 1),
                 extent = RandomExpr(dtype, 1);
      const Var var = MakeVar(RandomName(), dtype);
      const auto kind = static_cast<ForKind>(Pick(5));
      const Dict dict = RandomDict();
      vars_.push_back(var);
      const Stmt body = RandomStmt(depth);
      vars_.pop_back();
      return MakeFor(var, min, extent, kind, body, kind == ForKind::kThread ? "threadIdx.x" : "",
                     dict);
    }
  }
}

Func RandomIr::RandomFunc(const std::string& name) {
  vars_.clear();
  buffers_.clear();
  tensors_.clear();
  std::vector<NodeRef> params;
  const Var n = MakeSizeVar("n"), m = MakeVar("m", DataType::Int(64));
  // n is introduced by A's shape; m is a parameter.
  const Buffer a = MakeBuffer("A", DataType::Float(32), {n, FloorDivide(m, 2)});
  params = {a, m, MakeBuffer("B", DataType::Int(8), {}), MakeVar(RandomName(), DataType::Handle())};
  vars_ = {n, m, a->data};
  buffers_ = {a, RefAs<BufferNode>(params[2])};
  const Stmt body = RandomStmt(5);
  return MakeFunc(name, params, body, Chance(50) ? RandomDict() : Dict(),
                  Chance(30) ? DataType::Int(32) : DataType::Void());
}

Module RandomIr::RandomModule() {
  Dict attrs = {{"stage", String("tile")}};
  for (int64_t i = 0, n = Pick(3); i < n; ++i) {
    const std::string bytes(static_cast<size_t>(4 * Pick(5)), static_cast<char>(Pick(256)));
    attrs[ConstantKey(i)] = MakeConstant(
        DataType::Float(32), {static_cast<int64_t>(bytes.size() / 4)}, Blob::Copy(bytes));
  }
  return MakeModule({RandomFunc("main"), RandomFunc("has space")}, std::move(attrs));
}

}  // namespace lathe::ir
