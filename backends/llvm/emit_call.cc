// Calls: dispatch, functions inside and outside this module, LLVM's intrinsics, bits and vectors.

#include "backends/llvm/function_emitter.h"
#include "base/error.h"
#include "ir/intrinsic_names.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Intrinsics.h"
#include "llvm/IR/Module.h"

namespace lathe::llvm_backend {

using ir::As;

namespace {

bool TakesName(std::string_view op) {
  return op == ir::intrinsic::kRuntimeCall || op == ir::intrinsic::kCallExtern ||
         op == ir::intrinsic::kCallPureExtern || op == ir::intrinsic::kCallPlain ||
         op == ir::intrinsic::kFunctionAddress || op == ir::intrinsic::kLlvmIntrinsic ||
         op == ir::intrinsic::kLlvmIntrinsicWithEffects;
}

bool HasEffect(std::string_view op) {
  return op == ir::intrinsic::kRuntimeCall || op == ir::intrinsic::kCallExtern ||
         op == ir::intrinsic::kCallPlain || op == ir::intrinsic::kReturn ||
         op == ir::intrinsic::kRaise || op == ir::intrinsic::kSlotStore ||
         op == ir::intrinsic::kValueSet || op == ir::intrinsic::kStackSlots ||
         op == ir::intrinsic::kStackValues || op == ir::intrinsic::kStackTensor ||
         op == ir::intrinsic::kCallSiteCache || op == ir::intrinsic::kLlvmIntrinsicWithEffects;
}

// float16 and bfloat16 lanes as LLVM's own types, which LLVM's intrinsics and the C ABI take.
llvm::Type* NativeType(llvm::LLVMContext& context, DataType dtype) {
  if (dtype.code() == kDLFloat && dtype.bits() == 16)
    return WithLanes(llvm::Type::getHalfTy(context), dtype);
  if (dtype.is_bfloat16()) return WithLanes(llvm::Type::getBFloatTy(context), dtype);
  return ValueType(context, dtype);
}

std::string TypeName(llvm::Type* type) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  type->print(stream);
  return text;
}

}  // namespace

bool FunctionEmitter::IsRawString(const ir::Edge& edge) {
  const auto* call = As<ir::Call>(edge.parent);
  if (call == nullptr) return edge.parent != nullptr && As<ir::Attr>(edge.parent) != nullptr;
  return (edge.index == 0 && TakesName(call->op)) ||
         (edge.index == 1 && call->op == ir::intrinsic::kTensorField);
}

const std::string& FunctionEmitter::StringArg(const ir::Call& call, size_t i) const {
  const auto* text = As<ir::StringImm>(call.arg(i));
  if (text == nullptr)
    Unsupported("codegen-bad-call",
                "argument " + std::to_string(i) + " of " + call.op + " must be a string");
  return text->value;
}

llvm::Value* FunctionEmitter::EmitCall(const ir::Call& call) {
  // The walk has already emitted if_then_else; its result is on the stack.
  if (call.op == ir::intrinsic::kIfThenElse) return Pop();
  Args args(call.args.size(), nullptr);
  for (size_t i = call.args.size(); i-- > 0;) {
    if (call.arg(i))
      args[i] = Pop();
    else if (const auto* buffer = As<ir::BufferNode>(call.args[i]))
      args[i] = DataPointer(*buffer);
  }
  if (HasEffect(call.op)) {
    ++effects_;
    ForgetMemoTo(memo_marks_.empty() ? 0 : memo_marks_.back());
  }
  if (call.op == ir::intrinsic::kLikely) return args.at(0);
  if (call.op == ir::intrinsic::kCallExtern || call.op == ir::intrinsic::kCallPureExtern)
    return EmitExternCall(call, args);
  if (call.op == ir::intrinsic::kCallPlain) return EmitPlainCall(call, args);
  if (call.op == ir::intrinsic::kLlvmIntrinsic ||
      call.op == ir::intrinsic::kLlvmIntrinsicWithEffects)
    return EmitLlvmIntrinsic(call, args);
  if (Value* value = EmitMathCall(call, args)) return value;
  if (Value* value = EmitBitsCall(call, args)) return value;
  Value* value = EmitAbiCall(call, args);
  return value;
}

llvm::Value* FunctionEmitter::EmitReinterpret(DataType from, DataType to, Value* value) {
  if (from == to) return value;
  if (from.is_handle() || to.is_handle()) {
    if (from.is_handle() && to.is_handle()) return value;
    if (from.is_handle()) {
      return b_.CreateBitCast(b_.CreatePtrToInt(value, b_.getInt64Ty()), ValueType(context_, to));
    }
    return b_.CreateIntToPtr(b_.CreateBitCast(value, b_.getInt64Ty()), ValueType(context_, to));
  }
  // A bool is one byte in the program and one bit in LLVM.
  if (from.is_bool()) value = b_.CreateZExt(value, WithLanes(b_.getInt8Ty(), from));
  if (to.is_bool()) {
    value = b_.CreateBitCast(value, WithLanes(b_.getInt8Ty(), to));
    return b_.CreateICmpNE(value, llvm::Constant::getNullValue(value->getType()));
  }
  return b_.CreateBitCast(value, ValueType(context_, to));
}

llvm::Value* FunctionEmitter::EmitBitsCall(const ir::Call& call, const Args& args) {
  const std::string& op = call.op;
  auto type_of = [&](size_t i) { return call.arg(i)->dtype; };
  if (op == ir::intrinsic::kReinterpret) return EmitReinterpret(type_of(0), call.dtype, args.at(0));
  if (op == ir::intrinsic::kUndef) return llvm::UndefValue::get(ValueType(context_, call.dtype));
  if (op == ir::intrinsic::kVectorLow || op == ir::intrinsic::kVectorHigh) {
    const auto at = static_cast<uint64_t>(op == ir::intrinsic::kVectorLow ? 0 : call.dtype.lanes());
    if (call.dtype.is_scalar()) return b_.CreateExtractElement(args.at(0), at);
    return b_.CreateExtractVector(ValueType(context_, call.dtype), args.at(0), b_.getInt64(at));
  }
  if (op == ir::intrinsic::kVectorConcat) {
    Value* result = llvm::PoisonValue::get(ValueType(context_, call.dtype));
    uint64_t at = 0;
    for (size_t i = 0; i < args.size(); ++i) {
      result = type_of(i).is_scalar()
                   ? b_.CreateInsertElement(result, args[i], at)
                   : b_.CreateInsertVector(result->getType(), result, args[i], b_.getInt64(at));
      at += static_cast<uint64_t>(type_of(i).lanes());
    }
    return result;
  }
  if (op == ir::intrinsic::kBitwiseAnd) return b_.CreateAnd(args.at(0), args.at(1));
  if (op == ir::intrinsic::kBitwiseOr) return b_.CreateOr(args.at(0), args.at(1));
  if (op == ir::intrinsic::kBitwiseXor) return b_.CreateXor(args.at(0), args.at(1));
  if (op == ir::intrinsic::kBitwiseNot) return b_.CreateNot(args.at(0));
  if (op == ir::intrinsic::kShiftLeft || op == ir::intrinsic::kShiftRight) {
    Value* result = op == ir::intrinsic::kShiftLeft ? b_.CreateShl(args.at(0), args.at(1))
                    : call.dtype.is_uint()          ? b_.CreateLShr(args.at(0), args.at(1))
                                                    : b_.CreateAShr(args.at(0), args.at(1));
    // LLVM gives poison for a shift out of range; in our IR the value is unspecified.
    return llvm::isa<llvm::Constant>(args.at(1)) ? result : b_.CreateFreeze(result);
  }
  if (op == ir::intrinsic::kPopcount)
    return b_.CreateUnaryIntrinsic(llvm::Intrinsic::ctpop, args.at(0));
  if (op == ir::intrinsic::kClz) {
    return b_.CreateIntrinsic(llvm::Intrinsic::ctlz, {args.at(0)->getType()},
                              {args.at(0), b_.getFalse()});
  }
  if (op == ir::intrinsic::kQMultiplyShift) return EmitQMultiplyShift(call.dtype, args);
  return nullptr;
}

llvm::Value* FunctionEmitter::EmitQMultiplyShift(DataType dtype, const Args& args) {
  const DataType wide = dtype.with_bits(64);
  llvm::Type* type = ValueType(context_, wide);
  Value* product = b_.CreateMul(b_.CreateSExt(args.at(0), type), b_.CreateSExt(args.at(1), type));
  Value* shift = b_.CreateSExt(b_.CreateAdd(args.at(2), args.at(3)), type);
  Value* one = IntConstant(context_, wide, 1);
  // Shifting by one bit less first keeps the bit that decides the rounding, and cannot overflow.
  Value* halves = b_.CreateAShr(product, b_.CreateSub(shift, one));
  Value* rounded = b_.CreateAShr(b_.CreateAdd(halves, one), one);
  Value* unshifted = b_.CreateICmpEQ(shift, IntConstant(context_, wide, 0));
  return b_.CreateTrunc(b_.CreateFreeze(b_.CreateSelect(unshifted, product, rounded)),
                        ValueType(context_, dtype));
}

llvm::Value* FunctionEmitter::EmitExternCall(const ir::Call& call, const Args& args) {
  const std::string& name = StringArg(call, 0);
  std::vector<llvm::Type*> types;
  std::vector<DataType> dtypes;
  std::vector<Value*> values;
  for (size_t i = 1; i < args.size(); ++i) {
    const ir::Expr arg = call.arg(i);
    const DataType dtype = arg ? arg->dtype : DataType::Handle();
    Value* value = args[i];
    // C's bool is a byte.
    if (dtype.is_bool() && dtype.is_scalar())
      value = b_.CreateZExt(value, b_.getInt8Ty());
    else
      value = b_.CreateBitCast(value, NativeType(context_, dtype));
    if (const auto* buffer = As<ir::BufferNode>(call.args[i])) {
      value = ElementPointer(*buffer, b_.getInt32(0), DataType::Int(32));
    }
    types.push_back(value->getType());
    dtypes.push_back(dtype);
    values.push_back(value);
  }
  const bool returns_bool = call.dtype.is_bool() && call.dtype.is_scalar();
  llvm::Type* result_type = returns_bool ? b_.getInt8Ty() : NativeType(context_, call.dtype);
  llvm::Function* function = m_.Extern(name, llvm::FunctionType::get(result_type, types, false));
  if (call.op == ir::intrinsic::kCallPureExtern)
    function->setOnlyAccessesArgMemory(), function->setOnlyReadsMemory(), function->setWillReturn();
  for (size_t i = 0; i < dtypes.size(); ++i)
    m_.ExtendParameter(function, static_cast<unsigned>(i), dtypes[i]);
  m_.ExtendResult(function, call.dtype);
  llvm::CallInst* result = b_.CreateCall(function, values);
  result->setAttributes(function->getAttributes());
  if (call.dtype.is_void()) return nullptr;
  if (returns_bool) return b_.CreateICmpNE(result, b_.getInt8(0));
  return b_.CreateBitCast(result, ValueType(context_, call.dtype));
}

llvm::Value* FunctionEmitter::EmitPlainCall(const ir::Call& call, const Args& args) {
  const std::string& name = StringArg(call, 0);
  DataType return_type;
  llvm::Function* function = m_.FindFunction(name, &return_type);
  llvm::FunctionType* type = function->getFunctionType();
  const std::vector<Value*> values(args.begin() + 1, args.end());
  bool fits = type->getNumParams() == values.size() && return_type == call.dtype;
  for (size_t i = 0; fits && i < values.size(); ++i) {
    fits = values[i]->getType() == type->getParamType(static_cast<unsigned>(i));
  }
  if (!fits) {
    Unsupported("codegen-bad-call",
                "the call of `" + name + "` in `" + func_.name + "` does not fit its parameters");
  }
  llvm::CallInst* result = b_.CreateCall(function, values);
  result->setAttributes(function->getAttributes());
  return call.dtype.is_void() ? nullptr : result;
}

llvm::Value* FunctionEmitter::EmitLlvmIntrinsic(const ir::Call& call, const Args& args) {
  namespace Intrinsic = llvm::Intrinsic;
  const std::string& name = StringArg(call, 0);
  const Intrinsic::ID id = llvm::Function::lookupIntrinsicID(name);
  if (id == Intrinsic::not_intrinsic) {
    Unsupported("codegen-unknown-intrinsic", "LLVM has no intrinsic `" + name + "`",
                "see LLVM's language reference; the name starts with `llvm.`");
  }
  // A machine's own intrinsics have its name as prefix. LLVM would end the process for an intrinsic
  // of another machine.
  const std::string prefix = name.substr(5, name.find('.', 5) - 5);
  for (const char* arch :
       {"x86", "aarch64", "arm", "riscv", "nvvm", "amdgcn", "ppc", "s390", "hexagon", "mips",
        "wasm", "r600", "spv", "ve", "xcore", "bpf", "loongarch", "dx"}) {
    if (prefix == arch && prefix != m_.traits().arch_prefix) {
      Unsupported("codegen-foreign-intrinsic",
                  "`" + name + "` does not exist on this target's machine",
                  "guard it by the target, or choose another -mtriple");
    }
  }
  std::vector<Value*> values;
  std::vector<llvm::Type*> types;
  std::string found;
  for (size_t i = 1; i < args.size(); ++i) {
    values.push_back(b_.CreateBitCast(args[i], NativeType(context_, call.arg(i)->dtype)));
    types.push_back(values.back()->getType());
    found += (i == 1 ? "" : ", ") + TypeName(types.back());
  }
  llvm::Type* result_type = NativeType(context_, call.dtype);
  llvm::FunctionType* wanted = llvm::FunctionType::get(result_type, types, false);
  llvm::SmallVector<Intrinsic::IITDescriptor, 8> table;
  Intrinsic::getIntrinsicInfoTableEntries(id, table);
  llvm::ArrayRef<Intrinsic::IITDescriptor> rest = table;
  llvm::SmallVector<llvm::Type*, 4> overloads;
  const auto match = Intrinsic::matchIntrinsicSignature(wanted, rest, overloads);
  if (match != Intrinsic::MatchIntrinsicTypes_Match ||
      Intrinsic::matchIntrinsicVarArg(false, rest)) {
    throw Error(Diagnostic{
        .name = "codegen-intrinsic-types",
        .message = "the call of `" + name + "` in `" + func_.name + "` does not fit the intrinsic",
        .expected = Intrinsic::isOverloaded(id) ? std::string("one of its overloads")
                                                : TypeName(Intrinsic::getType(context_, id)),
        .found = TypeName(result_type) + " (" + found + ")",
        .help = "reinterpret the arguments as vectors of the types wanted"});
  }
  llvm::Function* function = Intrinsic::getDeclaration(&m_.module(), id, overloads);
  for (unsigned i = 0; i < values.size(); ++i) {
    if (function->hasParamAttribute(i, llvm::Attribute::ImmArg) &&
        !llvm::isa<llvm::Constant>(values[i])) {
      Unsupported("codegen-intrinsic-types",
                  "argument " + std::to_string(i + 1) + " of `" + name + "` must be a constant");
    }
  }
  Value* result = b_.CreateCall(function, values);
  if (call.dtype.is_void()) return nullptr;
  return b_.CreateBitCast(result, ValueType(context_, call.dtype));
}

}  // namespace lathe::llvm_backend
