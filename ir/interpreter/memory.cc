#include "ir/interpreter/memory.h"

#include <algorithm>
#include <utility>

namespace lathe::ir::interp {
namespace {

// A freed number is reused only when more than this many numbers are free.
constexpr size_t kResting = 4096;

const char* KindName(Region::Kind kind) {
  switch (kind) {
    case Region::kBytes:
      return "memory";
    case Region::kTensor:
      return "a tensor";
    case Region::kValues:
      return "tagged values";
    case Region::kFunction:
      return "a function";
    case Region::kText:
      return "a string";
    case Region::kError:
      return "an error";
  }
  return "";
}

}  // namespace

void Fail(const char* name, std::string message, std::string expected, std::string found,
          std::string help) {
  throw Error(Diagnostic{.name = name,
                         .message = std::move(message),
                         .expected = std::move(expected),
                         .found = std::move(found),
                         .help = std::move(help)});
}

void Memory::TooMuch(uint64_t bytes) const {
  Fail("interpret-memory-limit", "the program needs more memory than the interpreter may use",
       "at most " + std::to_string(limit_) + " bytes at once",
       std::to_string(bytes) + " bytes more than " + std::to_string(used_),
       "make its buffers smaller, or raise InterpretOptions::memory_limit");
}

void Memory::Charge(uint64_t bytes) {
  if (bytes > limit_ || used_ > limit_ - bytes) TooMuch(bytes);
  used_ += bytes;
}

Handle Memory::NewRegion(Region::Kind kind, std::string name) {
  uint64_t number = 0;
  if (free_.size() > kResting) {
    number = free_.front();
    free_.pop_front();
  } else {
    if (regions_.size() >= (uint64_t{1} << 22)) {
      Fail("interpret-memory-limit",
           "the program holds more than 4 million pieces of memory at once");
    }
    regions_.emplace_back();
    number = regions_.size();
  }
  Region& region = regions_[number - 1];
  const uint64_t serial = region.serial + 1;
  region = Region();
  region.serial = serial;
  region.kind = kind;
  region.alive = true;
  region.name = std::move(name);
  return number << kOffsetBits;
}

Handle Memory::Allocate(std::string name, uint64_t bytes) {
  if (bytes > kOffsetMask) TooMuch(bytes);
  const uint64_t cost = bytes + (check_initialized_ ? bytes : 0);
  Charge(cost);
  const Handle handle = NewRegion(Region::kBytes, std::move(name));
  Region& region = RegionOf(handle);
  region.charged = cost;
  // A pattern that is not zero, so that a read before the first write is noticed.
  region.owned.assign(bytes, 0xa5);
  if (check_initialized_) region.written.assign(bytes, 0);
  region.data = region.owned.data();
  region.size = bytes;
  return handle;
}

Handle Memory::AllocateValues(std::string name, uint64_t count) {
  if (count > limit_ / sizeof(ValueCell)) TooMuch(count);
  Charge(count * sizeof(ValueCell));
  const Handle handle = NewRegion(Region::kValues, std::move(name));
  RegionOf(handle).charged = count * sizeof(ValueCell);
  RegionOf(handle).values.resize(count);
  return handle;
}

bool Memory::ExtentOf(const InterpTensor& tensor, Extent* out) {
  // The elements lie within [low, high) bytes of `data`; strides may be negative.
  __int128 low = static_cast<__int128>(tensor.byte_offset), high = low;
  bool empty = false;
  __int128 compact = 1;
  for (size_t d = tensor.shape.size(); d-- > 0;) {
    if (tensor.shape[d] <= 0) empty = true;
    const __int128 stride =
        tensor.strides.size() == tensor.shape.size() ? tensor.strides[d] : compact;
    const __int128 reach = (tensor.shape[d] - 1) * stride * tensor.dtype.bytes();
    (reach < 0 ? low : high) += reach;
    compact *= tensor.shape[d];
  }
  high += tensor.dtype.bytes();
  if (empty) low = high = static_cast<__int128>(tensor.byte_offset);
  low = std::min<__int128>(low, 0);
  if (high - low > static_cast<__int128>(kOffsetMask)) return false;
  uint8_t* const data = static_cast<uint8_t*>(tensor.data);
  *out = {data + static_cast<int64_t>(low), data + static_cast<int64_t>(high)};
  return true;
}

void Memory::JoinOverlapping(std::span<const InterpValue> args) {
  struct Piece {
    Extent extent;
    const InterpTensor* tensor;
    size_t index;
  };
  std::vector<Piece> pieces;
  for (size_t i = 0; i < args.size(); ++i) {
    const InterpTensor* const tensor = args[i].tensor.get();
    Extent extent;
    // The flags of `written` are for one tensor alone. WrapData refuses tensors that are too large.
    if (tensor == nullptr || tensor->data == nullptr || tensor->written != nullptr ||
        !ExtentOf(*tensor, &extent) || extent.begin == extent.end)
      continue;
    pieces.push_back({extent, tensor, i});
  }
  std::sort(pieces.begin(), pieces.end(), [](const Piece& a, const Piece& b) {
    if (a.tensor->read_only != b.tensor->read_only) return b.tensor->read_only;
    return a.extent.begin < b.extent.begin;
  });
  for (auto first = pieces.begin(), next = first; first != pieces.end(); first = next) {
    Extent all = first->extent;
    const bool read_only = first->tensor->read_only;
    for (next = first + 1; next != pieces.end() && next->extent.begin < all.end &&
                           next->tensor->read_only == read_only;
         ++next)
      all.end = std::max(all.end, next->extent.end);
    const Piece& earliest = *std::min_element(
        first, next, [](const Piece& a, const Piece& b) { return a.index < b.index; });
    // WrapData finds that the others lie in it.
    if (earliest.extent.begin == all.begin && earliest.extent.end == all.end) continue;
    Region& region = RegionOf(NewRegion(Region::kBytes, "arguments that overlap"));
    region.data = all.begin;
    region.size = static_cast<size_t>(all.end - all.begin);
    region.read_only = read_only;
    if (!check_initialized_ ||
        std::all_of(first, next, [](const Piece& p) { return p.tensor->initialized; }))
      continue;
    Charge(region.size);
    region.charged = region.size;
    region.written.assign(region.size, 0);
    for (auto piece = first; piece != next; ++piece) {
      if (!piece->tensor->initialized) continue;
      std::fill(region.written.begin() + (piece->extent.begin - all.begin),
                region.written.begin() + (piece->extent.end - all.begin), uint8_t{1});
    }
  }
}

Handle Memory::WrapData(const std::string& name, const InterpTensor& tensor) {
  if (tensor.data == nullptr) return 0;
  Extent extent;
  if (!ExtentOf(tensor, &extent)) {
    Fail("interpret-argument",
         "the tensor `" + name + "` is larger than the interpreter can address");
  }
  const auto [begin, end] = extent;
  uint8_t* const data = static_cast<uint8_t*>(tensor.data);
  for (uint64_t number = 1; number <= regions_.size(); ++number) {
    Region& region = regions_[number - 1];
    if (!region.alive || region.kind != Region::kBytes || !region.owned.empty()) continue;
    if (begin < region.data + region.size && region.data < end && begin != end) {
      if (begin >= region.data && end <= region.data + region.size &&
          region.read_only == tensor.read_only) {
        return (number << kOffsetBits) + static_cast<uint64_t>(data - region.data);
      }
    }
  }
  const Handle handle = NewRegion(Region::kBytes, name);
  Region& region = RegionOf(handle);
  region.data = begin;
  region.size = static_cast<size_t>(end - begin);
  region.read_only = tensor.read_only;
  if (tensor.written != nullptr && tensor.written->size() == region.size && region.size > 0) {
    Charge(region.size);
    region.charged = region.size;
    region.written = *tensor.written;
    region.written_out = tensor.written;
  } else if (check_initialized_ && !tensor.initialized) {
    Charge(region.size);
    region.charged = region.size;
    region.written.assign(region.size, 0);
  }
  return handle + static_cast<uint64_t>(data - begin);
}

Handle Memory::WrapTensor(const std::string& name, std::shared_ptr<const InterpTensor> tensor) {
  const size_t rank = tensor->shape.size();
  const Handle data = WrapData(name, *tensor);
  auto list = [&](const char* what, const std::vector<int64_t>& values) -> Handle {
    const Handle handle = NewRegion(Region::kBytes, name + "'s " + what);
    Region& region = RegionOf(handle);
    const auto* bytes = reinterpret_cast<const uint8_t*>(values.data());
    region.owned.assign(bytes, bytes + values.size() * sizeof(int64_t));
    region.data = region.owned.data();
    region.size = region.owned.size();
    region.read_only = true;
    return handle;
  };
  const Handle shape = list("shape", tensor->shape);
  const Handle strides =
      tensor->strides.size() == rank && rank > 0 ? list("strides", tensor->strides) : 0;
  const Handle handle = NewRegion(Region::kTensor, name);
  Region& region = RegionOf(handle);
  region.tensor = std::move(tensor);
  region.tensor_data = data;
  region.tensor_shape = shape;
  region.tensor_strides = strides;
  return handle;
}

Handle Memory::AddTensor(std::string name, InterpTensor tensor, Handle data, Handle shape,
                         Handle strides) {
  const Handle handle = NewRegion(Region::kTensor, std::move(name));
  Region& region = RegionOf(handle);
  region.tensor = std::make_shared<const InterpTensor>(std::move(tensor));
  region.tensor_data = data;
  region.tensor_shape = shape;
  region.tensor_strides = strides;
  return handle;
}

Handle Memory::Function(const FuncNode* func) {
  const Handle handle = NewRegion(Region::kFunction, func->name);
  RegionOf(handle).func = func;
  return handle;
}

Handle Memory::Text(std::string text) {
  const Handle handle = NewRegion(Region::kText, "a string");
  RegionOf(handle).text = std::move(text);
  return handle;
}

Handle Memory::ErrorValue(Diagnostic error) {
  const Handle handle = NewRegion(Region::kError, "an error");
  RegionOf(handle).error = std::make_shared<Diagnostic>(std::move(error));
  return handle;
}

void Memory::Free(Handle handle) {
  const uint64_t number = handle >> kOffsetBits;
  if (number == 0 || number > regions_.size() || !regions_[number - 1].alive) return;
  Region& region = regions_[number - 1];
  Discharge(region.charged);
  if (region.written_out != nullptr) {
    // No flags: everything counts as written.
    if (region.written.empty()) region.written.assign(region.size, 1);
    *region.written_out = std::move(region.written);
    region.written_out = nullptr;
  }
  region.alive = false;
  region.charged = 0;
  region.owned = {};
  region.written = {};
  region.values = {};
  region.tensor = nullptr;
  region.data = nullptr;
  region.size = 0;
  free_.push_back(number);
}

void Memory::FreeAll() {
  for (uint64_t number = 1; number <= regions_.size(); ++number) Free(number << kOffsetBits);
}

const Region* Memory::Find(Handle handle) const {
  const uint64_t number = handle >> kOffsetBits;
  if (number == 0 || number > regions_.size() || !regions_[number - 1].alive) return nullptr;
  return &regions_[number - 1];
}

Region& Memory::Get(Handle handle, Region::Kind kind, const char* use) {
  const uint64_t number = handle >> kOffsetBits;
  std::string found;
  if (handle == 0) {
    found = "null";
  } else if (number == 0 || number > regions_.size()) {
    found = "a number that is no handle";
  } else if (Region& region = regions_[number - 1]; !region.alive) {
    found = "memory of `" + region.name + "` after its scope has ended";
  } else if (region.kind != kind) {
    found = std::string(KindName(region.kind)) + " (`" + region.name + "`)";
  } else {
    return region;
  }
  Fail("interpret-bad-handle", std::string(use) + " through a handle that does not fit",
       KindName(kind), std::move(found));
}

namespace {

void CheckSpan(const Region& region, uint64_t offset, uint64_t bytes, const char* use) {
  if (offset > region.size || bytes > region.size - offset) {
    Fail("interpret-out-of-bounds", std::string(use) + " outside of `" + region.name + "`",
         "bytes within its " + std::to_string(region.size),
         std::to_string(bytes) + " bytes at offset " + std::to_string(offset));
  }
}

}  // namespace

Handle Memory::Advance(Handle handle, int64_t bytes, const char* use) {
  const Region& region = Get(handle, Region::kBytes, use);
  int64_t offset = 0;
  if (__builtin_add_overflow(static_cast<int64_t>(OffsetOf(handle)), bytes, &offset) ||
      offset < 0) {
    Fail("interpret-out-of-bounds",
         std::string(use) + " before the start of `" + region.name + "`");
  }
  CheckSpan(region, static_cast<uint64_t>(offset), 0, use);
  return handle + static_cast<uint64_t>(bytes);
}

const uint8_t* Memory::Read(Handle handle, uint64_t bytes, const char* use) {
  const Region& region = Get(handle, Region::kBytes, use);
  const uint64_t offset = OffsetOf(handle);
  CheckSpan(region, offset, bytes, use);
  if (!region.written.empty()) {
    const auto from = region.written.begin() + static_cast<ptrdiff_t>(offset);
    if (std::find(from, from + static_cast<ptrdiff_t>(bytes), 0) !=
        from + static_cast<ptrdiff_t>(bytes)) {
      Fail("interpret-uninitialized",
           std::string(use) + " of bytes of `" + region.name + "` that nothing was written to");
    }
  }
  return region.data + offset;
}

uint8_t* Memory::Write(Handle handle, uint64_t bytes, const char* use) {
  Region& region = Get(handle, Region::kBytes, use);
  const uint64_t offset = OffsetOf(handle);
  CheckSpan(region, offset, bytes, use);
  if (region.read_only) {
    Fail("interpret-read-only",
         std::string(use) + " into `" + region.name + "`, which is read-only");
  }
  if (!region.written.empty()) {
    std::fill_n(region.written.begin() + static_cast<ptrdiff_t>(offset), bytes, uint8_t{1});
  }
  return region.data + offset;
}

}  // namespace lathe::ir::interp
