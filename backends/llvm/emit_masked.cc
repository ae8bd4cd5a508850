// Accesses with a mask that LLVM's instructions with masks are not the best code for.

#include <algorithm>

#include "backends/llvm/function_emitter.h"
#include "llvm/IR/IRBuilder.h"

namespace lathe::llvm_backend {

bool FunctionEmitter::IsWithinStack(const Access& access) const {
  const ir::BufferNode& buffer = *access.buffer;
  const auto found = vars_.find(buffer.data.get());
  const auto* memory =
      found == vars_.end() ? nullptr : llvm::dyn_cast<llvm::AllocaInst>(found->second);
  const auto* base = llvm::dyn_cast_or_null<llvm::ConstantInt>(access.base);
  if (memory == nullptr || base == nullptr || access.dtype.is_scalable()) return false;
  llvm::Type* all = memory->getAllocatedType();
  if (!buffer.dtype.is_scalar() || all->getArrayElementType() != MemoryType(context_, buffer.dtype))
    return false;
  if (buffer.elem_offset && !ir::IsZero(buffer.elem_offset)) return false;
  const int64_t first = base->getSExtValue(),
                count = static_cast<int64_t>(all->getArrayNumElements());
  return first >= 0 && first <= count - access.dtype.lanes();
}

// One element for all lanes of the mask. If the mask is empty, the element may not exist, and a
// place that always does is read instead: a branch would end the loop's basic block.
llvm::Value* FunctionEmitter::EmitMaskedBroadcast(const Access& access, uint64_t align) {
  Access one = access;
  one.dtype = access.dtype.element_of();
  one.mask = nullptr;
  Value* pointer = ElementPointer(*access.buffer, access.base, access.index->dtype.element_of());
  constexpr uint64_t kMostBytes = 8;
  if (nothing_ == nullptr) nothing_ = EntryAlloca(b_.getInt8Ty(), kMostBytes, kMostBytes);
  pointer = b_.CreateSelect(b_.CreateOrReduce(access.mask), pointer, nothing_);
  Value* one_value = EmitElementLoad(one, pointer, std::min(align, kMostBytes));
  Value* all = Splat(b_, one_value, access.dtype);
  return b_.CreateSelect(access.mask, all, llvm::Constant::getNullValue(all->getType()));
}

}  // namespace lathe::llvm_backend
