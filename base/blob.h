// Blob: immutable bytes of any size, known by their content: a constant's data.
//
// Equal bytes are one blob in a process, however often they are made, so that programs, modules and
// caches that speak of one weight share one copy of it. (But for two contents of one digest, which
// somebody made on purpose: they stay apart.) All functions are thread-safe.
#pragma once

#include <cstddef>
#include <functional>
#include <string_view>

#include "base/digest.h"
#include "base/object.h"

namespace lathe {

class Blob final : public Object {
 public:
  // Where every blob's data begins is a multiple of this, in bytes: what vector loads like.
  static constexpr size_t kAlignment = 64;

  // The bytes, copied.
  static Ref<const Blob> Copy(std::string_view bytes);
  // The bytes where they lie. `release` is called once, when nobody needs them any more (at once
  // where an equal blob exists already). Until then they must not change. Bytes that do not begin
  // at a multiple of kAlignment are copied.
  static Ref<const Blob> View(std::string_view bytes, std::function<void()> release);
  // The living blob of that content; null where there is none.
  static Ref<const Blob> Find(const Digest& digest);

  ~Blob();

  const char* data() const { return bytes_.data(); }
  size_t size() const { return bytes_.size(); }
  std::string_view bytes() const { return bytes_; }
  const Digest& digest() const { return digest_; }

  // For the functions above.
  Blob(std::string_view bytes, const Digest& digest, std::function<void()> release);

 private:
  static Ref<const Blob> Intern(std::string_view bytes, const Digest& digest,
                                std::function<void()> release);

  std::string_view bytes_;
  Digest digest_;
  std::function<void()> release_;
};

}  // namespace lathe
