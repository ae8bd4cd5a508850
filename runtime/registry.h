// The one global registry: name -> function. Thread-safe.
//
// Nothing registers itself from a static initializer: the runtime's own entries are registered on
// first use, a plugin's entries when they are looked up, a program's by a call. Names in use:
// "device_api.<kind>", "module.load.<kind>", "codegen.<target>", "runtime.*".
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "runtime/function.h"

namespace lathe::runtime {

enum class Override { kRefuse, kReplace };
// Whether a remote session may call a function by name. Without this mark it may not, because the
// registry contains functions that load files, code and plugins. A function with the mark must be
// safe for any arguments.
enum class Exported { kNo, kYes };

// Fails with `registry-name-taken` if the name exists and `override` is kRefuse,
// `registry-name-invalid` if the name is empty or longer than 255 bytes, `registry-null-function`.
// Replacing affects later look-ups only, and sets the mark anew.
absl::Status RegisterGlobal(std::string_view name, Function function,
                            Override override = Override::kRefuse,
                            Exported exported = Exported::kNo);
// Returns whether the name existed.
bool RemoveGlobal(std::string_view name);
// Null if the name is not registered. Never calls the resolvers.
Function FindGlobal(std::string_view name);
// Like FindGlobal, but if the name is not registered, the resolvers are called and the look-up is
// repeated: this is how a plugin is loaded on first use. Fails with `registry-not-found`, which
// lists the nearest names, or with a resolver's error.
absl::StatusOr<Function> FindOrLoadGlobal(std::string_view name);
// For sessions: finds a function that was registered as exported. Never calls the resolvers, so
// that a remote name cannot load a plugin. Fails with `registry-not-exported`, also if a function
// with that name is registered without the mark.
absl::StatusOr<Function> FindExported(std::string_view name);
// Sorted.
std::vector<std::string> ListGlobalNames(std::string_view prefix = {});

// `resolver` may register the function `name`, and returns an error if it could not (OK also means
// "not my name"). Called without any lock, possibly from several threads at once. Never removed.
void AddGlobalResolver(std::function<absl::Status(std::string_view name)> resolver);

}  // namespace lathe::runtime
