// Modules: compiled code (or anything else with named functions) and the modules that it imports.
//
// A C++ provider derives from ModuleNode; Module is the handle. A saved tree of modules is a
// *module file*: it has a version and a digest for each part, and the reader checks all bounds.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/object.h"
#include "lathe/abi/value.h"
#include "runtime/function.h"
#include "runtime/metadata.h"
#include "runtime/value.h"

namespace lathe::runtime {

class Module;

// Immutable, except that imports are added before the module is shared between threads. After that,
// methods are thread-safe.
class ModuleNode : public Object {
 public:
  virtual ~ModuleNode();

  // The registry function "module.load.<kind>" loads saved bytes of this kind; lower-case letters,
  // digits, '_', '-'.
  virtual std::string_view kind() const = 0;
  // Null if the module has no function of that name; does not search imports. A function keeps its
  // module alive.
  virtual Function GetFunction(std::string_view name) = 0;
  // The same for a module whose functions use code of modules that are not its imports: `root` is
  // the module on which the look-up began, and imports this one. The default ignores it.
  virtual Function GetFunctionIn(const Module& root, std::string_view name);
  // The names of functions that GetFunction finds, if the module knows them.
  virtual std::vector<std::string> FunctionNames() const;
  // The bytes that "module.load.<kind>" reads, without the imports. The default fails with
  // kUnimplemented `module-not-saveable`.
  virtual absl::StatusOr<std::string> Save() const;
  // The module's metadata; empty by default.
  virtual const Metadata& metadata() const;
  // The code as text in a format "asm", "ir", "cuda"...; "" means the usual format. The default
  // fails with `module-no-source`.
  virtual absl::StatusOr<std::string> Source(std::string_view format) const;

  const std::vector<Module>& imports() const { return *imports_; }
  // The number of imports, counted from the first, that Save() includes: an artefact contains the
  // device modules with which it was compiled.
  virtual size_t saved_imports() const { return 0; }

 protected:
  ModuleNode();

 private:
  friend class Module;
  std::unique_ptr<std::vector<Module>> imports_;
};

// A shared handle; null by default.
class Module : public Ref<ModuleNode> {
 public:
  Module() = default;
  Module(std::nullptr_t) {}  // NOLINT(google-explicit-constructor)
  template <class T>
    requires std::derived_from<T, ModuleNode>
  Module(Ref<T> node) : Ref<ModuleNode>(std::move(node)) {}  // NOLINT(google-explicit-constructor)

  // Searches the module itself, then its imports breadth first. Fails with `module-no-function`,
  // which lists the nearest names.
  absl::StatusOr<Function> GetFunction(std::string_view name) const;
  // Null if there is none.
  Function FindFunction(std::string_view name) const;
  // The metadata's entry function, else the only function, else "main". Fails with
  // `module-no-entry`.
  absl::StatusOr<Function> EntryFunction() const;
  // Throws Error `module-import-cycle`, `module-import-null`.
  void Import(Module module) const;

  // Saves the whole tree; shared imports are written once. Every module in it must be saveable.
  absl::StatusOr<std::string> Serialize() const;
  // Fails with `module-file-corrupt` (with the place), `module-file-version`,
  // `module-loader-missing` (with the kind, and what would provide it), or with a loader's error.
  static absl::StatusOr<Module> Deserialize(std::string_view bytes);
  // Saves the imports only, from number `first` on, in the form that lathe_artifact contains; "" if
  // there are none.
  absl::StatusOr<std::string> SerializeImports(size_t first = 0) const;
  static absl::StatusOr<std::vector<Module>> DeserializeImports(std::string_view bytes);
};

// The module and all that it imports, breadth first (the order of function look-up), each once.
// Modules share imports, so there may be many more paths than modules. Empty for null.
std::vector<ModuleNode*> ModulesOf(const Module& root);

// A module as bytes that are not loaded: the output of a code generator, perhaps for another
// machine.
struct ModulePart {
  std::string kind;  // "module.load.<kind>" loads it
  std::string bytes;
};
// Returns the same bytes as Module::SerializeImports for modules with these contents, in this order
// and without imports.
std::string SerializeParts(std::span<const ModulePart> parts);
// The modules of the module file with which `bytes` begins; more data may follow (an artefact has a
// module file in its data). Imports come before the modules that import them. Loads nothing. Fails
// as Deserialize does.
absl::StatusOr<std::vector<ModulePart>> ReadParts(std::string_view bytes);

// Loads the saved bytes of one module by the registry's "module.load.<kind>": (bytes) -> module.
absl::StatusOr<Module> LoadModuleBytes(std::string_view kind, std::string_view bytes);
// Loads a file. Its first bytes, and then its suffix, decide the kind: module files, and the kinds
// "so", "o" and "tar" by the registry's "module.load_file.<kind>": (path) -> module. Fails with
// `module-file-unreadable`, `module-loader-missing`.
absl::StatusOr<Module> LoadModuleFile(const std::string& path);

template <>
struct ValueTraits<Module> {
  static std::string Name() { return "module"; }
  static Conversion Get(const lathe_value& value, Module* out);
  static lathe_value Borrow(const Module& item) {
    return internal::ObjectValue(static_cast<lathe_object*>(item.get()));
  }
  static lathe_value Own(Module item) {
    return internal::ObjectValue(static_cast<lathe_object*>(item.release()));
  }
};

}  // namespace lathe::runtime
