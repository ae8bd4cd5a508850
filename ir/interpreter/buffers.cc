// The begin and the end of buffers.

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "ir/interpreter/machine.h"
#include "ir/interpreter/threads.h"

namespace lathe::ir::interp {

void Machine::Enter(Frame& frame, const BufferEntry& entry) {
  const BufferNode& node = *entry.node;
  LiveBuffer& buffer = frame.buffers[static_cast<size_t>(entry.slot)];
  if (buffer.alive && buffer.owned) memory_.Free(buffer.data);
  buffer = LiveBuffer();
  auto values = [&](const std::vector<Operand>& operands) {
    std::vector<int64_t> out;
    for (const Operand& operand : operands)
      out.push_back(frame.lanes[static_cast<size_t>(operand.at)].i);
    return out;
  };
  buffer.node = &node;
  buffer.mins = values(entry.mins);
  buffer.shape = values(entry.shape);
  buffer.strides = values(entry.strides);
  if (entry.offset.lanes > 0) buffer.offset = frame.lanes[static_cast<size_t>(entry.offset.at)].i;
  buffer.element_bytes = node.dtype.bytes() * (node.dtype.is_scalable() ? options_.vscale : 1);
  // The number of elements that new memory needs. On overflow it is huge, so that the memory limit
  // reports it.
  constexpr __int128 kHuge = __int128{1} << 62;
  __int128 compact = 1, reach = 1;
  const bool given = !buffer.strides.empty();
  if (!given) buffer.strides.resize(buffer.shape.size());
  for (size_t d = buffer.shape.size(); d-- > 0;) {
    const int64_t extent = std::max<int64_t>(buffer.shape[d], 0);
    if (!given) buffer.strides[d] = static_cast<int64_t>(std::min(compact, kHuge));
    if (given)
      reach = std::min(kHuge,
                       reach + std::max<__int128>(0, (__int128{extent} - 1) * buffer.strides[d]));
    compact = std::min(kHuge, compact * extent);
  }
  const __int128 elements = std::min(
      kHuge, (given && compact > 0 ? reach : compact) + std::max<int64_t>(buffer.offset, 0));
  Lane& data = frame.lanes[static_cast<size_t>(entry.data)];
  buffer.place = entry.data;
  switch (entry.kind) {
    case BufferEntry::kRealize:
    case BufferEntry::kAllocate: {
      const __int128 bytes = std::min(kHuge, elements * buffer.element_bytes);
      if (entry.copies == Copies::kOne) {
        buffer.data = memory_.Allocate(node.name, static_cast<uint64_t>(bytes));
        buffer.owned = true;
      } else {
        threads_->Allocate(*frame.strand, entry, static_cast<uint64_t>(bytes), &buffer);
      }
      data.i = static_cast<int64_t>(buffer.data);
      break;
    }
    case BufferEntry::kConstant: {
      const auto count = static_cast<int64_t>(options_.constants.size());
      if (entry.constant < 0 || entry.constant >= count) {
        Fail("interpret-no-constant", "the constant `" + node.name + "` is not there",
             "constant number " + std::to_string(entry.constant),
             std::to_string(count) + " constants",
             "pass the module's constants in InterpretOptions::constants");
      }
      Handle& handle = constants_[entry.constant];
      if (handle == 0) {
        InterpTensor tensor = options_.constants[static_cast<size_t>(entry.constant)];
        tensor.read_only = true;
        handle = memory_.WrapData(node.name, tensor);
        if (handle != 0) handle += tensor.byte_offset;
      }
      buffer.data = handle;
      data.i = static_cast<int64_t>(handle);
      break;
    }
    case BufferEntry::kView:
      buffer.data = static_cast<Handle>(data.i);
      break;
  }
  buffer.alive = true;
}

void Machine::Leave(Frame& frame, LiveBuffer& buffer) {
  if (buffer.owned) memory_.Free(buffer.data);
  if (buffer.of_block) threads_->Release(*frame.strand, buffer.data);
  buffer = LiveBuffer();
}

InterpTensor Machine::TensorOf(const LiveBuffer& buffer) {
  InterpTensor tensor;
  tensor.dtype = buffer.node->dtype;
  tensor.shape = buffer.shape;
  tensor.strides = buffer.strides;
  if (buffer.data != 0) {
    Region& region = memory_.Get(buffer.data, Region::kBytes, "a call");
    tensor.data = region.data;
    tensor.byte_offset =
        Memory::OffsetOf(buffer.data) +
        static_cast<uint64_t>(buffer.offset) * static_cast<uint64_t>(buffer.element_bytes);
    tensor.read_only = region.read_only;
  }
  return tensor;
}

}  // namespace lathe::ir::interp
