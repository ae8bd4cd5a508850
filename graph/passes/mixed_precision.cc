#include "graph/passes/mixed_precision.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "base/error.h"
#include "ir/walk.h"

namespace lathe::graph {
namespace {

using ir::As;
using ir::GraphVar;
using ir::NodeRef;
using Names = std::set<std::string_view>;

// Products: much work, and sums in float32.
const Names& Products() {
  static const Names names{"nn.conv1d",
                           "nn.conv2d",
                           "nn.conv3d",
                           "nn.conv1d_transpose",
                           "nn.conv2d_transpose",
                           "nn.conv3d_transpose",
                           "nn.dense",
                           "nn.matmul",
                           "nn.batch_matmul",
                           "matmul",
                           "nn.contrib_conv2d_nchwc",
                           "nn.contrib_depthwise_conv2d_nchwc"};
  return names;
}

// Functions that lose too much, or reach the end of the narrow type's range.
const Names& Delicate() {
  static const Names names{"exp",
                           "exp2",
                           "expm1",
                           "log",
                           "log2",
                           "log10",
                           "log1p",
                           "power",
                           "square",
                           "sqrt",
                           "rsqrt",
                           "erf",
                           "sinh",
                           "cosh",
                           "tan",
                           "acos",
                           "asin",
                           "acosh",
                           "asinh",
                           "atanh",
                           "nn.softmax",
                           "nn.log_softmax",
                           "nn.layer_norm",
                           "nn.instance_norm",
                           "nn.group_norm",
                           "nn.rms_norm",
                           "nn.batch_norm",
                           "nn.l2_normalize",
                           "nn.lrn",
                           "nn.attention",
                           "nn.lstm",
                           "nn.gru",
                           "nn.rnn",
                           "sum",
                           "mean",
                           "prod",
                           "variance",
                           "std",
                           "logsumexp",
                           "log_sum",
                           "sum_square",
                           "norm_l1",
                           "norm_l2",
                           "cumsum",
                           "cumprod",
                           "nn.avg_pool1d",
                           "nn.avg_pool2d",
                           "nn.avg_pool3d",
                           "nn.global_avg_pool1d",
                           "nn.global_avg_pool2d",
                           "nn.global_avg_pool3d",
                           "nn.adaptive_avg_pool1d",
                           "nn.adaptive_avg_pool2d",
                           "nn.adaptive_avg_pool3d",
                           "nn.cross_entropy",
                           "nn.cross_entropy_with_logits",
                           "nn.nll_loss",
                           "nn.mse_loss",
                           "nn.huber_loss",
                           "arange",
                           "random.normal",
                           "random.uniform",
                           "dft",
                           "einsum"};
  return names;
}

// Operators that compute in the type of their operands without loss; the kinds of
// FollowsByItsKind do so, too.
const Names& Following() {
  static const Names names{"nn.max_pool1d",
                           "nn.max_pool2d",
                           "nn.max_pool3d",
                           "nn.global_max_pool1d",
                           "nn.global_max_pool2d",
                           "nn.global_max_pool3d",
                           "nn.adaptive_max_pool1d",
                           "nn.adaptive_max_pool2d",
                           "nn.adaptive_max_pool3d",
                           "max",
                           "min",
                           "nn.dropout",
                           "split"};
  return names;
}

bool FollowsByItsKind(const OpDef& op) {
  return op.kind == OpKind::kElementwise || op.kind == OpKind::kBroadcast ||
         op.kind == OpKind::kInjective;
}

// Null if `var` is no tensor.
const ir::TensorType* TensorOf(const GraphVar& var) { return As<ir::TensorType>(var->type); }
bool Has(const GraphVar& var, DataType dtype) {
  return TensorOf(var) != nullptr && TensorOf(var)->dtype == dtype;
}
bool IsFloating(const GraphVar& var) {
  return TensorOf(var) != nullptr &&
         (TensorOf(var)->dtype.is_float() || TensorOf(var)->dtype.is_bfloat16());
}

const DataType kWide = DataType::Float(32);

// The results of blocks within the function's body: their types are agreed on.
std::unordered_set<const ir::Node*> ResultsOfInnerBlocks(const ir::GraphFunc& func) {
  std::unordered_set<const ir::Node*> results;
  ir::PostOrder(*func.body, [&](const ir::Node& node) {
    const auto* block = As<ir::GraphBlock>(&node);
    if (block != nullptr && block != func.body.get()) results.insert(block->result.get());
  });
  return results;
}

bool IsCalled(const std::string& name, const ir::GraphModule& module) {
  if (!module) return false;
  bool called = false;
  for (const GraphFuncRef& func : module->functions) {
    ir::PostOrder(*func->body, [&](const ir::Node& node) {
      const auto* invoke = As<ir::GraphInvoke>(&node);
      called = called || (invoke != nullptr && invoke->global == name);
    });
  }
  return called;
}

// One rewriting of a function.
class Narrowing {
 public:
  using Unlisted = std::set<std::string, std::less<>>;
  Narrowing(Builder& builder, const ir::GraphFunc& func, bool keeps_result_type,
            const MixedPrecision& wish, Unlisted* unlisted)
      : b_(builder), wish_(wish), unlisted_(unlisted), keeps_type_(ResultsOfInnerBlocks(func)) {
    if (keeps_result_type) keeps_type_.insert(func.body->result.get());
    for (const GraphVar& param : builder.Inputs()) given_.insert(param.get());
  }

  GraphVar Apply(const ir::GraphBinding& before, const NodeRef& value) {
    const std::string& name = before.var->name;
    GraphVar var;
    if (const auto* call = As<ir::GraphCall>(value)) {
      var = Call(*call, static_cast<const ir::GraphCall&>(*before.value), before.var);
    } else {
      var = b_.Emit(WithOldTypes(*before.value, value), name);
      if (As<ir::Constant>(value) != nullptr) given_.insert(var.get());
    }
    return keeps_type_.contains(before.var.get()) ? OfType(var, before.var->type) : var;
  }

 private:
  GraphVar Call(const ir::GraphCall& call, const ir::GraphCall& before, const GraphVar& result) {
    const OpDef& op = GetOp(call.op);
    if (Products().contains(op.name)) return Product(op, call, before, result);
    if (op.name == "cast") return b_.Emit(NodeRef(&call), result->name);
    const bool follows = Following().contains(op.name) || FollowsByItsKind(op);
    if (!follows && !Delicate().contains(op.name)) NoteUnlisted(op.name, result);
    return Emit(call, All(call.args, follows && AreNarrow(call.args) ? wish_.narrow : kWide), {},
                result->name);
  }

  // A product of narrow operands, if it is one of float32.
  GraphVar Product(const OpDef& op, const ir::GraphCall& call, const ir::GraphCall& before,
                   const GraphVar& result) {
    const bool is_wide =
        Has(result, kWide) && std::ranges::all_of(call.args, [this](const GraphVar& arg) {
          return Has(arg, kWide) || Has(arg, wish_.narrow);
        });
    if (!is_wide) return Emit(call, OfOldTypes(call.args, before.args), {}, result->name);
    ir::Dict sums;
    if (std::ranges::any_of(op.attrs,
                            [](const AttrDef& attr) { return attr.name == "out_dtype"; })) {
      sums.emplace("out_dtype", StringAttr("float32"));
    }
    return Cast(Emit(call, All(call.args, wish_.narrow), sums, ""), wish_.narrow, result->name);
  }

  void NoteUnlisted(const std::string& op, const GraphVar& result) {
    if (wish_.refuse_unlisted) {
      throw Error(Diagnostic{
          .name = "graph-precision",
          .message = op + " (`%" + result->name + "`) is in no list for mixed precision",
          .help = "let such operators stay in float32 (missing_op_mode=1 or 2 in Python)"});
    }
    if (unlisted_ != nullptr) unlisted_->insert(op);
  }

  // Is a floating operand narrow already, and are all others constants, parameters or narrow?
  bool AreNarrow(const std::vector<GraphVar>& args) const {
    bool any = false;
    for (const GraphVar& arg : args) {
      if (!IsFloating(arg)) continue;
      const bool is_narrow = Has(arg, wish_.narrow) || widened_.contains(arg.get());
      if (!is_narrow && !given_.contains(arg.get())) return false;
      any = any || is_narrow;
    }
    return any;
  }

  GraphVar Emit(const ir::GraphCall& call, std::vector<GraphVar> args, const ir::Dict& changed,
                const std::string& name) {
    Ref<ir::GraphCall> made = CopyOf(call);
    made->args = std::move(args);
    for (const auto& [key, attr] : changed) made->attrs.insert_or_assign(key, attr);
    return b_.Emit(made, name);
  }

  // -- Types of operands.

  // `var` in another of the two floating types; itself if it has neither.
  GraphVar Cast(const GraphVar& var, DataType dtype, const std::string& name = "") {
    if (Has(var, dtype) || !(Has(var, kWide) || Has(var, wish_.narrow))) return var;
    // To float32 and back loses nothing.
    if (const auto at = widened_.find(var.get()); at != widened_.end()) return at->second;
    if (const auto at = casts_.find(var.get()); at != casts_.end()) return at->second;
    GraphVar cast = b_.Call("cast", {var}, {{"dtype", StringAttr(dtype.ToString())}}, name);
    if (dtype == kWide) widened_.emplace(cast.get(), var);
    // What an inner block makes ends with it.
    if (b_.OpenBlocks() == 1) casts_.emplace(var.get(), cast);
    return cast;
  }
  std::vector<GraphVar> All(const std::vector<GraphVar>& vars, DataType dtype) {
    std::vector<GraphVar> cast;
    for (const GraphVar& var : vars) cast.push_back(Cast(var, dtype));
    return cast;
  }

  // `var` as a value of `type`, from which it differs in element types only.
  GraphVar OfType(const GraphVar& var, const NodeRef& type) {
    if (const auto* tensor = As<ir::TensorType>(type)) return Cast(var, tensor->dtype);
    const auto* tuple = As<ir::TupleType>(type);
    if (tuple == nullptr || SameType(var->type, type)) return var;
    std::vector<GraphVar> fields;
    for (size_t i = 0; i < tuple->fields.size(); ++i) {
      fields.push_back(OfType(b_.Get(var, static_cast<int64_t>(i)), tuple->fields[i]));
    }
    return b_.Tuple(std::move(fields));
  }
  std::vector<GraphVar> OfOldTypes(const std::vector<GraphVar>& vars,
                                   const std::vector<GraphVar>& before) {
    std::vector<GraphVar> made;
    for (size_t i = 0; i < vars.size(); ++i) made.push_back(OfType(vars[i], before[i]->type));
    return made;
  }
  // Functions, data types and loops take values of the types that they had.
  NodeRef WithOldTypes(const ir::Node& before, const NodeRef& value) {
    if (const auto* invoke = As<ir::GraphInvoke>(value)) {
      Ref<ir::GraphInvoke> made = CopyOf(*invoke);
      made->args = OfOldTypes(invoke->args, static_cast<const ir::GraphInvoke&>(before).args);
      return made;
    }
    if (const auto* construct = As<ir::GraphConstruct>(value)) {
      Ref<ir::GraphConstruct> made = CopyOf(*construct);
      made->args = OfOldTypes(construct->args, static_cast<const ir::GraphConstruct&>(before).args);
      return made;
    }
    if (const auto* loop = As<ir::GraphLoop>(value)) {
      Ref<ir::GraphLoop> made = CopyOf(*loop);
      made->init = OfOldTypes(loop->init, static_cast<const ir::GraphLoop&>(before).init);
      return made;
    }
    return value;
  }

  Builder& b_;
  const MixedPrecision& wish_;
  Unlisted* unlisted_;
  std::unordered_set<const ir::Node*> keeps_type_;  // variables of the function before
  // Of the new function. The builder's bindings keep all of them.
  std::unordered_set<const ir::Node*> given_;              // constants and parameters
  std::unordered_map<const ir::Node*, GraphVar> widened_;  // float32 -> the narrow original
  std::unordered_map<const ir::Node*, GraphVar> casts_;    // in the function's own block
};

}  // namespace

GraphFuncRef ToMixedPrecision(const GraphFuncRef& func, const ir::GraphModule& module,
                              const MixedPrecision& wish,
                              std::set<std::string, std::less<>>* unlisted) {
  if (wish.narrow != DataType::Float(16) && wish.narrow != DataType::BFloat16()) {
    throw Error(Diagnostic{.name = "graph-precision",
                           .message = "there is no such mixed precision",
                           .expected = "float16 or bfloat16",
                           .found = wish.narrow.ToString()});
  }
  const bool keeps_result_type = wish.keep_results || IsCalled(func->name, module);
  std::optional<Narrowing> narrowing;
  return Rewrite(*func, module,
                 [&](const ir::GraphBinding& before, const NodeRef& value, Builder& builder) {
                   if (!narrowing) {
                     narrowing.emplace(builder, *func, keeps_result_type, wish, unlisted);
                   }
                   return narrowing->Apply(before, value);
                 });
}

}  // namespace lathe::graph
