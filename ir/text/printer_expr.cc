// Expressions as text: infix operators with as few parentheses as possible, and constants with the
// suffix that their type needs.

#include <bit>
#include <cmath>

#include "base/float_formats.h"
#include "ir/reducers.h"
#include "ir/text/call_types.h"
#include "ir/text/printer_impl.h"

namespace lathe::ir::internal {

using syntax::QuoteName;
using syntax::QuoteString;

void Printer::PrintAccess(const Node* source, const std::vector<Expr>& indices, const Expr& mask) {
  Put(What::kValue, source);
  Text("[");
  Expressions(indices);
  if (mask) {
    Text(indices.empty() ? "where " : " where ");
    Expression(mask.get());
  }
  Text("]");
}

void Printer::PrintCall(const Call& call, bool statement) {
  DataType inferred;
  const bool known = InferCallType(call.op, call.args, statement, &inferred);
  const bool taken = IsReducerName(call.op) || syntax::IsFunctionWord(call.op);
  Text(taken ? "`" + call.op + "`" : QuoteName(call.op));
  if (!options_.short_form && (!known || inferred != call.dtype)) {
    Text("<" + call.dtype.ToString() + ">");
  }
  Text("(");
  Expressions(call.args);
  if (!call.attrs.empty()) {
    if (!call.args.empty()) Text(", ");
    Dictionary(call.attrs);
  }
  Text(")");
}

// sum(source, axis=[k], where=condition, init=[0.0]), with the reducer's name or the reducer in the
// generic form. If there are several values, `index=` selects one. As the only body of a compute,
// without `index=`, it means all of them.
void Printer::PrintReduce(const Reduce& reduce, bool all_values) {
  if (reduce.sources.empty()) return Generic(reduce);
  if (IsNamedReducer(*reduce.reducer)) {
    Text(reduce.reducer->name);
  } else {
    Generic(*reduce.reducer);
  }
  Text("(");
  Expressions(reduce.sources);
  Text(", axis=[");
  for (size_t i = 0; i < reduce.axis.size(); ++i) {
    Text((i == 0 ? "" : ", ") + QuoteName(NameOf(reduce.axis[i].get())));
  }
  Text("]");
  if (!IsConstInt(reduce.condition, 1)) {
    Text(", where=");
    Expression(reduce.condition.get());
  }
  if (!reduce.init.empty()) {
    Text(", init=[");
    Expressions(reduce.init);
    Text("]");
  }
  if (reduce.sources.size() > 1 && !all_values)
    Text(", index=" + std::to_string(reduce.value_index));
  Text(")");
}

void Printer::PrintExpr(const Node* node, int level) {
  if (node == nullptr) {
    out_ += "null";
    return;
  }
  const NodeKind kind = node->node_kind();
  if (kind == NodeKind::kVarNode) {
    if (parameters_ && !IsNamed(node)) return Define(*node, 0);
    if (!new_sizes_.empty() && new_sizes_.contains(node)) {
      out_ += SizeText(static_cast<const VarNode&>(*node));
      return;
    }
    out_ += QuoteName(NameOf(node));
    return;
  }
  if (!IsSound(*node)) return Generic(*node);
  if (const syntax::Infix* infix = syntax::InfixOf(kind)) {
    const Operands operands = BinaryOperands(static_cast<const ExprNode*>(node));
    if (kind != NodeKind::kDiv || (*operands.a)->dtype.is_float()) {
      const bool bracket = infix->precedence < level;
      if (bracket) Text("(");
      Expression(operands.a->get(), infix->precedence + (infix->precedence == syntax::kCompare));
      Text(" " + std::string(infix->text) + " ");
      Expression(operands.b->get(), infix->precedence + 1);
      if (bracket) Text(")");
      return;
    }
  }
  if (const std::string_view function = syntax::FunctionOf(kind); !function.empty()) {
    const Operands operands = BinaryOperands(static_cast<const ExprNode*>(node));
    Text(std::string(function) + "(");
    Expression(operands.a->get());
    Text(", ");
    Expression(operands.b->get());
    Text(")");
    return;
  }
  switch (kind) {
    case NodeKind::kIntImm: {
      const auto& imm = static_cast<const IntImm&>(*node);
      out_ += options_.short_form && !imm.dtype.is_bool()
                  ? (imm.dtype.is_uint() ? std::to_string(static_cast<uint64_t>(imm.value))
                                         : std::to_string(imm.value))
                  : syntax::FormatInteger(imm.value, imm.dtype, wide_ > 0);
      return;
    }
    case NodeKind::kFloatImm: {
      const auto& imm = static_cast<const FloatImm&>(*node);
      const double rounded = RoundToType(imm.value, imm.dtype);
      if (!std::isnan(imm.value) &&
          std::bit_cast<uint64_t>(rounded) != std::bit_cast<uint64_t>(imm.value)) {
        return Generic(*node);  // its type does not have this value
      }
      std::string text = syntax::FormatFloat(imm.value, imm.dtype, wide_ > 0);
      if (options_.short_form && std::isfinite(imm.value)) {
        text.resize(text.size() - syntax::SuffixOf(imm.dtype, wide_ > 0).size());
      }
      out_ += text;
      return;
    }
    case NodeKind::kStringImm:
      out_ += QuoteString(static_cast<const StringImm&>(*node).value);
      return;
    case NodeKind::kCast: {
      const auto& cast = static_cast<const Cast&>(*node);
      Text(cast.dtype.ToString() + "(");
      Expression(cast.value.get());
      Text(")");
      return;
    }
    case NodeKind::kNot: {
      const bool bracket = syntax::kNot < level;
      Text(bracket ? "(not " : "not ");
      Expression(static_cast<const Not&>(*node).a.get(), syntax::kNot);
      if (bracket) Text(")");
      return;
    }
    case NodeKind::kSelect: {
      const auto& select = static_cast<const Select&>(*node);
      Text("select(");
      Expression(select.condition.get());
      Text(", ");
      Expression(select.true_value.get());
      Text(", ");
      Expression(select.false_value.get());
      Text(")");
      return;
    }
    case NodeKind::kLoad: {
      const auto& load = static_cast<const Load&>(*node);
      return PrintAccess(load.source.get(), load.indices, load.mask);
    }
    case NodeKind::kRamp: {
      const auto& ramp = static_cast<const Ramp&>(*node);
      Text("ramp(");
      Expression(ramp.base.get());
      Text(", ");
      Expression(ramp.stride.get());
      Text(", " + syntax::FormatLanes(ramp.dtype) + ")");
      return;
    }
    case NodeKind::kBroadcast: {
      const auto& broadcast = static_cast<const Broadcast&>(*node);
      Text("broadcast(");
      Expression(broadcast.value.get());
      Text(", " + syntax::FormatLanes(broadcast.dtype) + ")");
      return;
    }
    case NodeKind::kShuffle: {
      const auto& shuffle = static_cast<const Shuffle&>(*node);
      Text("shuffle([");
      Expressions(shuffle.vectors);
      Text("], [");
      Expressions(shuffle.indices);
      Text("])");
      return;
    }
    case NodeKind::kLet: {
      const auto& let = static_cast<const Let&>(*node);
      Text(level > syntax::kLowest ? "(let " : "let ");
      Put(What::kOpenScope);
      Put(What::kDefine, let.var.get());
      Text(" = ");
      Expression(let.value.get(), syntax::kOr);
      Text(" in ");
      Expression(let.body.get());
      Put(What::kCloseScope);
      if (level > syntax::kLowest) Text(")");
      return;
    }
    case NodeKind::kCall:
      return PrintCall(static_cast<const Call&>(*node), false);
    case NodeKind::kReduce:
      return PrintReduce(static_cast<const Reduce&>(*node), false);
    default:
      return Generic(*node);
  }
}

}  // namespace lathe::ir::internal
