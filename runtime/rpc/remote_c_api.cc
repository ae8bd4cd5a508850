#include "runtime/rpc/remote_c_api.h"

#include <type_traits>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "runtime/c_entry.h"
#include "runtime/plugin_loader/plugin_loader.h"
#include "runtime/rpc/functions.h"
#include "runtime/status.h"
#include "runtime/value.h"

namespace lathe::runtime {

using internal::Entry;
using internal::ObjectValue;

extern "C" {

lathe_error* lathe_remote_init(void) {
  return Entry([] {
    rpc::RegisterRpcFunctions();
    return absl::OkStatus();
  });
}

lathe_error* lathe_array_new(const lathe_value* items, int64_t n, lathe_object** out) {
  return Entry([&]() -> absl::Status {
    if (n > 0) LATHE_REQUIRE(items);
    LATHE_REQUIRE(out);
    std::vector<Value> values;
    for (int64_t i = 0; i < n; ++i) values.push_back(Value::CopyOf(items[i]));
    *out = Value(std::move(values)).release().v_object;
    return absl::OkStatus();
  });
}
lathe_error* lathe_array_items(const lathe_object* array, const lathe_value** items, int64_t* n) {
  return Entry([&]() -> absl::Status {
    LATHE_REQUIRE(array);
    LATHE_REQUIRE(items);
    LATHE_REQUIRE(n);
    const lathe_value value = ObjectValue(const_cast<lathe_object*>(array));
    const std::vector<Value>* const values = ArrayElements(value);
    if (values == nullptr)
      return MakeStatus(
          absl::StatusCode::kInvalidArgument, "value-wrong-kind",
          {"the object is of another kind\nexpected: array\nfound: ", DescribeValue(value)});
    static_assert(std::is_standard_layout_v<Value> && sizeof(Value) == sizeof(lathe_value));
    *items = reinterpret_cast<const lathe_value*>(values->data());
    *n = static_cast<int64_t>(values->size());
    return absl::OkStatus();
  });
}

lathe_error* lathe_plugin_folder_add(const char* folder) {
  return Entry([&]() -> absl::Status {
    LATHE_REQUIRE(folder);
    PluginLoader::Global().AddFolder(folder);
    return absl::OkStatus();
  });
}

}  // extern "C"

}  // namespace lathe::runtime
