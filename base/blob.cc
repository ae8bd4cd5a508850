#include "base/blob.h"

#include <cstdint>
#include <cstring>
#include <mutex>
#include <new>
#include <unordered_map>
#include <utility>

namespace lathe {
namespace {

struct DigestHash {
  size_t operator()(const Digest& digest) const { return static_cast<size_t>(digest.low); }
};

// All living Blobs. The table is never destroyed, because Blobs may outlive static objects.
struct Table {
  std::mutex mutex;
  std::unordered_map<Digest, const Blob*, DigestHash> blobs;
};

Table& Blobs() {
  static Table* table = new Table;
  return *table;
}

// The table's entry, retained; null if there is none or if it is about to be destroyed. The caller
// holds the table's lock: the destructor of a Blob takes that lock before its memory is freed.
Ref<const Blob> Living(const Table& table, const Digest& digest) {
  const auto found = table.blobs.find(digest);
  if (found == table.blobs.end() || !found->second->RetainIfAlive()) return nullptr;
  return Ref<const Blob>::Adopt(found->second);
}

// Gives bytes back unless somebody has taken the duty: also when memory runs out on the way.
struct Duty {
  std::function<void()> release;
  ~Duty() {
    if (release) release();
  }
};

}  // namespace

Blob::Blob(std::string_view bytes, const Digest& digest, std::function<void()> release)
    : Object(LATHE_OBJECT_BLOB), bytes_(bytes), digest_(digest), release_(std::move(release)) {}

Blob::~Blob() {
  {
    Table& table = Blobs();
    std::lock_guard lock(table.mutex);
    // Another Blob of equal content may have replaced this one since its last reference was
    // dropped.
    const auto found = table.blobs.find(digest_);
    if (found != table.blobs.end() && found->second == this) table.blobs.erase(found);
  }
  if (release_) release_();
}

Ref<const Blob> Blob::Intern(std::string_view bytes, const Digest& digest,
                             std::function<void()> release) {
  Duty duty{std::move(release)};
  const Ref<Blob> made = Make<Blob>(bytes, digest, nullptr);
  made->release_.swap(duty.release);
  Ref<const Blob> known;
  // A Blob's destructor takes the lock. `made` is declared before the lock, so that it is destroyed
  // after it, also when the table gets no memory.
  {
    Table& table = Blobs();
    std::lock_guard lock(table.mutex);
    known = Living(table, digest);
    if (!known) table.blobs[digest] = made.get();
  }
  if (known && known->bytes() == bytes) return known;
  return made;
}

Ref<const Blob> Blob::Copy(std::string_view bytes) {
  const Digest digest = DigestOf(bytes);
  if (Ref<const Blob> known = Find(digest); known && known->bytes() == bytes) return known;
  if (bytes.empty()) return Intern({}, digest, nullptr);
  constexpr std::align_val_t kAlign{kAlignment};
  char* copy = static_cast<char*>(::operator new(bytes.size(), kAlign));
  std::memcpy(copy, bytes.data(), bytes.size());
  return Intern({copy, bytes.size()}, digest, [copy] { ::operator delete(copy, kAlign); });
}

Ref<const Blob> Blob::View(std::string_view bytes, std::function<void()> release) {
  if (reinterpret_cast<uintptr_t>(bytes.data()) % kAlignment == 0)
    return Intern(bytes, DigestOf(bytes), std::move(release));
  const Duty duty{std::move(release)};
  return Copy(bytes);
}

Ref<const Blob> Blob::Find(const Digest& digest) {
  Table& table = Blobs();
  std::lock_guard lock(table.mutex);
  return Living(table, digest);
}

}  // namespace lathe
