#include "backends/llvm/function_emitter.h"

#include "base/error.h"
#include "ir/intrinsic_names.h"
#include "ir/names.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicsX86.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PatternMatch.h"
#include "plugins/sdk/index_arithmetic.h"
#include "plugins/sdk/index_context.h"

namespace lathe::llvm_backend {
namespace {

using ir::As;
using ir::NodeKind;

// Stack memory is for small buffers; lowering has put larger ones into workspace (S41).
constexpr uint64_t kMaxStackBytes = 64 * 1024;

// LLVM may unroll loops of constant extent that are shorter than this. It may vectorise and
// interleave longer loops, but the schedule alone decides about unrolling them: LLVM would only
// increase code size and compile time.
constexpr int64_t kMaxLlvmUnroll = 16;

// The time of LLVM's loop passes grows with the square of a nest's depth, and their stack with the
// depth.
constexpr size_t kMaxLoopDepth = 100;

bool IsLikely(const ir::Expr& condition) {
  const auto* call = As<ir::Call>(condition);
  return call != nullptr && call->op == ir::intrinsic::kLikely;
}

bool IsIfThenElse(const ir::Node* node) {
  const auto* call = As<ir::Call>(node);
  return call != nullptr && call->op == ir::intrinsic::kIfThenElse;
}

}  // namespace

FunctionEmitter::FunctionEmitter(ModuleEmitter& module, const ir::FuncNode& func,
                                 llvm::Function* function, llvm::IRBuilderBase& b)
    : m_(module), func_(func), function_(function), b_(b), context_(module.context()) {}

void EmitFunction(ModuleEmitter& module, const ir::FuncNode& func, llvm::Function* function) {
  llvm::IRBuilder<> builder(module.context());
  llvm::FastMathFlags flags;
  flags.setAllowContract(true);
  builder.setFastMathFlags(flags);
  FunctionEmitter(module, func, function, builder).Run();
}

void FunctionEmitter::Run() {
  b_.SetInsertPoint(NewBlock("entry"));
  // The entry block holds stack slots only, so that slots can be added while the body is emitted.
  llvm::BasicBlock* body = NewBlock("body");
  for (size_t i = 0; i < func_.params.size(); ++i) {
    const auto* var = As<ir::VarNode>(func_.params[i]);
    if (var == nullptr) {
      Unsupported("codegen-buffer-parameter",
                  "parameter " + std::to_string(i) + " of `" + func_.name + "` is still a buffer",
                  "bind the arguments before code generation: the stage must be `flat`");
    }
    llvm::Argument* argument = function_->getArg(static_cast<unsigned>(i));
    argument->setName(var->name);
    vars_[var] = argument;
  }
  index_vars_ = sdk::IndexOnlyVars(func_.body);
  b_.SetInsertPoint(body);
  Visit(func_.body);
  CloseFunction();
  b_.SetInsertPoint(&function_->getEntryBlock());
  b_.CreateBr(body);
  AttachAliasScopes();
}

llvm::BasicBlock* FunctionEmitter::NewBlock(const char* name) {
  return llvm::BasicBlock::Create(context_, name, function_);
}

void FunctionEmitter::StartDeadBlock() { b_.SetInsertPoint(NewBlock("dead")); }

void FunctionEmitter::JumpTo(llvm::BasicBlock* block) {
  llvm::BasicBlock* here = b_.GetInsertBlock();
  if (here->empty() && here->use_empty() && here != &function_->getEntryBlock())
    here->eraseFromParent();  // unreachable, after a return
  else
    b_.CreateBr(block);
}

void FunctionEmitter::CloseFunction() {
  llvm::Type* type = function_->getReturnType();
  if (type->isVoidTy()) {
    b_.CreateRetVoid();
  } else {
    b_.CreateRet(llvm::Constant::getNullValue(type));
  }
}

llvm::Value* FunctionEmitter::Pop() {
  LATHE_CHECK(!stack_.empty()) << "an expression left no value";
  Value* value = stack_.back();
  stack_.pop_back();
  return value;
}

void FunctionEmitter::Push(Value* value) { stack_.push_back(value); }

void FunctionEmitter::ForgetMemoTo(size_t size) {
  while (memo_log_.size() > size) {
    memo_.erase(memo_log_.back());
    memo_log_.pop_back();
  }
}

void FunctionEmitter::CloseMemo() {
  ForgetMemoTo(memo_marks_.back());
  memo_marks_.pop_back();
}

bool FunctionEmitter::InIndexContext() const { return !uses_.empty() && uses_.back().is_index; }

bool FunctionEmitter::IsValueOfIndexVar(const ir::Edge& edge) const {
  if (!edge.Is("value")) return false;
  const auto* statement = As<ir::LetStmt>(edge.parent);
  const auto* let = As<ir::Let>(edge.parent);
  return (statement != nullptr && index_vars_.count(statement->var.get()) != 0) ||
         (let != nullptr && index_vars_.count(let->var.get()) != 0);
}

bool FunctionEmitter::Enter(const ir::Node& node) {
  const ir::Edge edge = edge_;
  edge_ = {};
  if (edge.field != nullptr) {
    if (edge.field->role == ir::FieldRole::kDefine || edge.field->type == ir::FieldType::kDict)
      return false;
    if (As<ir::Attr>(edge.parent) != nullptr && edge.Is("node")) return false;
  }
  if (IsStmt(&node)) {
    ForgetMemoTo(memo_marks_.empty() ? 0 : memo_marks_.back());
    return true;
  }
  if (!IsExpr(&node)) return As<ir::RangeNode>(&node) != nullptr;
  if (const auto* text = As<ir::StringImm>(&node)) {
    Push(IsRawString(edge) ? nullptr : static_cast<Value*>(m_.String(text->value)));
    return false;
  }
  if (const auto* var = As<ir::VarNode>(&node)) {
    auto found = vars_.find(var);
    if (found == vars_.end()) {
      Unsupported("codegen-unbound-variable", "variable `" + var->name + "` of `" + func_.name +
                                                  "` is used where nothing defines it");
    }
    Push(found->second);
    return false;
  }
  if (static_cast<const ir::ExprNode&>(node).dtype.is_scalable() && !m_.traits().scalable_vectors) {
    Unsupported(
        "codegen-scalable-vectors",
        "`" + func_.name + "` uses " + static_cast<const ir::ExprNode&>(node).dtype.ToString() +
            ", but the target has vectors of fixed length only",
        "use fixed lanes, or a target with SVE (-mattr=+sve) or RISC-V vectors (-mattr=+v)");
  }
  const bool of_memory =
      edge.Is("indices") && (As<ir::Load>(edge.parent) || As<ir::Store>(edge.parent));
  const bool vector_index = of_memory && (As<ir::Ramp>(&node) || As<ir::Broadcast>(&node));
  const auto* parent_call = As<ir::Call>(edge.parent);
  const bool address_only = parent_call != nullptr && parent_call->op == ir::intrinsic::kAddressOf;
  if (!vector_index && !address_only) {
    if (auto found = memo_.find(&node); found != memo_.end()) {
      Push(found->second);
      return false;
    }
  }
  if (++expressions_ > ir::kMaxTree)
    ir::ThrowTreeTooLarge("code generation: function `" + func_.name + "`");
  const bool is_index = sdk::StartsIndexContext(edge) ||
                        (InIndexContext() && sdk::KeepsIndexContext(edge.parent)) ||
                        IsValueOfIndexVar(edge);
  uses_.push_back({&node, is_index, vector_index || address_only, effects_});
  return true;
}

void FunctionEmitter::Leave(const ir::Node& node) {
  if (IsExpr(&node)) {
    const auto& expr = static_cast<const ir::ExprNode&>(node);
    const Use use = uses_.back();
    Value* value = EmitExpr(expr);
    uses_.pop_back();
    if (value != nullptr || expr.dtype.is_void()) Push(value);
    // A value is kept for other uses of the same node, unless it is a part of its parent, or had
    // effects.
    if (!use.raw && value != nullptr && !node.unique() && use.effects == effects_ &&
        !llvm::isa<llvm::Constant>(value)) {
      memo_[&node] = value;
      memo_log_.push_back(&node);
    }
    return;
  }
  switch (node.node_kind()) {
    case NodeKind::kStore: {
      const auto& store = static_cast<const ir::Store&>(node);
      if (store.indices.size() > 1)
        Unsupported("codegen-not-flat", "a processor has no memory of several dimensions");
      const Access access =
          PopAccess(*store.buffer, store.value->dtype,
                    store.indices.empty() ? ir::Expr() : store.indices[0], store.mask);
      EmitStore(access, Pop());
      break;
    }
    case NodeKind::kFor:
      EndLoop(static_cast<const ir::For&>(node));
      break;
    case NodeKind::kWhile: {
      const Loop loop = loops_.back();
      loops_.pop_back();
      MarkLoop(b_.CreateBr(loop.header), loop);
      b_.SetInsertPoint(loop.exit);
      break;
    }
    case NodeKind::kIf: {
      JumpTo(branches_.back().join);
      b_.SetInsertPoint(branches_.back().join);
      branches_.pop_back();
      break;
    }
    case NodeKind::kEvaluate:
      Pop();
      break;
    case NodeKind::kPrefetch:
      EmitPrefetch(static_cast<const ir::Prefetch&>(node));
      break;
    case NodeKind::kSeq:
    case NodeKind::kLetStmt:
    case NodeKind::kAllocate:
    case NodeKind::kAllocConst:
    case NodeKind::kDeclBuffer:
    case NodeKind::kRangeNode:
    case NodeKind::kAttr:
      break;
    default:
      Unsupported("codegen-not-flat",
                  std::string("a ") + ir::NodeKindName(node.node_kind()) +
                      " statement reached the code generator",
                  "lower the module to stage `flat` first");
  }
}

void FunctionEmitter::BeforeChild(const ir::Edge& edge) {
  edge_ = edge;
  switch (edge.parent->node_kind()) {
    case NodeKind::kFor:
      if (edge.Is("body")) BeginLoop(static_cast<const ir::For&>(*edge.parent));
      break;
    case NodeKind::kWhile:
      if (edge.Is("condition")) {
        CheckLoopDepth();
        Loop loop;
        loop.header = NewBlock("while");
        loop.exit = nullptr;
        loops_.push_back(loop);
        b_.CreateBr(loop.header);
        b_.SetInsertPoint(loop.header);
      } else {
        llvm::BasicBlock* body = NewBlock("while.body");
        loops_.back().exit = NewBlock("while.end");
        b_.CreateCondBr(Pop(), body, loops_.back().exit);
        b_.SetInsertPoint(body);
      }
      break;
    case NodeKind::kIf: {
      const auto& node = static_cast<const ir::If&>(*edge.parent);
      if (edge.Is("then_case")) {
        BeginBranch(node.condition);
        if (!node.else_case) {
          branches_.back().join->eraseFromParent();
          branches_.back().join = branches_.back().else_block;
        }
      } else if (edge.Is("else_case")) {
        JumpTo(branches_.back().join);
        b_.SetInsertPoint(branches_.back().else_block);
      }
      break;
    }
    case NodeKind::kCall:
      if (IsIfThenElse(edge.parent) && edge.index >= 1 && edge.Is("args")) {
        const auto& call = static_cast<const ir::Call&>(*edge.parent);
        if (edge.index == 1) BeginBranch(call.arg(0));
        OpenMemo();
      }
      break;
    case NodeKind::kLet:
      if (edge.Is("body")) {
        const auto& let = static_cast<const ir::Let&>(*edge.parent);
        BindVar(let.var, Pop(), let.value);
      }
      break;
    case NodeKind::kLetStmt:
      if (edge.Is("body")) {
        const auto& let = static_cast<const ir::LetStmt&>(*edge.parent);
        BindVar(let.var, Pop(), let.value);
      }
      break;
    case NodeKind::kDeclBuffer:
      if (edge.Is("body")) {
        const auto& decl = static_cast<const ir::DeclBuffer&>(*edge.parent);
        BindVar(decl.buffer->data, Pop(), decl.data);
      }
      break;
    case NodeKind::kAllocate:
      if (edge.Is("body")) BeginAllocate(static_cast<const ir::Allocate&>(*edge.parent));
      break;
    case NodeKind::kAllocConst:
      if (edge.Is("body")) {
        const auto& node = static_cast<const ir::AllocConst&>(*edge.parent);
        vars_[node.buffer->data.get()] = m_.Constant(node.index, *node.buffer);
        alignments_[node.buffer->data.get()] = 64;
      }
      break;
    case NodeKind::kAttr:
      if (edge.Is("body")) {
        const auto& attr = static_cast<const ir::Attr&>(*edge.parent);
        Pop();
        llvm::FastMathFlags flags = b_.getFastMathFlags();
        reassociate_.push_back(flags.allowReassoc());
        if (attr.key == ir::attr_key::kReassociate) flags.setAllowReassoc(true);
        b_.setFastMathFlags(flags);
        if (attr.key == ir::attr_key::kNontemporal && m_.traits().arch_prefix == "x86")
          ++nontemporal_;
      }
      break;
    default:
      break;
  }
}

void FunctionEmitter::AfterChild(const ir::Edge& edge) {
  edge_ = {};
  switch (edge.parent->node_kind()) {
    case NodeKind::kCall:
      if (IsIfThenElse(edge.parent) && edge.index >= 1 && edge.Is("args")) {
        CloseMemo();
        Branch& branch = branches_.back();
        if (edge.index == 1) {
          branch.then_value = Pop();
          branch.then_end = b_.GetInsertBlock();
          b_.CreateBr(branch.join);
          b_.SetInsertPoint(branch.else_block);
        } else {
          Value* else_value = Pop();
          llvm::BasicBlock* else_end = b_.GetInsertBlock();
          b_.CreateBr(branch.join);
          b_.SetInsertPoint(branch.join);
          llvm::PHINode* phi = b_.CreatePHI(else_value->getType(), 2);
          phi->addIncoming(branch.then_value, branch.then_end);
          phi->addIncoming(else_value, else_end);
          Push(phi);
          branches_.pop_back();
        }
      }
      break;
    case NodeKind::kAllocate:
      if (edge.Is("body")) {
        const auto [memory, bytes] = allocas_.back();
        allocas_.pop_back();
        b_.CreateLifetimeEnd(memory, b_.getInt64(bytes));
      }
      break;
    case NodeKind::kAttr:
      if (edge.Is("body")) {
        llvm::FastMathFlags flags = b_.getFastMathFlags();
        flags.setAllowReassoc(reassociate_.back());
        reassociate_.pop_back();
        b_.setFastMathFlags(flags);
        if (static_cast<const ir::Attr&>(*edge.parent).key == ir::attr_key::kNontemporal &&
            nontemporal_ > 0 && --nontemporal_ == 0) {
          own_memory_.clear();
          // Streaming stores may become visible after later stores, such as those to locks and
          // flags. The fence prevents that.
          b_.CreateIntrinsic(llvm::Intrinsic::x86_sse_sfence, {}, {});
        }
      }
      break;
    default:
      break;
  }
}

void FunctionEmitter::CheckLoopDepth() const {
  if (loops_.size() < kMaxLoopDepth) return;
  Unsupported("codegen-loop-depth",
              "`" + func_.name + "` nests more than " + std::to_string(kMaxLoopDepth) + " loops",
              "fuse loops, or move the inner ones into a function of their own");
}

void FunctionEmitter::BeginLoop(const ir::For& node) {
  if (node.for_kind != ir::ForKind::kSerial) {
    Unsupported("codegen-not-flat",
                std::string("a ") + ir::For::kForKindNames[static_cast<int>(node.for_kind)] +
                    " loop reached the code generator",
                "lower the module to stage `flat` first");
  }
  CheckLoopDepth();
  const DataType type = node.var->dtype;
  Value* extent = Pop();
  Value* min = Pop();
  Loop loop;
  loop.header = NewBlock("loop");
  loop.exit = nullptr;
  llvm::BasicBlock* preheader = b_.GetInsertBlock();
  loop.end = b_.CreateAdd(min, extent, "end", type.is_uint(), type.is_int());
  Value* zero = ZeroConstant(context_, type);
  Value* any = type.is_int() ? b_.CreateICmpSGT(extent, zero) : b_.CreateICmpNE(extent, zero);
  loop.exit = NewBlock("loop.end");
  b_.CreateCondBr(any, loop.header, loop.exit);
  b_.SetInsertPoint(loop.header);
  loop.phi = b_.CreatePHI(ValueType(context_, type), 2, node.var->name);
  loop.phi->addIncoming(min, preheader);
  const int64_t* constant_extent = ir::AsConstInt(node.extent);
  loop.is_long = constant_extent == nullptr || *constant_extent > kMaxLlvmUnroll;
  loop.unroll = node.annotations.count(ir::annotation::kUnroll) != 0;
  loops_.push_back(loop);
  vars_[node.var.get()] = loop.phi;
  if (IsNonNegative(node.min)) nonnegative_.insert(node.var.get());
}

void FunctionEmitter::EndLoop(const ir::For& node) {
  const Loop loop = loops_.back();
  loops_.pop_back();
  const DataType type = node.var->dtype;
  Value* next =
      b_.CreateAdd(loop.phi, IntConstant(context_, type, 1), "next", type.is_uint(), type.is_int());
  Value* more = type.is_int() ? b_.CreateICmpSLT(next, loop.end) : b_.CreateICmpULT(next, loop.end);
  loop.phi->addIncoming(next, b_.GetInsertBlock());
  MarkLoop(b_.CreateCondBr(more, loop.header, loop.exit), loop);
  b_.SetInsertPoint(loop.exit);
}

void FunctionEmitter::MarkLoop(llvm::Instruction* latch, const Loop& loop) {
  llvm::SmallVector<llvm::Metadata*, 4> parts = {nullptr};
  auto property = [&](const char* name) {
    parts.push_back(llvm::MDNode::get(context_, llvm::MDString::get(context_, name)));
  };
  if (loop.phi != nullptr) property("llvm.loop.mustprogress");
  if (loop.unroll)
    property("llvm.loop.unroll.full");
  else if (loop.shaped || loop.is_long)
    property("llvm.loop.unroll.disable");
  if (loop.shaped) {
    parts.push_back(
        llvm::MDNode::get(context_, {llvm::MDString::get(context_, "llvm.loop.vectorize.enable"),
                                     llvm::ConstantAsMetadata::get(b_.getFalse())}));
  }
  if (parts.size() == 1) return;
  llvm::MDNode* id = llvm::MDNode::getDistinct(context_, parts);
  id->replaceOperandWith(0, id);
  latch->setMetadata(llvm::LLVMContext::MD_loop, id);
}

void FunctionEmitter::BeginBranch(const ir::Expr& condition) {
  Branch branch;
  branch.then_block = NewBlock("then");
  branch.else_block = NewBlock("else");
  branch.join = NewBlock("join");
  llvm::MDNode* weights =
      IsLikely(condition) ? llvm::MDBuilder(context_).createBranchWeights(2000, 1) : nullptr;
  Value* value = Pop();
  Value* negated = nullptr;
  // A check often negates a comparison. Swapping the branches lets LLVM fuse the comparison and the
  // branch.
  if (weights == nullptr &&
      llvm::PatternMatch::match(value,
                                llvm::PatternMatch::m_Not(llvm::PatternMatch::m_Value(negated))))
    b_.CreateCondBr(negated, branch.else_block, branch.then_block);
  else
    b_.CreateCondBr(value, branch.then_block, branch.else_block, weights);
  b_.SetInsertPoint(branch.then_block);
  branches_.push_back(branch);
}

void FunctionEmitter::BindVar(const ir::Var& var, Value* value, const ir::Expr& source) {
  vars_[var.get()] = value;
  definitions_[var.get()] = source;
  if (IsNonNegative(source)) nonnegative_.insert(var.get());
  if (const ir::Node* root = RootOf(source)) roots_[var.get()] = root;
  if (nontemporal_ > 0) own_memory_.insert(var.get());
  if (value->getName().empty() && llvm::isa<llvm::Instruction>(value)) value->setName(var->name);
}

llvm::Value* FunctionEmitter::EntryAlloca(llvm::Type* type, uint64_t count, uint64_t align) {
  llvm::IRBuilderBase::InsertPointGuard guard(b_);
  llvm::BasicBlock& entry = function_->getEntryBlock();
  b_.SetInsertPoint(&entry, entry.end());
  llvm::AllocaInst* memory = b_.CreateAlloca(llvm::ArrayType::get(type, count));
  memory->setAlignment(llvm::Align(align));
  return memory;
}

void FunctionEmitter::BeginAllocate(const ir::Allocate& node) {
  const ir::BufferNode& buffer = *node.buffer;
  uint64_t elements = 1;
  for (const ir::Expr& extent : buffer.shape) {
    const int64_t* constant = ir::AsConstInt(extent);
    const uint64_t limit = kMaxStackBytes / static_cast<uint64_t>(buffer.dtype.bytes());
    if (constant == nullptr || *constant < 0 ||
        static_cast<uint64_t>(*constant) > limit / (elements == 0 ? 1 : elements)) {
      Unsupported(
          "codegen-large-allocation",
          "`" + buffer.name + "` of `" + func_.name + "` is allocated on the stack with " +
              (constant == nullptr ? std::string("an extent that is not constant")
                                   : "more than " + std::to_string(kMaxStackBytes) + " bytes"),
          "lowering turns such allocations into workspace: lower the module to stage `flat`");
    }
    elements *= static_cast<uint64_t>(*constant);
  }
  const uint64_t bytes =
      std::max<uint64_t>(elements * static_cast<uint64_t>(buffer.dtype.bytes()), 1);
  uint64_t align = static_cast<uint64_t>(buffer.alignment);
  if (align == 0 || (align & (align - 1)) != 0)
    align = std::min<uint64_t>(64, llvm::PowerOf2Ceil(bytes));
  Value* memory = buffer.dtype.is_scalar() ? EntryAlloca(MemoryType(context_, buffer.dtype),
                                                         std::max<uint64_t>(elements, 1), align)
                                           : EntryAlloca(b_.getInt8Ty(), bytes, align);
  memory->setName(buffer.name);
  if (nontemporal_ > 0) own_memory_.insert(buffer.data.get());
  vars_[buffer.data.get()] = memory;
  alignments_[buffer.data.get()] = align;
  b_.CreateLifetimeStart(memory, b_.getInt64(bytes));
  allocas_.emplace_back(memory, bytes);
}

void FunctionEmitter::EmitPrefetch(const ir::Prefetch& node) {
  // Each range leaves min and extent on the stack; only the first element of the region is wanted.
  for (size_t i = node.bounds.size(); i-- > 1;) Pop(), Pop();
  if (node.bounds.empty()) return;
  Pop();
  Value* pointer = ElementPointer(*node.buffer, Pop(), node.bounds[0]->min->dtype);
  b_.CreateIntrinsic(llvm::Intrinsic::prefetch, {pointer->getType()},
                     {pointer, b_.getInt32(0), b_.getInt32(3), b_.getInt32(1)});
}

}  // namespace lathe::llvm_backend
