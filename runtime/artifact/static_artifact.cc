#include "runtime/artifact/static_artifact.h"

#include "absl/strings/str_cat.h"
#include "runtime/artifact/artifact_module.h"
#include "runtime/error_object.h"
#include "runtime/registry.h"
#include "runtime/status.h"

namespace lathe::runtime {
namespace {

absl::Status Register(const char* name, const lathe_artifact* artifact) {
  if (name == nullptr || *name == '\0' || artifact == nullptr) {
    return MakeStatus(absl::StatusCode::kInvalidArgument, "artifact-null",
                      "an artefact is registered by a name and an address");
  }
  LATHE_ASSIGN_OR_RETURN(Module module, StaticArtifact(artifact));
  return RegisterGlobal(absl::StrCat("module.static.", name),
                        Function::From([module] { return module; }));
}

}  // namespace
}  // namespace lathe::runtime

extern "C" int lathe_register_artifact(const char* name, const lathe_artifact* artifact,
                                       lathe_value* ret) {
  try {
    const absl::Status status = lathe::runtime::Register(name, artifact);
    return status.ok() ? 0 : lathe::runtime::internal::ReturnStatus(status, ret);
  } catch (...) {
    *ret = lathe::runtime::internal::ObjectValue(
        lathe::runtime::ErrorFromCurrentException().release());
    return -1;
  }
}
