// Loads and stores.

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/error.h"
#include "ir/interpreter/machine.h"
#include "ir/interpreter/threads.h"

namespace lathe::ir::interp {

void Machine::OutOfBounds(const Frame& frame, const Access& access, int lane,
                          const char* what) const {
  const LiveBuffer& buffer = frame.buffers[static_cast<size_t>(access.buffer)];
  std::string found, expected;
  for (size_t d = 0; d < access.indices.size(); ++d) {
    const Operand& index = access.indices[d];
    const Lane value = frame.lanes[static_cast<size_t>(index.at + (index.lanes == 1 ? 0 : lane))];
    const int64_t min = buffer.mins.empty() ? 0 : buffer.mins[d];
    int64_t end = 0;
    if (__builtin_add_overflow(min, buffer.shape[d], &end)) end = INT64_MAX;
    found += (d == 0 ? "" : ", ") + FormatLane(value, index.type);
    expected += (d == 0 ? "[" : " x [") + std::to_string(min) + ", " + std::to_string(end) + ")";
  }
  Fail("interpret-out-of-bounds",
       std::string(what) + " `" + access.node->name + "` outside of its bounds",
       expected.empty() ? "an element of its memory" : "indices within " + expected,
       "`" + access.node->name + "[" + found + "]`" +
           (access.index_lanes > 1 ? " in lane " + std::to_string(lane) : ""),
       "guard the access by a condition, or make the buffer larger");
}

namespace {

// The element's byte offset from the buffer's data. False if an index is out of bounds or the
// offset overflows.
bool ElementOffset(const Frame& frame, const Access& access, const LiveBuffer& buffer, int lane,
                   int64_t* out) {
  int64_t offset = buffer.offset;
  for (size_t d = 0; d < access.indices.size(); ++d) {
    const Operand& index = access.indices[d];
    int64_t i = frame.lanes[static_cast<size_t>(index.at + (index.lanes == 1 ? 0 : lane))].i;
    if (!buffer.mins.empty() && __builtin_sub_overflow(i, buffer.mins[d], &i)) return false;
    if (i < 0 || i >= buffer.shape[d]) return false;
    int64_t step = 0;
    if (__builtin_mul_overflow(i, buffer.strides[d], &step) ||
        __builtin_add_overflow(offset, step, &offset)) {
      return false;
    }
  }
  return !__builtin_mul_overflow(offset, static_cast<int64_t>(buffer.element_bytes), out);
}

}  // namespace

Handle Machine::Locate(const Frame& frame, const Access& access, int lane) {
  const LiveBuffer& buffer = frame.buffers[static_cast<size_t>(access.buffer)];
  int64_t offset = 0;
  if (!ElementOffset(frame, access, buffer, lane, &offset)) {
    OutOfBounds(frame, access, lane, "an address in");
  }
  return buffer.data == 0 ? 0 : memory_.Advance(buffer.data, offset, "an address");
}

Diagnostic Machine::Uninitialized(const Frame& frame, const Access& access, int lane) const {
  std::string indices;
  for (const Operand& index : access.indices) {
    const Lane value = frame.lanes[static_cast<size_t>(index.at + (index.lanes == 1 ? 0 : lane))];
    indices += (indices.empty() ? "" : ", ") + FormatLane(value, index.type);
  }
  return Diagnostic{.name = "interpret-uninitialized",
                    .message = "a load of `" + access.node->name + "[" + indices +
                               "]`, which nothing was written to",
                    .expected = "a store before the load",
                    .help = "store the element first, or use InterpretOptions::check_initialized"};
}

void Machine::DoLoad(Frame& frame, const Instr& instr) {
  const Access& access = frame.code->accesses[static_cast<size_t>(instr.index)];
  const LiveBuffer& buffer = frame.buffers[static_cast<size_t>(access.buffer)];
  Lane* out = frame.lanes.data() + instr.dst;
  const Lane* mask = access.mask.lanes > 0 ? frame.lanes.data() + access.mask.at : nullptr;
  const Region* region = nullptr;
  const int total = access.index_lanes * access.element_lanes;
  for (int j = 0; j < access.index_lanes; ++j) {
    Lane* lanes = out + j * access.element_lanes;
    const Lane* mask_of = mask != nullptr ? mask + j * access.element_lanes : nullptr;
    std::fill_n(lanes, access.element_lanes, Lane());
    if (mask_of != nullptr &&
        std::none_of(mask_of, mask_of + access.element_lanes, [](Lane m) { return m.i != 0; })) {
      continue;
    }
    int64_t offset = 0;
    const bool inside = ElementOffset(frame, access, buffer, j, &offset);
    const int64_t at = inside ? static_cast<int64_t>(Memory::OffsetOf(buffer.data)) + offset : -1;
    if (inside && region == nullptr) region = &memory_.Get(buffer.data, Region::kBytes, "a load");
    if (at < 0 || at > static_cast<int64_t>(region->size) ||
        static_cast<int64_t>(region->size) - at < buffer.element_bytes) {
      if (options_.tolerate_dropped_loads && !Counts(frame, j, access.index_lanes)) continue;
      if (options_.spoil_missing_loads) {
        spoiled_ = true;
        continue;
      }
      OutOfBounds(frame, access, j, "a load of");
    }
    if (!region->written.empty()) {
      const auto from = region->written.begin() + at;
      if (std::find(from, from + buffer.element_bytes, 0) != from + buffer.element_bytes &&
          Counts(frame, j * access.element_lanes, total)) {
        if (options_.spoil_missing_loads) {
          spoiled_ = true;
          continue;
        }
        Diagnostic problem = Uninitialized(frame, access, j);
        // Another thread may still write it: then it is a race.
        if (threads_ == nullptr || !region->tracked) throw Error(std::move(problem));
        AddContext(frame, problem);
        threads_->Missing(std::move(problem));
      }
    }
    if (threads_ != nullptr && region->tracked && Counts(frame, j * access.element_lanes, total)) {
      threads_->Access(frame, buffer.data, static_cast<uint64_t>(at),
                       static_cast<uint64_t>(buffer.element_bytes), AccessKind::kRead, false);
    }
    for (int e = 0; e < access.element_lanes; ++e) {
      if (mask_of == nullptr || mask_of[e].i != 0)
        lanes[e] = ReadLane(region->data + at, e, access.element);
    }
  }
}

// Records a store for race detection, and whether the memory already holds the value. Threads that
// store the same value to one place do not race.
void Machine::RecordStore(const Frame& frame, const Access& access, const Region& region,
                          uint64_t at, const Lane* lanes, const Lane* mask) {
  const LiveBuffer& buffer = frame.buffers[static_cast<size_t>(access.buffer)];
  const auto bytes = static_cast<size_t>(buffer.element_bytes);
  std::vector<uint8_t> next(region.data + at, region.data + at + bytes);
  for (int e = 0; e < access.element_lanes; ++e) {
    if (mask == nullptr || mask[e].i != 0) WriteLane(next.data(), e, access.element, lanes[e]);
  }
  threads_->Access(frame, buffer.data, at, bytes, AccessKind::kWrite,
                   std::memcmp(next.data(), region.data + at, bytes) == 0);
}

void Machine::DoStore(Frame& frame, const Instr& instr) {
  const Access& access = frame.code->accesses[static_cast<size_t>(instr.index)];
  const LiveBuffer& buffer = frame.buffers[static_cast<size_t>(access.buffer)];
  const Lane* value = frame.lanes.data() + instr.a;
  const Lane* mask = access.mask.lanes > 0 ? frame.lanes.data() + access.mask.at : nullptr;
  for (int j = 0; j < access.index_lanes; ++j) {
    const Lane* lanes = value + j * access.element_lanes;
    const Lane* mask_of = mask != nullptr ? mask + j * access.element_lanes : nullptr;
    if (mask_of != nullptr &&
        std::none_of(mask_of, mask_of + access.element_lanes, [](Lane m) { return m.i != 0; })) {
      continue;
    }
    int64_t offset = 0;
    if (!ElementOffset(frame, access, buffer, j, &offset))
      OutOfBounds(frame, access, j, "a store to");
    Region& region = memory_.Get(buffer.data, Region::kBytes, "a store");
    const int64_t at = static_cast<int64_t>(Memory::OffsetOf(buffer.data)) + offset;
    if (at < 0 || at > static_cast<int64_t>(region.size) ||
        static_cast<int64_t>(region.size) - at < buffer.element_bytes) {
      OutOfBounds(frame, access, j, "a store to");
    }
    if (region.read_only) {
      Fail("interpret-read-only", "a store to `" + access.node->name + "`, which is read-only", "",
           "", "store to an output or to memory that the program allocates");
    }
    if (threads_ != nullptr && region.tracked) {
      RecordStore(frame, access, region, static_cast<uint64_t>(at), lanes, mask_of);
    }
    if (!region.written.empty()) {
      std::fill_n(region.written.begin() + at, buffer.element_bytes,
                  static_cast<uint8_t>(spoiled_ ? 0 : 1));
    }
    if (spoiled_) continue;
    for (int e = 0; e < access.element_lanes; ++e) {
      if (mask_of == nullptr || mask_of[e].i != 0)
        WriteLane(region.data + at, e, access.element, lanes[e]);
    }
  }
  spoiled_ = false;
}

}  // namespace lathe::ir::interp
