#include "runtime/function.h"

namespace lathe::runtime {
namespace {

// Converts the result of a failed call to an error. A provider that breaks the contract and returns
// another value is named in the error.
ErrorRef TakeError(lathe_value ret) {
  if (ret.kind == LATHE_VALUE_OBJECT && ret.v_object != nullptr &&
      ret.v_object->kind == LATHE_OBJECT_ERROR)
    return ErrorRef::Adopt(reinterpret_cast<lathe_error*>(ret.v_object));
  const Value dropped = Value::Adopt(ret);
  return MakeErrorObject(
      LATHE_INTERNAL, "call-failed-without-error",
      "a function failed but returned " + dropped.ToString() + " in place of an error object");
}

}  // namespace

int internal::ReturnStatus(const absl::Status& status, lathe_value* ret) {
  if (status.ok()) return 0;
  *ret = ObjectValue(MakeErrorObject(status).release());
  return -1;
}

absl::StatusOr<Value> Function::TryCallPacked(const lathe_value* values, int32_t n) const {
  if (get() == nullptr)
    return absl::Status(absl::StatusCode::kInvalidArgument,
                        "[call-null-function] the function is null");
  lathe_value ret{};
  if (get()->call(get()->self, values, n, &ret) != 0) return StatusFromError(*TakeError(ret).get());
  return Value::Adopt(ret);
}

void Function::ThrowNull() {
  throw Error({.name = "call-null-function",
               .message = "the function is null",
               .expected = "a function",
               .found = "none",
               .help = "check what the look-up returned before calling it",
               .notes = {},
               .where = {}});
}

void Function::ThrowReturned(lathe_value ret) { ThrowError(*TakeError(ret).get()); }

}  // namespace lathe::runtime
