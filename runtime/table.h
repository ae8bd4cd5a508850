// The table that compiled code reads (abi/kernel.h), and the link from its call sites to their
// module's imports.
#pragma once

#include <functional>
#include <memory>
#include <string_view>

#include "lathe/abi/kernel.h"
#include "runtime/function.h"

namespace lathe::runtime {

// Constant; valid until the process ends.
const lathe_runtime_table* RuntimeTable();

// Registers the memory [begin, end) of a loaded artefact. Call sites whose `cache` word is in that
// range look up functions by `resolve` (the artefact's imports) first, and then in the global
// registry. The loader keeps this object as long as the artefact is mapped; its destructor drops
// the functions that the call sites remember. Thread-safe.
class ImageRegistration {
 public:
  ImageRegistration(const void* begin, const void* end,
                    std::function<Function(std::string_view)> resolve);
  ~ImageRegistration();
  ImageRegistration(const ImageRegistration&) = delete;
  ImageRegistration& operator=(const ImageRegistration&) = delete;

 private:
  const void* begin_;
};

}  // namespace lathe::runtime
