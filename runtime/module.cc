#include "runtime/module.h"

#include <algorithm>
#include <cstring>
#include <unordered_set>
#include <utility>

#include "base/error.h"
#include "base/file.h"
#include "runtime/registry.h"
#include "runtime/status.h"

namespace lathe::runtime {
namespace {

absl::Status NoFunction(const Module& module, std::string_view name) {
  std::vector<std::string> known;
  for (ModuleNode* node : ModulesOf(module))
    for (std::string& one : node->FunctionNames()) known.push_back(std::move(one));
  std::string text = "the module has no function `" + std::string(name) + "`";
  if (!known.empty()) text += "\nfound: " + QuotedList(known);
  if (const auto near = NearestNames(name, known); !near.empty())
    text += "\nhelp: did you mean " + QuotedList(near) + "?";
  return MakeStatus(absl::StatusCode::kNotFound, "module-no-function", text);
}

[[noreturn]] void ThrowImport(std::string name, std::string message, std::string help) {
  throw Error({.name = std::move(name),
               .message = std::move(message),
               .expected = "",
               .found = "",
               .help = std::move(help),
               .notes = {},
               .where = {}});
}

}  // namespace

std::vector<ModuleNode*> ModulesOf(const Module& root) {
  if (root.get() == nullptr) return {};
  std::vector<ModuleNode*> order = {root.get()};
  std::unordered_set<ModuleNode*> seen = {root.get()};
  for (size_t i = 0; i < order.size(); ++i)
    for (const Module& import : order[i]->imports())
      if (seen.insert(import.get()).second) order.push_back(import.get());
  return order;
}

ModuleNode::ModuleNode()
    : Object(LATHE_OBJECT_MODULE), imports_(std::make_unique<std::vector<Module>>()) {}
ModuleNode::~ModuleNode() = default;

Function ModuleNode::GetFunctionIn(const Module& /*root*/, std::string_view name) {
  return GetFunction(name);
}
std::vector<std::string> ModuleNode::FunctionNames() const {
  std::vector<std::string> names;
  for (const FunctionMetadata& function : metadata().functions) names.push_back(function.name);
  return names;
}
absl::StatusOr<std::string> ModuleNode::Save() const {
  return MakeStatus(absl::StatusCode::kUnimplemented, "module-not-saveable",
                    {"a module of kind `", kind(), "` cannot be saved"});
}
const Metadata& ModuleNode::metadata() const {
  static const Metadata* none = new Metadata;
  return *none;
}
absl::StatusOr<std::string> ModuleNode::Source(std::string_view format) const {
  return MakeStatus(
      absl::StatusCode::kNotFound, "module-no-source",
      {"a module of kind `", kind(), "` has no source",
       (format.empty() ? std::string() : " in format `" + std::string(format) + "`")});
}

Function Module::FindFunction(std::string_view name) const {
  if (get() == nullptr) return Function();
  // In nearly all cases the module itself has the function.
  if (Function found = get()->GetFunction(name)) return found;
  for (ModuleNode* node : ModulesOf(*this))
    if (node != get())
      if (Function found = node->GetFunctionIn(*this, name)) return found;
  return Function();
}

absl::StatusOr<Function> Module::GetFunction(std::string_view name) const {
  if (get() == nullptr)
    return MakeStatus(absl::StatusCode::kInvalidArgument, "module-null", "the module is null");
  if (Function found = FindFunction(name)) return found;
  return NoFunction(*this, name);
}

absl::StatusOr<Function> Module::EntryFunction() const {
  if (get() == nullptr)
    return MakeStatus(absl::StatusCode::kInvalidArgument, "module-null", "the module is null");
  const Metadata& metadata = get()->metadata();
  if (!metadata.entry.empty()) return GetFunction(metadata.entry);
  const std::vector<std::string> names = get()->FunctionNames();
  if (names.size() == 1) return GetFunction(names[0]);
  if (Function found = FindFunction("main")) return found;
  return MakeStatus(absl::StatusCode::kNotFound, "module-no-entry",
                    {"the module states no entry function\nexpected: an entry in its metadata, a "
                     "single function, or one "
                     "named `main`\nfound: ",
                     QuotedList(names)});
}

void Module::Import(Module module) const {
  if (get() == nullptr || module.get() == nullptr)
    ThrowImport("module-import-null", "a module cannot import, or be, nothing",
                "check what loading it returned");
  const std::vector<ModuleNode*> reached = ModulesOf(module);
  if (std::find(reached.begin(), reached.end(), get()) != reached.end())
    ThrowImport("module-import-cycle", "the imported module imports this one already",
                "put what both need into a third module");
  get()->imports_->push_back(std::move(module));
}

Conversion ValueTraits<Module>::Get(const lathe_value& value, Module* out) {
  if (value.kind != LATHE_VALUE_OBJECT || value.v_object == nullptr ||
      value.v_object->kind != LATHE_OBJECT_MODULE)
    return Conversion::kWrongKind;
  *out = Module(Ref<ModuleNode>(static_cast<ModuleNode*>(static_cast<Object*>(value.v_object))));
  return Conversion::kOk;
}

namespace {

absl::StatusOr<Module> CallLoader(const std::string& name, std::string_view kind,
                                  const Value& argument) {
  absl::StatusOr<Function> loader = FindOrLoadGlobal(name);
  if (!loader.ok()) {
    std::string text = "nothing here loads modules of kind `" + std::string(kind) + "`";
    if (StatusName(loader.status()) != "registry-not-found")
      text += "\nfound: " + std::string(loader.status().message());
    text +=
        "\nhelp: install the plugin that provides this kind; `lathe plugins` shows what was found";
    return MakeStatus(absl::StatusCode::kUnavailable, "module-loader-missing", text);
  }
  LATHE_ASSIGN_OR_RETURN(const Value value, loader->TryCall(argument));
  Module module;
  if (ValueTraits<Module>::Get(value.c(), &module) != Conversion::kOk)
    return MakeStatus(absl::StatusCode::kInternal, "module-loader-missing",
                      {"`", name, "` returned ", value.ToString(), " in place of a module"});
  return module;
}

}  // namespace

absl::StatusOr<Module> LoadModuleBytes(std::string_view kind, std::string_view bytes) {
  return CallLoader("module.load." + std::string(kind), kind, Value::Bytes(bytes));
}

absl::StatusOr<Module> LoadModuleFile(const std::string& path) {
  FileProblem problem;
  const FileHandle file = OpenFile(path, &problem);
  std::string head;
  if (problem.ok()) problem = ReadStart(file, 512, &head);
  if (problem.ok() && head.starts_with("LATHEMOD")) {
    std::string bytes;
    problem = ReadFile(file, kAnySize, &bytes);
    if (problem.ok()) return Module::Deserialize(bytes);
  }
  if (!problem.ok()) {
    return MakeStatus(absl::StatusCode::kNotFound, "module-file-unreadable",
                      {"`", path, "` cannot be read: ", problem.text});
  }
  std::string kind;
  if (head.starts_with("\x7f"
                       "ELF") &&
      head.size() >= 18) {
    // e_type; e_ident states its byte order. Adding both bytes works for both orders, because the
    // type is small.
    const int type = static_cast<unsigned char>(head[16]) | static_cast<unsigned char>(head[17]);
    kind = type == 1 ? "o" : "so";
  } else if (head.size() == 512 && std::string_view(head).substr(257, 5) == "ustar") {
    kind = "tar";
  } else {
    return MakeStatus(
        absl::StatusCode::kInvalidArgument, "module-file-unknown",
        {"`", path,
         "` is no module\nexpected: a shared library, an ELF object, a tar archive of them, or a "
         "module file"});
  }
  return CallLoader("module.load_file." + kind, kind, Value(path));
}

}  // namespace lathe::runtime
