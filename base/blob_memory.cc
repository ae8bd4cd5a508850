#include "base/blob_memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <new>
#include <utility>

namespace lathe {
namespace {

constexpr size_t kPieceBytes = size_t{4} << 20;

enum class Kind { kFile, kOwn };

struct Region {
  size_t size;
  Kind kind;
};

// The mapped files and the memory of living blobs, by address. Never destroyed, as blobs may
// outlive static objects.
struct Regions {
  std::mutex mutex;
  std::map<const char*, Region> by_begin;
};

Regions& AllRegions() {
  static auto* regions = new Regions;
  return *regions;
}

void Add(std::string_view bytes, Kind kind) {
  Regions& all = AllRegions();
  const std::lock_guard lock(all.mutex);
  all.by_begin[bytes.data()] = {bytes.size(), kind};
}

void Remove(std::string_view bytes) {
  Regions& all = AllRegions();
  const std::lock_guard lock(all.mutex);
  all.by_begin.erase(bytes.data());
}

uintptr_t PageBytes() {
  static const auto bytes = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  return bytes;
}

// Gives back the whole pages in `bytes` if they are in a region of this kind.
void Drop(std::string_view bytes, Kind kind) {
  const auto begin = reinterpret_cast<uintptr_t>(bytes.data());
  const uintptr_t page = PageBytes(), first = (begin + page - 1) / page * page,
                  last = (begin + bytes.size()) / page * page;
  if (first >= last) return;
  Regions& all = AllRegions();
  // The lock keeps the region from being unmapped, and its address from being used again.
  const std::lock_guard lock(all.mutex);
  auto at = all.by_begin.upper_bound(bytes.data());
  if (at == all.by_begin.begin()) return;
  --at;
  if (at->second.kind != kind || bytes.data() + bytes.size() > at->first + at->second.size) return;
  // Failure keeps the memory, which is harmless.
  madvise(const_cast<char*>(bytes.data()) + (first - begin),  // NOLINT: a system call's type
          last - first, MADV_DONTNEED);
}

void Free(std::string_view bytes) {
  if (bytes.empty()) return;
  Remove(bytes);
  munmap(const_cast<char*>(bytes.data()), bytes.size());  // NOLINT: a system call's type
}

}  // namespace

BlobMemory::BlobMemory(size_t size) : data_(nullptr), size_(size) {
  if (size == 0) return;
  void* const memory =
      mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  data_ = static_cast<char*>(memory);
  try {
    Add({data_, size_}, Kind::kOwn);
  } catch (...) {  // no memory for the table; the destructor is not called
    munmap(memory, size);
    throw;
  }
}

BlobMemory::~BlobMemory() { Free({data_, size_}); }

Ref<const Blob> BlobMemory::Finish() && {
  const std::string_view bytes(std::exchange(data_, nullptr), std::exchange(size_, 0));
  return Blob::View(bytes, [bytes] { Free(bytes); });
}

void NoteMappedFile(std::string_view bytes) { Add(bytes, Kind::kFile); }
void ForgetMappedFile(std::string_view bytes) { Remove(bytes); }
void DropMappedPages(std::string_view bytes) { Drop(bytes, Kind::kFile); }

std::vector<std::string_view> PiecesOf(std::string_view bytes) {
  std::vector<std::string_view> pieces;
  while (!bytes.empty()) {
    const size_t into_page = reinterpret_cast<uintptr_t>(bytes.data()) % PageBytes();
    pieces.push_back(bytes.substr(0, kPieceBytes - into_page));
    bytes.remove_prefix(pieces.back().size());
  }
  return pieces;
}

SpentBlob::SpentBlob(Ref<const Blob> blob) : bytes_(blob->bytes()) {
  // The count goes from one to none as if the last reference were dropped: from then on the table
  // of blobs does not give the blob to anybody (RetainIfAlive). Only its destruction is put off.
  uint32_t one = 1;
  const std::atomic_ref<uint32_t> count(const_cast<uint32_t&>(blob->refs));  // NOLINT
  if (count.compare_exchange_strong(one, 0, std::memory_order_acq_rel)) {
    alone_ = blob.release();
  } else {
    shared_ = std::move(blob);
  }
}

SpentBlob::~SpentBlob() {
  // The count stays 0: otherwise the table could give away a blob of dropped pages until the
  // destructor has taken it out.
  if (alone_ != nullptr) alone_->drop(const_cast<Blob*>(alone_));  // NOLINT: as by a last reference
}

void SpentBlob::DropBefore(size_t end) {
  if (end <= dropped_) return;
  const std::string_view read = bytes_.substr(dropped_, end - dropped_);
  Drop(read, Kind::kFile);
  if (alone_ != nullptr) Drop(read, Kind::kOwn);
  // A page that is not wholly read yet is given back with the next call.
  const uintptr_t at = reinterpret_cast<uintptr_t>(read.data()) + read.size();
  dropped_ = end - std::min<size_t>(at % PageBytes(), read.size());
}

}  // namespace lathe
