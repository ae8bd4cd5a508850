#include "lower/packed_calls.h"

#include <functional>

#include "base/error.h"
#include "ir/intrinsic_names.h"
#include "ir/names.h"
#include "ir/rewrite.h"
#include "ir/walk.h"
#include "lower/bind_arguments.h"
#include "lower/operands.h"

namespace lathe::lower {
namespace {

using namespace ir;  // NOLINT: the nodes' names, in this file only

const DataType kI32 = DataType::Int(32);
const DataType kI64 = DataType::Int(64);
const DataType kF64 = DataType::Float(64);

bool IsPackedCall(const Node* node) {
  const auto* call = As<Call>(node);
  return call != nullptr && call->op == intrinsic::kCallPacked;
}

bool HasPackedCall(const NodeRef& root) {
  bool found = false;
  PostOrder(root, [&](const Node& node) { found = found || IsPackedCall(&node); });
  return found;
}

Expr Null() { return MakeCall(DataType::Handle(), intrinsic::kReinterpret, {Int(0, kI64)}); }

// Moves the calls out of one statement's expressions; their replacement comes before the statement.
class CallLowering final : public Mutator {
 public:
  // `ignored`: a call whose result is not read, so that it may be anything; may be null.
  CallLowering(const Module& module, const std::string& function, int64_t device_type,
               const Expr& device_id, const Node* ignored)
      : module_(module),
        function_(function),
        device_type_(device_type),
        device_id_(device_id),
        ignored_(ignored) {}

  // `stmt` with the moved calls before it.
  Stmt Before(Stmt stmt) const {
    for (size_t i = steps_.size(); i-- > 0;) stmt = steps_[i](stmt);
    return stmt;
  }

 protected:
  NodeRef Enter(const NodeRef& node) override {
    const auto* call = As<Call>(node);
    const bool chooses = call != nullptr && call->op == intrinsic::kIfThenElse;
    if (node->node_kind() != NodeKind::kLet && !chooses) return nullptr;
    // The condition, or the bound value, is evaluated in any case; for simplicity it may not
    // contain calls either.
    if (HasPackedCall(node)) {
      throw Error(
          Diagnostic{.name = "packed-call-position",
                     .message = "function `" + function_ + "` calls a packed function within " +
                                (chooses ? "an if_then_else" : "a let expression"),
                     .expected = "a call that a statement evaluates in any case",
                     .found = "one that depends on where the expression goes",
                     .help = "use an if statement, or bind the result by a let statement before"});
    }
    return node;
  }

  NodeRef Leave(const NodeRef& before, NodeRef after) override {
    if (!IsPackedCall(after.get())) return after;
    return Lower(static_cast<const Call&>(*after), before.get() == ignored_);
  }

 private:
  void Do(const Expr& call) { Do(MakeEvaluate(call)); }
  void Do(Stmt stmt) {
    steps_.push_back([stmt = std::move(stmt)](const Stmt& rest) { return MakeSeq({stmt, rest}); });
  }
  Var Bind(const std::string& name, const Expr& value) {
    Var var = MakeVar(name, value->dtype);
    steps_.push_back([var, value](const Stmt& rest) { return MakeLetStmt(var, value, rest); });
    return var;
  }
  static Expr Effect(const char* op, std::vector<NodeRef> args) {
    return MakeCall(DataType::Void(), op, std::move(args));
  }

  Expr Tensor(const Buffer& buffer) {
    const auto rank = static_cast<int64_t>(buffer->shape.size());
    auto list = [&](const char* what, const std::vector<Expr>& values) {
      const Var slots = Bind(buffer->name + what,
                             MakeCall(DataType::Handle(), intrinsic::kStackSlots, {Int(rank)}));
      for (int64_t d = 0; d < rank; ++d)
        Do(Effect(intrinsic::kSlotStore,
                  {slots, Int(d), MakeCast(kI64, values[static_cast<size_t>(d)])}));
      return slots;
    };
    const Var shape = list(".dims", buffer->shape);
    const Expr strides = buffer->strides.empty() ? Null() : Expr(list(".steps", buffer->strides));
    const Expr offset = buffer->elem_offset
                            ? MakeCast(kI64, buffer->elem_offset) * buffer->dtype.bytes()
                            : Int(0, kI64);
    const DLDataType type = buffer->dtype.dl();
    return Bind(buffer->name + ".dltensor",
                MakeCall(DataType::Handle(), intrinsic::kStackTensor,
                         {buffer->data, Int(rank), shape, strides, offset, Int(type.code),
                          Int(type.bits), Int(type.lanes), Int(device_type_), device_id_}));
  }

  void SetArgument(const Call& call, const Var& values, size_t i) {
    const NodeRef& arg = call.args[i + 1];
    auto set = [&](int kind, const Expr& payload) {
      Do(Effect(intrinsic::kValueSet, {values, Int(static_cast<int64_t>(i)), Int(kind), payload}));
    };
    if (const Buffer buffer = RefAs<BufferNode>(arg)) {
      return IsKernel(call) ? set(LATHE_VALUE_POINTER, FirstElement(buffer))
                            : set(LATHE_VALUE_DLTENSOR, Tensor(buffer));
    }
    const Expr value = RefExpr(arg);
    const DataType type = value->dtype;
    if (As<StringImm>(value) != nullptr) return set(LATHE_VALUE_STRING, value);
    if (type.is_scalar()) {
      if (type.is_handle()) return set(LATHE_VALUE_POINTER, value);
      if (type.is_bool()) return set(LATHE_VALUE_BOOL, value);
      if (type.is_integral()) return set(LATHE_VALUE_INT, MakeCast(kI64, value));
      if (type.is_float()) return set(LATHE_VALUE_FLOAT, MakeCast(kF64, value));
    }
    throw Error(Diagnostic{.name = "packed-call-argument",
                           .message = "argument " + std::to_string(i) +
                                      " of the packed function `" + Name(call) +
                                      "` has no tagged value",
                           .expected = "a buffer, a scalar, a string or a handle",
                           .found = type.ToString(),
                           .help = "store vectors into a buffer and pass that"});
  }

  // Kernels take pointers (S40).
  bool IsKernel(const Call& call) const {
    const Func callee = FindFunc(module_, Name(call));
    return callee &&
           StringAttr(callee->attrs, func_attr::kCallingConvention) == convention::kKernel;
  }
  static Expr FirstElement(const Buffer& buffer) {
    if (!buffer->elem_offset) return buffer->data;
    std::vector<Expr> zeros;
    for (const Expr& extent : buffer->shape) zeros.push_back(Const(0, extent->dtype));
    return MakeCall(DataType::Handle(), intrinsic::kAddressOf, {MakeLoad(buffer, zeros)});
  }

  static const std::string& Name(const Call& call) {
    return static_cast<const StringImm&>(*call.args[0]).value;
  }

  void Require(const Call& call, const Expr& condition, const std::string& expected,
               const char* found, const Expr& shown) {
    Do(MakeAssert(condition, "packed-call-result",
                  "the packed function `" + Name(call) + "` gave a result that `" + function_ +
                      "` cannot use\n  expected: " + expected + "\n  found: " + found,
                  {shown}));
  }

  Expr Result(const Call& call, const Var& result) {
    const DataType type = call.dtype;
    auto get = [&](DataType as) { return MakeCall(as, intrinsic::kValueGet, {result, Int(0)}); };
    const Var kind =
        Bind(Name(call) + ".kind", MakeCall(kI32, intrinsic::kValueKind, {result, Int(0)}));
    auto is = [&](int wanted) { return Equal(kind, Int(wanted)); };
    const char* of_kind = "{0:kind}";
    Expr value;
    if (type.is_float()) {
      Require(call, LogicalOr(is(LATHE_VALUE_FLOAT), is(LATHE_VALUE_INT)),
              "a number for " + type.ToString(), of_kind, kind);
      value =
          MakeCast(type, IfThenElse(is(LATHE_VALUE_FLOAT), get(kF64), MakeCast(kF64, get(kI64))));
    } else if (type.is_handle()) {
      Require(call, LogicalOr(is(LATHE_VALUE_POINTER), is(LATHE_VALUE_NONE)), "an opaque pointer",
              of_kind, kind);
      value = get(type);
    } else {
      Require(call, LogicalOr(is(LATHE_VALUE_INT), is(LATHE_VALUE_BOOL)),
              "an integer for " + type.ToString(), of_kind, kind);
      const Var wide = Bind(Name(call) + ".value", get(kI64));
      if (type.is_bool()) {
        value = NotEqual(wide, Int(0, kI64));
      } else {
        if (type.bits() < 64) {
          const int64_t high = (int64_t{1} << (type.bits() - (type.is_int() ? 1 : 0))) - 1;
          const int64_t low = type.is_int() ? -high - 1 : 0;
          Require(call, LogicalAnd(Expr(wide) >= Int(low, kI64), Expr(wide) <= Int(high, kI64)),
                  "a value of " + type.ToString(), "{0}", wide);
        }
        value = MakeCast(type, wide);
      }
    }
    return Bind(Name(call) + ".result", value);
  }

  Expr Lower(const Call& call, bool ignored) {
    const auto n = static_cast<int64_t>(call.args.size()) - 1;
    const std::string& name = Name(call);
    if (!call.dtype.is_void() && !call.dtype.is_scalar()) {
      throw Error(Diagnostic{.name = "packed-call-argument",
                             .message = "the packed function `" + name + "` cannot give a vector",
                             .expected = "a scalar type",
                             .found = call.dtype.ToString(),
                             .help = "pass a buffer for the result"});
    }
    auto values = [&](const char* what, int64_t count) {
      return Bind(name + what, MakeCall(DataType::Handle(), intrinsic::kStackValues, {Int(count)}));
    };
    const Var args = values(".args", n > 0 ? n : 1), result = values(".ret", 1);
    for (int64_t i = 0; i < n; ++i) SetArgument(call, args, static_cast<size_t>(i));
    const Expr cache = MakeCall(DataType::Handle(), intrinsic::kCallSiteCache, {});
    const Var status = Bind(
        name + ".status",
        MakeCall(kI32, intrinsic::kRuntimeCall,
                 {String(runtime_entry::kCallPacked), call.args[0], cache, args, Int(n), result}));
    Do(MakeAssert(Equal(status, Int(0)), "", ""));
    return ignored || call.dtype.is_void() ? Int(0) : Result(call, result);
  }

  const Module& module_;
  const std::string& function_;
  int64_t device_type_;
  Expr device_id_;
  const Node* ignored_;
  std::vector<std::function<Stmt(const Stmt&)>> steps_;
};

// The number of the device on which the function's tensors are.
Expr DeviceIdIn(const Func& func) {
  Expr id = Int(0);
  ForEach<Attr>(func->body, [&](const Attr& attr) {
    if (attr.key == kDeviceIdKey) id = attr.value;
  });
  return id;
}

Stmt LowerStmt(const Module& module, const Func& func, const Expr& device_id, const Stmt& stmt) {
  const OperandList operands = OperandsOf(*stmt);
  bool calls = false;
  for (const ExprNode* operand : operands) calls = calls || HasPackedCall(NodeRef(operand));
  if (!calls) return nullptr;
  const auto* check = As<Assert>(stmt);
  if (As<While>(stmt) != nullptr || (check != nullptr && !HasPackedCall(check->condition))) {
    throw Error(Diagnostic{
        .name = "packed-call-position",
        .message = "function `" + func->name + "` calls a packed function in " +
                   (check != nullptr ? "what an assertion shows" : "the condition of a while"),
        .expected = "a call that is evaluated once",
        .found = "one that may be evaluated never or often",
        .help = "bind the result by a let statement before"});
  }
  const bool evaluates = As<Evaluate>(stmt) != nullptr;
  CallLowering lowering(module, func->name, IntAttr(func->attrs, func_attr::kDeviceType, kDLCPU),
                        device_id, evaluates ? operands[0] : nullptr);
  std::vector<Expr> with;
  for (const ExprNode* operand : operands) with.push_back(lowering.Run(Expr(operand)));
  Stmt rest = RefStmt(WithOperands(stmt, with));
  if (const auto* evaluate = As<Evaluate>(rest); evaluate != nullptr && AsConstInt(evaluate->value))
    rest = Nop();
  return lowering.Before(rest);
}

}  // namespace

Module LowerPackedCalls(const Module& module, const PassContext&) {
  return MapFunctions(module, [&](const Func& func) {
    class Rewriter final : public Mutator {
     public:
      Rewriter(const Module& module, const Func& func)
          : module_(module), func_(func), device_id_(DeviceIdIn(func)) {}

     protected:
      NodeRef Enter(const NodeRef& node) override {
        return IsExpr(node.get()) || As<BufferNode>(node) != nullptr ? node : nullptr;
      }
      NodeRef Leave(const NodeRef&, NodeRef after) override {
        const Stmt stmt = RefStmt(after);
        const Stmt lowered = stmt ? LowerStmt(module_, func_, device_id_, stmt) : Stmt();
        return lowered ? NodeRef(lowered) : after;
      }

     private:
      const Module& module_;
      const Func& func_;
      Expr device_id_;
    };
    return WithBody(func, Rewriter(module, func).Run(func->body));
  });
}

}  // namespace lathe::lower
