// Values as items of messages, and back. Both ends use this for what is the same on both; objects
// (tensors, functions, modules, devices) are left to the end that knows their handles.
#pragma once

#include <cstdint>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "lathe/abi/value.h"
#include "runtime/rpc/messages.h"
#include "runtime/tensor.h"
#include "runtime/value.h"

namespace lathe::runtime::rpc {

// Lists in lists in lists, at most; with tensors one less. Deeper ones would be refused as
// malformed by the other end, which then knows nothing of what was sent.
inline constexpr int kMostListDepth = 3;

// Numbers, text, bytes and element types, and lists; `other` makes the rest. Fails with
// `session-argument` if lists are too deep.
absl::StatusOr<Item> ToItem(const lathe_value& value,
                            absl::FunctionRef<absl::StatusOr<Item>(const lathe_value&)> other,
                            int depth = 0);
// Fails with `rpc-malformed` if the item has not what its kind needs.
absl::StatusOr<Value> FromItem(const Item& item,
                               absl::FunctionRef<absl::StatusOr<Value>(const Item&)> other);
absl::Status MalformedItem(const Item& item);
// The sender's functions that the items hold, those in lists too.
Numbers CallbacksOf(const std::vector<Item>& items);

uint64_t PackDataType(DLDataType dtype);
DLDataType UnpackDataType(uint64_t dtype);

// The tensor's `data` is a handle of runtime/session/handle_table.h, its session is left out.
View ToView(const DLTensor& tensor, bool read_only);
// A tensor of `session` that owns nothing. Fails with `rpc-malformed` unless the view is a valid
// tensor; whether its memory exists is checked by whoever has that.
absl::StatusOr<Tensor> FromView(const View& view, int32_t session,
                                void (*release)(void* context) = nullptr, void* context = nullptr);
// Handles on their way. 0 is null.
uint64_t PackHandle(const void* handle);
void* UnpackHandle(uint64_t handle);

}  // namespace lathe::runtime::rpc
