// From a tree to the linear form, with a stack of pending steps instead of recursion.

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "ir/complete.h"
#include "ir/interpreter_code.h"
#include "ir/interpreter_memory.h"
#include "ir/printer.h"
#include "ir/tensor_op.h"

namespace lathe::ir::interp {
namespace {

std::string TypesOf(const Node& node) {
  std::string text;
  try {
    text = ToText(node, {.max_bytes = 1 << 20});
  } catch (const Error&) {
    text = NodeKindName(node.node_kind());
  }
  if (text.size() > 1000) text = text.substr(0, 1000) + " ...";
  return text;
}

std::string ProblemOf(const Node& node) {
  std::string problem = MissingPart(node);
  return problem.empty() ? CheckNode(node) : problem;
}

class Compiler {
 public:
  Compiler(const FuncNode& func, const InterpretOptions& options)
      : options_(options), code_(std::make_unique<Code>()) {
    code_->func = &func;
  }

  std::unique_ptr<Code> Run() {
    const FuncNode& func = *code_->func;
    BindParams(func);
    if (!func.body) Malformed(func, "the function has no body");
    Push(&Compiler::VisitStmt, func.body.get());
    Drain();
    return std::move(code_);
  }

 private:
  using Step = void (Compiler::*)(const Node*, int);
  struct Task {
    Step step;
    const Node* node;
    int data;
  };

  void Push(Step step, const Node* node, int data = 0) { tasks_.push_back({step, node, data}); }
  void Drain() {
    while (!tasks_.empty()) {
      const Task task = tasks_.back();
      tasks_.pop_back();
      (this->*task.step)(task.node, task.data);
    }
  }

  [[noreturn]] static void Malformed(const Node& node, const std::string& problem) {
    throw Error(Diagnostic{.name = "interpret-malformed",
                           .message = std::string("this ") + NodeKindName(node.node_kind()) +
                                      " cannot be interpreted: " + problem,
                           .notes = {TypesOf(node)}});
  }

  // -- Emitting.

  [[noreturn]] void TooLarge() const {
    Fail("interpret-memory-limit", "the function is too large to be interpreted",
         "at most " + std::to_string(options_.memory_limit) + " bytes for its linear form and values", "",
         "make the function smaller, or raise InterpretOptions::memory_limit");
  }
  int NewPlace(int lanes) {
    const size_t at = code_->initial.size();
    const size_t needed = at + static_cast<size_t>(lanes);
    if (needed > static_cast<size_t>(INT32_MAX) || needed * sizeof(Lane) > options_.memory_limit) TooLarge();
    code_->initial.resize(needed);
    return static_cast<int>(at);
  }
  int LanesOf(DataType type) const {
    return type.is_void() ? 0 : type.lanes() * (type.is_scalable() ? options_.vscale : 1);
  }
  Operand NewOperand(DataType type) {
    const int lanes = LanesOf(type);
    return {NewPlace(lanes), lanes, type};
  }
  int Here() const { return static_cast<int>(code_->instrs.size()); }
  Instr& Emit(OpCode op) {
    constexpr size_t kCost = sizeof(Instr) + sizeof(Node*) + sizeof(int);
    if (code_->instrs.size() >= std::min<size_t>(options_.memory_limit / kCost, INT32_MAX)) TooLarge();
    Instr instr;
    instr.op = op;
    code_->instrs.push_back(instr);
    code_->origin.push_back(stmt_);
    code_->scope.push_back(scope_);
    return code_->instrs.back();
  }
  Instr& Emit(OpCode op, const Operand& dst) {
    Instr& instr = Emit(op);
    instr.dst = dst.at;
    instr.lanes = dst.lanes;
    instr.type = dst.type.element_of();
    return instr;
  }
  Operand Pop() {
    const Operand top = operands_.back();
    operands_.pop_back();
    return top;
  }
  std::vector<Operand> PopList(size_t n) {
    std::vector<Operand> out(operands_.end() - static_cast<ptrdiff_t>(n), operands_.end());
    operands_.resize(operands_.size() - n);
    return out;
  }
  // The result of `node`: remembered where the node is shared, for its other uses in the same expression.
  void Result(const Node* node, const Operand& operand) {
    operands_.push_back(operand);
    if (remember_ && !node->unique()) {
      if (known_.emplace(node, operand).second) known_order_.push_back(node);
    }
  }
  // What is computed from here on may not be computed on every way: forgotten at the matching CloseMemo.
  void OpenMemo() { known_marks_.push_back(known_order_.size()); }
  void CloseMemo() {
    for (; known_order_.size() > known_marks_.back(); known_order_.pop_back()) {
      known_.erase(known_order_.back());
    }
    known_marks_.pop_back();
  }

  // -- Names.

  void Define(const Node* var, const Operand& operand) {
    vars_[var] = operand;
    ++seen_[var];
  }
  void Undefine(const Node* var) { vars_.erase(var); }
  int DefineBuffer(const BufferNode* buffer) {
    const int slot = code_->num_slots++;
    slots_[buffer] = slot;
    ++seen_[buffer];
    return slot;
  }
  [[noreturn]] void Unbound(const std::string& what, const std::string& name, const Node* node) {
    throw Error(Diagnostic{
        .name = "interpret-unbound",
        .message = "the " + what + " `" + name + "` is used where it is not defined",
        .found = seen_.contains(node) ? "a use outside the scope of its definition" : "no definition before",
        .help = "define it around its use, or make it a parameter of `" + code_->func->name + "`",
        .notes = stmt_ != nullptr ? std::vector<std::string>{"in: " + TypesOf(*stmt_)}
                                  : std::vector<std::string>{}});
  }
  int SlotOf(const BufferNode* buffer) {
    const auto found = slots_.find(buffer);
    if (found == slots_.end()) Unbound("buffer", buffer->name, buffer);
    return found->second;
  }

  void BindParams(const FuncNode& func);
  void BindOrCheck(const Expr& expr, Binding binding, bool check, Operand* out);

  // -- Expressions.

  // Begins an expression of its own: nothing is shared with earlier ones, since memory may change between.
  void Root(const Expr& expr, const Node* owner) {
    if (!expr) Malformed(*owner, "a part of it is missing");
    Push(&Compiler::VisitExpr, expr.get());
    Push(&Compiler::BeginRoot, expr.get());
  }
  void BeginRoot(const Node* node, int) {
    known_.clear();
    known_order_.clear();
    known_marks_.clear();
    // Calls with side effects happen once per use, and may change what a load read. One at the top comes last.
    CallEffect effect = CallEffect::kPure;
    if (const auto* call = As<Call>(node)) {
      for (const NodeRef& arg : call->args) {
        if (IsExpr(arg.get())) effect = std::max(effect, EffectOf(RefExpr(arg)));
      }
    } else {
      effect = EffectOf(Expr(static_cast<const ExprNode*>(node)));
    }
    remember_ = effect <= CallEffect::kReads;
  }
  void VisitExpr(const Node* node, int);
  void FinishBinary(const Node* node, int);
  void FinishUnary(const Node* node, int);
  void SelectTrue(const Node* node, int);
  void SelectFalse(const Node* node, int);
  void SelectEnd(const Node* node, int);
  void FinishVector(const Node* node, int);
  void LetBind(const Node* node, int);
  void LetEnd(const Node* node, int);
  void FinishLoad(const Node* node, int);
  void ChooseTrue(const Node* node, int);
  void ChooseFalse(const Node* node, int);
  void ChooseEnd(const Node* node, int jump);
  void FinishCall(const Node* node, int);
  void VisitCall(const Call& call);
  int MakeAccess(const BufferNode& buffer, size_t indices, bool mask);
  void PushAccess(const std::vector<Expr>& indices, const Expr& mask);

  // -- Statements.

  void VisitStmt(const Node* node, int);
  void FinishStore(const Node* node, int);
  void ForBegin(const Node* node, int);
  void ForEnd(const Node* node, int begin);
  void WhileTest(const Node* node, int begin);
  void WhileEnd(const Node* node, int begin);
  void IfThen(const Node* node, int);
  void IfElse(const Node* node, int jump);
  void IfEnd(const Node* node, int jump);
  void EvaluateEnd(const Node* node, int);
  void LetStmtBind(const Node* node, int);
  void LetStmtEnd(const Node* node, int);
  void AssertTest(const Node* node, int);
  void AssertEnd(const Node* node, int jump);
  void BufferBegin(const Node* node, int);
  void BufferEnd(const Node* node, int slot);
  void VisitBuffer(const Node* node, const BufferNode& buffer, const std::vector<Range>* bounds,
                   const Expr& data);

  const InterpretOptions& options_;
  std::unique_ptr<Code> code_;
  std::vector<Task> tasks_;
  std::vector<Operand> operands_;
  std::unordered_map<const Node*, Operand> vars_;
  std::unordered_map<const Node*, int> slots_;
  std::unordered_map<const Node*, int> seen_;
  std::unordered_map<const Node*, Operand> known_;
  std::vector<const Node*> known_order_;
  std::vector<size_t> known_marks_;
  std::vector<int> while_tests_;
  bool remember_ = false;
  const Node* stmt_ = nullptr;
  int scope_ = -1;
};

// -- Expressions.

void Compiler::VisitExpr(const Node* node, int) {
  if (node == nullptr) Malformed(*(stmt_ != nullptr ? stmt_ : code_->func), "a part of it is missing");
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
    case NodeKind::kStringImm: Malformed(*node, "a string is only an argument of a call");
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
             "a load of the tensor `" + As<TensorNode>(load.source)->name() + "` cannot be interpreted",
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
    case NodeKind::kCall: return VisitCall(*static_cast<const Call*>(node));
    default:
      Fail("interpret-unlowered",
           std::string("a ") + NodeKindName(node->node_kind()) + " cannot be interpreted",
           "a program after the schedule's lowering", "", "lower the program first, or use te's evaluator");
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
  for (const Operand& index : access.indices) access.index_lanes = std::max(access.index_lanes, index.lanes);
  code_->accesses.push_back(std::move(access));
  return static_cast<int>(code_->accesses.size()) - 1;
}

void Compiler::FinishLoad(const Node* node, int) {
  const auto& load = *static_cast<const Load*>(node);
  const int access = MakeAccess(*As<BufferNode>(load.source), load.indices.size(), static_cast<bool>(load.mask));
  const Operand out = NewOperand(load.dtype);
  Emit(OpCode::kLoad, out).index = access;
  Result(node, out);
}

void Compiler::VisitCall(const Call& call) {
  if (std::string problem = CheckCall(call); !problem.empty()) Malformed(call, problem);
  if (call.op == "if_then_else") {
    Push(&Compiler::ChooseTrue, &call);
    return Push(&Compiler::VisitExpr, call.args[0].get());
  }
  Push(&Compiler::FinishCall, &call);
  if (call.op == "address_of") {
    const auto* load = As<Load>(call.args[0]);
    if (std::string problem = ProblemOf(*load); !problem.empty()) Malformed(*load, problem);
    if (As<BufferNode>(load->source) == nullptr) Malformed(call, "a tensor has no address");
    return PushAccess(load->indices, Expr());
  }
  for (size_t i = call.args.size(); i-- > 0;) {
    const Node* arg = call.args[i].get();
    if (IsExpr(arg) && As<StringImm>(arg) == nullptr) Push(&Compiler::VisitExpr, arg);
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
  if (call.op == "address_of") {
    const auto* load = As<Load>(call.args[0]);
    Argument arg;
    arg.kind = Argument::kAccess;
    arg.index = MakeAccess(*As<BufferNode>(load->source), load->indices.size(), false);
    site.args.push_back(std::move(arg));
  } else {
    site.args.resize(call.args.size());
    for (size_t i = call.args.size(); i-- > 0;) {
      Argument& arg = site.args[i];
      if (const auto* text = As<StringImm>(call.args[i])) {
        arg.kind = Argument::kText;
        arg.text = text->value;
      } else if (const auto* buffer = As<BufferNode>(call.args[i])) {
        arg.kind = Argument::kBuffer;
        arg.index = SlotOf(buffer);
      } else {
        arg.operand = Pop();
      }
    }
  }
  if (call.op == "return") {
    Instr& instr = Emit(OpCode::kReturn);
    instr.a = site.args[0].operand.at;
    instr.lanes = site.args[0].operand.lanes;
    instr.from = site.args[0].operand.type;
    return operands_.push_back(NewOperand(DataType::Void()));
  }
  site.result = NewOperand(call.dtype);
  site.builtin = site.intrinsic->evaluate ? nullptr : FindBuiltin(call.op);
  Emit(site.builtin != nullptr ? OpCode::kBuiltin : OpCode::kIntrinsic, site.result).index =
      static_cast<int>(code_->calls.size());
  const Operand result = site.result;
  code_->calls.push_back(std::move(site));
  Result(node, result);
}

// -- Statements.

void Compiler::VisitStmt(const Node* node, int) {
  if (node == nullptr) Malformed(*(stmt_ != nullptr ? stmt_ : code_->func), "a part of it is missing");
  stmt_ = node;
  if (std::string problem = ProblemOf(*node); !problem.empty()) Malformed(*node, problem);
  switch (node->node_kind()) {
    case NodeKind::kStore: {
      const auto& store = *static_cast<const Store*>(node);
      Push(&Compiler::FinishStore, node);
      Root(store.value, node);
      if (store.mask) Root(store.mask, node);
      for (size_t i = store.indices.size(); i-- > 0;) Root(store.indices[i], node);
      return;
    }
    case NodeKind::kFor: {
      const auto& loop = *static_cast<const For*>(node);
      Push(&Compiler::ForBegin, node);
      Root(loop.extent, node);
      return Root(loop.min, node);
    }
    case NodeKind::kWhile:
      Push(&Compiler::WhileTest, node, Here());
      return Root(static_cast<const While*>(node)->condition, node);
    case NodeKind::kIf:
      Push(&Compiler::IfThen, node);
      return Root(static_cast<const If*>(node)->condition, node);
    case NodeKind::kSeq: {
      const auto& stmts = static_cast<const Seq*>(node)->stmts;
      for (size_t i = stmts.size(); i-- > 0;) Push(&Compiler::VisitStmt, stmts[i].get());
      return;
    }
    case NodeKind::kEvaluate:
      Push(&Compiler::EvaluateEnd, node);
      return Root(static_cast<const Evaluate*>(node)->value, node);
    case NodeKind::kLetStmt:
      Push(&Compiler::LetStmtBind, node);
      return Root(static_cast<const LetStmt*>(node)->value, node);
    case NodeKind::kAssert:
      Push(&Compiler::AssertTest, node);
      return Root(static_cast<const Assert*>(node)->condition, node);
    case NodeKind::kRealize: {
      const auto& realize = *static_cast<const Realize*>(node);
      return VisitBuffer(node, *realize.buffer, &realize.bounds, Expr());
    }
    case NodeKind::kAllocate:
      return VisitBuffer(node, *static_cast<const Allocate*>(node)->buffer, nullptr, Expr());
    case NodeKind::kAllocConst:
      return VisitBuffer(node, *static_cast<const AllocConst*>(node)->buffer, nullptr, Expr());
    case NodeKind::kDeclBuffer: {
      const auto& decl = *static_cast<const DeclBuffer*>(node);
      return VisitBuffer(node, *decl.buffer, nullptr, decl.data);
    }
    case NodeKind::kPrefetch: return;  // a hint
    case NodeKind::kAttr: return Push(&Compiler::VisitStmt, static_cast<const Attr*>(node)->body.get());
    default: Malformed(*node, "it is no statement");
  }
}

void Compiler::FinishStore(const Node* node, int) {
  const auto& store = *static_cast<const Store*>(node);
  const Operand value = Pop();
  const int access = MakeAccess(*store.buffer, store.indices.size(), static_cast<bool>(store.mask));
  Instr& instr = Emit(OpCode::kStore);
  instr.a = value.at;
  instr.lanes = value.lanes;
  instr.type = value.type.element_of();
  instr.index = access;
}

void Compiler::ForBegin(const Node* node, int) {
  const auto& loop = *static_cast<const For*>(node);
  stmt_ = node;
  const Operand extent = Pop(), min = Pop();
  const Operand var = NewOperand(loop.var->dtype);
  const int count = NewPlace(1);
  const int begin = Here();
  Instr& instr = Emit(OpCode::kForBegin, var);
  instr.a = min.at;
  instr.b = extent.at;
  instr.c = count;
  Define(loop.var.get(), var);
  code_->scopes.push_back({scope_, loop.var->name, var});
  scope_ = static_cast<int>(code_->scopes.size()) - 1;
  Push(&Compiler::ForEnd, node, begin);
  Push(&Compiler::VisitStmt, loop.body.get());
}

void Compiler::ForEnd(const Node* node, int begin) {
  stmt_ = node;
  const Instr first = code_->instrs[static_cast<size_t>(begin)];
  Instr& next = Emit(OpCode::kForNext);
  next.dst = first.dst;
  next.c = first.c;
  next.type = first.type;
  next.index = begin + 1;
  code_->instrs[static_cast<size_t>(begin)].index = Here();
  scope_ = code_->scopes[static_cast<size_t>(scope_)].parent;
  Undefine(static_cast<const For*>(node)->var.get());
}

void Compiler::WhileTest(const Node* node, int begin) {
  while_tests_.push_back(Here());
  Emit(OpCode::kJumpIfFalse).a = Pop().at;
  Push(&Compiler::WhileEnd, node, begin);
  Push(&Compiler::VisitStmt, static_cast<const While*>(node)->body.get());
}

void Compiler::WhileEnd(const Node* node, int begin) {
  stmt_ = node;
  Emit(OpCode::kJump).index = begin;
  code_->instrs[static_cast<size_t>(while_tests_.back())].index = Here();
  while_tests_.pop_back();
}

void Compiler::IfThen(const Node* node, int) {
  const int jump = Here();
  Emit(OpCode::kJumpIfFalse).a = Pop().at;
  Push(&Compiler::IfElse, node, jump);
  Push(&Compiler::VisitStmt, static_cast<const If*>(node)->then_case.get());
}

void Compiler::IfElse(const Node* node, int jump) {
  const auto& branch = *static_cast<const If*>(node);
  stmt_ = node;
  if (!branch.else_case) {
    code_->instrs[static_cast<size_t>(jump)].index = Here();
    return;
  }
  const int leave = Here();
  Emit(OpCode::kJump);
  code_->instrs[static_cast<size_t>(jump)].index = Here();
  Push(&Compiler::IfEnd, node, leave);
  Push(&Compiler::VisitStmt, branch.else_case.get());
}

void Compiler::IfEnd(const Node*, int jump) { code_->instrs[static_cast<size_t>(jump)].index = Here(); }

void Compiler::EvaluateEnd(const Node*, int) { Pop(); }

void Compiler::LetStmtBind(const Node* node, int) {
  const auto& let = *static_cast<const LetStmt*>(node);
  Define(let.var.get(), Pop());
  Push(&Compiler::LetStmtEnd, node);
  Push(&Compiler::VisitStmt, let.body.get());
}

void Compiler::LetStmtEnd(const Node* node, int) { Undefine(static_cast<const LetStmt*>(node)->var.get()); }

void Compiler::AssertTest(const Node* node, int) {
  // The values are only computed where the condition fails.
  const auto& check = *static_cast<const Assert*>(node);
  const Operand condition = Pop();
  const Operand failed = NewOperand(DataType::Bool());
  Emit(OpCode::kNot, failed).a = condition.at;
  const int jump = Here();
  Emit(OpCode::kJumpIfFalse).a = failed.at;
  Push(&Compiler::AssertEnd, node, jump);
  for (size_t i = check.values.size(); i-- > 0;) Root(check.values[i], node);
}

void Compiler::AssertEnd(const Node* node, int jump) {
  const auto& check = *static_cast<const Assert*>(node);
  AssertSite site;
  site.node = &check;
  site.values = PopList(check.values.size());
  Emit(OpCode::kAssertFail).index = static_cast<int>(code_->asserts.size());
  code_->asserts.push_back(std::move(site));
  code_->instrs[static_cast<size_t>(jump)].index = Here();
}

// Operands in the order data, mins, shape, strides, offset; then BufferBegin.
void Compiler::VisitBuffer(const Node* node, const BufferNode& buffer, const std::vector<Range>* bounds,
                           const Expr& data) {
  if (std::string problem = ProblemOf(buffer); !problem.empty()) Malformed(buffer, problem);
  Push(&Compiler::BufferBegin, node);
  if (bounds == nullptr) {
    if (buffer.elem_offset) Root(buffer.elem_offset, node);
    for (size_t i = buffer.strides.size(); i-- > 0;) Root(buffer.strides[i], node);
    for (size_t i = buffer.shape.size(); i-- > 0;) Root(buffer.shape[i], node);
  } else {
    for (size_t i = bounds->size(); i-- > 0;) Root((*bounds)[i]->extent, node);
    for (size_t i = bounds->size(); i-- > 0;) Root((*bounds)[i]->min, node);
  }
  if (data) Root(data, node);
}

void Compiler::BufferBegin(const Node* node, int) {
  BufferEntry entry;
  const Stmt* body = nullptr;
  switch (node->node_kind()) {
    case NodeKind::kRealize: {
      const auto& realize = *static_cast<const Realize*>(node);
      entry.kind = BufferEntry::kRealize;
      entry.node = realize.buffer.get();
      entry.shape = PopList(realize.bounds.size());
      entry.mins = PopList(realize.bounds.size());
      body = &realize.body;
      break;
    }
    case NodeKind::kAllocate:
      entry.kind = BufferEntry::kAllocate;
      entry.node = static_cast<const Allocate*>(node)->buffer.get();
      body = &static_cast<const Allocate*>(node)->body;
      break;
    case NodeKind::kAllocConst:
      entry.kind = BufferEntry::kConstant;
      entry.node = static_cast<const AllocConst*>(node)->buffer.get();
      entry.constant = static_cast<const AllocConst*>(node)->index;
      body = &static_cast<const AllocConst*>(node)->body;
      break;
    default:
      entry.kind = BufferEntry::kView;
      entry.node = static_cast<const DeclBuffer*>(node)->buffer.get();
      body = &static_cast<const DeclBuffer*>(node)->body;
  }
  if (entry.kind != BufferEntry::kRealize) {
    if (entry.node->elem_offset) entry.offset = Pop();
    entry.strides = PopList(entry.node->strides.size());
    entry.shape = PopList(entry.node->shape.size());
  }
  stmt_ = node;
  const Var& data = entry.node->data;
  bool defines_data = true;
  if (entry.kind == BufferEntry::kView) {
    const Operand handle = Pop();
    entry.data = handle.at;
    // A view of memory may carry the variable that names the memory.
    defines_data = !vars_.contains(data.get());
    if (defines_data) Define(data.get(), handle);
  } else {
    const Operand handle = NewOperand(DataType::Handle());
    entry.data = handle.at;
    Define(data.get(), handle);
  }
  const int slot = DefineBuffer(entry.node);
  entry.slot = slot;
  Emit(OpCode::kEnter).index = static_cast<int>(code_->buffers.size());
  code_->buffers.push_back(std::move(entry));
  Push(&Compiler::BufferEnd, node, defines_data ? slot : -1 - slot);
  Push(&Compiler::VisitStmt, body->get());
}

void Compiler::BufferEnd(const Node* node, int slot) {
  const bool defines_data = slot >= 0;
  if (!defines_data) slot = -1 - slot;
  const BufferNode* buffer = nullptr;
  switch (node->node_kind()) {
    case NodeKind::kRealize: buffer = static_cast<const Realize*>(node)->buffer.get(); break;
    case NodeKind::kAllocate: buffer = static_cast<const Allocate*>(node)->buffer.get(); break;
    case NodeKind::kAllocConst: buffer = static_cast<const AllocConst*>(node)->buffer.get(); break;
    default: buffer = static_cast<const DeclBuffer*>(node)->buffer.get();
  }
  stmt_ = node;
  Emit(OpCode::kLeave).index = slot;
  slots_.erase(buffer);
  if (defines_data) Undefine(buffer->data.get());
}

// -- Parameters.

void Compiler::BindOrCheck(const Expr& expr, Binding binding, bool check, Operand* out) {
  const bool is_free_var = As<VarNode>(expr) != nullptr && !vars_.contains(expr.get());
  if (!check) {
    if (!is_free_var) return;
    *out = NewOperand(expr->dtype);
    Emit(OpCode::kBindShape, *out).index = static_cast<int>(code_->bindings.size());
    code_->bindings.push_back(binding);
    return Define(expr.get(), *out);
  }
  if (out->lanes != 0) return;  // bound above
  Root(expr, code_->func);
  Drain();
  *out = Pop();
  Instr& instr = Emit(OpCode::kCheckShape);
  instr.a = out->at;
  instr.type = out->type;
  instr.index = static_cast<int>(code_->bindings.size());
  code_->bindings.push_back(binding);
}

void Compiler::BindParams(const FuncNode& func) {
  if (std::string problem = ProblemOf(func); !problem.empty()) Malformed(func, problem);
  for (const NodeRef& param : func.params) {
    Parameter out;
    if (const auto* var = As<VarNode>(param)) {
      out.var = var;
      const Operand operand = NewOperand(var->dtype);
      out.place = operand.at;
      Define(var, operand);
    } else {
      out.buffer = As<BufferNode>(param);
      if (std::string problem = ProblemOf(*out.buffer); !problem.empty()) Malformed(*out.buffer, problem);
      out.shape.resize(out.buffer->shape.size());
      out.strides.resize(out.buffer->strides.size());
      out.slot = DefineBuffer(out.buffer);
      const Operand handle = NewOperand(DataType::Handle());
      out.place = handle.at;
      Define(out.buffer->data.get(), handle);
    }
    code_->params.push_back(std::move(out));
  }
  // Every symbolic extent binds where it first stands alone (S39); whatever is left is checked against what is bound.
  for (const bool check : {false, true}) {
    for (size_t p = 0; p < code_->params.size(); ++p) {
      const BufferNode* buffer = code_->params[p].buffer;
      if (buffer == nullptr) continue;
      const int param = static_cast<int>(p);
      for (size_t d = 0; d < buffer->shape.size(); ++d) {
        BindOrCheck(buffer->shape[d], {Binding::kExtent, param, static_cast<int>(d)}, check,
                    &code_->params[p].shape[d]);
      }
      for (size_t d = 0; d < buffer->strides.size(); ++d) {
        BindOrCheck(buffer->strides[d], {Binding::kStride, param, static_cast<int>(d)}, check,
                    &code_->params[p].strides[d]);
      }
      if (buffer->elem_offset) {
        BindOrCheck(buffer->elem_offset, {Binding::kOffset, param, 0}, check, &code_->params[p].offset);
      }
    }
  }
}

}  // namespace

std::unique_ptr<Code> Compile(const FuncNode& func, const InterpretOptions& options) {
  return Compiler(func, options).Run();
}

}  // namespace lathe::ir::interp
