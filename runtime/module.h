// Modules: compiled code (or anything else with named functions) and the modules it imports.
//
// ModuleNode is the class a C++ provider derives from; Module is the handle. A saved tree of
// modules is a *module file*: stamped with a version, every part with its digest, read with bounds
// on everything.
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

// Immutable once made but for imports, which are added before the module is shared between threads.
// Methods are thread-safe then.
class ModuleNode : public Object {
 public:
  virtual ~ModuleNode();

  // The registry loads saved bytes of it by "module.load.<kind>"; lower-case letters, digits, '_',
  // '-'.
  virtual std::string_view kind() const = 0;
  // Null where the module has none of that name; does not look into imports. A function keeps its
  // module alive.
  virtual Function GetFunction(std::string_view name) = 0;
  // Names GetFunction answers to, where the module knows them.
  virtual std::vector<std::string> FunctionNames() const;
  // What "module.load.<kind>" reads back, without the imports. kUnimplemented `module-not-saveable`
  // by default.
  virtual absl::StatusOr<std::string> Save() const;
  // What the module says about itself; empty by default.
  virtual const Metadata& metadata() const;
  // Code in a readable form: format "asm", "ir", "cuda"...; "" for the usual one.
  // `module-no-source` by default.
  virtual absl::StatusOr<std::string> Source(std::string_view format) const;

  const std::vector<Module>& imports() const { return *imports_; }
  // How many of the imports, from the first on, Save() writes along: an artefact has the device
  // modules that it was compiled with inside.
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

  // In the module itself, then in its imports breadth first. Fails with `module-no-function`,
  // naming the nearest.
  absl::StatusOr<Function> GetFunction(std::string_view name) const;
  // Null where there is none.
  Function FindFunction(std::string_view name) const;
  // The metadata's entry function, else the only one, else "main". Fails with `module-no-entry`.
  absl::StatusOr<Function> EntryFunction() const;
  // Error `module-import-cycle`, `module-import-null`.
  void Import(Module module) const;

  // The whole tree; shared imports are written once. Every module of it must be saveable.
  absl::StatusOr<std::string> Serialize() const;
  // Fails with `module-file-corrupt` (what and where), `module-file-version`,
  // `module-loader-missing` (the kind, and what would provide it), or what a loader says.
  static absl::StatusOr<Module> Deserialize(std::string_view bytes);
  // The imports only, from number `first` on, as lathe_artifact carries them; "" where there are
  // none.
  absl::StatusOr<std::string> SerializeImports(size_t first = 0) const;
  static absl::StatusOr<std::vector<Module>> DeserializeImports(std::string_view bytes);
};

// The module and everything it imports, breadth first (as functions are looked up), each once:
// modules share imports, so there may be many more ways to one than modules. Empty for null.
std::vector<ModuleNode*> ModulesOf(const Module& root);

// A module as its bytes, not loaded: what a code generator made, perhaps for another machine.
struct ModulePart {
  std::string kind;  // "module.load.<kind>" loads it
  std::string bytes;
};
// What Module::SerializeImports gives for modules of these, in this order, none of which imports
// any.
std::string SerializeParts(std::span<const ModulePart> parts);
// The modules of a module file that begins with `bytes`, which may go on behind it (an artefact has
// one in its data); imports come before what imports them. Loads nothing. Fails as Deserialize
// does.
absl::StatusOr<std::vector<ModulePart>> ReadParts(std::string_view bytes);

// Saved bytes of one module, by the registry's "module.load.<kind>": a function (bytes) -> module.
absl::StatusOr<Module> LoadModuleBytes(std::string_view kind, std::string_view bytes);
// A file, by its first bytes and then its suffix: module files, and what "module.load_file.<kind>"
// functions (path) -> module are registered for; kinds "so", "o", "tar". Fails with
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
