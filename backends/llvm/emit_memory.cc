// Loads, stores, pointers, alignment and alias scopes.

#include <numeric>

#include "backends/llvm/function_emitter.h"
#include "base/error.h"
#include "ir/intrinsic_names.h"
#include "ir/names.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/Module.h"

namespace lathe::llvm_backend {

using ir::As;

namespace {

// If a function uses more distinct memories than this, no alias scopes are made: their lists grow
// quadratically and cost more than they bring.
constexpr size_t kMaxAliasScopes = 128;
// Accesses with a stride up to this are read as whole vectors and shuffled.
constexpr int64_t kMaxShuffledStride = 4;

uint64_t LowestBit(uint64_t x) { return x & (~x + 1); }

// Elements of less than a byte that are packed into one vector element.
bool IsPackedElement(DataType element) { return !element.is_scalar() && element.bits() < 8; }

int64_t ConstantStride(llvm::Value* stride, int64_t otherwise) {
  const auto* constant = llvm::dyn_cast_or_null<llvm::ConstantInt>(stride);
  return constant == nullptr ? otherwise : constant->getSExtValue();
}

constexpr int64_t kUnknownStride = INT64_MIN;

}  // namespace

llvm::Value* FunctionEmitter::Evaluate(const ir::Expr& expr) {
  const ir::Edge saved = edge_;
  edge_ = {};
  Visit(expr);
  edge_ = saved;
  return Pop();
}

const ir::Node* FunctionEmitter::RootOf(const ir::Expr& handle) const {
  if (!handle || !handle->dtype.is_handle()) return nullptr;
  const ir::Node* data = nullptr;
  if (As<ir::VarNode>(handle)) {
    data = handle.get();
  } else if (const auto* call = As<ir::Call>(handle)) {
    if (call->op == ir::intrinsic::kAccessPtr && !call->args.empty()) {
      if (const auto* buffer = As<ir::BufferNode>(call->args[0])) data = buffer->data.get();
    } else if (call->op == ir::intrinsic::kAddressOf) {
      if (const auto* load = As<ir::Load>(call->arg(0))) {
        if (const auto* buffer = As<ir::BufferNode>(load->source)) data = buffer->data.get();
      }
    } else if (call->op == ir::intrinsic::kSlotLoad) {
      // Pointers from a closure: two of them may point to the same memory, unless the caller knows
      // that they do not.
      const int64_t* slot = ir::AsConstInt(call->arg(1));
      const ir::Node* root = slot == nullptr ? nullptr : m_.ClosureRoot(function_, *slot);
      return root != nullptr ? root : &func_;
    }
  }
  if (data == nullptr) return nullptr;
  auto found = roots_.find(data);
  return found == roots_.end() ? data : found->second;
}

void FunctionEmitter::NoteSlotStore(const ir::Call& call, const Args& args) {
  const int64_t* slot = ir::AsConstInt(call.arg(1));
  const ir::Node* root = RootOf(call.arg(2));
  if (slot != nullptr && root != nullptr) slot_roots_[args[0]][*slot] = root;
}

void FunctionEmitter::NoteParallel(const Args& args) {
  auto* body = llvm::dyn_cast<llvm::Function>(args.at(1));
  auto roots = slot_roots_.find(args.at(2));
  if (body != nullptr && roots != slot_roots_.end()) m_.SetClosureRoots(body, roots->second);
}

template <class T>
T* FunctionEmitter::Tag(T* instruction, const ir::BufferNode& buffer) {
  accesses_.emplace_back(instruction, RootOf(buffer.data));
  return instruction;
}

void FunctionEmitter::AttachAliasScopes() {
  auto noalias = func_.attrs.find(ir::func_attr::kNoalias);
  if (noalias != func_.attrs.end()) {
    const auto* flag = As<ir::IntImm>(noalias->second);
    if (flag != nullptr && flag->value == 0) return;
  }
  std::vector<const ir::Node*>
      roots;  // in order of first access: the output must not depend on addresses
  std::unordered_map<const ir::Node*, size_t> number;
  for (const auto& [instruction, root] : accesses_) {
    if (number.emplace(root, roots.size()).second) roots.push_back(root);
  }
  if (roots.size() < 2 || roots.size() > kMaxAliasScopes) return;
  llvm::MDBuilder builder(context_);
  llvm::MDNode* domain = builder.createAnonymousAliasScopeDomain(func_.name);
  std::vector<llvm::Metadata*> scopes;
  for (const ir::Node* root : roots) {
    const auto* var = As<ir::VarNode>(root);
    scopes.push_back(builder.createAnonymousAliasScope(domain, var == nullptr ? "" : var->name));
  }
  std::vector<llvm::MDNode*> own, others;
  for (size_t i = 0; i < scopes.size(); ++i) {
    std::vector<llvm::Metadata*> rest = scopes;
    rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(i));
    own.push_back(llvm::MDNode::get(context_, {scopes[i]}));
    others.push_back(llvm::MDNode::get(context_, rest));
  }
  for (const auto& [instruction, root] : accesses_) {
    const size_t i = number[root];
    instruction->setMetadata(llvm::LLVMContext::MD_alias_scope, own[i]);
    instruction->setMetadata(llvm::LLVMContext::MD_noalias, others[i]);
  }
}

FunctionEmitter::Access FunctionEmitter::PopAccess(const ir::BufferNode& buffer, DataType dtype,
                                                   const ir::Expr& index, const ir::Expr& mask) {
  if (buffer.shape.size() > 1) {
    Unsupported("codegen-not-flat",
                "buffer `" + buffer.name + "` of `" + func_.name + "` has " +
                    std::to_string(buffer.shape.size()) + " dimensions",
                "flatten buffers before code generation: the stage must be `flat`");
  }
  Access access{.buffer = &buffer, .dtype = dtype, .index = index};
  const int64_t* all = mask ? ir::AsConstInt(mask) : nullptr;
  if (mask) {
    access.mask = Pop();
    if (all != nullptr && *all != 0) access.mask = nullptr;
  }
  if (!index) {  // rank 0
    access.base = b_.getInt32(0);
    return access;
  }
  if (As<ir::Ramp>(index)) {
    access.is_ramp = true;
    access.stride = Pop();
  } else if (As<ir::Broadcast>(index)) {
    access.is_ramp = true;
    access.stride = IntConstant(context_, index->dtype.element_of(), 0);
  }
  access.base = Pop();
  if (!dtype.is_scalar()) {
    for (Loop& loop : loops_) loop.shaped = true;
  }
  return access;
}

llvm::Value* FunctionEmitter::DataPointer(const ir::BufferNode& buffer) {
  auto found = vars_.find(buffer.data.get());
  if (found == vars_.end()) {
    Unsupported("codegen-unbound-variable", "the data of buffer `" + buffer.name +
                                                "` is used in `" + func_.name +
                                                "` where nothing defines it");
  }
  return found->second;
}

llvm::Value* FunctionEmitter::ElementPointer(const ir::BufferNode& buffer, Value* index,
                                             DataType index_type) {
  Value* pointer = DataPointer(buffer);
  // The offset is computed in 64 bits: a 32-bit index times the element size may not fit into 32
  // bits, and an unsigned index must not become negative.
  llvm::Type* wide = WithLanes(b_.getInt64Ty(), index_type);
  auto widen = [&](Value* value, bool is_signed, llvm::Type* type) {
    return is_signed ? b_.CreateSExt(value, type) : b_.CreateZExt(value, type);
  };
  index = widen(index, !index_type.is_uint(), wide);
  if (buffer.elem_offset && !ir::IsZero(buffer.elem_offset)) {
    Value* offset =
        widen(Evaluate(buffer.elem_offset), !buffer.elem_offset->dtype.is_uint(), b_.getInt64Ty());
    index = b_.CreateAdd(index, Splat(b_, offset, index_type), "", false, true);
  }
  if (buffer.dtype.is_scalar())
    return b_.CreateInBoundsGEP(MemoryType(context_, buffer.dtype), pointer, index);
  Value* bytes = b_.CreateMul(
      index, IntConstant(context_, DataType(DLDataType{kDLInt, 64, index_type.dl().lanes}),
                         buffer.dtype.bytes()));
  return b_.CreateInBoundsGEP(b_.getInt8Ty(), pointer, bytes);
}

uint64_t FunctionEmitter::AlignmentOf(const Access& access) const {
  const ir::BufferNode& buffer = *access.buffer;
  const auto bytes = static_cast<uint64_t>(buffer.dtype.bytes());
  const auto scalar = static_cast<uint64_t>(buffer.dtype.element_of().bytes());
  uint64_t align = std::max(LowestBit(scalar), LowestBit(static_cast<uint64_t>(buffer.alignment)));
  if (auto found = alignments_.find(buffer.data.get()); found != alignments_.end()) {
    align = std::max(align, found->second);
  }
  auto lower = [&](int64_t multiple) {
    if (multiple != 0) align = std::min(align, LowestBit(static_cast<uint64_t>(multiple) * bytes));
  };
  if (buffer.elem_offset) {
    const int64_t factor = buffer.offset_factor > 0 ? buffer.offset_factor : 1;
    lower(std::lcm(std::min<int64_t>(factor & -factor, 1 << 20),
                   std::min<int64_t>(KnownMultiple(buffer.elem_offset), 1 << 20)));
  }
  ir::Expr base = access.index;
  if (const auto* ramp = As<ir::Ramp>(base)) base = ramp->base;
  if (base) lower(KnownMultiple(base));
  return std::max<uint64_t>(align, 1);
}

llvm::Value* FunctionEmitter::FromMemory(Value* value, DataType dtype) {
  if (dtype.is_bool())
    return b_.CreateICmpNE(value, llvm::Constant::getNullValue(value->getType()));
  if (dtype.bits() < 8) return b_.CreateTrunc(value, ValueType(context_, dtype));
  return value;
}

llvm::Value* FunctionEmitter::ToMemory(Value* value, DataType dtype) {
  if (!dtype.is_bool() && dtype.bits() >= 8) return value;
  return b_.CreateZExt(value, WithLanes(b_.getInt8Ty(), dtype));
}

// Loads one vector or scalar whose elements lie side by side from `pointer` on.
llvm::Value* FunctionEmitter::EmitElementLoad(const Access& access, Value* pointer,
                                              uint64_t align) {
  const DataType dtype = access.dtype;
  if (IsPackedElement(access.buffer->dtype)) {
    if (access.mask != nullptr)
      Unsupported("codegen-packed-access", "a masked load of packed elements");
    const auto bits = static_cast<unsigned>(dtype.bits() * dtype.lanes());
    Value* packed =
        Tag(b_.CreateAlignedLoad(b_.getIntNTy((bits + 7) / 8 * 8), pointer, llvm::Align(align)),
            *access.buffer);
    return b_.CreateBitCast(b_.CreateTrunc(packed, b_.getIntNTy(bits)), ValueType(context_, dtype));
  }
  llvm::Type* type = WithLanes(MemoryType(context_, dtype), dtype);
  if (access.mask == nullptr) {
    return FromMemory(Tag(b_.CreateAlignedLoad(type, pointer, llvm::Align(align)), *access.buffer),
                      dtype);
  }
  if (!dtype.is_scalar()) {
    Value* zero = llvm::Constant::getNullValue(type);
    if (IsWithinStack(access)) {
      Value* whole = Tag(b_.CreateAlignedLoad(type, pointer, llvm::Align(align)), *access.buffer);
      return FromMemory(b_.CreateSelect(access.mask, whole, zero), dtype);
    }
    return FromMemory(Tag(b_.CreateMaskedLoad(type, pointer, llvm::Align(align), access.mask, zero),
                          *access.buffer),
                      dtype);
  }
  llvm::BasicBlock* before = b_.GetInsertBlock();
  llvm::BasicBlock* read = NewBlock("masked");
  llvm::BasicBlock* join = NewBlock("join");
  b_.CreateCondBr(access.mask, read, join);
  b_.SetInsertPoint(read);
  Value* loaded = Tag(b_.CreateAlignedLoad(type, pointer, llvm::Align(align)), *access.buffer);
  b_.CreateBr(join);
  b_.SetInsertPoint(join);
  llvm::PHINode* phi = b_.CreatePHI(type, 2);
  phi->addIncoming(loaded, read);
  phi->addIncoming(llvm::Constant::getNullValue(type), before);
  return FromMemory(phi, dtype);
}

llvm::Value* FunctionEmitter::LaneIndices(const Access& access) {
  if (!access.is_ramp) return access.base;
  const DataType type = access.index->dtype;
  Value* steps =
      b_.CreateMul(b_.CreateStepVector(ValueType(context_, type)), Splat(b_, access.stride, type));
  return b_.CreateAdd(Splat(b_, access.base, type), steps, "", false, type.is_int());
}

llvm::Value* FunctionEmitter::EmitLoad(const Access& access) {
  const DataType index_type = access.index ? access.index->dtype : DataType::Int(32);
  const uint64_t align = AlignmentOf(access);
  if (index_type.is_scalar()) {
    return EmitElementLoad(access, ElementPointer(*access.buffer, access.base, index_type), align);
  }
  const int64_t stride =
      access.is_ramp ? ConstantStride(access.stride, kUnknownStride) : kUnknownStride;
  const DataType scalar_index = index_type.element_of();
  const bool scalar_elements = access.buffer->dtype.is_scalar();
  if (stride == 1 && !IsPackedElement(access.buffer->dtype)) {
    return EmitElementLoad(access, ElementPointer(*access.buffer, access.base, scalar_index),
                           align);
  }
  if (!scalar_elements) {
    Unsupported("codegen-vector-elements",
                "`" + access.buffer->name + "` has vector elements (" +
                    access.buffer->dtype.ToString() + ") and is read with a stride",
                "read vector elements one at a time, or side by side");
  }
  const int64_t lanes = index_type.lanes();
  if (stride == 0 && access.mask == nullptr) {
    Access one = access;
    one.dtype = access.dtype.element_of();
    return Splat(
        b_, EmitElementLoad(one, ElementPointer(*access.buffer, access.base, scalar_index), align),
        access.dtype);
  }
  if (stride == -1 && !index_type.is_scalable()) {
    Value* first = b_.CreateSub(access.base, IntConstant(context_, scalar_index, lanes - 1));
    Access forward = access;
    if (access.mask != nullptr) forward.mask = b_.CreateVectorReverse(access.mask);
    const auto element = LowestBit(static_cast<uint64_t>(access.buffer->dtype.bytes()));
    return b_.CreateVectorReverse(EmitElementLoad(
        forward, ElementPointer(*access.buffer, first, scalar_index), std::min(align, element)));
  }
  if (stride > 1 && stride <= kMaxShuffledStride && access.mask == nullptr &&
      !index_type.is_scalable()) {
    // Reads from the first to the last wanted element and no further: the memory behind may not
    // exist.
    Access whole = access;
    whole.dtype = access.dtype.with_lanes(static_cast<int>((lanes - 1) * stride + 1));
    Value* wide =
        EmitElementLoad(whole, ElementPointer(*access.buffer, access.base, scalar_index), align);
    std::vector<int> picks;
    for (int64_t i = 0; i < lanes; ++i) picks.push_back(static_cast<int>(i * stride));
    return b_.CreateShuffleVector(wide, picks);
  }
  if (stride == 0 && !index_type.is_scalable()) return EmitMaskedBroadcast(access, align);
  Value* pointers = ElementPointer(*access.buffer, LaneIndices(access), index_type);
  llvm::Type* type = WithLanes(MemoryType(context_, access.dtype), access.dtype);
  const auto element = LowestBit(static_cast<uint64_t>(access.buffer->dtype.bytes()));
  return FromMemory(Tag(b_.CreateMaskedGather(type, pointers, llvm::Align(element), access.mask,
                                              llvm::Constant::getNullValue(type)),
                        *access.buffer),
                    access.dtype);
}

void FunctionEmitter::EmitStreamingStore(Value* value, Value* pointer, uint64_t align,
                                         const ir::BufferNode& buffer) {
  auto* type = llvm::cast<llvm::FixedVectorType>(value->getType());
  const uint64_t element = type->getScalarSizeInBits() / 8;
  const uint64_t bytes = element * type->getNumElements();
  // Stores one machine vector at a time: LLVM has no unaligned streaming stores of longer vectors.
  const uint64_t piece =
      std::min(LowestBit(bytes), static_cast<uint64_t>(m_.traits().vector_width / 8));
  if (piece < 16) {
    Tag(b_.CreateAlignedStore(value, pointer, llvm::Align(align)), buffer);
    return;
  }
  std::vector<Value*> pieces;
  const auto lanes = static_cast<int>(piece / element);
  for (int first = 0; first < static_cast<int>(type->getNumElements()); first += lanes) {
    std::vector<int> picks(static_cast<size_t>(lanes));
    std::iota(picks.begin(), picks.end(), first);
    pieces.push_back(bytes == piece ? value : b_.CreateShuffleVector(value, picks));
  }
  const auto store = [&](bool streaming, uint64_t known) {
    for (size_t i = 0; i < pieces.size(); ++i) {
      Value* at = b_.CreateConstInBoundsGEP1_64(b_.getInt8Ty(), pointer, i * piece);
      llvm::Instruction* made =
          Tag(b_.CreateAlignedStore(pieces[i], at, llvm::Align(known)), buffer);
      if (!streaming) continue;
      auto* one = llvm::ConstantAsMetadata::get(b_.getInt32(1));
      made->setMetadata(llvm::LLVMContext::MD_nontemporal, llvm::MDNode::get(context_, {one}));
    }
  };
  if (align >= piece) return store(true, piece);
  Value* low = b_.CreateAnd(b_.CreatePtrToInt(pointer, b_.getInt64Ty()), b_.getInt64(piece - 1));
  llvm::BasicBlock *aligned = NewBlock("aligned"), *other = NewBlock("unaligned"),
                   *join = NewBlock("join");
  b_.CreateCondBr(b_.CreateICmpEQ(low, b_.getInt64(0)), aligned, other);
  b_.SetInsertPoint(aligned);
  store(true, piece);
  b_.CreateBr(join);
  b_.SetInsertPoint(other);
  store(false, std::min(align, piece));
  b_.CreateBr(join);
  b_.SetInsertPoint(join);
}

void FunctionEmitter::EmitStore(const Access& access, Value* value) {
  const DataType index_type = access.index ? access.index->dtype : DataType::Int(32);
  const DataType scalar_index = index_type.element_of();
  const DataType dtype = access.dtype;
  const ir::BufferNode& buffer = *access.buffer;
  const uint64_t align = AlignmentOf(access);
  const int64_t stride =
      access.is_ramp ? ConstantStride(access.stride, kUnknownStride) : kUnknownStride;
  const bool contiguous = index_type.is_scalar() || stride == 1;
  if (contiguous && IsPackedElement(buffer.dtype) && index_type.is_scalar() &&
      access.mask == nullptr) {
    const auto bits = static_cast<unsigned>(dtype.bits() * dtype.lanes());
    Value* packed = b_.CreateBitCast(value, b_.getIntNTy(bits));
    packed = b_.CreateZExt(packed, b_.getIntNTy((bits + 7) / 8 * 8));
    Tag(b_.CreateAlignedStore(packed, ElementPointer(buffer, access.base, index_type),
                              llvm::Align(align)),
        buffer);
    return;
  }
  if (!buffer.dtype.is_scalar() && (!contiguous || IsPackedElement(buffer.dtype))) {
    Unsupported("codegen-vector-elements",
                "`" + buffer.name + "` has vector elements (" + buffer.dtype.ToString() +
                    ") and is written with a stride or a mask",
                "write vector elements one at a time, or side by side");
  }
  value = ToMemory(value, dtype);
  if (contiguous) {
    Value* pointer = ElementPointer(buffer, access.base, scalar_index);
    if (access.mask == nullptr && nontemporal_ > 0 && !dtype.is_scalar() &&
        !index_type.is_scalable() && own_memory_.count(RootOf(buffer.data)) == 0) {
      EmitStreamingStore(value, pointer, align, buffer);
    } else if (access.mask == nullptr) {
      Tag(b_.CreateAlignedStore(value, pointer, llvm::Align(align)), buffer);
    } else if (!dtype.is_scalar() && IsWithinStack(access)) {
      // LLVM keeps memory in registers only if no instruction with a mask accesses it.
      const llvm::Align aligned(align);
      Value* before = Tag(b_.CreateAlignedLoad(value->getType(), pointer, aligned), buffer);
      Tag(b_.CreateAlignedStore(b_.CreateSelect(access.mask, value, before), pointer, aligned),
          buffer);
    } else if (!dtype.is_scalar()) {
      Tag(b_.CreateMaskedStore(value, pointer, llvm::Align(align), access.mask), buffer);
    } else {
      llvm::BasicBlock* write = NewBlock("masked");
      llvm::BasicBlock* join = NewBlock("join");
      b_.CreateCondBr(access.mask, write, join);
      b_.SetInsertPoint(write);
      Tag(b_.CreateAlignedStore(value, pointer, llvm::Align(align)), buffer);
      b_.CreateBr(join);
      b_.SetInsertPoint(join);
    }
    return;
  }
  const auto element = LowestBit(static_cast<uint64_t>(buffer.dtype.bytes()));
  Value* pointers = ElementPointer(buffer, LaneIndices(access), index_type);
  if (access.mask != nullptr || index_type.is_scalable()) {
    Value* mask =
        access.mask != nullptr
            ? access.mask
            : llvm::ConstantVector::getSplat(
                  llvm::cast<llvm::VectorType>(value->getType())->getElementCount(), b_.getTrue());
    Tag(b_.CreateMaskedScatter(value, pointers, llvm::Align(element), mask), buffer);
    return;
  }
  // The order of lanes matters if several lanes write the same element: the last one wins, as in
  // the interpreter.
  for (int i = 0; i < dtype.lanes(); ++i) {
    Value* pointer = b_.CreateExtractElement(pointers, static_cast<uint64_t>(i));
    Tag(b_.CreateAlignedStore(b_.CreateExtractElement(value, static_cast<uint64_t>(i)), pointer,
                              llvm::Align(element)),
        buffer);
  }
}

}  // namespace lathe::llvm_backend
