#include "plugins/sdk/module.h"

namespace lathe::sdk {
namespace {

using internal::Guard;
using internal::ModuleKind;

// The object behind the host's module pointer: one share of a module.
struct Handle {
  std::shared_ptr<ModuleNode> module;
};

std::string_view View(const lathe_bytes* bytes) { return {bytes->data, bytes->size}; }
ModuleNode& Module(void* handle) { return *static_cast<Handle*>(handle)->module; }

}  // namespace

std::string ModuleNode::Save() {
  throw Error(LATHE_UNIMPLEMENTED, "module-not-saved", "modules of this kind cannot be saved");
}

std::string ModuleNode::Describe(std::string_view) { return ""; }

namespace internal {

lathe_module_api ModuleTable(ModuleKind* kind) {
  lathe_module_api table{};
  table.struct_size = sizeof(table);
  table.self = kind;
  if (kind->probe) {
    table.probe = [](void* self, const lathe_bytes* bytes, int32_t* verdict,
                     lathe_value* reason) noexcept {
      return Guard(reason, [&] {
        const ProbeResult result = static_cast<ModuleKind*>(self)->probe(View(bytes));
        if (result.verdict != LATHE_PROBE_OK) *reason = Value(result.reason).Release();
        *verdict = result.verdict;
      });
    };
  }
  table.load = [](void* self, const lathe_bytes* bytes, void** module,
                  lathe_value* error) noexcept {
    return Guard(error, [&] {
      std::shared_ptr<ModuleNode> loaded = static_cast<ModuleKind*>(self)->load(View(bytes));
      *module = new Handle{std::move(loaded)};
    });
  };
  table.get_function = [](void* module, const char* name, lathe_value* result) noexcept {
    return Guard(result, [&] {
      Function function = Module(module).GetFunction(name);
      if (!function) return;
      auto owned = [keep = static_cast<Handle*>(module)->module,
                    function = std::move(function)](const Args& args) { return function(args); };
      *result = MakeFunctionValue(std::move(owned)).Release();
    });
  };
  table.save = [](void* module, lathe_value* result) noexcept {
    return Guard(result, [&] { *result = Value::Bytes(Module(module).Save()).Release(); });
  };
  table.describe = [](void* module, const char* what, lathe_value* result) noexcept {
    return Guard(result, [&] {
      const std::string text = Module(module).Describe(what);
      if (!text.empty()) *result = Value(text).Release();
    });
  };
  table.drop = [](void* module) noexcept { delete static_cast<Handle*>(module); };
  return table;
}

}  // namespace internal
}  // namespace lathe::sdk
