// Begins threads at loops over thread axes, and allocates the memory that threads share.

#include <algorithm>

#include "base/error.h"
#include "ir/interpreter/threads.h"
#include "ir/names.h"

namespace lathe::ir::interp {

// A copy of a thread at the same instruction. It gets copies of the memory that belongs to the
// first thread alone.
std::unique_ptr<Strand> Threads::Clone(const Strand& from) {
  auto out = std::make_unique<Strand>();
  Frame& frame = out->frame;
  machine_.memory_.Charge(from.frame.lanes.size() * sizeof(Lane));
  frame.code = from.frame.code;
  frame.pc = from.frame.pc;
  frame.lanes = from.frame.lanes;
  frame.buffers = from.frame.buffers;
  frame.strand = out.get();
  std::unordered_map<uint64_t, Handle> copies;  // by the number of the region
  Memory& memory = machine_.memory_;
  for (LiveBuffer& buffer : frame.buffers) {
    if (!buffer.alive) continue;
    if (buffer.of_block) ++from.block->users[buffer.data & ~kOffsetMask];
    if (!buffer.owned) continue;
    const Region& original = memory.Get(buffer.data, Region::kBytes, "a thread");
    const Handle copy = memory.Allocate(original.name, original.size);
    Region& region = memory.Get(copy, Region::kBytes, "a thread");
    const Region& source = memory.Get(buffer.data, Region::kBytes, "a thread");
    std::copy(source.owned.begin(), source.owned.end(), region.owned.begin());
    region.written = source.written;
    region.tracked = false;
    copies[buffer.data >> kOffsetBits] = copy;
  }
  for (LiveBuffer& buffer : frame.buffers) {
    const auto copy = copies.find(buffer.data >> kOffsetBits);
    if (!buffer.alive || copy == copies.end()) continue;
    buffer.data = copy->second + Memory::OffsetOf(buffer.data);
    if (buffer.place >= 0)
      frame.lanes[static_cast<size_t>(buffer.place)].i = static_cast<int64_t>(buffer.data);
  }
  out->block = from.block;
  out->index = from.index;
  out->nonzero = from.nonzero;
  out->shadow = from.shadow;
  out->shadows = from.shadows;
  out->stop = from.stop;
  out->ready = false;
  return out;
}

// All threads of `group` are at the same loop over a thread axis. Threads that the loop needs and
// that do not exist yet begin here, as copies of those with index 0. Then all enter the loop.
void Threads::Fork(std::vector<Strand*>& group) {
  const Instr& instr = InstrOf(*group[0]);
  const ThreadLoop& loop = host_.code->thread_loops[static_cast<size_t>(instr.index)];
  const auto axis = static_cast<size_t>(loop.axis);
  ThreadBlock& block = *group[0]->block;
  if (!region_.tags[axis].starts_with(thread_tag::kBlockPrefix)) {
    std::vector<Strand*> fresh;
    for (Strand* strand : group) {
      const int64_t extent = strand->frame.lanes[static_cast<size_t>(instr.b)].i;
      if (strand->index[axis] != 0) continue;
      for (int64_t i = 1; i < extent; ++i) {
        std::vector<int64_t> index = strand->index;
        index[axis] = i;
        if (!block.indices.insert(index).second) continue;
        std::unique_ptr<Strand> thread = Clone(*strand);
        thread->index = std::move(index);
        thread->nonzero |= 1u << axis;
        // Outer loops over this axis have no iteration for the new thread: they already began the
        // threads that they need.
        if (loop.outer >= 0) {
          thread->shadow |= 1u << axis;
          for (size_t k = static_cast<size_t>(loop.outer) + 1; k < thread->shadows.size(); ++k)
            thread->shadows[k] |= 1u << axis;
        }
        thread->id = static_cast<uint32_t>(names_.size());
        names_.emplace_back();
        for (size_t k = 0; k < names_.back().size() && k < thread->index.size(); ++k) {
          names_.back()[k] = static_cast<int32_t>(thread->index[k]);
        }
        fresh.push_back(thread.get());
        block.strands.push_back(std::move(thread));
      }
      block.extent[axis] = std::max(block.extent[axis], extent);
    }
    block.seen |= 1u << axis;
    group.insert(group.end(), fresh.begin(), fresh.end());
    NumberLanes(block);
    for (size_t k = 0; k < tags_.size() && k < launch_.size(); ++k) {
      if (tags_[k] == region_.tags[axis] &&
          std::max<int64_t>(launch_[k], 1) != block.extent[axis]) {
        Fail("interpret-launch",
             "`" + host_.code->func->name + "` is launched with another extent of `" + tags_[k] +
                 "`",
             std::to_string(block.extent[axis]) + ", which its loops have",
             std::to_string(launch_[k]));
      }
    }
  }
  for (Strand* strand : group) {
    EnterLoop(*strand, instr);
    Go(*strand);
  }
}

// Threads are numbered along threadIdx.x, then y, then z. Each warp has consecutive numbers.
void Threads::NumberLanes(ThreadBlock& block) {
  const auto warp_size = static_cast<uint64_t>(machine_.options_.warp_size);
  uint32_t warps = 1;
  for (const std::unique_ptr<Strand>& strand : block.strands) {
    uint64_t number = 0, step = 1;
    for (const char* tag : {thread_tag::kThreadX, thread_tag::kThreadY, thread_tag::kThreadZ}) {
      const auto axis = std::find(region_.tags.begin(), region_.tags.end(), tag);
      if (axis == region_.tags.end()) continue;
      const auto at = static_cast<size_t>(axis - region_.tags.begin());
      number += step * static_cast<uint64_t>(strand->index[at]);
      step *= static_cast<uint64_t>(block.extent[at]);
    }
    strand->warp = static_cast<uint32_t>(number / warp_size);
    strand->lane = static_cast<uint32_t>(number % warp_size);
    warps = std::max(warps, strand->warp + 1);
  }
  block.warp_epochs.resize(std::max<size_t>(block.warp_epochs.size(), warps), 0);
}

void Threads::EnterLoop(Strand& strand, const Instr& instr) {
  const ThreadLoop& loop = host_.code->thread_loops[static_cast<size_t>(instr.index)];
  Lane* lanes = strand.frame.lanes.data();
  const int64_t index = strand.index[static_cast<size_t>(loop.axis)];
  const uint32_t bit = 1u << loop.axis;
  lanes[instr.dst].i =
      static_cast<int64_t>(static_cast<uint64_t>(lanes[instr.a].i) + static_cast<uint64_t>(index));
  RoundLanes(lanes + instr.dst, 1, instr.type);
  strand.shadows.push_back(strand.shadow);
  if (index < lanes[instr.b].i) {
    strand.shadow &= ~bit;
  } else if (!region_.kernel && loop.reopens) {
    strand.shadow |= bit;
  } else {
    strand.shadows.pop_back();
    strand.frame.pc = static_cast<size_t>(loop.end);
  }
}

bool Threads::ThreadBegin(Strand& strand, const Instr& instr) {
  if (!region_.kernel) return false;
  const ThreadLoop& loop = host_.code->thread_loops[static_cast<size_t>(instr.index)];
  const auto axis = static_cast<size_t>(loop.axis);
  if (!region_.tags[axis].starts_with(thread_tag::kBlockPrefix)) {
    if ((strand.block->seen >> axis & 1) == 0) return false;
    const int64_t extent = strand.frame.lanes[static_cast<size_t>(instr.b)].i;
    if (extent > strand.block->extent[axis]) {
      Fail("interpret-thread-extent",
           "a loop over `" + region_.tags[axis] + "` needs more threads than the kernel has",
           "at most " + std::to_string(strand.block->extent[axis]), std::to_string(extent),
           "the outermost loop over an axis says how many threads there are");
    }
  }
  EnterLoop(strand, instr);
  return true;
}

void Threads::ThreadEnd(Strand& strand) {
  strand.shadow = strand.shadows.back();
  strand.shadows.pop_back();
}

void Threads::Allocate(Strand& strand, const BufferEntry& entry, uint64_t bytes,
                       LiveBuffer* buffer) {
  Memory& memory = machine_.memory_;
  ThreadBlock& block = *strand.block;
  if (entry.copies == Copies::kPerThread) {
    buffer->data = memory.Allocate(entry.node->name, bytes);
    buffer->owned = true;
    memory.Get(buffer->data, Region::kBytes, "a thread").tracked = false;
    return;
  }
  const uint64_t warp = entry.copies == Copies::kPerWarp ? strand.warp + uint64_t{1} : 0;
  const auto number = static_cast<uint64_t>(&entry - host_.code->buffers.data());
  ThreadBlock::Shared& shared = block.shared[number << 32 | warp];
  // A kernel has one copy for its whole run. A schedule's loop nest has a new copy each time that
  // threads come here.
  if (shared.handle == 0 || (!region_.kernel && shared.step != step_)) {
    shared = {memory.Allocate(entry.node->name, bytes), bytes, step_};
    block.users[shared.handle] = 0;
  }
  if (shared.bytes != bytes) {
    Fail("interpret-thread-extent",
         "threads need different sizes of the memory of `" + entry.node->name +
             "`, which they share",
         std::to_string(shared.bytes) + " bytes", std::to_string(bytes) + " bytes");
  }
  ++block.users[shared.handle];
  buffer->data = shared.handle;
  buffer->of_block = true;
}

void Threads::Release(Strand& strand, Handle handle) {
  if (region_.kernel) return;
  const auto found = strand.block->users.find(handle & ~kOffsetMask);
  if (found == strand.block->users.end() || --found->second > 0) return;
  races_.Forget(handle);
  machine_.memory_.Free(handle);
  strand.block->users.erase(found);
  // A thread that comes to the allocation later in this step must not find the freed memory.
  for (auto& [number, shared] : strand.block->shared) {
    if (shared.handle == (handle & ~kOffsetMask)) shared.handle = 0;
  }
}

}  // namespace lathe::ir::interp
