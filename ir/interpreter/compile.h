// Compiles a tree to the linear form, with a stack of pending steps instead of recursion. Private
// to the interpreter.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/error.h"
#include "ir/interpreter/code.h"
#include "ir/interpreter/memory.h"
#include "ir/names.h"
#include "ir/tensor_op.h"

namespace lathe::ir::interp {

// The node as text, for notes. Long text is cut.
std::string NoteOf(const Node& node);
// What is wrong with the node alone; empty if it is sound.
std::string ProblemOf(const Node& node);

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
    if (StringAttr(func.attrs, func_attr::kCallingConvention) == convention::kKernel) {
      OpenRegion(*func.body, true);
    } else {
      Push(&Compiler::VisitStmt, func.body.get());
    }
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
                           .notes = {NoteOf(node)}});
  }

  // -- Emitting.

  [[noreturn]] void TooLarge() const {
    Fail("interpret-memory-limit", "the function is too large to be interpreted",
         "at most " + std::to_string(options_.memory_limit) +
             " bytes for its linear form and values",
         "", "make the function smaller, or raise InterpretOptions::memory_limit");
  }
  int NewPlace(int lanes) {
    const size_t at = code_->initial.size();
    const size_t needed = at + static_cast<size_t>(lanes);
    if (needed > static_cast<size_t>(INT32_MAX) || needed * sizeof(Lane) > options_.memory_limit)
      TooLarge();
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
    if (code_->instrs.size() >= std::min<size_t>(options_.memory_limit / kCost, INT32_MAX))
      TooLarge();
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
  // Pushes the result of `node`. If the node is shared, remembers it for other uses in the same
  // expression.
  void Result(const Node* node, const Operand& operand) {
    operands_.push_back(operand);
    if (remember_ && !node->unique()) {
      if (known_.emplace(node, operand).second) known_order_.push_back(node);
    }
  }
  // Code after OpenMemo may not run on every path, so its results are forgotten at the matching
  // CloseMemo.
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
        .found = seen_.contains(node) ? "a use outside the scope of its definition"
                                      : "no definition before",
        .help = "define it around its use, or make it a parameter of `" + code_->func->name + "`",
        .notes = stmt_ != nullptr ? std::vector<std::string>{"in: " + NoteOf(*stmt_)}
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

  // Begins a new expression. It shares no results with earlier ones, because memory may change in
  // between.
  void Root(const Expr& expr, const Node* owner) {
    if (!expr) Malformed(*owner, "a part of it is missing");
    Push(&Compiler::VisitExpr, expr.get());
    Push(&Compiler::BeginRoot, expr.get());
  }
  void BeginRoot(const Node* node, int) {
    known_.clear();
    known_order_.clear();
    known_marks_.clear();
    // Calls with side effects happen once per use and may change what a load read. Then nothing is
    // remembered, except if the call is at the top, because it happens last.
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

  // -- Threads (compile_threads.cc).

  // True if this loop runs on a thread axis. Loops over virtual threads are plain loops.
  static bool IsThreadLoop(const Node& node);
  static bool IsBlockAxis(const std::string& tag) {
    return tag.starts_with(thread_tag::kBlockPrefix);
  }
  void OpenRegion(const Node& node, bool kernel);
  void RegionBegin(const Node* node, int kernel);
  void RegionEnd(const Node* node, int);
  void ThreadBegin(const Node* node, int);
  void ThreadEnd(const Node* node, int loop);
  void SyncBefore(const Node* node);
  // Emitted before a loop that began at `begin` jumps back. No thread begins an iteration while
  // another is still in the previous one.
  void SyncAtEnd(int begin);
  // True if threads combine their values in turn in this statement. It is one step and orders
  // itself.
  bool InTurn(const Node& node) const;
  void TurnEnd(const Node* node, int begin);
  void SyncEnd(const Node* node, int site);
  Copies CopiesOf(const BufferNode& buffer) const;
  void Place(BufferEntry* entry);
  uint32_t VariesAlong(const Expr& expr) const;
  void EnterWay(uint32_t axes) {
    if (region_ >= 0) ways_.push_back(axes);
  }
  void LeaveWay() {
    if (region_ >= 0) ways_.pop_back();
  }
  ThreadRegion& region() { return code_->regions[static_cast<size_t>(region_)]; }

  const InterpretOptions& options_;
  std::unique_ptr<Code> code_;
  int region_ = -1;                  // the region around the statement; -1: none
  bool in_turn_ = false;             // inside a statement that threads run in turn
  std::vector<uint32_t> enclosing_;  // per enclosing thread loop: all axes up to it, as bits
  std::vector<uint32_t> loops_;      // per enclosing thread loop: its axis, as one bit
  // Per enclosing condition or serial loop: the axes along which it differs.
  std::vector<uint32_t> ways_;
  // Variables that differ by thread, and the axes along which they differ.
  std::unordered_map<const Node*, uint32_t> varies_;
  // The place where a buffer of a region was allocated.
  struct Placement {
    Copies copies = Copies::kOne;
    uint32_t shared_among = 0;  // axes whose threads share one copy
    size_t loops = 0;           // sizes of loops_ and ways_ at the allocation
    size_t ways = 0;
  };
  std::unordered_map<const BufferNode*, Placement> placed_;
  // Buffers of which each thread has a copy, where all copies hold the same values (RegionBegin).
  std::unordered_set<const Node*> alike_;
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

}  // namespace lathe::ir::interp
