#include "runtime/value.h"

#include <cstdio>
#include <cstring>
#include <memory>

#include "base/error.h"
#include "base/message.h"

namespace lathe::runtime {
namespace {

struct StringObject : Object {
  StringObject(uint32_t object_kind, std::string_view bytes) : Object(object_kind), text(bytes) {
    data = text.c_str();
    size = text.size();
  }
  const char* data;
  size_t size;
  std::string text;
};
static_assert(offsetof(lathe_string, data) == sizeof(Object));

struct ArrayObject : Object {
  explicit ArrayObject(std::vector<Value> values)
      : Object(LATHE_OBJECT_ARRAY), items(std::move(values)) {}
  std::vector<Value> items;
};

ObjectRef<lathe_string> MakeString(uint32_t kind, std::string_view bytes) {
  auto* object = MakeObject<StringObject>(kind, bytes);
  object->Retain();
  return ObjectRef<lathe_string>::Adopt(
      reinterpret_cast<lathe_string*>(static_cast<lathe_object*>(object)));
}

bool IsObject(const lathe_value& value, uint32_t kind) {
  return value.kind == LATHE_VALUE_OBJECT && value.v_object != nullptr &&
         value.v_object->kind == kind;
}

// Strings and bytes, borrowed or as objects.
bool TextOf(const lathe_value& value, std::string_view* out) {
  if (value.kind == LATHE_VALUE_STRING && value.v_string != nullptr) {
    *out = value.v_string;
    return true;
  }
  if (value.kind == LATHE_VALUE_BYTES && value.v_bytes != nullptr) {
    *out = {value.v_bytes->data, value.v_bytes->size};
    return true;
  }
  if (IsObject(value, LATHE_OBJECT_STRING) || IsObject(value, LATHE_OBJECT_BYTES)) {
    const auto* text = reinterpret_cast<const lathe_string*>(value.v_object);
    *out = {text->data, text->size};
    return true;
  }
  return false;
}

const DLTensor* TensorOf(const lathe_value& value) {
  if (value.kind == LATHE_VALUE_DLTENSOR) return value.v_dltensor;
  if (IsObject(value, LATHE_OBJECT_TENSOR))
    return &reinterpret_cast<const lathe_tensor*>(value.v_object)->dl;
  return nullptr;
}

std::string ObjectKindName(uint32_t kind) {
  switch (kind) {
    case LATHE_OBJECT_ERROR:
      return "error";
    case LATHE_OBJECT_STRING:
      return "string";
    case LATHE_OBJECT_BYTES:
      return "bytes";
    case LATHE_OBJECT_FUNCTION:
      return "function";
    case LATHE_OBJECT_TENSOR:
      return "tensor";
    case LATHE_OBJECT_MODULE:
      return "module";
    case LATHE_OBJECT_STREAM:
      return "stream";
    case LATHE_OBJECT_ARRAY:
      return "array";
    default:
      return kind >= LATHE_OBJECT_NODE ? "node" : "object of kind " + std::to_string(kind);
  }
}

}  // namespace

ObjectRef<lathe_string> MakeStringObject(std::string_view text) {
  return MakeString(LATHE_OBJECT_STRING, text);
}
ObjectRef<lathe_string> MakeBytesObject(std::string_view bytes) {
  return MakeString(LATHE_OBJECT_BYTES, bytes);
}

std::string KindName(const lathe_value& value) {
  switch (value.kind) {
    case LATHE_VALUE_NONE:
      return "none";
    case LATHE_VALUE_INT:
      return "int";
    case LATHE_VALUE_BOOL:
      return "bool";
    case LATHE_VALUE_FLOAT:
      return "float";
    case LATHE_VALUE_POINTER:
      return "pointer";
    case LATHE_VALUE_DTYPE:
      return "dtype";
    case LATHE_VALUE_DEVICE:
      return "device";
    case LATHE_VALUE_DLTENSOR:
      return value.v_dltensor == nullptr ? "null tensor" : "tensor";
    case LATHE_VALUE_STRING:
      return "string";
    case LATHE_VALUE_BYTES:
      return "bytes";
    case LATHE_VALUE_OBJECT:
      return value.v_object == nullptr ? "null object" : ObjectKindName(value.v_object->kind);
    default:
      return ValueKindText(value.kind);
  }
}

std::string DescribeTensor(const DLTensor& tensor) {
  std::string text = DataType(tensor.dtype).ToString() + "[";
  for (int i = 0; i < tensor.ndim && tensor.shape != nullptr; ++i) {
    if (i > 0) text += ", ";
    text += std::to_string(tensor.shape[i]);
  }
  return text + "] on " + Device::FromPacked(tensor.device).ToString();
}

std::string DescribeValue(const lathe_value& value) {
  std::string_view text;
  if (TextOf(value, &text)) {
    const std::string kind = KindName(value);
    if (kind == "bytes") return std::to_string(text.size()) + " bytes";
    if (text.size() > 60) return kind + " \"" + std::string(text.substr(0, 57)) + "...\"";
    return kind + " \"" + std::string(text) + "\"";
  }
  if (const DLTensor* tensor = TensorOf(value)) return "tensor " + DescribeTensor(*tensor);
  switch (value.kind) {
    case LATHE_VALUE_INT:
      return "int " + std::to_string(value.v_int);
    case LATHE_VALUE_BOOL:
      return value.v_int != 0 ? "bool true" : "bool false";
    case LATHE_VALUE_FLOAT: {
      char digits[40];
      std::snprintf(digits, sizeof(digits), "float %.9g", value.v_float);
      return digits;
    }
    case LATHE_VALUE_DTYPE:
      return "dtype " + DataType(value.v_dtype).ToString();
    case LATHE_VALUE_DEVICE:
      return "device " + Device::FromPacked(value.v_device).ToString();
    default:
      return KindName(value);
  }
}

namespace internal {

void ThrowConversion(const lathe_value& value, Conversion conversion, const std::string& wanted,
                     int32_t argument, const char* function) {
  const bool range = conversion == Conversion::kOutOfRange;
  Diagnostic diagnostic;
  diagnostic.expected = (range ? "a value that fits " : "") + wanted;
  diagnostic.found = DescribeValue(value);
  if (argument < 0) {
    diagnostic.name = range ? "value-out-of-range" : "value-wrong-kind";
    diagnostic.message = range ? "the value does not fit" : "the value is of another kind";
  } else {
    diagnostic.name = range ? "call-argument-out-of-range" : "call-wrong-argument-kind";
    diagnostic.message = "argument " + std::to_string(argument);
    if (function != nullptr && function[0] != '\0')
      diagnostic.message += " of `" + std::string(function) + "`";
    diagnostic.message += range ? " does not fit" : " is of another kind";
    if (wanted == "dtype" && !range)
      diagnostic.help = "element types are such as `float32`, `int8` and `bool`";
    if (value.kind == LATHE_VALUE_DLTENSOR && wanted == "tensor" && value.v_dltensor != nullptr)
      diagnostic.help =
          "a borrowed DLTensor cannot be kept beyond the call: pass a tensor object, or let the "
          "function "
          "take `const DLTensor*`";
  }
  throw Error(std::move(diagnostic));
}

}  // namespace internal

Value Value::CopyOf(const lathe_value& borrowed) {
  switch (borrowed.kind) {
    case LATHE_VALUE_OBJECT:
      RetainObject(borrowed.v_object);
      return borrowed.v_object == nullptr ? Value() : Adopt(borrowed);
    case LATHE_VALUE_STRING:
      if (borrowed.v_string == nullptr) return Value();
      return Adopt(internal::ObjectValue(MakeStringObject(borrowed.v_string).release()));
    case LATHE_VALUE_BYTES:
      if (borrowed.v_bytes == nullptr) return Value();
      return Bytes({borrowed.v_bytes->data, borrowed.v_bytes->size});
    case LATHE_VALUE_DLTENSOR:
      if (borrowed.v_dltensor == nullptr) return Value();
      throw Error(
          {.name = "value-borrowed-tensor",
           .message = "a borrowed DLTensor cannot be kept beyond the call that it was passed to",
           .expected = "a tensor object",
           .found = DescribeValue(borrowed),
           .help = "make a Tensor from it, which shares or copies the memory",
           .notes = {},
           .where = {}});
    default:
      return Adopt(borrowed);
  }
}

Value Value::Bytes(std::string_view bytes) {
  return Adopt(internal::ObjectValue(MakeBytesObject(bytes).release()));
}

void Args::ThrowCount(int32_t wanted) const {
  Diagnostic diagnostic;
  diagnostic.name = "call-wrong-argument-count";
  diagnostic.message = "wrong number of arguments";
  if (function_ != nullptr && function_[0] != '\0')
    diagnostic.message += " for `" + std::string(function_) + "`";
  diagnostic.expected = std::to_string(wanted);
  diagnostic.found = std::to_string(size_);
  throw Error(std::move(diagnostic));
}

Conversion ValueTraits<std::string_view>::Get(const lathe_value& value, std::string_view* out) {
  return TextOf(value, out) ? Conversion::kOk : Conversion::kWrongKind;
}
lathe_value ValueTraits<std::string_view>::Own(std::string_view item) {
  return internal::ObjectValue(MakeStringObject(item).release());
}

Conversion ValueTraits<std::string>::Get(const lathe_value& value, std::string* out) {
  std::string_view text;
  if (!TextOf(value, &text)) return Conversion::kWrongKind;
  *out = text;
  return Conversion::kOk;
}

Conversion ValueTraits<const char*>::Get(const lathe_value& value, const char** out) {
  std::string_view text;
  // Borrowed bytes need not end with a NUL.
  if (value.kind == LATHE_VALUE_BYTES || !TextOf(value, &text)) return Conversion::kWrongKind;
  *out = text.data();
  return Conversion::kOk;
}

Conversion ValueTraits<DataType>::Get(const lathe_value& value, DataType* out) {
  if (value.kind == LATHE_VALUE_DTYPE) {
    *out = DataType(value.v_dtype);
    return Conversion::kOk;
  }
  std::string_view text;
  return TextOf(value, &text) && DataType::Parse(text, out) ? Conversion::kOk
                                                            : Conversion::kWrongKind;
}

Conversion ValueTraits<const DLTensor*>::Get(const lathe_value& value, const DLTensor** out) {
  const DLTensor* tensor = TensorOf(value);
  if (tensor == nullptr) return Conversion::kWrongKind;
  *out = tensor;
  return Conversion::kOk;
}

const std::vector<Value>* ArrayElements(const lathe_value& value) {
  if (!IsObject(value, LATHE_OBJECT_ARRAY)) return nullptr;
  return &static_cast<const ArrayObject*>(static_cast<const Object*>(value.v_object))->items;
}

Conversion ValueTraits<std::vector<Value>>::Get(const lathe_value& value, std::vector<Value>* out) {
  const std::vector<Value>* items = ArrayElements(value);
  if (items == nullptr) return Conversion::kWrongKind;
  *out = *items;
  return Conversion::kOk;
}
lathe_value ValueTraits<std::vector<Value>>::Own(std::vector<Value> items) {
  auto* object = MakeObject<ArrayObject>(std::move(items));
  object->Retain();
  return internal::ObjectValue(static_cast<lathe_object*>(object));
}

}  // namespace lathe::runtime
