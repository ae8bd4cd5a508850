// Keys of cache entries.
#pragma once

#include <string>
#include <string_view>

#include "base/digest.h"

namespace lathe::driver {

// The digest of a list of texts. Different lists have different keys.
class KeyBuilder {
 public:
  // `purpose`: the kind of entry that the key is for.
  explicit KeyBuilder(std::string_view purpose) { Add(purpose); }
  KeyBuilder& Add(std::string_view part) {
    all_ += std::to_string(part.size()) + ":";
    all_ += part;
    return *this;
  }
  Digest Finish() const { return DigestOf(all_); }

 private:
  std::string all_;
};

}  // namespace lathe::driver
