// Turns one function at stage `flat` into LLVM IR. Internal to the code generator.
//
// The IR is walked without recursion: every expression pushes one LLVM value on `stack_`, and its
// parent pops one for each operand. Statements open and close blocks around their children. The
// methods are spread over function_emitter.cc (walking, statements), emit_expr.cc, emit_memory.cc,
// emit_call.cc, emit_abi.cc, emit_raise.cc and emit_math.cc.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "backends/llvm/module_emitter.h"
#include "ir/walk.h"
#include "lathe/abi/value.h"

namespace llvm {
class BasicBlock;
class CallInst;
class Instruction;
class MDNode;
class PHINode;
}  // namespace llvm

namespace lathe::llvm_backend {

// Fields of a lathe_value.
inline constexpr unsigned kValueKind = 0, kValuePadding = 1, kValuePayload = 2;

class FunctionEmitter final : public ir::Visitor {
 public:
  FunctionEmitter(ModuleEmitter& module, const ir::FuncNode& func, llvm::Function* function,
                  llvm::IRBuilderBase& b);
  void Run();

 protected:
  bool Enter(const ir::Node& node) override;
  void Leave(const ir::Node& node) override;
  void BeforeChild(const ir::Edge& edge) override;
  void AfterChild(const ir::Edge& edge) override;

 private:
  using Value = llvm::Value;
  // The largest number of values in a message that the common helper takes (emit_raise.cc).
  static constexpr uint64_t kShownTogether = 2;

  // Pops one operand of the node whose children are done.
  Value* Pop();
  void Push(Value* value);

  // -- Statements (function_emitter.cc).
  struct Loop {
    llvm::BasicBlock *header, *exit;
    llvm::PHINode* phi = nullptr;
    Value* end = nullptr;
    bool shaped = false;   // holds vector code: left as the schedule made it
    bool is_long = false;  // LLVM must not unroll it
    bool unroll = false;   // the schedule asks to unroll it whole
  };
  struct Branch {
    llvm::BasicBlock *then_block, *else_block, *join;
    llvm::BasicBlock* then_end = nullptr;  // for if_then_else: the block where the first arm ended
    Value* then_value = nullptr;
  };
  void CheckLoopDepth() const;
  void BeginLoop(const ir::For& loop);
  void EndLoop(const ir::For& loop);
  void MarkLoop(llvm::Instruction* latch, const Loop& loop);
  void BeginBranch(const ir::Expr& condition);
  void BeginAllocate(const ir::Allocate& node);
  void BindVar(const ir::Var& var, Value* value, const ir::Expr& source);
  void EmitPrefetch(const ir::Prefetch& node);
  void CloseFunction();
  llvm::BasicBlock* NewBlock(const char* name);
  // After a transfer of control: code that follows is unreachable but needs a block.
  void StartDeadBlock();
  // Jumps to `block` if the current block is reachable, and continues there.
  void JumpTo(llvm::BasicBlock* block);

  // -- Expressions (emit_expr.cc).
  Value* EmitExpr(const ir::ExprNode& node);
  Value* EmitBinaryNode(const ir::ExprNode& node, const ir::Operands& operands);
  Value* EmitSelect(const ir::Select& node);
  Value* EmitRamp(const ir::Ramp& node);
  Value* EmitShuffle(const ir::Shuffle& node);
  ArithContext ArithFor(const ir::ExprNode& node, const ir::Operands& operands) const;
  bool IsNonNegative(const ir::Expr& expr, int depth = 0) const;
  int64_t KnownMultiple(const ir::Expr& expr, int depth = 0) const;

  // -- Memory (emit_memory.cc).
  using Args = std::vector<Value*>;
  struct Access {
    const ir::BufferNode* buffer;
    DataType dtype;  // of the whole access
    ir::Expr index;
    bool is_ramp = false;
    Value* base = nullptr;    // the index; a ramp's base
    Value* stride = nullptr;  // a ramp's stride
    Value* mask = nullptr;
  };
  Access PopAccess(const ir::BufferNode& buffer, DataType dtype, const ir::Expr& index,
                   const ir::Expr& mask);
  Value* EmitLoad(const Access& access);
  void EmitStore(const Access& access, Value* value);
  Value* EmitElementLoad(const Access& access, Value* pointer, uint64_t align);
  Value* EmitMaskedBroadcast(const Access& access, uint64_t align);
  // Do all lanes lie within an allocation on the stack, those that the mask excludes, too?
  bool IsWithinStack(const Access& access) const;
  Value* ElementPointer(const ir::BufferNode& buffer, Value* index, DataType index_type);
  Value* DataPointer(const ir::BufferNode& buffer);
  uint64_t AlignmentOf(const Access& access) const;
  // Stores a vector past the caches if the element's alignment permits it; otherwise an ordinary
  // store.
  void EmitStreamingStore(Value* value, Value* pointer, uint64_t align,
                          const ir::BufferNode& buffer);
  Value* FromMemory(Value* value, DataType dtype);
  Value* ToMemory(Value* value, DataType dtype);
  Value* LaneIndices(const Access& access);
  Value* Evaluate(
      const ir::Expr& expr);  // of an expression that is not walked, such as a buffer's offset
  template <class T>
  T* Tag(T* instruction, const ir::BufferNode& buffer);
  const ir::Node* RootOf(const ir::Expr& handle) const;
  void NoteSlotStore(const ir::Call& call, const Args& args);
  void NoteParallel(const Args& args);
  void AttachAliasScopes();

  // -- Calls (emit_call.cc, emit_abi.cc, emit_math.cc).
  Value* EmitCall(const ir::Call& call);
  // These return null if they do not know the call's name.
  Value* EmitAbiCall(const ir::Call& call, const Args& args);
  Value* EmitMathCall(const ir::Call& call, const Args& args);
  Value* EmitBitsCall(const ir::Call& call, const Args& args);
  Value* EmitRuntimeCall(const ir::Call& call, const Args& args);
  // Calls an existing entry of the runtime's table, with arguments of the entry's types.
  llvm::CallInst* CallRuntime(std::string_view name, const Args& values);
  Value* EmitExternCall(const ir::Call& call, const Args& args);
  Value* EmitPlainCall(const ir::Call& call, const Args& args);
  Value* EmitLlvmIntrinsic(const ir::Call& call, const Args& args);
  Value* EmitLibraryCall(const std::string& name, DataType dtype, const Args& args,
                         DataType result);
  Value* EmitReinterpret(DataType from, DataType to, Value* value);
  Value* EmitQMultiplyShift(DataType dtype, const Args& args);
  // A slot is the payload of a lathe_value, an argument of a closure or an extent. It holds
  // integers as int64, floats as float64, bool as 0 or 1, and handles unchanged. `invariant`:
  // nothing changes it while the function runs.
  Value* ReadSlot(Value* pointer, DataType dtype, bool invariant);
  void WriteSlot(Value* pointer, Value* value, DataType dtype);
  void CheckAbiArgs(const ir::Call& call, const Args& args) const;
  void EmitValueSet(const ir::Call& call, const Args& args);
  Value* EmitTensorField(const ir::Call& call, const Args& args);
  Value* EmitStackTensor(const Args& args);
  Value* EmitStackArray(const ir::Call& call, const Args& args);
  Value* EmitLdexp(const ir::Call& call, DataType wide, const Args& args);
  Value* EmitScalb(DataType wide, const Args& args);
  void EmitReturn(Value* value, DataType dtype);
  // -- Raising errors (emit_raise.cc).
  void EmitRaise(const ir::Call& call, const Args& args);
  struct ShownValue {
    lathe_value_kind kind;
    Value* payload;  // i64: the bits of a lathe_value's
  };
  ShownValue Show(const ir::Expr& expr, Value* value);
  llvm::Function* RaiseFunction(uint64_t count);
  // The block in which the function returns the result of take_error; it is made once. Null for
  // other results. Erases the call that made `result`.
  llvm::BasicBlock* ErrorExit(Value* result);

  Value* InvariantLoad(llvm::Type* type, Value* pointer, uint64_t align);
  Value* EntryAlloca(llvm::Type* type, uint64_t count, uint64_t align);
  Value* ValueField(Value* values, Value* index, unsigned field);
  const std::string& StringArg(const ir::Call& call, size_t i) const;
  static bool IsRawString(const ir::Edge& edge);

  ModuleEmitter& m_;
  const ir::FuncNode& func_;
  llvm::Function* function_;
  llvm::IRBuilderBase& b_;
  llvm::LLVMContext& context_;

  std::vector<Value*> stack_;
  std::unordered_map<const ir::Node*, Value*> vars_;
  std::unordered_map<const ir::Node*, ir::Expr> definitions_;  // what LetStmt and Let bound
  std::unordered_set<const ir::Node*> nonnegative_;            // loop variables
  std::unordered_map<const ir::Node*, const ir::Node*>
      roots_;  // data variable -> the one that owns its memory
  std::unordered_map<Value*, std::unordered_map<int64_t, const ir::Node*>>
      slot_roots_;  // of slots filled here
  std::unordered_map<const ir::Node*, uint64_t>
      alignments_;  // of data variables whose memory this emitter allocated
  std::vector<std::pair<llvm::Instruction*, const ir::Node*>> accesses_;
  std::vector<Loop> loops_;
  std::vector<Branch> branches_;
  std::vector<std::pair<Value*, uint64_t>> allocas_;  // of enclosing Allocates: for lifetime ends
  std::vector<bool> reassociate_;                     // of enclosing Attrs
  int nontemporal_ = 0;                               // enclosing Attrs that say so
  Value* nothing_ = nullptr;  // memory on the stack whose content is never used
  std::unordered_set<const ir::Node*> own_memory_;  // data variables bound within those Attrs
  ir::Edge edge_;                                   // the child about to be entered

  // Values of shared expressions of the current statement; valid where they dominate.
  std::unordered_map<const ir::Node*, Value*> memo_;
  std::vector<const ir::Node*> memo_log_;
  std::vector<size_t> memo_marks_;
  void ForgetMemoTo(size_t size);
  void OpenMemo() { memo_marks_.push_back(memo_log_.size()); }
  void CloseMemo();

  // How the parent uses the expression being entered; parallel to the walk.
  struct Use {
    const ir::Node* node;
    bool is_index;   // index arithmetic, which never overflows
    bool raw;        // an index's ramp, or the load under address_of: leaves its parts, not a value
    size_t effects;  // value of effects_ at entry
  };
  std::vector<Use> uses_;
  size_t effects_ = 0;      // calls with effects emitted so far
  size_t expressions_ = 0;  // emitted so far

  std::pair<Value*, Value*> error_taken_{};  // the last call of take_error, and its argument
  std::unordered_map<const Value*, llvm::BasicBlock*> error_exits_;  // by that argument
  bool InIndexContext() const;
  bool IsValueOfIndexVar(const ir::Edge& edge) const;
  std::unordered_set<const ir::Node*> index_vars_;  // IndexOnlyVars of the body
};

}  // namespace lathe::llvm_backend
