// Raising errors. A check that fails shows values in a message: raise(name, message, x, y).
//
// The runtime takes these values as an array. A tensor argument has ten such checks; when each
// check filled the array by itself, that code was most of what LLVM had to process in a small
// kernel. So each check is one call of a helper function of the module, raise(name, message, kinds,
// x, y), which fills the array. One helper serves up to two values, which covers nearly all checks;
// each larger number of values has a helper of its own. Helpers are compiled without optimisation.
// All exits that return the error to the caller share one block.

#include <algorithm>

#include "backends/llvm/function_emitter.h"
#include "base/message.h"
#include "ir/names.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/Local.h"

namespace lathe::llvm_backend {

FunctionEmitter::ShownValue FunctionEmitter::Show(const ir::Expr& expr, Value* value) {
  const DataType dtype = expr->dtype;
  llvm::Type* word = b_.getInt64Ty();
  if (dtype.is_handle()) {
    const bool text = ir::As<ir::StringImm>(expr) != nullptr;
    return {text ? LATHE_VALUE_STRING : LATHE_VALUE_POINTER, b_.CreatePtrToInt(value, word)};
  }
  if (dtype.is_float()) {
    value = EmitCast(b_, value, dtype, DataType::Float(64), m_.traits().native);
    return {LATHE_VALUE_FLOAT, b_.CreateBitCast(value, word)};
  }
  if (dtype.is_bool()) return {LATHE_VALUE_BOOL, b_.CreateZExt(value, word)};
  return {LATHE_VALUE_INT, b_.CreateIntCast(value, word, dtype.is_int())};
}

void FunctionEmitter::EmitRaise(const ir::Call& call, const Args& args) {
  const uint64_t n = args.size() - std::min<size_t>(args.size(), 2);
  std::string problem;
  if (args.size() < 2 || n > kMostShown)
    problem = "takes a name, a message and up to " + std::to_string(kMostShown) + " values";
  for (size_t i = 0; i < args.size() && problem.empty(); ++i) {
    const ir::Expr arg = call.arg(i);
    if (i < 2 ? ir::As<ir::StringImm>(arg) == nullptr : !arg->dtype.is_scalar())
      problem = "cannot take " + arg->dtype.ToString() + " as argument " + std::to_string(i);
  }
  if (!problem.empty()) Unsupported("codegen-bad-call", "`raise` " + problem);
  uint64_t kinds = 0;
  std::vector<Value*> passed = {args[0], args[1], nullptr};
  for (uint64_t i = 0; i < n; ++i) {
    const ShownValue shown = Show(call.arg(2 + i), args[2 + i]);
    kinds |= static_cast<uint64_t>(shown.kind) << (8 * i);
    passed.push_back(shown.payload);
  }
  passed[2] = b_.getInt64(n <= kShownTogether ? kinds | n << 32 : kinds);
  passed.resize(3 + std::max(n, kShownTogether), b_.getInt64(0));
  llvm::CallInst* result = b_.CreateCall(RaiseFunction(passed.size() - 3), passed);
  result->setDoesNotThrow();
  result->addFnAttr(llvm::Attribute::Cold);
}

llvm::BasicBlock* FunctionEmitter::ErrorExit(Value* result) {
  const auto [taken, into] = error_taken_;
  error_taken_ = {};
  auto* call = llvm::dyn_cast<llvm::CallInst>(result);
  llvm::BasicBlock* here = b_.GetInsertBlock();
  if (call == nullptr || call != taken || !call->use_empty() || call != &here->back() ||
      call->getType() != function_->getReturnType())
    return nullptr;
  Value* callee = call->getCalledOperand();
  call->eraseFromParent();
  llvm::RecursivelyDeleteTriviallyDeadInstructions(callee);  // its address in the table
  llvm::BasicBlock*& exit = error_exits_[into];
  if (exit != nullptr) return exit;
  llvm::IRBuilderBase::InsertPointGuard guard(b_);
  exit = NewBlock("error");
  b_.SetInsertPoint(exit);
  b_.CreateRet(CallRuntime(ir::runtime_entry::kTakeError, {into}));
  return exit;
}

// The helper for kShownTogether values gets their real number in the upper half of `kinds`.
llvm::Function* FunctionEmitter::RaiseFunction(uint64_t count) {
  const std::string name = "lathe.raise values " + std::to_string(count);
  if (llvm::Function* made = m_.module().getFunction(name)) return made;
  std::vector<llvm::Type*> types = {b_.getPtrTy(), b_.getPtrTy(), b_.getInt64Ty()};
  types.insert(types.end(), count, b_.getInt64Ty());
  llvm::Function* function =
      llvm::Function::Create(llvm::FunctionType::get(b_.getVoidTy(), types, false),
                             llvm::GlobalValue::InternalLinkage, name, m_.module());
  for (const auto attribute : {llvm::Attribute::NoUnwind, llvm::Attribute::Cold,
                               llvm::Attribute::NoInline, llvm::Attribute::OptimizeNone})
    function->addFnAttr(attribute);
  m_.AddMachine(function);
  llvm::IRBuilderBase::InsertPointGuard guard(b_);
  b_.SetInsertPoint(llvm::BasicBlock::Create(context_, "entry", function));
  Value* values = b_.CreateAlloca(llvm::ArrayType::get(m_.value_type(), count));
  for (uint64_t i = 0; i < count; ++i) {
    // The kind, and in the word above it the padding.
    Value* kind = b_.CreateAnd(b_.CreateLShr(function->getArg(2), 8 * i), 255);
    Value* index = b_.getInt64(i);
    b_.CreateAlignedStore(b_.CreateTrunc(kind, b_.getInt32Ty()),
                          ValueField(values, index, kValueKind), llvm::Align(8));
    b_.CreateAlignedStore(b_.getInt32(0), ValueField(values, index, kValuePadding), llvm::Align(4));
    b_.CreateAlignedStore(function->getArg(static_cast<unsigned>(3 + i)),
                          ValueField(values, index, kValuePayload), llvm::Align(8));
  }
  Value* shown = b_.getInt32(static_cast<uint32_t>(count));
  if (count == kShownTogether)
    shown = b_.CreateTrunc(b_.CreateLShr(function->getArg(2), 32), b_.getInt32Ty());
  CallRuntime(ir::runtime_entry::kRaise, {function->getArg(0), function->getArg(1), values, shown});
  b_.CreateRetVoid();
  return function;
}

}  // namespace lathe::llvm_backend
