// Compiles expressions.

#include "ir/interpreter/compile.h"
#include "ir/intrinsic_names.h"

namespace lathe::ir::interp {

void Compiler::VisitExpr(const Node* node, int) {
  if (node == nullptr)
    Malformed(*(stmt_ != nullptr ? stmt_ : code_->func), "a part of it is missing");
  if (const auto known = known_.find(node); known != known_.end()) {
    operands_.push_back(known->second);
    return;
  }
  if (std::string problem = ProblemOf(*node); !problem.empty()) Malformed(*node, problem);
  const auto* expr = static_cast<const ExprNode*>(node);
  if (const Operands both = BinaryOperands(expr)) {
    Push(&Compiler::FinishBinary, node);
    Push(&Compiler::VisitExpr, both.b->get());
    Push(&Compiler::VisitExpr, both.a->get());
    return;
  }
  switch (node->node_kind()) {
    case NodeKind::kIntImm: {
      const Operand operand = NewOperand(expr->dtype);
      code_->initial[static_cast<size_t>(operand.at)].i = static_cast<const IntImm*>(node)->value;
      RoundLanes(&code_->initial[static_cast<size_t>(operand.at)], 1, expr->dtype);
      return Result(node, operand);
    }
    case NodeKind::kFloatImm: {
      const Operand operand = NewOperand(expr->dtype);
      code_->initial[static_cast<size_t>(operand.at)].d = static_cast<const FloatImm*>(node)->value;
      RoundLanes(&code_->initial[static_cast<size_t>(operand.at)], 1, expr->dtype);
      return Result(node, operand);
    }
    case NodeKind::kStringImm:
      Malformed(*node, "a string is only an argument of a call");
    case NodeKind::kVarNode: {
      const auto found = vars_.find(node);
      if (found == vars_.end()) Unbound("variable", static_cast<const VarNode*>(node)->name, node);
      operands_.push_back(found->second);
      return;
    }
    case NodeKind::kCast:
      Push(&Compiler::FinishUnary, node);
      return Push(&Compiler::VisitExpr, static_cast<const Cast*>(node)->value.get());
    case NodeKind::kNot:
      Push(&Compiler::FinishUnary, node);
      return Push(&Compiler::VisitExpr, static_cast<const Not*>(node)->a.get());
    case NodeKind::kSelect:
      Push(&Compiler::SelectTrue, node);
      return Push(&Compiler::VisitExpr, static_cast<const Select*>(node)->condition.get());
    case NodeKind::kLoad: {
      const auto& load = *static_cast<const Load*>(node);
      if (As<BufferNode>(load.source) == nullptr) {
        Fail("interpret-unlowered",
             "a load of the tensor `" + As<TensorNode>(load.source)->name() +
                 "` cannot be interpreted",
             "loads of buffers", "", "lower the program first, or use te's evaluator");
      }
      Push(&Compiler::FinishLoad, node);
      return PushAccess(load.indices, load.mask);
    }
    case NodeKind::kRamp:
      Push(&Compiler::FinishVector, node);
      Push(&Compiler::VisitExpr, static_cast<const Ramp*>(node)->stride.get());
      return Push(&Compiler::VisitExpr, static_cast<const Ramp*>(node)->base.get());
    case NodeKind::kBroadcast:
      Push(&Compiler::FinishVector, node);
      return Push(&Compiler::VisitExpr, static_cast<const Broadcast*>(node)->value.get());
    case NodeKind::kShuffle: {
      const auto& vectors = static_cast<const Shuffle*>(node)->vectors;
      Push(&Compiler::FinishVector, node);
      for (size_t i = vectors.size(); i-- > 0;) Push(&Compiler::VisitExpr, vectors[i].get());
      return;
    }
    case NodeKind::kLet:
      Push(&Compiler::LetBind, node);
      return Push(&Compiler::VisitExpr, static_cast<const Let*>(node)->value.get());
    case NodeKind::kCall:
      return VisitCall(*static_cast<const Call*>(node));
    default:
      Fail("interpret-unlowered",
           std::string("a ") + NodeKindName(node->node_kind()) + " cannot be interpreted",
           "a program after the schedule's lowering", "",
           "lower the program first, or use te's evaluator");
  }
}

void Compiler::FinishBinary(const Node* node, int) {
  const Operand b = Pop(), a = Pop();
  const Operand out = NewOperand(static_cast<const ExprNode*>(node)->dtype);
  const DataType type = a.type.element_of();
  const NodeKind kind = node->node_kind();
  Instr& instr = Emit(IsIntegerDivision(kind, type) ? OpCode::kDivide : OpCode::kBinary, out);
  instr.type = type;
  instr.a = a.at;
  instr.b = b.at;
  instr.kernel = KernelFor(kind, type);
  if (instr.kernel == nullptr) Malformed(*node, "there is no such operation on " + type.ToString());
  Result(node, out);
}

void Compiler::FinishUnary(const Node* node, int) {
  const Operand a = Pop();
  const Operand out = NewOperand(static_cast<const ExprNode*>(node)->dtype);
  Instr& instr = Emit(node->node_kind() == NodeKind::kNot ? OpCode::kNot : OpCode::kCast, out);
  instr.a = a.at;
  instr.from = a.type.element_of();
  Result(node, out);
}

void Compiler::SelectTrue(const Node* node, int) {
  const Operand condition = operands_.back();
  OpenMemo();
  Instr& guard = Emit(OpCode::kGuardTrue);
  guard.a = condition.at;
  guard.lanes = condition.lanes;
  Push(&Compiler::SelectFalse, node);
  Push(&Compiler::VisitExpr, static_cast<const Select*>(node)->true_value.get());
}

void Compiler::SelectFalse(const Node* node, int) {
  const Operand condition = operands_[operands_.size() - 2];
  CloseMemo();
  OpenMemo();
  Emit(OpCode::kGuardEnd);
  Instr& guard = Emit(OpCode::kGuardFalse);
  guard.a = condition.at;
  guard.lanes = condition.lanes;
  Push(&Compiler::SelectEnd, node);
  Push(&Compiler::VisitExpr, static_cast<const Select*>(node)->false_value.get());
}

void Compiler::SelectEnd(const Node* node, int) {
  CloseMemo();
  Emit(OpCode::kGuardEnd);
  const Operand no = Pop(), yes = Pop(), condition = Pop();
  const Operand out = NewOperand(static_cast<const ExprNode*>(node)->dtype);
  Instr& instr = Emit(OpCode::kSelect, out);
  instr.a = condition.at;
  instr.index = condition.lanes;
  instr.b = yes.at;
  instr.c = no.at;
  Result(node, out);
}

void Compiler::FinishVector(const Node* node, int) {
  const Operand out = NewOperand(static_cast<const ExprNode*>(node)->dtype);
  switch (node->node_kind()) {
    case NodeKind::kRamp: {
      const Operand stride = Pop(), base = Pop();
      Instr& instr = Emit(OpCode::kRamp, out);
      instr.a = base.at;
      instr.b = stride.at;
      break;
    }
    case NodeKind::kBroadcast: {
      const Operand value = Pop();
      Emit(OpCode::kBroadcast, out).a = value.at;
      break;
    }
    default: {
      const auto& shuffle = *static_cast<const Shuffle*>(node);
      std::vector<int> places;
      for (const Operand& part : PopList(shuffle.vectors.size())) {
        for (int k = 0; k < part.lanes; ++k) places.push_back(part.at + k);
      }
      std::vector<int> list;
      for (const Expr& index : shuffle.indices) {
        list.push_back(places[static_cast<size_t>(As<IntImm>(index)->value)]);
      }
      Emit(OpCode::kShuffle, out).index = static_cast<int>(code_->lists.size());
      code_->lists.push_back(std::move(list));
    }
  }
  Result(node, out);
}

void Compiler::LetBind(const Node* node, int) {
  const auto& let = *static_cast<const Let*>(node);
  OpenMemo();
  Define(let.var.get(), Pop());
  Push(&Compiler::LetEnd, node);
  Push(&Compiler::VisitExpr, let.body.get());
}

void Compiler::LetEnd(const Node* node, int) {
  CloseMemo();
  Undefine(static_cast<const Let*>(node)->var.get());
  Result(node, Pop());
}

void Compiler::PushAccess(const std::vector<Expr>& indices, const Expr& mask) {
  if (mask) Push(&Compiler::VisitExpr, mask.get());
  for (size_t i = indices.size(); i-- > 0;) Push(&Compiler::VisitExpr, indices[i].get());
}

int Compiler::MakeAccess(const BufferNode& buffer, size_t indices, bool mask) {
  Access access;
  access.node = &buffer;
  access.buffer = SlotOf(&buffer);
  if (mask) access.mask = Pop();
  access.indices = PopList(indices);
  access.element = buffer.dtype.element_of();
  access.element_lanes = LanesOf(buffer.dtype);
  for (const Operand& index : access.indices)
    access.index_lanes = std::max(access.index_lanes, index.lanes);
  code_->accesses.push_back(std::move(access));
  return static_cast<int>(code_->accesses.size()) - 1;
}

void Compiler::FinishLoad(const Node* node, int) {
  const auto& load = *static_cast<const Load*>(node);
  const int access =
      MakeAccess(*As<BufferNode>(load.source), load.indices.size(), static_cast<bool>(load.mask));
  const Operand out = NewOperand(load.dtype);
  Emit(OpCode::kLoad, out).index = access;
  Result(node, out);
}

namespace {

// True if argument i names a place in memory, which the argument itself does not read.
bool NamesPlace(const Intrinsic& intrinsic, size_t i) {
  return i < intrinsic.args.size() && intrinsic.args[i] == ArgKind::kLoad;
}

}  // namespace

void Compiler::VisitCall(const Call& call) {
  if (std::string problem = CheckCall(call); !problem.empty()) Malformed(call, problem);
  if (call.op == intrinsic::kIfThenElse) {
    Push(&Compiler::ChooseTrue, &call);
    return Push(&Compiler::VisitExpr, call.args[0].get());
  }
  Push(&Compiler::FinishCall, &call);
  const Intrinsic& intrinsic = GetIntrinsic(call.op);
  for (size_t i = call.args.size(); i-- > 0;) {
    const Node* arg = call.args[i].get();
    if (NamesPlace(intrinsic, i)) {
      const auto* load = As<Load>(arg);
      if (std::string problem = ProblemOf(*load); !problem.empty()) Malformed(*load, problem);
      if (As<BufferNode>(load->source) == nullptr) Malformed(call, "a tensor has no address");
      PushAccess(load->indices, Expr());
    } else if (IsExpr(arg) && As<StringImm>(arg) == nullptr) {
      Push(&Compiler::VisitExpr, arg);
    }
  }
}

void Compiler::ChooseTrue(const Node* node, int) {
  const int jump = Here();
  Emit(OpCode::kJumpIfFalse).a = Pop().at;
  OpenMemo();
  operands_.push_back(NewOperand(static_cast<const ExprNode*>(node)->dtype));
  Push(&Compiler::ChooseFalse, node, jump);
  Push(&Compiler::VisitExpr, static_cast<const Call*>(node)->args[1].get());
}

void Compiler::ChooseFalse(const Node* node, int jump) {
  CloseMemo();
  OpenMemo();
  const Operand value = Pop();
  Emit(OpCode::kCopy, operands_.back()).a = value.at;
  const int leave = Here();
  Emit(OpCode::kJump);
  code_->instrs[static_cast<size_t>(jump)].index = Here();
  Push(&Compiler::ChooseEnd, node, leave);
  Push(&Compiler::VisitExpr, static_cast<const Call*>(node)->args[2].get());
}

void Compiler::ChooseEnd(const Node* node, int jump) {
  CloseMemo();
  const Operand value = Pop(), out = Pop();
  Emit(OpCode::kCopy, out).a = value.at;
  code_->instrs[static_cast<size_t>(jump)].index = Here();
  Result(node, out);
}

void Compiler::FinishCall(const Node* node, int) {
  const auto& call = *static_cast<const Call*>(node);
  CallSite site;
  site.call = &call;
  site.intrinsic = &GetIntrinsic(call.op);
  site.args.resize(call.args.size());
  for (size_t i = call.args.size(); i-- > 0;) {
    Argument& arg = site.args[i];
    if (NamesPlace(*site.intrinsic, i)) {
      const auto* load = As<Load>(call.args[i]);
      arg.kind = Argument::kAccess;
      arg.index = MakeAccess(*As<BufferNode>(load->source), load->indices.size(), false);
    } else if (const auto* text = As<StringImm>(call.args[i])) {
      arg.kind = Argument::kText;
      arg.text = text->value;
    } else if (const auto* buffer = As<BufferNode>(call.args[i])) {
      arg.kind = Argument::kBuffer;
      arg.index = SlotOf(buffer);
    } else {
      arg.operand = Pop();
    }
  }
  if (call.op == intrinsic::kReturn) {
    Instr& instr = Emit(OpCode::kReturn);
    instr.a = site.args[0].operand.at;
    instr.lanes = site.args[0].operand.lanes;
    instr.from = site.args[0].operand.type;
    return operands_.push_back(NewOperand(DataType::Void()));
  }
  site.result = NewOperand(call.dtype);
  site.builtin = site.intrinsic->evaluate ? nullptr : FindBuiltin(call.op);
  const OpCode op = IsCollective(call.op)     ? OpCode::kCollective
                    : site.builtin != nullptr ? OpCode::kBuiltin
                                              : OpCode::kIntrinsic;
  Emit(op, site.result).index = static_cast<int>(code_->calls.size());
  const Operand result = site.result;
  code_->calls.push_back(std::move(site));
  Result(node, result);
}

}  // namespace lathe::ir::interp
