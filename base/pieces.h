// The contents of a file in pieces, so that large data is written without a copy.
#pragma once

#include <cstdint>
#include <list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lathe {

// A sequence of byte ranges, some owned and some borrowed. Movable; not thread-safe.
class Pieces {
 public:
  Pieces() = default;
  explicit Pieces(std::string bytes) { Append(std::move(bytes)); }
  Pieces(Pieces&&) = default;
  Pieces& operator=(Pieces&&) = default;

  void Append(std::string bytes) {
    owned_.push_back(std::move(bytes));
    Borrow(owned_.back());
  }
  // Appends bytes without copying them. They must live as long as this object.
  void Borrow(std::string_view bytes) {
    size_ += bytes.size();
    if (!bytes.empty()) views_.push_back(bytes);
  }
  void Append(Pieces pieces) {
    owned_.splice(owned_.end(), pieces.owned_);
    for (const std::string_view view : pieces.views_) Borrow(view);
  }
  // Takes ownership of strings whose bytes were borrowed.
  void Keep(std::list<std::string> strings) { owned_.splice(owned_.end(), strings); }
  // Appends zeros up to a multiple of `alignment`, a power of two.
  void PadTo(uint64_t alignment) { Append(std::string((~size_ + 1) & (alignment - 1), '\0')); }

  uint64_t size() const { return size_; }
  const std::vector<std::string_view>& views() const { return views_; }
  std::string Join() const {
    std::string out;
    out.reserve(size_);
    for (const std::string_view view : views_) out.append(view);
    return out;
  }

 private:
  std::list<std::string> owned_;  // a list, because its elements never move
  std::vector<std::string_view> views_;
  uint64_t size_ = 0;
};

}  // namespace lathe
