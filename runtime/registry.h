// The one global registry: name -> function. Thread-safe.
//
// Nothing registers itself from a static initializer: the runtime's own entries are put in by the
// first use, a plugin's when it is asked, a program's by a call. Names in use: "device_api.<kind>",
// "module.load.<kind>", "codegen.<target>", "runtime.*".
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "runtime/function.h"

namespace lathe::runtime {

enum class Override { kRefuse, kReplace };
// Whether sessions from elsewhere may call a function by its name. What nobody marked they may not:
// the registry holds what loads files, code and plugins. Whoever marks one answers for what anybody
// may pass to it.
enum class Exported { kNo, kYes };

// Fails with `registry-name-taken` where the name exists and `override` is kRefuse,
// `registry-name-invalid` where the name is empty or longer than 255 bytes,
// `registry-null-function`. Replacing affects later look-ups only, and sets the mark anew.
absl::Status RegisterGlobal(std::string_view name, Function function,
                            Override override = Override::kRefuse,
                            Exported exported = Exported::kNo);
// Whether there was one.
bool RemoveGlobal(std::string_view name);
// Null where there is none. Never asks the resolvers.
Function FindGlobal(std::string_view name);
// Like FindGlobal, but where nothing is found the resolvers are asked and the look-up repeated:
// this is how a plugin is loaded on first use of what it provides. Fails with `registry-not-found`,
// naming the nearest known ones, or with what a resolver said.
absl::StatusOr<Function> FindOrLoadGlobal(std::string_view name);
// For sessions: a function that was registered as exported. Never asks the resolvers, so that no
// name from elsewhere loads a plugin. `registry-not-exported` where there is none, whether or not
// another function has the name.
absl::StatusOr<Function> FindExported(std::string_view name);
// Sorted.
std::vector<std::string> ListGlobalNames(std::string_view prefix = {});

// `resolver` may register what `name` asks for, and says why it could not (OK also means "not
// mine"). Called without any lock held, possibly from several threads at once. Never removed.
void AddGlobalResolver(std::function<absl::Status(std::string_view name)> resolver);

}  // namespace lathe::runtime
