// Mathematical functions: instructions of the machine, intrinsics of LLVM, and C's library for the
// rest. The functions that Lathe expands itself (lower/math) are plain arithmetic before they reach
// this file.

#include "backends/llvm/function_emitter.h"
#include "base/error.h"
#include "ir/intrinsic_names.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Intrinsics.h"
#include "llvm/IR/IntrinsicsX86.h"

namespace lathe::llvm_backend {
namespace {

namespace Intrinsic = llvm::Intrinsic;

struct Direct {
  std::string_view name;
  Intrinsic::ID id;
};
constexpr Direct kDirect[] = {
    {ir::intrinsic::kSqrt, Intrinsic::sqrt},   {ir::intrinsic::kFloor, Intrinsic::floor},
    {ir::intrinsic::kCeil, Intrinsic::ceil},   {ir::intrinsic::kRound, Intrinsic::round},
    {ir::intrinsic::kTrunc, Intrinsic::trunc}, {ir::intrinsic::kNearbyint, Intrinsic::nearbyint},
};

// Functions of C's library, by their name for float64; the float32 function has an "f" at the end.
constexpr std::string_view kLibrary[] = {
    ir::intrinsic::kExp,   ir::intrinsic::kExp2,      ir::intrinsic::kExp10, ir::intrinsic::kLog,
    ir::intrinsic::kLog2,  ir::intrinsic::kLog10,     ir::intrinsic::kLog1p, ir::intrinsic::kExpm1,
    ir::intrinsic::kSin,   ir::intrinsic::kCos,       ir::intrinsic::kTan,   ir::intrinsic::kAsin,
    ir::intrinsic::kAcos,  ir::intrinsic::kAtan,      ir::intrinsic::kSinh,  ir::intrinsic::kCosh,
    ir::intrinsic::kTanh,  ir::intrinsic::kAsinh,     ir::intrinsic::kAcosh, ir::intrinsic::kAtanh,
    ir::intrinsic::kErf,   ir::intrinsic::kAtan2,     ir::intrinsic::kPow,   ir::intrinsic::kFmod,
    ir::intrinsic::kHypot, ir::intrinsic::kNextafter, ir::intrinsic::kFma,
};

bool IsLibrary(std::string_view name) {
  for (std::string_view known : kLibrary) {
    if (known == name) return true;
  }
  return false;
}

bool IsMath(std::string_view op) {
  if (IsLibrary(op)) return true;
  for (const Direct& direct : kDirect) {
    if (direct.name == op) return true;
  }
  return op == ir::intrinsic::kAbs || op == ir::intrinsic::kIsnan || op == ir::intrinsic::kIsinf ||
         op == ir::intrinsic::kIsfinite || op == ir::intrinsic::kCopysign ||
         op == ir::intrinsic::kRsqrt || op == ir::intrinsic::kSigmoid ||
         op == ir::intrinsic::kLdexp || op == ir::intrinsic::kScalb;
}

}  // namespace

llvm::Value* FunctionEmitter::EmitLibraryCall(const std::string& name, DataType dtype,
                                              const Args& args, DataType result) {
  const std::string symbol = dtype.bits() == 32 ? name + "f" : name;
  std::vector<llvm::Type*> types;
  for (Value* arg : args) types.push_back(arg->getType()->getScalarType());
  llvm::Type* scalar = ValueType(context_, result.element_of());
  llvm::Function* function = m_.Extern(symbol, llvm::FunctionType::get(scalar, types, false));
  function->setDoesNotAccessMemory();
  function->setWillReturn();
  auto call = [&](const Args& values) {
    llvm::CallInst* made = b_.CreateCall(function, values);
    made->setAttributes(function->getAttributes());
    return made;
  };
  if (dtype.is_scalar()) return call(args);
  if (dtype.is_scalable()) {
    Unsupported("codegen-scalable-library",
                "`" + name + "` on " + dtype.ToString() + " would need a library call per lane",
                "use vectors of fixed length");
  }
  Value* vector = llvm::PoisonValue::get(ValueType(context_, result));
  for (int lane = 0; lane < dtype.lanes(); ++lane) {
    Args values;
    for (Value* arg : args) {
      values.push_back(arg->getType()->isVectorTy()
                           ? b_.CreateExtractElement(arg, static_cast<uint64_t>(lane))
                           : arg);
    }
    vector = b_.CreateInsertElement(vector, call(values), static_cast<uint64_t>(lane));
  }
  return vector;
}

// `wide` is the type in which the result is computed.
llvm::Value* FunctionEmitter::EmitLdexp(const ir::Call& call, DataType wide, const Args& args) {
  const NativeConversions native = m_.traits().native;
  const DataType power = call.arg(1)->dtype;
  const DataType int32(DLDataType{kDLInt, 32, power.dl().lanes});
  Value* exponent = args[1];
  // For powers beyond +-5000 the result is 0 or infinite in every format.
  const DataType wide_power(DLDataType{kDLInt, 64, power.dl().lanes});
  exponent = EmitCast(b_, exponent, power, wide_power, native);
  if (power.is_uint() && power.bits() == 64) {
    exponent = b_.CreateSelect(b_.CreateICmpSLT(exponent, ZeroConstant(context_, wide_power)),
                               IntConstant(context_, wide_power, 5000), exponent);
  }
  exponent =
      b_.CreateBinaryIntrinsic(Intrinsic::smax, exponent, IntConstant(context_, wide_power, -5000));
  exponent =
      b_.CreateBinaryIntrinsic(Intrinsic::smin, exponent, IntConstant(context_, wide_power, 5000));
  exponent = EmitCast(b_, exponent, wide_power, int32, native);
  return EmitLibraryCall(ir::intrinsic::kLdexp, wide, {args[0], exponent}, wide);
}

llvm::Value* FunctionEmitter::EmitScalb(DataType wide, const Args& args) {
  if (m_.traits().avx512 && wide == DataType::Float(32, 16)) {
    constexpr uint32_t kCurrentRounding = 4;
    return b_.CreateIntrinsic(
        Intrinsic::x86_avx512_mask_scalef_ps_512, {},
        {args[0], args[1], llvm::Constant::getNullValue(args[0]->getType()),
         llvm::ConstantInt::getSigned(b_.getInt16Ty(), -1), b_.getInt32(kCurrentRounding)});
  }
  auto constant = [&](double value) { return FloatConstant(context_, wide, value); };
  const DataType int32(DLDataType{kDLInt, 32, wide.dl().lanes});
  Value* low = b_.CreateMinNum(args[1], constant(5000));
  Value* power =
      b_.CreateIntrinsic(Intrinsic::fptosi_sat, {ValueType(context_, int32), args[1]->getType()},
                         {b_.CreateMaxNum(low, constant(-5000))});
  Value* scaled = EmitLibraryCall(ir::intrinsic::kLdexp, wide, {args[0], power}, wide);
  return b_.CreateSelect(b_.CreateFCmpUNO(args[1], args[1]), args[1], scaled);
}

llvm::Value* FunctionEmitter::EmitMathCall(const ir::Call& call, const Args& raw_args) {
  const std::string& op = call.op;
  if (!IsMath(op)) return nullptr;
  const NativeConversions native = m_.traits().native;
  DataType dtype = call.arg(0)->dtype;
  Args args = raw_args;
  if (op == ir::intrinsic::kNextafter && IsSmallFloat(dtype)) {
    Unsupported("codegen-unknown-intrinsic",
                "nextafter on " + dtype.ToString() + " has no code on this target",
                "cast to float32 where that is what is meant");
  }
  if (IsSmallFloat(dtype)) {
    for (size_t i = 0; i < args.size(); ++i) {
      if (IsSmallFloat(call.arg(i)->dtype))
        args[i] = WidenToFloat32(b_, args[i], call.arg(i)->dtype, native);
    }
  }
  const DataType wide = IsSmallFloat(dtype) ? Float32Like(dtype) : dtype;
  auto narrow = [&](Value* value) -> Value* {
    return IsSmallFloat(dtype) ? NarrowFromFloat32(b_, value, dtype, native) : value;
  };
  auto constant = [&](double value) { return FloatConstant(context_, wide, value); };
  if (op == ir::intrinsic::kAbs) {
    if (dtype.is_uint()) return args[0];
    if (dtype.is_int()) return b_.CreateBinaryIntrinsic(Intrinsic::abs, args[0], b_.getFalse());
    return narrow(b_.CreateUnaryIntrinsic(Intrinsic::fabs, args[0]));
  }
  if (op == ir::intrinsic::kIsnan) return b_.CreateFCmpUNO(args[0], args[0]);
  if (op == ir::intrinsic::kIsinf || op == ir::intrinsic::kIsfinite) {
    Value* magnitude = b_.CreateUnaryIntrinsic(Intrinsic::fabs, args[0]);
    Value* infinity = constant(std::numeric_limits<double>::infinity());
    return op == ir::intrinsic::kIsinf ? b_.CreateFCmpOEQ(magnitude, infinity)
                                       : b_.CreateFCmpOLT(magnitude, infinity);
  }
  if (op == ir::intrinsic::kCopysign)
    return narrow(b_.CreateBinaryIntrinsic(Intrinsic::copysign, args[0], args[1]));
  if (op == ir::intrinsic::kRsqrt)
    return narrow(b_.CreateFDiv(constant(1), b_.CreateUnaryIntrinsic(Intrinsic::sqrt, args[0])));
  if (op == ir::intrinsic::kSigmoid) {
    Value* e = EmitLibraryCall(ir::intrinsic::kExp, wide, {b_.CreateFNeg(args[0])}, wide);
    return narrow(b_.CreateFDiv(constant(1), b_.CreateFAdd(constant(1), e)));
  }
  if (op == ir::intrinsic::kLdexp) return narrow(EmitLdexp(call, wide, args));
  if (op == ir::intrinsic::kScalb) return narrow(EmitScalb(wide, args));
  if (op == ir::intrinsic::kFma && m_.traits().hardware_fma) {
    return narrow(
        b_.CreateIntrinsic(Intrinsic::fma, {args[0]->getType()}, {args[0], args[1], args[2]}));
  }
  for (const Direct& direct : kDirect) {
    if (direct.name == op) return narrow(b_.CreateUnaryIntrinsic(direct.id, args[0]));
  }
  if (wide.bits() != 32 && wide.bits() != 64) {
    Unsupported("codegen-unknown-intrinsic",
                op + " on " + dtype.ToString() + " has no code on this target");
  }
  return narrow(EmitLibraryCall(op, wide, args, wide));
}

}  // namespace lathe::llvm_backend
