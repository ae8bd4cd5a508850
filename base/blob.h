// Blob: immutable bytes of any size, identified by their content. It holds the data of a constant.
//
// Within a process, equal bytes are one Blob, so programs, modules and caches share one copy of a
// weight. The exception is a deliberate collision, two contents with the same digest: they stay
// separate Blobs. All functions are thread-safe.
#pragma once

#include <cstddef>
#include <functional>
#include <string_view>

#include "base/digest.h"
#include "base/object.h"

namespace lathe {

class Blob final : public Object {
 public:
  // The data of every Blob begins at a multiple of this, in bytes. Vector loads want that.
  static constexpr size_t kAlignment = 64;

  // A Blob with a copy of the bytes.
  static Ref<const Blob> Copy(std::string_view bytes);
  // A Blob that refers to the bytes without copying them. `release` is called once, when nobody
  // needs the bytes any more; if an equal Blob already exists, that is at once. Until then the
  // bytes must not change. Bytes that do not begin at a multiple of kAlignment are copied.
  static Ref<const Blob> View(std::string_view bytes, std::function<void()> release);
  // The living Blob with this digest; null if there is none.
  static Ref<const Blob> Find(const Digest& digest);

  ~Blob();

  const char* data() const { return bytes_.data(); }
  size_t size() const { return bytes_.size(); }
  std::string_view bytes() const { return bytes_; }
  const Digest& digest() const { return digest_; }

  // For Copy and View only.
  Blob(std::string_view bytes, const Digest& digest, std::function<void()> release);

 private:
  static Ref<const Blob> Intern(std::string_view bytes, const Digest& digest,
                                std::function<void()> release);

  std::string_view bytes_;
  Digest digest_;
  std::function<void()> release_;
};

}  // namespace lathe
