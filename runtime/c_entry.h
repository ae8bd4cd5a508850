// How C functions are made of code that returns a status and may throw. Internal to the runtime's C
// interfaces.
#pragma once

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lathe/abi/value.h"
#include "runtime/error_object.h"
#include "runtime/init.h"
#include "runtime/module.h"
#include "runtime/status.h"
#include "runtime/value.h"

namespace lathe::runtime::internal {

// Runs the body of an entry.
inline lathe_error* RunEntry(absl::Status (*run)(void* body), void* body) noexcept {
  try {
    Initialize();
    const absl::Status status = run(body);
    return status.ok() ? nullptr : MakeErrorObject(status).release();
  } catch (...) {
    return ErrorFromCurrentException().release();
  }
}

// Null, or the error as an object that the caller owns.
template <class F>
lathe_error* Entry(F body) noexcept {
  return RunEntry([](void* erased) -> absl::Status { return (*static_cast<F*>(erased))(); }, &body);
}

inline absl::Status NullArgument(const char* what) {
  return MakeStatus(absl::StatusCode::kInvalidArgument, "c-api-null-argument",
                    {"`", what, "` is a null pointer"});
}

inline absl::StatusOr<Module> AsModule(lathe_object* object) {
  Module module;
  if (object == nullptr) return NullArgument("module");
  if (ValueTraits<Module>::Get(ObjectValue(object), &module) != Conversion::kOk)
    return MakeStatus(absl::StatusCode::kInvalidArgument, "value-wrong-kind",
                      {"the object is of another kind\nexpected: module\nfound: ",
                       DescribeValue(ObjectValue(object))});
  return module;
}

}  // namespace lathe::runtime::internal

// Returns an error from the entry if the pointer is null.
#define LATHE_REQUIRE(pointer) \
  if ((pointer) == nullptr) return ::lathe::runtime::internal::NullArgument(#pointer)
