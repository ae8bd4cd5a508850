#include "tools/plugin_test/library.h"

#include <dlfcn.h>

#include "ir/binary.h"
#include "tools/plugin_test/programs.h"

namespace lathe::kit {
namespace {

template <class Table>
const Table* Find(const lathe_plugin& plugin, const char* id, const std::string& kind) {
  return static_cast<const Table*>(plugin.get_interface(id, kind.c_str()));
}

}  // namespace

absl::StatusOr<lathe_plugin_query> OpenQuery(const std::string& path) {
  void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) return Failed(std::string("dlopen: ") + dlerror());
  auto query = reinterpret_cast<lathe_plugin_query>(dlsym(handle, LATHE_PLUGIN_QUERY_SYMBOL));
  if (query == nullptr) return Failed("it has no " LATHE_PLUGIN_QUERY_SYMBOL);
  return query;
}

absl::Status Init(const lathe_plugin& plugin, const Subject& subject) {
  // The strings must live as long as the process.
  static const std::string& folder =
      *new std::string(subject.path.substr(0, subject.path.rfind('/')));
  const lathe_plugin_context context = {sizeof(context), subject.manifest.name.c_str(),
                                        subject.manifest.version.c_str(), folder.c_str()};
  lathe_value error{};
  if (plugin.init(&context, &error) == 0) return absl::OkStatus();
  const std::string text = TakeError(&error);
  return Failed(text.empty() ? "init failed without an error object" : "init: " + text);
}

absl::StatusOr<Library> Library::Open(const Subject& subject, const lathe_host* host) {
  absl::StatusOr<lathe_plugin_query> query = OpenQuery(subject.path);
  if (!query.ok()) return query.status();
  Library library;
  library.subject_ = &subject;
  library.plugin_ = (*query)(host == nullptr ? KitHost() : host);
  if (library.plugin_ == nullptr) return Failed("the query refuses this host");
  KIT_RETURN_IF_ERROR(Init(*library.plugin_, subject));
  return library;
}

const lathe_device_api* Library::device() const {
  if (subject_->manifest.devices.empty()) return nullptr;
  return Find<lathe_device_api>(*plugin_, LATHE_DEVICE_INTERFACE,
                                subject_->manifest.devices[0].kind);
}
const lathe_module_api* Library::module() const {
  if (subject_->manifest.modules.empty()) return nullptr;
  return Find<lathe_module_api>(*plugin_, LATHE_MODULE_INTERFACE,
                                subject_->manifest.modules[0].kind);
}
const lathe_codegen_api* Library::codegen() const {
  if (subject_->targets.empty()) return nullptr;
  return Find<lathe_codegen_api>(*plugin_, LATHE_CODEGEN_INTERFACE, subject_->targets[0].kind);
}

absl::Status Library::Shutdown() const {
  lathe_value error{};
  if (plugin_->shutdown(&error) == 0) return absl::OkStatus();
  const std::string text = TakeError(&error);
  return Failed(text.empty() ? "shutdown failed without an error object" : "shutdown: " + text);
}

std::string TargetTextOf(const Subject& subject) {
  return subject.targets.empty() ? "" : TargetOf(subject).ToString();
}

std::string SmallIr(const Subject& subject) {
  if (subject.targets.empty()) return "";
  return ir::EncodeModule(LoweredFor(subject, ScaleProgram(subject)));
}

}  // namespace lathe::kit
