// The calling convention: packed arguments, tensors, slots of closures, the runtime table
// (abi/kernel.h).

#include <algorithm>

#include "backends/llvm/function_emitter.h"
#include "base/error.h"
#include "ir/intrinsic_names.h"
#include "ir/names.h"
#include "lathe/abi/kernel.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

namespace lathe::llvm_backend {

namespace {

// One entry of lathe_runtime_table. Its C signature is written as letters, the result first: p is a
// pointer, i int32, l a 64-bit integer.
struct TableEntry {
  const char* name;
  const char* signature;
};
constexpr TableEntry kTable[] = {
    {ir::runtime_entry::kParallel, "ippl"},
    {ir::runtime_entry::kWorkspaceAlloc, "piilp"},
    {ir::runtime_entry::kWorkspaceFree, "iiip"},
    {ir::runtime_entry::kRaise, "ipppi"},
    {ir::runtime_entry::kTakeError, "ip"},
    {ir::runtime_entry::kCallPacked, "ipppip"},
    {ir::runtime_entry::kSetDevice, "iii"},
    {ir::runtime_entry::kCopy, "ipp"},
    {ir::runtime_entry::kPoll, "i"},
    {ir::runtime_entry::kParallelOn, "ippli"},
    {ir::runtime_entry::kThreadIndex, "i"},
};
// This entry and those after it need a newer runtime than the first release.
constexpr std::string_view kFirstNewEntry = ir::runtime_entry::kPoll;
static_assert(sizeof(lathe_runtime_table) == 8 + sizeof(kTable) / sizeof(kTable[0]) * sizeof(void*),
              "an entry of the runtime table is missing here");

// Fields of DLTensor, by their index in ModuleEmitter::tensor_type. `device` and `dtype` read two
// and three members as one word: `device` has the kind in its low half and the number above it;
// `dtype` has code, bits and lanes from the lowest byte up.
struct TensorField {
  const char* name;
  unsigned index;
  DataType dtype;
};
constexpr TensorField kTensorFields[] = {
    {ir::tensor_field::kData, 0, DataType::Handle()},
    {ir::tensor_field::kDevice, 1, DataType::Int(64)},
    {ir::tensor_field::kDeviceType, 1, DataType::Int(32)},
    {ir::tensor_field::kDeviceId, 2, DataType::Int(32)},
    {ir::tensor_field::kNdim, 3, DataType::Int(32)},
    {ir::tensor_field::kDtype, 4, DataType::UInt(32)},
    {ir::tensor_field::kDtypeCode, 4, DataType::UInt(8)},
    {ir::tensor_field::kDtypeBits, 5, DataType::UInt(8)},
    {ir::tensor_field::kDtypeLanes, 6, DataType::UInt(16)},
    {ir::tensor_field::kShape, 7, DataType::Handle()},
    {ir::tensor_field::kStrides, 8, DataType::Handle()},
    {ir::tensor_field::kByteOffset, 9, DataType::UInt(64)},
};

llvm::Type* LetterType(llvm::IRBuilderBase& b, char letter) {
  return letter == 'p'   ? static_cast<llvm::Type*>(b.getPtrTy())
         : letter == 'i' ? b.getInt32Ty()
                         : b.getInt64Ty();
}

}  // namespace

llvm::Value* FunctionEmitter::InvariantLoad(llvm::Type* type, Value* pointer, uint64_t align) {
  llvm::LoadInst* load = b_.CreateAlignedLoad(type, pointer, llvm::Align(align));
  // Arguments, tensor headers and closures do not change while a function runs. The function's own
  // stack may change.
  if (!llvm::isa<llvm::AllocaInst>(pointer->stripInBoundsOffsets())) {
    load->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(context_, {}));
  }
  return load;
}

llvm::Value* FunctionEmitter::ValueField(Value* values, Value* index, unsigned field) {
  return b_.CreateInBoundsGEP(m_.value_type(), values, {index, b_.getInt32(field)});
}

void FunctionEmitter::EmitReturn(Value* value, DataType dtype) {
  llvm::Type* type = function_->getReturnType();
  if (type->isVoidTy()) {
    b_.CreateRetVoid();
  } else if (llvm::BasicBlock* exit = ErrorExit(value)) {
    b_.CreateBr(exit);
  } else {
    if (value->getType() != type) {
      if (!dtype.is_integral() || !func_.return_type.is_integral()) {
        Unsupported("codegen-bad-call", "`" + func_.name + "` returns " + dtype.ToString() +
                                            ", not " + func_.return_type.ToString());
      }
      value = EmitCast(b_, value, dtype, func_.return_type, m_.traits().native);
    }
    b_.CreateRet(value);
  }
  StartDeadBlock();
}

llvm::CallInst* FunctionEmitter::CallRuntime(std::string_view name, const Args& values) {
  const TableEntry* entry = std::find_if(std::begin(kTable), std::end(kTable),
                                         [&](const TableEntry& e) { return name == e.name; });
  const TableEntry* newer =
      std::find_if(std::begin(kTable), std::end(kTable),
                   [](const TableEntry& e) { return kFirstNewEntry == e.name; });
  if (entry >= newer) m_.NeedsAbi(LATHE_KERNEL_ABI_POLL);
  const std::string_view signature = entry->signature;
  llvm::AttributeList attributes;
  auto extend = [&](unsigned index, char letter) {
    if (letter == 'i' && m_.traits().extend_int32)
      attributes = attributes.addAttributeAtIndex(context_, index, llvm::Attribute::SExt);
  };
  extend(llvm::AttributeList::ReturnIndex, signature[0]);
  std::vector<llvm::Type*> types;
  for (size_t i = 0; i < values.size(); ++i) {
    extend(llvm::AttributeList::FirstArgIndex + static_cast<unsigned>(i), signature[i + 1]);
    types.push_back(values[i]->getType());
  }
  llvm::Type* pointer = b_.getPtrTy();
  const uint64_t pointer_align = m_.module().getDataLayout().getPointerABIAlignment(0).value();
  Value* table = InvariantLoad(pointer, m_.table_slot(), pointer_align);
  std::vector<llvm::Type*> members(1 + std::size(kTable), pointer);
  members[0] = b_.getInt64Ty();
  llvm::StructType* layout = llvm::StructType::get(context_, members);
  const auto slot = static_cast<unsigned>(1 + (entry - std::begin(kTable)));  // after struct_size
  Value* function = InvariantLoad(pointer, b_.CreateStructGEP(layout, table, slot), pointer_align);
  llvm::CallInst* result = b_.CreateCall(
      llvm::FunctionType::get(LetterType(b_, signature[0]), types, false), function, values);
  result->setAttributes(attributes);
  result->setDoesNotThrow();
  // The optimizer places code that leads to an error apart from the rest.
  if (name == ir::runtime_entry::kRaise || name == ir::runtime_entry::kTakeError)
    result->addFnAttr(llvm::Attribute::Cold);
  return result;
}

llvm::Value* FunctionEmitter::EmitRuntimeCall(const ir::Call& call, const Args& args) {
  const std::string& name = StringArg(call, 0);
  const TableEntry* entry = std::find_if(std::begin(kTable), std::end(kTable),
                                         [&](const TableEntry& e) { return name == e.name; });
  if (entry == std::end(kTable)) {
    std::vector<std::string> names;
    for (const TableEntry& known : kTable) names.push_back(known.name);
    Unsupported("codegen-bad-call", "the runtime table has no entry `" + name + "`",
                "it has " + QuotedList(names));
  }
  const std::string_view signature = entry->signature;
  if (signature.size() != args.size()) {
    Unsupported("codegen-bad-call", "runtime_call `" + name + "` takes " +
                                        std::to_string(signature.size() - 1) + " arguments, not " +
                                        std::to_string(args.size() - 1));
  }
  Args values;
  for (size_t i = 1; i < args.size(); ++i) {
    llvm::Type* type = LetterType(b_, signature[i]);
    const DataType dtype = call.arg(i)->dtype;
    Value* value = args[i];
    if (signature[i] != 'p' && dtype.is_integral() && dtype.is_scalar())
      value = b_.CreateIntCast(value, type, dtype.is_int());
    if (value == nullptr || value->getType() != type) {
      Unsupported("codegen-bad-call", "argument " + std::to_string(i) + " of runtime_call `" +
                                          name + "` has type " + dtype.ToString());
    }
    values.push_back(value);
  }
  Value* result = CallRuntime(name, values);
  if (name == ir::runtime_entry::kParallel || name == ir::runtime_entry::kParallelOn)
    NoteParallel(args);
  if (name == ir::runtime_entry::kTakeError) error_taken_ = {result, values[0]};
  if (call.dtype.is_void()) return nullptr;
  if (result->getType() == ValueType(context_, call.dtype)) return result;
  if (signature[0] == 'p' || !call.dtype.is_integral()) {
    Unsupported("codegen-bad-call",
                "runtime_call `" + name + "` does not return " + call.dtype.ToString());
  }
  return b_.CreateIntCast(result, ValueType(context_, call.dtype), true);
}

// Damaged bytes may contain calls with buffers as arguments, or with calls that have no result.
void FunctionEmitter::CheckAbiArgs(const ir::Call& call, const Args& args) const {
  for (size_t i = 0; i < args.size(); ++i) {
    const bool is_name = ir::As<ir::StringImm>(call.args[i]) != nullptr ||
                         (call.op == ir::intrinsic::kAccessPtr && i == 0);
    if (is_name || (call.arg(i) && args[i] != nullptr)) continue;
    Unsupported("codegen-bad-call",
                "argument " + std::to_string(i) + " of `" + call.op + "` has no value");
  }
}

llvm::Value* FunctionEmitter::ReadSlot(Value* pointer, DataType dtype, bool invariant) {
  auto load = [&](llvm::Type* t) -> Value* {
    return invariant ? InvariantLoad(t, pointer, 8)
                     : b_.CreateAlignedLoad(t, pointer, llvm::Align(8));
  };
  llvm::Type* type = ValueType(context_, dtype);
  if (dtype.is_handle()) return load(type);
  if (dtype.is_bool()) return b_.CreateICmpNE(load(b_.getInt64Ty()), b_.getInt64(0));
  if (dtype.is_integral()) return b_.CreateTrunc(load(b_.getInt64Ty()), type);
  return EmitCast(b_, load(b_.getDoubleTy()), DataType::Float(64), dtype, m_.traits().native);
}

void FunctionEmitter::WriteSlot(Value* pointer, Value* value, DataType dtype) {
  if (dtype.is_bool())
    value = b_.CreateZExt(value, b_.getInt64Ty());
  else if (dtype.is_integral())
    value = b_.CreateIntCast(value, b_.getInt64Ty(), dtype.is_int());
  else if (dtype.is_float())
    value = EmitCast(b_, value, dtype, DataType::Float(64), m_.traits().native);
  if (dtype.is_handle() && m_.module().getDataLayout().getPointerSize() < 8)
    value = b_.CreatePtrToInt(value, b_.getInt64Ty());
  b_.CreateAlignedStore(value, pointer, llvm::Align(8));
}

void FunctionEmitter::EmitValueSet(const ir::Call& call, const Args& args) {
  Value* kind = b_.CreateIntCast(args.at(2), b_.getInt32Ty(), true);
  auto field = [&](unsigned number) { return ValueField(args.at(0), args.at(1), number); };
  b_.CreateAlignedStore(kind, field(kValueKind), llvm::Align(8));
  b_.CreateAlignedStore(b_.getInt32(0), field(kValuePadding), llvm::Align(4));
  WriteSlot(field(kValuePayload), args.at(3), call.arg(3)->dtype);
}

llvm::Value* FunctionEmitter::EmitTensorField(const ir::Call& call, const Args& args) {
  const std::string& name = StringArg(call, 1);
  for (const TensorField& field : kTensorFields) {
    if (name != field.name) continue;
    llvm::Type* stored = ValueType(context_, field.dtype);
    Value* pointer = b_.CreateStructGEP(m_.tensor_type(), args.at(0), field.index);
    const llvm::StructLayout* places =
        m_.module().getDataLayout().getStructLayout(m_.tensor_type());
    const llvm::Align align =
        llvm::commonAlignment(places->getAlignment(), places->getElementOffset(field.index));
    Value* value = InvariantLoad(stored, pointer, align.value());
    if (field.dtype.is_handle() == call.dtype.is_handle())
      return EmitCast(b_, value, field.dtype, call.dtype, m_.traits().native);
  }
  Unsupported("codegen-bad-call",
              "a tensor has no field `" + name + "` of type " + call.dtype.ToString());
}

llvm::Value* FunctionEmitter::EmitStackTensor(const Args& args) {
  Value* tensor = EntryAlloca(m_.tensor_type(), 1, 8);
  // The order of the call's arguments, as fields of ModuleEmitter::tensor_type.
  constexpr unsigned kFields[] = {0, 3, 7, 8, 9, 4, 5, 6, 1, 2};
  for (size_t i = 0; i < std::size(kFields); ++i) {
    llvm::Type* stored = m_.tensor_type()->getElementType(kFields[i]);
    Value* value = args.at(i);
    if (stored->isIntegerTy()) value = b_.CreateIntCast(value, stored, true);
    b_.CreateStore(value, b_.CreateStructGEP(m_.tensor_type(), tensor, kFields[i]));
  }
  return tensor;
}

llvm::Value* FunctionEmitter::EmitStackArray(const ir::Call& call, const Args& args) {
  const auto* constant = llvm::dyn_cast<llvm::ConstantInt>(args.at(0));
  if (constant == nullptr || constant->getSExtValue() < 0 || constant->getSExtValue() > 65536)
    Unsupported("codegen-bad-call", call.op + " needs a constant count");
  const uint64_t count = std::max<uint64_t>(constant->getZExtValue(), 1);
  if (call.op == ir::intrinsic::kStackSlots) return EntryAlloca(b_.getInt64Ty(), count, 8);
  Value* values = EntryAlloca(m_.value_type(), count, 8);
  b_.CreateMemSet(values, b_.getInt8(0), count * 16, llvm::MaybeAlign(8));
  return values;
}

llvm::Value* FunctionEmitter::EmitAbiCall(const ir::Call& call, const Args& args) {
  const std::string& op = call.op;
  CheckAbiArgs(call, args);
  llvm::Type* type = ValueType(context_, call.dtype);
  auto value_field = [&](unsigned field) { return ValueField(args.at(0), args.at(1), field); };
  auto slot_pointer = [&] { return b_.CreateInBoundsGEP(b_.getInt64Ty(), args.at(0), args.at(1)); };

  if (op == ir::intrinsic::kReturn) return EmitReturn(args.at(0), call.arg(0)->dtype), nullptr;
  if (op == ir::intrinsic::kRuntimeCall) return EmitRuntimeCall(call, args);
  if (op == ir::intrinsic::kRaise) return EmitRaise(call, args), nullptr;
  if (op == ir::intrinsic::kArgKind) return InvariantLoad(type, value_field(kValueKind), 8);
  if (op == ir::intrinsic::kArgValue) return ReadSlot(value_field(kValuePayload), call.dtype, true);
  if (op == ir::intrinsic::kValueKind) return b_.CreateLoad(type, value_field(kValueKind));
  if (op == ir::intrinsic::kValueGet)
    return ReadSlot(value_field(kValuePayload), call.dtype, false);
  if (op == ir::intrinsic::kValueSet) return EmitValueSet(call, args), nullptr;
  if (op == ir::intrinsic::kTensorField) return EmitTensorField(call, args);
  if (op == ir::intrinsic::kShapeAt || op == ir::intrinsic::kSlotLoad)
    return ReadSlot(slot_pointer(), call.dtype, true);
  if (op == ir::intrinsic::kSlotStore)
    return NoteSlotStore(call, args), WriteSlot(slot_pointer(), args.at(2), call.arg(2)->dtype),
           nullptr;
  if (op == ir::intrinsic::kStackSlots || op == ir::intrinsic::kStackValues)
    return EmitStackArray(call, args);
  if (op == ir::intrinsic::kStackTensor) return EmitStackTensor(args);
  if (op == ir::intrinsic::kPointerAt) {
    return InvariantLoad(type, b_.CreateInBoundsGEP(type, args.at(0), args.at(1)),
                         m_.module().getDataLayout().getPointerABIAlignment(0).value());
  }
  if (op == ir::intrinsic::kWorkspaceAt)
    return b_.CreateInBoundsGEP(b_.getInt8Ty(), args.at(0), args.at(1));
  if (op == ir::intrinsic::kPointerIsNull) return b_.CreateIsNull(args.at(0));
  if (op == ir::intrinsic::kFunctionAddress) return m_.FindFunction(StringArg(call, 0));
  if (op == ir::intrinsic::kCallSiteCache) return m_.CallSiteCache();
  if (op == ir::intrinsic::kAddressOf) return args.at(0);
  if (op == ir::intrinsic::kAccessPtr) {
    return ElementPointer(static_cast<const ir::BufferNode&>(*call.args.at(0)), args.at(1),
                          call.arg(1)->dtype);
  }
  Unsupported("codegen-unknown-intrinsic",
              "there is no code for the intrinsic `" + op + "` on this target",
              "lower it by a rule, or write it as loops");
}

}  // namespace lathe::llvm_backend
