#include "lower/lower_errors.h"

#include <algorithm>

#include "base/error.h"
#include "ir/intrinsic_names.h"
#include "ir/names.h"
#include "ir/rewrite.h"
#include "lower/bind_arguments.h"
#include "lower/option_names.h"
#include "lower/workspace.h"

namespace lathe::lower {
namespace {

using namespace ir;  // NOLINT: the nodes' names, in this file only

const DataType kI32 = DataType::Int(32);
const DataType kI64 = DataType::Int(64);

class ErrorLowering final : public Mutator {
 public:
  ErrorLowering(const Func& func, int64_t stack_bytes)
      : device_type_(IntAttr(func->attrs, func_attr::kDeviceType, kDLCPU)),
        budget_(stack_bytes, device_type_) {
    packed_ = StringAttr(func->attrs, func_attr::kCallingConvention) == convention::kPacked;
    if (packed_) ret_ = RefAs<VarNode>(func->params[3]);
  }

 protected:
  NodeRef Enter(const NodeRef& node) override {
    if (IsExpr(node.get())) return node;
    if (const auto* attr = As<Attr>(node); attr != nullptr && attr->key == kDeviceIdKey)
      device_id_ = attr->value;
    const auto* allocate = As<Allocate>(node);
    if (allocate == nullptr) return nullptr;
    // The address must be known before the body is rewritten, because error exits free it.
    Var address;
    if (!budget_.Take(*allocate->buffer))
      address = MakeVar(allocate->buffer->name + ".workspace", DataType::Handle());
    held_.push_back({std::move(address), WorkspaceScope(*allocate->buffer)});
    return nullptr;
  }

  NodeRef Leave(const NodeRef& before, NodeRef after) override {
    if (const auto* check = As<Assert>(after)) return Lower(*check);
    if (const auto* allocate = As<Allocate>(after)) {
      const Var address = held_.back().address;
      held_.pop_back();
      if (!address) budget_.Give(*As<Allocate>(before)->buffer);
      return address ? NodeRef(Workspace(*allocate, address)) : after;
    }
    if (const auto* attr = As<Attr>(after); attr != nullptr && attr->key == kDeviceIdKey)
      return attr->body;
    return after;
  }

 private:
  // The host's workspace belongs to one thread, like local memory; the host has no other such
  // memory.
  std::string WorkspaceScope(const BufferNode& buffer) const {
    const std::string scope = ScopeOf(buffer);
    return scope == memory_scope::kLocal && device_type_ == kDLCPU ? memory_scope::kGlobal : scope;
  }

  Stmt Free(const Var& address) const {
    return MakeEvaluate(
        MakeCall(kI32, intrinsic::kRuntimeCall,
                 {String(runtime_entry::kWorkspaceFree), Int(device_type_), device_id_, address}));
  }

  // Frees all held memory and returns with the pending error. Freeing the first allocation of a
  // scope also frees those made after it (abi/kernel.h): freeing each one separately would need
  // code of size n^2 for n allocations.
  Stmt Exit() const {
    std::vector<Stmt> stmts;
    std::vector<std::string_view> scopes;
    for (const Held& held : held_) {
      if (!held.address) continue;
      if (std::find(scopes.begin(), scopes.end(), held.scope) != scopes.end()) continue;
      scopes.push_back(held.scope);
      stmts.push_back(Free(held.address));
    }
    const Expr code =
        packed_ ? MakeCall(kI32, intrinsic::kRuntimeCall, {String(runtime_entry::kTakeError), ret_})
                : Int(-1);
    stmts.push_back(MakeEvaluate(MakeCall(DataType::Void(), intrinsic::kReturn, {code})));
    return MakeSeq(std::move(stmts));
  }

  Stmt Lower(const Assert& check) const {
    const Expr failed = LogicalNot(check.condition);
    if (check.name.empty()) return MakeIf(failed, Exit());
    std::vector<NodeRef> args{String(check.name), String(check.message)};
    args.insert(args.end(), check.values.begin(), check.values.end());
    const Expr raise = MakeCall(DataType::Void(), intrinsic::kRaise, std::move(args));
    return MakeIf(failed, MakeSeq({MakeEvaluate(raise), Exit()}));
  }

  Stmt Workspace(const Allocate& allocate, const Var& address) {
    const Buffer& buffer = allocate.buffer;
    // A negative extent counts as 0.
    Expr elements = Int(1, kI64);
    for (const Expr& extent : buffer->shape)
      elements = elements * MakeMax(MakeCast(kI64, extent), Int(0, kI64));
    const Expr bytes = elements * buffer->dtype.bytes();
    const Expr alloc = MakeCall(DataType::Handle(), intrinsic::kRuntimeCall,
                                {String(runtime_entry::kWorkspaceAlloc), Int(device_type_),
                                 device_id_, bytes, String(WorkspaceScope(*buffer))});
    const Stmt check =
        MakeIf(MakeCall(DataType::Bool(), intrinsic::kPointerIsNull, {address}), Exit());
    const Stmt body = MakeSeq({MakeDeclBuffer(buffer, address, allocate.body), Free(address)});
    return MakeLetStmt(address, alloc, MakeSeq({check, body}));
  }

  bool packed_ = false;
  Var ret_;
  int64_t device_type_;
  StackBudget budget_;
  Expr device_id_ = Int(0);
  struct Held {
    Var address;  // null: on the stack
    std::string scope;
  };
  std::vector<Held> held_;  // open allocations, outermost first
};

}  // namespace

Module LowerErrors(const Module& module, const PassContext& context) {
  return MapFunctions(module, [&](const Func& func) {
    const std::string convention = StringAttr(func->attrs, func_attr::kCallingConvention);
    if (convention != convention::kPacked && convention != convention::kParallelBody &&
        convention != convention::kUnchecked)
      return func;
    return WithBody(func,
                    ErrorLowering(func, context.Option(option::kStackMaxBytes)).Run(func->body));
  });
}

}  // namespace lathe::lower
