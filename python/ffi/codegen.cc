// Code generators written in Python, registered in the same way as those of plugins.
//
// A manifest declares the targets within this process. The registry then has the same entries as
// for a plugin: "codegen.<kind>" gives the table of C functions, which call Python, and
// "module.load.<kind>" makes a module from its bytes. So targets, lowering, passes, building and
// module files treat both alike.
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "base/error.h"
#include "ir/binary.h"
#include "lathe/abi/codegen.h"
#include "plugins/host/codegen.h"
#include "python/ffi/ffi.h"
#include "python/ffi/traits.h"
#include "runtime/error_object.h"
#include "runtime/module.h"
#include "runtime/plugin_loader/plugin_loader.h"
#include "runtime/tensor.h"
#include "target/target_schema.h"

namespace lathe::python {
namespace {

using runtime::Function;
using runtime::Value;
using Values = std::vector<Value>;

// One per kind of target. Never destroyed, because the registry requires that.
struct Generator {
  std::string kind;
  runtime::PluginIdentity identity;
  runtime::PluginCodeGen plugin;
  std::mutex mutex;  // guards the functions, which a new declaration of the kind replaces
  Function compile, load;

  Function Compile() {
    const std::lock_guard lock(mutex);
    return compile;
  }
  Function Load() {
    const std::lock_guard lock(mutex);
    return load;
  }
};

// A module compiled in Python. Its functions are Python functions.
class PythonModule : public runtime::ModuleNode {
 public:
  PythonModule(std::string kind, std::string bytes, runtime::Metadata metadata)
      : kind_(std::move(kind)), bytes_(std::move(bytes)), metadata_(std::move(metadata)) {}

  void Add(const std::string& name, Function function) { functions_[name] = std::move(function); }
  void SetSource(std::string source) { source_ = std::move(source); }

  std::string_view kind() const override { return kind_; }
  Function GetFunction(std::string_view name) override {
    const auto it = functions_.find(name);
    return it == functions_.end() ? Function() : it->second;
  }
  std::vector<std::string> FunctionNames() const override {
    std::vector<std::string> names;
    for (const auto& [name, function] : functions_) names.push_back(name);
    return names;
  }
  absl::StatusOr<std::string> Save() const override { return bytes_; }
  const runtime::Metadata& metadata() const override { return metadata_; }
  absl::StatusOr<std::string> Source(std::string_view format) const override {
    return source_.empty() ? ModuleNode::Source(format) : source_;
  }

 private:
  std::string kind_, bytes_, source_;
  runtime::Metadata metadata_;
  std::map<std::string, Function, std::less<>> functions_;
};

// The saved bytes: the size of the module's metadata in decimal, a newline, the metadata, then the
// output of Python.
std::string Wrap(const ir::Module& module, const std::string& made) {
  std::string metadata;
  if (const auto it = module->attrs.find("metadata"); it != module->attrs.end()) {
    if (const auto* text = ir::As<ir::StringImm>(it->second)) metadata = text->value;
  }
  return std::to_string(metadata.size()) + "\n" + metadata + made;
}
struct Unwrapped {
  runtime::Metadata metadata;
  std::string made;
};
Unwrapped Unwrap(const std::string& kind, const std::string& bytes) {
  size_t size = 0, at = 0;
  while (at < bytes.size() && at < 9 && bytes[at] >= '0' && bytes[at] <= '9')
    size = size * 10 + static_cast<size_t>(bytes[at++] - '0');
  if (at == 0 || at >= bytes.size() || bytes[at] != '\n' || size > bytes.size() - at - 1) {
    throw Error(Diagnostic{.name = "python-module-corrupt",
                           .message = "these bytes are no module of kind `" + kind + "`",
                           .help = "build it again"});
  }
  Unwrapped out;
  if (size > 0) out.metadata = OrThrow(runtime::Metadata::FromJson(bytes.substr(at + 1, size)));
  out.made = bytes.substr(at + 1 + size);
  return out;
}

lathe_value BytesValue(const std::string& bytes) { return Value::Bytes(bytes).release(); }

int CompileInPython(void* self, const lathe_compile_request* request, lathe_compile_result* result,
                    lathe_value* error) noexcept {
  try {
    auto* generator = static_cast<Generator*>(self);
    const ir::Module module =
        ir::DecodeModule(std::string_view(request->ir.data, request->ir.size));
    Values constants;
    for (uint32_t i = 0; i < request->num_constants; ++i) {
      const DLTensor& dl = *request->constants[i];
      const auto rank = static_cast<size_t>(dl.ndim);
      constants.emplace_back(OrThrow(runtime::Tensor::Wrap(dl.data, dl.byte_offset,
                                                           {dl.shape, rank}, {}, DataType(dl.dtype),
                                                           runtime::Device::Cpu(), nullptr, nullptr)
                                         .Clone()));
    }
    const auto output = static_cast<plugins::OutputKind>(request->output);
    const auto made = generator
                          ->Compile()(module, std::string(request->target),
                                      std::string(plugins::OutputKindName(output)), constants,
                                      std::string(request->options))
                          .As<Values>();
    // [output, numbers of the constants it holds, log]
    const auto bytes = made.at(0).As<std::string>();
    const bool is_module =
        output == plugins::OutputKind::kModule || output == plugins::OutputKind::kObject;
    std::string held(request->num_constants, '\0');
    for (const int64_t index : made.at(1).As<std::vector<int64_t>>()) {
      if (index >= 0 && index < static_cast<int64_t>(held.size()))
        held[static_cast<size_t>(index)] = 1;
    }
    result->output = BytesValue(is_module ? Wrap(module, bytes) : bytes);
    result->module_kind = BytesValue(generator->kind);
    result->consumed = BytesValue(held);
    result->log = BytesValue(made.at(2).As<std::string>());
    return 0;
  } catch (...) {
    *error = lathe_value{};
    error->kind = LATHE_VALUE_OBJECT;
    error->v_object =
        reinterpret_cast<lathe_object*>(runtime::ErrorFromCurrentException().release());
    return -1;
  }
}

Value LoadInPython(Generator* generator, const std::string& bytes) {
  Unwrapped parts = Unwrap(generator->kind, bytes);
  // [[[name, function]...], source]
  const auto loaded = generator->Load()(Value::Bytes(parts.made)).As<Values>();
  auto module = Make<PythonModule>(generator->kind, bytes, std::move(parts.metadata));
  for (const Value& item : loaded.at(0).As<Values>()) {
    const auto pair = item.As<Values>();
    module->Add(pair.at(0).As<std::string>(), pair.at(1).As<Function>());
  }
  module->SetSource(loaded.at(1).As<std::string>());
  return runtime::Module(std::move(module));
}

Generator& GeneratorOf(const std::string& kind) {
  static std::mutex mutex;
  static auto& generators = *new std::map<std::string, Generator*>;
  const std::lock_guard lock(mutex);
  Generator*& made = generators[kind];
  if (made == nullptr) {
    made = new Generator{.kind = kind};
    made->identity.origin = "the code generator of `" + kind + "` in Python";
    made->plugin = {&made->identity, kind, {}};
    made->plugin.table.struct_size = sizeof(lathe_codegen_api);
    made->plugin.table.self = made;
    made->plugin.table.compile = CompileInPython;
  }
  return *made;
}

}  // namespace

void RegisterCodeGenerators() {
  // The manifest declares one target and one kind of module, both named `kind`. A second
  // declaration replaces the functions. A kind that a plugin provides cannot be declared.
  Def("codegen.declare", [](const std::string& kind, const std::string& manifest,
                            const Function& compile, const Function& load) {
    runtime::ThrowIfError(
        target::ReadTargetSchemas(OrThrow(runtime::Manifest::Parse(manifest))).status());
    runtime::ThrowIfError(runtime::PluginLoader::Global().Declare(manifest));
    Generator& generator = GeneratorOf(kind);
    {
      const std::lock_guard lock(generator.mutex);
      generator.compile = compile;
      generator.load = load;
    }
    const auto put = [](const std::string& name, const Function& function) {
      runtime::ThrowIfError(runtime::RegisterGlobal(name, function, runtime::Override::kReplace));
    };
    put("codegen." + kind,
        Function::From([&generator] { return static_cast<void*>(&generator.plugin); }));
    put("module.load." + kind, Function::From([&generator](const std::string& bytes) {
          return LoadInPython(&generator, bytes);
        }));
  });
  Def("codegen.ir_version", [] { return static_cast<int64_t>(ir::kBinaryVersion); });
}

}  // namespace lathe::python
