// Calls that compute nothing new. Each rule is exact: the bits of the result stay.
#include <algorithm>
#include <cstring>
#include <optional>
#include <unordered_map>

#include "base/float_formats.h"
#include "graph/passes/pass.h"

namespace lathe::graph {
namespace {

using ir::As;
using ir::GraphVar;

const ir::TensorType& TypeOf(const GraphVar& var) {
  return static_cast<const ir::TensorType&>(*var->type);
}

// Does every value of `from` exist in `to`?
bool IsExact(DataType from, DataType to) {
  if (from == to) return true;
  if (from.is_bool()) return !to.is_bool();
  if (from.is_float()) {
    if (!to.is_float() || to.bits() <= from.bits()) return false;
    return to.bits() >= 32 && from.bits() >= 16;  // 8-bit floats differ in their infinities
  }
  if (to.is_float()) return to.bits() >= 32 && 2 * from.bits() <= to.bits();
  if (from.is_uint() && to.is_int()) return to.bits() > from.bits();
  return from.is_uint() == to.is_uint() && to.bits() >= from.bits() && !to.is_bool();
}

// How a call was made, for rules that look at the argument of an argument.
class Simplifying {
 public:
  explicit Simplifying(Builder& builder) : b_(builder) {}

  // What stands for the call; null if no rule applies.
  GraphVar Rewritten(const ir::GraphCall& call, const ir::NodeRef& type, const std::string& name) {
    if (call.args.empty() || As<ir::TensorType>(call.args[0]->type) == nullptr) return nullptr;
    if (IsPlacement(call.op)) return nullptr;
    if (GetOp(call.op).is_view) return View(call, type, name);
    if (call.op == "cast") return Cast(call, type, name);
    if (call.op == "transpose") return Transpose(call);
    if (call.op == "multiply" || call.op == "divide") return TimesOne(call, type);
    if (call.op == "strided_slice") return WholeSlice(call, type);
    if (call.op == "negative" || call.op == "logical_not" || call.op == "bitwise_not")
      return Twice(call);
    if (IsIdempotent(call)) return call.args[0];
    if (KeepsAll(call.op) && call.args.size() == 1 && SameType(call.args[0]->type, type))
      return call.args[0];
    if (call.op == "nn.pad" && HasNoFrame(call)) return call.args[0];
    return nullptr;
  }

  void Remember(const GraphVar& var, const ir::NodeRef& value) {
    made_.insert_or_assign(var, value);
  }

 private:
  template <class T>
  const T* Made(const GraphVar& var) const {
    const auto at = made_.find(var);
    return at == made_.end() ? nullptr : As<T>(at->second);
  }

  // A view of a view, or of all there is in the same shape.
  GraphVar View(const ir::GraphCall& call, const ir::NodeRef& type, const std::string& name) {
    GraphVar root = call.args[0];
    while (const auto* before = Made<ir::GraphCall>(root)) {
      if (!GetOp(before->op).is_view || IsPlacement(before->op)) break;
      root = before->args[0];
    }
    if (SameType(root->type, type)) return root;
    if (root.same_as(call.args[0])) return nullptr;
    for (const ir::Expr& extent : static_cast<const ir::TensorType&>(*type).shape) {
      if (ir::IsZero(extent)) return nullptr;  // 0 in `newshape` has another meaning
    }
    return b_.Call("reshape", {root},
                   {{"newshape", ShapeAttr(static_cast<const ir::TensorType&>(*type).shape)}},
                   name);
  }

  GraphVar Cast(const ir::GraphCall& call, const ir::NodeRef& type, const std::string& name) {
    if (SameType(call.args[0]->type, type)) return call.args[0];
    const auto* before = Made<ir::GraphCall>(call.args[0]);
    if (before == nullptr || before->op != "cast") return nullptr;
    const GraphVar& source = before->args[0];
    if (!IsExact(TypeOf(source).dtype, TypeOf(call.args[0]).dtype)) return nullptr;
    if (SameType(source->type, type)) return source;
    return b_.Call("cast", {source}, call.attrs, name);
  }

  static GraphVar Transpose(const ir::GraphCall& call) {
    const std::vector<int64_t> axes = Attrs(GetOp(call.op), call.attrs).Ints("axes");
    const auto rank = static_cast<int64_t>(TypeOf(call.args[0]).shape.size());
    if (axes.empty()) return rank < 2 ? call.args[0] : nullptr;
    for (int64_t d = 0; d < rank; ++d) {
      const int64_t axis = axes[static_cast<size_t>(d)];
      if ((axis < 0 ? axis + rank : axis) != d) return nullptr;
    }
    return call.args[0];
  }

  bool IsOne(const GraphVar& var) const {
    const auto* constant = Made<ir::Constant>(var);
    const auto bytes = static_cast<size_t>(TypeOf(var).dtype.bytes());
    if (constant == nullptr || constant->data->size() != bytes || bytes > sizeof(uint64_t))
      return false;
    uint64_t bits = 0;
    std::memcpy(&bits, constant->data->bytes().data(), bytes);
    return constant->dtype.is_float() ? DecodeFloat(bits, constant->dtype) == 1 : bits == 1;
  }

  GraphVar TimesOne(const ir::GraphCall& call, const ir::NodeRef& type) const {
    for (const size_t one : {1, 0}) {
      if (one == 0 && call.op == "divide") continue;
      const GraphVar& other = call.args[1 - one];
      if (IsOne(call.args[one]) && SameType(other->type, type)) return other;
    }
    return nullptr;
  }

  static GraphVar WholeSlice(const ir::GraphCall& call, const ir::NodeRef& type) {
    for (const int64_t stride : Attrs(GetOp(call.op), call.attrs).Ints("strides")) {
      if (stride != 1) return nullptr;
    }
    return SameType(call.args[0]->type, type) ? call.args[0] : nullptr;
  }

  GraphVar Twice(const ir::GraphCall& call) const {
    const auto* before = Made<ir::GraphCall>(call.args[0]);
    return before != nullptr && before->op == call.op ? before->args[0] : nullptr;
  }

  // f(f(x)) is f(x).
  bool IsIdempotent(const ir::GraphCall& call) const {
    static constexpr const char* kOps[] = {"nn.relu", "abs",  "floor", "ceil",
                                           "round",   "sign", "trunc"};
    const auto* before = Made<ir::GraphCall>(call.args[0]);
    return before != nullptr && before->op == call.op &&
           std::ranges::find(kOps, call.op) != std::end(kOps);
  }

  // A frame that takes away in front what it adds behind keeps the shape as well.
  static bool HasNoFrame(const ir::GraphCall& call) {
    return std::ranges::all_of(Attrs(GetOp(call.op), call.attrs).Shape("pad_width"),
                               [](const ir::Expr& width) { return ir::IsZero(width); });
  }

  // Operators whose result, if it has the argument's type, is the argument.
  static bool KeepsAll(const std::string& op) {
    static constexpr const char* kOps[] = {"copy", "concatenate", "broadcast_to", "tile"};
    return std::ranges::find(kOps, op) != std::end(kOps);
  }

  Builder& b_;
  std::unordered_map<GraphVar, ir::NodeRef, RefHash, RefEqual> made_;
};

}  // namespace

GraphFuncRef Simplify(const GraphFuncRef& func, const ir::GraphModule& module,
                      const GraphPassContext&) {
  std::optional<Simplifying> simplifying;
  return Rewrite(
      *func, module,
      [&](const ir::GraphBinding& before, const ir::NodeRef& value, Builder& builder) -> GraphVar {
        if (!simplifying) simplifying.emplace(builder);
        // Emitted in any case, because the type tells whether a rule applies. What nobody reads
        // then is dropped later.
        const GraphVar var = builder.Emit(value, before.var->name);
        simplifying->Remember(var, value);
        const auto* call = As<ir::GraphCall>(value);
        const GraphVar same =
            call == nullptr ? nullptr : simplifying->Rewritten(*call, var->type, before.var->name);
        return same ? same : var;
      });
}

}  // namespace lathe::graph
