#include "runtime/plugin_loader/plugin_module.h"

#include <memory>
#include <mutex>
#include <utility>

#include "lathe/abi/names.h"
#include "runtime/plugin_loader/host_table.h"
#include "runtime/status.h"

namespace lathe::runtime {
namespace {

// The text that a plugin returned; "" if it returned something else.
std::string TakeText(lathe_value* value) {
  const Value owned = Value::Adopt(std::exchange(*value, lathe_value{}));
  return owned.Is<std::string>() ? owned.As<std::string>() : "";
}

absl::Status Contract(const PluginModuleKind& kind, const std::string& what) {
  return MakeStatus(absl::StatusCode::kInternal, "plugin-contract",
                    kind.identity->origin + ": " + what);
}

class PluginModule final : public ModuleNode {
 public:
  PluginModule(const PluginModuleKind* kind, void* handle) : kind_(*kind), handle_(handle) {}
  ~PluginModule() override { kind_.table.drop(handle_); }

  absl::Status ReadMetadata() {
    LATHE_ASSIGN_OR_RETURN(const std::string json, Describe(LATHE_DESCRIBE_METADATA));
    if (json.empty()) return absl::OkStatus();
    LATHE_ASSIGN_OR_RETURN(metadata_, Metadata::FromJson(json));
    return absl::OkStatus();
  }

  std::string_view kind() const override { return kind_.kind; }
  const Metadata& metadata() const override { return metadata_; }

  std::vector<std::string> FunctionNames() const override {
    std::vector<std::string> names;
    for (const FunctionMetadata& function : metadata_.functions) names.push_back(function.name);
    return names;
  }

  Function GetFunction(std::string_view name) override {
    ThrowIfError(kind_.identity->CheckAlive());
    lathe_value result{};
    const std::string text(name);
    if (kind_.table.get_function(handle_, text.c_str(), &result) != 0) {
      ThrowStatus(TakePluginError(&result, kind_.identity->origin));
    }
    const Value owned = Value::Adopt(result);
    if (owned.is_none()) return nullptr;
    if (!owned.Is<Function>())
      ThrowStatus(Contract(kind_, "get_function gave something that is no function"));
    Function function = owned.As<Function>();
    if (!kind_.serial) return function;
    return Function::From(
        [function, serial = serial_](const Args& args, Value* ret) {
          std::lock_guard lock(*serial);
          *ret = function.CallPacked(args.data(), args.size());
        },
        text);
  }

  absl::StatusOr<std::string> Save() const override {
    if (kind_.table.save == nullptr) return ModuleNode::Save();
    LATHE_RETURN_IF_ERROR(kind_.identity->CheckAlive());
    lathe_value result{};
    if (kind_.table.save(handle_, &result) != 0)
      return TakePluginError(&result, kind_.identity->origin);
    const Value owned = Value::Adopt(result);
    if (!owned.Is<std::string>()) return Contract(kind_, "save gave something that is no bytes");
    return owned.As<std::string>();
  }

  absl::StatusOr<std::string> Source(std::string_view format) const override {
    std::string wanted(format);
    if (wanted.empty()) {
      LATHE_ASSIGN_OR_RETURN(const std::string formats, Describe(LATHE_DESCRIBE_FORMATS));
      wanted = formats.substr(0, formats.find(' '));
    }
    if (wanted.empty()) return ModuleNode::Source(format);
    LATHE_ASSIGN_OR_RETURN(std::string text, Describe(wanted.c_str()));
    if (text.empty()) return ModuleNode::Source(format);
    return text;
  }

 private:
  absl::StatusOr<std::string> Describe(const char* what) const {
    if (kind_.table.describe == nullptr) return std::string();
    LATHE_RETURN_IF_ERROR(kind_.identity->CheckAlive());
    lathe_value result{};
    if (kind_.table.describe(handle_, what, &result) != 0)
      return TakePluginError(&result, kind_.identity->origin);
    return TakeText(&result);
  }

  const PluginModuleKind& kind_;
  void* const handle_;
  Metadata metadata_;
  const std::shared_ptr<std::mutex> serial_ = std::make_shared<std::mutex>();
};

}  // namespace

absl::StatusOr<Module> LoadPluginModule(const PluginModuleKind* kind, std::string_view bytes) {
  LATHE_RETURN_IF_ERROR(kind->identity->CheckAlive());
  const lathe_bytes view = {bytes.data(), bytes.size()};
  if (kind->table.probe != nullptr) {
    int32_t verdict = LATHE_PROBE_OK;
    lathe_value reason{};
    if (kind->table.probe(kind->table.self, &view, &verdict, &reason) != 0) {
      return TakePluginError(&reason, kind->identity->origin);
    }
    const std::string text = TakeText(&reason);
    if (verdict == LATHE_PROBE_RECOMPILE) {
      return MakeStatus(absl::StatusCode::kFailedPrecondition, "module-recompile",
                        "the `" + kind->kind + "` module must be compiled again: " + text);
    }
    if (verdict != LATHE_PROBE_OK) {
      return MakeStatus(
          absl::StatusCode::kInvalidArgument, "module-refused",
          kind->identity->origin + " refuses the `" + kind->kind + "` module: " + text);
    }
  }
  void* handle = nullptr;
  lathe_value error{};
  if (kind->table.load(kind->table.self, &view, &handle, &error) != 0) {
    return TakePluginError(&error, kind->identity->origin);
  }
  if (handle == nullptr) return Contract(*kind, "load gave NULL and no error");
  Ref<PluginModule> module = Make<PluginModule>(kind, handle);
  LATHE_RETURN_IF_ERROR(module->ReadMetadata());
  return Module(module);
}

}  // namespace lathe::runtime
