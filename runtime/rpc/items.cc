#include "runtime/rpc/items.h"

#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/session/handle_table.h"
#include "runtime/status.h"
#include "runtime/tensor_object.h"

namespace lathe::runtime::rpc {
namespace {

Item OfKind(ItemKind kind) {
  Item item;
  item.kind = static_cast<uint64_t>(kind);
  return item;
}

absl::Status TooDeep() {
  return MakeStatus(absl::StatusCode::kInvalidArgument, "session-argument",
                    {"lists may be ", std::to_string(kMostListDepth),
                     " deep in arguments and results of a session's functions, those with tensors ",
                     std::to_string(kMostListDepth - 1)});
}

absl::Status Malformed(std::string_view what) {
  return MakeStatus(absl::StatusCode::kInvalidArgument, "rpc-malformed", what);
}

}  // namespace

Numbers CallbacksOf(const std::vector<Item>& items) {
  Numbers callbacks;
  for (const Item& item : items) {
    if (static_cast<ItemKind>(item.kind) == ItemKind::kCallback)
      callbacks.push_back(static_cast<int64_t>(item.object.value_or(0)));
    const Numbers inner = CallbacksOf(item.items);
    callbacks.insert(callbacks.end(), inner.begin(), inner.end());
  }
  return callbacks;
}

absl::Status MalformedItem(const Item& item) {
  return Malformed("an item of kind " + std::to_string(item.kind) +
                   " is not known here, or has not what it needs");
}

uint64_t PackDataType(DLDataType dtype) {
  return uint64_t{dtype.code} | uint64_t{dtype.bits} << 8 | uint64_t{dtype.lanes} << 16;
}

DLDataType UnpackDataType(uint64_t dtype) {
  return {static_cast<uint8_t>(dtype), static_cast<uint8_t>(dtype >> 8),
          static_cast<uint16_t>(dtype >> 16)};
}

absl::StatusOr<Item> ToItem(const lathe_value& value,
                            absl::FunctionRef<absl::StatusOr<Item>(const lathe_value&)> other,
                            int depth) {
  Item item;
  switch (value.kind) {
    case LATHE_VALUE_NONE:
      return OfKind(ItemKind::kNone);
    case LATHE_VALUE_INT:
    case LATHE_VALUE_BOOL:
      item = OfKind(value.kind == LATHE_VALUE_INT ? ItemKind::kInteger : ItemKind::kTruth);
      item.integer = value.v_int;
      return item;
    case LATHE_VALUE_FLOAT:
      item = OfKind(ItemKind::kNumber);
      item.number = value.v_float;
      return item;
    case LATHE_VALUE_DTYPE:
      item = OfKind(ItemKind::kDataType);
      item.dtype = PackDataType(value.v_dtype);
      return item;
    default:
      break;
  }
  std::string_view text;
  if (ValueTraits<std::string_view>::Get(value, &text) == Conversion::kOk) {
    const bool bytes =
        value.kind == LATHE_VALUE_BYTES ||
        (value.kind == LATHE_VALUE_OBJECT && value.v_object->kind == LATHE_OBJECT_BYTES);
    item = OfKind(bytes ? ItemKind::kBytes : ItemKind::kText);
    item.bytes = std::string(text);
    return item;
  }
  if (const std::vector<Value>* elements = ArrayElements(value)) {
    if (depth >= kMostListDepth) return TooDeep();
    item = OfKind(ItemKind::kList);
    for (const Value& element : *elements) {
      LATHE_ASSIGN_OR_RETURN(Item one, ToItem(element.c(), other, depth + 1));
      item.items.push_back(std::move(one));
    }
    return item;
  }
  LATHE_ASSIGN_OR_RETURN(item, other(value));
  if (depth >= kMostListDepth && item.view) return TooDeep();
  return item;
}

absl::StatusOr<Value> FromItem(const Item& item,
                               absl::FunctionRef<absl::StatusOr<Value>(const Item&)> other) {
  switch (static_cast<ItemKind>(item.kind)) {
    case ItemKind::kNone:
      return Value();
    case ItemKind::kInteger:
      if (item.integer) return Value(*item.integer);
      break;
    case ItemKind::kTruth:
      if (item.integer) return Value(*item.integer != 0);
      break;
    case ItemKind::kNumber:
      if (item.number) return Value(*item.number);
      break;
    case ItemKind::kText:
      if (item.bytes) return Value(*item.bytes);
      break;
    case ItemKind::kBytes:
      if (item.bytes) return Value::Bytes(*item.bytes);
      break;
    case ItemKind::kDataType:
      if (item.dtype) return Value(DataType(UnpackDataType(*item.dtype)));
      break;
    case ItemKind::kList: {
      std::vector<Value> values;
      for (const Item& one : item.items) {
        LATHE_ASSIGN_OR_RETURN(Value value, FromItem(one, other));
        values.push_back(std::move(value));
      }
      return Value(std::move(values));
    }
    default:
      return other(item);
  }
  return MalformedItem(item);
}

uint64_t PackHandle(const void* handle) { return HandleTable::NumberOf(handle); }
void* UnpackHandle(uint64_t handle) { return HandleTable::HandleOf(handle); }

View ToView(const DLTensor& tensor, bool read_only) {
  const Device device = Device::FromPacked(tensor.device);
  View view;
  view.memory = PackHandle(tensor.data);
  view.kind = device.kind;
  view.id = device.id;
  view.offset = tensor.byte_offset;
  view.dtype = PackDataType(tensor.dtype);
  view.shape.assign(tensor.shape, tensor.shape + tensor.ndim);
  if (tensor.strides != nullptr && !IsCompact(tensor))
    view.strides.assign(tensor.strides, tensor.strides + tensor.ndim);
  view.read_only = read_only ? 1 : 0;
  return view;
}

absl::StatusOr<Tensor> FromView(const View& view, int32_t session, void (*release)(void* context),
                                void* context) {
  if (view.kind < 0 || view.kind > 0xffff || view.id < 0 || view.id > 0xffff)
    return Malformed("a tensor's device has no such numbers");
  if (!view.strides.empty() && view.strides.size() != view.shape.size())
    return Malformed("a tensor has another number of strides than of axes");
  if (view.shape.size() > kMaxRank) return Malformed("a tensor has too many axes");
  const Device device{static_cast<int32_t>(view.kind), static_cast<int32_t>(view.id), session};
  DLTensor dl{};
  dl.data = UnpackHandle(view.memory);
  dl.device = device.packed();
  dl.ndim = static_cast<int32_t>(view.shape.size());
  dl.dtype = UnpackDataType(view.dtype);
  dl.shape = const_cast<int64_t*>(view.shape.data());
  dl.strides = view.strides.empty() ? nullptr : const_cast<int64_t*>(view.strides.data());
  dl.byte_offset = view.offset;
  if (view.offset > uint64_t{1} << 62) return Malformed("a tensor's offset is too large");
  // The handle's pattern is in the upper bits of the pointer: the offset is not added to it.
  DLTensor at_zero = dl;
  at_zero.byte_offset = 0;
  LATHE_RETURN_IF_ERROR(internal::ValidateTensor(at_zero, "rpc-malformed"));
  return Tensor::Wrap(dl.data, dl.byte_offset, view.shape, view.strides, DataType(dl.dtype), device,
                      release, context, view.read_only != 0);
}

}  // namespace lathe::runtime::rpc
