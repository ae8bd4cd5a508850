// Values: the texts of their parts, their names, their lanes; and the walk.
#include "plugins/sdk/c_emitter.h"

#include <cstdlib>

#include "base/error.h"
#include "ir/intrinsic.h"
#include "ir/intrinsic_names.h"
#include "plugins/sdk/index_arithmetic.h"
#include "plugins/sdk/index_context.h"

namespace lathe::sdk::internal {

using ir::As;
using ir::NodeKind;

namespace {

// True for an argument of a call that is an address and not a value.
bool IsPlaceArgument(const ir::Edge& edge) {
  const auto* call = As<ir::Call>(edge.parent);
  if (call == nullptr || !edge.Is("args")) return false;
  const ir::Intrinsic* intrinsic = ir::FindIntrinsic(call->op);
  return intrinsic != nullptr && edge.index < intrinsic->args.size() &&
         intrinsic->args[edge.index] == ir::ArgKind::kLoad;
}

bool IsArm(const ir::Edge& edge) {
  const auto* call = As<ir::Call>(edge.parent);
  return call != nullptr && call->op == ir::intrinsic::kIfThenElse && edge.Is("args") &&
         edge.index > 0;
}

bool IsCondition(const ir::Edge& edge) {
  return As<ir::While>(edge.parent) != nullptr && edge.Is("condition");
}

}  // namespace

int CEmitter::PartsOf(DataType type) {
  if (type.is_scalable()) CDialect::Unsupported("vectors of a length not known at compile time");
  const int width = d_.PartLanes(type.lanes());
  LATHE_CHECK(width >= 1 && type.lanes() % width == 0)
      << "PartLanes(" << type.lanes() << ") gives " << width;
  return type.lanes() / width;
}

DataType CEmitter::PartOf(DataType type) {
  return type.is_scalar() ? type : type.with_lanes(type.lanes() / PartsOf(type));
}

CValue CEmitter::Pop() {
  LATHE_CHECK(!stack_.empty()) << "an expression left no value";
  CValue value = std::move(stack_.back());
  stack_.pop_back();
  return value;
}

void CEmitter::Push(CValue value) {
  if (value.depth > kMaxDepth) Name(&value);
  stack_.push_back(std::move(value));
}

void CEmitter::PushText(DataType type, std::string text, int depth) {
  Push({.type = type, .parts = {std::move(text)}, .depth = depth});
}

std::string CEmitter::Bare(const std::string& text) {
  if (text.empty() || text.front() != '(') return text;
  int depth = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    depth += text[i] == '(' ? 1 : text[i] == ')' ? -1 : 0;
    if (depth == 0) return i + 1 == text.size() ? text.substr(1, i - 1) : text;
  }
  return text;
}

std::string CEmitter::Named(DataType type, const std::string& text) {
  const std::string name = NewName("t");
  const std::string variable =
      type.is_handle() ? d_.HandleVariable(name, "") : "const " + d_.Type(type) + " " + name;
  out_.Add(variable + " = " + Bare(text) + ";");
  return name;
}

void CEmitter::Materialise(CValue* value) {
  if (!value->parts.empty()) return;
  const DataType part = PartOf(value->type);
  const int count = PartsOf(value->type);
  if (value->is_splat()) {
    const std::string one = part.is_scalar() ? value->base : d_.Splat(part, value->base);
    value->parts.assign(static_cast<size_t>(count), one);
    if (!part.is_scalar() && count > 1) {
      value->parts.assign(static_cast<size_t>(count), Named(part, one));
      value->depth = 0;
    }
    ++value->depth;
    return;
  }
  *value = FromLanes(value->type, RampLanes(*value));
}

std::vector<std::string> CEmitter::RampLanes(CValue ramp) {
  LATHE_CHECK(ramp.is_ramp()) << "a value without text";
  const DataType scalar = ramp.type.element_of();
  Name(&ramp);
  std::vector<std::string> lanes = {ramp.base};
  for (int k = 1; k < ramp.type.lanes(); ++k) {
    // The stride is often a number.
    const int64_t* stride = ramp.stride_value ? &*ramp.stride_value : nullptr;
    const std::string step =
        stride != nullptr && std::abs(*stride) < (1 << 16)
            ? IntLiteral(scalar, k * *stride)
            : Wrapping("*", scalar, IntLiteral(scalar, k), ramp.stride, ramp.is_index);
    lanes.push_back(Wrapping("+", scalar, ramp.base, step, ramp.is_index));
  }
  return lanes;
}

void CEmitter::Name(CValue* value) {
  if (value->is_splat() || value->is_ramp()) {
    if (value->depth == 0) return;
    const DataType scalar = value->type.element_of();
    value->base = Named(scalar, value->base);
    if (value->is_ramp() && !value->stride_value) value->stride = Named(scalar, value->stride);
    value->depth = 0;
    return;
  }
  if (value->depth == 0) return;
  const DataType part = PartOf(value->type);
  for (std::string& text : value->parts) text = Named(part, text);
  value->depth = 0;
}

std::string CEmitter::Scalar(CValue value) {
  Materialise(&value);
  LATHE_CHECK(value.parts.size() == 1) << "a vector where a scalar is wanted";
  return value.parts[0];
}

std::vector<std::string> CEmitter::Lanes(CValue value) {
  const size_t count = static_cast<size_t>(value.type.lanes());
  if (value.is_splat()) {
    Name(&value);
    return std::vector<std::string>(count, value.base);
  }
  if (value.is_ramp()) return RampLanes(std::move(value));
  Materialise(&value);
  const DataType part = PartOf(value.type);
  if (part.is_scalar()) return value.parts;
  Name(&value);
  std::vector<std::string> lanes;
  for (const std::string& text : value.parts)
    for (int k = 0; k < part.lanes(); ++k) lanes.push_back(d_.Lane(part, text, k));
  return lanes;
}

CValue CEmitter::FromLanes(DataType type, const std::vector<std::string>& lanes) {
  const DataType part = PartOf(type);
  CValue out{.type = type, .depth = 3};
  if (part.is_scalar()) {
    out.parts = lanes;
    return out;
  }
  const auto width = static_cast<size_t>(part.lanes());
  for (size_t begin = 0; begin < lanes.size(); begin += width) {
    out.parts.push_back(d_.Compose(
        part,
        std::vector<std::string>(lanes.begin() + static_cast<std::ptrdiff_t>(begin),
                                 lanes.begin() + static_cast<std::ptrdiff_t>(begin + width))));
  }
  return out;
}

bool CEmitter::Enter(const ir::Node& node) {
  // Definitions and hints are not operands.
  if (edge_.field != nullptr &&
      (edge_.field->role == ir::FieldRole::kDefine || edge_.field->type == ir::FieldType::kDict))
    return false;
  if (As<ir::Attr>(edge_.parent) != nullptr && !edge_.Is("body")) return false;
  if (node.node_kind() == NodeKind::kPrefetch) return false;  // a hint
  if (++nodes_ > ir::kMaxTree)
    ir::ThrowTreeTooLarge("code generation: kernel `" + kernel_.name + "`");
  if (edge_.parent != nullptr && ir::IsStmt(edge_.parent)) {
    const auto* let = As<ir::LetStmt>(edge_.parent);
    bound_ = let != nullptr && edge_.Is("value") ? &node : nullptr;
    if (bound_ != nullptr) bound_name_ = let->var->name;
    evaluated_ = As<ir::Evaluate>(edge_.parent) != nullptr ? &node : nullptr;
  } else if (const auto* call = As<ir::Call>(edge_.parent);
             call != nullptr && call->op == ir::intrinsic::kReturn) {
    bound_ = &node;
  }
  if (As<ir::Load>(&node) != nullptr) places_.push_back(IsPlaceArgument(edge_));
  return true;
}

void CEmitter::BeforeChild(const ir::Edge& edge) {
  const NodeKind parent = edge.parent->node_kind();
  bool begins = edge.Is("indices") || (parent == NodeKind::kFor && edge.Is("extent"));
  if (host_) begins = StartsIndexContext(edge) || BindsIndex(edge);
  index_.push_back(begins || (KeepsIndexContext(edge.parent) && InIndex()));
  if (IsArm(edge) || IsCondition(edge)) out_.BeginCapture();
  if (ir::IsStmt(edge.parent) || parent == NodeKind::kLet) BeginBody(edge);
  edge_ = edge;
}

void CEmitter::AfterChild(const ir::Edge& edge) {
  index_.pop_back();
  if (IsArm(edge)) arms_.push_back(out_.EndCapture());
  if (IsCondition(edge)) {
    CLines::Captured before = out_.EndCapture();
    const std::string condition = Scalar(Pop());
    out_.Open(before.empty() ? "while (" + Bare(condition) + ") {" : "for (;;) {");
    if (before.empty()) return;
    out_.Add(std::move(before));
    out_.Add("if (!" + condition + ") break;");
  }
}

void CEmitter::Leave(const ir::Node& node) {
  if (const ir::Operands operands =
          ir::IsExpr(&node) ? ir::BinaryOperands(static_cast<const ir::ExprNode*>(&node))
                            : ir::Operands()) {
    EmitBinary(static_cast<const ir::ExprNode&>(node), operands);
    return;
  }
  switch (node.node_kind()) {
    case NodeKind::kIntImm: {
      const auto& imm = static_cast<const ir::IntImm&>(node);
      return PushText(imm.dtype, IntLiteral(imm.dtype, imm.value), 0);
    }
    case NodeKind::kFloatImm: {
      const auto& imm = static_cast<const ir::FloatImm&>(node);
      return PushText(imm.dtype, Literal(imm.dtype, imm.value), 0);
    }
    case NodeKind::kStringImm:
      return PushText(DataType::Handle(), "", 0);  // a call reads the string from its node
    case NodeKind::kVarNode: {
      const auto found = vars_.find(&node);
      if (found != vars_.end()) return Push(found->second);
      const auto memory = memory_.find(&node);
      if (memory != memory_.end()) return PushText(DataType::Handle(), memory->second.name, 0);
      NotFlat("the variable `" + static_cast<const ir::VarNode&>(node).name +
              "` is used where nothing defines it");
    }
    case NodeKind::kCast: {
      const auto& cast = static_cast<const ir::Cast&>(node);
      CValue x = Pop();
      const DataType from = cast.value->dtype;
      if (x.is_splat()) {
        Push({.type = cast.dtype,
              .base = d_.Convert(cast.dtype.element_of(), from.element_of(), x.base),
              .depth = x.depth + 1});
        return;
      }
      Push(PerPart(cast.dtype, {&x}, [&](DataType part, const std::vector<std::string>& a) {
        return d_.Convert(part, from.with_lanes(part.lanes()), a[0]);
      }));
      return;
    }
    case NodeKind::kNot: {
      CValue x = Pop();
      Push(PerPart(x.type, {&x}, [&](DataType part, const std::vector<std::string>& a) {
        return (part.is_scalar() ? "(!" : "(~") + a[0] + ")";
      }));
      return;
    }
    case NodeKind::kSelect:
      return EmitSelect(static_cast<const ir::Select&>(node));
    case NodeKind::kLoad: {
      const auto& load = static_cast<const ir::Load&>(node);
      const bool place = places_.back();
      places_.pop_back();
      return place ? EmitPlace(load) : EmitLoad(load);
    }
    case NodeKind::kRamp: {
      const auto& ramp = static_cast<const ir::Ramp&>(node);
      CValue stride = Pop(), base = Pop();
      CValue out{.type = ramp.dtype, .is_index = InIndex()};
      out.depth = std::max(base.depth, stride.depth);
      out.base = Scalar(std::move(base));
      out.stride = Scalar(std::move(stride));
      if (const int64_t* constant = ir::AsConstInt(ramp.stride)) out.stride_value = *constant;
      return Push(std::move(out));
    }
    case NodeKind::kBroadcast: {
      const auto& broadcast = static_cast<const ir::Broadcast&>(node);
      CValue x = Pop();
      const int depth = x.depth;
      return Push({.type = broadcast.dtype, .base = Scalar(std::move(x)), .depth = depth});
    }
    case NodeKind::kShuffle:
      return EmitShuffle(static_cast<const ir::Shuffle&>(node));
    case NodeKind::kLet:
      return;  // the body's value stays
    case NodeKind::kCall:
      return EmitCall(static_cast<const ir::Call&>(node));
    default:
      break;
  }
  if (ir::IsStmt(&node)) return LeaveStmt(node);
  if (ir::IsExpr(&node))
    NotFlat(std::string("a ") + ir::NodeKindName(node.node_kind()) + " is not lowered");
}

void CEmitter::NotFlat(const std::string& what) const {
  throw lathe::Error(Diagnostic{.name = "c-source-not-flat",
                                .message = "in `" + kernel_.name + "` " + what,
                                .expected = "a module at stage `flat` that the verifier accepts"});
}

}  // namespace lathe::sdk::internal
