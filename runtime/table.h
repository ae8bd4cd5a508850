// The table that compiled code reads (abi/kernel.h), and what links its call sites to their
// module's imports.
#pragma once

#include <functional>
#include <memory>
#include <string_view>

#include "lathe/abi/kernel.h"
#include "runtime/function.h"

namespace lathe::runtime {

// Constant, lives for ever.
const lathe_runtime_table* RuntimeTable();

// The memory [begin, end) of a loaded artefact: call sites whose `cache` word lies there find their
// functions by `resolve` first (the artefact's imports) and in the global registry then. The loader
// keeps the result as long as the artefact is mapped; dropping it drops the functions that its call
// sites remember. Thread-safe.
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
